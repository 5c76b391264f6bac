//! Sets of states: packed, and shared part by part.
//!
//! A slot with few values takes as many bits as telling them apart needs, one with any value a *lane* of 32; the narrow ones
//! share lanes. Two lanes are a key. Wider states are trees: pairs of lanes are interned, pairs of their numbers again, and
//! so on up to one pair, which is the state (Laarman, van de Pol, Weber 2011, "Parallel recursive state compression for free").
//! A step changes few lanes, so most parts of a new state are those of the old one and need no look-up, and cost nothing.

use super::interner::Interner;
use super::layout;
use model::certificate::StateSet;
use std::ops::ControlFlow;

/// The number of a state in its set, in the order they came.
pub type StateNumber = u32;

#[derive(Debug)]
enum Coding {
    /// It has one value.
    Constant(i32),
    /// A lane of its own.
    Whole { lane: u32 },
    /// The place of the value among `values`, in some bits of a lane; less `base` if that is the same.
    Few { lane: u32, shift: u32, mask: u32, values: Box<[i32]>, base: Option<i32> },
}

/// Where a part of a state comes from.
#[derive(Clone, Copy, Debug)]
enum Part {
    Lane(usize),
    Pair(usize),
}

#[derive(Debug)]
struct Pair {
    left: Part,
    right: Part,
    /// Bits of the left part.
    shift: u32,
    table: Interner,
}

impl Pair {
    fn key(&self, lanes: &[u32], numbers: &[u32]) -> u64 {
        let value = |part: Part| match part {
            Part::Lane(lane) => u64::from(lanes[lane]),
            Part::Pair(pair) => u64::from(numbers[pair]),
        };
        value(self.left) | value(self.right) << self.shift
    }
}

/// The pairs that a plan names: two places each in the list of the lanes and then the pairs.
fn pairs(bits: &[u32], plan: &[(usize, usize)]) -> Vec<Pair> {
    let part = |place: usize| match place.checked_sub(bits.len()) {
        None => (Part::Lane(place), bits[place]),
        Some(pair) => (Part::Pair(pair), 32),
    };
    let pair = |&(left, right): &(usize, usize)| {
        let ((left, left_bits), (right, right_bits)) = (part(left), part(right));
        let table = Interner::new((left_bits + right_bits).div_ceil(8) as usize);
        Pair { left, right, shift: left_bits, table }
    };
    plan.iter().map(pair).collect()
}

/// A set of states of a program.
#[derive(Debug)]
pub struct States {
    codings: Box<[Coding]>,
    /// Bits in use of each lane.
    bits: Vec<u32>,
    /// Parts come first; the last is the whole.
    pairs: Vec<Pair>,
    lanes: Vec<u32>,
    numbers: Vec<u32>,
    /// The state that was last read, and its parts.
    last_state: Vec<i32>,
    last_lanes: Vec<u32>,
    last_numbers: Vec<u32>,
    /// None was read yet.
    is_fresh: bool,
}

