const far = bp.EventSet("far", e => e.data.x > 3);
bp.registerBThread("T", () => bp.sync({ request: [bp.Event("go"), bp.Event("move", { x: 5 })], block: far }));
