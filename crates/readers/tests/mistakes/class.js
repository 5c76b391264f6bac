class Counter { constructor() { this.n = 0; } }
bp.registerBThread("T", function () { bp.sync({ request: bp.Event("a") }); });
