//! Six families of circuits with a justice property, each in eight sizes and forms. Their answers are known from how
//! they are built.
//!
//! The property of a family says what no run may do for ever: let a client wait, or hold a word back. A run that does
//! so does it in each frame from some frame on. Inputs guess this frame and the client ([`Guess`]). If the guess is
//! right, the signal of the property is true in all later frames, and else only in finitely many. The family `queue`
//! guesses a word instead, and marks it.

use super::member::{Family, Member, members};
use super::words::{Register, Word, Words, bits};
use model::{Circuit, Signal};

/// The families, with their sizes: clients, stations, logarithm of the number of cells, bits, frames that a message
/// takes, and processes.
const FAMILIES: [Family; 6] = [
    ("grants", [3, 6, 12, 24], grants),
    ("ring", [4, 8, 16, 32], ring),
    ("queue", [1, 2, 3, 4], queue),
    ("wraps", [3, 5, 7, 9], wraps),
    ("protocol", [1, 2, 4, 8], protocol),
    ("tickets", [2, 3, 4, 8], tickets),
];

/// Returns all members, family by family.
pub(super) fn all() -> Vec<Member> {
    members(&FAMILIES)
}

/// A guess, made once: from which frame on a client waits for ever, and which client.
struct Guess {
    /// True if the guess was made in an earlier frame.
    begun: Signal,
    /// The number of the client. It no longer changes when the guess has been made.
    client: Word,
}

impl Guess {
    /// Makes inputs for the guess. With one client, there is none to choose.
    fn new(w: &mut Words, clients: usize) -> Self {
        let (begins, choice) = (w.input(), w.inputs(bits(clients)));
        let (begun, client) = (w.register(1, 0), w.register(bits(clients), 0));
        let next = w.gates.or(begun.now[0], begins);
        w.set(&begun, &[next]);
        let loads = w.gates.and(begins, !begun.now[0]);
        let next = w.either(loads, &choice, &client.now);
        w.set(&client, &next);
        Self { begun: begun.now[0], client: client.now }
    }

    /// Returns a signal that is true in a frame if the guess was made earlier, and `waits` was true in each frame
    /// between them. So the signal is true infinitely often if and only if the guess is right.
    fn always(&self, w: &mut Words, waits: Signal) -> Signal {
        let broken = w.register(1, 0);
        let breaks = w.gates.and(self.begun, !waits);
        let next = w.gates.or(broken.now[0], breaks);
        w.set(&broken, &[next]);
        w.gates.and(self.begun, !broken.now[0])
    }
}

/// A round robin arbiter: a turn goes round, and a client that waits at its turn is granted the bus until it lets go.
/// Each holder lets go in the end, so the turn comes to each client, and no client waits for ever. Fault: if the first
/// client asks while the middle one lets go, the turn goes to the first one. Then the turn may never come to the last.
fn grants(clients: usize, has_fault: bool) -> Circuit {
    let mut w = Words::default();
    let (asks, lets_go) = (w.inputs(clients), w.input());
    let (waits, turn, held) = (w.register(clients, 0), w.register(bits(clients), 0), w.register(1, 0));
    let is_held = held.now[0];
    let is_asked = w.pick_bit(&turn.now, &waits.now);
    let grant = w.gates.and(!is_held, is_asked);
    let ends = w.gates.and(is_held, lets_go);
    let is_passed = w.gates.and(!is_held, !is_asked);
    let next = w.gates.either(is_held, !lets_go, grant);
    w.set(&held, &[next]);
    let moves = w.gates.or(ends, is_passed);
    let next = w.next_of(&turn.now, clients, moves);
    let is_middle = w.is(&turn.now, clients as u64 / 2);
    let returns = if has_fault { w.gates.all(&[ends, asks[0], is_middle]) } else { Signal::FALSE };
    let next = w.and_bit(&next, !returns);
    w.set(&turn, &next);
    let served: Word = (0..clients as u64).map(|i| w.is(&turn.now, i)).collect();
    let served = w.and_bit(&served, grant);
    let kept: Word = (0..clients).map(|i| w.gates.and(waits.now[i], !served[i])).collect();
    let next: Word = (0..clients).map(|i| w.gates.or(kept[i], asks[i])).collect();
    w.set(&waits, &next);
    let guess = Guess::new(&mut w, clients);
    let waits = w.pick_bit(&guess.client, &kept);
    let starved = guess.always(&mut w, waits);
    let is_fair = w.gates.or(!is_held, lets_go);
    w.not_forever(&[starved], &[is_fair])
}