impl States {
    /// An empty set; of each slot the values it can have (`None`: all), ascending.
    pub(super) fn new<'a>(values: impl Iterator<Item = Option<&'a [i32]>>) -> Self {
        let (codings, mut bits) = codings(values);
        // A key needs two sides, if only empty ones.
        bits.resize(bits.len().max(2), 0);
        let plan: Vec<(usize, usize)> = layout::balanced(bits.len());
        let pairs = pairs(&bits, &plan);
        let (lanes, numbers) = (vec![0; bits.len()], vec![0; pairs.len()]);
        Self {
            last_state: vec![0; codings.len()],
            codings,
            bits,
            pairs,
            last_lanes: lanes.clone(),
            last_numbers: numbers.clone(),
            lanes,
            numbers,
            is_fresh: true,
        }
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.last().map_or(0, |pair| pair.table.len())
    }

    /// Is there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of a state, and whether it is new. `None` if there are too many (more than 2^28 - 1 of them, or of some part).
    /// Cheap if the state is like the one last read.
    ///
    /// # Panics
    /// If a slot has a value that it cannot have.
    pub fn intern(&mut self, state: &[i32]) -> Option<(StateNumber, bool)> {
        self.pack(state);
        let mut last = (0, false);
        for (i, pair) in self.pairs.iter_mut().enumerate() {
            let is_same = |part: Part| match part {
                Part::Lane(lane) => self.lanes[lane] == self.last_lanes[lane],
                Part::Pair(pair) => self.numbers[pair] == self.last_numbers[pair],
            };
            if !self.is_fresh && is_same(pair.left) && is_same(pair.right) {
                self.numbers[i] = self.last_numbers[i];
                last = (self.numbers[i], false);
                continue;
            }
            last = pair.table.intern(pair.key(&self.lanes, &self.numbers))?;
            self.numbers[i] = last.0;
        }
        Some(last)
    }

    /// The state of a number.
    ///
    /// # Panics
    /// If there is none, or `state` has not one value per slot.
    pub fn read(&mut self, number: StateNumber, state: &mut [i32]) {
        let top = self.pairs.len() - 1;
        self.last_numbers[top] = number;
        unfold(&self.pairs, &mut self.last_numbers, &mut self.last_lanes);
        self.is_fresh = false;
        self.unpack(&self.last_lanes, state);
        self.last_state.copy_from_slice(state);
    }

    /// All states in order, without changing what was last read; until `visit` breaks off.
    pub fn for_each<B>(&self, mut visit: impl FnMut(&[i32]) -> ControlFlow<B>) -> ControlFlow<B> {
        let (mut numbers, mut lanes) = (self.last_numbers.clone(), self.last_lanes.clone());
        let mut state = vec![0; self.codings.len()];
        let top = self.pairs.len() - 1;
        for number in 0..self.len() {
            numbers[top] = u32::try_from(number).expect("28 bits");
            unfold(&self.pairs, &mut numbers, &mut lanes);
            self.unpack(&lanes, &mut state);
            visit(&state)?;
        }
        ControlFlow::Continue(())
    }

    /// Pairs the parts anew, so that those come together that vary least together in the states so far: what varies with every
    /// state then lies near the top, and makes one large table, not one on each level. Numbers stay as they are. Linear in
    /// the states, and about 0.1 s beside that.
    pub fn arrange(&mut self) {
        if self.bits.len() <= 2 || self.is_empty() {
            return;
        }
        let (mut numbers, mut lanes) = (self.last_numbers.clone(), self.last_lanes.clone());
        let (top, len) = (self.pairs.len() - 1, self.len());
        let samples = len.min(if self.bits.len() <= 40 { 2048 } else { 256 });
        let mut sample: Vec<Vec<u32>> = vec![Vec::with_capacity(samples); lanes.len()];
        for i in 0..samples {
            numbers[top] = u32::try_from(i * len / samples).expect("28 bits");
            unfold(&self.pairs, &mut numbers, &mut lanes);
            sample.iter_mut().zip(&lanes).for_each(|(sample, &lane)| sample.push(lane));
        }
        let old = std::mem::replace(&mut self.pairs, pairs(&self.bits, &layout::by_variety(sample)));
        let mut new_numbers = vec![0; numbers.len()];
        for number in 0..len {
            numbers[top] = u32::try_from(number).expect("28 bits");
            unfold(&old, &mut numbers, &mut lanes);
            for (i, pair) in self.pairs.iter_mut().enumerate() {
                let key = pair.key(&lanes, &new_numbers);
                new_numbers[i] = pair.table.intern(key).expect("no part has more values than states").0;
            }
            debug_assert_eq!(new_numbers[top] as usize, number, "the same order");
        }
        self.is_fresh = true;
    }

    /// Bytes in use.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.pairs.iter().map(|pair| pair.table.bytes()).sum()
    }

    /// About the bytes that the next few thousand states may take beyond that.
    #[must_use]
    pub fn growth_bytes(&self) -> usize {
        self.pairs.iter().map(|pair| pair.table.growth_bytes()).sum()
    }

    /// Fills the lanes: those of the last state, but for the slots that differ.
    fn pack(&mut self, state: &[i32]) {
        debug_assert_eq!(state.len(), self.codings.len(), "one value per slot");
        self.lanes.copy_from_slice(&self.last_lanes);
        for ((coding, &value), &last) in self.codings.iter().zip(state).zip(&self.last_state) {
            if value == last && !self.is_fresh {
                continue;
            }
            match coding {
                Coding::Constant(constant) => debug_assert_eq!(value, *constant, "it cannot have another value"),
                Coding::Whole { lane } => self.lanes[*lane as usize] = value.cast_unsigned(),
                Coding::Few { lane, shift, mask, values, base } => {
                    let place = match base {
                        Some(base) => value.wrapping_sub(*base).cast_unsigned(),
                        None => u32::try_from(values.binary_search(&value).expect("a value that it can have"))
                            .expect("they are few"),
                    };
                    assert!((place as usize) < values.len(), "a value that it can have");
                    let lane = &mut self.lanes[*lane as usize];
                    *lane = *lane & !(mask << shift) | place << shift;
                }
            }
        }
    }

    fn unpack(&self, lanes: &[u32], state: &mut [i32]) {
        for (coding, value) in self.codings.iter().zip(state) {
            *value = match coding {
                Coding::Constant(constant) => *constant,
                Coding::Whole { lane } => lanes[*lane as usize].cast_signed(),
                Coding::Few { lane, shift, mask, values, .. } => {
                    values[(lanes[*lane as usize] >> shift & mask) as usize]
                }
            };
        }
    }
}

