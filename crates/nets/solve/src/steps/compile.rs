//! Compiles a net to tables of tests and additions on the words of packed markings.
//!
//! Guards become tests of bit fields. Tests for an exact value (a marked 1-bit place, an empty place, the
//! marked place of a slot with several places) are merged per word into `word & mask == value`. Plain arcs
//! become one wrapping addition per word, and a test that no field overflows. The other effects (transfers,
//! resets, assignments) are computed place by place from the old marking.
//!
//! A transition is tested only in markings in which its *watched* place is marked. The watched place is a place
//! that the transition's guards require to be marked: one that the fewest transitions require, and if there are
//! several of these, one that starts empty. (SAT solvers watch one of many conditions in the same way.)

use crate::steps::width::Width;
use model::{NetTask, PlaceId, Slot, Transition};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, ToPrimitive, Zero};
use search::layout::{Field, Layout};
use std::ops::Range;

/// Bound on constants: larger ones are replaced by it, because no marking has room for that many tokens.
const HUGE: i128 = 1 << 100;

/// Where the tokens of a place are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct At {
    pub(crate) field: Field,
    /// If 0, the field counts the tokens. Otherwise the place has one token if the field holds this value, and
    /// else none.
    pub(crate) value: u32,
}

impl At {
    #[inline]
    pub(crate) fn tokens(self, packed: &[u64]) -> u64 {
        let value = self.field.get(packed) as u64;
        if self.value == 0 { value } else { u64::from(value == u64::from(self.value)) }
    }
}

/// `word & mask == value`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Equal {
    pub(crate) word: u32,
    pub(crate) mask: u64,
    pub(crate) value: u64,
}

impl Equal {
    #[inline(always)]
    pub(crate) fn holds(&self, packed: &[u64]) -> bool {
        packed[self.word as usize] & self.mask == self.value
    }
}

/// Tests that a field holds a value from `least` to `most`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Within {
    pub(crate) field: Field,
    pub(crate) least: u64,
    pub(crate) most: u64,
}

/// Adds a constant to a word: the effect of plain arcs on all its fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Add {
    pub(crate) word: u32,
    pub(crate) add: u64,
}

/// Tests that a slot's field can hold `add` more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldRoom {
    pub(crate) slot: u32,
    pub(crate) field: Field,
    pub(crate) add: u64,
}

/// The effect `place' = sum of sources + add` of an arc that is not plain.
#[derive(Clone, Debug)]
pub(crate) struct Sum {
    pub(crate) slot: u32,
    pub(crate) at: At,
    pub(crate) counted: bool,
    pub(crate) sources: Range<usize>,
    pub(crate) add: i128,
}

/// A compiled transition. The ranges refer to the vectors of [`Tables`].
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) label: u32,
    pub(crate) equals: Range<u32>,
    pub(crate) unequals: Range<u32>,
    pub(crate) withins: Range<u32>,
    pub(crate) adds: Range<u32>,
    pub(crate) rooms: Range<u32>,
    pub(crate) sums: Range<u32>,
    /// Tokens added by plain arcs to counted places (the places on which the bound limits the number of
    /// tokens).
    pub(crate) gain: i128,
}

/// A rule in the list of its watched place, with its first test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    pub(crate) rule: u32,
    /// True if the rule has other tests.
    pub(crate) more: bool,
    pub(crate) first: Equal,
}