/// A token ring: the holder of the token sends for at most three frames, and passes the token on. So the token comes to
/// each station again and again, without any fairness. Fault: an urgent message of the last station restarts the
/// timer. Then this station may keep the token.
fn ring(stations: usize, has_fault: bool) -> Circuit {
    let mut w = Words::default();
    let (sends, is_urgent) = (w.input(), w.input());
    let (latches, timer) = (w.register(stations, 0), w.register(2, 0));
    // The first station has the token at the start. All latches start with 0, so its latch is negated.
    let negate_first = |word: &[Signal]| -> Word { [&[!word[0]], &word[1..]].concat() };
    let token = negate_first(&latches.now);
    let is_over = w.is(&timer.now, 3);
    let keeps = w.gates.and(sends, !is_over);
    let passed: Word = (0..stations).map(|i| token[(i + stations - 1) % stations]).collect();
    let next = w.either(keeps, &token, &passed);
    w.set(&latches, &negate_first(&next));
    let restarts = if has_fault { w.gates.and(is_urgent, token[stations - 1]) } else { Signal::FALSE };
    let counts = w.gates.and(keeps, !restarts);
    let next = w.increment(&timer.now, counts);
    let next = w.and_bit(&next, counts);
    w.set(&timer, &next);
    let guess = Guess::new(&mut w, stations);
    let is_there = w.pick_bit(&guess.client, &token);
    let starved = guess.always(&mut w, !is_there);
    w.not_forever(&[starved], &[])
}

/// A queue of 2^log cells as a ring buffer. One word is marked when it enters. The reader takes words again and again,
/// so the marked word leaves. Fault: a word that comes when the queue is full replaces the oldest one. Then the marked
/// word never leaves if it is replaced.
fn queue(log: usize, has_fault: bool) -> Circuit {
    let mut w = Words::default();
    let (puts, takes, marks) = (w.input(), w.input(), w.input());
    let (write, read) = (w.register(log + 1, 0), w.register(log + 1, 0));
    let is_empty = w.equal(&write.now, &read.now);
    let (here, there) = (write.now[..log].to_vec(), read.now[..log].to_vec());
    let is_same_cell = w.equal(&here, &there);
    let is_full = w.gates.and(is_same_cell, !is_empty);
    let is_taken = w.gates.and(takes, !is_empty);
    let is_stored = if has_fault { puts } else { w.gates.and(puts, !is_full) };
    let next = w.increment(&write.now, is_stored);
    w.set(&write, &next);
    let is_replaced = w.gates.and(is_stored, is_full);
    let advances = w.gates.or(is_taken, is_replaced);
    let next = w.increment(&read.now, advances);
    w.set(&read, &next);
    let (has_marked, inside) = (w.register(1, 0), w.register(1, 0));
    let is_marked = w.gates.all(&[marks, is_stored, !has_marked.now[0]]);
    let next = w.gates.or(has_marked.now[0], is_marked);
    w.set(&has_marked, &[next]);
    let cells: Vec<Register> = (0..1 << log).map(|_| w.register(1, 0)).collect();
    for (number, cell) in cells.iter().enumerate() {
        let is_written = w.is(&here, number as u64);
        let is_written = w.gates.and(is_written, is_stored);
        let next = w.gates.either(is_written, is_marked, cell.now[0]);
        w.set(cell, &[next]);
    }
    let cells: Word = cells.iter().map(|cell| cell.now[0]).collect();
    let head = w.pick_bit(&there, &cells);
    let leaves = w.gates.and(is_taken, head);
    let kept = w.gates.and(inside.now[0], !leaves);
    let next = w.gates.or(kept, is_marked);
    w.set(&inside, &[next]);
    // At most one word is marked. So a signal that is true infinitely often is true in each frame from some frame on.
    w.not_forever(&[inside.now[0]], &[takes])
}

