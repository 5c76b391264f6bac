// A net as places and transitions. A large net is drawn only around some of its nodes.

import { useEffect, useMemo, useState } from "preact/hooks";
import { server } from "../api";
import type { Net, State } from "../api";
import { cut, useLayout, wide } from "../layout";
import type { Point, Request } from "../layout";
import { Active, Canvas } from "./canvas";
import { useLate, useStore } from "./common";

/** A net with more nodes is drawn in parts of this size. */
const NODES = 120;
/** With a layout of the file, more nodes can be drawn at once. */
const PLACED = 800;

type Node = { kind: "place" | "transition"; index: number };
const key = (node: Node) => `${node.kind[0]}${node.index}`;

let known: Net | null = null;

function useNet(): Net | null {
  const store = useStore();
  const [net, setNet] = useState(known);
  useEffect(() => {
    if (known !== null) return;
    void store.run(async () => {
      known = await server.net();
      setNet(known);
    });
  }, []);
  return net;
}

/** The transitions beside each place. */
function beside(net: Net): number[][] {
  const all: number[][] = net.places.map(() => []);
  net.transitions.forEach((transition, t) =>
    transition.arcs.forEach(({ place }) => {
      const list = all[place];
      if (list !== undefined && list[list.length - 1] !== t) list.push(t);
    }),
  );
  return all;
}

/** Returns the nodes nearest to `from`. */
function around(net: Net, sides: number[][], from: Node[], most: number): Node[] {
  const found = from.slice(0, most);
  const seen = new Set(found.map(key));
  const add = (node: Node) => {
    if (found.length >= most || seen.has(key(node))) return;
    seen.add(key(node));
    found.push(node);
  };
  for (let i = 0; i < found.length && found.length < most; i += 1) {
    const node = found[i];
    if (node === undefined) break;
    if (node.kind === "place") (sides[node.index] ?? []).forEach((t) => add({ kind: "transition", index: t }));
    else net.transitions[node.index]?.arcs.forEach(({ place }) => add({ kind: "place", index: place }));
  }
  return found;
}

interface Arc {
  from: number;
  to: number;
  kind: string;
  weight: string;
  transition: number;
}

function arcsOf(net: Net, nodes: Node[]): Arc[] {
  const index = new Map(nodes.map((node, i) => [key(node), i]));
  const arcs: Arc[] = [];
  nodes.forEach((node, t) => {
    if (node.kind !== "transition") return;
    net.transitions[node.index]?.arcs.forEach(({ place, kind, weight }) => {
      const p = index.get(`p${place}`);
      if (p === undefined) return;
      const isOut = kind === "out" || kind === "transfer" || kind === "reset";
      const [from, to] = isOut ? [t, p] : [p, t];
      arcs.push({ from, to, kind, weight: weight ?? "", transition: node.index });
    });
  });
  return arcs;
}

const nameOf = (net: Net, node: Node) =>
  (node.kind === "place" ? net.places[node.index]?.name : net.transitions[node.index]?.name) ?? "";

const size = (net: Net, node: Node) => ({
  width: Math.max(node.kind === "place" ? 44 : 34, wide(cut(nameOf(net, node), 20)) + 8),
  height: node.kind === "place" ? 58 : 50,
});

