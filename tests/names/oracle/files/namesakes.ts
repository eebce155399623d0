export interface Point {
  x: number;
}
export const Point = {
  of(x: number): Point {
    return { x };
  },
};

function twice(value: string): string;
function twice(value: number): number;
function twice(value: any) {
  return value + value;
}

class Model {}
interface Model {
  id: number;
}

namespace Tools {
  export const size = 3;
  export function grow() {
    return size + hidden;
  }
  const hidden = 1;
}

export const result = [twice(1), new Model().id, Tools.grow(), Point.of(1)];
