//! Tests with random nets, which are written in the dialects of the tools by separate writers, and read back.
//! The reference is an interpreter of the arcs that shares no code with the reader: it computes for a marking
//! which transitions are enabled, and the markings after firing them.
//!
//! With `IMPASSE_WRITE_NETS=DIR` each net is also written to a file in pm4py's dialect, for
//! `dev/tools/second_reading.py`. `IMPASSE_CASES` (a share in percent) and `IMPASSE_SEED` choose the number of nets,
//! and which ones.

use crate::{generate, pnml, read_as};
use model::{Net, PlaceId};
use proptest::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Take,
    Put,
    Read,
    Inhibit,
    Reset,
}

#[derive(Clone, Debug)]
struct Arc {
    place: usize,
    transition: usize,
    kind: Kind,
    weight: u8,
}

/// A net as nodes and arcs.
#[derive(Clone, Debug)]
struct Drawn {
    tokens: Vec<u8>,
    transitions: usize,
    arcs: Vec<Arc>,
    /// The numbers of names, which are assigned to nodes in turn. Several nodes may have the same name, and 0
    /// stands for no name.
    names: Vec<u8>,
    finals: Vec<Vec<u8>>,
}

impl Drawn {
    fn place(p: usize) -> String {
        format!("p{p}")
    }

    fn transition(t: usize) -> String {
        format!("t{t}")
    }

    /// Returns the name of the place or (after all places) of the transition. It is empty if the node has no
    /// name.
    fn name(&self, node: usize) -> String {
        match self.names[node % self.names.len()] {
            0 => String::new(),
            n => format!("name {n} &lt;"),
        }
    }

    fn arcs_of(&self, t: usize, p: usize) -> impl Iterator<Item = &Arc> {
        self.arcs.iter().filter(move |a| a.transition == t && a.place == p)
    }

    /// Returns the marking after firing, or `None` if the transition is not enabled.
    fn fire(&self, t: usize, marking: &[u64]) -> Option<Vec<u64>> {
        let mut next = marking.to_vec();
        for (p, tokens) in marking.iter().enumerate() {
            let (mut left, mut put) = (*tokens, 0);
            let mut empty = false;
            for arc in self.arcs_of(t, p) {
                let weight = u64::from(arc.weight);
                match arc.kind {
                    Kind::Take => left = left.checked_sub(weight)?,
                    Kind::Put => put += weight,
                    Kind::Read if *tokens < weight => return None,
                    Kind::Inhibit if *tokens >= weight => return None,
                    Kind::Reset => empty = true,
                    Kind::Read | Kind::Inhibit => {}
                }
            }
            next[p] = put + if empty { 0 } else { left };
        }
        Some(next)
    }

    /// Returns the net with only the kinds of arcs that the dialect has. If `once`, there is at most one arc
    /// between two nodes in each direction.
    fn cut(&self, kinds: &[Kind], weighted_inhibitors: bool, once: bool) -> Drawn {
        let mut cut = self.clone();
        cut.arcs.retain(|a| kinds.contains(&a.kind));
        if !weighted_inhibitors {
            cut.arcs.iter_mut().filter(|a| a.kind == Kind::Inhibit).for_each(|a| a.weight = 1);
        }
        if once {
            let mut seen = std::collections::BTreeSet::new();
            cut.arcs.retain(|a| seen.insert((a.place, a.transition, a.kind == Kind::Put)));
        }
        cut
    }

