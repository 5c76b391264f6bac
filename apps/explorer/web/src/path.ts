// Paths as the server reads them: the start and the steps, separated by dots. A link contains the path, the current
// step in it, the view, and a second path to compare with.

export interface Place {
  start: string;
  picks: string[];
  /** The number of steps of the path up to the current state. */
  at: number;
  view: string;
  other: string | null;
}

export function parts(path: string): { start: string; picks: string[] } {
  const [start = "0", ...picks] = path.split(".");
  return { start, picks };
}

export function whole(start: string, picks: string[]): string {
  return [start, ...picks].join(".");
}

const PATH = /^\d+(\.\d+(-\d+)?)*$/;

/** Reads the fragment of an address. What it does not say comes from `usual`. */
export function read(fragment: string, usual: Place): Place {
  const said = new URLSearchParams(fragment.replace(/^#/, ""));
  const path = said.get("path");
  const { start, picks } = path !== null && PATH.test(path) ? parts(path) : usual;
  const at = Number(said.get("at") ?? picks.length);
  const other = said.get("other");
  return {
    start,
    picks,
    at: Number.isInteger(at) && at >= 0 && at <= picks.length ? at : picks.length,
    view: said.get("view") ?? usual.view,
    other: other !== null && PATH.test(other) ? other : null,
  };
}

export function fragment(place: Place): string {
  const said = [`path=${whole(place.start, place.picks)}`];
  if (place.at !== place.picks.length) said.push(`at=${place.at}`);
  said.push(`view=${place.view}`);
  if (place.other !== null) said.push(`other=${place.other}`);
  return `#${said.join("&")}`;
}

/** Returns the number of leading steps that two paths share; -1 if they start differently. */
export function common(one: string, two: string): number {
  const [a, b] = [parts(one), parts(two)];
  if (a.start !== b.start) return -1;
  let same = 0;
  while (same < a.picks.length && same < b.picks.length && a.picks[same] === b.picks[same]) same += 1;
  return same;
}

/** Returns the outcome whose digits are `values`, the first field the lowest digit. */
export function outcome(counts: string[], values: string[]): string {
  let sum = 0n;
  for (let i = counts.length - 1; i >= 0; i -= 1) sum = sum * BigInt(counts[i] ?? "1") + BigInt(values[i] ?? "0");
  return sum.toString();
}

/** Returns the digit of a field for the number that the user sees; null if the field has no such number. */
export function digit(field: { count: string; least: string; signed: boolean }, shown: string): string | null {
  if (!/^-?\d+$/.test(shown.trim())) return null;
  const number = BigInt(shown.trim());
  const value = field.signed ? (number >= 0n ? 2n * number : -2n * number - 1n) : number - BigInt(field.least);
  return value >= 0n && value < BigInt(field.count) ? value.toString() : null;
}
