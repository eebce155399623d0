import { load } from "./load";

const fallback = { a: 1, b: { c: 2 } };
const key = "k";
const { a, b: { c: renamed = a }, [key]: dynamic, ...others } = load(fallback);
const [first, , third = first, ...tail] = [1, 2, 3, renamed];

export function use({ a: inner = a, ...rest }: { a?: number } = {}, [head]: number[] = tail) {
  let swap = inner;
  [swap, head as any];
  ({ a: swap } = rest as any);
  return [swap, head, others, dynamic, third];
}
