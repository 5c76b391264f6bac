bp.registerBThread("T", function () {
  const now = Date.now();
  if (Math.random() < 0.5) bp.sync({ request: bp.Event("a", now) });
});
