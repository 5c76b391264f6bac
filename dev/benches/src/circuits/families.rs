//! Ten families of circuits, each in eight sizes and forms. Their answers are known from how they are built.

use super::member::{Family, Member, members};
use super::words::{Register, Word, Words, bits};
use model::{Circuit, Signal};
use testkit::Random;

/// The families, with their sizes.
const FAMILIES: [Family; 10] = [
    ("arbiter", [4, 8, 16, 32], arbiter),
    ("cache", [3, 5, 8, 12], cache),
    ("fifo", [2, 3, 4, 5], fifo),
    ("pipeline", [4, 6, 8, 16], pipeline),
    ("multiplier", [3, 4, 6, 16], multiplier),
    ("counter", [8, 12, 16, 20], counter),
    ("sorter", [2, 3, 4, 5], sorter),
    ("cipher", [4, 8, 12, 16], cipher),
    ("controller", [3, 5, 7, 9], controller),
    ("planted", [30, 60, 120, 240], planted),
];

/// Returns all members, family by family.
pub(super) fn all() -> Vec<Member> {
    members(&FAMILIES)
}

/// A bus arbiter: a token goes round, and its holder is granted the bus when it asks. Two grants must never be given
/// in the same frame. Fault: if all clients ask for three frames in a row, a second token appears.
fn arbiter(clients: usize, has_fault: bool) -> Circuit {
    let mut w = Words::default();
    let requests = w.inputs(clients);
    let token = w.register(clients, 1);
    let streak = w.register(2, 0);
    let all = w.gates.all(&requests);
    let longer = w.increment(&streak.now, all);
    let cleared = w.and_bit(&longer, all);
    w.set(&streak, &cleared);
    let held: Word = (0..clients).map(|i| w.gates.and(token.now[i], requests[i])).collect();
    let busy = w.gates.any(&held);
    let moved: Word = (0..clients).map(|i| token.now[(i + clients - 1) % clients]).collect();
    let mut next = w.either(busy, &token.now, &moved);
    if has_fault {
        let third = w.is(&streak.now, 3);
        next[clients / 2] = w.gates.or(next[clients / 2], third);
    }
    w.set(&token, &next);
    let bad = w.two(&held);
    w.never(bad)
}

/// Caches with the protocol MSI on a bus. In each frame one cache reads or writes. At most one cache may have a
/// modified line, and then no other cache has a line. Fault: a write misses the last cache if all others share.
fn cache(caches: usize, has_fault: bool) -> Circuit {
    let mut w = Words::default();
    let (chosen, writes) = (w.inputs(bits(caches)), w.input());
    let lines: Vec<Register> = (0..caches).map(|_| w.register(2, 0)).collect();
    let shared: Word = lines.iter().map(|line| line.now[0]).collect();
    let modified: Word = lines.iter().map(|line| line.now[1]).collect();
    let others = w.gates.all(&shared[..caches - 1]);
    for (i, line) in lines.iter().enumerate() {
        let own = w.is(&chosen, i as u64);
        let mut invalid = w.gates.and(writes, !own);
        if has_fault && i == caches - 1 {
            invalid = w.gates.and(invalid, !others);
        }
        let reads = !writes;
        // A read makes the own line shared, and modified lines of others, too.
        let (to_shared, to_modified) = (w.gates.and(own, reads), w.gates.and(own, writes));
        let downgraded = w.gates.and(modified[i], reads);
        let keeps = w.gates.and(shared[i], !invalid);
        let stays = w.gates.and(keeps, !to_modified);
        let is_shared = w.gates.any(&[to_shared, downgraded, stays]);
        let own_read = w.gates.and(modified[i], to_shared);
        let keeps_modified = w.gates.all(&[modified[i], !invalid, !reads]);
        let is_modified = w.gates.or(to_modified, keeps_modified);
        let is_shared = w.gates.or(is_shared, own_read);
        let is_shared = w.gates.and(is_shared, !is_modified);
        w.set(line, &[is_shared, is_modified]);
    }
    let two = w.two(&modified);
    let (some_modified, some_shared) = (w.gates.any(&modified), w.gates.any(&shared));
    let mixed = w.gates.and(some_modified, some_shared);
    let bad = w.gates.or(two, mixed);
    w.never(bad)
}

