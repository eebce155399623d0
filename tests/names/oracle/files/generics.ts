type Reader<A, B = A> = (input: A) => B;
interface Source<T> extends Iterable<T> {
  map<U>(change: (value: T) => U): Source<U>;
}
abstract class Shape<T = unknown> implements Source<T> {
  abstract map<U>(change: (value: T) => U): Source<U>;
  [Symbol.iterator](): Iterator<T> {
    return walk(this);
  }
}
function walk<T, S extends Source<T> = Source<T>>(source: S): Iterator<T> {
  const T = 1;
  return source as any as Iterator<T> & typeof T;
}
export const compose = <A, B, C>(f: Reader<A, B>, g: Reader<B, C>): Reader<A, C> => (x) => g(f(x));
export default Shape;
