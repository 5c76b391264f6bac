// The answers of the server, as `docs/explorer.md` describes them, and the requests for them.

export type Json = string | number | boolean;

export interface Field {
  name: string;
  count: string;
  options?: string[];
  least: string;
  signed: boolean;
}

export type Shape =
  | { drawn_as: "threads"; threads: { name: string; states: number }[] }
  | { drawn_as: "net"; has_layout: boolean }
  | { drawn_as: "table" };

export interface Imported {
  goals: string[];
  accepted: boolean;
  path?: string;
  whole: boolean;
  repeats_from?: number;
}

export interface Model {
  version: string;
  file: string;
  model: { kind: string } & Record<string, number | string>;
  properties: { id: string; kind: string; asked: string }[];
  labels: string[];
  parts: string[];
  start: Field[];
  shape: Shape;
  has_text: boolean;
  evidence?: Imported;
}

export interface Change {
  name: string;
  from: Json;
  to: Json;
  from_text?: string;
  to_text?: string;
}

export interface Outcome {
  pick: string;
  event: string;
  outputs?: string[];
  changes?: Change[];
  more?: number;
}

export interface Choice {
  label: number;
  name: string;
  requested_by?: string[];
  fields?: Field[];
  outcomes: Outcome[];
  complete: boolean;
}

export interface State {
  path: string;
  step: number;
  state: Record<string, Json>;
  texts?: Record<string, string>;
  numbers: number[];
  places?: string[];
  lines?: number[];
  choices: Choice[];
  enabled: number;
  reached: string[];
  /** For a state without a step: which threads wait for which. */
  stuck?: string[];
}

export interface Step {
  step: number;
  event: string;
  requested_by?: string[];
  outputs?: string[];
  changes: Change[];
  reached?: string[];
  pick: string;
}

export interface Refusal {
  label: number;
  name: string;
  because: "not_requested" | "blocked" | "priority" | "tokens" | "other";
  by?: { thread: string; at: string }[];
  places?: { place: string; has: string; needs: string }[];
  higher?: number;
  why?: string;
}

export type Target = { event: string } | { formula: string } | { property: string };

export interface ThreadGraph {
  name: string;
  states: {
    name: string;
    text: string;
    line: number;
    /** The part of a state with the number of threads here, if threads are counted. */
    place?: string;
    initial: boolean;
    bad: boolean;
    final: boolean;
    hot: boolean;
    priority: number;
    request: string[];
    block: string[];
  }[];
  moves: { from: number; to: number; events: string[]; labels: number[]; requested: boolean }[];
}

export interface Spot {
  x: number;
  y: number;
}

export interface Net {
  places: { name: string; at?: Spot }[];
  transitions: {
    name: string;
    at?: Spot;
    arcs: { place: number; kind: "in" | "out" | "test" | "inhibit" | "reset" | "transfer"; weight?: string }[];
  }[];
}

export interface Graph {
  nodes: { path: string; title: string[]; reached: string[]; complete: boolean; enabled: number }[];
  edges: { from: number; to: number; event: string; pick: string }[];
  left_out: number;
  /** The number of the current state. */
  current: number;
}

export interface PropertyReport {
  id: string;
  verdict: "safe" | "unsafe" | "unknown";
  answer: string;
  reason: string | null;
  engine: string;
  detail: string | null;
  seconds: number;
  evidence: { kind: string; length: number | null; checked: boolean; file: string | null } | null;
  stats: { states: number };
}

/** An error in a formula or a file. */
export interface Mistake {
  code: string;
  message: string;
  help?: string;
  place?: { line: number; column: number; length: number };
}

export interface Task {
  id: number;
  task: "check" | "search";
  status: "running" | "done" | "stopped" | "failed";
  seconds: number;
  states: number;
  bytes: number;
  message?: string;
  report?: { properties: PropertyReport[]; errors: Mistake[] };
  paths?: Record<string, Imported>;
  path?: string;
  nowhere?: boolean;
}

export class ServerError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

// The address of the page ends with `/`, so relative addresses contain the token.
async function ask<T>(method: string, address: string, body?: BodyInit, json = true): Promise<T> {
  let answer: Response;
  try {
    const init: RequestInit = { method };
    if (body !== undefined) init.body = body;
    if (body !== undefined && json) init.headers = { "content-type": "application/json" };
    answer = await fetch(`api/${address}`, init);
  } catch {
    throw new ServerError("offline", "The server does not answer. Has `impasse explore` ended?");
  }
  const text = await answer.text();
  if (!answer.ok) {
    let error = { code: `http ${answer.status}`, message: answer.statusText };
    try {
      error = JSON.parse(text).error;
    } catch {
      // The answer is not of this server.
    }
    throw new ServerError(error.code, error.message);
  }
  return JSON.parse(text) as T;
}

const post = <T>(address: string, body: unknown): Promise<T> => ask("POST", address, JSON.stringify(body));

export const server = {
  model: () => ask<Model>("GET", "model"),
  text: () => ask<{ name: string; text: string | null }>("GET", "text"),
  net: () => ask<Net>("GET", "net"),
  thread: (number: number) => ask<ThreadGraph>("GET", `thread/${number}`),
  state: (path: string, query = "") => post<State>("state", { path, query }),
  steps: (path: string, from: number, to: number) => post<Step[]>("steps", { path, from, to }),
  holds: (path: string, formula: string) => post<{ holds: boolean }>("holds", { path, formula }),
  refused: (path: string, query: string, offset: number, limit: number) =>
    post<{ total: number; items: Refusal[] }>("refused", { path, query, offset, limit }),
  random: (path: string, steps: number, seed: number, until: Target[]) =>
    post<{ path: string; paused_at: number | null; ended: boolean }>("random", { path, steps, seed, until }),
  graph: (path: string, nodes: number) => post<Graph>("graph", { path, nodes }),
  export: (path: string, form: "evidence" | "scn" | "steps" | "bppy") =>
    post<{ text: string }>("export", { path, form }),
  import: (evidence: Blob) => ask<Imported>("POST", "import", evidence, false),
  check: (properties: string[], question?: string) =>
    post<Task>("tasks", question === undefined ? { task: "check", properties } : { task: "check", ask: question }),
  search: (path: string, target: Target) => post<Task>("tasks", { task: "search", path, target }),
  task: (id: number) => ask<Task>("GET", `tasks/${id}`),
  stop: (id: number) => ask<Task>("DELETE", `tasks/${id}`),
  evidence: (id: number, property: string) => post<unknown>(`tasks/${id}/evidence`, { property }),
};
