//! Writes random coloured nets.

use super::text::{all, constant, file, op, place, times, transition, var};
use super::{Arc, CLASSES, Colour, Coloured, RELATIONS, SORTS, Summand, Test, VARIABLES};

fn colour_text(colour: Colour, class: usize) -> String {
    match colour {
        Colour::Constant(value) => constant(CLASSES[class].1[value]),
        Colour::Variable(variable, 0) => var(VARIABLES[variable].0),
        Colour::Variable(variable, 1) => op("successor", &[&var(VARIABLES[variable].0)]),
        Colour::Variable(variable, _) => op("predecessor", &[&var(VARIABLES[variable].0)]),
        Colour::All => all(CLASSES[class].0),
    }
}

fn sum_text(sum: &[Summand]) -> String {
    let texts: Vec<String> = sum
        .iter()
        .map(|summand| {
            let parts: Vec<String> = summand.parts.iter().map(|(class, colour)| colour_text(*colour, *class)).collect();
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            let term = match parts[..] {
                [] => "<dotconstant/>".to_owned(),
                [part] => part.to_owned(),
                _ => op("tuple", &parts),
            };
            times(summand.count.unsigned_abs() as i32, &term)
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    match &texts[..] {
        [] => String::new(),
        [text] => (*text).to_owned(),
        _ => op(if sum[1].count < 0 { "subtract" } else { "add" }, &texts),
    }
}

fn test_text(test: &Test) -> String {
    match test {
        Test::Compare(relation, class, a, b) => {
            op(RELATIONS[*relation], &[&colour_text(*a, *class), &colour_text(*b, *class)])
        }
        Test::Not(test) => op("not", &[&test_text(test)]),
        Test::Join(is_and, tests) => {
            let texts: Vec<String> = tests.iter().map(test_text).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            op(if *is_and { "and" } else { "or" }, &texts)
        }
    }
}

impl Coloured {
    /// Returns the net as PNML.
    #[must_use]
    pub fn text(&self) -> String {
        let mut nodes = String::new();
        for (n, (sort, marking)) in self.places.iter().enumerate() {
            let sort = format!("<usersort declaration='{}'/>", SORTS[*sort].0);
            nodes.push_str(&place(&format!("p{n}"), &sort, &sum_text(marking)));
        }
        for (n, of) in self.transitions.iter().enumerate() {
            let arcs = |arcs: &[Arc]| -> Vec<(String, String)> {
                arcs.iter().map(|(place, sum)| (format!("p{place}"), sum_text(sum))).collect()
            };
            let (takes, puts) = (arcs(&of.takes), arcs(&of.puts));
            let takes: Vec<(&str, &str)> = takes.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            let puts: Vec<(&str, &str)> = puts.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            let condition = of.test.as_ref().map(test_text).unwrap_or_default();
            nodes.push_str(&transition(&format!("t{n}"), &condition, &takes, &puts));
        }
        file(&nodes)
    }
}