/// For a bit of a packed marking: its field, and the lists of rules that watch the field.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bit {
    pub(crate) mask: u64,
    pub(crate) shift: u32,
    /// Number of the list. For a slot with several places: the list of value 0. The lists of the other values
    /// follow it.
    pub(crate) list: u32,
    pub(crate) one_of: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub(crate) layout: Layout,
    /// For each place: where its tokens are stored.
    pub(crate) at: Vec<At>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) equals: Vec<Equal>,
    pub(crate) unequals: Vec<Equal>,
    pub(crate) withins: Vec<Within>,
    pub(crate) adds: Vec<Add>,
    pub(crate) rooms: Vec<FieldRoom>,
    pub(crate) sums: Vec<Sum>,
    pub(crate) sources: Vec<At>,
    /// Rules without a guard that requires a token.
    pub(crate) always: Vec<u32>,
    /// For each word: the bits of watched fields.
    pub(crate) watched: Vec<u64>,
    pub(crate) bits: Vec<Bit>,
    lists: Vec<u32>,
    watches: Vec<Watch>,
    /// Fields that count tokens on counted places. For slots with several places: which values mark a counted
    /// place.
    counted: Vec<Field>,
    counted_values: Vec<(Field, Vec<bool>)>,
    pub(crate) bound: Option<u64>,
}

/// The tests of a transition during compilation.
#[derive(Default)]
struct Draft {
    equals: Vec<Equal>,
    unequals: Vec<Equal>,
    withins: Vec<Within>,
}

impl Tables {
    pub(crate) fn new(task: &NetTask, width: &Width) -> Self {
        let layout = Layout::with_bits(width.bits().iter().copied());
        let none = At { field: Field { word: 0, shift: 0, bits: 0 }, value: 0 };
        let mut this = Self {
            at: vec![none; task.net.places().len()],
            rules: Vec::new(),
            equals: Vec::new(),
            unequals: Vec::new(),
            withins: Vec::new(),
            adds: Vec::new(),
            rooms: Vec::new(),
            sums: Vec::new(),
            sources: Vec::new(),
            always: Vec::new(),
            watched: vec![0; layout.words()],
            bits: vec![Bit::default(); layout.words() * 64],
            lists: Vec::new(),
            watches: Vec::new(),
            counted: Vec::new(),
            counted_values: Vec::new(),
            bound: task.bound.as_ref().map(|b| b.most),
            layout,
        };
        let mut slot_of = vec![0; task.net.places().len()];
        this.place(task, &mut slot_of);
        let counted = |p: PlaceId| task.bound.as_ref().is_some_and(|b| b.counted[p.index()]);
        for (label, transition) in task.net.transitions().iter().enumerate() {
            let Some(draft) = this.guards(transition) else { continue };
            this.rule(label as u32, transition, draft, &slot_of, &counted);
        }
        this.watch(task);
        this
    }

    /// Records where the tokens of each place are stored.
    fn place(&mut self, task: &NetTask, slot_of: &mut [u32]) {
        let counted = |p: &PlaceId| task.bound.as_ref().is_some_and(|b| b.counted[p.index()]);
        for (slot, (shape, &field)) in task.slots.iter().zip(self.layout.fields()).enumerate() {
            match shape {
                Slot::Tokens(p) => {
                    (self.at[p.index()], slot_of[p.index()]) = (At { field, value: 0 }, slot as u32);
                    if counted(p) {
                        self.counted.push(field);
                    }
                }
                Slot::OneOf(places) => {
                    for (i, p) in places.iter().enumerate() {
                        (self.at[p.index()], slot_of[p.index()]) = (At { field, value: i as u32 + 1 }, slot as u32);
                    }
                    if places.iter().any(counted) {
                        let values = std::iter::once(false).chain(places.iter().map(counted)).collect();
                        self.counted_values.push((field, values));
                    }
                }
            }
        }
    }

    /// Returns the tests of a transition, or `None` if no marking of this width enables it.
    fn guards(&self, transition: &Transition) -> Option<Draft> {
        let mut draft = Draft::default();
        if transition.is_forbidden() {
            return None;
        }
        for guard in &transition.guards {
            let At { field, value } = self.at[guard.place.index()];
            let capacity = if value == 0 { field.mask() } else { 1 };
            let least = guard.range.at_least.to_u64().filter(|&least| least <= capacity)?;
            let most = guard.range.at_most.as_ref().and_then(BigUint::to_u64).unwrap_or(u64::MAX).min(capacity);
            if value == 0 {
                match (least, most) {
                    (0, most) if most == capacity => {}
                    _ if least == most => merge(&mut draft.equals, field, least)?,
                    _ => draft.withins.push(Within { field, least, most }),
                }
            } else if least == 1 {
                merge(&mut draft.equals, field, u64::from(value))?;
            } else if most == 0 {
                draft.unequals.push(equal(field, u64::from(value)));
            }
        }
        Some(draft)
    }

