bp.registerBThread("T", function () {
  bp.store.put("n", 1);
  bp.sync({ request: bp.store.keys().map(k => bp.Event(k)) });
});