/// A queue as a ring buffer with two pointers, against a queue that shifts, for words of two bits. Their heads must be
/// equal. Fault: the ring buffer forgets to advance its reading pointer when it is full and both sides work.
fn fifo(log: usize, has_fault: bool) -> Circuit {
    let (size, width) = (1usize << log, 2);
    let mut w = Words::default();
    let (put, take, data) = (w.input(), w.input(), w.inputs(width));
    let count = w.register(log + 1, 0);
    let is_full = w.is(&count.now, size as u64);
    let is_empty = w.is(&count.now, 0);
    let taken = w.gates.and(take, !is_empty);
    let has_room = w.gates.or(!is_full, taken);
    let stored = w.gates.and(put, has_room);
    // One more, one less, or as many.
    let (more, less) = (w.gates.and(stored, !taken), w.gates.and(taken, !stored));
    let up = w.increment(&count.now, more);
    let minus_one = vec![less; log + 1];
    let next = w.add(&up, &minus_one, Signal::FALSE).0;
    w.set(&count, &next);
    let (write, read) = (w.register(log, 0), w.register(log, 0));
    let (write_next, both) = (w.increment(&write.now, stored), w.gates.all(&[is_full, stored, taken]));
    w.set(&write, &write_next);
    let advances = if has_fault { w.gates.and(taken, !both) } else { taken };
    let read_next = w.increment(&read.now, advances);
    w.set(&read, &read_next);
    let cells: Vec<Register> = (0..size).map(|_| w.register(width, 0)).collect();
    for (i, cell) in cells.iter().enumerate() {
        let here = w.is(&write.now, i as u64);
        let here = w.gates.and(here, stored);
        let next = w.either(here, &data, &cell.now);
        w.set(cell, &next);
    }
    let words: Vec<Word> = cells.iter().map(|cell| cell.now.clone()).collect();
    let head = w.pick(&read.now, &words);
    // The other queue: the head is cell 0, and new words go to the cell `count`, after a shift `count - 1`.
    let shifts: Vec<Register> = (0..size).map(|_| w.register(width, 0)).collect();
    let last = w.add(&count.now, &vec![taken; log + 1], Signal::FALSE).0;
    for (i, cell) in shifts.iter().enumerate() {
        let after = shifts.get(i + 1).map_or_else(|| cell.now.clone(), |next| next.now.clone());
        let moved = w.either(taken, &after, &cell.now);
        let here = w.is(&last, i as u64);
        let here = w.gates.and(here, stored);
        let next = w.either(here, &data, &moved);
        w.set(cell, &next);
    }
    let equal = w.equal(&head, &shifts[0].now);
    let bad = w.gates.and(!is_empty, !equal);
    w.never(bad)
}

/// An accumulator in three stages with forwarding, against one that works in one frame and is then delayed. Fault: no
/// forwarding if the operation before was a subtraction.
fn pipeline(width: usize, has_fault: bool) -> Circuit {
    let mut w = Words::default();
    let (operand, subtracts, is_valid) = (w.inputs(width), w.input(), w.input());
    // Stage 1 latches the operation, stage 2 the prepared operand, stage 3 adds it.
    let (operand1, op1) = (w.register(width, 0), w.register(2, 0));
    w.set(&operand1, &operand);
    w.set(&op1, &[subtracts, is_valid]);
    let (operand2, op2) = (w.register(width, 0), w.register(2, 0));
    let negated: Word = operand1.now.iter().map(|&bit| !bit).collect();
    let prepared = w.either(op1.now[0], &negated, &operand1.now);
    w.set(&operand2, &prepared);
    w.set(&op2, &op1.now);
    let sum = w.register(width, 0);
    let added = w.add(&sum.now, &operand2.now, op2.now[0]).0;
    let lost = if has_fault { w.gates.and(op1.now[0], op2.now[0]) } else { Signal::FALSE };
    let works = w.gates.and(op2.now[1], !lost);
    let next = w.either(works, &added, &sum.now);
    w.set(&sum, &next);
    // The reference works at once; its result is compared two frames later.
    let reference = w.register(width, 0);
    let zero = vec![Signal::FALSE; width];
    let (plus, not) = (w.add(&reference.now, &operand, Signal::FALSE).0, operand.iter().map(|&b| !b).collect::<Word>());
    let difference = w.add(&not, &zero, Signal::TRUE).0;
    let minus = w.add(&reference.now, &difference, Signal::FALSE).0;
    let result = w.either(subtracts, &minus, &plus);
    let next = w.either(is_valid, &result, &reference.now);
    w.set(&reference, &next);
    let (delay1, delay2) = (w.register(width, 0), w.register(width, 0));
    w.set(&delay1, &reference.now);
    w.set(&delay2, &delay1.now);
    let equal = w.equal(&sum.now, &delay2.now);
    w.never(!equal)
}

