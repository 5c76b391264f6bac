// The text of the model, with the lines at which threads are.

import { useEffect, useMemo, useState } from "preact/hooks";
import { server } from "../api";
import { Rows, useStore } from "./common";

let known: string | null = null;

export function useText(): string | null {
  const store = useStore();
  const [text, setText] = useState(known);
  useEffect(() => {
    if (known !== null || !store.model.has_text) return;
    void store.run(async () => {
      known = (await server.text()).text;
      setText(known);
    });
  }, []);
  return text;
}

export function Source() {
  const store = useStore();
  const text = useText();
  const lines = useMemo(() => text?.split("\n") ?? [], [text]);
  const marks = useMemo(() => {
    const all = new Map<number, string[]>();
    store.state?.lines?.forEach((line, part) => {
      if (line > 0) all.set(line, [...(all.get(line) ?? []), store.model.parts[part] ?? ""]);
    });
    return all;
  }, [store.version]);
  if (text === null)
    return (
      <p class="empty" role="status">
        Reading the text …
      </p>
    );
  const width = String(lines.length).length;
  return (
    <div class="source">
      <Rows
        id="source"
        label={`Text of ${store.model.file}`}
        count={lines.length}
        height={20}
        row={(i) => (
          <>
            <span class="gutter">{String(i + 1).padStart(width)}</span>
            <code>{lines[i]}</code>
            {marks.has(i + 1) && <span class="at">◂ {threads(marks.get(i + 1) ?? [])}</span>}
          </>
        )}
        rowClass={(i) => (marks.has(i + 1) ? "marked" : "")}
        rowLabel={(i) => `line ${i + 1}: ${lines[i]}${marks.has(i + 1) ? `; ${threads(marks.get(i + 1) ?? [])}` : ""}`}
      />
    </div>
  );
}

function threads(names: string[]): string {
  return names.length <= 6 ? names.join(", ") : `${names.slice(0, 5).join(", ")} and ${names.length - 5} more`;
}
