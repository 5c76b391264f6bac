bp.registerBThread("T", function () {
  let total = 0;
  while (true) { bp.sync({ request: bp.Event("tick") }); total += 1; }
});
