// Asks the worker for layouts. A layout that was asked for is kept, because the same graph is drawn again at each step.

import { useEffect, useState } from "preact/hooks";

export interface Point {
  x: number;
  y: number;
}

export interface Request {
  direction: "LR" | "TB";
  nodes: { width: number; height: number }[];
  /** The width is that of the label; 0 without a label. */
  edges: { from: number; to: number; width: number }[];
}

export interface Laid {
  width: number;
  height: number;
  nodes: Point[];
  edges: { points: Point[]; label?: Point }[];
}

const KEPT = 60;

let worker: Worker | null = null;
let next = 0;
const waiting = new Map<number, { done: (laid: Laid) => void; failed: (error: Error) => void }>();
const kept = new Map<string, Promise<Laid>>();

function ask(request: Request): Promise<Laid> {
  if (worker === null) {
    worker = new Worker("layout.js");
    worker.onmessage = (event: MessageEvent<{ id: number; laid?: Laid; error?: string }>) => {
      const { id, laid, error } = event.data;
      const waits = waiting.get(id);
      waiting.delete(id);
      if (laid !== undefined) waits?.done(laid);
      else waits?.failed(new Error(error));
    };
  }
  const id = (next += 1);
  worker.postMessage({ id, request });
  return new Promise((done, failed) => waiting.set(id, { done, failed }));
}

export function layout(request: Request): Promise<Laid> {
  const key = JSON.stringify(request);
  let laid = kept.get(key);
  if (laid === undefined) {
    laid = ask(request);
    kept.set(key, laid);
    const oldest = kept.keys().next();
    if (kept.size > KEPT && !oldest.done) kept.delete(oldest.value);
  }
  return laid;
}

/** Returns the layout of a graph; null until it is there. The last layout stays until then. */
export function useLayout(request: Request | null): { request: Request; laid: Laid } | null {
  const [made, setMade] = useState<{ request: Request; laid: Laid } | null>(null);
  const key = request === null ? "" : JSON.stringify(request);
  useEffect(() => {
    let isOld = false;
    if (request === null) setMade(null);
    else
      layout(request).then(
        (laid) => isOld || setMade({ request, laid }),
        () => isOld || setMade(null),
      );
    return () => {
      isOld = true;
    };
  }, [key]);
  return made !== null && request !== null && JSON.stringify(made.request) === key ? made : null;
}

/** Returns the layouts of several graphs, each by itself; null until all are there. */
export function useLayouts(requests: Request[]): Laid[] | null {
  const [made, setMade] = useState<{ key: string; laid: Laid[] } | null>(null);
  const key = JSON.stringify(requests);
  useEffect(() => {
    let isOld = false;
    Promise.all(requests.map(layout)).then(
      (laid) => isOld || setMade({ key, laid }),
      () => isOld || setMade(null),
    );
    return () => {
      isOld = true;
    };
  }, [key]);
  return made?.key === key ? made.laid : null;
}

/** The width of a text in pixels, in the font of the pictures. */
export function wide(text: string): number {
  return Math.ceil(text.length * 7.3);
}

export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** Returns the outline of a curve through the points of an edge. */
export function curve(points: Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  let path = `M${first.x.toFixed(1)},${first.y.toFixed(1)}`;
  rest.forEach((point, i) => {
    const after = rest[i + 1];
    const end = after === undefined ? point : { x: (point.x + after.x) / 2, y: (point.y + after.y) / 2 };
    path +=
      after === undefined
        ? `L${point.x.toFixed(1)},${point.y.toFixed(1)}`
        : `Q${point.x.toFixed(1)},${point.y.toFixed(1)} ${end.x.toFixed(1)},${end.y.toFixed(1)}`;
  });
  return path;
}
