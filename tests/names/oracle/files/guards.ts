type Cat = { meow(): void };
type Dog = { bark(): void };
type Never = never;
function isCat(pet: Cat | Dog): pet is Cat {
  return "meow" in pet;
}
function assertDog(pet: unknown): asserts pet is Dog {
  if (!pet) throw new Missing(pet);
}
class Missing extends Error {
  constructor(readonly pet: unknown) {
    super("missing");
  }
}
export function speak(this: { loud: boolean }, pet: Cat | Dog) {
  if (isCat(pet)) return pet.meow();
  assertDog(pet);
  return satisfied satisfies Dog;
}
const satisfied: Dog = { bark() {} };
