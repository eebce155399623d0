const handlers = { open: "open_lid" };
const prefix = "do_";
const word = "start";
class Shell {
  do_start() {}
}
export const shown = (new Shell() as any)[prefix + word]();
export const text = `${handlers.open} ${`${word}`}`;
export function has(x: object) {
  return "word" in x && typeof word === "string" && handlers?.open!.length;
}
