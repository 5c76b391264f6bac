// Runs BPjs programs in Node, by the definition of BPjs: every b-thread runs again from its start for each state, with
// the list of the events that its syncs gave. Input: a JSON list of {source, depth}. Output: for each program, the
// sorted list of `WORD|STATUS` of all runs up to the depth. The status is `bad`, `dead`, `end` or `go`.
"use strict";

function show(data) {
  if (data === undefined) return "undefined";
  if (Object.is(data, -0)) return "-0";
  if (typeof data === "number") return String(data);
  if (Array.isArray(data)) return "[" + data.map(show).join(",") + "]";
  if (data !== null && typeof data === "object") {
    return "{" + Object.keys(data).sort().map(k => JSON.stringify(k) + ":" + show(data[k])).join(",") + "}";
  }
  return JSON.stringify(data);
}

function copy(data) {
  if (Array.isArray(data)) return data.map(copy);
  if (data !== null && typeof data === "object") {
    const out = {};
    for (const k of Object.keys(data).sort()) out[k] = copy(data[k]);
    return out;
  }
  return data;
}

const key = e => e.name + (e.data === null ? "" : "(" + show(e.data) + ")");

class EventSet {
  constructor(test) { this.test = test; }
  contains(e) { return this.test(e); }
  or(s) { return new EventSet(e => this.contains(e) || set(s).contains(e)); }
  and(s) { return new EventSet(e => this.contains(e) && set(s).contains(e)); }
  xor(s) { return new EventSet(e => this.contains(e) !== set(s).contains(e)); }
  negate() { return new EventSet(e => !this.contains(e)); }
  nor(s) { return this.or(s).negate(); }
  nand(s) { return this.and(s).negate(); }
}

class BEvent extends EventSet {
  constructor(name, data) { super(null); this.name = String(name); this.data = data === undefined ? null : data; }
  contains(e) { return key(e) === key(this); }
  equals(e) { return key(e) === key(this); }
  getName() { return this.name; }
  getData() { return this.data; }
}

const all = new EventSet(() => true), none = new EventSet(() => false);

function set(s) {
  if (s === undefined || s === null) return none;
  if (Array.isArray(s)) { const parts = s.map(set); return new EventSet(e => parts.some(p => p.contains(e))); }
  if (s instanceof EventSet) return s;
  throw new TypeError("no event set");
}

class Pause { constructor(what) { this.what = what; } }
class Failed { constructor(message) { this.message = message; } }

// Evaluates the script, and runs b-thread `index` with its history. Without an index, returns the number of b-threads.
function run(script, index, history) {
  const threads = [];
  let at = 0, isTop = true;
  const next = what => {
    if (at === history.length) throw new Pause(what);
    const item = history[at++];
    if (item.interrupt) throw new Pause({ kind: "end" });
    return item;
  };
  const list = (...s) => s.length === 1 ? s[0] : s;
  const eventSets = {
    all, none, not: s => set(s).negate(), anyOf: (...s) => set(list(...s)),
    allOf: (...s) => { const l = list(...s).map(set); return new EventSet(e => l.every(p => p.contains(e))); },
  };
  function Event(name, data) { return new BEvent(name, data); }
  const bp = {
    all, none, eventSets, Event, allExcept: s => set(s).negate(),
    EventSet(name, f) {
      return new EventSet(e => {
        const result = f(e);
        if (typeof result !== "boolean") throw new TypeError("no boolean");
        return result;
      });
    },
    registerBThread(...a) {
      if (a.length === 1) threads.push({ name: "autoadded-" + (threads.length + 1), data: null, f: a[0] });
      else if (a.length === 2) threads.push({ name: a[0], data: null, f: a[1] });
      else threads.push({ name: a[0], data: a[1], f: a[2] });
    },
    sync(s) {
      const asked = s.request === undefined || s.request === null ? [] : s.request;
      const request = Array.isArray(asked) ? asked : [asked];
      for (const e of request) if (!(e instanceof BEvent)) throw new TypeError("no event");
      const item = next({
        kind: "sync", request: request.map(e => new BEvent(e.name, copy(e.data))), waitFor: set(s.waitFor),
        block: set(s.block), interrupt: set(s.interrupt),
      });
      return new BEvent(item.event.name, copy(item.event.data));
    },
    ASSERT(value, message) { if (!value) throw new Failed(message); },
    random: {
      nextInt: n => next({ kind: "choice", values: [...Array(n).keys()] }).choice,
      nextBoolean: () => next({ kind: "choice", values: [false, true] }).choice,
    },
    log: { info() {}, warn() {}, error() {}, fine() {} },
    thread: { get name() { return threads[index].name; }, get data() { return threads[index].data; } },
  };
  const names = { bp, EventSets: eventSets, Event };
  const f = new Function(...Object.keys(names), script);
  f(...Object.values(names));
  if (index === undefined) return threads.length;
  try {
    threads[index].f();
    return { kind: "end" };
  } catch (e) {
    if (e instanceof Pause) return e.what;
    return { kind: "bad", message: String(e && e.message) };
  }
}

function explore(script, depth) {
  let count;
  try { count = run(script, undefined, []); } catch (e) { return ["error"]; }
  const cache = new Map();
  const result = (i, history) => {
    const k = i + JSON.stringify(history, (_, v) => {
      if (Object.is(v, -0)) return "-0!";
      if (v === undefined) return "undefined!";
      return typeof v === "number" && !Number.isFinite(v) ? String(v) + "!" : v;
    });
    if (!cache.has(k)) cache.set(k, run(script, i, history));
    return cache.get(k);
  };
  // All histories after the choices at the end of this one.
  const settle = (i, history) => {
    const r = result(i, history);
    if (r.kind !== "choice") return [history];
    return r.values.flatMap(choice => settle(i, [...history, { choice }]));
  };
  const product = lists => lists.reduce((all, list) => all.flatMap(a => list.map(x => [...a, x])), [[]]);
  const lines = new Set();
  const visit = (state, word) => {
    const points = state.map((h, i) => result(i, h));
    const put = status => lines.add(word.map(e => " " + e).join("") + "|" + status);
    if (points.some(p => p.kind === "bad")) return put("bad");
    const syncs = points.filter(p => p.kind === "sync");
    const requested = new Map();
    for (const p of syncs) for (const e of p.request) requested.set(key(e), e);
    const enabled = [...requested.values()].filter(e => !syncs.some(p => p.block.contains(e)));
    if (enabled.length === 0) return put(requested.size > 0 ? "dead" : "end");
    put("go");
    if (word.length === depth) return;
    for (const e of enabled) {
      const event = { name: e.name, data: copy(e.data) };
      const next = state.map((h, i) => {
        const p = points[i];
        if (p.kind !== "sync") return [h];
        if (p.interrupt.contains(e)) return [[...h, { interrupt: true }]];
        if (p.request.some(r => r.contains(e)) || p.waitFor.contains(e)) return settle(i, [...h, { event }]);
        return [h];
      });
      for (const to of product(next)) visit(to, [...word, key(e)]);
    }
  };
  const starts = product([...Array(count).keys()].map(i => settle(i, [])));
  for (const start of starts) visit(start, []);
  return [...lines].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

const programs = JSON.parse(require("fs").readFileSync(0, "utf8"));
const results = programs.map(p => {
  try { return explore(p.source, p.depth); } catch (e) { return ["shim: " + (e && e.stack)]; }
});
process.stdout.write(JSON.stringify(results));
