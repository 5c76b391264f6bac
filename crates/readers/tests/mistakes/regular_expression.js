const moves = bp.EventSet("moves", e => /^move(?=\d)/.test(e.name));
bp.registerBThread("T", () => bp.sync({ waitFor: moves, request: bp.Event("move1") }));
