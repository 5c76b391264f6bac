//! Steps nets by tables. Module `compile` describes the tables.

use crate::steps::compile::{At, Rule, Sum, Tables, part};
use crate::steps::initial::{Endless, Initial};
use crate::steps::width::Width;
use model::{ExpansionKind, Goal, NetTask, PlaceId, Slot};
use search::covering::Covering;
use search::layout::Field;
pub(super) use search::step::{Stepper, Successors};
use std::ops::ControlFlow;

/// Why a net cannot be stepped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsteppable {
    /// The net has infinitely many initial markings, and no bound.
    Endless,
    /// An initial marking within the bound has a count beyond 32 bits.
    Overflow,
}

/// A compiled net. Labels are transition numbers.
///
/// States without enabled transition have the kind `ExpansionKind::Goal(Goal::Deadlock)`, even if deadlock is
/// not a goal of the task. A transition counts as enabled even if its successor exceeds the bound. Formula
/// goals are tested by [`crate::NetGoals`], or made final by [`crate::Query`].
#[derive(Clone, Debug)]
pub struct NetStepper {
    tables: Tables,
    width: Width,
    initial: Initial,
    slots: Vec<Slot>,
    /// Rules enabled in the state being expanded.
    enabled: Vec<u32>,
    /// New token counts of the places in a rule's sums.
    sums: Vec<i128>,
    writes: Vec<(Field, u64)>,
    overflown: Vec<usize>,
}

/// Result of firing a rule.
enum Fired {
    Done,
    Cut,
    Overflow,
}

impl NetStepper {
    /// Compiles the net of `task` for states of the given width.
    ///
    /// # Errors
    /// If the initial markings cannot be enumerated.
    pub fn new(task: &NetTask, width: Width) -> Result<Self, Unsteppable> {
        let initial = Initial::new(&task.net, task.bound.as_ref()).map_err(|endless| match endless {
            Endless::Range => Unsteppable::Endless,
            Endless::Number => Unsteppable::Overflow,
        })?;
        Ok(Self {
            tables: Tables::new(task, &width),
            initial,
            slots: task.slots.clone(),
            enabled: Vec::new(),
            sums: Vec::new(),
            writes: Vec::new(),
            overflown: Vec::new(),
            width,
        })
    }

    /// Returns the width that the net was compiled for.
    #[must_use]
    pub fn state_width(&self) -> &Width {
        &self.width
    }

    /// Returns true if each slot of the unpacked state has a value that it can have.
    #[must_use]
    pub fn has_value(&self, unpacked: &[u32]) -> bool {
        let fits = |(slot, &value): (&Slot, &u32)| match slot {
            Slot::OneOf(places) => value as usize <= places.len(),
            Slot::Tokens(_) => true,
        };
        unpacked.len() == self.slots.len() && self.slots.iter().zip(unpacked).all(fits)
    }

    /// Returns the slots that had no room for a successor in the last expansion, each once. If the kind of the
    /// expansion was `ExpansionKind::Overflow`, they have to be widened. If such a slot cannot be widened, the
    /// successors that do not fit are lost.
    #[must_use]
    pub fn overflown(&self) -> &[usize] {
        &self.overflown
    }

    /// Returns the number of tokens of a place in a packed state.
    #[must_use]
    pub fn tokens(&self, place: PlaceId, packed: &[u64]) -> u64 {
        self.tables.at[place.index()].tokens(packed)
    }

    pub(crate) fn at(&self, place: PlaceId) -> At {
        self.tables.at[place.index()]
    }

    /// Returns the field of each slot, and true if the slot counts tokens.
    /// Returns an empty index of markings that covers are looked up in.
    #[must_use]
    pub fn covering(&self) -> Covering {
        Covering::new(self.tables.layout.words(), self.fields())
    }

    fn fields(&self) -> impl Iterator<Item = (Field, bool)> + Clone {
        let fields = self.tables.layout.fields().iter().copied();
        fields.zip(self.slots.iter().map(|slot| matches!(slot, Slot::Tokens(_))))
    }