/// A multiplier that adds one shifted operand per frame, against a product in one frame. Fault: the partial sum of the
/// last step is lost if both operands are all ones.
fn multiplier(width: usize, has_fault: bool) -> Circuit {
    let mut w = Words::default();
    let (start, a, b) = (w.input(), w.inputs(width), w.inputs(width));
    let steps = bits(width + 1);
    let (first, second, sum, step) =
        (w.register(width, 0), w.register(width, 0), w.register(2 * width, 0), w.register(steps, width as u64));
    let is_done = w.is(&step.now, width as u64);
    let loads = w.gates.and(start, is_done);
    let shifted: Word = second.now[1..].iter().copied().chain([Signal::FALSE]).collect();
    let next = w.either(loads, &b, &shifted);
    let next = {
        let kept = w.gates.and(is_done, !loads);
        w.either(kept, &second.now, &next)
    };
    w.set(&second, &next);
    // The sum keeps its low bits, and shifts right: the operand is added at the top.
    let high: Word = sum.now[width..].to_vec();
    let part = w.and_bit(&first.now, second.now[0]);
    let (total, carry) = w.add(&high, &part, Signal::FALSE);
    let mut moved: Word = sum.now[1..width].to_vec();
    moved.extend(total.iter().copied());
    moved.push(carry);
    if has_fault {
        let all = w.gates.all(&first.now);
        let last = w.is(&step.now, width as u64 - 1);
        let lost = w.gates.and(all, last);
        let lost = w.gates.and(lost, second.now[0]);
        moved[2 * width - 1] = w.gates.and(moved[2 * width - 1], !lost);
    }
    let zero = vec![Signal::FALSE; 2 * width];
    let kept = w.either(is_done, &sum.now, &moved);
    let next = w.either(loads, &zero, &kept);
    w.set(&sum, &next);
    let next = w.either(loads, &a, &first.now);
    w.set(&first, &next);
    let counted = w.increment(&step.now, !is_done);
    let next = w.either(loads, &Words::constant(steps, 0), &counted);
    w.set(&step, &next);
    // The operands that were loaded, for the product in one frame.
    let factor = w.register(width, 0);
    let next = w.either(loads, &b, &factor.now);
    w.set(&factor, &next);
    let product = w.product(&first.now, &factor.now, 2 * width);
    let equal = w.equal(&product, &sum.now);
    let bad = w.gates.and(is_done, !equal);
    w.never(bad)
}

/// A counter, and a second counter that goes down. Their sum stays the same. Fault: after 2^bits - 1 frames in which
/// they count, the second one stops.
fn counter(width: usize, has_fault: bool) -> Circuit {
    let mut w = Words::default();
    let most = (1u64 << width) - 1;
    let (up, down) = (w.register(width, 0), w.register(width, most));
    // The larger ones count in each frame. The others wait for an input.
    let go = if width >= 16 { Signal::TRUE } else { w.input() };
    let next = w.increment(&up.now, go);
    w.set(&up, &next);
    let is_last = w.is(&up.now, most);
    let stops = if has_fault { is_last } else { Signal::FALSE };
    let falls = w.gates.and(go, !stops);
    let next = w.add(&down.now, &vec![falls; width], Signal::FALSE).0;
    w.set(&down, &next);
    let sum = w.add(&up.now, &down.now, Signal::FALSE).0;
    let is_right = w.is(&sum, most);
    w.never(!is_right)
}

