const util = require("util");
const defaults = { depth: 2 };

function Base(options) {
  this.options = options || defaults;
}

function Child() {
  Base.call(this);
  this.ready = true;
}
util.inherits(Child, Base);

Child.prototype.show = function show() {
  return util.inspect(this, helper(this.options));
};

function helper(options) {
  return options || show;
}
function show() {}
function forgotten() {
  return forgotten();
}

exports.Child = Child;
