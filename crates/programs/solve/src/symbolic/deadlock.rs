//! Deadlocks of a control: conditions on the variables under which no event is possible.
//!
//! It does not matter what an event does, so decisions are followed only until they determine whether the thread
//! requests and blocks the event. A combination of such decisions is possible for some values of its arguments and
//! inputs if what remains after their elimination holds (`eliminate`). A deadlock is a conjunction with one violated
//! constraint of each combination; contradictory conjunctions are dropped.

use crate::symbolic::contradiction::{Answer, solve};
use crate::symbolic::eliminate::eliminate;
use crate::symbolic::graph::{Graph, possibilities};
use model::data::{Constraint, DataProgram};

/// The largest number of conjunctions.
const MOST_WAYS: usize = 1 << 9;

/// Returns the deadlocks of a control as a list of conjunctions. `None` if they cannot be computed.
pub(crate) fn of_control(program: &DataProgram, graph: &Graph, control: usize) -> Option<Vec<Vec<Constraint>>> {
    let mut possible: Vec<Vec<Constraint>> = Vec::new();
    for constraints in possibilities(program, &graph.controls[control])? {
        let mut rest = eliminate(constraints)?;
        rest.sort();
        rest.dedup();
        if !possible.contains(&rest) {
            possible.push(rest);
        }
    }
    possible.sort_by_key(Vec::len);
    let mut ways: Vec<Vec<Constraint>> = vec![Vec::new()];
    for edge in &possible {
        let mut next: Vec<Vec<Constraint>> = Vec::new();
        for way in &ways {
            // A way that already violates the edge needs no further constraint.
            if edge.iter().any(|constraint| way.contains(&constraint.negation())) {
                next.push(way.clone());
                continue;
            }
            for constraint in edge {
                let mut way = way.clone();
                way.push(constraint.negation());
                if matches!(solve(&way), Answer::Model(_)) {
                    next.push(way);
                }
            }
        }
        next.dedup();
        if next.len() > MOST_WAYS {
            return None;
        }
        ways = next;
    }
    Some(ways)
}
