// Dialogs: the help, and the values of the fields of a choice.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { Field } from "../api";
import { digit, outcome } from "../path";
import { useStore } from "./common";

function Dialog(props: { title: string; children: ComponentChildren }) {
  const store = useStore();
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  const close = () => {
    store.dialog = null;
    store.changed();
  };
  return (
    <dialog ref={box} aria-labelledby="dialog-title" onClose={close}>
      <h2 id="dialog-title">{props.title}</h2>
      {props.children}
    </dialog>
  );
}

const KEYS: [string, string][] = [
  ["← →", "one step back, one step forward on the path"],
  ["Home, End", "to the start, to the end of the path"],
  ["1 to 9", "take this enabled step"],
  ["r", "take one random step"],
  ["/", "go to the search"],
  ["?", "show this help"],
  ["Tab, ↑ ↓, Enter", "go to a list, move in it, activate a row"],
];

export function Help() {
  const store = useStore();
  return (
    <Dialog title="Help">
      <table>
        <caption class="hidden">Keys</caption>
        <tbody>
          {KEYS.map(([key, what]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <label class="check">
        <input
          type="checkbox"
          checked={store.keys}
          onChange={(event) => {
            store.keys = event.currentTarget.checked;
            store.changed();
          }}
        />{" "}
        Keys outside of lists are on
      </label>
      <p>
        The address of the page contains the path: a link to it shows the same state while this server runs, and the
        part after <code>#</code> stays valid for the same model.
      </p>
      <p>Circles at lanes and full lines mark requests, dashed lines mark waiting. Double frames are final states.</p>
      <form method="dialog">
        <button class="main">Close</button>
      </form>
    </Dialog>
  );
}

/** Asks for the values of fields. `take` gets the outcome. */
export function Fields(props: { title: string; fields: Field[]; take: (outcome: string) => void }) {
  const store = useStore();
  const { fields } = props;
  const [values, setValues] = useState<string[]>(fields.map((f) => (f.options ? "0" : f.signed ? "0" : f.least)));
  const [filter, setFilter] = useState("");
  const isBit = (field: Field) => field.count === "2" && field.least === "0" && !field.signed && !field.options;
  const digits = fields.map((field, i) => (field.options ? (values[i] ?? "0") : digit(field, values[i] ?? "")));
  const wrong = digits.findIndex((d) => d === null);
  const set = (i: number, value: string) => setValues(values.map((old, k) => (k === i ? value : old)));
  const listed = fields.map((_, i) => i).filter((i) => fields[i]?.name.toLowerCase().includes(filter.toLowerCase()));
  const range = (field: Field) => {
    if (field.signed) return "an integer";
    const last = BigInt(field.least) + BigInt(field.count) - 1n;
    return `${field.least} to ${last}`;
  };
  return (
    <Dialog title={props.title}>
      <form
        method="dialog"
        onSubmit={() => {
          if (wrong < 0)
            props.take(
              outcome(
                fields.map((f) => f.count),
                digits.map((d) => d ?? "0"),
              ),
            );
          store.dialog = null;
        }}
      >
        {fields.length > 30 && (
          <label class="field">
            <span>
              {listed.length} of {fields.length}
            </span>
            <input
              type="search"
              placeholder="filter"
              value={filter}
              onInput={(e) => setFilter(e.currentTarget.value)}
            />
          </label>
        )}
        <div class="fields">
          {listed.slice(0, 200).map((i) => {
            const field = fields[i];
            if (field === undefined) return null;
            if (isBit(field)) {
              return (
                <label class="check" key={i}>
                  <input
                    type="checkbox"
                    checked={values[i] === "1"}
                    onChange={(e) => set(i, e.currentTarget.checked ? "1" : "0")}
                  />{" "}
                  {field.name}
                </label>
              );
            }
            return (
              <label class="field" key={i}>
                <span>
                  {field.name}
                  {field.options ? "" : ` (${range(field)})`}
                </span>
                {field.options ? (
                  <select value={values[i]} onChange={(e) => set(i, e.currentTarget.value)}>
                    {field.options.map((option, k) => (
                      <option key={k} value={String(k)}>
                        {option}
                      </option>
                    ))}
                  </select>
                ) : (
                  <input
                    inputMode="numeric"
                    value={values[i]}
                    aria-invalid={digits[i] === null}
                    onInput={(e) => set(i, e.currentTarget.value)}
                  />
                )}
              </label>
            );
          })}
        </div>
        {wrong >= 0 && (
          <p class="error" role="alert">
            {fields[wrong]?.name}: the number does not fit.
          </p>
        )}
        <div class="buttons">
          <button class="main" disabled={wrong >= 0}>
            Take
          </button>
          <button
            type="button"
            onClick={() => {
              store.dialog = null;
              store.changed();
            }}
          >
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function Dialogs() {
  const store = useStore();
  if (store.dialog === "help") return <Help />;
  if (store.dialog === "start") {
    return (
      <Fields
        title="The initial state"
        fields={store.model.start}
        take={(start) => void store.go({ ...store.place, start, picks: [], at: 0 })}
      />
    );
  }
  if (store.dialog === "fields") {
    const choice = store.state?.choices.find((c) => c.label === store.chosen);
    if (choice === undefined) return null;
    return (
      <Fields
        title={choice.name}
        fields={choice.fields ?? []}
        take={(number) => void store.take([number === "0" ? `${choice.label}` : `${choice.label}-${number}`])}
      />
    );
  }
  return null;
}
