bp.registerBthread("T", function () { bp.sync({ request: bp.Event("a") }); });
