// Tic-tac-toe: can O complete a line against the pairing strategy of X? As rwb/01_tictactoe_safe.rwb.
var PARTNER = [1, 0, 5, 6, 4, 2, 3, 8, 7];
var LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
var ANY_X = bp.EventSet("X", function (e) { return e.name === "x"; });
var ANY_O = bp.EventSet("O", function (e) { return e.name === "o"; });

bp.registerBThread("Turns", function () {
  while (true) {
    bp.sync({ waitFor: ANY_X, block: ANY_O });
    bp.sync({ waitFor: ANY_O, block: ANY_X });
  }
});

function cell(i) {
  bp.registerBThread("Cell" + i, function () {
    var both = [bp.Event("x", { c: i }), bp.Event("o", { c: i })];
    bp.sync({ waitFor: both });
    bp.sync({ block: both });
  });
}

bp.registerBThread("OtherPlayer", function () {
  var moves = [];
  for (var c = 0; c < 9; c++) { moves.push(bp.Event("o", { c: c })); }
  while (true) { bp.sync({ request: moves }); }
});

bp.registerBThread("Strategy", function () {
  bp.sync({ request: bp.Event("x", { c: 4 }) });
  while (true) {
    var e = bp.sync({ waitFor: ANY_O });
    bp.sync({ request: bp.Event("x", { c: PARTNER[e.data.c] }) });
  }
});

function line(k) {
  bp.registerBThread("Line" + k, function () {
    var mine = bp.EventSet("line" + k, function (e) { return e.name === "o" && LINES[k].indexOf(e.data.c) >= 0; });
    var n = 0;
    while (true) {
      bp.sync({ waitFor: mine });
      n++;
      bp.ASSERT(n < 3, "O has a line");
    }
  });
}

for (var i = 0; i < 9; i++) { cell(i); }
for (var k = 0; k < 8; k++) { line(k); }