/** Returns the positions that the file gives, moved to the picture; null if a node has none. */
function placed(net: Net, nodes: Node[]): { spots: Point[]; width: number; height: number } | null {
  const spots: Point[] = [];
  for (const node of nodes) {
    const at = node.kind === "place" ? net.places[node.index]?.at : net.transitions[node.index]?.at;
    if (at === undefined) return null;
    spots.push(at);
  }
  const [xs, ys] = [spots.map((spot) => spot.x), spots.map((spot) => spot.y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  // Positions in files are often closer than the names need.
  const gaps = [...new Set(xs)].sort((a, b) => a - b).map((x, i, all) => x - (all[i - 1] ?? -1e9));
  const scale = Math.min(2.5, Math.max(1, 90 / Math.max(1, Math.min(...gaps))));
  const moved = spots.map((spot) => ({ x: (spot.x - left) * scale + 70, y: (spot.y - top) * scale + 40 }));
  return {
    spots: moved,
    width: Math.max(...moved.map((spot) => spot.x)) + 80,
    height: Math.max(...moved.map((spot) => spot.y)) + 60,
  };
}

export function NetPicture(props: { state: State }) {
  const store = useStore();
  const net = useNet();
  const [wanted, setWanted] = useState("");
  const late = useLate(wanted.trim().toLowerCase());
  const sides = useMemo(() => (net === null ? [] : beside(net)), [net]);
  const total = net === null ? 0 : net.places.length + net.transitions.length;
  const hasLayout = store.model.shape.drawn_as === "net" && store.model.shape.has_layout;
  const most = hasLayout && total <= PLACED ? PLACED : NODES;
  const enabled = props.state.choices.map((choice) => choice.label);
  const nodes = useMemo(() => {
    if (net === null) return [];
    const all: Node[] = [
      ...net.places.map((_, index) => ({ kind: "place" as const, index })),
      ...net.transitions.map((_, index) => ({ kind: "transition" as const, index })),
    ];
    if (total <= most) return all;
    const fits = (node: Node) => nameOf(net, node).toLowerCase().includes(late);
    const from =
      late === ""
        ? enabled.slice(0, 12).map((index) => ({ kind: "transition" as const, index }))
        : all.filter(fits).slice(0, 12);
    const found = around(net, sides, from.length > 0 || late !== "" ? from : all.slice(0, 1), most);
    return found.sort((a, b) => (a.kind === b.kind ? a.index - b.index : a.kind < b.kind ? -1 : 1));
  }, [net, late, most, total > most ? enabled.slice(0, 12).join(",") : ""]);
  const arcs = useMemo(() => (net === null ? [] : arcsOf(net, nodes)), [net, nodes]);
  const given = useMemo(() => (net !== null && hasLayout ? placed(net, nodes) : null), [net, nodes]);
  const request: Request | null =
    net === null || given !== null || nodes.length === 0
      ? null
      : {
          direction: "LR",
          nodes: nodes.map((node) => size(net, node)),
          edges: arcs.map(({ from, to }) => ({ from, to, width: 0 })),
        };
  const made = useLayout(request);
  if (net === null)
    return (
      <p class="empty" role="status">
        Reading the net …
      </p>
    );
  const tools = (
    <label class="field inline">
      <span>{nodes.length < total ? `${nodes.length} of ${total} nodes, around` : `${total} nodes; find`}</span>
      <input
        type="search"
        value={wanted}
        placeholder={nodes.length < total ? "the enabled transitions" : "name"}
        onInput={(event) => setWanted(event.currentTarget.value)}
      />
    </label>
  );
  const laid =
    given ?? (made === null ? null : { spots: made.laid.nodes, width: made.laid.width, height: made.laid.height });
  if (nodes.length === 0) {
    return (
      <>
        <div class="canvas-tools">{tools}</div>
        <p class="empty">No node has this in its name.</p>
      </>
    );
  }
  if (laid === null)
    return (
      <p class="empty" role="status">
        Drawing …
      </p>
    );
  const isOn = new Set(enabled);
  const picks = new Map(
    props.state.choices.map((c) => [c.label, c.outcomes.length === 1 ? c.outcomes[0]?.pick : undefined]),
  );
  const found = late === "" ? -1 : nodes.findIndex((node) => nameOf(net, node).toLowerCase().includes(late));
  const spot = found < 0 ? undefined : laid.spots[found];
  return (
    <Canvas
      width={laid.width}
      height={laid.height}
      label="The net: places with their tokens, and transitions"
      name="net"
      tools={tools}
      focus={spot === undefined ? undefined : { ...spot, key: late }}
    >
      {arcs.map((arc, i) => (
        <ArcLine key={i} arc={arc} spots={laid.spots} nodes={nodes} isOn={isOn.has(arc.transition)} />
      ))}
      {nodes.map((node, i) => {
        const at = laid.spots[i] ?? { x: 0, y: 0 };
        const name = nameOf(net, node);
        const shown = cut(name, 20);
        const isFound = late !== "" && name.toLowerCase().includes(late);
        if (node.kind === "place") {
          const tokens = props.state.state[name] ?? 0;
          return (
            <Active
              key={key(node)}
              class={`node place${tokens === 0 ? "" : " current"}${isFound ? " found" : ""}`}
              label={`Place ${name}: ${String(tokens)}`}
            >
              <circle cx={at.x} cy={at.y - 8} r={17} />
              <text class="tokens" x={at.x} y={at.y - 3} text-anchor="middle">
                {tokens === 0 ? "" : cut(String(tokens), 5)}
              </text>
              <text class="below" x={at.x} y={at.y + 23} text-anchor="middle">
                {shown}
              </text>
            </Active>
          );
        }
        const pick = picks.get(node.index);
        const on = isOn.has(node.index);
        return (
          <Active
            key={key(node)}
            class={`node transition${on ? " on" : ""}${isFound ? " found" : ""}`}
            label={`Transition ${name}: ${on ? "enabled" : "not enabled"}`}
            onPick={pick === undefined ? undefined : () => void store.take([pick])}
          >
            <rect x={at.x - 9} y={at.y - 21} width={18} height={28} rx={3} />
            <text class="below" x={at.x} y={at.y + 22} text-anchor="middle">
              {shown}
            </text>
          </Active>
        );
      })}
    </Canvas>
  );
}

/** Returns the point at the border of a node, on the way to `towards`. */
function border(node: Node, at: Point, towards: Point): Point {
  const [dx, dy] = [towards.x - at.x, towards.y - at.y];
  const length = Math.hypot(dx, dy) || 1;
  const center = { x: at.x, y: node.kind === "place" ? at.y - 8 : at.y - 7 };
  if (node.kind === "place") return { x: center.x + (dx / length) * 18, y: center.y + (dy / length) * 18 };
  const by = Math.min(10 / (Math.abs(dx / length) || 1e-9), 15 / (Math.abs(dy / length) || 1e-9));
  return { x: center.x + (dx / length) * by, y: center.y + (dy / length) * by };
}

function ArcLine(props: { arc: Arc; spots: Point[]; nodes: Node[]; isOn: boolean }) {
  const { arc, spots, nodes } = props;
  const [a, b, from, to] = [spots[arc.from], spots[arc.to], nodes[arc.from], nodes[arc.to]];
  if (a === undefined || b === undefined || from === undefined || to === undefined) return null;
  // Arcs in opposite directions bend apart.
  const bend = { x: (a.x + b.x) / 2 - (b.y - a.y) * 0.09, y: (a.y + b.y) / 2 - 8 + (b.x - a.x) * 0.09 };
  const [start, end] = [border(from, a, bend), border(to, b, bend)];
  const tip = arc.kind === "inhibit" ? "url(#ring)" : props.isOn ? "url(#tip-on)" : "url(#tip)";
  const text = [arc.kind === "reset" || arc.kind === "transfer" ? arc.kind : "", arc.weight]
    .filter((t) => t !== "")
    .join(" ");
  return (
    <g class={`edge arc ${arc.kind}${props.isOn ? " on" : ""}`}>
      <path
        d={`M${start.x.toFixed(1)},${start.y.toFixed(1)}Q${bend.x.toFixed(1)},${bend.y.toFixed(1)} ${end.x.toFixed(1)},${end.y.toFixed(1)}`}
        marker-end={tip}
      />
      {text !== "" && (
        <text x={bend.x} y={bend.y} text-anchor="middle">
          {text}
        </text>
      )}
    </g>
  );
}
