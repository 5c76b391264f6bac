//! Tests of PNML: what is read, what is refused, and that nets are read back as they were written.

use crate::{generate, read_as};
use impasse_readers::{Limits, Source, WriteError, by_name, read};
use model::{Effect, Guard, Net, Place, PlaceId, Problem, Range, SystemModel, Transition};
use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;
use std::sync::Arc;

/// Returns a file with one net that has these nodes.
pub(crate) fn file(nodes: &str) -> String {
    format!("<pnml><net id=\"n\" type=\"ptnet\"><page id=\"g\">{nodes}</page></net></pnml>")
}

pub(crate) fn net(problem: &Problem) -> &Net {
    match problem.system() {
        SystemModel::Net(net) => net,
        _ => panic!("no net"),
    }
}

pub(crate) fn problem(net: Net) -> Problem {
    Problem::of(Arc::new(net))
}

pub(crate) fn nodes(text: &str) -> Net {
    let read = read_as("t.pnml", &file(text)).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column()));
    net(&read.problem).clone()
}

pub(crate) fn refused(text: &str) -> &'static str {
    read_as("t.pnml", text).expect_err(text).code()
}

pub(crate) fn refused_nodes(text: &str) -> &'static str {
    refused(&file(text))
}

pub(crate) fn written(problem: &Problem, format: &str) -> Result<String, WriteError> {
    let mut bytes = Vec::new();
    by_name(format).unwrap().write.unwrap()(problem, &mut bytes)?;
    Ok(String::from_utf8(bytes).unwrap())
}

#[test]
fn pages_nest_and_arcs_come_before_their_ends() {
    let net = nodes(
        "<arc id='a' source='p' target='t'><inscription><text> 2 </text></inscription></arc>
         <page id='h'><name><text>inner</text></name><page id='i'><place id='p'><graphics><position x='1' \
         y='2'/></graphics>
           <initialMarking><graphics/><text>3</text></initialMarking></place></page>
         <transition id='t'/></page>
         <referencePlace id='q' ref='r'/><referencePlace id='r' ref='p'/>
         <arc id='b' source='t' target='q'/>
         <toolspecific tool='nupn' version='1'><structure root='u'><unit \
         id='p'><places>p</places></unit></structure></toolspecific>",
    );
    assert_eq!(net.place(PlaceId(0)).initial, Range::exactly(3u8));
    let expected = Transition::from_arcs("t".into(), &[(PlaceId(0), 2u8.into())], &[(PlaceId(0), 1u8.into())]);
    assert_eq!(net.transitions(), [expected]);
}

#[test]
fn arcs_of_other_types_do_what_they_say() {
    let arcs = |kind: &str| {
        let arc = format!("<arc id='a' source='p' target='t'><inscription><text>2</text></inscription>{kind}</arc>");
        nodes(&format!("<place id='p'/><transition id='t'/>{arc}<arc id='b' source='t' target='p'/>")).transitions()[0]
            .clone()
    };
    let guard = |range| vec![Guard { place: PlaceId(0), range }];
    let effect = |sources: &[PlaceId], add: i32| {
        vec![Effect { place: PlaceId(0), sources: sources.into(), add: BigInt::from(add) }]
    };
    let here = [PlaceId(0)];
    for normal in ["", "<type value='normal'/>", "<arctype><text>normal</text></arctype>"] {
        let t = arcs(normal);
        assert_eq!((t.guards, t.effects), (guard(Range::from(2u8)), effect(&here, -1)));
    }
    for inhibitor in ["<type value='inhibitor'/>", "<toolspecific tool='x'><a/><type>inhibitor</type></toolspecific>"] {
        let t = arcs(inhibitor);
        let below = Range { at_least: 0u8.into(), at_most: Some(1u8.into()) };
        assert_eq!((t.guards, t.effects), (guard(below), effect(&here, 1)));
    }
    for read in ["<type value='read'/>", "<arctype><text>test</text></arctype>"] {
        let t = arcs(read);
        assert_eq!((t.guards, t.effects), (guard(Range::from(2u8)), effect(&here, 1)));
    }
    let t = arcs("<type value='reset'/>");
    assert_eq!((t.guards, t.effects), (Vec::new(), effect(&[], 1)));
    assert_eq!(
        refused_nodes(
            "<place id='p'/><transition id='t'/><arc id='b' source='t' target='p'><type value='reset'/></arc>"
        ),
        "pnml::arc-type"
    );
}

