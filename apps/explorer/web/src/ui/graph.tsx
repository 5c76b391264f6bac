// The graph of all states, or of those around the current one if there are many. It is asked for again when the current
// state changes.

import { useEffect, useState } from "preact/hooks";
import { server } from "../api";
import type { Graph } from "../api";
import { curve, cut, useLayout, wide } from "../layout";
import type { Point, Request } from "../layout";
import { Active, Canvas } from "./canvas";
import { plural, useStore } from "./common";

const SIZES = [10, 25, 60, 120, 250];
const LINES = 3;

const lines = (graph: Graph, i: number): string[] => {
  const title = graph.nodes[i]?.title ?? [];
  const first = i === graph.current ? ["here"] : [];
  const shown = [...first, ...title.slice(0, LINES).map((line) => cut(line, 38))];
  return title.length > LINES ? [...shown, `and ${title.length - LINES} more`] : shown;
};

const distance = (graph: Graph, i: number) => (graph.nodes[i]?.path ?? "").split(".").length;

const box = (graph: Graph, i: number) => {
  const text = lines(graph, i);
  return { width: Math.max(48, ...text.map((line) => wide(line) + 20)), height: 14 + 16 * text.length };
};

interface Edge {
  from: number;
  to: number;
  events: string[];
}

/** Returns the edges of the graph, with one for all steps between the same two states. */
const merged = (graph: Graph): Edge[] => {
  const edges = new Map<string, Edge>();
  for (const { from, to, event } of graph.edges) {
    const key = `${from} ${to}`;
    const edge = edges.get(key) ?? { from, to, events: [] };
    edge.events.push(event);
    edges.set(key, edge);
  }
  return [...edges.values()];
};

const label = (edge: Edge): string => {
  const first = cut(edge.events[0] ?? "", 22);
  return edge.events.length > 1 ? `${first} and ${edge.events.length - 1} more` : first;
};

