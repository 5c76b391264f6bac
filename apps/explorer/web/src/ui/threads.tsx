// The threads of a program as graphs: each with its current state, and the moves that enabled events would make.

import { useEffect, useMemo, useState } from "preact/hooks";
import { server } from "../api";
import type { State, ThreadGraph } from "../api";
import { curve, cut, useLayouts, wide } from "../layout";
import type { Laid, Point, Request } from "../layout";
import { Active, Canvas } from "./canvas";
import { Rows, useLate, useStore, valueOf } from "./common";

/** The number of threads that are drawn when the page is opened, and at most. */
const FIRST = 4;
const DRAWN = 12;
/** A thread with more states is drawn only around its current state. */
const STATES = 60;

const graphs = new Map<number, ThreadGraph>();

/** Returns the graphs of these threads that are there. */
function useGraphs(numbers: number[]): Map<number, ThreadGraph> {
  const store = useStore();
  const [, again] = useState(0);
  useEffect(() => {
    const missing = numbers.filter((n) => !graphs.has(n));
    void store.run(async () => {
      for (const n of missing) {
        graphs.set(n, await server.thread(n));
        again((turn) => turn + 1);
      }
    });
  }, [numbers.join(",")]);
  return graphs;
}

/** Returns the states of a thread to draw: those that are nearest to the current one. */
function near(graph: ThreadGraph, current: number[]): number[] {
  if (graph.states.length <= STATES) return graph.states.map((_, i) => i);
  const ways = new Map<number, number[]>();
  graph.moves.forEach(({ from, to }) => {
    ways.set(from, [...(ways.get(from) ?? []), to]);
    ways.set(to, [...(ways.get(to) ?? []), from]);
  });
  const found = current.slice(0, STATES);
  const seen = new Set(found);
  for (let i = 0; i < found.length && found.length < STATES; i += 1) {
    for (const next of ways.get(found[i] ?? 0) ?? []) {
      if (!seen.has(next) && found.length < STATES) {
        seen.add(next);
        found.push(next);
      }
    }
  }
  return found.sort((a, b) => a - b);
}

interface Drawn {
  thread: number;
  graph: ThreadGraph;
  states: number[];
  /** How many threads are in each of the states where some are. */
  counts: Map<number, number>;
}

/** Returns the states in which threads are: the current one of a thread, or those with a number of threads. */
function countsOf(graph: ThreadGraph, thread: number, state: State): Map<number, number> {
  const counts = new Map<number, number>();
  graph.states.forEach(({ place }, i) => {
    const count = place === undefined ? Number(i === (state.numbers[thread] ?? 0)) : Number(state.state[place] ?? 0);
    if (count > 0) counts.set(i, count);
  });
  return counts;
}

const label = (events: string[]) =>
  events.length > 1 ? `${cut(events[0] ?? "", 18)} +${events.length - 1}` : cut(events.join(), 22);

/** The lines of a state: what the thread does there, and the line of the text. */
const linesOf = (text: string): string[] => {
  const at = text.lastIndexOf(" (line ");
  return (at < 0 ? [text] : [text.slice(0, at), text.slice(at + 2, -1)]).map((line) => cut(line, 30));
};
const widthOf = (text: string, isCounted: boolean) =>
  Math.max(isCounted ? 104 : 56, ...linesOf(text).map((line) => wide(line) + 24));
/** A state with a number of threads has room for it. */
const heightOf = (text: string, isCounted: boolean) => 18 + 16 * (linesOf(text).length + Number(isCounted));

/** Each thread is laid out by itself, and the graphs are put beside each other. */
function requestFor({ graph, states }: Drawn): Request {
  const index = new Map(states.map((state, i) => [state, i]));
  const request: Request = {
    direction: "TB",
    nodes: states.map((i) => {
      const text = graph.states[i]?.text ?? "";
      const isCounted = graph.states[i]?.place !== undefined;
      return { width: widthOf(text, isCounted), height: heightOf(text, isCounted) };
    }),
    edges: [],
  };
  graph.moves.forEach((move) => {
    const [from, to] = [index.get(move.from), index.get(move.to)];
    if (from !== undefined && to !== undefined) request.edges.push({ from, to, width: wide(label(move.events)) + 6 });
  });
  return request;
}

