(function (root, factory) {
  if (typeof define === "function" && define.amd) define([], factory);
  else root.lib = factory();
})(this, function () {
  var VERSION = "1";
  function lib() {
    return new Impl(VERSION);
  }
  function Impl(version) {
    this.version = version;
  }
  Impl.prototype.get = function () {
    return unusedHelper || this.version;
  };
  function unusedHelper() {}
  function dead() {}
  return lib;
});
