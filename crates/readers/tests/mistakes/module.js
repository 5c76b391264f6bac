import { shuffle } from "./lib.js";
const fs = require("fs");
bp.registerBThread("T", () => bp.sync({ request: bp.Event("a") }));