/** Returns the place of each graph: beside the one before it, or in a new row if there is no room. */
function rows(
  sizes: { width: number; height: number }[],
  room: number,
): { spots: Point[]; width: number; height: number } {
  let [x, y, high, wide] = [0, 0, 0, 0];
  const spots = sizes.map((size) => {
    if (x > 0 && x + size.width > room) [x, y, high] = [0, y + high, 0];
    const spot = { x, y };
    x += size.width;
    high = Math.max(high, size.height);
    wide = Math.max(wide, x);
    return spot;
  });
  return { spots, width: wide, height: y + high };
}

function choose(drawn: number[], n: number): number[] {
  return drawn.includes(n) ? drawn.filter((i) => i !== n) : [...drawn.slice(-(DRAWN - 1)), n].sort((a, b) => a - b);
}

export function Threads(props: { state: State }) {
  const store = useStore();
  const { shape } = store.model;
  const threads = shape.drawn_as === "threads" ? shape.threads : [];
  const [filter, setFilter] = useState("");
  const late = useLate(filter.toLowerCase());
  const [chosen, setChosen] = useState<number[]>(threads.slice(0, FIRST).map((_, i) => i));
  const listed = useMemo(
    () => threads.map((_, i) => i).filter((i) => threads[i]?.name.toLowerCase().includes(late)),
    [late, threads],
  );
  const known = useGraphs(chosen);
  const drawn: Drawn[] = chosen.flatMap((thread) => {
    const graph = known.get(thread);
    if (graph === undefined) return [];
    const counts = countsOf(graph, thread, props.state);
    return [{ thread, graph, counts, states: near(graph, [...counts.keys()]) }];
  });
  const value = (i: number) => {
    const graph = known.get(i);
    if (graph?.states[0]?.place === undefined) return valueOf(props.state, threads[i]?.name ?? "");
    return [...countsOf(graph, i, props.state)].map(([s, n]) => `${graph.states[s]?.name}: ${n}`).join("; ");
  };
  const where = (i: number) => props.state.places?.[i]?.replace(/^(in|at) /, "") ?? value(i);
  return (
    <div class="model-split">
      <div class="chooser">
        <label class="field">
          <span>Threads ({threads.length})</span>
          <input type="search" value={filter} placeholder="filter" onInput={(e) => setFilter(e.currentTarget.value)} />
        </label>
        <Rows
          id="threads"
          label="Threads; Enter draws a thread or leaves it out"
          count={listed.length}
          height={40}
          row={(i) => {
            const thread = listed[i] ?? 0;
            return (
              <>
                <span class="tick" aria-hidden="true">
                  {chosen.includes(thread) ? "●" : "○"}
                </span>
                <span class="two">
                  <span class="name">{threads[thread]?.name}</span>
                  <span class="dim">{where(thread)}</span>
                </span>
              </>
            );
          }}
          rowLabel={(i) => {
            const thread = listed[i] ?? 0;
            return `${threads[thread]?.name}, ${where(thread)}, ${chosen.includes(thread) ? "drawn" : "not drawn"}`;
          }}
          onPick={(i) => setChosen(choose(chosen, listed[i] ?? 0))}
          empty="No thread has this in its name."
        />
      </div>
      <Picture drawn={drawn} state={props.state} />
    </div>
  );
}

/** The width of the picture in a window of this width. */
const roomFor = (window: number) => (window <= 1080 ? window - 230 : Math.max(420, window - 2 * 370 - 240));

function Picture(props: { drawn: Drawn[]; state: State }) {
  const { drawn, state } = props;
  const laid = useLayouts(drawn.map(requestFor));
  const enabled = useMemo(() => {
    const picks = new Map<number, string>();
    state.choices.forEach((choice) => {
      const [only] = choice.outcomes;
      if (only !== undefined && choice.outcomes.length === 1) picks.set(choice.label, only.pick);
    });
    return { labels: new Set(state.choices.map((choice) => choice.label)), picks };
  }, [state]);
  if (drawn.length === 0) return <p class="empty">Choose threads in the list to draw them.</p>;
  if (laid === null || laid.length !== drawn.length)
    return (
      <p class="empty" role="status">
        Drawing …
      </p>
    );
  const sizes = laid.map((one, i) => ({
    width: Math.max(one.width, wide(cut(drawn[i]?.graph.name ?? "", 30)) + 20) + 16,
    height: one.height + 34,
  }));
  const { spots, width, height } = rows(sizes, roomFor(window.innerWidth));
  return (
    <Canvas width={width} height={height} label="Graphs of the threads" name="threads">
      {drawn.map((one, i) => {
        const [graph, spot] = [laid[i], spots[i]];
        if (graph === undefined || spot === undefined) return null;
        return (
          <g key={one.thread} transform={`translate(${spot.x + 8},${spot.y + 26})`}>
            <ThreadPicture drawn={one} laid={graph} enabled={enabled} />
          </g>
        );
      })}
    </Canvas>
  );
}

