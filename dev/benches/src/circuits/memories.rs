//! Families of systems with memories, and known answers: text in BTOR2. A size is the number of bits of an address. All
//! words have eight bits.

use super::member::Member;
use super::text::{Line, System};

/// A family: a name, its sizes, and its system. Each size comes without and with a fault.
type Family = (&'static str, [u32; 4], fn(u32, bool) -> System);

const FAMILIES: [Family; 8] = [
    ("bypass", [4, 8, 12, 32], bypass),
    ("write-through", [4, 8, 16, 32], write_through),
    ("read-back", [4, 8, 12, 32], read_back),
    ("table", [4, 8, 12, 32], table_of_answers),
    ("stack", [4, 6, 8, 12], stack),
    ("queue", [4, 6, 8, 12], queue),
    ("copy", [4, 5, 6, 8], copy),
    ("census", [4, 5, 6, 7], census),
];

/// Returns all systems, family by family.
pub(super) fn all() -> Vec<Member> {
    let of = |&(family, sizes, make): &Family| {
        sizes.into_iter().flat_map(move |size| {
            [false, true].map(|has_fault| {
                let name = format!("{family}-{size}{}", if has_fault { "-fault" } else { "" });
                Member::of_text(family, name, !has_fault, make(size, has_fault).end())
            })
        })
    };
    FAMILIES.iter().flat_map(of).collect()
}

/// Words are written one frame late, and read from where they wait. A memory that is written at once has the same
/// words. Fault: waiting words are found by all bits of the address but the highest.
fn bypass(index: u32, has_fault: bool) -> System {
    let mut s = System::new(index);
    let (at, word, writes) = (s.input(s.at), s.input(s.word), s.input(s.bit));
    let (soon, late) = (s.zero(s.memory), s.zero(s.memory));
    let (waits, waiting_at, waiting) = (s.zero(s.bit), s.any(s.at), s.any(s.word));
    let next_soon = s.written(writes, soon, at, word);
    let next_late = s.written(waits, late, waiting_at, waiting);
    s.next(s.memory, soon, next_soon);
    s.next(s.memory, late, next_late);
    s.next(s.bit, waits, writes);
    s.next(s.at, waiting_at, at);
    s.next(s.word, waiting, word);
    let seen = s.input(s.at);
    let (seen_late, expected) = (s.read(late, seen), s.read(soon, seen));
    let is_there = if has_fault {
        let sort = s.line(&format!("sort bitvec {}", index - 1));
        let low = |s: &mut System, of: Line| s.line(&format!("slice {sort} {of} {} 0", index - 2));
        let (a, b) = (low(&mut s, seen), low(&mut s, waiting_at));
        s.equal(a, b)
    } else {
        s.equal(seen, waiting_at)
    };
    let is_waiting = s.both(waits, is_there);
    let got = s.choose(s.word, is_waiting, waiting, seen_late);
    let bad = s.differ(got, expected);
    s.never(bad)
}

/// A cache with one line for each value of the lower half of an address, before a memory that is always written, too.
/// Fault: words that are written do not reach the cache.
fn write_through(index: u32, has_fault: bool) -> System {
    let mut s = System::new(index);
    let half = index / 2;
    let low = s.line(&format!("sort bitvec {half}"));
    let high = s.line(&format!("sort bitvec {}", index - half));
    let lines = s.line(&format!("sort array {low} {}", s.word));
    let tags = s.line(&format!("sort array {low} {high}"));
    let flags = s.line(&format!("sort array {low} {}", s.bit));
    let main = s.any(s.memory);
    let (data, tag) = (s.any(lines), s.any(tags));
    let no = s.number(s.bit, 0);
    let is_full = s.any(flags);
    s.line(&format!("init {flags} {is_full} {no}"));
    let (at, word, writes, fills) = (s.input(s.at), s.input(s.word), s.input(s.bit), s.input(s.bit));
    let line = s.line(&format!("slice {low} {at} {} 0", half - 1));
    let top = s.line(&format!("slice {high} {at} {} {half}", index - 1));
    let next_main = s.written(writes, main, at, word);
    s.next(s.memory, main, next_main);
    let (full_here, tag_here, data_here) =
        (s.op("read", s.bit, &[is_full, line]), s.op("read", high, &[tag, line]), s.op("read", s.word, &[data, line]));
    let is_same = s.equal(tag_here, top);
    let hits = s.both(full_here, is_same);
    let stored = s.read(main, at);
    let writes_not = s.not(writes);
    let takes_stored = s.both(fills, writes_not);
    let takes_word = if has_fault { no } else { s.both(writes, hits) };
    let takes = s.either(takes_stored, takes_word);
    let taken = s.choose(s.word, writes, word, stored);
    let yes = s.not(no);
    for (sort, state, value) in [(lines, data, taken), (tags, tag, top), (flags, is_full, yes)] {
        let written = s.op("write", sort, &[state, line, value]);
        s.set(sort, state, takes, written);
    }
    let wrong = s.differ(data_here, stored);
    let bad = s.both(hits, wrong);
    s.never(bad)
}

/// A word is remembered when it is written, until its place is written again, and then compared with the memory. Fault:
/// it is not forgotten.
fn read_back(index: u32, has_fault: bool) -> System {
    let mut s = System::new(index);
    let memory = s.any(s.memory);
    let (at, word, writes, keeps) = (s.input(s.at), s.input(s.word), s.input(s.bit), s.input(s.bit));
    let (is_kept, kept_at, kept) = (s.zero(s.bit), s.any(s.at), s.any(s.word));
    let next = s.written(writes, memory, at, word);
    s.next(s.memory, memory, next);
    let takes = s.both(writes, keeps);
    let is_here = s.equal(at, kept_at);
    let is_lost = s.both(writes, is_here);
    let stays = if has_fault {
        is_kept
    } else {
        let is_safe = s.not(is_lost);
        s.both(is_kept, is_safe)
    };
    let next_kept = s.either(takes, stays);
    s.next(s.bit, is_kept, next_kept);
    for (sort, state, value) in [(s.at, kept_at, at), (s.word, kept, word)] {
        s.set(sort, state, takes, value);
    }
    let got = s.read(memory, kept_at);
    let differs = s.differ(got, kept);
    let bad = s.both(is_kept, differs);
    s.never(bad)
}

/// A table that never changes answers two frames after the question, and again later. Fault: the question may change
/// between both.
fn table_of_answers(index: u32, has_fault: bool) -> System {
    let mut s = System::new(index);
    let table = s.any(s.memory);
    s.next(s.memory, table, table);
    let (asks, question) = (s.input(s.bit), s.input(s.at));
    let (asked, answered) = (s.zero(s.bit), s.zero(s.bit));
    let (at, first) = (s.any(s.at), s.any(s.word));
    let read = s.read(table, at);
    let is_free = s.not(asked);
    let takes = if has_fault { asks } else { s.both(asks, is_free) };
    let next_at = s.choose(s.at, takes, question, at);
    s.next(s.at, at, next_at);
    let next_asked = s.either(asked, takes);
    s.next(s.bit, asked, next_asked);
    let next_answered = s.either(answered, asked);
    s.next(s.bit, answered, next_answered);
    let is_known = s.not(answered);
    let answers = s.both(asked, is_known);
    let next_first = s.choose(s.word, answers, read, first);
    s.next(s.word, first, next_first);
    let differs = s.differ(read, first);
    let bad = s.both(answered, differs);
    s.never(bad)
}

/// A stack. One pushed word is remembered, with its place, and compared when it is popped. Fault: a full stack takes
/// more words, which begin again at the bottom.
fn stack(index: u32, has_fault: bool) -> System {
    let mut s = System::new(index);
    let memory = s.any(s.memory);
    let (pushes, pops, word) = (s.input(s.bit), s.input(s.bit), s.input(s.word));
    let top = s.zero(s.at);
    let (none, most) = (s.number(s.at, 0), s.line(&format!("ones {}", s.at)));
    let (is_filled, is_full) = (s.differ(top, none), s.equal(top, most));
    let has_room = s.not(is_full);
    let push = if has_fault { pushes } else { s.both(pushes, has_room) };
    let push_not = s.not(push);
    let may_pop = s.both(pops, push_not);
    let pop = s.both(may_pop, is_filled);
    let below = {
        let one = s.number(s.at, 1);
        s.op("sub", s.at, &[top, one])
    };
    let above = s.plus_one(s.at, top);
    let after_pop = s.choose(s.at, pop, below, top);
    let next_top = s.choose(s.at, push, above, after_pop);
    s.next(s.at, top, next_top);
    let next = s.written(push, memory, top, word);
    s.next(s.memory, memory, next);
    s.remembering(memory, (push, top, word), (pop, below))
}

/// A queue. One word is remembered, with its place, and compared when it leaves. Fault: a full queue takes more words.
fn queue(index: u32, has_fault: bool) -> System {
    let mut s = System::new(index);
    let memory = s.any(s.memory);
    let (puts, gets, word) = (s.input(s.bit), s.input(s.bit), s.input(s.word));
    let (head, tail) = (s.zero(s.at), s.zero(s.at));
    let after = s.plus_one(s.at, tail);
    let has_room = s.differ(after, head);
    let put = if has_fault { puts } else { s.both(puts, has_room) };
    let is_filled = s.differ(head, tail);
    let get = s.both(gets, is_filled);
    let next_tail = s.choose(s.at, put, after, tail);
    s.next(s.at, tail, next_tail);
    let after_head = s.plus_one(s.at, head);
    let next_head = s.choose(s.at, get, after_head, head);
    s.next(s.at, head, next_head);
    let next = s.written(put, memory, tail, word);
    s.next(s.memory, memory, next);
    s.remembering(memory, (put, tail, word), (get, head))
}

/// A memory is copied to another one, word by word. In the end any word is compared. Fault: the last word is left out.
fn copy(index: u32, has_fault: bool) -> System {
    let mut s = System::new(index);
    let (from, to) = (s.any(s.memory), s.any(s.memory));
    s.next(s.memory, from, from);
    let (place, is_done) = (s.zero(s.at), s.zero(s.bit));
    let last = s.line(&format!("ones {}", s.at));
    let is_last = s.equal(place, last);
    let is_open = s.not(is_done);
    let copies = if has_fault {
        let goes_on = s.not(is_last);
        s.both(is_open, goes_on)
    } else {
        is_open
    };
    let word = s.read(from, place);
    let next = s.written(copies, to, place, word);
    s.next(s.memory, to, next);
    let after = s.plus_one(s.at, place);
    s.next(s.at, place, after);
    let next_done = s.either(is_done, is_last);
    s.next(s.bit, is_done, next_done);
    let seen = s.input(s.at);
    let (a, b) = (s.read(from, seen), s.read(to, seen));
    let differs = s.differ(a, b);
    let bad = s.both(is_done, differs);
    s.never(bad)
}

/// A register has the exclusive disjunction of all words of a memory, which is empty at first. When all words have been
/// set to zero one after the other, it is zero: this needs all words. Fault: the words are not counted to the end.
fn census(index: u32, has_fault: bool) -> System {
    let mut s = System::new(index);
    let memory = s.zero(s.memory);
    let sum = s.zero(s.word);
    let (at, word, clears) = (s.input(s.at), s.input(s.word), s.input(s.bit));
    let (is_clearing, is_done, place) = (s.zero(s.bit), s.zero(s.bit), s.zero(s.at));
    let zero = s.number(s.word, 0);
    let written_at = s.choose(s.at, is_clearing, place, at);
    let written = s.choose(s.word, is_clearing, zero, word);
    let before = s.read(memory, written_at);
    let next = s.op("write", s.memory, &[memory, written_at, written]);
    let is_open = s.not(is_done);
    let next_memory = s.choose(s.memory, is_open, next, memory);
    s.next(s.memory, memory, next_memory);
    let change = s.op("xor", s.word, &[before, written]);
    let changed = s.op("xor", s.word, &[sum, change]);
    let next_sum = s.choose(s.word, is_open, changed, sum);
    s.next(s.word, sum, next_sum);
    let next_clearing = s.either(is_clearing, clears);
    s.next(s.bit, is_clearing, next_clearing);
    let after = s.plus_one(s.at, place);
    let next_place = s.choose(s.at, is_clearing, after, place);
    s.next(s.at, place, next_place);
    let ones = s.line(&format!("ones {}", s.at));
    let last = if has_fault {
        let one = s.number(s.at, 1);
        s.op("sub", s.at, &[ones, one])
    } else {
        ones
    };
    let is_last = s.equal(place, last);
    let ends = s.both(is_clearing, is_last);
    let next_done = s.either(is_done, ends);
    s.next(s.bit, is_done, next_done);
    let is_wrong = s.differ(sum, zero);
    let bad = s.both(is_done, is_wrong);
    s.never(bad)
}
