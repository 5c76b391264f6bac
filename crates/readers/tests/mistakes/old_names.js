bp.registerBThread("T", function () {
  bsync({ request: bp.Event("a") });
  bp.bsync({ request: bp.Event("a") });
});
