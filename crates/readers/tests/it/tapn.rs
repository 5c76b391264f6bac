//! Tests of TAPAAL's files: how components fit together, and what is refused. Whole files are in `dialects`.

use crate::dialects::told;
use crate::read_as;
use insta::assert_snapshot;

fn components(before: &str, nets: &[&str]) -> String {
    let nets: String = nets
        .iter()
        .enumerate()
        .map(|(i, n)| format!("<net active='true' id='C{i}' type='P/T net'>{n}</net>"))
        .collect();
    format!("<pnml>{before}{nets}</pnml>")
}

fn refused(before: &str, nets: &[&str]) -> &'static str {
    let text = components(before, nets);
    read_as("t.tapn", &text).expect_err(&text).code()
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let shared = "<shared-place name='s' initialMarking='1' invariant='&lt; inf'/>";
    let place = "<place id='p' name='s' initialMarking='1'/>";
    assert_eq!(refused(&format!("{shared}{shared}"), &[place]), "pnml::component");
    let late = format!("<pnml><net id='C' type='P/T net'>{place}</net>{shared}</pnml>");
    assert_eq!(read_as("t.tapn", &late).expect_err("late").code(), "pnml::component");
    assert_eq!(refused("<constant name='c' value='x'/>", &[place]), "pnml::component");
    assert_eq!(refused(&shared.replace("&lt; inf", "&lt;= 3"), &[place]), "pnml::attribute");
    assert_eq!(refused("<shared-transition name='t' urgent='true'/>", &[place]), "pnml::attribute");
    assert_eq!(refused("<feature isStochastic='true'/>", &[place]), "pnml::attribute");
    let weight = "<place id='p' name='p'/><transition id='t' name='t'/><arc id='a' source='p' target='t' weight='c'/>";
    assert_eq!(refused("", &[weight]), "pnml::weight");
    assert!(read_as("t.tapn", &components("<constant name='c' value='7'/>", &[weight])).is_ok());
    assert_eq!(refused("<constant name='c' value='0'/>", &[weight]), "pnml::weight");
    // Two nodes of one component have the same name.
    assert_eq!(refused("", &["<place id='p' name='a'/><place id='q' name='a'/>"]), "net::invalid");
    // A file called .pnml may have only one net, and no shared nodes.
    for text in [components(shared, &[place]), components("", &[place, place])] {
        let code = read_as("t.pnml", &text).expect_err(&text).code();
        assert!(["pnml::unsupported", "pnml::several-nets"].contains(&code), "{code}");
    }
}