    fn rule(
        &mut self,
        label: u32,
        transition: &Transition,
        draft: Draft,
        slot_of: &[u32],
        counted: &dyn Fn(PlaceId) -> bool,
    ) {
        let first = |len: usize| len as u32;
        let start = (
            first(self.equals.len()),
            first(self.unequals.len()),
            first(self.withins.len()),
            first(self.adds.len()),
            first(self.rooms.len()),
            first(self.sums.len()),
        );
        self.equals.extend(draft.equals);
        self.unequals.extend(draft.unequals);
        self.withins.extend(draft.withins);
        let mut adds: Vec<Add> = Vec::new();
        let mut gain = 0i128;
        let mut shared: Vec<u32> = Vec::new();
        for effect in &transition.effects {
            let (at, slot) = (self.at[effect.place.index()], slot_of[effect.place.index()]);
            if at.value > 0 {
                shared.push(slot);
                continue;
            }
            let is_counted = counted(effect.place);
            match effect.delta() {
                Some(delta) => {
                    let delta = clamp(delta);
                    if is_counted {
                        gain += delta;
                    }
                    add(&mut adds, at.field, delta);
                    self.room(transition, effect.place, slot, delta, is_counted);
                }
                None => self.sum(effect, slot, is_counted),
            }
        }
        shared.sort_unstable();
        shared.dedup();
        for slot in shared {
            match self.switch(transition, slot, slot_of) {
                Some(Ok((from, to))) => {
                    let field = self.layout.fields()[slot as usize];
                    add(&mut adds, field, i128::from(to.0) - i128::from(from.0));
                    let is_counted = |place: Option<PlaceId>| i128::from(place.is_some_and(counted));
                    gain += is_counted(to.1) - is_counted(from.1);
                }
                Some(Err(())) => {
                    let field = self.layout.fields()[slot as usize];
                    self.rooms.push(FieldRoom { slot, field, add: u64::MAX >> 1 });
                }
                None => {
                    for effect in transition.effects.iter().filter(|e| slot_of[e.place.index()] == slot) {
                        self.sum(effect, slot, counted(effect.place));
                    }
                }
            }
        }
        self.adds.extend(adds);
        self.rules.push(Rule {
            label,
            equals: start.0..first(self.equals.len()),
            unequals: start.1..first(self.unequals.len()),
            withins: start.2..first(self.withins.len()),
            adds: start.3..first(self.adds.len()),
            rooms: start.4..first(self.rooms.len()),
            sums: start.5..first(self.sums.len()),
            gain,
        });
    }

    /// Adds a test that the field of `place` has room for `delta` more tokens, unless guards or the bound
    /// ensure it.
    fn room(&mut self, transition: &Transition, place: PlaceId, slot: u32, delta: i128, is_counted: bool) {
        let field = self.at[place.index()].field;
        let capacity = i128::from(field.mask());
        let bounded = is_counted && self.bound.is_some_and(|most| i128::from(most) <= capacity);
        let most = transition.guard(place).and_then(|range| range.at_most.as_ref()).and_then(BigUint::to_u64);
        let guarded = most.is_some_and(|most| i128::from(most) + delta <= capacity);
        if delta > 0 && !bounded && !guarded {
            let add = u64::try_from(delta).unwrap_or(u64::MAX).min(u64::MAX >> 1);
            self.rooms.push(FieldRoom { slot, field, add });
        }
    }

    fn sum(&mut self, effect: &model::Effect, slot: u32, counted: bool) {
        let first = self.sources.len();
        self.sources.extend(effect.sources.iter().map(|p| self.at[p.index()]));
        let at = self.at[effect.place.index()];
        self.sums.push(Sum { slot, at, counted, sources: first..self.sources.len(), add: clamp(&effect.add) });
    }