/// Rows hold the 32 bits of each value.
impl StateSet for States {
    fn len(&self) -> u64 {
        self.len() as u64
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut row = vec![0; self.codings.len()];
        self.for_each(|state| {
            row.iter_mut().zip(state).for_each(|(row, value)| *row = value.cast_unsigned());
            visit(&row)
        })
    }
}

/// From the number of the whole to those of the parts and the lanes.
fn unfold(pairs: &[Pair], numbers: &mut [u32], lanes: &mut [u32]) {
    for (i, pair) in pairs.iter().enumerate().rev() {
        let key = pair.table.key(numbers[i]);
        let left = key & ((1 << pair.shift) - 1);
        let right = key.checked_shr(pair.shift).unwrap_or(0);
        for (part, value) in [(pair.left, left), (pair.right, right)] {
            let value = u32::try_from(value).expect("parts are 32 bits");
            match part {
                Part::Lane(lane) => lanes[lane] = value,
                Part::Pair(pair) => numbers[pair] = value,
            }
        }
    }
}

/// The codings of the slots, and the bits in use of each lane.
fn codings<'a>(values: impl Iterator<Item = Option<&'a [i32]>>) -> (Box<[Coding]>, Vec<u32>) {
    let mut bits: Vec<u32> = Vec::new();
    let mut narrow: Option<usize> = None;
    let codings = values.map(|values| {
        let lane_number = |lane: usize| u32::try_from(lane).expect("lanes are no more than slots");
        let values = match values {
            Some([value]) => return Coding::Constant(*value),
            Some(values) => values,
            None => {
                bits.push(32);
                return Coding::Whole { lane: lane_number(bits.len() - 1) };
            }
        };
        let width = usize::BITS - (values.len() - 1).leading_zeros();
        let lane = match narrow {
            Some(lane) if bits[lane] + width <= 32 => lane,
            _ => {
                bits.push(0);
                bits.len() - 1
            }
        };
        narrow = Some(lane);
        let shift = bits[lane];
        bits[lane] += width;
        let span = i64::from(values[values.len() - 1]) - i64::from(values[0]) + 1;
        Coding::Few {
            lane: lane_number(lane),
            shift,
            mask: u32::try_from((1_u64 << width) - 1).expect("at most 32 bits"),
            values: values.into(),
            base: (span == values.len() as i64).then_some(values[0]),
        }
    });
    let codings = codings.collect();
    (codings, bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_come_back_as_they_were() {
        for slots in 0..12 {
            let few: [&[i32]; 3] = [&[4], &[-7, 3, 1_000_000], &[5, 6, 7, 8]];
            let values = (0..slots).map(|slot| if slot % 4 == 3 { None } else { Some(few[slot % 4]) });
            let mut states = States::new(values.clone());
            let mut all: Vec<Vec<i32>> = Vec::new();
            let mut random = 7_u64;
            let mut old = vec![0; slots];
            for round in 0..3000 {
                if round == 1000 {
                    states.arrange();
                }
                let state: Vec<i32> = values
                    .clone()
                    .map(|values| {
                        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        let n = usize::try_from(random >> 40).unwrap();
                        values.map_or_else(|| i32::try_from(n % 50).unwrap() - 25, |values| values[n % values.len()])
                    })
                    .collect();
                let known = all.iter().position(|other| *other == state);
                let number = u32::try_from(known.unwrap_or(all.len())).unwrap();
                assert_eq!(states.intern(&state), Some((number, known.is_none())));
                if known.is_none() {
                    all.push(state);
                }
                states.read(number / 2, &mut old);
                assert_eq!(old, all[number as usize / 2]);
            }
            let mut listed = Vec::new();
            let end: ControlFlow<()> = states.for_each(|state| {
                listed.push(state.to_vec());
                ControlFlow::Continue(())
            });
            assert_eq!((end, listed), (ControlFlow::Continue(()), all));
        }
    }
}
