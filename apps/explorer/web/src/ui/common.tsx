// Parts that several views use.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { Change, State } from "../api";
import { store } from "../store";
import type { Store } from "../store";

/** Draws the component again when the store changes. */
export function useStore(): Store {
  const [, again] = useReducer((n: number) => n + 1, 0);
  useEffect(() => store.listen(() => again(0)), []);
  return store;
}

/** A section with a heading. */
export function Panel(props: {
  title: string;
  id: string;
  tools?: ComponentChildren;
  children: ComponentChildren;
  grow?: boolean;
}) {
  return (
    <section class={props.grow ? "panel grow" : "panel"} aria-labelledby={props.id}>
      <header class="panel-head">
        <h2 id={props.id}>{props.title}</h2>
        <div class="tools">{props.tools}</div>
      </header>
      {props.children}
    </section>
  );
}

/**
 * A list that draws only the rows in view. It has one place in the order of the Tab key; the arrow keys move in it, and
 * Enter activates a row.
 */
export function Rows(props: {
  label: string;
  count: number;
  height: number;
  row: (i: number) => ComponentChildren;
  rowClass?: (i: number) => string;
  rowLabel?: (i: number) => string;
  onPick?: ((i: number) => void) | undefined;
  current?: number;
  /** Called with the rows in view. */
  onView?: (from: number, to: number) => void;
  empty?: string;
  id: string;
}) {
  const { count, height } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [room, setRoom] = useState(400);
  const [active, setActive] = useState(-1);
  const from = Math.max(0, Math.floor(top / height) - 4);
  const to = Math.min(count, Math.ceil((top + room) / height) + 4);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const seen = () => setRoom(element.clientHeight);
    seen();
    const watch = new ResizeObserver(seen);
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  const reveal = (i: number) => {
    const element = box.current;
    if (element === null || i < 0) return;
    const [first, last] = [i * height, (i + 1) * height];
    if (first < element.scrollTop) element.scrollTop = first;
    else if (last > element.scrollTop + element.clientHeight) element.scrollTop = last - element.clientHeight;
  };
  useEffect(() => {
    if (props.current !== undefined) reveal(props.current);
  }, [props.current, count, room]);
  useEffect(() => props.onView?.(from, to), [from, to, count]);
  useEffect(() => {
    if (active >= count) setActive(count - 1);
  }, [count]);

  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(room / height) - 1);
    const base = active < 0 ? (props.current ?? -1) : active;
    const moves: Record<string, number> = {
      ArrowDown: base + 1,
      ArrowUp: base - 1,
      PageDown: base + page,
      PageUp: base - page,
      Home: 0,
      End: count - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) {
      const next = Math.max(0, Math.min(count - 1, to));
      setActive(next);
      reveal(next);
    } else if ((event.key === "Enter" || event.key === " ") && active >= 0 && props.onPick !== undefined) {
      props.onPick(active);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  if (count === 0) return <p class="empty">{props.empty ?? "Nothing."}</p>;
  const rows = [];
  for (let i = from; i < to; i += 1) {
    const marks = [
      "row",
      i === active ? "active" : "",
      i === props.current ? "current" : "",
      props.onPick === undefined ? "" : "can",
      props.rowClass?.(i) ?? "",
    ];
    rows.push(
      <div
        key={i}
        id={`${props.id}-${i}`}
        role="option"
        aria-selected={i === props.current}
        aria-setsize={count}
        aria-posinset={i + 1}
        aria-label={props.rowLabel?.(i)}
        class={marks.filter((mark) => mark !== "").join(" ")}
        style={{ top: `${i * height}px`, height: `${height}px` }}
        onClick={() => {
          setActive(i);
          props.onPick?.(i);
        }}
      >
        {props.row(i)}
      </div>,
    );
  }
  return (
    <div
      ref={box}
      class="rows"
      role="listbox"
      tabIndex={0}
      aria-label={props.label}
      aria-activedescendant={active >= from && active < to ? `${props.id}-${active}` : undefined}
      onKeyDown={onKeyDown}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div class="rows-all" role="presentation" style={{ height: `${count * height}px` }}>
        {rows}
      </div>
    </div>
  );
}

/** Most names that a field proposes. */
const PROPOSED = 20;

/** A field for a formula, which proposes the names of the model for the word that is being typed. */
export function FormulaField(props: {
  id: string;
  label: string;
  value: string;
  placeholder: string;
  onText: (text: string) => void;
}) {
  const store = useStore();
  const names = useMemo(() => [...new Set([...store.model.parts, ...store.model.labels])], [store.model]);
  const word = /[\w.\[\]]*$/.exec(props.value)?.[0] ?? "";
  const start = props.value.slice(0, props.value.length - word.length);
  const fitting = word === "" ? [] : names.filter((name) => name.startsWith(word) && name !== word).slice(0, PROPOSED);
  return (
    <label class="field grow">
      <span>{props.label}</span>
      <input
        id={props.id}
        list={`${props.id}-names`}
        autocomplete="off"
        value={props.value}
        placeholder={props.placeholder}
        onInput={(event) => props.onText(event.currentTarget.value)}
      />
      <datalist id={`${props.id}-names`}>
        {fitting.map((name) => (
          <option key={name} value={start + name} />
        ))}
      </datalist>
    </label>
  );
}

export function changeText(change: Change): string {
  return `${change.name}: ${before(change)} → ${after(change)}`;
}

export function before(change: Change): string {
  return change.from_text ?? String(change.from);
}

export function after(change: Change): string {
  return change.to_text ?? String(change.to);
}

/** Returns the value of a part as people read it. A place that a state does not name has no tokens. */
export function valueOf(state: State, name: string): string {
  return state.texts?.[name] ?? String(state.state[name] ?? 0);
}

/** The ids of properties that a step or state reaches. Reaching what `EF` asks for is no fault. */
export function Reached(props: { ids: string[] }) {
  const wanted = new Set(store.model.properties.filter((p) => p.asked === "EF").map((p) => p.id));
  const [shown, more] = [props.ids.slice(0, 2), props.ids.length - 2];
  return (
    <>
      {shown.map((id) => (
        <span key={id} class={`badge small ${wanted.has(id) ? "good" : "wrong"}`} title={id}>
          {store.short(id)}
        </span>
      ))}
      {more > 0 && (
        <span class="badge small none" title={props.ids.join(", ")}>
          +{more}
        </span>
      )}
    </>
  );
}

/** An icon: the outline of a path in a square of 16. */
export function Icon(props: { path: string }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={props.path} />
    </svg>
  );
}

export function changesText(changes: Change[] | undefined, more = 0): string {
  if (changes === undefined) return "";
  const all = changes.map(changeText);
  if (more > 0) all.push(`and ${more} more`);
  return all.length === 0 ? "nothing changes" : all.join(", ");
}

/** Returns a function that waits until it was not called for a while. */
export function useLate<T>(value: T, wait = 150): T {
  const [late, setLate] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), wait);
    return () => clearTimeout(timer);
  }, [value]);
  return late;
}

/** Gives the user a file. */
export function download(name: string, type: string, content: BlobPart): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function plural(n: number, word: string): string {
  return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
}
