// The path as a sequence diagram for Mermaid.

import type { Step } from "./api";

/** Returns a text that Mermaid reads as plain text. */
function plain(text: string): string {
  return (
    text
      .replace(/[#;<>"]/g, (c) => `#${c.codePointAt(0)};`)
      .replace(/\s+/g, " ")
      .trim() || "-"
  );
}

export function mermaid(steps: Step[]): string {
  const names = new Map<string, string>();
  const id = (name: string): string => {
    const known = names.get(name) ?? `p${names.size}`;
    names.set(name, known);
    return known;
  };
  const lines: string[] = [];
  steps.forEach((step) => {
    const changed = step.changes.map((change) => change.name);
    const all = [...new Set([...(step.requested_by ?? []), ...changed])];
    const event = plain([step.event, ...(step.outputs ?? [])].join(" / "));
    const [first] = all;
    if (first === undefined) return;
    const others = all.slice(1);
    if (others.length === 0) lines.push(`    ${id(first)}->>${id(first)}: ${event}`);
    others.forEach((other) => lines.push(`    ${id(first)}->>${id(other)}: ${event}`));
    step.changes.forEach((change) =>
      lines.push(`    Note over ${id(change.name)}: ${plain(change.to_text ?? String(change.to))}`),
    );
  });
  const lanes = [...names].map(([name, known]) => `    participant ${known} as ${plain(name)}`);
  return ["sequenceDiagram", "    autonumber", ...lanes, ...lines, ""].join("\n");
}