/// A sorting network for 2^log words of three bits, with registers between its layers. Its output must be sorted.
/// Fault: a comparator of the last layer is missing.
fn sorter(log: usize, has_fault: bool) -> Circuit {
    let (count, width) = (1usize << log, 3);
    let mut w = Words::default();
    let mut words: Vec<Word> = (0..count).map(|_| w.inputs(width)).collect();
    // Batcher's odd-even merge sort, as pairs of positions in layers.
    let mut layers: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut p = 1;
    while p < count {
        let mut k = p;
        while k >= 1 {
            let mut layer = Vec::new();
            let mut j = k % p;
            while j + k < count {
                for i in 0..k.min(count - j - k) {
                    if (i + j) / (2 * p) == (i + j + k) / (2 * p) {
                        layer.push((i + j, i + j + k));
                    }
                }
                j += 2 * k;
            }
            layers.push(layer);
            k /= 2;
        }
        p *= 2;
    }
    let depth = layers.len();
    for (number, mut layer) in layers.into_iter().enumerate() {
        if has_fault && number + 1 == depth {
            layer.pop();
        }
        for (low, high) in layer {
            let swaps = w.less(&words[high], &words[low]);
            let (a, b) = (words[low].clone(), words[high].clone());
            words[low] = w.either(swaps, &b, &a);
            words[high] = w.either(swaps, &a, &b);
        }
        for word in &mut words {
            let register = w.register(width, 0);
            w.set(&register, word);
            *word = register.now;
        }
    }
    let falls: Word = (1..count).map(|i| w.less(&words[i], &words[i - 1])).collect();
    let bad = w.gates.any(&falls);
    w.never(bad)
}

/// A Feistel cipher on two halves, one round per frame: as many rounds back lead to the plain text. Fault: one bit of
/// the key of the last round is inverted on the way back.
fn cipher(width: usize, has_fault: bool) -> Circuit {
    const ROUNDS: u64 = 4;
    let mut w = Words::default();
    let (start, text, key) = (w.input(), w.inputs(2 * width), w.inputs(width));
    let (plain, state, kept_key) = (w.register(2 * width, 0), w.register(2 * width, 0), w.register(width, 0));
    let round = w.register(4, 2 * ROUNDS);
    let is_done = w.is(&round.now, 2 * ROUNDS);
    let loads = w.gates.and(start, is_done);
    let (left, right) = (state.now[..width].to_vec(), state.now[width..].to_vec());
    let is_back = w.less(&Words::constant(4, ROUNDS - 1), &round.now);
    let rotated = |word: &[Signal], by: usize| -> Word { (0..width).map(|i| word[(i + by) % width]).collect() };
    let mix = |w: &mut Words, half: &[Signal], key: &[Signal]| -> Word {
        let (one, other) = (rotated(half, 1), rotated(half, 3));
        let both: Word = one.iter().zip(&other).map(|(&a, &b)| w.gates.and(a, b)).collect();
        let mixed = w.xor(&both, &rotated(half, 2));
        w.xor(&mixed, key)
    };
    // Round 0 of the way back undoes the last round of the way there: keys are rotated by the number of the round.
    let keys: Vec<Word> = (0..2 * ROUNDS as usize)
        .map(|round| {
            let number = round.min(2 * ROUNDS as usize - 1 - round);
            let mut key = rotated(&kept_key.now, number);
            if has_fault && round + 1 == 2 * ROUNDS as usize {
                key[0] = !key[0];
            }
            key
        })
        .collect();
    let key_now = w.pick(&round.now[..3], &keys);
    let there = {
        let mixed = mix(&mut w, &right, &key_now);
        [right.clone(), w.xor(&left, &mixed)].concat()
    };
    let back = {
        let mixed = mix(&mut w, &left, &key_now);
        [w.xor(&right, &mixed), left.clone()].concat()
    };
    let worked = w.either(is_back, &back, &there);
    let kept = w.either(is_done, &state.now, &worked);
    let next = w.either(loads, &text, &kept);
    w.set(&state, &next);
    let next = w.either(loads, &text, &plain.now);
    w.set(&plain, &next);
    let next = w.either(loads, &key, &kept_key.now);
    w.set(&kept_key, &next);
    let counted = w.increment(&round.now, !is_done);
    let next = w.either(loads, &Words::constant(4, 0), &counted);
    w.set(&round, &next);
    let equal = w.equal(&state.now, &plain.now);
    let bad = w.gates.and(is_done, !equal);
    w.never(bad)
}

