//! Chooses which parts of a state are grouped.
//!
//! A part of a state is a lane or a group. A plan is a list of groups. A group is a list of part numbers: lanes
//! have the lowest numbers, and the groups follow in the order of the plan. The last group is the whole state.

use super::interner::WIDTH;

/// A part is dissolved into its group if it has at least 1/`NEARLY_AS_MANY` as many values as the group. A table
/// of its own would not pay off for such a part: an entry there costs more than wider rows in the table of the
/// group, and a look-up costs even more.
const NEARLY_AS_MANY: usize = 4;

/// Returns a plan that pairs neighbours, level by level.
pub(super) fn balanced(lanes: usize) -> Vec<Vec<usize>> {
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
            plan.push(vec![left, right]);
        }
        parts = next;
    }
    plan
}

/// Returns a plan. It is made by repeatedly joining the two parts with the fewest distinct joint values, as in
/// Huffman coding. Then parts with nearly as many values as their group are dissolved. `sample` has the values
/// of each lane in some states.
pub(super) fn by_variety(sample: Vec<Vec<u32>>) -> Vec<Vec<usize>> {
    let lanes = sample.len();
    let mut plan: Vec<Group> = Vec::new();
    let mut parts: Vec<(usize, Vec<u32>)> = sample.into_iter().enumerate().collect();
    let mut room = Vec::new();
    // For each pair of parts: the number of distinct joint values, and the numbers of the two parts, the lower
    // one first.
    let mut counts: Vec<(usize, usize, usize)> = Vec::new();
    for right in 0..parts.len() {
        for left in 0..right {
            counts.push((together(&parts[left].1, &parts[right].1, &mut room), left, right));
        }
    }
    while let Some(&(values_together, left, right)) = counts.iter().min() {
        let find = |place: usize| parts.iter().position(|part| part.0 == place).expect("it is not used up");
        let (first, second) = (find(left), find(right));
        let values = numbered(&parts[first].1, &parts[second].1);
        parts.remove(first.max(second));
        parts.remove(first.min(second));
        counts.retain(|&(_, l, r)| ![l, r].iter().any(|place| [left, right].contains(place)));
        let new = lanes + plan.len();
        plan.push(Group { parts: vec![left, right], values: values_together });
        for part in &parts {
            counts.push((together(&part.1, &values, &mut room), part.0, new));
        }
        parts.push((new, values));
    }
    dissolve(lanes, plan)
}

/// Parts that are grouped, and their number of distinct joint values.
#[derive(Debug)]
struct Group {
    parts: Vec<usize>,
    values: usize,
}

/// Dissolves parts with nearly as many values as their group into that group, if the group stays narrow enough.
/// Parts with more values are dissolved first.
fn dissolve(lanes: usize, mut plan: Vec<Group>) -> Vec<Vec<usize>> {
    let mut is_gone = vec![false; plan.len()];
    for i in (0..plan.len()).rev() {
        if is_gone[i] {
            continue;
        }
        loop {
            let group = &plan[i];
            let fits = |part: &usize| {
                let inner = &plan[*part];
                inner.values * NEARLY_AS_MANY >= group.values && group.parts.len() - 1 + inner.parts.len() <= WIDTH
            };
            let inner = group.parts.iter().filter_map(|part| part.checked_sub(lanes)).filter(fits);
            let Some(inner) = inner.max_by_key(|&part| (plan[part].values, part)) else { break };
            is_gone[inner] = true;
            let parts = std::mem::take(&mut plan[inner].parts);
            let place = plan[i].parts.iter().position(|&part| part == lanes + inner).expect("it is one of them");
            plan[i].parts.splice(place..=place, parts);
        }
    }
    // The remaining groups are renumbered.
    let mut kept = 0;
    let mut new = Vec::with_capacity(plan.len());
    for &gone in &is_gone {
        new.push(kept);
        kept += usize::from(!gone);
    }
    let left = plan.into_iter().zip(&is_gone).filter(|(_, gone)| !**gone);
    let place = |part: usize| part.checked_sub(lanes).map_or(part, |group| lanes + new[group]);
    left.map(|(group, _)| group.parts.into_iter().map(place).collect()).collect()
}

fn pair(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// Returns the number of distinct pairs. Afterwards `room` contains these pairs.
fn together(a: &[u32], b: &[u32], room: &mut Vec<u64>) -> usize {
    room.clear();
    room.extend(a.iter().zip(b).map(|(&a, &b)| pair(a, b)));
    room.sort_unstable();
    room.dedup();
    room.len()
}

/// Returns a number for each pair, the same for equal pairs.
fn numbered(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut all = Vec::new();
    together(a, b, &mut all);
    let number = |(&a, &b): (&u32, &u32)| all.binary_search(&pair(a, b)).expect("it is listed");
    a.iter().zip(b).map(|two| u32::try_from(number(two)).expect("no more than samples")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that each part except the whole is in exactly one group, which comes later, and that no group is
    /// too wide.
    fn is_plan(lanes: usize, plan: &[Vec<usize>]) -> bool {
        let mut seen: Vec<usize> = plan.concat();
        seen.sort_unstable();
        let comes_before = |(i, group): (usize, &Vec<usize>)| group.iter().all(|&part| part < lanes + i);
        plan.iter().all(|group| (2..=WIDTH).contains(&group.len()))
            && plan.iter().enumerate().all(comes_before)
            && seen.into_iter().eq(0..lanes + plan.len() - 1)
    }

    #[test]
    fn every_part_is_in_one_group() {
        for lanes in 2..20 {
            assert!(is_plan(lanes, &balanced(lanes)));
            // Lanes that vary together, lanes that vary independently, and constant lanes.
            let value = |lane: u32, i: u32| match lane % 4 {
                0 => i,
                1 => i.wrapping_mul(0x9e37_79b9) >> (28 - lane),
                2 => i / 100,
                _ => 7,
            };
            let sample: Vec<Vec<u32>> =
                (0..u32::try_from(lanes).unwrap()).map(|lane| (0..1000).map(|i| value(lane, i)).collect()).collect();
            let plan = by_variety(sample);
            assert!(is_plan(lanes, &plan), "{lanes}: {plan:?}");
        }
    }

    #[test]
    fn what_varies_with_everything_is_in_the_whole() {
        let varied = |i: u32| i.wrapping_mul(0x9e37_79b9) >> 20;
        let sample = vec![
            vec![0; 1000],
            (0..1000).map(varied).collect(),
            (0..1000).collect(),
            (0..1000).map(|i| i / 500).collect(),
        ];
        let plan = by_variety(sample);
        assert!(plan.last().is_some_and(|whole| whole.contains(&1) && whole.contains(&2)), "{plan:?}");
    }
}
