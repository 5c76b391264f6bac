function thread() { bp.sync({ request: bp.Event("a") }); }
