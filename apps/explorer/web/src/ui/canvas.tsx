// A picture that can be zoomed and scrolled, and saved as SVG or PNG.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { store } from "../store";
import { download } from "./common";

/** Properties that a saved picture needs, because it does not have the page's style sheet. */
const STYLES = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "font-size",
  "font-family",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
  "opacity",
  "marker-end",
  "marker-start",
];
/** The largest width and height of a PNG. */
const PIXELS = 8000;
/** A picture is not made smaller than this by itself, because its texts could not be read. */
const SMALLEST = 0.7;

/** Returns the picture as the text of a file of its own, in light colours. */
export function asSvg(svg: SVGSVGElement): string {
  const root = document.documentElement;
  const theme = root.dataset.theme ?? "";
  root.dataset.theme = "light";
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [from, to] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    const target = to[i];
    if (target === undefined) return;
    STYLES.forEach((name) => {
      const value = style.getPropertyValue(name);
      if ((value !== "" && value !== "none") || name === "fill") target.setAttribute(name, value);
    });
    ["class", "tabindex", "role", "aria-label", "style"].forEach((name) => target.removeAttribute(name));
  });
  const back = getComputedStyle(root).getPropertyValue("--paper");
  root.dataset.theme = theme;
  const box = svg.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(box.width));
  copy.setAttribute("height", String(box.height));
  ["class", "style", "tabindex"].forEach((name) => copy.removeAttribute(name));
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  Object.entries({ x: box.x, y: box.y, width: box.width, height: box.height, fill: back.trim() }).forEach(
    ([name, value]) => paper.setAttribute(name, String(value)),
  );
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}

async function asPng(svg: SVGSVGElement): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([asSvg(svg)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = Math.min(2, PIXELS / Math.max(image.width, image.height, 1));
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [Math.ceil(image.width * scale), Math.ceil(image.height * scale)];
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, failed) =>
      canvas.toBlob(
        (blob) => (blob === null ? failed(new Error("the picture is too large")) : done(blob)),
        "image/png",
      ),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

export function Canvas(props: {
  width: number;
  height: number;
  label: string;
  name: string;
  /** A point to keep in view, and a key that changes when it should be shown again. */
  focus?: { x: number; y: number; key: string } | undefined;
  tools?: ComponentChildren;
  children: ComponentChildren;
}) {
  const [zoom, setZoom] = useState(1);
  const [isSet, setIsSet] = useState(false);
  const svg = useRef<SVGSVGElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const { width, height, focus } = props;
  const fit = () => {
    const room = box.current;
    if (room === null) return;
    choose(Math.max(0.1, Math.min(1.5, (room.clientWidth - 8) / width, (room.clientHeight - 8) / height)));
  };
  // A picture that is a little too wide is made smaller, until the user chooses a size.
  useLayoutEffect(() => {
    const room = box.current;
    if (room === null || isSet) return;
    setZoom(Math.min(1, Math.max(SMALLEST, (room.clientWidth - 12) / width)));
  }, [width, isSet]);
  const choose = (to: number) => {
    setIsSet(true);
    setZoom(to);
  };
  useLayoutEffect(() => {
    const room = box.current;
    if (room === null || focus === undefined) return;
    const [x, y] = [focus.x * zoom, focus.y * zoom];
    const isSeen = (at: number, from: number, size: number) => at > from + 40 && at < from + size - 40;
    if (!isSeen(x, room.scrollLeft, room.clientWidth)) room.scrollLeft = x - room.clientWidth / 2;
    if (!isSeen(y, room.scrollTop, room.clientHeight)) room.scrollTop = y - room.clientHeight / 2;
  }, [focus?.key, zoom, width]);
  const save = (kind: "svg" | "png") =>
    store.run(async () => {
      if (svg.current === null) return;
      if (kind === "svg") download(`${props.name}.svg`, "image/svg+xml", asSvg(svg.current));
      else download(`${props.name}.png`, "image/png", await asPng(svg.current));
    });
  return (
    <div class="canvas">
      <div class="canvas-tools">
        {props.tools}
        <span class="spring" />
        <button type="button" onClick={() => choose(zoom * 1.25)} aria-label="Larger" title="Larger">
          +
        </button>
        <button type="button" onClick={() => choose(zoom / 1.25)} aria-label="Smaller" title="Smaller">
          −
        </button>
        <button type="button" onClick={fit}>
          Fit
        </button>
        <button type="button" onClick={() => choose(1)} aria-label="Zoom 100%">
          {Math.round(zoom * 100)}%
        </button>
        <button type="button" onClick={() => void save("svg")}>
          SVG
        </button>
        <button type="button" onClick={() => void save("png")}>
          PNG
        </button>
      </div>
      <div class="canvas-room" ref={box} tabIndex={0} role="region" aria-label={props.label}>
        <svg
          ref={svg}
          viewBox={`0 0 ${width} ${height}`}
          width={width * zoom}
          height={height * zoom}
          role="group"
          aria-label={props.label}
        >
          <defs>
            <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
              <path class="tip" d="M0,0.5L8,4L0,7.5z" />
            </marker>
            <marker id="tip-on" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
              <path class="tip on" d="M0,0.5L8,4L0,7.5z" />
            </marker>
            <marker id="ring" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8">
              <circle class="ring" cx="4" cy="4" r="3" />
            </marker>
          </defs>
          {props.children}
        </svg>
      </div>
    </div>
  );
}

/** A part of a picture that can be activated, by the mouse or by Enter. */
export function Active(props: {
  label: string;
  onPick?: (() => void) | undefined;
  class: string;
  children: ComponentChildren;
}) {
  const { onPick } = props;
  if (onPick === undefined) {
    return (
      <g class={props.class} role="img" aria-label={props.label}>
        <title>{props.label}</title>
        {props.children}
      </g>
    );
  }
  return (
    <g
      class={`${props.class} can`}
      role="button"
      tabIndex={0}
      aria-label={props.label}
      onClick={onPick}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        onPick();
      }}
    >
      <title>{props.label}</title>
      {props.children}
    </g>
  );
}