export function StateGraph() {
  const store = useStore();
  const [most, setMost] = useState(25);
  const [graph, setGraph] = useState<{ path: string; graph: Graph } | null>(null);
  const here = store.here;
  useEffect(() => {
    let isOld = false;
    void store.run(async () => {
      const got = await server.graph(here, most);
      if (!isOld) setGraph({ path: here, graph: got });
    });
    return () => {
      isOld = true;
    };
  }, [here, most]);
  const shown = graph?.graph ?? null;
  // Only steps away from the current state determine the layout. The others are drawn between the nodes.
  const edges = shown === null ? [] : merged(shown);
  const leadsOn = (edge: Edge) => shown !== null && distance(shown, edge.to) > distance(shown, edge.from);
  const ahead = edges.filter(leadsOn);
  const back = edges.filter((edge) => !leadsOn(edge));
  const request: Request | null =
    shown === null
      ? null
      : {
          direction: "TB",
          nodes: shown.nodes.map((_, i) => box(shown, i)),
          edges: ahead.map((edge) => ({ from: edge.from, to: edge.to, width: wide(label(edge)) + 8 })),
        };
  const made = useLayout(request);
  if (shown === null || made === null)
    return (
      <p class="empty" role="status">
        Searching the states around …
      </p>
    );
  const tools = (
    <>
      <label class="field inline">
        <span>States</span>
        <select value={most} onChange={(event) => setMost(Number(event.currentTarget.value))}>
          {SIZES.map((size) => (
            <option key={size} value={size}>{`at most ${size}`}</option>
          ))}
        </select>
      </label>
      <span class="dim">
        {plural(shown.nodes.length, "state")}
        {shown.left_out > 0 ? `, ${plural(shown.left_out, "step")} beyond` : ", all"}
      </span>
    </>
  );
  const { laid } = made;
  const start = laid.nodes[shown.current];
  return (
    <Canvas
      width={laid.width}
      height={laid.height}
      label={shown.left_out > 0 ? "States around the current one" : "All states"}
      name="states"
      tools={tools}
      focus={start === undefined ? undefined : { ...start, key: `${graph?.path}:${most}` }}
    >
      {back.map((edge, i) => (
        <BackEdge key={i} graph={shown} edge={edge} spots={laid.nodes} />
      ))}
      {ahead.map((edge, i) => {
        const drawn = laid.edges[i];
        if (drawn === undefined) return null;
        return (
          <g key={i} class={`edge${edge.from === shown.current ? " on" : ""}`}>
            <path d={curve(drawn.points)} marker-end={edge.from === shown.current ? "url(#tip-on)" : "url(#tip)"} />
            <title>{edge.events.join("\n")}</title>
          </g>
        );
      })}
      {/* Labels come after all edges, so that no edge runs through one. */}
      {ahead.map((edge, i) => {
        const spot = laid.edges[i]?.label;
        if (spot === undefined || spot === null) return null;
        return (
          <g key={i} class={`edge${edge.from === shown.current ? " on" : ""}`}>
            <text x={spot.x} y={spot.y + 4} text-anchor="middle">
              {label(edge)}
            </text>
          </g>
        );
      })}
      {shown.nodes.map((node, i) => {
        const at = laid.nodes[i] ?? { x: 0, y: 0 };
        const { width, height } = box(shown, i);
        const text = lines(shown, i);
        const marks = [
          "node state",
          i === shown.current ? "current" : "",
          node.reached.length > 0 || node.enabled === 0 ? "bad" : "",
          node.complete ? "" : "open",
        ];
        const said = [
          `${i === shown.current ? "The current state" : "State"}: ${node.title.join(", ")}`,
          node.reached.length > 0 ? `reaches ${node.reached.join(", ")}` : "",
          node.enabled === 0 ? "nothing is enabled" : `${node.enabled} enabled`,
        ]
          .filter((part) => part !== "")
          .join("; ");
        return (
          <Active
            key={i}
            class={marks.filter((mark) => mark !== "").join(" ")}
            label={said}
            onPick={i === shown.current ? undefined : () => void store.follow(node.path)}
          >
            <rect x={at.x - width / 2} y={at.y - height / 2} width={width} height={height} rx={8} />
            {text.map((line, k) => (
              <text key={k} x={at.x} y={at.y - height / 2 + 19 + 16 * k} text-anchor="middle">
                {line}
              </text>
            ))}
          </Active>
        );
      })}
    </Canvas>
  );
}

/** A step to a state that is not farther away: a bent line with its event in the title. */
function BackEdge(props: { graph: Graph; edge: Edge; spots: Point[] }) {
  const { graph, edge, spots } = props;
  const [from, to] = [spots[edge.from], spots[edge.to]];
  if (from === undefined || to === undefined) return null;
  const [a, b] = [box(graph, edge.from), box(graph, edge.to)];
  if (edge.from === edge.to) {
    const x = from.x + a.width / 2;
    const path = `M${x},${from.y - 6}c26,-12 26,24 0,14`;
    return (
      <g class="edge back">
        <title>{edge.events.join("\n")}</title>
        <path d={path} marker-end="url(#tip)" />
      </g>
    );
  }
  const side = to.x >= from.x ? 1 : -1;
  const start = { x: from.x + (side * a.width) / 2, y: from.y };
  const end = { x: to.x - ((side * b.width) / 2) * (Math.abs(to.x - from.x) < 60 ? -1 : 1), y: to.y };
  const bend = {
    x: (start.x + end.x) / 2 + (Math.abs(to.x - from.x) < 60 ? side * 70 : 0),
    y: (start.y + end.y) / 2 + 24,
  };
  return (
    <g class="edge back">
      <title>{edge.events.join("\n")}</title>
      <path d={`M${start.x},${start.y}Q${bend.x},${bend.y} ${end.x},${end.y}`} marker-end="url(#tip)" />
    </g>
  );
}
