//! Which parts of a state to pair.
//!
//! A plan is a list of pairs of places in the list of all parts: the lanes, then the pairs themselves in order. The last pair is the
//! whole state.

/// Neighbours, level by level.
pub(super) fn balanced(lanes: usize) -> Vec<(usize, usize)> {
    let mut plan = Vec::new();
    let mut parts: Vec<usize> = (0..lanes).collect();
    while parts.len() > 1 {
        let mut next = Vec::new();
        for two in parts.chunks(2) {
            let &[left, right] = two else {
                next.push(two[0]);
                continue;
            };
            next.push(lanes + plan.len());
            plan.push((left, right));
        }
        parts = next;
    }
    plan
}

/// Again and again the two parts that have the fewest different values together; `sample` has the values of each lane in some
/// states. As Huffman builds his codes.
pub(super) fn by_variety(sample: Vec<Vec<u32>>) -> Vec<(usize, usize)> {
    let lanes = sample.len();
    let mut plan = Vec::new();
    let mut parts: Vec<(usize, Vec<u32>)> = sample.into_iter().enumerate().collect();
    let mut room = Vec::new();
    // By the places of parts in the list, the right one after the left one.
    let mut counts: Vec<(usize, usize, usize)> = Vec::new();
    for right in 0..parts.len() {
        for left in 0..right {
            counts.push((together(&parts[left].1, &parts[right].1, &mut room), left, right));
        }
    }
    while let Some(&(_, left, right)) = counts.iter().min() {
        let find = |place: usize| parts.iter().position(|part| part.0 == place).expect("it is not used up");
        let (first, second) = (find(left), find(right));
        let values = numbered(&parts[first].1, &parts[second].1);
        parts.remove(first.max(second));
        parts.remove(first.min(second));
        counts.retain(|&(_, l, r)| ![l, r].iter().any(|place| [left, right].contains(place)));
        let new = lanes + plan.len();
        plan.push((left, right));
        for part in &parts {
            counts.push((together(&part.1, &values, &mut room), part.0, new));
        }
        parts.push((new, values));
    }
    plan
}

fn pair(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// How many different pairs there are.
fn together(a: &[u32], b: &[u32], room: &mut Vec<u64>) -> usize {
    room.clear();
    room.extend(a.iter().zip(b).map(|(&a, &b)| pair(a, b)));
    room.sort_unstable();
    room.dedup();
    room.len()
}

/// Each pair as a number, equal ones alike.
fn numbered(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut all = Vec::new();
    together(a, b, &mut all);
    let number = |(&a, &b): (&u32, &u32)| all.binary_search(&pair(a, b)).expect("it is listed");
    a.iter().zip(b).map(|two| u32::try_from(number(two)).expect("no more than samples")).collect()
}
