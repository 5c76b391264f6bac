bp.registerBThread("Log", function () {
  const seen = [];
  while (true) { seen.push(bp.sync({ request: [bp.Event("a"), bp.Event("b")] }).name); }
});