/// A coloured net of two components, as TAPAAL writes it: the type is that of nets without colours, all colours have
/// the name of their sort, the black token is a `useroperator`, numbers stand beside expressions, and the declarations
/// come last.
#[test]
fn coloured_components_are_joined() {
    let structure = |name: &str, term: &str| format!("<{name}><text>t</text><structure>{term}</structure></{name}>");
    let times = |count: u8, term: &str| {
        format!(
            "<numberof><subterm><numberconstant value='{count}'><positive/></numberconstant></subterm>\
             <subterm>{term}</subterm></numberof>"
        )
    };
    let sort = |id: &str| structure("type", &format!("<usersort declaration='{id}'/>"));
    let (dot, x) = ("<useroperator declaration='dot'/>", "<variable refvariable='x'/>");
    let idle = structure(
        "hlinitialMarking",
        &format!("<add><subterm>{}</subterm></add>", times(1, "<all><usersort declaration='D'/></all>")),
    );
    let not_a = structure(
        "condition",
        "<and isSimple='true'><subterm><inequality><subterm><variable refvariable='x'/></subterm>\
         <subterm><useroperator declaration='a'/></subterm></inequality></subterm></and>",
    );
    let shared = format!(
        "<shared-place initialMarking='2' invariant='&lt; inf' name='s'>{}{}</shared-place>\
         <shared-transition distribution='constant' firingMode='Oldest' name='go' player='0' \
         urgent='false' value='1.0' weight='1.0'/>",
        sort("dot"),
        structure("hlinitialMarking", &times(2, dot)),
    );
    let arc = |from: &str, to: &str, kind: &str, term: &str| {
        format!(
            "<arc id='k' inscription='{}' source='{from}' target='{to}' type='{kind}' weight='1'>{}</arc>",
            if kind == "timed" { "[0,inf)" } else { "1" },
            structure("hlinscription", term)
        )
    };
    let left = format!(
        "<place id='p' name='p' initialMarking='3' invariant='&lt; inf'>{}{idle}</place>\
         <place id='s' name='s' initialMarking='2' invariant='&lt; inf'>{}{}</place>\
         <transition id='t' name='go'>{not_a}</transition><transition id='u' name='alone'/>{}{}",
        sort("D"),
        sort("dot"),
        structure("hlinitialMarking", &times(2, dot)),
        arc("p", "t", "timed", &times(1, x)),
        arc("s", "t", "timed", &times(2, dot)),
    );
    let right = format!(
        "<place id='q' name='q' initialMarking='0' invariant='&lt; inf'>{}</place>\
         <transition id='t' name='go'>{not_a}</transition>{}",
        sort("D"),
        arc("t", "q", "normal", &times(1, "<successor><subterm><variable refvariable='x'/></subterm></successor>")),
    );
    let declared = structure(
        "declaration",
        "<declarations><namedsort id='dot' name='dot'><dot/></namedsort><namedsort id='D' name='D'>\
         <cyclicenumeration><feconstant id='a' name='D'/><feconstant id='b' name='D'/><feconstant id='c' name='D'/>\
         </cyclicenumeration></namedsort><variabledecl id='x' name='x'><usersort declaration='D'/></variabledecl>\
         </declarations>",
    );
    let text = components(&shared, &[&left, &right]).replace("</pnml>", &format!("{declared}</pnml>"));
    let read = read_as("t.tapn", &text).expect("a coloured net");
    assert_snapshot!(told(&read), @r"
    place s: 2
    place C0.p(a): 1
    place C0.p(b): 1
    place C0.p(c): 1
    place C1.q(a): 0
    place C1.q(c): 0
    transition go(x=b): s in 2.. C0.p(b) in 1.. -> s-2 C0.p(b)-1 C1.q(c)+1
    transition go(x=c): s in 2.. C0.p(c) in 1.. -> s-2 C0.p(c)-1 C1.q(a)+1
    warning [pnml::not-read] t.tapn: the transition `C0.alone` has no arcs
    ");
    let other =
        text.replacen("declaration='a'/></subterm></inequality>", "declaration='b'/></subterm></inequality>", 1);
    assert_eq!(read_as("t.tapn", &other).expect_err("two conditions").code(), "pnml::component");
}

/// TAPAAL's constants with several values, and numbers of stochastic nets, do not matter unless they are weights.
#[test]
fn constants_that_are_no_weights_are_not_read() {
    let net = "<place id='p' name='p'/><transition id='t' name='t'/><arc id='a' source='p' target='t' weight='w'/>";
    let constants = "<constant name='rate' type='real' value='0.5'/><constant name='all' value='1,2,3'/>\
                     <constant name='w' value='2'/><custom_distribution name='d' randomStart='true'/>";
    assert!(read_as("t.tapn", &components(constants, &[net])).is_ok());
    assert_eq!(refused(constants, &[&net.replace("weight='w'", "weight='all'")]), "pnml::weight");
}

/// A shared transition gets no new number, whatever its tool specific part contains.
#[test]
fn operators_on_shared_transitions_do_not_panic() {
    let operator = "<toolspecific tool='WoPeD'><operator id='t' type='104'/></toolspecific>";
    let net = format!("<place id='p'/><transition id='t'>{operator}</transition><arc source='t' target='p'/>");
    assert!(read_as("t.tapn", &components("<shared-transition name='t'/>", &[&net])).is_ok());
}

/// TAPAAL uses the tokens of `shared-place`, whatever its components say.
#[test]
fn tokens_of_shared_places_are_those_of_the_shared_place() {
    let text = components(
        "<shared-place name='s' initialMarking='5' invariant='&lt; inf'/>",
        &["<place id='x' name='s' initialMarking='2'/>", "<place id='s' initialMarking='5'/>"],
    );
    let said = told(&read_as("t.tapn", &text).unwrap());
    assert_eq!(said.lines().next(), Some("place s: 5"));
    assert_eq!(said.matches("another initial marking").count(), 1, "{said}");
}

/// Queries with equal names, without names, and after a query that is not read.
#[test]
fn queries_have_ids_of_their_own() {
    let query = |name: &str, formula: &str| format!("<query active='true' {name}><formula>{formula}</formula></query>");
    let deadlock = "<exists-path><finally><deadlock/></finally></exists-path>";
    let product = "<exists-path><finally><integer-le><integer-product/></integer-le></finally></exists-path>";
    let unknown =
        "<exists-path><finally><is-fireable><transition>C0.x</transition></is-fireable></finally></exists-path>";
    let text = components("", &["<place id='p'/><transition id='t'/><arc id='a' source='p' target='t'/>"]).replace(
        "</pnml>",
        &format!(
            "{}{}{}{}{}{}</pnml>",
            query("name='no way'", deadlock),
            query("name='bad'", product),
            query("name='worse'", unknown),
            query("name='no way'", deadlock),
            query("", deadlock),
            query("name='off'", deadlock).replace("true", "false"),
        ),
    );
    let said = told(&read_as("t.tapn", &text).unwrap());
    let asked: Vec<&str> = said.lines().filter(|l| l.starts_with("asks")).collect();
    assert_eq!(asked, ["asks no_way Exists", "asks no_way-2 Exists", "asks query Exists"]);
    assert_eq!(said.matches("[pnml::not-read]").count(), 3, "{said}");
}
