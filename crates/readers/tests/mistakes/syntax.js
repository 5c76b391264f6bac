bp.registerBThread("T", function () {
  bp.sync({ request: bp.Event("a") );
});
