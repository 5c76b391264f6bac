//! Tests of TAPAAL's files: how components fit together, and what is refused. Whole files are in `dialects`.

use crate::dialects::told;
use crate::read_as;

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

/// Coloured nets: one error, at the first part that is about colours.
#[test]
fn colours_are_refused() {
    let declaration = "<declaration><structure><declarations><namedsort id='C' name='C'><cyclicenumeration>\
        <feconstant id='a' name='C'/></cyclicenumeration></namedsort></declarations></structure></declaration>";
    let place = "<place id='p' name='p'/>";
    let typed = "<pnml><net id='C' type='http://www.pnml.org/version-2009/grammar/symmetricnet'/></pnml>";
    for text in [components(declaration, &[place]), typed.to_owned()] {
        let error = read_as("t.tapn", &text).expect_err(&text);
        assert_eq!((error.code(), error.all().count()), ("pnml::colours", 1), "{text}");
        assert!(error.message().contains("colours") && error.line_column().is_some(), "{text}");
        assert_eq!(error.help_text(), Some("unfold the net in TAPAAL"), "{text}");
    }
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
