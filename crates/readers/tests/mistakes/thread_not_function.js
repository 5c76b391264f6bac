function pours() { bp.sync({ request: bp.Event("hot") }); }
bp.registerBThread("T", pours());