    /// Stores the transitions that `packed` enables in `out`, which is cleared first, in ascending order.
    pub fn enabled(&mut self, packed: &[u64], out: &mut Vec<u32>) {
        self.find_enabled(packed);
        out.clear();
        out.extend(self.enabled.iter().map(|&rule| self.tables.rules[rule as usize].label));
    }

    /// Like [`Stepper::expand`], but fires only the transitions `chosen`, in ascending order. They must be some
    /// of those that the last call of [`NetStepper::enabled`] returned, for the same state.
    pub fn expand_on(&mut self, packed: &[u64], chosen: &[u32], out: &mut Successors) -> ExpansionKind {
        if self.enabled.is_empty() {
            out.clear();
            self.overflown.clear();
            return ExpansionKind::Goal(Goal::Deadlock);
        }
        let rules = &self.tables.rules;
        self.enabled.retain(|&rule| chosen.binary_search(&rules[rule as usize].label).is_ok());
        self.fire_enabled(packed, out)
    }

    fn fire_enabled(&mut self, packed: &[u64], out: &mut Successors) -> ExpansionKind {
        out.clear();
        self.overflown.clear();
        let (mut total, mut kind) = (None, ExpansionKind::Inner);
        let enabled = std::mem::take(&mut self.enabled);
        for &rule in &enabled {
            match self.fire(rule, packed, &mut total, out) {
                Fired::Done => {}
                Fired::Cut if kind == ExpansionKind::Inner => kind = ExpansionKind::Cut,
                Fired::Cut => {}
                Fired::Overflow => kind = ExpansionKind::Overflow,
            }
        }
        self.enabled = enabled;
        self.overflown.sort_unstable();
        self.overflown.dedup();
        kind
    }

    #[inline]
    fn find_enabled(&mut self, packed: &[u64]) {
        let Self { tables, enabled, .. } = self;
        enabled.clear();
        enabled.extend(tables.always.iter().filter(|&&rule| tables.is_enabled(rule, packed)));
        for (w, &word) in packed.iter().enumerate() {
            let mut marked = word & tables.watched[w];
            while marked != 0 {
                let bit = tables.bits[w * 64 + marked.trailing_zeros() as usize];
                marked &= !bit.mask;
                let value = if bit.one_of { (word & bit.mask) >> bit.shift } else { 0 };
                for watch in tables.list(bit.list + value as u32) {
                    if watch.first.holds(packed) && (!watch.more || tables.is_enabled(watch.rule, packed)) {
                        enabled.push(watch.rule);
                    }
                }
            }
        }
        enabled.sort_unstable();
    }

    /// Fires an enabled rule. `total` is the state's number of tokens on counted places, computed on first use.
    #[inline]
    fn fire(&mut self, rule: u32, packed: &[u64], total: &mut Option<u64>, out: &mut Successors) -> Fired {
        let Self { tables, writes, sums, overflown, .. } = self;
        let rule = &tables.rules[rule as usize];
        let mut gain = rule.gain;
        if !rule.sums.is_empty() {
            gain += compute(tables, rule, packed, sums);
        }
        if let Some(most) = tables.bound
            && gain > 0
        {
            let total = *total.get_or_insert_with(|| tables.total(packed));
            if i128::from(total) + gain > i128::from(most) {
                return Fired::Cut;
            }
        }
        for room in part(&tables.rooms, &rule.rooms) {
            if room.field.get(packed) as u64 + room.add > room.field.mask() {
                overflown.push(room.slot as usize);
                return Fired::Overflow;
            }
        }
        if !rule.sums.is_empty()
            && let Err(slot) = settle(tables, rule, packed, sums, writes)
        {
            overflown.push(slot);
            return Fired::Overflow;
        }
        let next = out.push_copy(rule.label, packed);
        for add in part(&tables.adds, &rule.adds) {
            next[add.word as usize] = next[add.word as usize].wrapping_add(add.add);
        }
        if !rule.sums.is_empty() {
            for &(field, value) in writes.iter() {
                next[field.word] = (next[field.word] & !(field.mask() << field.shift)) | (value << field.shift);
            }
        }
        Fired::Done
    }
}

