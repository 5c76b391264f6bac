//! Packs the values of a state into lanes of 32 bits.
//!
//! A slot with few possible values takes as many bits as are needed to distinguish these values. A slot that can
//! have any value takes a whole lane. Slots with few bits share lanes (van de Pol, Ruys, te Brinke 2014,
//! "Thoughtful brute-force attack of the RERS 2012 and 2013 challenges", 2.4).

#[derive(Debug)]
enum Coding {
    /// The slot has one value.
    Constant(i32),
    /// A whole lane, with the sign in the lowest bit, so that numbers near 0 take few bits.
    Whole { lane: u32 },
    /// The index of the value in `values`, in some bits of a lane. If `values` are consecutive numbers, `base`
    /// is the first of them, and the index is the value less `base`.
    Few { lane: u32, shift: u32, mask: u32, values: Box<[i32]>, base: Option<i32> },
}

/// The coding of each slot.
#[derive(Debug)]
pub(super) struct Packing {
    codings: Box<[Coding]>,
    lanes: usize,
}

impl Packing {
    /// Returns the packing for slots with the given values (`None`: any value), ascending.
    pub(super) fn new<'a>(values: impl Iterator<Item = Option<&'a [i32]>>) -> Self {
        // Bits in use, for each lane.
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
        // A group needs two parts, even if they are empty.
        Self { codings, lanes: bits.len().max(2) }
    }

    /// Returns the number of slots.
    pub(super) fn slots(&self) -> usize {
        self.codings.len()
    }

    /// Returns the number of lanes, at least two.
    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Writes slots into `lanes`. If `last` is given, only the slots in which `state` differs from `last` are
    /// written.
    ///
    /// # Panics
    /// If a slot has a value that it cannot have.
    pub(super) fn pack(&self, state: &[i32], last: Option<&[i32]>, lanes: &mut [u32]) {
        debug_assert_eq!(state.len(), self.codings.len(), "one value per slot");
        match last {
            None => self.codings.iter().zip(state).for_each(|(coding, &value)| coding.put(value, lanes)),
            Some(last) => {
                for ((coding, &value), &last) in self.codings.iter().zip(state).zip(last) {
                    if value != last {
                        coding.put(value, lanes);
                    }
                }
            }
        }
    }

    /// Writes the given slots into the lanes.
    ///
    /// # Panics
    /// If one of them has a value that it cannot have.
    pub(super) fn put(&self, state: &[i32], slots: &[u32], lanes: &mut [u32]) {
        for &slot in slots {
            self.codings[slot as usize].put(state[slot as usize], lanes);
        }
    }

    /// Reads the values of all slots from the lanes into `state`.
    pub(super) fn unpack(&self, lanes: &[u32], state: &mut [i32]) {
        for (coding, value) in self.codings.iter().zip(state) {
            *value = match coding {
                Coding::Constant(constant) => *constant,
                Coding::Whole { lane } => from_zigzag(lanes[*lane as usize]),
                Coding::Few { lane, shift, mask, values, .. } => {
                    values[(lanes[*lane as usize] >> shift & mask) as usize]
                }
            };
        }
    }
}

/// Maps 0, -1, 1, -2, 2 .. to 0, 1, 2, 3, 4 ..
fn zigzag(value: i32) -> u32 {
    (value.cast_unsigned() << 1) ^ (value >> 31).cast_unsigned()
}

fn from_zigzag(lane: u32) -> i32 {
    (lane >> 1).cast_signed() ^ -(lane & 1).cast_signed()
}

impl Coding {
    fn put(&self, value: i32, lanes: &mut [u32]) {
        match self {
            Self::Constant(constant) => debug_assert_eq!(value, *constant, "it cannot have another value"),
            Self::Whole { lane } => lanes[*lane as usize] = zigzag(value),
            Self::Few { lane, shift, mask, values, base } => {
                let place = match base {
                    Some(base) => value.wrapping_sub(*base).cast_unsigned(),
                    None => u32::try_from(values.binary_search(&value).expect("a value that it can have"))
                        .expect("they are few"),
                };
                assert!((place as usize) < values.len(), "a value that it can have");
                let lane = &mut lanes[*lane as usize];
                *lane = *lane & !(mask << shift) | place << shift;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_sign_come_back() {
        for value in [0, 1, -1, 2, -2, 1 << 30, i32::MAX, i32::MIN, i32::MIN + 1] {
            assert_eq!(from_zigzag(zigzag(value)), value);
        }
        assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
    }
}
