const go = bp.Event("go");
bp.registerBThread("A", function () { bp.sync({ request: go }); bp.enqueueExternalEvent(bp.Event("a")); });
bp.registerBThread("B", function () { bp.sync({ waitFor: go }); bp.enqueueExternalEvent(bp.Event("b")); });
