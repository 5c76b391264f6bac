// What the page knows, and what its user can do. All views are functions of this store.

import { server, ServerError } from "./api";
import type { Imported, Mistake, Model, PropertyReport, State, Step, Target, Task } from "./api";
import { common, fragment, parts, read, whole } from "./path";
import type { Place } from "./path";

/** Steps are asked for in pieces of this length. */
const PIECE = 400;
const POLL = 250;

export interface Verdict {
  task: number;
  /** The id in the task. A formula that was asked here has the id of its row, its text. */
  id: string;
  report: PropertyReport;
  run: Imported | null;
}

export interface Search {
  task: Task;
  from: string;
  what: string;
}

export type Theme = "auto" | "light" | "dark";

export class Store {
  model!: Model;
  place: Place = { start: "0", picks: [], at: 0, view: "model", other: null };
  /** The place that was asked for last. It differs from `place` until its state is there. */
  wanted: Place = this.place;
  state: State | null = null;
  steps: (Step | undefined)[] = [];
  otherSteps: (Step | undefined)[] = [];
  /** Increases when the current state changes. Views compare it to see whether their data is old. */
  version = 0;
  verdicts = new Map<string, Verdict>();
  checks = new Map<number, { task: Task; ids: string[] }>();
  asked: { id: string; asked: string }[] = [];
  search: Search | null = null;
  breakpoints: Target[] = [];
  theme: Theme = "auto";
  keys = true;
  /** True if the text of the model is shown below the picture. */
  isSplit = false;
  error: string | null = null;
  said = "";
  isBusy = false;
  dialog: "help" | "fields" | "start" | null = null;
  /** The choice whose fields the dialog asks for. */
  chosen: number | null = null;
  repeats: { path: string; from: number } | null = null;
  private listeners = new Set<() => void>();
  private turn = 0;
  private stepsOf = "";

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  changed(): void {
    this.listeners.forEach((listener) => listener());
  }

  /** Tells screen readers something. */
  say(text: string): void {
    this.said = text;
    this.changed();
  }

  /** Returns the id of a property without the beginning that all ids share. */
  short(id: string): string {
    const ids = this.model.properties.map((property) => property.id);
    const [first = ""] = ids;
    let same = 0;
    while (same < first.length && ids.every((other) => other[same] === first[same])) same += 1;
    const cut = first.lastIndexOf("-", same) + 1;
    return ids.length > 2 && cut > 8 && ids.includes(id) ? `…${id.slice(cut)}` : id;
  }

  get path(): string {
    return whole(this.place.start, this.place.picks);
  }

  /** The path to the current state. */
  get here(): string {
    return whole(this.place.start, this.place.picks.slice(0, this.place.at));
  }

