//! Writer for `.spec` text. Reading the text gives the same net and goal, except for names: places keep names
//! that are identifiers, and rules are named by their numbers.

use super::lex::is_identifier;
use crate::plain::{self, net_for};
use crate::union::{Bounds, union};
pub(super) use formats::error::{WriteError, printable};
use formats::replaced::replaced;
use model::{Effect, Goal, Net, PlaceId, Problem, Range, Transition};
use num_traits::{Signed, Zero};
use std::io::{self, Write};

pub(super) fn write(problem: &Problem, out: &mut dyn Write) -> Result<(), WriteError> {
    let net = net_for("spec", problem)?;
    plain::no_ends("spec", net)?;
    let target = target(problem)?;
    if net.places().is_empty() && target.iter().any(Vec::is_empty) {
        return Err(WriteError::feature("spec", "a goal that always holds, without places"));
    }
    if let Some(transition) = net.transitions().iter().find(|t| t.is_forbidden()) {
        let what = format!("transition `{}`, whose arcs contradict each other", printable(&transition.name));
        return Err(WriteError::feature("spec", what).hint("`.net` can"));
    }
    let names = replaced(net.places().iter().map(|p| p.name.as_str()), is_identifier);
    let changed = names.iter().zip(net.places()).any(|(name, place)| *name != place.name);
    if changed {
        writeln!(out, "# Names that this format cannot express were changed; the original name follows the variable.")?;
    }
    writeln!(out, "vars")?;
    for (name, place) in names.iter().zip(net.places()) {
        let comment = if *name == place.name { String::new() } else { format!("  # {}", comment(&place.name)) };
        writeln!(out, "  {name}{comment}")?;
    }
    writeln!(out, "rules")?;
    for (t, transition) in net.transitions().iter().enumerate() {
        write_rule(out, &names, t, transition)?;
    }
    write_init(out, &names, net)?;
    writeln!(out, "target")?;
    for conjunction in &target {
        // An empty conjunction always holds, and is written as a condition on the first place that always holds.
        let all = [Bounds { place: PlaceId::new(0), range: Range::from(0u8) }];
        let atoms = if conjunction.is_empty() { &all } else { conjunction.as_slice() };
        let atoms: Vec<String> = atoms.iter().map(|b| condition(&names, b.place, &b.range)).collect();
        writeln!(out, "  {}", atoms.join(", "))?;
    }
    Ok(())
}

/// Returns the only goal as a union of conjunctions. The union is empty if there is no goal.
fn target(problem: &Problem) -> Result<Vec<Vec<Bounds>>, WriteError> {
    match problem.properties() {
        [] => Ok(Vec::new()),
        [property] => match problem.formula(property.goal) {
            Some(formula) => union(formula).map_err(|what| WriteError::feature("spec", what)),
            None if property.goal == Goal::Deadlock => Err(WriteError::feature("spec", "deadlock as a goal")),
            None => Err(WriteError::feature("spec", "bad states as a goal")),
        },
        several => {
            let what = format!("{} properties", several.len());
            Err(WriteError::feature("spec", what).hint("the format has one target, a union of conjunctions"))
        }
    }
}

fn write_rule(out: &mut dyn Write, names: &[String], t: usize, transition: &Transition) -> io::Result<()> {
    let guards: Vec<String> = transition.guards.iter().map(|g| condition(names, g.place, &g.range)).collect();
    let guards = if guards.is_empty() { "true".to_owned() } else { guards.join(", ") };
    let effects: Vec<String> = transition.effects.iter().map(|e| update(names, e)).collect();
    let own = format!("r{}", t + 1);
    let note = if transition.name == own { String::new() } else { format!("  # {}", comment(&transition.name)) };
    writeln!(out, "  {guards} -> {};{note}", effects.join(", "))
}

fn write_init(out: &mut dyn Write, names: &[String], net: &Net) -> io::Result<()> {
    writeln!(out, "init")?;
    for (p, place) in net.places().iter().enumerate() {
        let comma = if p + 1 < net.places().len() { "," } else { "" };
        writeln!(out, "  {}{comma}", condition(names, PlaceId::new(p), &place.initial))?;
    }
    Ok(())
}

fn condition(names: &[String], place: PlaceId, range: &Range) -> String {
    let name = &names[place.index()];
    match &range.at_most {
        None => format!("{name} >= {}", range.at_least),
        Some(_) if range.is_single() => format!("{name} = {}", range.at_least),
        Some(most) => format!("{name} in [{}, {most}]", range.at_least),
    }
}

fn update(names: &[String], effect: &Effect) -> String {
    let name = &names[effect.place.index()];
    let sources: Vec<&str> = effect.sources.iter().map(|p| names[p.index()].as_str()).collect();
    let sum = sources.join(" + ");
    match (sources.is_empty(), effect.add.is_zero(), effect.add.is_negative()) {
        (true, _, _) => format!("{name}' = {}", effect.add),
        (false, true, _) => format!("{name}' = {sum}"),
        (false, false, false) => format!("{name}' = {sum} + {}", effect.add),
        (false, false, true) => format!("{name}' = {sum} - {}", effect.add.magnitude()),
    }
}

/// Returns a name as text for a comment.
fn comment(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
