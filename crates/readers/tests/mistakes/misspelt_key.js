bp.registerBThread("T", function () {
  bp.sync({ requests: bp.Event("a"), waitfor: bp.Event("b") });
});
