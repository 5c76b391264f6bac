// The path as a sequence diagram: each thread, place, latch or variable that changes is a lane, each step a row.

import { useEffect } from "preact/hooks";
import type { Step } from "../api";
import { cut, wide } from "../layout";
import { mermaid } from "../mermaid";
import { Active, Canvas } from "./canvas";
import { after, download, useStore } from "./common";

/** Maximum number of rows and lanes that are drawn. */
const ROWS = 200;
const LANES = 24;
const ROW = 34;
const TEXT = 24;

interface Lane {
  name: string;
  x: number;
  width: number;
}

/** Returns the parts that the steps change or that request them, in the order in which this happens. */
export function lanesOf(steps: Step[]): { lanes: string[]; more: number } {
  const all = new Set<string>();
  steps.forEach((step) => {
    step.requested_by?.forEach((name) => all.add(name));
    step.changes.forEach((change) => all.add(change.name));
  });
  const names = [...all];
  return { lanes: names.slice(0, LANES), more: Math.max(0, names.length - LANES) };
}

const eventOf = (step: Step) => [step.event, ...(step.outputs ?? [])].join(" / ");

export function Sequence() {
  const store = useStore();
  const { picks, at } = store.place;
  // The rows around the current step.
  const from = picks.length <= ROWS ? 0 : Math.max(0, Math.min(at - ROWS / 2, picks.length - ROWS));
  const to = Math.min(picks.length, from + ROWS);
  useEffect(() => void store.run(() => store.needSteps(from, to)), [store.path, from, to]);
  const steps = store.steps.slice(from, to).filter((step) => step !== undefined);
  if (picks.length === 0) return <p class="empty">The path has no steps yet: take some, and they appear here.</p>;
  if (steps.length < to - from)
    return (
      <p class="empty" role="status">
        Reading the steps …
      </p>
    );
  const { lanes: names, more } = lanesOf(steps);
  const margin = Math.max(...steps.map((step) => wide(cut(eventOf(step), 34)))) + 66;
  let x = margin;
  const lanes: Lane[] = names.map((name) => {
    const values = steps.flatMap((step) => step.changes.filter((change) => change.name === name));
    const widest = Math.max(wide(cut(name, TEXT)), ...values.map((c) => wide(cut(after(c), TEXT)) + 16));
    const lane = { name, x: x + (widest + 26) / 2, width: widest + 26 };
    x += lane.width;
    return lane;
  });
  const note = [
    from > 0 ? `${from} earlier steps are left out` : "",
    to < picks.length ? `${picks.length - to} later steps are left out` : "",
    more > 0 ? `${more} parts are left out` : "",
  ]
    .filter((part) => part !== "")
    .join("; ");
  const height = 56 + steps.length * ROW + 34;
  const width = Math.max(x + 20, wide(note) + 40);
  const row = (i: number) => 66 + i * ROW;
  const again = store.repeats !== null && store.repeats.path === store.path ? store.repeats.from : null;
  const save = () =>
    store.run(async () => download("path.mmd", "text/vnd.mermaid", mermaid(await store.allSteps(2000))));
  return (
    <Canvas
      width={width}
      height={height}
      label="Sequence diagram of the path"
      name="path"
      focus={{ x: margin, y: row(Math.max(0, at - 1 - from)), key: `${store.path}:${at}` }}
      tools={
        <button type="button" onClick={() => void save()}>
          Mermaid
        </button>
      }
    >
      {lanes.map((lane) => (
        <g key={lane.name} class="lane">
          <line x1={lane.x} y1={36} x2={lane.x} y2={height - 34} />
          <text class="title" x={lane.x} y={24} text-anchor="middle">
            {cut(lane.name, TEXT)}
          </text>
        </g>
      ))}
      {at - from >= 0 && at - from <= steps.length && (
        <line class="here" x1={6} x2={width - 6} y1={row(at - from) - ROW / 2} y2={row(at - from) - ROW / 2} />
      )}
      {again !== null && (
        <path
          class="again"
          d={`M14,${row(steps.length - 1)}h-8V${row(again - 1 - from)}h8`}
          marker-end="url(#tip-on)"
        />
      )}
      {steps.map((step, i) => (
        <StepRow
          key={step.step}
          step={step}
          y={row(i)}
          lanes={lanes}
          margin={margin}
          isPast={step.step <= at}
          onPick={() => void store.jump(step.step)}
        />
      ))}
      {note !== "" && (
        <text class="dim" x={16} y={height - 12}>
          {note}
        </text>
      )}
    </Canvas>
  );
}

function StepRow(props: { step: Step; y: number; lanes: Lane[]; margin: number; isPast: boolean; onPick: () => void }) {
  const { step, y, lanes, margin } = props;
  const on = (name: string) => lanes.find((lane) => lane.name === name)?.x;
  const requested = new Set(step.requested_by ?? []);
  const touched = [...requested, ...step.changes.map((change) => change.name)].map(on).filter((x) => x !== undefined);
  const [least, most] = [Math.min(...touched), Math.max(...touched)];
  const label = `Step ${step.step}: ${eventOf(step)}${step.reached ? `, reaches ${step.reached.join(", ")}` : ""}`;
  return (
    <Active
      class={`step${props.isPast ? "" : " later"}${step.reached ? " reached" : ""}`}
      label={label}
      onPick={props.onPick}
    >
      <rect class="hit" x={20} y={y - ROW / 2 + 1} width={margin - 26} height={ROW - 2} />
      <text class="number" x={48} y={y + 4} text-anchor="end">
        {step.step}
      </text>
      <text class="event" x={58} y={y + 4}>
        {cut(eventOf(step), 34)}
      </text>
      {touched.length > 0 && <line class="bar" x1={least} x2={most} y1={y} y2={y} />}
      {[...requested].map((name) => {
        const x = on(name);
        return x === undefined ? null : <circle key={name} class="asks" cx={x} cy={y} r={5} />;
      })}
      {step.changes.map((change) => {
        const x = on(change.name);
        if (x === undefined) return null;
        const text = cut(after(change), TEXT);
        const width = wide(text) + 14;
        return (
          <g key={change.name} class={requested.has(change.name) ? "value asks" : "value"}>
            <rect x={x - width / 2} y={y - 11} width={width} height={22} rx={6} />
            <text x={x} y={y + 4} text-anchor="middle">
              {text}
            </text>
          </g>
        );
      })}
    </Active>
  );
}
