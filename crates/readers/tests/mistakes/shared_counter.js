let count = 0;
bp.registerBThread("A", function () { while (count < 3) { bp.sync({ request: bp.Event("a") }); count++; } });
bp.registerBThread("B", function () { bp.sync({ waitFor: bp.Event("a") }); bp.ASSERT(count > 0, "counted"); });
