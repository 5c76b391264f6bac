// Tic-tac-toe: X and O move in turn. X begins in the middle, and O must not win. The
// check finds a game in which O wins.
const cells = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const lines = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const X = cell => bp.Event("X", cell);
const O = cell => bp.Event("O", cell);
const anyX = bp.EventSet("any X", e => e.name === "X");
const anyO = bp.EventSet("any O", e => e.name === "O");
const won = bp.EventSet("won", e => e.name === "win");

bp.registerBThread("Turns", function() {
  while (true) {
    bp.sync({ waitFor: anyX, block: anyO, interrupt: won });
    bp.sync({ waitFor: anyO, block: anyX, interrupt: won });
  }
});

cells.forEach(cell => {
  bp.registerBThread("Cell " + cell, function() {
    const taken = [X(cell), O(cell)];
    bp.sync({ waitFor: taken, interrupt: won });
    bp.sync({ block: taken });
  });
});

// A line that is full of one sign wins at once.
lines.forEach(line => {
  ["X", "O"].forEach(sign => {
    bp.registerBThread(sign + " on " + line.join("-"), function() {
      const mine = line.map(cell => bp.Event(sign, cell));
      for (let count = 0; count < 3; count++) bp.sync({ waitFor: mine, interrupt: won });
      bp.sync({ request: bp.Event("win", sign), block: [anyX, anyO] });
      bp.ASSERT(sign === "X", "O wins");
    });
  });
});

bp.registerBThread("Play O", function() {
  while (true) bp.sync({ request: cells.map(O), interrupt: won });
});

// X begins in the middle, and then moves anywhere.
bp.registerBThread("Play X", function() {
  bp.sync({ request: X(4) });
  while (true) {
    bp.sync({ request: cells.map(X), interrupt: won });
  }
});
bp.registerBThread("Game over", function() {
  bp.sync({ waitFor: won });
  bp.sync({ block: [anyX, anyO] });
});