  /** Runs something that asks the server, and shows its errors. */
  async run<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      const done = await work();
      return done;
    } catch (error) {
      this.error = error instanceof ServerError || error instanceof Error ? error.message : String(error);
      this.say(`Error: ${this.error}`);
      return null;
    }
  }

  async begin(): Promise<void> {
    this.model = await server.model();
    document.title = `${this.model.file.split("/").pop()} - impasse explore`;
    const { evidence, shape } = this.model;
    if (shape.drawn_as === "table")
      this.place = { ...this.place, view: evidence?.path === undefined ? "states" : "sequence" };
    if (evidence?.path !== undefined) {
      this.place = { ...this.place, ...parts(evidence.path) };
      this.noteRepeat(evidence);
    }
    this.place = read(location.hash, { ...this.place, at: this.place.picks.length });
    window.addEventListener("hashchange", () => {
      if (location.hash !== fragment(this.place)) void this.go(read(location.hash, this.place), false);
    });
    await this.go(this.place, false);
  }

  noteRepeat(run: Imported): void {
    this.repeats =
      run.path !== undefined && run.repeats_from !== undefined ? { path: run.path, from: run.repeats_from } : null;
  }

  /** Goes to a place: asks for its state, and for the steps of its path. */
  async go(place: Place, isNew = true): Promise<void> {
    const turn = (this.turn += 1);
    this.wanted = place;
    this.isBusy = true;
    const here = whole(place.start, place.picks.slice(0, place.at));
    const isMoved = this.state?.path !== here;
    try {
      const path = whole(place.start, place.picks);
      const first = this.shared(path);
      const last = Math.min(place.at, place.picks.length);
      const [state, more] = await Promise.all([
        isMoved ? server.state(here) : this.state,
        // The steps before the current one are shown with it, so they are asked for at the same time.
        first < last && last - first < PIECE ? server.steps(path, first, last) : [],
      ]);
      if (turn !== this.turn) return;
      this.keepSteps(path);
      more.forEach((step, i) => (this.steps[first + i] = step));
      this.place = place;
      this.state = state;
      this.error = null;
      if (isMoved) this.version += 1;
      if (isNew) history.pushState(null, "", fragment(place));
      else history.replaceState(null, "", fragment(place));
      if (isMoved) await this.needSteps(Math.max(0, place.at - 100), place.at + 100);
      if (isMoved) this.sayState();
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error);
      this.said = `Error: ${this.error}`;
    } finally {
      if (turn === this.turn) {
        this.isBusy = false;
        this.wanted = this.place;
      }
      this.changed();
    }
  }

  private sayState(): void {
    const { state, place } = this;
    if (state === null) return;
    const event = place.at > 0 ? this.steps[place.at - 1]?.event : undefined;
    const reached = state.reached.length > 0 ? ` Reached: ${few(state.reached)}.` : "";
    const enabled = state.enabled === 0 ? "Nothing is enabled." : `${state.enabled} enabled.`;
    this.said = `Step ${place.at}${event === undefined ? "" : `: ${event}`}. ${enabled}${reached}`;
  }

  /** Returns the number of leading steps of a path that are known. */
  private shared(path: string): number {
    const same = Math.max(0, common(this.stepsOf, path));
    const missing = this.steps.findIndex((step) => step === undefined);
    return Math.min(same, missing < 0 ? this.steps.length : missing);
  }

  /** Forgets the steps that the new path does not share with the old one. */
  private keepSteps(path: string): void {
    if (path === this.stepsOf) return;
    this.steps = this.steps.slice(0, Math.max(0, common(this.stepsOf, path)));
    this.stepsOf = path;
  }

  /** Asks for the steps `from..to` as far as they are not known. */
  async needSteps(from: number, to: number): Promise<void> {
    const path = this.path;
    const end = Math.min(to, this.place.picks.length);
    let first = from;
    while (first < end && this.steps[first] !== undefined) first += 1;
    if (first >= end) return;
    const got = await server.steps(path, first, Math.min(first + PIECE, Math.max(end, first + 50)));
    if (path !== this.path) return;
    got.forEach((step, i) => (this.steps[first + i] = step));
    this.changed();
  }

  /** Asks for all steps of the path, at most `most`. */
  async allSteps(most: number): Promise<Step[]> {
    const end = Math.min(most, this.place.picks.length);
    for (let from = 0; from < end; from += PIECE) await this.needSteps(from, Math.min(end, from + PIECE));
    return this.steps.slice(0, end).filter((step) => step !== undefined);
  }

  jump(at: number): Promise<void> {
    const to = Math.max(0, Math.min(at, this.wanted.picks.length));
    return this.go({ ...this.wanted, at: to });
  }

  show(view: string): void {
    void this.go({ ...this.wanted, view });
  }

  /** Takes steps from the current state. The steps after it are dropped, unless the first one is the same. */
  take(picks: string[]): Promise<void> {
    const { place } = this;
    if (picks.length === 1 && place.picks[place.at] === picks[0]) return this.jump(place.at + 1);
    const all = [...place.picks.slice(0, place.at), ...picks];
    return this.go({ ...place, picks: all, at: all.length });
  }

  /** Goes to the end of a path, or to a step in it. */
  follow(path: string, at?: number): Promise<void> {
    const { start, picks } = parts(path);
    return this.go({ ...this.place, start, picks, at: at ?? picks.length });
  }

  async random(steps: number, seed: number, until: Target[]): Promise<void> {
    await this.run(async () => {
      this.isBusy = true;
      this.changed();
      const ran = await server.random(this.here, steps, seed, until);
      await this.follow(ran.path);
      const target = ran.paused_at === null ? undefined : until[ran.paused_at];
      if (target !== undefined) this.say(`The run pauses at ${shown(target)}. ${this.said}`);
      else if (ran.ended) this.say(`The run ends, because nothing is enabled. ${this.said}`);
    });
    this.isBusy = false;
    this.changed();
  }

  async check(ids: string[], question?: string): Promise<void> {
    await this.run(async () => {
      const task = await server.check(ids, question);
      const covered = ids.length > 0 || question !== undefined ? ids : this.model.properties.map((p) => p.id);
      this.checks.set(task.id, { task, ids: covered });
      this.say(question === undefined ? `Checking ${covered.join(", ")}.` : `Checking ${question}.`);
      const each = (now: Task) => {
        this.checks.set(task.id, { task: now, ids: covered });
        this.changed();
      };
      await this.watch(task, each, question);
    });
  }

  private async watch(task: Task, each: (task: Task) => void, question?: string): Promise<void> {
    let now = task;
    while (now.status === "running") {
      await new Promise((wake) => setTimeout(wake, POLL));
      now = await server.task(task.id);
      each(now);
    }
    if (now.task === "check") this.learn(now, question);
  }

  private learn(task: Task, question?: string): void {
    const told: string[] = [];
    const known = new Set([...this.model.properties, ...this.asked].map((p) => p.id));
    for (const report of task.report?.properties ?? []) {
      const row = question ?? report.id;
      if (!known.has(row)) this.asked.push({ id: row, asked: "asked here" });
      this.verdicts.set(row, { task: task.id, id: report.id, report, run: task.paths?.[report.id] ?? null });
      told.push(`${report.id}: ${report.answer}${report.reason === null ? "" : ` (${report.reason})`}`);
    }
    if (task.status === "done" && task.report !== undefined) this.checks.delete(task.id);
    if (task.status === "stopped") {
      this.checks.delete(task.id);
      told.push("The check was stopped.");
    }
    if (told.length === 0 || task.status === "failed") {
      this.error = task.message ?? "The check has failed.";
      this.checks.delete(task.id);
    }
    const errors = task.report?.errors.map((error) => written(error, question)) ?? [];
    if (errors.length > 0) this.error = errors.join("\n");
    this.say(told.length <= 3 ? told.join(". ") : `The check has ended: ${counted(task)}.`);
  }

  async stop(id: number): Promise<void> {
    await this.run(() => server.stop(id));
  }

  async find(target: Target): Promise<void> {
    const from = this.here;
    await this.run(async () => {
      const task = await server.search(from, target);
      this.search = { task, from, what: shown(target) };
      this.changed();
      await this.watch(task, (now) => {
        this.search = { task: now, from, what: shown(target) };
        this.changed();
      });
      const found = this.search.task;
      if (found.path !== undefined && this.here === from) await this.follow(found.path);
      else if (found.message !== undefined) this.error = found.message;
      this.say(searched(this.search));
    });
  }

  async openEvidence(file: Blob): Promise<void> {
    await this.run(async () => {
      const read = await server.import(file);
      if (read.path === undefined) {
        this.say(`The checker accepts the evidence: it proves ${read.goals.join(", ")}.`);
        return;
      }
      this.noteRepeat(read);
      await this.follow(read.path);
      this.say(`The checker accepts the run: it violates ${read.goals.join(", ")}. ${this.said}`);
    });
  }

  /** Keeps the current path, to compare other paths with it. */
  keep(path: string | null): void {
    this.otherSteps = [];
    void this.go({ ...this.place, other: path, view: path === null ? this.place.view : "compare" });
  }
}

