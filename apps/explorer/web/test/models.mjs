// Models that the browser test makes: with many states, many threads, many places.

/** `n` threads that each take two steps: 3^n states. */
export function many(n) {
  const threads = [];
  for (let i = 0; i < n; i += 1) {
    threads.push(`event up${i}, more${i}
thread T${i} {
  state a { request up${i} on up${i} -> b }
  state b { request more${i} on more${i} -> c }
  state c { request back${i} on back${i} -> a }
}
event back${i}`);
  }
  return `rwb 1\ncheck deadlock\n${threads.join("\n")}\n`;
}

/** A ring of `n` threads that pass a token. */
export function ring(n) {
  const lines = ["rwb 1", "check deadlock", `const n = ${n}`, "event pass[n], work[n]"];
  lines.push(`for i in 0..n {
  thread Station[i] {
    body {
      loop {
        wait pass[(i+n-1)%n]
        request work[i]
        request pass[i]
      }
    }
  }
}
thread Begin { body { request pass[0] } }`);
  return `${lines.join("\n")}\n`;
}

/** A net of `n` places in a grid, with a token in each row. */
export function grid(n) {
  const side = Math.floor(Math.sqrt(n));
  const places = [];
  const transitions = [];
  const arcs = [];
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      const mark = x === 0 ? "<initialMarking><text>1</text></initialMarking>" : "";
      places.push(`<place id="p_${y}_${x}">${mark}</place>`);
      transitions.push(`<transition id="t_${y}_${x}"/>`);
      arcs.push(`<arc id="a_${y}_${x}" source="p_${y}_${x}" target="t_${y}_${x}"/>`);
      arcs.push(`<arc id="b_${y}_${x}" source="t_${y}_${x}" target="p_${y}_${(x + 1) % side}"/>`);
    }
  }
  return `<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="grid"
 type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">
${[...places, ...transitions, ...arcs].join("\n")}
</page></net></pnml>
`;
}

/** A net with a layout: two processes and a lock. */
export const placed = `<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="lock"
 type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">
${[
  ["idle1", 60, 60, 1],
  ["wait1", 60, 200, 0],
  ["crit1", 60, 340, 0],
  ["lock", 240, 200, 1],
  ["idle2", 420, 60, 1],
  ["wait2", 420, 200, 0],
  ["crit2", 420, 340, 0],
]
  .map(
    ([id, x, y, m]) =>
      `<place id="${id}"><name><text>${id}</text></name><graphics><position x="${x}" y="${y}"/></graphics>${
        m ? "<initialMarking><text>1</text></initialMarking>" : ""
      }</place>`,
  )
  .join("\n")}
${[
  ["ask1", 60, 130],
  ["take1", 150, 270],
  ["give1", 150, 120],
  ["ask2", 420, 130],
  ["take2", 330, 270],
  ["give2", 330, 120],
]
  .map(
    ([id, x, y]) =>
      `<transition id="${id}"><name><text>${id}</text></name><graphics><position x="${x}" y="${y}"/></graphics></transition>`,
  )
  .join("\n")}
${[1, 2]
  .flatMap((i) => [
    [`idle${i}`, `ask${i}`],
    [`ask${i}`, `wait${i}`],
    [`wait${i}`, `take${i}`],
    ["lock", `take${i}`],
    [`take${i}`, `crit${i}`],
    [`crit${i}`, `give${i}`],
    [`give${i}`, "lock"],
    [`give${i}`, `idle${i}`],
  ])
  .map(([a, b], i) => `<arc id="arc${i}" source="${a}" target="${b}"/>`)
  .join("\n")}
</page></net></pnml>
`;
