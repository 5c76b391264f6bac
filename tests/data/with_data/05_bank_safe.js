// A bank with three accounts. As rwb/05_bank_safe.rwb.
var N = 3, MAX = 5, START = 2;
function transfer(from, to, amount) { return bp.Event("transfer", { from: from, to: to, amount: amount }); }
var ANY = bp.EventSet("transfer", function (e) { return e.name === "transfer"; });

bp.registerBThread("Customers", function () {
  var all = [];
  for (var a = 0; a < N; a++) {
    for (var b = 0; b < N; b++) {
      if (a !== b) { all.push(transfer(a, b, 1), transfer(a, b, 2)); }
    }
  }
  while (true) { bp.sync({ request: all }); }
});

function account(i) {
  bp.registerBThread("Account" + i, function () {
    var balance = START;
    var mine = bp.EventSet("mine" + i, function (e) {
      return e.name === "transfer" && (e.data.from === i || e.data.to === i);
    });
    while (true) {
      var refused = bp.EventSet("refused" + i, function (e) {
        return e.name === "transfer" && e.data.from === i && e.data.amount > balance
          || e.name === "transfer" && e.data.to === i && balance + e.data.amount > MAX;
      });
      var e = bp.sync({ waitFor: mine, block: refused });
      balance += e.data.from === i ? -e.data.amount : e.data.amount;
      bp.ASSERT(0 <= balance && balance <= MAX, "the balance is out of range");
    }
  });
}
for (var i = 0; i < N; i++) { account(i); }

// No money is made and none is lost: the accounts as the auditor sees them.
bp.registerBThread("Auditor", function () {
  var book = [];
  for (var i = 0; i < N; i++) { book.push(START); }
  while (true) {
    var e = bp.sync({ waitFor: ANY });
    book[e.data.from] -= e.data.amount;
    book[e.data.to] += e.data.amount;
    for (var k = 0; k < N; k++) { bp.ASSERT(-2 <= book[k] && book[k] <= N * START + 2, "the book is out of range"); }
    bp.ASSERT(book.reduce(function (sum, x) { return sum + x; }, 0) === N * START, "money is made or lost");
  }
});