#[test]
fn numbers_have_any_size() {
    let long = "9".repeat(5000);
    for number in ["2147483648", "4294967296", "18446744073709551616", &long] {
        let value: BigUint = number.parse().unwrap();
        let net = nodes(&format!(
            "<place id='p'><initialMarking><text>{number}</text></initialMarking></place><transition id='t'/>
             <arc id='a' source='p' target='t'><inscription><text>{number}</text></inscription></arc>"
        ));
        assert_eq!(net.place(PlaceId(0)).initial, Range::exactly(value.clone()));
        assert_eq!(net.transitions()[0].guards[0].range, Range::from(value));
    }
    let marking =
        |m: &str| refused_nodes(&format!("<place id='p'><initialMarking><text>{m}</text></initialMarking></place>"));
    assert_eq!(marking(&"9".repeat(10_001)), "limit::digits");
    for bad in ["-1", "1.5", "", "0x10", "1 2"] {
        assert_eq!(marking(bad), "pnml::marking", "{bad}");
    }
}

#[test]
fn broken_files_are_refused() {
    for (text, code) in [
        ("", "input::empty"),
        ("<pnml><net id='n' type='ptnet'/></pnml><pnml/>", "xml::syntax"),
        ("<pnml><net id='n' type='ptnet'/></pnml>more", "xml::syntax"),
        ("more<pnml/>", "xml::syntax"),
        ("<pnml><net id='n' type='ptnet'>", "xml::syntax"),
        ("<pnml><net id='n' type='ptnet'></pnml></net>", "xml::syntax"),
        ("<pnml/>", "pnml::no-net"),
        ("<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/highlevelnet'/></pnml>", "pnml::net-type"),
        ("<pnml><net id='n' id='m' type='ptnet'/></pnml>", "xml::syntax"),
        ("<!-- only -->", "xml::syntax"),
        ("<!DOCTYPE pnml><pnml/>", "xml::doctype"),
        ("<pnml>&a;</pnml>", "xml::entity"),
        ("<pnml><net id='&a;' type='ptnet'/></pnml>", "xml::entity"),
        ("<pnml><net id='&#1;' type='ptnet'/></pnml>", "xml::entity"),
        ("<pnml><net id='&#xD800;' type='ptnet'/></pnml>", "xml::entity"),
    ] {
        assert_eq!(refused(text), code, "{text}");
    }
    for (text, code) in [
        ("<place/>", "xml::missing-attribute"),
        ("<place id='p'/><place id='p'/>", "pnml::duplicate-id"),
        ("<transition id='p'/><referenceTransition id='p' ref='p'/>", "pnml::duplicate-id"),
        ("<arc source='p' target='q'/>", "pnml::unknown-node"),
        ("<place id='p'/><arc source='p' target='g'/>", "pnml::unknown-node"),
        ("<transition id='t'/><arc source='t' target='t'/>", "pnml::arc"),
        ("<referencePlace id='r' ref='r'/>", "pnml::reference"),
        ("<referencePlace id='r' ref='q'/>", "pnml::reference"),
        ("<transition id='t'/><referencePlace id='r' ref='t'/>", "pnml::reference"),
        ("<place id='p'><type><structure><usersort declaration='c'/></structure></type></place>", "pnml::undeclared"),
        (
            "<declaration><structure><declarations><variabledecl id='x'/></declarations></structure></declaration>",
            "pnml::sort",
        ),
        ("<place id='p'>tokens</place>", "xml::content"),
        ("<place id='p'><initialMarking><text>1</text><text>1</text></initialMarking></place>", "pnml::unsupported"),
        ("<place id='p'><initialMarking/></place>", "pnml::marking"),
    ] {
        assert_eq!(refused_nodes(text), code, "{text}");
    }
    let error = read_as("t.pnml", "<pnml>\n <net id='n' type='ptnet'>\n  <arc source='p' target='q'/></net></pnml>")
        .unwrap_err();
    assert_eq!(error.line_column(), Some((3, 3)));
}

