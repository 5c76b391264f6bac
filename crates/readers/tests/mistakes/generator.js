bp.registerBThread("T", function* () { yield bp.sync({ request: bp.Event("a") }); });
async function later() { await bp.sync({ waitFor: bp.Event("a") }); }
