const start = 1;
const end = 2;
start: for (const x of [1]) {
  if (x) continue start;
  end: {
    break end;
  }
}
const object = { start: 1, end, ["start"]: end };
const { start: other } = object;
console.log(object.start, other);