    /// Compares a net that was read with this one: nodes by their ids, in order, and behavior on random
    /// markings.
    fn compare(&self, net: &Net, id: &dyn Fn(&str) -> String) -> Result<(), TestCaseError> {
        // There may be an additional place that stays empty, for transitions that can never fire.
        let places = self.tokens.len();
        prop_assert!(net.places().len() <= places + 1);
        for (p, tokens) in self.tokens.iter().enumerate() {
            prop_assert_eq!(&net.places()[p].name, &id(&Self::place(p)));
            prop_assert!(net.places()[p].initial == model::Range::exactly(*tokens));
        }
        prop_assert_eq!(net.transitions().len(), self.transitions);
        let mut random = testkit::Random::new(12345);
        for _ in 0..40 {
            let marking: Vec<u64> = (0..places).map(|_| random.below(6) as u64).collect();
            let padded: Vec<u64> = marking.iter().copied().chain([0]).take(net.places().len()).collect();
            for t in 0..self.transitions {
                prop_assert_eq!(&net.transitions()[t].name, &id(&Self::transition(t)));
                let read = testkit::net::fire(&net.transitions()[t], &padded).map(|next| next[..places].to_vec());
                prop_assert_eq!(read, self.fire(t, &marking), "t{} at {:?}", t, &marking);
            }
        }
        Ok(())
    }
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let kind = prop_oneof![
        4 => Just(Kind::Take),
        4 => Just(Kind::Put),
        1 => Just(Kind::Read),
        2 => Just(Kind::Inhibit),
        1 => Just(Kind::Reset),
    ];
    let arcs = prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), kind, 1u8..4), 0..14);
    let finals = prop::collection::vec(prop::collection::vec(0u8..3, 6), 0..3);
    let names = prop::collection::vec(0u8..5, 1..8);
    (prop::collection::vec(0u8..4, 1..6), 1usize..5, arcs, names, finals).prop_map(
        |(tokens, transitions, arcs, names, finals)| {
            let arc = |(p, t, kind, weight): (prop::sample::Index, prop::sample::Index, Kind, u8)| Arc {
                place: p.index(tokens.len()),
                transition: t.index(transitions),
                kind,
                weight,
            };
            let arcs = arcs.into_iter().map(arc).collect();
            let finals = finals.into_iter().map(|f| f[..tokens.len()].to_vec()).collect();
            Drawn { tokens, transitions, arcs, names, finals }
        },
    )
}

/// How a dialect writes the parts of a net.
struct Dialect {
    net: &'static str,
    place: fn(&str, &str, u8) -> String,
    transition: fn(&str, &str) -> String,
    arc: fn(&str, &str, Kind, u8) -> String,
    end: &'static str,
}

fn name_label(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!("<name><text>{name}</text></name>") }
}

fn ends(place: &str, transition: &str, kind: Kind) -> String {
    let (source, target) = if kind == Kind::Put { (transition, place) } else { (place, transition) };
    format!("source=\"{source}\" target=\"{target}\"")
}

fn inscription(weight: u8) -> String {
    if weight == 1 { String::new() } else { format!("<inscription><text>{weight}</text></inscription>") }
}

