// Hot and cold water are mixed in turns. One b-thread checks that two hots in a row do not happen.
const hot = bp.Event("hot"), cold = bp.Event("cold");

bp.registerBThread("AddHot", function() {
  for (let i = 0; i < 3; i++) bp.sync({ request: hot });
});
bp.registerBThread("AddCold", function() {
  for (let i = 0; i < 3; i++) bp.sync({ request: cold });
});
bp.registerBThread("Interleave", function() {
  while (true) {
    bp.sync({ waitFor: hot, block: cold });
    bp.sync({ waitFor: cold, block: hot });
  }
});
bp.registerBThread("NoTwoHot", function() {
  let last = "";
  while (true) {
    let e = bp.sync({ waitFor: bp.all });
    bp.ASSERT(!(last === "hot" && e.name === "hot"), "two hots in a row");
    last = e.name;
  }
});
