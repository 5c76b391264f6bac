// Lays out graphs apart from the page, so that the page does not freeze.

import dagre from "@dagrejs/dagre";
import type { Laid, Request } from "./layout";

// The edges of a graph with several edges between two nodes have names, and dagre wants these to be texts.
function laid(request: Request): Laid {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({
    rankdir: request.direction,
    nodesep: 26,
    ranksep: request.direction === "LR" ? 56 : 38,
    edgesep: 14,
    marginx: 12,
    marginy: 12,
  });
  request.nodes.forEach((node, i) => graph.setNode(String(i), { width: node.width, height: node.height }));
  request.edges.forEach((edge, i) => {
    const label = edge.width > 0 ? { width: edge.width, height: 16, labelpos: "c" } : {};
    graph.setEdge(String(edge.from), String(edge.to), { ...label }, String(i));
  });
  dagre.layout(graph);
  const size = graph.graph();
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    nodes: request.nodes.map((_, i) => {
      const { x, y } = graph.node(String(i));
      return { x, y };
    }),
    edges: request.edges.map((edge, i) => {
      const made = graph.edge({ v: String(edge.from), w: String(edge.to), name: String(i) });
      return { points: made.points, ...(made.x === undefined ? {} : { label: { x: made.x, y: made.y ?? 0 } }) };
    }),
  };
}

self.onmessage = (event: MessageEvent<{ id: number; request: Request }>) => {
  const { id, request } = event.data;
  try {
    self.postMessage({ id, laid: laid(request) });
  } catch (error) {
    self.postMessage({ id, error: String(error) });
  }
};
