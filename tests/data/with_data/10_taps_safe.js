// Hot and cold taps. As rwb/10_taps_safe.rwb.
var N = 10, LIMIT = 2;
var HOT = bp.Event("hot"), COLD = bp.Event("cold");

bp.registerBThread("AddHot", function () { for (var n = 0; n < N; n++) { bp.sync({ request: HOT }); } });
bp.registerBThread("AddCold", function () { for (var n = 0; n < N; n++) { bp.sync({ request: COLD }); } });

bp.registerBThread("Balance", function () {
  var warm = 0;
  while (true) {
    var refused = [];
    if (warm >= LIMIT) { refused.push(HOT); }
    if (warm <= -LIMIT) { refused.push(COLD); }
    var e = bp.sync({ waitFor: [HOT, COLD], block: refused });
    warm += e.name === "hot" ? 1 : -1;
  }
});

bp.registerBThread("Watch", function () {
  var warm = 0;
  while (true) {
    var e = bp.sync({ waitFor: [HOT, COLD] });
    warm += e.name === "hot" ? 1 : -1;
    bp.ASSERT(-LIMIT <= warm && warm <= LIMIT, "too hot or too cold");
  }
});
