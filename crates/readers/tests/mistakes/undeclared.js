const COUNT = 3;
bp.registerBThread("T", () => { for (let i = 0; i < CUONT; i++) bp.sync({ request: bp.Event("a") }); });
