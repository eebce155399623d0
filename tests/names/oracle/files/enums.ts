export enum Level {
  Low = 1,
  High = Low << 2,
  Text = "text".length,
}
const enum Hidden {
  A,
  B = A,
}
enum Lost {
  A,
}
const Low = 7;
export function name(level: Level, hidden: Hidden.A): string {
  return Level[level] + Hidden.B + Low + hidden;
}
