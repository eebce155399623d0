let state = "idle";
let written = 0;
let both = 0;
let target: { deep: number } = { deep: 1 };
let pair = [0, 0];

export function step(next: string) {
  state = next;
  written = 1;
  both += 1;
  target.deep = both;
  [pair[0], pair[1]] = [1, 2];
  return state;
}