/// A counter of `width` bits that counts again and again, so it is 0 again and again. Fault: in the middle, it may
/// count down. Then it can go up and down there for ever. The first violation needs 2^(width - 1) frames.
fn wraps(width: usize, has_fault: bool) -> Circuit {
    let mut w = Words::default();
    let (counts, is_back) = (w.input(), w.input());
    let number = w.register(width, 0);
    let up = w.increment(&number.now, counts);
    let middle = 1 << (width - 1);
    let is_middle = w.is(&number.now, middle);
    let falls = if has_fault { w.gates.all(&[counts, is_back, is_middle]) } else { Signal::FALSE };
    let next = w.either(falls, &Words::constant(width, middle - 1), &up);
    w.set(&number, &next);
    let is_zero = w.is(&number.now, 0);
    let guess = Guess::new(&mut w, 1);
    let starved = guess.always(&mut w, !is_zero);
    w.not_forever(&[starved, counts], &[])
}

/// The alternating bit protocol. Messages and acknowledgements take `length` frames, and may be lost. The sender
/// repeats its bit in each frame, and the receiver the last bit that it has accepted. Neither of the two channels loses
/// everything, so the sender gets on again and again. Fault: the receiver repeats an acknowledgement only
/// `4 * length - 1` times. Then both wait if all of them are lost.
fn protocol(length: usize, has_fault: bool) -> Circuit {
    let mut w = Words::default();
    let (message_lost, answer_lost) = (w.input(), w.input());
    let (sent, expected) = (w.register(1, 0), w.register(1, 0));
    let arrived = channel(&mut w, length, &[sent.now[0], !message_lost]);
    let differs = w.gates.xor(arrived[0], expected.now[0]);
    let accepts = w.gates.and(arrived[1], !differs);
    let next = w.gates.xor(expected.now[0], accepts);
    w.set(&expected, &[next]);
    let gives_up = if has_fault { gives_up(&mut w, 4 * length, accepts) } else { Signal::FALSE };
    let is_answered = w.gates.and(!answer_lost, !gives_up);
    let answer = channel(&mut w, length, &[!expected.now[0], is_answered]);
    let differs = w.gates.xor(answer[0], sent.now[0]);
    let gets_on = w.gates.and(answer[1], !differs);
    let next = w.gates.xor(sent.now[0], gets_on);
    w.set(&sent, &[next]);
    let guess = Guess::new(&mut w, 1);
    let starved = guess.always(&mut w, !gets_on);
    w.not_forever(&[starved], &[!message_lost, !answer_lost])
}

/// Returns a signal that is true from `frames` frames after the start, or after `restarts`, until `restarts` is true.
fn gives_up(w: &mut Words, frames: usize, restarts: Signal) -> Signal {
    let passed = w.register(bits(frames + 1), 0);
    let is_over = w.is(&passed.now, frames as u64);
    let next = w.increment(&passed.now, !is_over);
    let next = w.and_bit(&next, !restarts);
    w.set(&passed, &next);
    is_over
}

/// Delays a word by `length` frames.
fn channel(w: &mut Words, length: usize, word: &[Signal]) -> Word {
    (0..length).fold(word.to_vec(), |word, _| {
        let stage = w.register(word.len(), 0);
        w.set(&stage, &word);
        stage.now
    })
}

