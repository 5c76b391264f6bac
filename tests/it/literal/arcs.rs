//! Nets with arcs of all kinds, and the texts that formats have for them. The text is written here, and the steps are
//! those of the arcs, so neither needs a reader.

use super::{Literal, Marking};
use testkit::Random;

/// The kind of an arc.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// From the place to the transition.
    Take,
    /// From the transition to the place.
    Put,
    /// Requires at least as many tokens as its weight.
    Read,
    /// Requires fewer tokens than its weight.
    Inhibit,
    /// Takes all tokens.
    Reset,
}

#[derive(Clone, Copy, Debug)]
struct Arc {
    place: usize,
    kind: Kind,
    weight: i128,
}

/// A net. Its places are `p 0`, `p 1`, .. and its transitions `t 0`, `t 1`, ..
#[derive(Debug)]
pub(crate) struct ArcNet {
    initial: Marking,
    transitions: Vec<Vec<Arc>>,
}

/// A format, with the kinds of arcs that it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Pnml,
    Tapn,
    Tina,
    Lola,
    Spec,
}

impl Format {
    pub(crate) const ALL: [Format; 5] = [Format::Pnml, Format::Tapn, Format::Tina, Format::Lola, Format::Spec];

    fn kinds(self) -> &'static [Kind] {
        match self {
            Self::Pnml => &[Kind::Take, Kind::Put, Kind::Read, Kind::Inhibit, Kind::Reset],
            Self::Tapn => &[Kind::Take, Kind::Put, Kind::Inhibit],
            Self::Tina => &[Kind::Take, Kind::Put, Kind::Read, Kind::Inhibit],
            Self::Lola => &[Kind::Take, Kind::Put],
            Self::Spec => &[Kind::Take, Kind::Put, Kind::Read, Kind::Reset],
        }
    }

    /// The extension of its files.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Pnml => "pnml",
            Self::Tapn => "tapn",
            Self::Tina => "net",
            Self::Lola => "lola",
            Self::Spec => "spec",
        }
    }
}

impl ArcNet {
    /// Returns a random net that the format can express. It may have transitions that never fire, also such that their
    /// own arcs forbid them, and places without arcs.
    pub(crate) fn random(random: &mut Random, format: Format) -> Self {
        let places = random.between(1, 5);
        let initial = (0..places).map(|_| if random.one_in(2) { random.below(3) as i128 } else { 0 }).collect();
        let transition = |random: &mut Random| {
            let mut arcs: Vec<Arc> = Vec::new();
            for _ in 0..random.between(1, 4) {
                let kind = match random.below(12) {
                    0..4 => Kind::Take,
                    4..8 => Kind::Put,
                    8 => Kind::Read,
                    9 | 10 => Kind::Inhibit,
                    _ => Kind::Reset,
                };
                let kind = if format.kinds().contains(&kind) { kind } else { *random.pick(&[Kind::Take, Kind::Put]) };
                let weight = if kind != Kind::Reset && random.one_in(4) { 2 } else { 1 };
                let arc = Arc { place: random.below(places), kind, weight };
                if arcs.iter().all(|other| (other.place, other.kind) != (arc.place, arc.kind)) {
                    arcs.push(arc);
                }
            }
            arcs
        };
        let transitions = (0..random.between(1, 5)).map(|_| transition(random)).collect();
        Self { initial, transitions }
    }

    /// Returns a random workflow net from place 0 to place 1, or a net that is almost one.
    pub(crate) fn random_workflow(random: &mut Random) -> Self {
        let places = random.between(2, 5);
        let transition = |random: &mut Random| {
            let arc = |kind, place| Arc { place, kind, weight: 1 };
            let inner = |random: &mut Random| random.between(2, places.max(3) - 1).min(places - 1);
            let take = if random.one_in(3) || places == 2 { 0 } else { inner(random) };
            let put = if random.one_in(3) || places == 2 { 1 } else { inner(random) };
            let mut arcs = vec![arc(Kind::Take, take), arc(Kind::Put, put)];
            for _ in 0..random.below(3) {
                let kind = *random.pick(&[Kind::Take, Kind::Put, Kind::Put, Kind::Inhibit, Kind::Read]);
                let place = if places == 2 { 0 } else { inner(random) };
                if arcs.iter().all(|other| (other.place, other.kind) != (place, kind))
                    && (places > 2 || matches!(kind, Kind::Inhibit | Kind::Read))
                {
                    arcs.push(arc(kind, place));
                }
            }
            arcs
        };
        let transitions = (0..random.between(1, 5)).map(|_| transition(random)).collect();
        Self { initial: (0..places).map(|p| i128::from(p == 0)).collect(), transitions }
    }

