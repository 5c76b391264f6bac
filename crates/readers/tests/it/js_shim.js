// Runs BPjs programs in Node, by the definition of BPjs: every b-thread runs again from its start for each state, with
// its history: a list of what its syncs and random choices gave. The first item, and each event, begins a leg and has
// the store as it was then. A b-thread is named by its path: the number of a b-thread of the script, or a b-thread, its
// history, and the number of what it registered or forked in its last leg.
// Input: a JSON list of {source, depth}. Output: for each program, the
// sorted list of `WORD|STATUS` of all runs up to the depth. The status is `bad`, `dead`, `end` or `go`.
"use strict";

function show(data) {
  if (data === undefined) return "undefined";
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

// The data of an event has no -0.
function dataOf(data) {
  if (Array.isArray(data)) return data.map(dataOf);
  if (data !== null && typeof data === "object") {
    const out = {};
    for (const k of Object.keys(data).sort()) out[k] = dataOf(data[k]);
    return out;
  }
  return Object.is(data, -0) ? 0 : data;
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

const same = (a, b) => show(a) === show(b);

// Evaluates the script, and runs a b-thread with its history. Without a path, returns what the script leaves.
function run(script, path, history) {
  const threads = [];
  let at = 0, isTop = true, own = null, legs = 0;
  let leg = { seed: {}, changes: new Map(), regs: [], forks: 0, external: [] };
  const begin = store => {
    leg = { seed: copy(store), base: copy(store), changes: new Map(), regs: [], forks: 0, external: [] };
    legs++;
  };
  const next = what => {
    if (at === history.length) throw new Pause(what);
    const item = history[at++];
    if (item.event || item.start || item.interrupt) begin(item.store);
    if (item.interrupt) {
      if (own.handler) own.handler(new BEvent(item.interrupt.name, dataOf(item.interrupt.data)));
      throw new Pause({ kind: "end" });
    }
    return item;
  };
  const list = (...s) => s.length === 1 ? s[0] : s;
  const eventSets = {
    all, none, not: s => set(s).negate(), anyOf: (...s) => set(list(...s)),
    allOf: (...s) => { const l = list(...s).map(set); return new EventSet(e => l.every(p => p.contains(e))); },
  };
  function Event(name, data) { return new BEvent(name, data); }
  const goal = [];
  const sync = (s, hot) => {
    const asked = s.request === undefined || s.request === null ? [] : s.request;
    const request = Array.isArray(asked) ? asked : [asked];
    for (const e of request) if (!(e instanceof BEvent)) throw new TypeError("no event");
    const item = next({
      kind: "sync", request: request.map(e => new BEvent(e.name, dataOf(e.data))), waitFor: set(s.waitFor),
      block: set(s.block), interrupt: set(s.interrupt), hot,
    });
    return new BEvent(item.event.name, dataOf(item.event.data));
  };
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
      const [name, data, f] = a.length === 1 ? ["autoadded-" + (threads.length + 1), null, a[0]]
        : a.length === 2 ? [a[0], null, a[1]] : a;
      (isTop ? threads : leg.regs).push({ name, data, f, handler: null });
    },
    sync: s => sync(s, false),
    hot: isHot => ({ sync: s => sync(s, isHot), hot: bp.hot }),
    fork() {
      const fork = goal[goal.length - 1];
      if (fork && fork.legs === legs && fork.fork === leg.forks) {
        goal.pop();
        enter(fork);
        next();
        return 1;
      }
      leg.forks++;
    },
    setInterruptHandler(f) { own.handler = f; },
    enqueueExternalEvent(e) { leg.external.push({ name: e.name, data: dataOf(e.data) }); return e; },
    setWaitForExternalEvents() {},
    store: {
      has: k => leg.changes.has(k) ? leg.changes.get(k).is : k in leg.seed,
      get(k) {
        if (leg.changes.has(k)) { const c = leg.changes.get(k); return c.is ? c.value : null; }
        return k in leg.seed ? leg.seed[k] : null;
      },
      put(k, value) { leg.changes.set(k, { is: true, value }); },
      remove(k) { leg.changes.set(k, { is: false }); },
      size: () => new Set([...Object.keys(leg.seed), ...leg.changes.keys()].filter(k => bp.store.has(k))).size,
    },
    ASSERT(value, message) { if (!value) throw new Failed(message); },
    random: {
      nextInt: n => next({ kind: "choice", values: [...Array(n).keys()] }).choice,
      nextBoolean: () => next({ kind: "choice", values: [false, true] }).choice,
    },
    log: { info() {}, warn() {}, error() {}, fine() {}, setLevel() {} },
    thread: { get name() { return own.name; }, get data() { return own.data; }, set data(v) { own.data = v; } },
  };
  // Goes on with the history of a part of the path.
  const enter = part => { history = part.history; at = 0; legs = 0; };
  const end = f => {
    try {
      f();
      return { kind: "end" };
    } catch (e) {
      if (e instanceof Pause) return e.what;
      return { kind: "bad", message: String(e && e.message) };
    }
  };
  const effects = () => {
    const changes = {};
    for (const k of Object.keys(leg.seed)) {
      if (!same(leg.seed[k], leg.base ? leg.base[k] : leg.seed[k])) changes[k] = { is: true, value: copy(leg.seed[k]) };
    }
    for (const [k, c] of leg.changes) changes[k] = { ...c, value: c.is ? copy(c.value) : undefined, put: true };
    return { changes, regs: leg.regs.length, forks: leg.forks, external: leg.external };
  };
  const names = { bp, EventSets: eventSets, Event };
  const f = new Function(...Object.keys(names), script);
  f(...Object.values(names));
  if (path === undefined) return { count: threads.length, ...effects() };
  isTop = false;
  // The parts of the path, the first b-thread first. Each has the history with which its part runs.
  const parts = [];
  for (let p = path, h = history; ; h = p.history, p = p.parent) {
    parts.unshift({ ...p, history: h });
    if (p.parent === undefined) break;
  }
  own = threads[parts[0].top];
  enter(parts[0]);
  let rest = parts.slice(1), result = null;
  const start = () => { next(); own.f(); };
  for (;;) {
    // Forks of this run continue in the same calls.
    const forks = [];
    while (rest.length > 0 && rest[0].fork !== undefined) forks.push(rest.shift());
    let before = history;
    for (const fork of forks) {
      fork.legs = before.filter(i => i.event || i.start || i.interrupt).length;
      before = fork.history;
    }
    goal.push(...forks.reverse());
    result = end(start);
    if (rest.length === 0) return { ...result, ...effects() };
    own = leg.regs[rest[0].child];
    enter(rest.shift());
  }
}

