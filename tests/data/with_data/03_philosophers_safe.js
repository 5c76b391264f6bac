// Dining philosophers that count their meals. As rwb/03_philosophers_safe.rwb.
var N = 3, MEALS = 2;
var take = function (p, f) { return bp.Event("take", { who: p, fork: f }); };
var put = function (p, f) { return bp.Event("put", { who: p, fork: f }); };

function philosopher(p) {
  bp.registerBThread("Philosopher" + p, function () {
    var first = p, second = (p + 1) % N;
    if (p === N - 1) { first = 0; second = p; }
    for (var meals = 0; meals < MEALS; meals++) {
      bp.sync({ request: take(p, first) });
      bp.sync({ request: take(p, second) });
      bp.sync({ request: put(p, second) });
      bp.sync({ request: put(p, first) });
    }
  });
}

function fork(f) {
  bp.registerBThread("Fork" + f, function () {
    var takes = bp.EventSet("take" + f, function (e) { return e.name === "take" && e.data.fork === f; });
    var puts = bp.EventSet("put" + f, function (e) { return e.name === "put" && e.data.fork === f; });
    while (true) {
      var holder = bp.sync({ waitFor: takes, block: puts }).data.who;
      var others = [takes];
      for (var w = 0; w < N; w++) { if (w !== holder) { others.push(put(w, f)); } }
      bp.sync({ waitFor: put(holder, f), block: others });
    }
  });
}

function watch(f) {
  bp.registerBThread("Watch" + f, function () {
    var takes = bp.EventSet("take" + f, function (e) { return e.name === "take" && e.data.fork === f; });
    var puts = bp.EventSet("put" + f, function (e) { return e.name === "put" && e.data.fork === f; });
    while (true) {
      bp.sync({ waitFor: takes });
      var e = bp.sync({ waitFor: [takes, puts] });
      bp.ASSERT(e.name === "put", "two hold one fork");
    }
  });
}

for (var i = 0; i < N; i++) { philosopher(i); fork(i); watch(i); }