/// Computes the new token counts of the places in a rule's sums. Returns the tokens added to counted places.
fn compute(tables: &Tables, rule: &Rule, packed: &[u64], sums: &mut Vec<i128>) -> i128 {
    sums.clear();
    let mut gain = 0;
    for sum in part(&tables.sums, &rule.sums) {
        let sources = &tables.sources[sum.sources.clone()];
        let new = sources.iter().map(|at| i128::from(at.tokens(packed))).sum::<i128>() + sum.add;
        debug_assert!(new >= 0, "guards make sure of it");
        if sum.counted {
            gain += new - i128::from(sum.at.tokens(packed));
        }
        sums.push(new);
    }
    gain
}

/// Stores the fields that a rule's sums change, with their new values, in `writes`. Returns an error with the
/// slot if a field has no room for its new value.
fn settle(
    tables: &Tables,
    rule: &Rule,
    packed: &[u64],
    sums: &[i128],
    writes: &mut Vec<(Field, u64)>,
) -> Result<(), usize> {
    writes.clear();
    let rule_sums = part(&tables.sums, &rule.sums);
    let mut first = 0;
    for group in rule_sums.chunk_by(|a, b| a.slot == b.slot) {
        let (slot, field) = (group[0].slot as usize, group[0].at.field);
        let new = &sums[first..first + group.len()];
        first += group.len();
        let value = if group[0].at.value == 0 {
            u64::try_from(new[0]).map_err(|_| slot)?
        } else {
            let before = field.get(packed) as u64;
            let is_before = |s: &Sum| u64::from(s.at.value) == before;
            let mut after = if group.iter().any(is_before) { 0 } else { before };
            for (sum, &tokens) in group.iter().zip(new).filter(|(_, tokens)| **tokens > 0) {
                if tokens > 1 || after > 0 {
                    return Err(slot);
                }
                after = u64::from(sum.at.value);
            }
            after
        };
        if value > field.mask() {
            return Err(slot);
        }
        writes.push((field, value));
    }
    Ok(())
}

impl Stepper for NetStepper {
    fn words(&self) -> usize {
        self.tables.layout.words()
    }

    fn width(&self) -> usize {
        self.slots.len()
    }

    fn pack(&self, state: &[u32], out: &mut Vec<u64>) {
        self.tables.layout.pack(state, out);
    }

    fn unpack(&self, packed: &[u64], out: &mut Vec<u32>) {
        self.tables.layout.unpack(packed, out);
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u64])) {
        self.initial_while(&mut |state| {
            sink(state);
            ControlFlow::Continue(())
        });
    }

    fn initial_while(&self, sink: &mut dyn FnMut(&[u64]) -> ControlFlow<()>) {
        let (mut state, mut packed) = (Vec::with_capacity(self.slots.len()), Vec::new());
        let _ = self.initial.for_each(&mut |marking| {
            state.clear();
            state.extend(self.slots.iter().map(|slot| match slot {
                Slot::Tokens(p) => marking[p.index()] as u32,
                Slot::OneOf(places) => places.iter().position(|p| marking[p.index()] > 0).map_or(0, |i| i as u32 + 1),
            }));
            self.tables.layout.pack(&state, &mut packed);
            sink(&packed)
        });
    }

    fn initial_is_cut(&self) -> bool {
        self.initial.is_cut()
    }

    fn initial_count(&self) -> u64 {
        self.initial.count()
    }

    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> ExpansionKind {
        self.find_enabled(packed);
        if self.enabled.is_empty() {
            out.clear();
            self.overflown.clear();
            return ExpansionKind::Goal(Goal::Deadlock);
        }
        self.fire_enabled(packed, out)
    }

    fn max_fan_out(&self) -> u64 {
        self.tables.rules.len() as u64
    }

    fn fan_out(&self, packed: &[u64]) -> u64 {
        let mut most = self.tables.always.len() as u64;
        for (w, &word) in packed.iter().enumerate() {
            let mut marked = word & self.tables.watched[w];
            while marked != 0 {
                let bit = self.tables.bits[w * 64 + marked.trailing_zeros() as usize];
                marked &= !bit.mask;
                let value = if bit.one_of { (word & bit.mask) >> bit.shift } else { 0 };
                most += self.tables.list(bit.list + value as u32).len() as u64;
            }
        }
        most
    }
}
