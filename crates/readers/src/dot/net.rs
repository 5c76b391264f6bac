//! Nets as graphs. Places are round and show their tokens, transitions are square. Solid edges move tokens,
//! dashed edges are conditions, dotted edges take all tokens.

use super::quoted;
use model::{Effect, Net, PlaceId, Range, Transition, TransitionId};
use num_bigint::{BigUint, Sign};
use num_traits::{One, Zero};
use std::io::{self, Write};

pub(super) fn write(net: &Net, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "digraph net {{")?;
    for (i, place) in net.places().iter().enumerate() {
        let mut label = net.shown_place(PlaceId::new(i)).to_owned();
        if !place.initial.at_least.is_zero() || !place.initial.is_single() {
            label.push_str(&format!("\n{}", condition(&place.initial, "")));
        }
        let width = if place.initial.at_least.is_zero() { "" } else { ", penwidth=2" };
        writeln!(out, "  p{i} [shape=ellipse, label={}{width}];", quoted(&label))?;
    }
    for (i, transition) in net.transitions().iter().enumerate() {
        writeln!(out, "  t{i} [shape=box, label={}];", quoted(net.shown_transition(TransitionId::new(i))))?;
        write_edges(net, transition, i, out)?;
    }
    writeln!(out, "}}")
}

/// Writes a range of counts as a short condition. `equal` stands before a single count.
fn condition(range: &Range, equal: &str) -> String {
    match &range.at_most {
        Some(most) if *most == range.at_least => format!("{equal}{most}"),
        Some(most) if range.at_least.is_zero() => format!("<= {most}"),
        Some(most) => format!("{}..{most}", range.at_least),
        None => format!(">= {}", range.at_least),
    }
}

/// Writes the new count of a place that does not keep its tokens: `a + b - 1`.
fn sum(net: &Net, effect: &Effect) -> String {
    let names: Vec<&str> = effect.sources.iter().map(|s| net.shown_place(*s)).collect();
    let names = names.join(" + ");
    match effect.add.sign() {
        _ if names.is_empty() => effect.add.to_string(),
        Sign::NoSign => names,
        Sign::Plus => format!("{names} + {}", effect.add),
        Sign::Minus => format!("{names} - {}", effect.add.magnitude()),
    }
}

fn weight(weight: &BigUint) -> String {
    if weight.is_one() { String::new() } else { format!(" [label=\"{weight}\"]") }
}

fn write_edges(net: &Net, transition: &Transition, t: usize, out: &mut dyn Write) -> io::Result<()> {
    for guard in &transition.guards {
        let change = transition.effect(guard.place).and_then(|e| e.delta());
        let takes = change.filter(|d| d.sign() == Sign::Minus).map_or_else(BigUint::zero, |d| d.magnitude().clone());
        // If the effect takes exactly what the guard requires, the arc of the effect is enough.
        if guard.range != Range::from(takes) {
            let head = if guard.range == Range::exactly(0u8) { "odot" } else { "none" };
            let label = condition(&guard.range, "= ");
            writeln!(out, "  p{} -> t{t} [style=dashed, arrowhead={head}, label=\"{label}\"];", guard.place.0)?;
        }
    }
    for effect in &transition.effects {
        let place = effect.place.0;
        match effect.delta() {
            Some(delta) if delta.sign() == Sign::Minus => {
                writeln!(out, "  p{place} -> t{t}{};", weight(delta.magnitude()))?;
            }
            Some(delta) => writeln!(out, "  t{t} -> p{place}{};", weight(delta.magnitude()))?,
            None => {
                // The place loses its tokens, unless it is one of the sources.
                if !effect.sources.contains(&effect.place) {
                    writeln!(out, "  p{place} -> t{t} [style=dotted, label=\"all\"];")?;
                }
                if !(effect.sources.is_empty() && effect.add.is_zero()) {
                    let label = quoted(&format!("= {}", sum(net, effect)));
                    writeln!(out, "  t{t} -> p{place} [style=dotted, label={label}];")?;
                }
            }
        }
    }
    Ok(())
}
