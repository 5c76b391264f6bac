// The threads of a program as graphs: each with its current state, and the moves that enabled events would make.

import { useEffect, useMemo, useState } from "preact/hooks";
import { server } from "../api";
import type { State, ThreadGraph } from "../api";
import { curve, cut, useLayout, wide } from "../layout";
import type { Request } from "../layout";
import { Active, Canvas } from "./canvas";
import { Rows, useLate, useStore } from "./common";

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
function near(graph: ThreadGraph, current: number): number[] {
  if (graph.states.length <= STATES) return graph.states.map((_, i) => i);
  const ways = new Map<number, number[]>();
  graph.moves.forEach(({ from, to }) => {
    ways.set(from, [...(ways.get(from) ?? []), to]);
    ways.set(to, [...(ways.get(to) ?? []), from]);
  });
  const found = [current];
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
  /** The index of the first node of the thread in the layout. */
  first: number;
}

const label = (events: string[]) => cut(events.length > 2 ? `${events[0]}, … (${events.length})` : events.join(", "), 26);

/** All threads are laid out together, so that they do not overlap. */
function requestFor(drawn: Drawn[]): Request | null {
  if (drawn.length === 0) return null;
  const request: Request = { direction: "TB", nodes: [], edges: [] };
  drawn.forEach(({ graph, states, first }) => {
    const index = new Map(states.map((state, i) => [state, first + i]));
    states.forEach((i) => {
      const text = cut(graph.states[i]?.text ?? "", 26);
      request.nodes.push({ width: Math.max(56, wide(text) + 24), height: 34 });
    });
    graph.moves.forEach((move) => {
      const [from, to] = [index.get(move.from), index.get(move.to)];
      if (from !== undefined && to !== undefined) request.edges.push({ from, to, width: wide(label(move.events)) + 6 });
    });
  });
  return request;
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
  const drawn: Drawn[] = [];
  let first = 0;
  for (const thread of chosen) {
    const graph = known.get(thread);
    if (graph === undefined) continue;
    const states = near(graph, props.state.numbers[thread] ?? 0);
    drawn.push({ thread, graph, states, first });
    first += states.length;
  }
  const value = (i: number) => String(props.state.state[threads[i]?.name ?? ""] ?? "");
  const where = (i: number) => props.state.places?.[i]?.replace(/^in /, "") ?? value(i);
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
                <span class="tick" aria-hidden="true">{chosen.includes(thread) ? "●" : "○"}</span>
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

function Picture(props: { drawn: Drawn[]; state: State }) {
  const store = useStore();
  const { drawn, state } = props;
  const made = useLayout(requestFor(drawn));
  const enabled = useMemo(() => {
    const picks = new Map<number, string>();
    state.choices.forEach((choice) => {
      const [only] = choice.outcomes;
      if (only !== undefined && choice.outcomes.length === 1) picks.set(choice.label, only.pick);
    });
    return { labels: new Set(state.choices.map((choice) => choice.label)), picks };
  }, [state]);
  if (drawn.length === 0) return <p class="empty">Choose threads in the list to draw them.</p>;
  if (made === null) return <p class="empty" role="status">Drawing …</p>;
  const { laid } = made;
  let edge = 0;
  return (
    <Canvas width={laid.width} height={laid.height + 22} label="Graphs of the threads" name="threads">
      {drawn.map(({ thread, graph, states, first }) => {
        const current = state.numbers[thread] ?? 0;
        const index = new Map(states.map((s, i) => [s, first + i]));
        const spots = states.map((_, i) => laid.nodes[first + i] ?? { x: 0, y: 0 });
        const top = Math.min(...spots.map((spot) => spot.y));
        const left = Math.min(...spots.filter((spot) => spot.y === top).map((spot) => spot.x));
        return (
          <g key={thread} transform="translate(0,22)">
            <text class="title" x={left} y={top - 24} text-anchor="middle">{cut(graph.name, 30)}</text>
            {graph.moves.map((move) => {
              if (!index.has(move.from) || !index.has(move.to)) return null;
              const drawnEdge = laid.edges[edge];
              edge += 1;
              if (drawnEdge === undefined) return null;
              const now = move.from === current ? move.labels.find((l) => enabled.labels.has(l)) : undefined;
              const pick = now === undefined ? undefined : enabled.picks.get(now);
              const said = `${graph.name}: ${move.requested ? "requests" : "waits for"} ${move.events.join(", ")}`;
              const marks = `edge${now === undefined ? "" : " on"}${move.requested ? "" : " waits"}`;
              const inner = (
                <>
                  <path d={curve(drawnEdge.points)} marker-end={now === undefined ? "url(#tip)" : "url(#tip-on)"} />
                  {drawnEdge.label && (
                    <text x={drawnEdge.label.x} y={drawnEdge.label.y + 4} text-anchor="middle">{label(move.events)}</text>
                  )}
                </>
              );
              return (
                <Active
                  key={`${move.from}-${move.to}`}
                  class={marks}
                  label={pick === undefined ? said : `${said}: take it`}
                  onPick={pick === undefined ? undefined : () => void store.take([pick])}
                >
                  {inner}
                </Active>
              );
            })}
            {states.map((s, i) => {
              const spot = spots[i] ?? { x: 0, y: 0 };
              const local = graph.states[s];
              if (local === undefined) return null;
              const text = cut(local.text, 26);
              const width = Math.max(56, wide(text) + 24);
              const marks = [
                "node",
                s === current ? "current" : "",
                local.bad ? "bad" : "",
                local.final ? "final" : "",
                local.hot ? "hot" : "",
              ].filter((mark) => mark !== "");
              const said = [
                `${graph.name}: ${local.text}`,
                ...marks.slice(1),
                local.initial ? "initial" : "",
                local.request.length > 0 ? `requests ${local.request.join(", ")}` : "",
                local.block.length > 0 ? `blocks ${local.block.join(", ")}` : "",
              ].filter((part) => part !== "").join("; ");
              return (
                <Active key={s} class={marks.join(" ")} label={said}>
                  <rect x={spot.x - width / 2} y={spot.y - 17} width={width} height={34} rx={local.bad ? 2 : 10} />
                  {local.final && (
                    <rect class="inner" x={spot.x - width / 2 + 3} y={spot.y - 14} width={width - 6} height={28} rx={8} />
                  )}
                  {local.initial && <path class="start" d={`M${spot.x - width / 2 - 12},${spot.y - 5}l8,5l-8,5z`} />}
                  <text x={spot.x} y={spot.y + 4} text-anchor="middle">{text}</text>
                </Active>
              );
            })}
          </g>
        );
      })}
    </Canvas>
  );
}