#[test]
fn declarations_and_namespaces_do_not_matter() {
    let text =
        "\u{feff}<?xml version='1.0' encoding='UTF-8'?>\n<!-- c --><x:pnml xmlns:x='u'><x:net id='n' type='P/T net'>
        <?pi ?><x:place id='a&#10;&lt;b'/></x:net></x:pnml>\n<!-- end -->\n";
    let read = read_as("t.pnml", text).unwrap();
    assert_eq!(net(&read.problem).places()[0].name, "a\n<b");
}

/// The place of an arc, true if it leads into the transition, and its weight.
type ArcShape = (prop::sample::Index, bool, u64);

/// Generates plain nets, with names that XML must escape, and names that places and transitions share.
pub(crate) fn plain_net() -> impl Strategy<Value = Net> {
    let name = prop_oneof![Just("p"), Just("x_"), Just("<&>"), Just("a\"b'c"), Just(" é\n"), Just("xarc1")];
    let count = prop_oneof![0u64..4, Just(u64::MAX)];
    let places = prop::collection::vec((name.clone(), count.clone()), 1..5);
    let arcs = prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), count), 0..6);
    let transitions = prop::collection::vec((name, arcs), 0..5);
    (places, transitions).prop_map(|(places, transitions)| {
        let width = places.len();
        let place = |(i, (name, count)): (usize, (&str, u64))| Place {
            name: format!("{name}{i}"),
            initial: Range::exactly(count),
        };
        let transition = |(i, (name, arcs)): (usize, (&str, Vec<ArcShape>))| {
            let side = |pre: bool| -> Vec<(PlaceId, BigUint)> {
                let mine = arcs.iter().filter(|a| a.1 == pre);
                mine.map(|(p, _, w)| (PlaceId::new(p.index(width)), BigUint::from(*w) * 3u8)).collect()
            };
            Transition::from_arcs(format!("{name}{}", i + 3), &side(true), &side(false))
        };
        let transitions = transitions.into_iter().enumerate().map(transition).collect();
        Net::new(places.into_iter().enumerate().map(place).collect(), transitions).unwrap()
    })
}

/// True if a place and a transition share a name.
fn shares(net: &Net) -> bool {
    net.places().iter().any(|p| net.transitions().iter().any(|t| t.name == p.name))
}

proptest! {
    #![proptest_config(generate::config(300))]

    #[test]
    fn plain_nets_come_back(plain in plain_net()) {
        let text = written(&problem(plain.clone()), "pnml").unwrap();
        let read = read_as("t.pnml", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let back = net(&read.problem);
        prop_assert_eq!(back.places(), plain.places());
        if shares(&plain) {
            let parts = |net: &Net| {
                net.transitions().iter().map(|t| (t.guards.clone(), t.effects.clone())).collect::<Vec<_>>()
            };
            prop_assert_eq!(parts(back), parts(&plain));
        } else {
            prop_assert_eq!(back, &plain);
        }
    }
}

#[test]
fn a_transition_called_like_a_place_gets_another_id() {
    let place = |name: &str| Place { name: name.to_owned(), initial: Range::exactly(0u8) };
    let t = |name: &str| Transition::from_arcs(name.to_owned(), &[], &[(PlaceId(0), 1u8.into())]);
    let shared = Net::new(vec![place("a"), place("x")], vec![t("a"), t("a_"), t("x")]).unwrap();
    let read = read_as("t.pnml", &written(&problem(shared), "pnml").unwrap()).unwrap();
    let names: Vec<&str> = net(&read.problem).transitions().iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["a__", "a_", "x_"]);
}

