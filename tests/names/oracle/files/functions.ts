type Handler = (event: Event, extra?: Extra) => Reply;
interface Extra {
  (flag: boolean): Reply;
  new (flag: string): Extra;
}
type Reply = ReturnType<typeof reply> | Parameters<Handler>[0];
function reply() {
  return 1;
}
function outer(this: Extra, handler: Handler) {
  const inner = function named(handler: Handler) {
    return handler;
  };
  return inner(handler);
}
export { outer as default };
