// Producer and consumer with a bounded buffer. As rwb/11_queue_unsafe.rwb.
var SIZE = 3, M = 5;
var PUT = bp.EventSet("put", function (e) { return e.name === "put"; });
var GET = bp.EventSet("get", function (e) { return e.name === "get"; });

bp.registerBThread("Producer", function () {
  var k = 0;
  while (true) {
    bp.sync({ request: bp.Event("put", { v: k }) });
    k = (k + 1) % M;
  }
});

bp.registerBThread("Buffer", function () {
  var cell = [0, 0, 0], head = 0, used = 0;
  while (true) {
    var e = bp.sync({
      waitFor: [PUT, GET],
      block: bp.EventSet("refused", function (x) {
        return x.name === "get" && (used === 0 || x.data.v !== cell[head])
          ;
      })
    });
    if (e.name === "put") {
      cell[(head + used) % SIZE] = e.data.v;
      if (used < SIZE) { used++; } else { head = (head + 1) % SIZE; }
    } else {
      head = (head + 1) % SIZE;
      used--;
    }
  }
});

bp.registerBThread("Consumer", function () {
  var gets = [];
  for (var v = 0; v < M; v++) { gets.push(bp.Event("get", { v: v })); }
  var expected = 0;
  while (true) {
    var e = bp.sync({ request: gets });
    bp.ASSERT(e.data.v === expected, "out of order");
    expected = (expected + 1) % M;
  }
});
