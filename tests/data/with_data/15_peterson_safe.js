// Peterson's mutual exclusion. As rwb/15_peterson_safe.rwb.
function flag(i) {
  bp.registerBThread("Flag" + i, function () {
    var flag = false;
    var writes = bp.EventSet("writes" + i, function (e) { return e.name === "write_flag" && e.data.who === i; });
    while (true) {
      var others = bp.EventSet("others" + i, function (e) {
        return e.name === "read_flag" && e.data.who === i && e.data.v !== flag;
      });
      flag = bp.sync({ waitFor: writes, block: others }).data.v;
    }
  });
}

function process(i) {
  bp.registerBThread("Process" + i, function () {
    var flags = [], turns = [];
    [false, true].forEach(function (v) { flags.push(bp.Event("read_flag", { who: 1 - i, by: i, v: v })); });
    [0, 1].forEach(function (v) { turns.push(bp.Event("read_turn", { by: i, v: v })); });
    while (true) {
      bp.sync({ request: bp.Event("write_flag", { who: i, v: true }) });
      bp.sync({ request: bp.Event("write_turn", { by: i, v: 1 - i }) });
      while (true) {
        if (!bp.sync({ request: flags }).data.v) { break; }
        if (bp.sync({ request: turns }).data.v === i) { break; }
      }
      bp.sync({ request: bp.Event("enter", { who: i }) });
      bp.sync({ request: bp.Event("leave", { who: i }) });
      bp.sync({ request: bp.Event("write_flag", { who: i, v: false }) });
    }
  });
}
for (var i = 0; i < 2; i++) { flag(i); process(i); }

bp.registerBThread("Turn", function () {
  var turn = 0;
  var writes = bp.EventSet("writes", function (e) { return e.name === "write_turn"; });
  while (true) {
    var others = bp.EventSet("others", function (e) { return e.name === "read_turn" && e.data.v !== turn; });
    turn = bp.sync({ waitFor: writes, block: others }).data.v;
  }
});

bp.registerBThread("Watch", function () {
  var inside = 0;
  var moves = bp.EventSet("moves", function (e) { return e.name === "enter" || e.name === "leave"; });
  while (true) {
    if (bp.sync({ waitFor: moves }).name === "enter") {
      inside++;
      bp.ASSERT(inside < 2, "two are inside");
    } else {
      inside--;
    }
  }
});