#[test]
fn features_that_pnml_lacks_are_named() {
    let says = |spec: &str, words: &[&str]| {
        let problem = read_as("t.spec", spec).unwrap().problem;
        let Err(WriteError::Feature(error)) = written(&problem, "pnml") else { panic!("{spec}") };
        assert!(words.iter().all(|w| error.to_string().contains(w)), "{error}");
        assert_eq!(error.code(), "format::cannot-say");
    };
    let rule = |rule: &str| format!("vars abc xyz rules {rule} init abc = 1, xyz = 0 target xyz >= 1");
    says("vars abc xyz rules init abc >= 1, xyz = 0 target xyz >= 1", &["place `abc`", "at the start"]);
    says(&rule("abc >= 1 -> xyz' = 0;"), &["r1", "resets `xyz`"]);
    says(&rule("abc >= 1 -> xyz' = 2;"), &["r1", "constant to `xyz`"]);
    says(&rule("xyz >= 1 -> abc' = abc + xyz, xyz' = 0;"), &["r1", "transfers tokens to `abc`"]);
    says(&rule("abc = 0 -> xyz' = xyz + 1;"), &["r1", "`abc` for zero"]);
    says(&rule("abc in [1,2] -> xyz' = xyz + 1;"), &["r1", "upper bound on `abc`"]);
    let threads = read_as("t.tts", "1 1\n").unwrap().problem;
    assert!(matches!(written(&threads, "pnml"), Err(WriteError::Feature(_))));
}

#[test]
fn graphs_show_every_feature() {
    let spec = "vars a b c rules
        a >= 2, b >= 1 -> a' = a - 2, c' = c + 3;
        a in [1,4] -> b' = 0;
        b = 0 -> c' = c + a, a' = 0;
        a >= 1 -> c' = c + a - 1, a' = 0;
        -> c' = 7;
        init a >= 1, b = 2, c in [0,3] target c >= 1";
    // A rule without guard is written with `true`.
    let spec = spec.replace("        -> c'", "        true -> c'");
    let text = written(&read_as("t.spec", &spec).unwrap().problem, "dot").unwrap();
    insta::assert_snapshot!("net_dot", text);
    let tts = "0|1\n2 3\n0 0 -> 1 1\n0 1 +> 0 2\n1 1 -> 0 0 1 ~> 2 2 ~> 0 2 ~> 1\n1 2 ~> 1 0\n";
    let text = written(&read_as("t.tts", tts).unwrap().problem, "dot").unwrap();
    insta::assert_snapshot!("threads_dot", text);
}

#[test]
fn limits_hold() {
    let limits = Limits { places: 2, transitions: 1, arcs: 1, name_length: 5, ..Limits::default() };
    let code = |nodes: &str| {
        let source = Source { name: "t.pnml".to_owned(), bytes: file(nodes).into_bytes() };
        read(source, None, &limits).map_or_else(|e| e.code(), |_| "")
    };
    assert_eq!(code("<place id='a'/><place id='b'/>"), "");
    assert_eq!(code("<place id='a'/><place id='b'/><place id='c'/>"), "limit::places");
    assert_eq!(code("<transition id='a'/><transition id='b'/>"), "limit::transitions");
    assert_eq!(
        code("<place id='a'/><transition id='b'/><arc source='a' target='b'/><arc source='b' target='a'/>"),
        "limit::arcs"
    );
    assert_eq!(code("<place id='abcdef'/>"), "limit::name");
}

/// Editors show names, and draw nodes without positions on top of each other.
#[test]
fn written_nodes_have_names_and_positions() {
    let read = read_as("t.net", "pl p (1)\ntr t p -> {a <b}*2\ntr p {a <b} ->\n").unwrap();
    let text = written(&read.problem, "pnml").unwrap();
    let node = |kind: &str, id: &str, name: &str, x: u32, y: u32| {
        let graphics = format!("<graphics><position x=\"{x}\" y=\"{y}\"/></graphics>");
        assert!(
            text.contains(&format!("<{kind} id=\"{id}\"><name><text>{name}</text></name>{graphics}")),
            "{id}: {text}"
        );
    };
    node("place", "p", "p", 80, 80);
    node("place", "a &lt;b", "a &lt;b", 160, 80);
    node("transition", "t", "t", 80, 160);
    node("transition", "p_", "p", 160, 160);
}
