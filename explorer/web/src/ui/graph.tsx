// The state graph around the current state. It is asked for again when the current state changes.

import { useEffect, useState } from "preact/hooks";
import { server } from "../api";
import type { Graph } from "../api";
import { curve, cut, useLayout, wide } from "../layout";
import type { Request } from "../layout";
import { Active, Canvas } from "./canvas";
import { plural, useStore } from "./common";

const SIZES = [15, 40, 100, 250];
const LINES = 3;

const lines = (graph: Graph, i: number): string[] => {
  const title = graph.nodes[i]?.title ?? [];
  if (i === 0) return ["here"];
  const shown = title.slice(0, LINES).map((line) => cut(line, 30));
  return title.length > LINES ? [...shown, `and ${title.length - LINES} more`] : shown;
};

const box = (graph: Graph, i: number) => {
  const text = lines(graph, i);
  return { width: Math.max(48, ...text.map((line) => wide(line) + 20)), height: 14 + 16 * text.length };
};

export function StateGraph() {
  const store = useStore();
  const [most, setMost] = useState(40);
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
  const request: Request | null = shown === null
    ? null
    : {
        direction: "TB",
        nodes: shown.nodes.map((_, i) => box(shown, i)),
        edges: shown.edges.map((edge) => ({ from: edge.from, to: edge.to, width: wide(cut(edge.event, 22)) + 8 })),
      };
  const made = useLayout(request);
  if (shown === null || made === null) return <p class="empty" role="status">Searching the states around …</p>;
  const tools = (
    <>
      <label class="field inline">
        <span>States</span>
        <select value={most} onChange={(event) => setMost(Number(event.currentTarget.value))}>
          {SIZES.map((size) => <option key={size} value={size}>{`at most ${size}`}</option>)}
        </select>
      </label>
      <span class="dim">
        {plural(shown.nodes.length, "state")}
        {shown.left_out > 0 ? `; ${plural(shown.left_out, "step")} to others not drawn` : "; these are all"}
      </span>
    </>
  );
  const { laid } = made;
  const start = laid.nodes[0];
  return (
    <Canvas width={laid.width} height={laid.height} label="States around the current one" name="states" tools={tools}
      focus={start === undefined ? undefined : { ...start, key: `${graph?.path}:${most}` }}>
      {shown.edges.map((edge, i) => {
        const drawn = laid.edges[i];
        if (drawn === undefined) return null;
        return (
          <g key={i} class={`edge${edge.from === 0 ? " on" : ""}`}>
            <path d={curve(drawn.points)} marker-end={edge.from === 0 ? "url(#tip-on)" : "url(#tip)"} />
            {drawn.label && <text x={drawn.label.x} y={drawn.label.y + 4} text-anchor="middle">{cut(edge.event, 22)}</text>}
          </g>
        );
      })}
      {shown.nodes.map((node, i) => {
        const at = laid.nodes[i] ?? { x: 0, y: 0 };
        const { width, height } = box(shown, i);
        const text = lines(shown, i);
        const marks = [
          "node state",
          i === 0 ? "current" : "",
          node.reached.length > 0 || node.enabled === 0 ? "bad" : "",
          node.complete ? "" : "open",
        ];
        const said = [
          i === 0 ? "The current state" : `${plural(node.picks.length, "step")} away: ${node.title.join(", ")}`,
          node.reached.length > 0 ? `reaches ${node.reached.join(", ")}` : "",
          node.enabled === 0 ? "nothing is enabled" : `${node.enabled} enabled`,
        ].filter((part) => part !== "").join("; ");
        return (
          <Active key={i} class={marks.filter((mark) => mark !== "").join(" ")} label={said}
            onPick={i === 0 ? undefined : () => void store.take(node.picks)}>
            <rect x={at.x - width / 2} y={at.y - height / 2} width={width} height={height} rx={8} />
            {text.map((line, k) => (
              <text key={k} x={at.x} y={at.y - height / 2 + 19 + 16 * k} text-anchor="middle">{line}</text>
            ))}
          </Active>
        );
      })}
    </Canvas>
  );
}
