bp.registerBThread("T", function () {
  let waiting = true;
  while (waiting) { bp.log.info("waiting"); }
});
