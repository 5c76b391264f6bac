// The path: steps forward and back, jumps, random runs, breakpoints, searches and exports.

import { useState } from "preact/hooks";
import { server } from "../api";
import type { Target } from "../api";
import { mermaid } from "../mermaid";
import { searched, shown } from "../store";
import { changesText, download, FormulaField, Icon, Panel, Reached, Rows, useStore } from "./common";

export function PathPanel() {
  const store = useStore();
  const { place } = store;
  const { picks, at } = place;
  const count = picks.length;
  const again = store.repeats !== null && store.repeats.path === store.path ? store.repeats.from : null;
  const row = (i: number) => {
    if (i === 0)
      return (
        <>
          <span class="number">0</span>
          <span class="two">
            <span class="name">start</span>
          </span>
        </>
      );
    const step = store.steps[i - 1];
    if (step === undefined)
      return (
        <>
          <span class="number">{i}</span>
          <span class="dim">…</span>
        </>
      );
    return (
      <>
        <span class="number">{i}</span>
        <span class="two">
          <span class="name">
            {[step.event, ...(step.outputs ?? [])].join(" / ")}
            {step.reached && <Reached ids={step.reached} />}
            {again === i && <span class="badge none small">↻ repeats from here</span>}
          </span>
          <span class="dim">{changesText(step.changes)}</span>
        </span>
      </>
    );
  };
  const label = (i: number) => {
    const step = store.steps[i - 1];
    if (i === 0 || step === undefined) return i === 0 ? "start" : `step ${i}`;
    const by = step.requested_by ? `, requested by ${step.requested_by.join(", ")}` : "";
    const reached = step.reached ? `, reaches ${step.reached.join(", ")}` : "";
    const repeats = again === i ? ", the run repeats from here" : "";
    return `step ${i}: ${step.event}${by}, ${changesText(step.changes)}${reached}${repeats}`;
  };
  return (
    <Panel title={`Path (${at} of ${count})`} id="path-title" grow>
      <div class="bar" role="toolbar" aria-label="Steps">
        <button
          type="button"
          onClick={() => void store.jump(0)}
          disabled={at === 0}
          aria-label="To the start"
          title="To the start (Home)"
        >
          <Icon path="M3 3h2v10H3zM13 3v10L6 8z" />
        </button>
        <button
          type="button"
          onClick={() => void store.jump(at - 1)}
          disabled={at === 0}
          aria-label="One step back"
          title="One step back (←)"
        >
          <Icon path="M12 3v10L4 8z" />
        </button>
        <button
          type="button"
          onClick={() => void store.jump(at + 1)}
          disabled={at === count}
          aria-label="One step forward"
          title="One step forward (→)"
        >
          <Icon path="M4 3v10l8-5z" />
        </button>
        <button
          type="button"
          onClick={() => void store.jump(count)}
          disabled={at === count}
          aria-label="To the end"
          title="To the end (End)"
        >
          <Icon path="M11 3h2v10h-2zM3 3v10l7-5z" />
        </button>
        <JumpTo />
        <span class="spring" />
        {store.model.start.length > 0 && (
          <button
            type="button"
            onClick={() => {
              store.dialog = "start";
              store.changed();
            }}
          >
            Start…
          </button>
        )}
        <button
          type="button"
          disabled={at === count}
          onClick={() => void store.go({ ...place, picks: picks.slice(0, at) })}
        >
          Cut here
        </button>
      </div>
      <Rows
        id="path"
        label="Steps of the path; Enter goes to a step"
        count={count + 1}
        height={42}
        current={at}
        row={row}
        rowLabel={label}
        rowClass={(i) => (i > at ? "later" : store.steps[i - 1]?.reached ? "reached" : "")}
        onPick={(i) => void store.jump(i)}
        onView={(from, to) => void store.run(() => store.needSteps(Math.max(0, from - 1), to))}
      />
    </Panel>
  );
}

function JumpTo() {
  const store = useStore();
  const [text, setText] = useState("");
  return (
    <form
      class="inline"
      onSubmit={(event) => {
        event.preventDefault();
        if (/^\d+$/.test(text)) void store.jump(Number(text));
        setText("");
      }}
    >
      <input
        class="narrow"
        inputMode="numeric"
        aria-label="Go to step"
        placeholder="step"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </form>
  );
}

type Kind = "event" | "formula" | "property";