function ThreadPicture(props: {
  drawn: Drawn;
  laid: Laid;
  enabled: { labels: Set<number>; picks: Map<number, string> };
}) {
  const store = useStore();
  const {
    drawn: { graph, states, counts },
    laid,
    enabled,
  } = props;
  const index = new Map(states.map((s, i) => [s, i]));
  const moves = graph.moves.filter((move) => index.has(move.from) && index.has(move.to));
  return (
    <>
      <text class="title" x={Math.max(laid.width, wide(cut(graph.name, 30))) / 2} y={-6} text-anchor="middle">
        {cut(graph.name, 30)}
      </text>
      {moves.map((move, i) => {
        const edge = laid.edges[i];
        if (edge === undefined) return null;
        const now = counts.has(move.from) ? move.labels.find((l) => enabled.labels.has(l)) : undefined;
        const pick = now === undefined ? undefined : enabled.picks.get(now);
        const said = `${graph.name}: ${move.requested ? "requests" : "waits for"} ${move.events.join(", ")}`;
        return (
          <Active
            key={`${move.from}-${move.to}`}
            class={`edge${now === undefined ? "" : " on"}${move.requested ? "" : " waits"}`}
            label={pick === undefined ? said : `${said}: take it`}
            onPick={pick === undefined ? undefined : () => void store.take([pick])}
          >
            <path d={curve(edge.points)} marker-end={now === undefined ? "url(#tip)" : "url(#tip-on)"} />
            {edge.label && (
              <text x={edge.label.x} y={edge.label.y + 4} text-anchor="middle">
                {label(move.events)}
              </text>
            )}
          </Active>
        );
      })}
      {states.map((s, i) => (
        <LocalNode key={s} graph={graph} state={s} at={laid.nodes[i]} count={counts.get(s) ?? 0} />
      ))}
    </>
  );
}

function LocalNode(props: { graph: ThreadGraph; state: number; at: Point | undefined; count: number }) {
  const { graph, at, count } = props;
  const local = graph.states[props.state];
  if (local === undefined || at === undefined) return null;
  const isCounted = local.place !== undefined;
  const text = linesOf(local.text);
  if (isCounted && count > 0) text.push(`threads: ${count}`);
  const [width, height] = [widthOf(local.text, isCounted), heightOf(local.text, isCounted)];
  const marks = [
    count > 0 ? "current" : "",
    local.bad ? "bad" : "",
    local.final ? "final" : "",
    local.hot ? "hot" : "",
  ];
  const shown = marks.filter((mark) => mark !== "");
  const said = [
    `${graph.name}: ${local.text}`,
    ...shown,
    local.initial ? "initial" : "",
    local.request.length > 0 ? `requests ${local.request.join(", ")}` : "",
    local.block.length > 0 ? `blocks ${local.block.join(", ")}` : "",
  ].filter((part) => part !== "");
  return (
    <Active class={["node", ...shown].join(" ")} label={said.join("; ")}>
      <rect x={at.x - width / 2} y={at.y - height / 2} width={width} height={height} rx={local.bad ? 2 : 10} />
      {local.final && (
        <rect
          class="inner"
          x={at.x - width / 2 + 3}
          y={at.y - height / 2 + 3}
          width={width - 6}
          height={height - 6}
          rx={8}
        />
      )}
      {local.initial && <path class="start" d={`M${at.x - width / 2 - 12},${at.y - 5}l8,5l-8,5z`} />}
      {text.map((line, k) => (
        <text
          key={k}
          class={k > 0 ? "second" : undefined}
          x={at.x}
          y={at.y - height / 2 + 21 + 16 * k}
          text-anchor="middle"
        >
          {line}
        </text>
      ))}
    </Active>
  );
}
