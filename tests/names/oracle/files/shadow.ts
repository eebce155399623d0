const name = "outer";
const other = "other";

function shadowed(name: string) {
  return () => name + other;
}

function block() {
  {
    const name = 1;
    console.log(name);
  }
  return name;
}

export function late() {
  return later();
  function later() {
    return name;
  }
}

try {
  shadowed(name);
} catch (name) {
  console.error(name);
}

for (const other of [1, 2]) {
  block();
  console.log(other);
}
