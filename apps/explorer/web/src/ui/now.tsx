// The current state: what is enabled, what is not and why, and the values of all parts.

import { useEffect, useMemo, useState } from "preact/hooks";
import { server } from "../api";
import type { Choice, Outcome, Refusal } from "../api";
import { before, changesText, FormulaField, Panel, Rows, useLate, useStore, valueOf } from "./common";

interface Item {
  choice: Choice;
  outcome: Outcome | null;
}

/** Returns a row for each outcome, and one for fields whose values the user chooses. */
export function items(choices: Choice[]): Item[] {
  return choices.flatMap((choice) => {
    const all: Item[] = choice.outcomes.map((outcome) => ({ choice, outcome }));
    return choice.complete && choice.outcomes.length > 0 ? all : [...all, { choice, outcome: null }];
  });
}

export function Enabled() {
  const store = useStore();
  const [filter, setFilter] = useState("");
  const late = useLate(filter);
  const [found, setFound] = useState<Choice[] | null>(null);
  const { state } = store;
  const here = store.here;
  useEffect(() => {
    let isOld = false;
    if (late === "") setFound(null);
    else {
      void store.run(async () => {
        const got = await server.state(here, late);
        if (!isOld) setFound(got.choices);
      });
    }
    return () => {
      isOld = true;
    };
  }, [late, here]);
  const choices = late === "" || found === null ? (state?.choices ?? []) : found;
  const rows = useMemo(() => items(choices), [choices]);
  if (state === null) return null;
  const next = store.place.picks[store.place.at];
  const pick = (i: number) => {
    const item = rows[i];
    if (item?.outcome != null) void store.take([item.outcome.pick]);
    else if (item !== undefined) {
      store.chosen = item.choice.label;
      store.dialog = "fields";
      store.changed();
    }
  };
  const empty =
    state.reached.length > 0
      ? `Nothing: the run ends here (${state.reached.join(", ")}).`
      : "Nothing is enabled: the run ends here.";
  return (
    <Panel title={`Enabled (${state.enabled})`} id="enabled-title" grow>
      {state.enabled > 20 && (
        <label class="field inline pad">
          <span>{choices.length < state.enabled ? `${choices.length} listed` : "all listed"}</span>
          <input type="search" placeholder="filter" value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />
        </label>
      )}
      <Rows
        id="enabled"
        label="Enabled steps; Enter takes one"
        count={rows.length}
        height={42}
        row={(i) => <Row item={rows[i]} number={i} isNext={rows[i]?.outcome?.pick === next} />}
        rowLabel={(i) => text(rows[i])}
        onPick={pick}
        empty={late === "" ? empty : "No enabled label has this in its name."}
      />
      {state.stuck !== undefined && (
        <div class="stuck">
          <p>{state.stuck[0]}</p>
          <ul>
            {state.stuck.slice(1).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
    </Panel>
  );
}

function text(item: Item | undefined): string {
  if (item === undefined) return "";
  const by = item.choice.requested_by ? `, requested by ${item.choice.requested_by.join(", ")}` : "";
  if (item.outcome === null) return `${item.choice.name}: choose values${by}`;
  return `${item.outcome.event}${by}, ${changesText(item.outcome.changes, item.outcome.more)}`;
}

function Row(props: { item: Item | undefined; number: number; isNext: boolean }) {
  const { item } = props;
  if (item === undefined) return null;
  const key =
    props.number < 9 ? <kbd aria-hidden="true">{props.number + 1}</kbd> : <kbd class="none" aria-hidden="true" />;
  const by = item.choice.requested_by?.join(", ");
  return (
    <>
      {key}
      <span class="two">
        <span class="name">
          {item.outcome === null
            ? `${item.choice.name} …`
            : [item.outcome.event, ...(item.outcome.outputs ?? [])].join(" / ")}
          {by !== undefined && <span class="by"> by {by}</span>}
          {props.isNext && <span class="badge none small">next</span>}
        </span>
        <span class="dim">
          {item.outcome === null ? "choose values" : changesText(item.outcome.changes, item.outcome.more)}
        </span>
      </span>
    </>
  );
}

/** Returns why a label is not enabled. */
export function reason(refusal: Refusal): string {
  switch (refusal.because) {
    case "not_requested":
      return "no thread requests it";
    case "blocked":
      return `blocked by ${(refusal.by ?? []).map((b) => `${b.thread} (${b.at})`).join(", ")}`;
    case "priority":
      return `a request of higher priority, ${refusal.higher}, is enabled`;
    case "tokens":
      return (refusal.places ?? []).map((p) => `${p.place} is ${p.has}, not ${p.needs}`).join(", ");
    default:
      return refusal.why ?? "";
  }
}

const PAGE = 200;

export function Refused() {
  const store = useStore();
  const [filter, setFilter] = useState("");
  const late = useLate(filter);
  const [page, setPage] = useState<{ total: number; items: Refusal[] }>({ total: 0, items: [] });
  const here = store.here;
  useEffect(() => {
    let isOld = false;
    void store.run(async () => {
      const got = await server.refused(here, late, 0, PAGE);
      if (!isOld) setPage(got);
    });
    return () => {
      isOld = true;
    };
  }, [here, late]);
  const more = page.total - page.items.length;
  // Blocked events say more than events that no thread requests.
  const sorted = useMemo(
    () => [...page.items].sort((a, b) => Number(a.because === "not_requested") - Number(b.because === "not_requested")),
    [page],
  );
  const isLong = sorted.some((item) => reason(item).length > 46);
  return (
    <Panel title={`Not enabled (${page.total})`} id="refused-title" grow>
      {(page.total > 20 || filter !== "") && (
        <label class="field inline pad">
          <span>{more > 0 ? `${page.items.length} listed` : "all listed"}</span>
          <input type="search" placeholder="filter" value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />
        </label>
      )}
      <Rows
        id="refused"
        label="Labels that are not enabled, and why"
        count={sorted.length}
        height={isLong ? 60 : 42}
        row={(i) => {
          const item = sorted[i];
          return (
            item && (
              <span class="two" title={reason(item)}>
                <span class="name">{item.name}</span>
                <span class={isLong ? "dim wrap" : "dim"}>{reason(item)}</span>
              </span>
            )
          );
        }}
        rowLabel={(i) => (sorted[i] ? `${sorted[i].name}: ${reason(sorted[i])}` : "")}
        empty={late === "" ? "Everything is enabled." : "No such label."}
      />
    </Panel>
  );
}

interface Watched {
  text: string;
  /** Whether it holds in the current state, or what is wrong with it. */
  value: string;
}

/** Formulas with their truth in the current state. */
function Watches() {
  const store = useStore();
  const [text, setText] = useState("");
  const [watched, setWatched] = useState<Watched[]>([]);
  const here = store.here;
  const texts = watched.map((one) => one.text).join("\n");
  useEffect(() => {
    let isOld = false;
    const value = (formula: string) =>
      server.holds(here, formula).then(
        ({ holds }) => String(holds),
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    const all = texts === "" ? [] : texts.split("\n");
    void Promise.all(all.map(async (one) => ({ text: one, value: await value(one) }))).then((got) => {
      if (!isOld) setWatched(got);
    });
    return () => {
      isOld = true;
    };
  }, [here, texts]);
  const add = () => {
    const one = text.trim();
    if (one === "" || watched.some((other) => other.text === one)) return;
    setWatched([...watched, { text: one, value: "…" }]);
    setText("");
  };
  return (
    <>
      <form
        class="bar end"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <FormulaField id="watch" label="Formula here" value={text} placeholder="name >= 1" onText={setText} />
        <button type="submit" disabled={text.trim() === ""}>
          Watch
        </button>
      </form>
      {watched.length > 0 && (
        <ul class="watches" aria-label="Formulas in this state" aria-live="polite">
          {watched.map((one) => (
            <li key={one.text}>
              <span class="name">{one.text}</span>
              <span class="value">{one.value}</span>
              <button
                type="button"
                aria-label={`Do not watch ${one.text}`}
                onClick={() => setWatched(watched.filter((other) => other !== one))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

export function Values() {
  const store = useStore();
  const [filter, setFilter] = useState("");
  const [onlyChanged, setOnlyChanged] = useState(false);
  const late = useLate(filter.toLowerCase());
  const { state, model, place } = store;
  const changed = useMemo(() => {
    const step = place.at > 0 ? store.steps[place.at - 1] : undefined;
    return new Map((step?.changes ?? []).map((change) => [change.name, before(change)]));
  }, [store.version, store.steps.length, place.at]);
  const isNet = model.shape.drawn_as === "net";
  const names = useMemo(
    () =>
      model.parts.filter(
        (name) =>
          (late === ""
            ? !isNet || state?.state[name] !== undefined || changed.has(name)
            : name.toLowerCase().includes(late)) &&
          (!onlyChanged || changed.has(name)),
      ),
    [late, onlyChanged, store.version, changed],
  );
  if (state === null) return null;
  const value = (name: string) => valueOf(state, name);
  return (
    <Panel title="State" id="state-title" grow>
      <div class="bar">
        <label class="field inline grow">
          <span>
            {names.length} of {model.parts.length}
          </span>
          <input type="search" placeholder="filter" value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />
        </label>
        <label class="check">
          <input type="checkbox" checked={onlyChanged} onChange={(e) => setOnlyChanged(e.currentTarget.checked)} />{" "}
          changed
        </label>
      </div>
      {!["circuit", "reactive", "data"].includes(model.model.kind) && <Watches />}
      <Rows
        id="values"
        label={`Values of the state${isNet ? "; places without tokens are left out" : ""}`}
        count={names.length}
        height={28}
        row={(i) => {
          const name = names[i] ?? "";
          const old = changed.get(name);
          return (
            <>
              <span class="name">{name}</span>
              <span class="value" title={old === undefined ? value(name) : `${value(name)} (before: ${old})`}>
                {value(name)} {old !== undefined && <s aria-label={`was ${old}`}>{old}</s>}
              </span>
            </>
          );
        }}
        rowLabel={(i) => {
          const name = names[i] ?? "";
          return `${name}: ${value(name)}${changed.has(name) ? `, was ${changed.get(name)}` : ""}`;
        }}
        rowClass={(i) => (changed.has(names[i] ?? "") ? "changed" : "")}
        empty={onlyChanged ? "The last step changes nothing here." : "Nothing fits."}
      />
    </Panel>
  );
}