/// A memory controller: requests spend credits, and answers give them back after a delay. There are never more
/// requests on their way than credits. Fault: a reset of the timer gives back one credit too many.
fn controller(width: usize, has_fault: bool) -> Circuit {
    let most = (1u64 << width) - 1;
    let mut w = Words::default();
    let (asks, hold, resets) = (w.input(), w.input(), w.input());
    let (credits, pending, timer) = (w.register(width, most), w.register(width, 0), w.register(width, 0));
    let (no_credit, none_pending) = (w.is(&credits.now, 0), w.is(&pending.now, 0));
    let spends = w.gates.and(asks, !no_credit);
    let is_due = w.is(&timer.now, most);
    let answers = w.gates.all(&[is_due, !hold, !none_pending]);
    let (more, less) = (w.gates.and(spends, !answers), w.gates.and(answers, !spends));
    let up = w.increment(&pending.now, more);
    let next = w.add(&up, &vec![less; width], Signal::FALSE).0;
    w.set(&pending, &next);
    let up = w.increment(&credits.now, less);
    let next = w.add(&up, &vec![more; width], Signal::FALSE).0;
    let cheats = if has_fault { w.gates.all(&[resets, is_due, no_credit]) } else { Signal::FALSE };
    let next = w.increment(&next, cheats);
    w.set(&credits, &next);
    let counts = w.gates.and(!none_pending, !is_due);
    let counted = w.increment(&timer.now, counts);
    let restarts = w.gates.or(answers, resets);
    let next = w.and_bit(&counted, !restarts);
    w.set(&timer, &next);
    let sum = w.add(&credits.now, &pending.now, Signal::FALSE).0;
    let is_right = w.is(&sum, most);
    w.never(!is_right)
}

/// Random logic of many registers, computed twice from different structures, and compared in a few bits. Fault: one
/// gate of the second copy is another one.
fn planted(size: usize, has_fault: bool) -> Circuit {
    let mut w = Words::default();
    let inputs = w.inputs(8);
    let (one, two) = (w.register(size, 0), w.register(size, 0));
    let random = &mut Random::new(size as u64);
    let (mut next_one, mut next_two) = (Vec::new(), Vec::new());
    for i in 0..size {
        let picks: Vec<usize> = (0..4).map(|_| random.below(size + 8)).collect();
        let kind = random.below(3);
        let of = |word: &Word, at: usize| if at < size { word[at] } else { inputs[at - size] };
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| of(&one.now, picks[k]));
        let (x, y) = (w.gates.xor(a, b), w.gates.and(c, d));
        next_one.push(match kind {
            0 => w.gates.xor(x, y),
            1 => w.gates.or(x, y),
            _ => w.gates.either(a, y, x),
        });
        // The same functions, from other gates.
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| of(&two.now, picks[k]));
        let (some, both) = (w.gates.or(a, b), w.gates.and(a, b));
        let x = w.gates.and(some, !both);
        let y = !w.gates.or(!c, !d);
        let y = if has_fault && i == size / 2 { w.gates.and(c, !d) } else { y };
        next_two.push(match kind {
            0 => {
                let (only, other) = (w.gates.and(x, !y), w.gates.and(!x, y));
                w.gates.or(only, other)
            }
            1 => !w.gates.and(!x, !y),
            _ => {
                let (yes, no) = (w.gates.or(!a, y), w.gates.or(a, x));
                w.gates.and(yes, no)
            }
        });
    }
    w.set(&one, &next_one);
    w.set(&two, &next_two);
    let compared: Vec<usize> = (0..size).step_by(5).collect();
    let (first, second): (Word, Word) = compared.iter().map(|&i| (one.now[i], two.now[i])).unzip();
    let equal = w.equal(&first, &second);
    w.never(!equal)
}
