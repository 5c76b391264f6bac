var ready = bp.Event("ready");
bp.sync({ request: ready });
bp.registerBThread("T", function () { bp.sync({ waitFor: ready }); });
