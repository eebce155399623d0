import { Item, type Price } from "./item";
import * as tax from "./tax";

const LIMIT = 20;
let opened = 0;

export class Cart {
  private items: Item[] = [];

  constructor(private readonly owner: string) {
    opened += 1;
  }

  add(item: Item, count = 1): this {
    for (let i = 0; i < count && this.items.length < LIMIT; i++) {
      this.items.push(item);
    }
    return this;
  }

  total(): Price {
    return this.items.reduce((sum, item) => sum + tax.add(item.price), 0);
  }

  static empty() {
    return new Cart(opened.toString());
  }
}

function unused(LIMIT: number) {
  return LIMIT;
}
