// Array methods that call functions. The first parameter is the array. Calls of `bp.sync` may stand in the functions.
function map(list, f) {
  check(f);
  const n = list.length;
  const out = [];
  for (let i = 0; i < n; i++) out.push(i < list.length ? f(list[i], i, list) : hole());
  return out;
}
function forEach(list, f) {
  check(f);
  const n = list.length;
  for (let i = 0; i < n; i++) if (i < list.length) f(list[i], i, list);
}
function filter(list, f) {
  check(f);
  const n = list.length;
  const out = [];
  for (let i = 0; i < n; i++) if (i < list.length) { const x = list[i]; if (f(x, i, list)) out.push(x); }
  return out;
}
function some(list, f) {
  check(f);
  const n = list.length;
  for (let i = 0; i < n; i++) if (i < list.length && f(list[i], i, list)) return true;
  return false;
}
function every(list, f) {
  check(f);
  const n = list.length;
  for (let i = 0; i < n; i++) if (i < list.length && !f(list[i], i, list)) return false;
  return true;
}
function find(list, f) {
  check(f);
  const n = list.length;
  for (let i = 0; i < n; i++) { const x = list[i]; if (f(x, i, list)) return x; }
}
function findIndex(list, f) {
  check(f);
  const n = list.length;
  for (let i = 0; i < n; i++) if (f(list[i], i, list)) return i;
  return -1;
}
function flatMap(list, f) {
  check(f);
  const n = list.length;
  const out = [];
  for (let i = 0; i < n; i++) {
    if (i < list.length) { const x = f(list[i], i, list); if (Array.isArray(x)) out.push(...x); else out.push(x); }
  }
  return out;
}
function reduce(list, f, ...first) {
  check(f);
  const n = list.length;
  let i = 0, sum;
  if (first.length > 0) sum = first[0];
  else if (n === 0) throw new TypeError("Reduce of empty array with no initial value");
  else { sum = list[0]; i = 1; }
  for (; i < n; i++) if (i < list.length) sum = f(sum, list[i], i, list);
  return sum;
}
function reduceRight(list, f, ...first) {
  check(f);
  const n = list.length;
  let i = n - 1, sum;
  if (first.length > 0) sum = first[0];
  else if (n === 0) throw new TypeError("Reduce of empty array with no initial value");
  else { sum = list[n - 1]; i = n - 2; }
  for (; i >= 0; i--) if (i < list.length) sum = f(sum, list[i], i, list);
  return sum;
}
function arrayFrom(list, f) {
  if (f === undefined) return list;
  check(f);
  const out = [];
  for (let i = 0; i < list.length; i++) out.push(f(list[i], i));
  return out;
}