    /// Returns the effect of a transition on a slot of several places, if its guards tell which of these places
    /// is marked: the slot's values before and after, with their places. Returns `Some(Err(()))` if the slot
    /// would hold more than one token, and `None` if the effect depends on more than this slot, or the guards
    /// do not tell the marked place.
    #[expect(clippy::type_complexity, reason = "a private pair of pairs")]
    fn switch(
        &self,
        transition: &Transition,
        slot: u32,
        slot_of: &[u32],
    ) -> Option<Result<((u32, Option<PlaceId>), (u32, Option<PlaceId>)), ()>> {
        let inside = |p: PlaceId| slot_of[p.index()] == slot;
        let marked = transition.guards.iter().find(|g| inside(g.place) && !g.range.at_least.is_zero())?.place;
        let mut after = transition.effect(marked).is_none().then_some(marked);
        for effect in transition.effects.iter().filter(|e| inside(e.place)) {
            if !effect.sources.iter().all(|&p| inside(p)) {
                return None;
            }
            let kept = effect.sources.iter().filter(|&&p| p == marked).count();
            let tokens = clamp(&effect.add) + kept as i128;
            if tokens > 1 || (tokens == 1 && after.is_some()) {
                return Some(Err(()));
            }
            if tokens == 1 {
                after = Some(effect.place);
            }
        }
        let value = |p: PlaceId| self.at[p.index()].value;
        Some(Ok(((value(marked), Some(marked)), (after.map_or(0, value), after))))
    }

    /// Chooses a watched place for each rule and builds the lists.
    fn watch(&mut self, task: &NetTask) {
        let net = &task.net;
        let mut askers = vec![0u32; net.places().len()];
        let asks = |g: &&model::Guard| !g.range.at_least.is_zero();
        for rule in &self.rules {
            let transition = &net.transitions()[rule.label as usize];
            transition.guards.iter().filter(asks).for_each(|g| askers[g.place.index()] += 1);
        }
        // One list per slot of tokens, and one per value of each other slot.
        let mut list_of_slot = Vec::with_capacity(task.slots.len());
        let mut lists = 0u32;
        for slot in &task.slots {
            list_of_slot.push(lists);
            lists += if let Slot::OneOf(places) = slot { places.len() as u32 + 1 } else { 1 };
        }
        let mut list_of = vec![0u32; net.places().len()];
        for (slot, &first) in task.slots.iter().zip(&list_of_slot) {
            match slot {
                Slot::Tokens(p) => list_of[p.index()] = first,
                Slot::OneOf(places) => {
                    places.iter().enumerate().for_each(|(i, p)| list_of[p.index()] = first + i as u32 + 1);
                }
            }
        }
        let mut by_list: Vec<(u32, u32)> = Vec::new();
        for (r, rule) in self.rules.iter().enumerate() {
            let guards = net.transitions()[rule.label as usize].guards.iter().filter(asks);
            let starts_marked = |p: PlaceId| net.place(p).initial.at_most.as_ref().is_none_or(|most| !most.is_zero());
            match guards.min_by_key(|g| (askers[g.place.index()], starts_marked(g.place))) {
                Some(guard) => by_list.push((list_of[guard.place.index()], r as u32)),
                None => self.always.push(r as u32),
            }
        }
        by_list.sort_unstable();
        self.lists = vec![0; lists as usize + 1];
        by_list.iter().for_each(|(list, _)| self.lists[*list as usize + 1] += 1);
        (0..lists as usize).for_each(|l| self.lists[l + 1] += self.lists[l]);
        self.watches = by_list.iter().map(|&(_, rule)| self.first_test(rule)).collect();
        for (slot, &list) in list_of_slot.iter().enumerate() {
            let one_of = matches!(task.slots[slot], Slot::OneOf(_));
            let last = if one_of { list_of_slot.get(slot + 1).copied().unwrap_or(lists) } else { list + 1 };
            if self.lists[list as usize] < self.lists[last as usize] {
                self.watch_field(self.layout.fields()[slot], list, one_of);
            }
        }
    }