export function Tools() {
  const store = useStore();
  const [steps, setSteps] = useState("20");
  const [seed, setSeed] = useState("0");
  const [kind, setKind] = useState<Kind>("event");
  const [text, setText] = useState("");
  const hasFormulas = !["circuit", "reactive", "data"].includes(store.model.model.kind);
  const target = (): Target | null => {
    if (kind === "property") return { property: text === "" ? "deadlock" : text };
    if (text.trim() === "") return null;
    return kind === "event" ? { event: text.trim() } : { formula: text.trim() };
  };
  const find = () => {
    const wanted = target();
    if (wanted !== null) void store.find(wanted);
  };
  const pause = () => {
    const wanted = target();
    if (wanted === null) return;
    store.breakpoints = [...store.breakpoints.filter((b) => shown(b) !== shown(wanted)), wanted];
    store.say(`Random runs pause at ${shown(wanted)}.`);
  };
  const run = () => {
    const count = Number(steps);
    // The next random run takes other steps.
    setSeed(String(Number(seed) + 1));
    void store.random(Number.isInteger(count) && count > 0 ? count : 1, Number(seed) || 0, store.breakpoints);
  };
  const search = store.search;
  return (
    <Panel title="Run and search" id="tools-title">
      <form
        class="bar"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <label class="field inline">
          <span>Random steps</span>
          <input class="narrow" inputMode="numeric" value={steps} onInput={(e) => setSteps(e.currentTarget.value)} />
        </label>
        <label class="field inline">
          <span>seed</span>
          <input class="narrow" inputMode="numeric" value={seed} onInput={(e) => setSeed(e.currentTarget.value)} />
        </label>
        <button type="submit" class="main" disabled={store.isBusy || store.state?.enabled === 0}>
          Run
        </button>
      </form>
      <form
        class="bar end"
        onSubmit={(event) => {
          event.preventDefault();
          find();
        }}
      >
        <label class="field">
          <span>Search</span>
          <select
            value={kind}
            onChange={(e) => {
              setKind(e.currentTarget.value as Kind);
              setText("");
            }}
          >
            <option value="event">event</option>
            {hasFormulas && <option value="formula">formula</option>}
            <option value="property">property</option>
          </select>
        </label>
        {kind === "property" ? (
          <label class="field grow">
            <span>reached</span>
            <select value={text} onChange={(e) => setText(e.currentTarget.value)}>
              {[...new Set(["deadlock", ...store.model.properties.map((p) => p.id)])].slice(0, 500).map((id) => (
                <option key={id} value={id}>
                  {id}
                </option>
              ))}
            </select>
          </label>
        ) : kind === "formula" ? (
          <FormulaField id="search" label="state formula" value={text} placeholder="name >= 1" onText={setText} />
        ) : (
          <label class="field grow">
            <span>name, or beginning*</span>
            <input
              id="search"
              list="labels"
              value={text}
              placeholder="event or output"
              onInput={(e) => setText(e.currentTarget.value)}
            />
          </label>
        )}
        <button type="submit" disabled={search?.task.status === "running"}>
          Find
        </button>
        <button type="button" onClick={pause} title="Random runs pause there">
          Pause at
        </button>
      </form>
      <datalist id="labels">
        {store.model.labels.slice(0, 500).map((label) => (
          <option key={label} value={label} />
        ))}
      </datalist>
      {store.breakpoints.length > 0 && (
        <ul class="chips" aria-label="Random runs pause at">
          {store.breakpoints.map((target) => (
            <li key={shown(target)}>
              {shown(target)}{" "}
              <button
                type="button"
                aria-label={`Remove ${shown(target)}`}
                onClick={() => {
                  store.breakpoints = store.breakpoints.filter((other) => other !== target);
                  store.changed();
                }}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {search !== null && (
        <div class="running">
          <span>{searched(search)}</span>
          {search.task.status === "running" && <progress aria-label="The search is running" />}
          {search.task.status === "running" && (
            <button type="button" onClick={() => void store.stop(search.task.id)}>
              Stop
            </button>
          )}
        </div>
      )}
      <Exports />
    </Panel>
  );
}

function Exports() {
  const store = useStore();
  const { kind } = store.model.model;
  const stem = (store.model.file.split("/").pop() ?? "model").replace(/\.[^.]*$/, "");
  const save = (form: "evidence" | "scn" | "steps" | "bppy", name: string, type: string) =>
    store.run(async () => {
      const { text } = await server.export(store.here, form);
      download(`${stem}.${name}`, type, text);
      store.say(`Saved ${stem}.${name}.`);
    });
  const asMermaid = () =>
    store.run(async () =>
      download(`${stem}.mmd`, "text/vnd.mermaid", mermaid((await store.allSteps(2000)).slice(0, store.place.at))),
    );
  return (
    <div class="bar exports" role="group" aria-label="Save the path up to the current step">
      <span class="dim">Save as</span>
      <button type="button" onClick={() => void save("evidence", "evidence.json", "application/json")}>
        evidence
      </button>
      <button type="button" onClick={() => void save("steps", "steps.json", "application/json")}>
        steps
      </button>
      {(kind === "net" || kind === "threads") && (
        <button type="button" onClick={() => void save("scn", "scn", "text/plain")}>
          .scn
        </button>
      )}
      {kind === "rwb" && (
        <button type="button" onClick={() => void save("bppy", "py", "text/x-python")}>
          bppy
        </button>
      )}
      <button type="button" onClick={() => void asMermaid()}>
        Mermaid
      </button>
      <label class="file">
        Open evidence
        <input
          type="file"
          accept=".json,.gz,.xz,application/json"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            event.currentTarget.value = "";
            if (file !== undefined) void store.openEvidence(file);
          }}
        />
      </label>
    </div>
  );
}
