//! Tests of attributes, names, final markings and transitions that never fire, in PNML.

use crate::pnml::{file, net, nodes, refused, refused_nodes, written};
use crate::read_as;
use impasse_readers::{Error, Limits, Source, read, read_goals};
use model::{Guard, PlaceId, Problem, Range};

/// Returns a file with an arc with these attributes, and further attributes of its place and its transition.
fn attributes(place: &str, transition: &str, arc: &str) -> String {
    file(&format!(
        "<place id='p' {place}/><place id='q'/><transition id='t' {transition}/><transition id='u'/>
         <arc id='a' source='p' target='t' {arc}/><arc id='b' source='t' target='q'/>"
    ))
}

#[test]
fn attributes_are_never_ignored() {
    let net = |place: &str, transition: &str, arc: &str| {
        let text = attributes(place, transition, arc);
        let read = read_as("t.pnml", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        net(&read.problem).clone()
    };
    let guard = |arc: &str| net("", "", arc).transitions()[0].guards[0].range.clone();
    assert_eq!(guard(""), Range::from(1u8));
    assert_eq!(guard("type='inhibitor'"), Range::exactly(0u8));
    assert_eq!(
        guard("type='tapnInhibitor' weight='3' inscription='[0,inf)'"),
        Range { at_least: 0u8.into(), at_most: Some(2u8.into()) }
    );
    assert_eq!(guard("weight='2'"), Range::from(2u8));
    assert_eq!(guard("type='timed' inscription='[0, inf)' weight='2'"), Range::from(2u8));
    assert_eq!(net("initialMarking='3'", "", "").place(PlaceId(0)).initial, Range::exactly(3u8));
    // Attributes without effect.
    let plain = net("", "", "");
    let void = net(
        "capacity='0' invariant='&lt; inf' displayName='true' positionX='1' nameOffsetX='2'",
        "urgent='false' player='0' priority='0' infiniteServer='false' angle='90' rate='1.5'",
        "inscription='1' nameOffsetX='0' tagged='false' xmlns='u' xml:space='preserve'",
    );
    assert_eq!(void, plain);
    for (place, transition, arc) in [
        ("capacity='1'", "", ""),
        ("invariant='&lt;= 5'", "", ""),
        ("colour='red'", "", ""),
        ("x:initialMarking='3'", "", ""),
        ("", "urgent='true'", ""),
        ("", "player='1'", ""),
        ("", "guard='x'", ""),
        ("", "delay='2'", ""),
        ("", "", "inscription='2'"),
        ("", "", "inscription='[1,2]'"),
        ("", "", "tagged='true'"),
        ("", "", "wieght='2'"),
    ] {
        let text = attributes(place, transition, arc);
        let error = read_as("t.pnml", &text).expect_err(&text);
        assert_eq!(error.code(), "pnml::attribute", "{text}");
        let whom = if !arc.is_empty() {
            "the arc from `p` to `t`"
        } else if !place.is_empty() {
            "`p`"
        } else {
            "`t`"
        };
        assert!(error.to_string().contains(whom), "{error}");
    }
    assert_eq!(refused(&attributes("", "priority='2'", "")), "pnml::priority");
    assert_eq!(refused(&attributes("", "", "type='transport'")), "pnml::arc-type");
    assert_eq!(refused(&attributes("", "", "weight='0'")), "pnml::weight");
    assert_eq!(refused(&attributes("", "", "weight='x'")), "pnml::weight");
    assert_eq!(refused(&attributes("initialMarking='-1'", "", "")), "pnml::marking");
    // An arc with two weights, which are equal or differ.
    let both = |weight: u8, text: u8| {
        format!(
            "<place id='p'/><transition id='t'/><arc id='a' source='p' target='t' weight='{weight}'>
             <inscription><text>{text}</text></inscription></arc>"
        )
    };
    assert_eq!(nodes(&both(2, 2)).transitions()[0].guards[0].range, Range::from(2u8));
    assert_eq!(refused_nodes(&both(2, 3)), "pnml::weight");
    let engine =
        |tag: &str, kind: &str| format!("<place id='p'/><transition id='t'/><{tag} source='p' target='t' {kind}/>");
    assert_eq!(nodes(&engine("inputArc", "")).transitions()[0].guards[0].range, Range::from(1u8));
    for kind in ["", "type='inhibitor'"] {
        assert_eq!(nodes(&engine("inhibitorArc", kind)).transitions()[0].guards[0].range, Range::exactly(0u8));
    }
    assert_eq!(refused_nodes(&engine("inhibitorArc", "type='normal'")), "pnml::arc-type");
    assert_eq!(refused_nodes(&engine("transportArc", "")), "pnml::unsupported");
    assert_eq!(
        refused_nodes("<place id='p' initialMarking='1'><initialMarking><text>1</text></initialMarking></place>"),
        "pnml::unsupported"
    );
}

/// The value of an element may stand in its attribute `value`. Other attributes are refused.
#[test]
fn attributes_of_labels_are_never_ignored() {
    assert_eq!(nodes("<place id='p'><capacity value='0'/></place>").places().len(), 1);
    for (text, code) in [
        ("<place id='p'><capacity value='3'/></place>", "pnml::unsupported"),
        ("<place id='p'><capacity/></place>", "pnml::unsupported"),
        ("<place id='p'><capacity max='3'><value>0</value></capacity></place>", "pnml::attribute"),
        ("<place id='p'><initialMarking value='3'/></place>", "pnml::attribute"),
        ("<transition id='t'><timed value='true'/></transition><transition id='u'/>", "pnml::priority"),
        ("<transition id='t'><timed after='3'>true</timed></transition>", "pnml::attribute"),
        (
            "<place id='p'/><transition id='t'/><arc source='p' target='t'><inscription value='2'/></arc>",
            "pnml::attribute",
        ),
        (
            "<place id='p'/><transition id='t'/><arc source='p' target='t'><type value='read'>inhibitor</type></arc>",
            "pnml::unsupported",
        ),
    ] {
        assert_eq!(refused_nodes(text), code, "{text}");
    }
}

#[test]
fn unknown_attributes_of_nets_are_a_warning() {
    let read =
        read_as("t.pnml", "<pnml><net id='n' type='ptnet' fold='1'><page id='g' shade='2'/></net></pnml>").unwrap();
    let codes: Vec<&str> = read.warnings.iter().map(Error::code).collect();
    assert_eq!(codes, ["pnml::not-read", "pnml::not-read"]);
}

/// An inhibitor arc forbids what another arc requires: the transition is kept, and never fires.
#[test]
fn a_transition_that_never_fires_is_kept_with_a_warning() {
    let text = file(
        "<place id='p'><initialMarking><text>1</text></initialMarking></place><place id='never'/><transition id='t'/>
         <transition id='u'/><arc id='a' source='p' target='t'/><arc id='c' source='t' target='never'/>
         <arc id='b' source='p' target='t' type='inhibitor'/><arc id='d' source='p' target='u'/>",
    );
    let read = read_as("t.pnml", &text).unwrap();
    let codes: Vec<&str> = read.warnings.iter().map(Error::code).collect();
    assert_eq!(codes, ["pnml::never-enabled"]);
    let net = net(&read.problem);
    assert_eq!(net.places().len(), 2, "no place is added");
    let t = &net.transitions()[0];
    assert_eq!((t.name.as_str(), t.effects.len()), ("t", 2));
    assert_eq!(
        t.guards,
        [Guard { place: PlaceId(0), range: Range { at_least: 1u8.into(), at_most: Some(0u8.into()) } }]
    );
    assert_eq!(net.transitions().iter().map(model::Transition::is_forbidden).collect::<Vec<_>>(), [true, false]);
    // Even for many such transitions there are few warnings.
    let many: String = (0..100)
        .map(|i| {
            format!(
                "<transition id='t{i}'/><arc id='a{i}' source='p' target='t{i}'/>
                 <arc id='b{i}' source='p' target='t{i}' type='inhibitor'/>"
            )
        })
        .collect();
    let read = read_as("t.pnml", &file(&format!("<place id='p'/>{many}"))).unwrap();
    assert_eq!(read.warnings.len(), 11);
    assert!(read.warnings[10].to_string().contains("90 more"), "{}", read.warnings[10]);
}

/// WoPeD gives the arcs of an operator one id, and writes a transition for each choice. A single transition with
/// the arcs of several choices would take all of them.
#[test]
fn operators_of_woped_have_to_be_written_out() {
    let operator = |kind: u8, from: &str, to: &str| {
        let arcs: String = from.split(' ').map(|p| format!("<arc id='a1' source='{p}' target='t'/>")).collect();
        let more: String = to.split(' ').map(|p| format!("<arc id='a1' source='t' target='{p}'/>")).collect();
        file(&format!(
            "<place id='p'/><place id='q'/><transition id='s'/><transition id='t'><toolspecific tool='WoPeD' \
             version='1.0'>
             <operator id='t' type='{kind}'/></toolspecific></transition>{arcs}{more}"
        ))
    };
    for (kind, from, to, fine) in [
        (101, "p", "p q", true),
        (102, "p q", "p", true),
        (104, "p", "q", true),
        (105, "p", "q", true),
        (104, "p", "p q", false),
        (105, "p q", "p", false),
    ] {
        let text = operator(kind, from, to);
        let code = read_as("t.pnml", &text).map_or_else(|e| e.code(), |_| "");
        assert_eq!(code, if fine { "" } else { "pnml::unsupported" }, "{text}");
    }
}

/// Names are displayed and may be used in formulas. Ids are always accepted, and have priority.
#[test]
fn names_may_be_used_where_they_are_unique() {
    let text = file(
        "<place id='n1'><name><text>start\n of  it</text></name><initialMarking><text>1</text></initialMarking></place>
         <place id='n2'><name><text>n1</text></name></place><place id='n3'/>
         <transition id='t1'><name><text>go</text></name></transition><transition \
         id='t2'><name><text>go</text></name></transition>
         <transition id='t3'><name><text>stop</text></name></transition>
         <arc id='a' source='n1' target='t1'/><arc id='b' source='t3' target='n2'/>",
    );
    let mut problem = read_as("t.pnml", &text).unwrap().problem;
    let asked = |problem: &mut Problem, place: &str, transition: &str| {
        let text = format!(
            "<property-set><property><id>q</id><formula><exists-path><finally><conjunction>
             <integer-le><integer-constant>1</integer-constant>\
             <tokens-count><place>{place}</place></tokens-count></integer-le>
             <is-fireable><transition>{transition}</transition></is-fireable>
             </conjunction></finally></exists-path></formula></property></property-set>"
        );
        let source = Source { name: "t.xml".to_owned(), bytes: text.into_bytes() };
        read_goals(source, None, problem, &Limits::default())
            .map_err(|e| e.code())
            .and_then(|notes| notes.first().map_or_else(|| Ok(problem.formulas()[0].clone()), |note| Err(note.code())))
    };
    let by_ids = asked(&mut problem, "n1", "t3").unwrap();
    assert_eq!(asked(&mut problem, "start of it", "stop").unwrap(), by_ids);
    // `n1` is the id of the first place, and the name of the second.
    let second = asked(&mut problem, "n2", "t1").unwrap();
    assert_ne!(second, by_ids);
    assert_eq!(asked(&mut problem, "n1 (n2)", "go (t1)").unwrap(), second);
    assert_eq!(asked(&mut problem, "n1", "go").unwrap_err(), "mcc::unknown-name");
    // After writing and reading, all names are the same.
    let again = read_as("t.pnml", &written(&problem, "pnml").unwrap()).unwrap().problem;
    assert_eq!(net(&again), net(&problem));
    assert_eq!(evidence::hash(&again), evidence::hash(&problem));
    // Evidence refers to nodes by their names, so nets with different names have different hashes.
    let renamed = read_as("t.pnml", &text.replace("stop", "halt")).unwrap().problem;
    assert_ne!(evidence::hash(&renamed), evidence::hash(&problem));
}

#[test]
fn control_characters_in_names_do_not_reach_the_terminal() {
    let net = nodes("<place id='p'><name><text>a\u{1b}[31m\u{9b}b</text></name></place>");
    assert_eq!(net.shown_place(PlaceId(0)), "a\u{fffd}[31m\u{fffd}b");
    let long = "x".repeat(2000);
    let net = nodes(&format!("<place id='p'><name><text>{long}</text></name></place>"));
    assert_eq!(net.shown_place(PlaceId(0)), "p");
}

/// ProM and PIPE declare Latin-1.
#[test]
fn files_in_latin_1_are_read() {
    let text = "<?xml version='1.0' encoding='ISO-8859-1'?><pnml><net id='n' type='ptnet'><place \
                id='p'><name><text>pr\u{fc}fen</text></name>
        </place></net></pnml>";
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let source = |bytes: Vec<u8>| Source { name: "t.pnml".to_owned(), bytes };
    let problem = read(source(latin.clone()), None, &Limits::default()).unwrap().problem;
    assert_eq!(net(&problem).shown_place(PlaceId(0)), "pr\u{fc}fen");
    let other = String::from_utf8_lossy(&latin).replace("ISO-8859-1", "UTF-8").replace('\u{fffd}', "\u{1}");
    let other: Vec<u8> = other.into_bytes().into_iter().map(|b| if b == 1 { 0xfc } else { b }).collect();
    assert_eq!(read(source(other), None, &Limits::default()).unwrap_err().code(), "input::not-utf8");
}

#[test]
fn final_markings_are_kept() {
    let marking = |places: &str| {
        file("<place id='p'/><place id='q'/><transition id='t'/><referencePlace id='r' ref='q'/>")
            .replace("</net>", &format!("<finalmarkings><marking>{places}</marking></finalmarkings></net>"))
    };
    let text = marking("<place idref='r'><text>2</text></place><place idref='p'><text>0</text></place>");
    let problem = read_as("t.pnml", &text).unwrap().problem;
    assert_eq!(net(&problem).finals(), [[(PlaceId(0), 0u8.into()), (PlaceId(1), 2u8.into())]]);
    let again = read_as("t.pnml", &written(&problem, "pnml").unwrap()).unwrap().problem;
    assert_eq!(net(&again), net(&problem));
    for (places, code) in [
        ("<place idref='t'><text>1</text></place>", "pnml::final-marking"),
        ("<place idref='q'><text>1</text></place><place idref='r'><text>1</text></place>", "pnml::final-marking"),
        ("<transition idref='t'/>", "pnml::final-marking"),
        ("<place idref='x'><text>1</text></place>", "pnml::unknown-node"),
        ("<place idref='p'/>", "pnml::marking"),
        ("<place><text>1</text></place>", "xml::missing-attribute"),
    ] {
        assert_eq!(refused(&marking(places)), code, "{places}");
    }
}
