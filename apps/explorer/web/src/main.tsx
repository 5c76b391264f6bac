// The page of `impasse explore`.

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { store } from "./store";
import type { Theme } from "./store";
import { useStore } from "./ui/common";
import { Compare } from "./ui/compare";
import { Dialogs } from "./ui/dialogs";
import { StateGraph } from "./ui/graph";
import { NetPicture } from "./ui/net";
import { Enabled, items, Refused, Values } from "./ui/now";
import { Properties } from "./ui/properties";
import { PathPanel, Tools } from "./ui/run";
import { Sequence } from "./ui/sequence";
import { Source } from "./ui/source";
import { Threads } from "./ui/threads";

const THEMES: Theme[] = ["auto", "light", "dark"];

function setTheme(theme: Theme): void {
  store.theme = theme;
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // The browser keeps nothing; the theme lasts until the page is closed.
  }
  store.changed();
}

function Header() {
  const { model, theme } = useStore();
  const sizes = Object.entries(model.model).filter(([name]) => name !== "kind");
  const said = sizes.map(([name, value]) => `${value.toLocaleString("en")} ${name.replace(/_/g, " ")}`).join(", ");
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
  return (
    <header class="top">
      <h1>
        <span class="mark" aria-hidden="true">
          ⟂
        </span>{" "}
        impasse <span class="dim">explore</span>
      </h1>
      <span class="file" title={model.file}>
        {model.file.split("/").pop()}
      </span>
      <span class="dim sizes">
        {model.model.kind}: {said}
      </span>
      <span class="spring" />
      <button type="button" onClick={() => setTheme(next)} aria-label={`Colours: ${theme}. Change to ${next}`}>
        {theme === "auto" ? "◐ auto" : theme === "light" ? "○ light" : "● dark"}
      </button>
      <button
        type="button"
        onClick={() => {
          store.dialog = "help";
          store.changed();
        }}
      >
        Help
      </button>
    </header>
  );
}

interface View {
  id: string;
  name: string;
}

function views(): View[] {
  const { shape, has_text } = store.model;
  const picture = shape.drawn_as === "threads" ? "Threads" : shape.drawn_as === "net" ? "Net" : null;
  return [
    ...(picture === null ? [] : [{ id: "model", name: picture }]),
    ...(has_text ? [{ id: "source", name: "Text" }] : []),
    { id: "sequence", name: "Sequence" },
    { id: "states", name: "State graph" },
    { id: "compare", name: "Compare" },
  ];
}

function Center() {
  const { place, state, isSplit } = useStore();
  const all = views();
  const shown = all.find((view) => view.id === place.view) ?? all[0];
  const move = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0 || shown === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = all[(all.indexOf(shown) + by + all.length) % all.length];
    if (next === undefined) return;
    store.show(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <main class="center">
      <div class="tabs" role="tablist" aria-label="Views" onKeyDown={move}>
        {all.map((view) => (
          <button
            key={view.id}
            id={`tab-${view.id}`}
            type="button"
            role="tab"
            aria-selected={view === shown}
            aria-controls="view"
            tabIndex={view === shown ? 0 : -1}
            onClick={() => store.show(view.id)}
          >
            {view.name}
          </button>
        ))}
      </div>
      <div class="view" id="view" role="tabpanel" aria-labelledby={`tab-${shown?.id}`}>
        <div class="view-part">
          {state !== null &&
            shown?.id === "model" &&
            (store.model.shape.drawn_as === "threads" ? <Threads state={state} /> : <NetPicture state={state} />)}
          {shown?.id === "source" && <Source />}
          {shown?.id === "sequence" && <Sequence />}
          {shown?.id === "states" && <StateGraph />}
          {shown?.id === "compare" && <Compare />}
        </div>
        {isSplit && shown?.id !== "source" && (
          <div class="view-part beside">
            <Source />
          </div>
        )}
      </div>
      {store.model.has_text && shown?.id !== "source" && (
        <button
          type="button"
          class="split"
          aria-pressed={isSplit}
          onClick={() => {
            store.isSplit = !isSplit;
            store.changed();
          }}
        >
          Text beside
        </button>
      )}
    </main>
  );
}

function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  const isTyping =
    target.closest("input, select, textarea, dialog, [role=listbox], [role=tablist], .canvas-room") !== null;
  if (!store.keys || isTyping || event.ctrlKey || event.altKey || event.metaKey || store.dialog !== null) return;
  const { at, picks } = store.wanted;
  const steps: Record<string, () => void> = {
    ArrowLeft: () => void store.jump(at - 1),
    ArrowRight: () => void store.jump(at + 1),
    Home: () => void store.jump(0),
    End: () => void store.jump(picks.length),
    r: () => void store.random(1, Math.floor(Math.random() * 2 ** 31), []),
    "/": () => document.getElementById("search")?.focus(),
    "?": () => {
      store.dialog = "help";
      store.changed();
    },
  };
  const number = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
  const outcome = number < 0 ? undefined : items(store.state?.choices ?? [])[number]?.outcome;
  const act = outcome == null ? steps[event.key] : () => void store.take([outcome.pick]);
  if (act === undefined) return;
  event.preventDefault();
  act();
}

function App() {
  const { error, said, isBusy, state } = useStore();
  useEffect(() => {
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <a
        class="skip"
        href="#enabled-title"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>("[aria-labelledby=enabled-title] [tabindex]")?.focus();
        }}
      >
        To the enabled steps
      </a>
      <Header />
      {error !== null && (
        <div class="error banner" role="alert">
          <span class="text">{error}</span>
          <button
            type="button"
            aria-label="Close the message"
            onClick={() => {
              store.error = null;
              store.changed();
            }}
          >
            ×
          </button>
        </div>
      )}
      <div class={isBusy ? "columns busy" : "columns"}>
        <div class="column">
          <Properties />
          <PathPanel />
          <Tools />
        </div>
        <Center />
        <div class="column">
          {state !== null && <Enabled />}
          {state !== null && <Refused />}
          {state !== null && <Values />}
        </div>
      </div>
      <div class="hidden" role="status" aria-live="polite">
        {said}
      </div>
      <Dialogs />
    </>
  );
}

function Begin() {
  const [failed, setFailed] = useState<string | null>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    store.begin().then(
      () => setReady(true),
      (error: unknown) => setFailed(String(error)),
    );
  }, []);
  if (failed !== null)
    return (
      <p class="error banner" role="alert">
        {failed}
      </p>
    );
  return isReady ? (
    <App />
  ) : (
    <p class="empty" role="status">
      Reading the model …
    </p>
  );
}

let theme: string | null = null;
try {
  theme = localStorage.getItem("theme");
} catch {
  // The browser keeps nothing.
}
store.theme = THEMES.find((known) => known === theme) ?? "auto";
document.documentElement.dataset.theme = store.theme;
const root = document.getElementById("app");
if (root !== null) render(<Begin />, root);