function explore(script, depth) {
  let top;
  try { top = run(script, undefined, []); } catch (e) { return ["error"]; }
  const cache = new Map();
  const text = value => JSON.stringify(value, (_, v) => {
    if (Object.is(v, -0)) return "-0!";
    if (v === undefined) return "undefined!";
    return typeof v === "number" && !Number.isFinite(v) ? String(v) + "!" : v;
  });
  const result = (path, history) => {
    const k = text([path, history]);
    if (!cache.has(k)) cache.set(k, run(script, path, history));
    return cache.get(k);
  };
  // All histories after the choices at the end of this one.
  const settle = (path, history) => {
    const r = result(path, history);
    if (r.kind !== "choice") return [history];
    return r.values.flatMap(choice => settle(path, [...history, { choice }]));
  };
  // Adds the effects of runs to all ways of a step, and begins their children.
  const grow = (ways, runs, seed) => {
    for (const [path, history] of runs) {
      ways = ways.flatMap(way => settle(path, history).map(h => {
        const r = result(path, h);
        const changes = { ...way.changes };
        let isBad = way.isBad || r.kind === "bad";
        for (const [k, c] of Object.entries(r.kind === "bad" ? {} : r.changes)) {
          const old = changes[k];
          if (old && old.put && c.put && (old.is !== c.is || !same(old.value, c.value))) isBad = true;
          if (!old || c.put) changes[k] = c;
        }
        const children = [...way.children];
        for (let child = 0; child < r.regs; child++) children.push({ parent: path, history: h, child });
        for (let fork = 0; fork < r.forks; fork++) children.push({ parent: path, history: h, fork });
        const members = r.kind === "sync" ? [...way.members, [path, h]] : way.members;
        return { members, changes, children, isBad, queue: [...way.queue, ...r.external] };
      }));
    }
    return ways.flatMap(way => {
      if (way.children.length === 0) return [way];
      const children = way.children.map(path => [path, [{ start: true, store: seed }]]);
      return grow([{ ...way, children: [] }], children, seed);
    });
  };
  const apply = (store, changes) => {
    const out = { ...store };
    for (const [k, c] of Object.entries(changes)) if (c.is) out[k] = c.value; else delete out[k];
    return out;
  };
  const lines = new Set();
  const visit = (way, store, word) => {
    const points = way.members.map(([path, h]) => result(path, h));
    const put = status => lines.add(word.map(e => " " + e).join("") + "|" + status);
    if (way.isBad) return put("bad");
    const requested = new Map();
    for (const p of points) for (const e of p.request) requested.set(key(e), e);
    const isFree = e => !points.some(p => p.block.contains(e));
    let enabled = [...requested.values()].filter(isFree);
    let queue = way.queue;
    if (enabled.length === 0 && points.length > 0) {
      const found = queue.map(e => new BEvent(e.name, e.data)).findIndex(isFree);
      if (found >= 0) {
        enabled = [new BEvent(queue[found].name, queue[found].data)];
        queue = queue.filter((_, i) => i !== found);
      }
    }
    if (enabled.length === 0) return put(requested.size > 0 ? "dead" : "end");
    put("go");
    if (word.length === depth) return;
    for (const e of enabled) {
      const event = { name: e.name, data: dataOf(e.data) };
      const stay = [], ended = [], woken = [];
      way.members.forEach((member, i) => {
        const p = points[i];
        if (p.interrupt.contains(e)) ended.push([member[0], [...member[1], { interrupt: event, store }]]);
        else if (p.request.some(r => r.contains(e)) || p.waitFor.contains(e)) {
          woken.push([member[0], [...member[1], { event, store }]]);
        } else stay.push(member);
      });
      const first = { members: stay, changes: {}, children: [], isBad: false, queue };
      let ways = grow([first], [...ended, ...woken], store);
      for (const to of ways) visit(to, apply(store, to.changes), [...word, key(e)]);
    }
  };
  const store = apply({}, top.changes);
  const threads = [...Array(top.count).keys()].map(i => [{ top: i }, [{ start: true, store }]]);
  const first = { members: [], changes: {}, children: [], isBad: false, queue: top.external };
  for (const way of grow([first], threads, store)) visit(way, apply(store, way.changes), []);
  return [...lines].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

const programs = JSON.parse(require("fs").readFileSync(0, "utf8"));
const results = programs.map(p => {
  try { return explore(p.source, p.depth); } catch (e) { return ["shim: " + (e && e.stack)]; }
});
process.stdout.write(JSON.stringify(results));
