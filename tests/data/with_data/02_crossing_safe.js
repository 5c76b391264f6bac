// A level crossing whose controller counts the trains that are near. As rwb/02_crossing_safe.rwb.
var N = 3;
var APPROACH = bp.EventSet("approach", function (e) { return e.name === "approach"; });
var ENTER = bp.EventSet("enter", function (e) { return e.name === "enter"; });
var LEAVE = bp.EventSet("leave", function (e) { return e.name === "leave"; });
var LOWER = bp.Event("lower"), RAISE = bp.Event("raise");

function track(t) {
  bp.registerBThread("Track" + t, function () {
    while (true) {
      bp.sync({ request: bp.Event("approach", { t: t }) });
      bp.sync({ request: bp.Event("enter", { t: t }) });
      bp.sync({ request: bp.Event("leave", { t: t }) });
    }
  });
}
for (var i = 0; i < N; i++) { track(i); }

bp.registerBThread("Controller", function () {
  while (true) {
    bp.sync({ waitFor: APPROACH, block: ENTER });
    var near = 1;
    bp.sync({ request: LOWER, block: [ENTER, APPROACH] });
    while (near > 0) {
      var e = bp.sync({ waitFor: [APPROACH, LEAVE] });
      near = e.name === "approach" ? near + 1 : near - 1;
    }
    bp.sync({ request: RAISE, block: [APPROACH, ENTER] });
  }
});

bp.registerBThread("Watch", function () {
  var up = true, inside = 0;
  while (true) {
    var e = bp.sync({ waitFor: [LOWER, RAISE, ENTER, LEAVE] });
    if (e.name === "lower") { up = false; }
    if (e.name === "raise") { up = true; bp.ASSERT(inside === 0, "the gate is up, and a train is inside"); }
    if (e.name === "enter") { bp.ASSERT(!up, "a train enters, and the gate is up"); inside++; }
    if (e.name === "leave") { inside--; }
  }
});