/** Returns an error with the formula that it is about, a caret at its place, and the hint. */
function written(error: Mistake, question: string | undefined): string {
  const { place, help } = error;
  const lines = [error.message];
  if (place !== undefined && question !== undefined && place.line === 1) {
    lines.push(`  ${question}`, `  ${" ".repeat(place.column - 1)}${"^".repeat(Math.max(1, place.length))}`);
  }
  if (help !== undefined) lines.push(help);
  return lines.join("\n");
}

/** Returns a target as a text. */
export function shown(target: Target): string {
  if ("event" in target) return `event ${target.event}`;
  return "formula" in target ? target.formula : target.property;
}

/** Returns the first of these names, and the number of the others. */
function few(names: string[]): string {
  return names.length <= 3 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
}

/** Returns the number of properties with each answer. */
function counted(task: Task): string {
  const counts = new Map<string, number>();
  task.report?.properties.forEach(({ answer }) => counts.set(answer, (counts.get(answer) ?? 0) + 1));
  return [...counts].map(([answer, count]) => `${count} ${answer}`).join(", ");
}

/** Returns the result of a search as a sentence. */
export function searched(search: Search): string {
  const { task, what } = search;
  if (task.status === "failed") return `The search has failed: ${task.message ?? ""}`;
  if (task.status === "running") return `Searching ${what}: ${task.states.toLocaleString("en")} states.`;
  if (task.path !== undefined) {
    const more = parts(task.path).picks.length - parts(search.from).picks.length;
    return `Found ${what}, ${more} ${more === 1 ? "step" : "steps"} away.`;
  }
  const states = task.states.toLocaleString("en");
  if (task.nowhere === true) return `${what} cannot be reached from here (${states} states).`;
  const how = task.status === "stopped" ? "was stopped" : "has reached its limit";
  return `The search for ${what} ${how} after ${states} states. A check can search further.`;
}

export const store = new Store();
