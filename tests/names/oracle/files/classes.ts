const tag = "tag";
const seed = 1;
function mixin<T>(base: T) {
  return base;
}
class Root {
  static kind = tag;
  #hidden = seed;
  get hidden() {
    return this.#hidden;
  }
}
class Middle extends mixin(Root) {
  [tag]() {
    return super.hidden;
  }
  static {
    register(Middle);
  }
}
const Anonymous = class extends Middle {};
const Named = class Inner {
  copy() {
    return new Inner();
  }
};
function register(kind: unknown) {
  return kind;
}
export const all = [Anonymous, Named];