    /// True if the net is a workflow net from place 0 to place 1: the only token is on place 0, no transition puts
    /// tokens there or takes them from place 1, each other place has both, and each node is on a path between the two.
    /// An inhibitor arc is no part of a path.
    pub(crate) fn is_workflow(&self) -> bool {
        let (places, nodes) = (self.initial.len(), self.initial.len() + self.transitions.len());
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for (t, arcs) in self.transitions.iter().enumerate() {
            for arc in arcs {
                let (place, transition) = (arc.place, places + t);
                match arc.kind {
                    Kind::Take | Kind::Reset => edges.push((place, transition)),
                    Kind::Put => edges.push((transition, place)),
                    Kind::Read => {
                        edges.push((place, transition));
                        // A token that the transition needs and takes is not put back.
                        let is_taken = |take: &&Arc| (take.place, take.kind) == (place, Kind::Take);
                        let taken = arcs.iter().find(is_taken).map_or(0, |take| take.weight);
                        edges.extend((arc.weight > taken).then_some((transition, place)));
                    }
                    Kind::Inhibit => {}
                }
            }
        }
        let ends = |of: &dyn Fn(&(usize, usize)) -> usize| {
            (0..places).filter(|p| edges.iter().all(|edge| of(edge) != *p)).collect::<Vec<_>>()
        };
        let closure = |from: usize, forwards: bool| {
            let mut seen = vec![false; nodes];
            seen[from] = true;
            for _ in 0..nodes {
                for (a, b) in &edges {
                    let (a, b) = if forwards { (*a, *b) } else { (*b, *a) };
                    seen[b] |= seen[a];
                }
            }
            seen.into_iter().all(|seen| seen)
        };
        let starts = self.initial.iter().enumerate().all(|(p, tokens)| *tokens == i128::from(p == 0));
        starts && ends(&|edge| edge.1) == [0] && ends(&|edge| edge.0) == [1] && closure(0, true) && closure(1, false)
    }

    /// Returns the text of the net.
    pub(crate) fn text(&self, format: Format) -> String {
        match format {
            Format::Pnml | Format::Tapn => self.xml(format),
            Format::Tina => self.tina(),
            Format::Lola => self.lola(),
            Format::Spec => self.spec(),
        }
    }

    fn xml(&self, format: Format) -> String {
        let mut nodes = String::new();
        for (p, tokens) in self.initial.iter().enumerate() {
            nodes += &match format {
                Format::Tapn => {
                    format!("<place id='p {p}' name='p {p}' initialMarking='{tokens}' invariant='&lt; inf'/>")
                }
                _ => format!("<place id='p {p}'><initialMarking><text>{tokens}</text></initialMarking></place>"),
            };
        }
        for (t, arcs) in self.transitions.iter().enumerate() {
            nodes += &format!("<transition id='t {t}' name='t {t}'/>");
            for (a, Arc { place, kind, weight }) in arcs.iter().enumerate() {
                let (from, to) = (format!("p {place}"), format!("t {t}"));
                let (from, to) = if *kind == Kind::Put { (to, from) } else { (from, to) };
                let kind = match (kind, format) {
                    (Kind::Inhibit, Format::Tapn) => "tapnInhibitor",
                    (_, Format::Tapn) => "timed",
                    (Kind::Take | Kind::Put, _) => "normal",
                    (Kind::Read, _) => "read",
                    (Kind::Inhibit, _) => "inhibitor",
                    (Kind::Reset, _) => "reset",
                };
                nodes += &match format {
                    Format::Tapn => format!(
                        "<arc id='a{t}.{a}' source='{from}' target='{to}' type='{kind}' inscription='[0,inf)' \
                         weight='{weight}'/>"
                    ),
                    _ => format!(
                        "<arc id='a{t}.{a}' source='{from}' target='{to}' type='{kind}'><inscription>\
                         <text>{weight}</text></inscription></arc>"
                    ),
                };
            }
        }
        match format {
            Format::Tapn => format!("<pnml><net id='n' type='P/T net' active='true'>{nodes}</net></pnml>"),
            _ => format!("<pnml><net id='n' type='ptnet'><page id='g'>{nodes}</page></net></pnml>"),
        }
    }

