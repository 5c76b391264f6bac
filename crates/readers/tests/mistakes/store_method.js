bp.registerBThread("T", function () {
  bp.store.put("n", 1);
  bp.sync({ request: bp.store.filter((key, value) => true).map(k => bp.Event(k)) });
});
