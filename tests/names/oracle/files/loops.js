var count = 0;
let index = 0;
const list = [1, 2];

function run() {
  for (var index = 0; index < list.length; index++) count++;
  for (const item in list) {
    console.log(item, index);
  }
  outer: for (;;) {
    break outer;
  }
  do {
    var late = count;
  } while (late < 3);
  return hoisted;
  var hoisted;
}

switch (index) {
  case 0: {
    let list = 1;
    run(list);
    break;
  }
  default:
    run(list);
}