/// A lock with tickets: a process takes the next ticket, waits until this ticket is served, works, and leaves. Each
/// process makes steps again and again, and fewer tickets than processes come before, so no process waits for ever.
/// Fault: a process that leaves may wait again with its old ticket, which is still served. Then the others wait.
fn tickets(processes: usize, has_fault: bool) -> Circuit {
    let mut w = Words::default();
    let (scheduled, wants) = (w.inputs(bits(processes)), w.input());
    let (free, serving) = (w.register(bits(processes), 0), w.register(bits(processes), 0));
    let steps: Word = (0..processes as u64).map(|i| w.is(&scheduled, i)).collect();
    let lock = Lock { wants, free: free.now.clone(), serving: serving.now.clone(), has_fault };
    let all: Vec<Process> = steps.iter().map(|&step| process(&mut w, step, &lock)).collect();
    // At most one process makes a step.
    let taken: Word = all.iter().map(|process| process.takes).collect();
    let given_back: Word = all.iter().map(|process| process.gives_back).collect();
    for (register, moves) in [(&free, taken), (&serving, given_back)] {
        let moves = w.gates.any(&moves);
        let next = w.increment(&register.now, moves);
        w.set(register, &next);
    }
    let guess = Guess::new(&mut w, processes);
    let waits: Word = all.iter().map(|process| process.waits).collect();
    let waits = w.pick_bit(&guess.client, &waits);
    let starved = guess.always(&mut w, waits);
    w.not_forever(&[starved], &steps)
}

/// The lock of [`tickets`] in a frame, as its processes see it.
struct Lock {
    /// True if the process that makes a step wants a ticket.
    wants: Signal,
    /// The next ticket that a process takes.
    free: Word,
    /// The ticket that is served.
    serving: Word,
    has_fault: bool,
}

/// A process of [`tickets`].
struct Process {
    /// True if it takes a ticket in this frame.
    takes: Signal,
    /// True if its ticket is no longer served after this frame.
    gives_back: Signal,
    /// True if it has a ticket, and does not work yet.
    waits: Signal,
}

/// Adds a process, which makes a step in each frame with `step`.
fn process(w: &mut Words, step: Signal, lock: &Lock) -> Process {
    let (waits, works, ticket) = (w.register(1, 0), w.register(1, 0), w.register(lock.free.len(), 0));
    let takes = w.gates.all(&[step, lock.wants, !waits.now[0], !works.now[0]]);
    let next = w.either(takes, &lock.free, &ticket.now);
    w.set(&ticket, &next);
    let is_served = w.equal(&ticket.now, &lock.serving);
    let enters = w.gates.all(&[step, waits.now[0], is_served]);
    let leaves = w.gates.and(step, works.now[0]);
    let returns = if lock.has_fault { w.gates.and(leaves, lock.wants) } else { Signal::FALSE };
    let kept = w.gates.and(waits.now[0], !enters);
    let next = w.gates.any(&[takes, kept, returns]);
    w.set(&waits, &[next]);
    let kept = w.gates.and(works.now[0], !leaves);
    let next = w.gates.or(enters, kept);
    w.set(&works, &[next]);
    Process { takes, gives_back: w.gates.and(leaves, !returns), waits: waits.now[0] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::JusticeId;
    use testkit::circuit::{has_fair_run, truth};

    /// Largest numbers of latches, inputs and states for brute force.
    const SMALL: (usize, usize, usize) = (24, 8, 1500);

    fn is_small(circuit: &Circuit) -> bool {
        let (latches, inputs, states) = SMALL;
        circuit.latches().len() <= latches && circuit.inputs().len() <= inputs && truth(circuit, states).is_some()
    }

    #[test]
    fn small_members_have_the_answers_that_they_are_built_for() {
        let mut forms = Vec::new();
        for member in all().iter().filter(|member| is_small(&member.circuit)) {
            assert_eq!(has_fair_run(&member.circuit, JusticeId::new(0)), !member.is_safe, "{}", member.name);
            forms.push((member.family, member.is_safe));
        }
        for (family, ..) in FAMILIES {
            assert!([true, false].iter().all(|&is_safe| forms.contains(&(family, is_safe))), "{family}: {forms:?}");
        }
    }

    #[test]
    fn each_member_has_one_justice_property() {
        let is_live = |member: &Member| member.circuit.justices().len() == 1 && member.circuit.outputs().is_empty();
        assert!(all().iter().all(is_live));
        assert_eq!(all().len(), 8 * FAMILIES.len());
    }
}