    fn tina(&self) -> String {
        let mut text: String =
            self.initial.iter().enumerate().map(|(p, tokens)| format!("pl {{p {p}}} ({tokens})\n")).collect();
        for (t, arcs) in self.transitions.iter().enumerate() {
            let side = |is_put: bool| {
                let of = arcs.iter().filter(move |arc| (arc.kind == Kind::Put) == is_put);
                let sign = |kind| match kind {
                    Kind::Inhibit => "?-",
                    Kind::Read => "?",
                    _ => "*",
                };
                of.map(|arc| format!(" {{p {}}}{}{}", arc.place, sign(arc.kind), arc.weight)).collect::<String>()
            };
            text += &format!("tr {{t {t}}}{} ->{}\n", side(false), side(true));
        }
        text
    }

    fn lola(&self) -> String {
        let name = |p: usize| format!("p_{p}");
        let places: Vec<String> = (0..self.initial.len()).map(name).collect();
        let tokens: Vec<String> = self.initial.iter().enumerate().map(|(p, n)| format!("{}: {n}", name(p))).collect();
        let mut text = format!("PLACE {};\nMARKING {};\n", places.join(", "), tokens.join(", "));
        for (t, arcs) in self.transitions.iter().enumerate() {
            let side = |kind| {
                let of = arcs.iter().filter(|arc| arc.kind == kind);
                of.map(|arc| format!("{}: {}", name(arc.place), arc.weight)).collect::<Vec<_>>().join(", ")
            };
            text += &format!("TRANSITION t_{t} CONSUME {}; PRODUCE {};\n", side(Kind::Take), side(Kind::Put));
        }
        text
    }

    fn spec(&self) -> String {
        let name = |p: usize| format!("p_{p}");
        let mut rules = String::new();
        for arcs in &self.transitions {
            let (mut guards, mut updates) = (Vec::new(), Vec::new());
            for place in 0..self.initial.len() {
                let of =
                    |kind| arcs.iter().find(|arc| (arc.place, arc.kind) == (place, kind)).map_or(0, |arc| arc.weight);
                let least = of(Kind::Take).max(of(Kind::Read));
                if least > 0 {
                    guards.push(format!("{} >= {least}", name(place)));
                }
                let change = of(Kind::Put) - of(Kind::Take);
                match (of(Kind::Reset), change) {
                    (1, _) => updates.push(format!("{0}' = {1}", name(place), of(Kind::Put))),
                    (_, 0) => {}
                    (_, 1..) => updates.push(format!("{0}' = {0} + {change}", name(place))),
                    _ => updates.push(format!("{0}' = {0} - {1}", name(place), -change)),
                }
            }
            let guards = if guards.is_empty() { "true".to_owned() } else { guards.join(", ") };
            rules += &format!("  {guards} -> {};\n", updates.join(", "));
        }
        let names: Vec<String> = (0..self.initial.len()).map(name).collect();
        let init: Vec<String> = self.initial.iter().enumerate().map(|(p, n)| format!("{} = {n}", name(p))).collect();
        format!("vars {}\nrules\n{rules}init {}\ntarget\n", names.join(" "), init.join(", "))
    }
}

impl Literal for ArcNet {
    fn starts(&self) -> Vec<(i128, Option<i128>)> {
        self.initial.iter().map(|tokens| (*tokens, Some(*tokens))).collect()
    }

    fn steps(&self) -> usize {
        self.transitions.len()
    }

    fn successors(&self, step: usize, m: &[i128]) -> Vec<Marking> {
        let (arcs, mut next) = (&self.transitions[step], m.to_vec());
        let of = |kind| arcs.iter().filter(move |arc| arc.kind == kind);
        let is_enabled = of(Kind::Read).all(|arc| m[arc.place] >= arc.weight)
            && of(Kind::Inhibit).all(|arc| m[arc.place] < arc.weight)
            && of(Kind::Take).all(|arc| m[arc.place] >= arc.weight);
        if !is_enabled {
            return Vec::new();
        }
        of(Kind::Take).for_each(|arc| next[arc.place] -= arc.weight);
        of(Kind::Reset).for_each(|arc| next[arc.place] = 0);
        of(Kind::Put).for_each(|arc| next[arc.place] += arc.weight);
        vec![next]
    }

    fn is_target(&self, _: &[i128]) -> bool {
        false
    }

    fn counted(&self, m: &[i128]) -> i128 {
        m.iter().sum()
    }
}
