interface Named {
  name: string;
}

type Key = keyof Named;
type Boxed<T extends Named = Named> = { [K in keyof T]: Box<T[K]> };
type Unboxed<T> = T extends Box<infer U> ? U : never;
type Lost = Unboxed<number>;

class Box<T> {
  constructor(public value: T) {}
}

enum Tint {
  Red,
  Green = Red + 1,
}

export const table: Record<Key, Tint> = { name: Tint.Red };
export function open<T>(box: Box<T>): Unboxed<Box<T>> {
  return box.value as Unboxed<Box<T>>;
}
export let made: Boxed;
declare const VERSION: string;
export const shown = VERSION;