    /// Returns the watch of a rule. The merged test with the largest number of bits comes first. If the rule
    /// has other tests, this test is evaluated again together with them.
    fn first_test(&self, rule: u32) -> Watch {
        let of = &self.rules[rule as usize];
        let tests = part(&self.equals, &of.equals);
        let first = tests.iter().max_by_key(|t| t.mask.count_ones()).copied();
        let more = tests.len() > 1 || !of.withins.is_empty() || !of.unequals.is_empty();
        Watch { rule, more, first: first.unwrap_or(Equal { word: 0, mask: 0, value: 0 }) }
    }

    fn watch_field(&mut self, field: Field, list: u32, one_of: bool) {
        let mask = field.mask() << field.shift;
        self.watched[field.word] |= mask;
        for bit in field.shift..field.shift + field.bits {
            self.bits[field.word * 64 + bit as usize] = Bit { mask, shift: field.shift, list, one_of };
        }
    }

    /// Returns the watches of a list.
    #[inline(always)]
    pub(crate) fn list(&self, list: u32) -> &[Watch] {
        &self.watches[self.lists[list as usize] as usize..self.lists[list as usize + 1] as usize]
    }

    /// Returns true if `packed` satisfies all guards of `rule`.
    #[inline(always)]
    pub(crate) fn is_enabled(&self, rule: u32, packed: &[u64]) -> bool {
        let rule = &self.rules[rule as usize];
        part(&self.equals, &rule.equals).iter().all(|t| t.holds(packed))
            && part(&self.withins, &rule.withins).iter().all(|t| {
                let value = t.field.get(packed) as u64;
                t.least <= value && value <= t.most
            })
            && part(&self.unequals, &rule.unequals).iter().all(|t| !t.holds(packed))
    }

    /// Returns the number of tokens on counted places.
    pub(crate) fn total(&self, packed: &[u64]) -> u64 {
        let tokens: u64 = self.counted.iter().map(|field| field.get(packed) as u64).sum();
        let values = self.counted_values.iter().map(|(field, counts)| u64::from(counts[field.get(packed)]));
        tokens + values.sum::<u64>()
    }
}

/// Returns the items of a range.
#[inline(always)]
pub(crate) fn part<'a, T>(items: &'a [T], range: &Range<u32>) -> &'a [T] {
    &items[range.start as usize..range.end as usize]
}

fn equal(field: Field, value: u64) -> Equal {
    Equal { word: field.word as u32, mask: field.mask() << field.shift, value: value << field.shift }
}

/// Adds the test that `field` holds `value`. Returns `None` if it contradicts the other tests.
fn merge(tests: &mut Vec<Equal>, field: Field, value: u64) -> Option<()> {
    let new = equal(field, value);
    match tests.iter_mut().find(|t| t.word == new.word) {
        Some(test) => {
            let both = test.mask & new.mask;
            if test.value & both != new.value & both {
                return None;
            }
            test.mask |= new.mask;
            test.value |= new.value;
        }
        None => tests.push(new),
    }
    Some(())
}

/// Adds `delta` to the addition for `field`. If a delta is too large for the field, a [`FieldRoom`] test fails
/// before the addition is applied.
fn add(adds: &mut Vec<Add>, field: Field, delta: i128) {
    let shifted = (delta as u64).wrapping_shl(field.shift);
    match adds.iter_mut().find(|a| a.word == field.word as u32) {
        Some(add) => add.add = add.add.wrapping_add(shifted),
        None => adds.push(Add { word: field.word as u32, add: shifted }),
    }
}

fn clamp(number: &BigInt) -> i128 {
    number.to_i128().unwrap_or(if number.is_negative() { -HUGE } else { HUGE }).clamp(-HUGE, HUGE)
}