fn type_name(kind: Kind, read: &'static str) -> &'static str {
    match kind {
        Kind::Take | Kind::Put => "normal",
        Kind::Read => read,
        Kind::Inhibit => "inhibitor",
        Kind::Reset => "reset",
    }
}

fn iso_place(id: &str, name: &str, tokens: u8) -> String {
    let marking = format!("<initialMarking><text>{tokens}</text></initialMarking>");
    let marking = if tokens == 0 { String::new() } else { marking };
    format!("<place id=\"{id}\">{}{marking}</place>\n", name_label(name))
}

fn iso_transition(id: &str, name: &str) -> String {
    format!("<transition id=\"{id}\">{}</transition>\n", name_label(name))
}

/// pm4py and ProM.
const PM4PY: Dialect = Dialect {
    net: "<pnml><net id=\"imdf\" type=\"http://www.pnml.org/version-2009/grammar/pnmlcoremodel\"><page id=\"n0\">\n",
    place: iso_place,
    transition: iso_transition,
    arc: |place, transition, kind, weight| {
        let special = if matches!(kind, Kind::Take | Kind::Put) {
            String::new()
        } else {
            format!("<arctype><text>{}</text></arctype>", type_name(kind, "test"))
        };
        format!("<arc {}>{}{special}</arc>\n", ends(place, transition, kind), inscription(weight))
    },
    end: "</page>",
};

/// Tina, and editors that write types as elements.
const TYPES: Dialect = Dialect {
    net: "<pnml><net id=\"n\" type=\"http://www.laas.fr/tina/tpn\"><page id=\"g\">\n",
    place: iso_place,
    transition: |id, name| {
        format!(
            "<transition id=\"{id}\">{}<delay><interval \
             closure=\"closed-open\"><cn>0</cn><ci>infty</ci></interval></delay></transition>",
            name_label(name)
        )
    },
    arc: |place, transition, kind, weight| {
        let kind_of = format!("<type value=\"{}\"/>", type_name(kind, "test"));
        format!("<arc {}>{kind_of}{}</arc>", ends(place, transition, kind), inscription(weight))
    },
    end: "</page>",
};

const PIPE: Dialect = Dialect {
    net: "<pnml><net id=\"Net-One\" type=\"P/T net\"><token id=\"Default\" enabled=\"true\"/>\n",
    place: |id, name, tokens| {
        format!(
            "<place id=\"{id}\"><name><value>{name}</value></name>
             <initialMarking><value>Default,{tokens}</value><graphics/></initialMarking>
             <capacity><value>0</value></capacity></place>"
        )
    },
    transition: |id, name| {
        format!(
            "<transition id=\"{id}\"><name><value>{name}</value></name><rate><value>1.0</value></rate>
             <timed><value>false</value></timed><infiniteServer><value>false</value></infiniteServer>
             <priority><value>1</value></priority></transition>"
        )
    },
    arc: |place, transition, kind, weight| {
        format!(
            "<arc {}><graphics/><inscription><value>Default,{weight}</value><graphics/></inscription>
             <tagged><value>false</value></tagged><arcpath id=\"000\" x=\"1\" y=\"2\" curvePoint=\"false\"/>
             <type value=\"{}\"/></arc>",
            ends(place, transition, kind),
            type_name(kind, "test")
        )
    },
    end: "",
};

/// The PNML that TAPAAL exports.
const EXPORT: Dialect = Dialect {
    net: "<pnml><net id=\"ComposedModel\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page \
          id=\"page0\">\n",
    place: iso_place,
    transition: iso_transition,
    arc: |place, transition, kind, weight| {
        let kind_of = type_name(kind, "test");
        format!("<arc {} type=\"{kind_of}\">{}</arc>", ends(place, transition, kind), inscription(weight))
    },
    end: "</page>",
};

impl Dialect {
    fn write(&self, drawn: &Drawn) -> String {
        let mut text = self.net.to_owned();
        for (p, tokens) in drawn.tokens.iter().enumerate() {
            text.push_str(&(self.place)(&Drawn::place(p), &drawn.name(p), *tokens));
        }
        for t in 0..drawn.transitions {
            text.push_str(&(self.transition)(&Drawn::transition(t), &drawn.name(drawn.tokens.len() + t)));
        }
        for arc in &drawn.arcs {
            let (place, transition) = (Drawn::place(arc.place), Drawn::transition(arc.transition));
            text.push_str(&(self.arc)(&place, &transition, arc.kind, arc.weight));
        }
        text.push_str(self.end);
        if !drawn.finals.is_empty() {
            text.push_str("<finalmarkings>");
            for marking in &drawn.finals {
                let place = |(p, n): (usize, &u8)| format!("<place idref=\"p{p}\"><text>{n}</text></place>");
                let places: String = marking.iter().enumerate().filter(|(_, n)| **n > 0).map(place).collect();
                text.push_str(&format!("<marking>{places}</marking>"));
            }
            text.push_str("</finalmarkings>");
        }
        text + "</net></pnml>\n"
    }
}

/// Writes TAPAAL's own format as TAPAAL does: two components, and shared nodes that connect them.
fn tapn(drawn: &Drawn, side: &dyn Fn(usize) -> usize) -> String {
    let place_side = |p: usize| side(p);
    let transition_side = |t: usize| side(100 + t);
    // An arc between the two sides needs a node that both sides have.
    let across = |a: &&Arc| place_side(a.place) != transition_side(a.transition);
    let shared: std::collections::BTreeSet<usize> = drawn.arcs.iter().filter(across).map(|a| a.place).collect();
    let name = |p: usize| if shared.contains(&p) { format!("p{p}") } else { format!("l{p}") };
    let mut text = "<pnml>".to_owned();
    for &p in &shared {
        let tokens = drawn.tokens[p];
        text.push_str(&format!("<shared-place initialMarking=\"{tokens}\" invariant=\"&lt; inf\" name=\"p{p}\"/>"));
    }
    for component in 0..2 {
        text.push_str(&format!("<net active=\"true\" id=\"C{component}\" type=\"P/T net\">"));
        for (p, tokens) in drawn.tokens.iter().enumerate() {
            if shared.contains(&p) || place_side(p) == component {
                let name = name(p);
                text.push_str(&format!(
                    "<place displayName=\"true\" id=\"P{p}\" initialMarking=\"{tokens}\" invariant=\"&lt; inf\" \
                     name=\"{name}\"/>"
                ));
            }
        }
        for t in (0..drawn.transitions).filter(|t| transition_side(*t) == component) {
            text.push_str(&format!(
                "<transition id=\"T{t}\" name=\"t{t}\" player=\"0\" priority=\"0\" urgent=\"false\"/>"
            ));
        }
        for arc in drawn.arcs.iter().filter(|a| transition_side(a.transition) == component) {
            let ends = ends(&format!("P{}", arc.place), &format!("T{}", arc.transition), arc.kind);
            let (kind, interval) = match arc.kind {
                Kind::Inhibit => ("tapnInhibitor", "[0,inf)"),
                Kind::Take => ("timed", "[0,inf)"),
                _ => ("normal", "1"),
            };
            let weight = arc.weight;
            text.push_str(&format!(
                "<arc id=\"A\" inscription=\"{interval}\" {ends} type=\"{kind}\" weight=\"{weight}\"/>"
            ));
        }
        text.push_str("</net>");
    }
    text + "<k-bound bound=\"3\"/><feature isGame=\"false\" isTimed=\"true\" isColored=\"false\"/></pnml>"
}

const PLAIN: &[Kind] = &[Kind::Take, Kind::Put];
const INHIBITORS: &[Kind] = &[Kind::Take, Kind::Put, Kind::Inhibit];
const ALL: &[Kind] = &[Kind::Take, Kind::Put, Kind::Inhibit, Kind::Read, Kind::Reset];
const PM4PYS: &[Kind] = &[Kind::Take, Kind::Put, Kind::Inhibit, Kind::Reset];

/// The full number of nets. `dev/tools/second_reading.py` has the same number.
const NETS: u32 = 400;

/// Returns the configuration. `IMPASSE_SEED` chooses other nets.
fn config() -> ProptestConfig {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let mut config = generate::config(NETS);
    if let Some(seed) = number("IMPASSE_SEED") {
        config.rng_seed = proptest::test_runner::RngSeed::Fixed(seed);
    }
    config
}

static WRITTEN: AtomicUsize = AtomicUsize::new(0);

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_nets_in_all_dialects_are_the_nets_that_were_meant(drawn in drawn(), sides in any::<u128>()) {
        let cases = [
            (&PM4PY, drawn.cut(PLAIN, true, false)),
            (&PM4PY, drawn.cut(PM4PYS, false, false)),
            (&TYPES, drawn.cut(ALL, true, false)),
            (&PIPE, drawn.cut(INHIBITORS, true, true)),
            (&EXPORT, drawn.cut(INHIBITORS, true, true)),
        ];
        for (dialect, meant) in cases {
            let text = dialect.write(&meant);
            let read = read_as("t.pnml", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            let net = pnml::net(&read.problem);
            meant.compare(net, &|id| id.to_owned())?;
            let finals = meant.finals.iter().map(|f| f.iter().filter(|n| **n > 0).count());
            prop_assert!(net.finals().iter().map(Vec::len).eq(finals));
            if let (Ok(directory), true) = (std::env::var("IMPASSE_WRITE_NETS"), std::ptr::eq(dialect, &PM4PY)) {
                let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
                std::fs::write(format!("{directory}/random_{number}.pnml"), text).expect("the directory is there");
            }
        }
        // Adds arcs, so that no transition is left out.
        let mut meant = drawn.cut(INHIBITORS, true, true);
        for t in 0..meant.transitions {
            if !meant.arcs.iter().any(|a| a.transition == t) {
                meant.arcs.push(Arc { place: 0, transition: t, kind: Kind::Put, weight: 1 });
            }
        }
        let side = |node: usize| (sides >> node & 1) as usize;
        let text = tapn(&meant, &side);
        let read = read_as("t.tapn", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let back = by_number(pnml::net(&read.problem));
        meant.compare(&back, &|id| id.to_owned())?;
    }
}

/// Returns the net with each node named by the part after the component, in the order of their numbers.
fn by_number(net: &Net) -> Net {
    let plain = |name: &str| name.rsplit('.').next().unwrap_or(name).replace('l', "p");
    let number = |name: &str| plain(name)[1..].parse::<usize>().unwrap_or(usize::MAX);
    let mut order: Vec<usize> = (0..net.places().len()).collect();
    order.sort_by_key(|p| number(&net.places()[*p].name));
    let moved = |p: PlaceId| PlaceId::new(order.iter().position(|q| *q == p.index()).expect("a place"));
    let places = order.iter().map(|p| model::Place { name: plain(&net.places()[*p].name), ..net.places()[*p].clone() });
    let mut transitions: Vec<model::Transition> = net.transitions().to_vec();
    transitions.sort_by_key(|t| number(&t.name));
    for t in &mut transitions {
        t.name = plain(&t.name);
        t.guards.iter_mut().for_each(|g| g.place = moved(g.place));
        t.guards.sort_by_key(|g| g.place);
        for e in &mut t.effects {
            e.place = moved(e.place);
            e.sources.iter_mut().for_each(|s| *s = moved(*s));
        }
        t.effects.sort_by_key(|e| e.place);
    }
    Net::new(places.collect(), transitions).expect("the same net")
}
