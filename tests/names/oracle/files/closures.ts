let counter = 0;
const cache = new Map<string, () => number>();

export function counterFor(name: string) {
  let local = 0;
  const bump = () => ++local + counter;
  function reset() {
    local = 0;
    counter++;
  }
  cache.set(name, bump);
  return { bump, reset, again: () => counterFor(name) };
}

const immediate = (() => {
  const counter = 5;
  return counter;
})();

const recursive = function self(n: number): number {
  return n ? self(n - 1) : immediate;
};

export const lazy = { get value() { return recursive(2); }, set value(counter) { void counter; } };
