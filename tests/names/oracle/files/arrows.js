const add = (a, b = a) => a + b;
const twice = (f) => (x) => f(f(x));
const id = (x) => x;
const spread = (...args) => add(...args);
const run = async ({ add, depth: { id = 1 } = {} }) => add + id;
const tagged = String.raw`${spread(1)}`;
export const out = [twice(id), run, tagged];
