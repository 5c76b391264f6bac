bp.registerBThread("T", function () {
  let seen = 0;
  const counts = bp.EventSet("counts", e => { seen++; return e.name === "b"; });
  bp.sync({ request: bp.Event("a"), block: counts });
});
