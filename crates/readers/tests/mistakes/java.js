importPackage(Packages.il.ac.bgu.cs.bp.bpjs.model);
const set = new java.util.HashSet();
bp.registerBThread("T", () => bp.sync({ request: bp.Event("a") }));
