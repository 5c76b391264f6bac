// A farmer takes a wolf, a goat and a cabbage over a river. As rwb/17_river_unsafe.rwb.
function cross(load) { return bp.Event("cross", { load: load }); }
var LOADS = [cross("Nothing"), cross("Wolf"), cross("Goat"), cross("Cabbage")];

bp.registerBThread("Farmer", function () { while (true) { bp.sync({ request: LOADS }); } });

bp.registerBThread("Banks", function () {
  var farmer = false, wolf = false, goat = false, cabbage = false;
  function refused(load) {
    return load === "Wolf" && wolf !== farmer || load === "Goat" && goat !== farmer
      || load === "Cabbage" && cabbage !== farmer
      // The goat may not be left with the wolf, nor the cabbage with the goat.
      || load !== "Wolf" && load !== "Goat" && wolf === goat && goat === farmer
      || load !== "Goat" && load !== "Cabbage" && goat === cabbage && goat === farmer;
  }
  while (true) {
    var block = LOADS.filter(function (e) { return refused(e.data.load); });
    var what = bp.sync({ waitFor: LOADS, block: block }).data.load;
    farmer = !farmer;
    if (what === "Wolf") { wolf = farmer; }
    if (what === "Goat") { goat = farmer; }
    if (what === "Cabbage") { cabbage = farmer; }
    bp.ASSERT(!(wolf && goat && cabbage), "solved");
  }
});
