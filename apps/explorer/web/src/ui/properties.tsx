// All properties with their verdicts, and the checks that run.

import { useState } from "preact/hooks";
import { server } from "../api";
import type { PropertyReport } from "../api";
import type { Verdict } from "../store";
import { download, FormulaField, Panel, plural, useStore } from "./common";

/** More properties than this are listed only as far as they fit the filter. */
const LISTED = 300;
/** Of more properties than this, the details are shown on demand. */
const OPEN = 4;

const GOOD = ["safe", "reachable", "holds", "unbounded", "value"];
const WRONG = ["unsafe", "unreachable", "fails"];

function Badge(props: { report: PropertyReport | undefined; isRunning: boolean }) {
  if (props.isRunning) return <span class="badge running">running</span>;
  if (props.report === undefined) return <span class="badge none">not checked</span>;
  const { answer, reason } = props.report;
  const kind = GOOD.includes(answer) ? "good" : WRONG.includes(answer) ? "wrong" : "open";
  const mark = { good: "✓", wrong: "✗", open: "?" }[kind];
  return (
    <span class={`badge ${kind}`} title={reason ?? undefined}>
      <span aria-hidden="true">{mark} </span>
      {answer}
    </span>
  );
}

export function Properties() {
  const store = useStore();
  const [filter, setFilter] = useState("");
  const [question, setQuestion] = useState("");
  const all = [...store.model.properties, ...store.asked];
  const rank = (id: string) => {
    const answer = store.verdicts.get(id)?.report.answer;
    return answer === undefined ? 2 : answer === "unknown" ? 1 : WRONG.includes(answer) ? 0 : 3;
  };
  // What is wrong comes first, and what is proven last.
  const fitting = all.filter((p) => p.id.includes(filter)).sort((a, b) => rank(a.id) - rank(b.id));
  const running = [...store.checks.values()];
  const isRunning = (id: string) => running.some((check) => check.ids.includes(id));
  const tools = (
    <button
      type="button"
      class="main"
      disabled={running.length > 0 || store.model.properties.length === 0}
      onClick={() => void store.check([])}
    >
      Check all
    </button>
  );
  return (
    <Panel title="Properties" id="properties-title" tools={tools}>
      {running.map(({ task, ids }) => (
        <div class="running" key={task.id}>
          <span>
            Checking {ids.length === 1 ? ids[0] : ids.length === 0 ? "the question" : `${ids.length} properties`}:{" "}
            {task.seconds.toFixed(1)} s{task.states > 0 && `, ${plural(task.states, "state")}`}
            {task.bytes > 0 && `, ${Math.ceil(task.bytes / 1048576)} MB`}
          </span>
          <progress aria-label="The check is running" />
          <button type="button" onClick={() => void store.stop(task.id)}>
            Stop
          </button>
        </div>
      ))}
      {all.length > 12 && (
        <label class="field inline pad">
          <span>
            {fitting.length} of {all.length}
          </span>
          <input type="search" placeholder="filter" value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />
        </label>
      )}
      {all.length === 0 && <p class="empty">The model asks for nothing. Ask a formula below.</p>}
      <ul class="properties">
        {fitting.slice(0, LISTED).map((property) => {
          const verdict = store.verdicts.get(property.id);
          return (
            <li key={property.id}>
              <div class="property">
                <span class="name" title={property.id}>
                  {store.short(property.id)}
                </span>
                <Badge report={verdict?.report} isRunning={isRunning(property.id)} />
                {verdict === undefined && !isRunning(property.id) && (
                  <button
                    type="button"
                    onClick={() => void store.check([property.id])}
                    aria-label={`Check ${property.id}`}
                  >
                    Check
                  </button>
                )}
              </div>
              {verdict !== undefined && !isRunning(property.id) && (
                <Details id={property.id} verdict={verdict} isOpen={all.length <= OPEN} />
              )}
            </li>
          );
        })}
      </ul>
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          if (question.trim() !== "") void store.check([], question.trim());
        }}
      >
        <FormulaField
          id="ask"
          label="Ask a formula"
          value={question}
          placeholder="EF …, AG …, or a temporal formula"
          onText={setQuestion}
        />
        <button type="submit" disabled={question.trim() === ""}>
          Check
        </button>
      </form>
    </Panel>
  );
}

function Details(props: { id: string; verdict: Verdict; isOpen: boolean }) {
  const store = useStore();
  const { report, run, task } = props.verdict;
  const isAsked = !store.model.properties.some((p) => p.id === props.id);
  const isThere = run?.path !== undefined && run.path === store.path;
  const save = () =>
    store.run(async () => {
      const evidence = await server.evidence(task, props.verdict.id);
      download(`${props.id.replace(/[^\w.-]+/g, "_")}.evidence.json`, "application/json", JSON.stringify(evidence));
    });
  const show = () => {
    if (run?.path === undefined) return;
    store.noteRepeat(run);
    void store.follow(run.path);
  };
  const facts = (
    <>
      {report.detail !== null && report.detail.split("\n").map((line) => <p key={line}>{line}</p>)}
      <p class="dim">
        {report.engine}, {plural(report.stats.states, "state")}, {report.seconds.toFixed(3)} s
        {report.evidence?.checked === true && ", checked by the independent checker"}
        {report.reason !== null && `, ${report.reason}`}
      </p>
    </>
  );
  return (
    <div class="details">
      {props.isOpen ? (
        facts
      ) : (
        <details>
          <summary aria-label={`Details of ${props.id}`}>details</summary>
          {facts}
        </details>
      )}
      <div class="buttons">
        {run?.path !== undefined && (
          <button type="button" class="main" onClick={show} aria-label={`Show the run of ${props.id}`}>
            {isThere ? "Shown below" : "Show the run"} ({plural(run.path.split(".").length - 1, "step")}
            {run.whole ? "" : ", cut"})
          </button>
        )}
        {run?.path !== undefined && !isThere && (
          <button
            type="button"
            onClick={() => store.keep(run.path ?? null)}
            aria-label={`Compare with the run of ${props.id}`}
          >
            Compare
          </button>
        )}
        {report.evidence?.file != null && (
          <button type="button" onClick={() => void save()} aria-label={`Save the evidence of ${props.id}`}>
            Evidence
          </button>
        )}
        <button
          type="button"
          onClick={() => void (isAsked ? store.check([], props.id) : store.check([props.id]))}
          aria-label={`Check ${props.id} again`}
        >
          Again
        </button>
      </div>
    </div>
  );
}
