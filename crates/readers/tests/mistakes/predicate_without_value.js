const big = bp.EventSet("big", e => { e.name === "big"; });
bp.registerBThread("T", () => bp.sync({ request: bp.Event("big"), block: big }));
