bp.registerBThread("T", function () {
  const list = [3, 1, 2].sort((a, b) => a > b);
  bp.sync({ request: bp.Event("sorted", list) });
});
