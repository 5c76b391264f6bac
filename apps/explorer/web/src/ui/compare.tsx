// Two paths side by side, with their first difference.

import { useEffect, useMemo, useState } from "preact/hooks";
import { server } from "../api";
import type { State, Step } from "../api";
import { common, parts, whole } from "../path";
import { changesText, plural, Rows, useStore, valueOf } from "./common";

/** Steps of the second path that are asked for at once. */
const PIECE = 400;

function useOther(other: string | null): (Step | undefined)[] {
  const store = useStore();
  const [steps, setSteps] = useState<(Step | undefined)[]>([]);
  useEffect(() => {
    setSteps([]);
    if (other === null) return;
    void store.run(async () => {
      const { picks } = parts(other);
      const all: Step[] = [];
      for (let from = 0; from < Math.min(picks.length, 10 * PIECE); from += PIECE) {
        all.push(...(await server.steps(other, from, from + PIECE)));
        setSteps([...all]);
      }
    });
  }, [other]);
  return steps;
}

export function Compare() {
  const store = useStore();
  const { other } = store.place;
  const path = store.path;
  const theirs = useOther(other);
  useEffect(() => void store.run(() => store.needSteps(0, 10 * PIECE)), [path]);
  if (other === null) {
    return (
      <div class="empty">
        <p>Compare two paths: keep this one, then take other steps, or show the run of another property.</p>
        <p>
          <button type="button" class="main" onClick={() => store.keep(path)}>
            Keep this path for comparison
          </button>
        </p>
      </div>
    );
  }
  const same = common(path, other);
  const lengths = [store.place.picks.length, parts(other).picks.length] as const;
  const count = Math.max(...lengths);
  const isEqual = same === lengths[0] && same === lengths[1];
  const text = (step: Step | undefined, i: number, length: number) =>
    i >= length ? "" : step === undefined ? "…" : [step.event, ...(step.outputs ?? [])].join(" / ");
  const said = isEqual
    ? "The paths are the same."
    : same < 0
      ? "The paths start in different states."
      : `The first difference is at step ${same + 1}.`;
  return (
    <div class="compare">
      <div class="canvas-tools">
        <strong role="status">{said}</strong>
        <span class="spring" />
        <button type="button" onClick={() => swap(other, path)}>
          Swap
        </button>
        <button type="button" onClick={() => store.keep(path)}>
          Keep this path instead
        </button>
        <button type="button" onClick={() => store.keep(null)}>
          End the comparison
        </button>
      </div>
      <div class="compare-head" aria-hidden="true">
        <span>step</span>
        <span>this path ({plural(lengths[0], "step")})</span>
        <span>kept path ({plural(lengths[1], "step")})</span>
      </div>
      <Rows
        id="compare"
        label="Steps of both paths; Enter goes to the step of this path"
        count={count}
        height={44}
        current={Math.max(0, same)}
        row={(i) => (
          <>
            <span class="number">{i + 1}</span>
            <Cell step={store.steps[i]} text={text(store.steps[i], i, lengths[0])} />
            <Cell step={theirs[i]} text={text(theirs[i], i, lengths[1])} />
          </>
        )}
        rowClass={(i) => (i === same ? "first-difference" : i > same ? "differs" : "")}
        rowLabel={(i) =>
          `step ${i + 1}: ${text(store.steps[i], i, lengths[0]) || "no step"}; kept: ${
            text(theirs[i], i, lengths[1]) || "no step"
          }${i === same ? "; first difference" : ""}`
        }
        onPick={(i) => void store.jump(Math.min(i + 1, lengths[0]))}
        empty="Both paths are empty."
      />
      {!isEqual && same >= 0 && <Differences path={path} other={other} at={same + 1} />}
    </div>
  );

  function swap(now: string, kept: string): void {
    const { start, picks } = parts(now);
    void store.go({ ...store.place, start, picks, at: picks.length, other: kept });
  }
}

function Cell(props: { step: Step | undefined; text: string }) {
  return (
    <span class="two">
      <span class="name">{props.text}</span>
      <span class="dim">{props.step === undefined ? "" : changesText(props.step.changes)}</span>
    </span>
  );
}

/** The parts with different values after the first different step. */
function Differences(props: { path: string; other: string; at: number }) {
  const store = useStore();
  const [states, setStates] = useState<[State, State] | null>(null);
  const after = (path: string) => {
    const { start, picks } = parts(path);
    return whole(start, picks.slice(0, props.at));
  };
  const [one, two] = [after(props.path), after(props.other)];
  useEffect(() => {
    let isOld = false;
    void store.run(async () => {
      const both = await Promise.all([server.state(one), server.state(two)]);
      if (!isOld) setStates(both);
    });
    return () => {
      isOld = true;
    };
  }, [one, two]);
  const rows = useMemo(() => {
    if (states === null) return [];
    const [a, b] = states;
    return store.model.parts
      .map((name) => ({ name, a: valueOf(a, name), b: valueOf(b, name) }))
      .filter((row) => row.a !== row.b);
  }, [states]);
  if (states === null || rows.length === 0) return null;
  return (
    <div class="differences">
      <h3>
        States after step {props.at}: {plural(rows.length, "difference")}
      </h3>
      <ul>
        {rows.slice(0, 12).map((row) => (
          <li key={row.name}>
            <b>{row.name}</b>: {row.a} here, {row.b} there
          </li>
        ))}
        {rows.length > 12 && <li>and {rows.length - 12} more</li>}
      </ul>
    </div>
  );
}
