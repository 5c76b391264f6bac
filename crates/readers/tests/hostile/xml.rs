//! Tests of hostile PNML, properties and LoLA files: each is read exactly or refused with a code, within a
//! second and 256 MB, and never causes a panic.

use crate::bpmn::bpmn;
use crate::{ALLOCATOR, ALONE, MEMORY, SECONDS, cpu_seconds};
use impasse_readers::{Error, Limits, Source, codes, read, read_goals};
use std::io::Write;

/// A test case: its name, the code of the error (empty if the file is read), and a function that generates it.
pub(crate) type Case = (&'static str, &'static str, Box<dyn Fn() -> String>);

pub(crate) fn case(name: &'static str, code: &'static str, make: impl Fn() -> String + 'static) -> Case {
    (name, code, Box::new(make))
}

fn net(nodes: &str) -> String {
    format!("<pnml><net id='n' type='ptnet'><page id='g'>{nodes}</page></net></pnml>")
}

pub(crate) fn joined(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect()
}

fn marked(number: &str) -> String {
    let label = |name: &str| format!("<{name}><text>{number}</text></{name}>");
    net(&format!(
        "<place id='p'>{}</place><transition id='t'/><arc id='a' source='p' target='t'>{}</arc>",
        label("initialMarking"),
        label("inscription")
    ))
}

fn pnml() -> Vec<Case> {
    vec![
        case("laughs.pnml", "xml::doctype", || {
            let entity = |i| format!("<!ENTITY l{} \"&l{i};&l{i};&l{i};&l{i};&l{i};&l{i};&l{i};&l{i};\">", i + 1);
            format!("<!DOCTYPE pnml [<!ENTITY l0 \"ha\">{}]><pnml>&l99;</pnml>", joined(99, entity))
        }),
        case("external.pnml", "xml::doctype", || "<!DOCTYPE pnml SYSTEM \"file:///etc/passwd\"><pnml/>".to_owned()),
        case("open_doctype.pnml", "xml::syntax", || {
            format!("<!DOCTYPE pnml [{}", "<!ENTITY a \"b\">".repeat(1_000_000))
        }),
        case("many_entities.pnml", "xml::entity", || net(&"&lol;".repeat(1_000_000))),
        case("pages.pnml", "limit::nesting", || net(&"<page>".repeat(200_000))),
        case("closed_pages.pnml", "limit::nesting", || {
            net(&format!("{}{}", "<page>".repeat(200_000), "</page>".repeat(200_000)))
        }),
        case("flat_pages.pnml", "", || net(&"<page/>".repeat(1_000_000))),
        case("deep_names.pnml", "limit::nesting", || net(&format!("<name>{}", "<a>".repeat(1_000_000)))),
        case("many_names.pnml", "", || net(&format!("<name>{}</name>", "<a/>".repeat(4_000_000)))),
        case("many_attributes.pnml", "xml::syntax", || {
            net(&format!("<place {}/>", joined(200_000, |i| format!("a{i}='' "))))
        }),
        case("long_id.pnml", "limit::name", || net(&format!("<place id='{}'/>", "x".repeat(2_000_000)))),
        case("long_element.pnml", "pnml::unsupported", || net(&format!("<{}/>", "x".repeat(2_000_000)))),
        case("long_text.pnml", "xml::content", || net(&"x".repeat(10_000_000))),
        case("many_comments.pnml", "", || net(&"<!---->".repeat(2_000_000))),
        case("2_31.pnml", "", || marked("2147483648")),
        case("2_64.pnml", "", || marked("18446744073709551616")),
        case("5000_digits.pnml", "", || marked(&"7".repeat(5000))),
        case("million_digits.pnml", "limit::digits", || marked(&"7".repeat(1_000_000))),
        case("many_long_numbers.pnml", "", || {
            let number = "1234567890".repeat(1000);
            let place = |i| format!("<place id='p{i}'><initialMarking><text>{number}</text></initialMarking></place>");
            net(&joined(1000, place))
        }),
        case("million_places.pnml", "limit::places", || net(&joined(1_048_577, |i| format!("<place id='{i}'/>")))),
        case("unknown_nodes.pnml", "pnml::unknown-node", || {
            net(&joined(200_000, |i| format!("<place id='p{i}'/><arc source='p{i}' target='t'/>")))
        }),
        case("chain.pnml", "", || {
            let reference = |i| format!("<referencePlace id='r{i}' ref='r{}'/>", i + 1);
            net(&format!("{}<place id='r200000'/>", joined(200_000, reference)))
        }),
        case("round.pnml", "pnml::reference", || {
            net(&joined(200_000, |i| format!("<referencePlace id='r{i}' ref='r{}'/>", (i + 1) % 200_000)))
        }),
        case("many_arcs.pnml", "", || {
            let arc = "<arc source='p' target='t'/>".repeat(500_000);
            net(&format!("<place id='p'/><transition id='t'/>{arc}"))
        }),
    ]
}

/// A coloured net with these nodes.
fn coloured(declared: &str, nodes: &str) -> String {
    format!(
        "<pnml><net id='n' type='symmetricnet'><declaration><structure><declarations>{declared}</declarations>\
         </structure></declaration>{nodes}</net></pnml>"
    )
}

const RANGE: &str = "<finiteintrange start='0' end='9999'/>";

fn variables(count: usize) -> String {
    joined(count, |i| format!("<variabledecl id='v{i}'>{RANGE}</variabledecl>"))
}

/// A transition that takes all colours of a sort, or all but one, from a place that may hold some of them.
fn takes_all(sort: &str, held: &str) -> String {
    let label = |name: &str, term: &str| format!("<{name}><structure>{term}</structure></{name}>");
    let marking = if held.is_empty() { String::new() } else { label("hlinitialMarking", held) };
    let all = format!("<all>{sort}</all>");
    let term = match held {
        "" => all,
        _ => format!("<subtract><subterm>{all}</subterm><subterm><variable refvariable='v0'/></subterm></subtract>"),
    };
    let arc = label("hlinscription", &term);
    format!(
        "<place id='p'>{}{marking}</place><transition id='t'/><arc source='p' target='t'>{arc}</arc>",
        label("type", sort)
    )
}

fn colours() -> Vec<Case> {
    let condition =
        |term: String| format!("<transition id='t'><condition><structure>{term}</structure></condition></transition>");
    let place = |sort: &str, term: &str| {
        format!(
            "<place id='p'><type><structure>{sort}</structure></type><hlinitialMarking><structure>{term}</structure>\
             </hlinitialMarking></place>"
        )
    };
    let product = || format!("<productsort>{RANGE}{RANGE}</productsort>");
    vec![
        case("all_pairs.pnml", "limit::places", move || {
            coloured("", &place(&product(), &format!("<all>{}</all>", product())))
        }),
        case("free_variables.pnml", "limit::transitions", move || {
            coloured(
                &variables(5),
                &condition(format!(
                    "<and>{}</and>",
                    joined(4, |i| {
                        format!(
                            "<inequality><variable refvariable='v{i}'/><variable refvariable='v{}'/></inequality>",
                            i + 1
                        )
                    })
                )),
            )
        }),
        case("unsatisfiable.pnml", "limit::unfolding", move || {
            coloured(
                &variables(5),
                &condition(format!(
                    "<and>{}</and>",
                    joined(5, |i| {
                        format!(
                            "<lessthan><variable refvariable='v{i}'/><variable refvariable='v{}'/></lessthan>",
                            (i + 1) % 5
                        )
                    })
                )),
            )
        }),
        case("equal_variables.pnml", "", move || {
            coloured(
                &variables(301),
                &condition(format!(
                    "<and>{}</and>",
                    joined(300, |i| {
                        format!(
                            "<equality><variable refvariable='v{i}'/><variable refvariable='v{}'/></equality>",
                            i + 1
                        )
                    })
                )),
            )
        }),
        case("deep_terms.pnml", "limit::nesting", move || {
            coloured("", &place("<dot/>", &"<add><subterm>".repeat(100_000)))
        }),
        case("wide_terms.pnml", "", move || {
            coloured(
                "",
                &place("<dot/>", &format!("<add>{}</add>", "<subterm><dotconstant/></subterm>".repeat(500_000))),
            )
        }),
        case("wide_conditions.pnml", "limit::unfolding", move || {
            let test = "<equality><variable refvariable='v0'/><variable refvariable='v1'/></equality>";
            coloured(&variables(2), &condition(format!("<or>{}</or>", test.repeat(300))))
        }),
        case("many_terms.pnml", "limit::tokens", move || coloured("", &condition("<and/>".repeat(4_000_000)))),
        // Bindings that each take all colours of a large sort, of which few are ever there, or all.
        case("takes_all.pnml", "", move || coloured("", &takes_all(&product(), ""))),
        case("takes_rest.pnml", "limit::arcs", move || {
            coloured(&variables(1), &takes_all(RANGE, &format!("<all>{RANGE}</all>")))
        }),
        case("sort_chain.pnml", "", || {
            let next = |i| format!("<namedsort id='s{i}'><usersort declaration='s{}'/></namedsort>", i + 1);
            coloured(&format!("{}<namedsort id='s200000'><dot/></namedsort>", joined(200_000, next)), "")
        }),
        case("sort_circle.pnml", "pnml::sort", || {
            let next = |i| format!("<namedsort id='s{i}'><usersort declaration='s{}'/></namedsort>", (i + 1) % 200_000);
            coloured(&joined(200_000, next), "")
        }),
        case("sort_powers.pnml", "pnml::sort", || {
            let next = |i| {
                let factor = format!("<usersort declaration='s{i}'/>");
                format!("<namedsort id='s{}'><productsort>{factor}{factor}</productsort></namedsort>", i + 1)
            };
            coloured(&format!("<namedsort id='s0'><dot/></namedsort>{}", joined(100, next)), "")
        }),
        case("wide_sorts.pnml", "limit::tokens", || {
            let wide = format!("<namedsort id='s'><productsort>{}</productsort></namedsort>", "<dot/>".repeat(100));
            let same = |i| format!("<namedsort id='s{i}'><usersort declaration='s'/></namedsort>");
            coloured(&format!("{wide}{}", joined(400_000, same)), "")
        }),
        case("million_constants.pnml", "limit::places", || {
            let constants = joined(600_000, |i| format!("<feconstant id='c{i}'/>"));
            let sort = format!("<namedsort id='s'><cyclicenumeration>{constants}</cyclicenumeration></namedsort>");
            let user = "<usersort declaration='s'/>";
            let place = format!(
                "<place id='p'><type><structure>{user}</structure></type><hlinitialMarking><structure>\
                <all>{user}</all></structure></hlinitialMarking></place>"
            );
            coloured(&sort, &place)
        }),
    ]
}

fn asked(phi: &str) -> String {
    let formula = format!("<exists-path><finally>{phi}</finally></exists-path>");
    format!("<property-set><property><id>x</id><formula>{formula}</formula></property></property-set>")
}

fn goals() -> Vec<Case> {
    vec![
        case("deep.xml", "limit::nesting", || asked(&"<negation>".repeat(1_000_000))),
        case("wide.xml", "", || asked(&format!("<conjunction>{}</conjunction>", "<deadlock/>".repeat(500_000)))),
        case("too_wide.xml", "limit::formula", || {
            asked(&format!("<conjunction>{}</conjunction>", "<true/>".repeat(2_500_000)))
        }),
        case("expands.xml", "limit::formula", || {
            let some = "<conjunction><true/><deadlock/></conjunction>";
            let formula = format!("<exists-path><finally>{some}</finally></exists-path>");
            let property = |i| format!("<property><id>{i}</id><formula>{formula}</formula></property>");
            format!("<property-set>{}</property-set>", joined(2000, property))
        }),
        case("xors.xml", "", || {
            let least = "<integer-le><integer-constant>1</integer-constant>\
                         <tokens-count><place>p0</place></tokens-count></integer-le>";
            let open = format!("<exclusive-disjunction>{least}").repeat(150);
            asked(&format!(
                "{open}<is-fireable><transition>t0</transition></is-fireable>{}",
                "</exclusive-disjunction>".repeat(150)
            ))
        }),
        case("many_tokens.xml", "", || {
            let count = format!("<tokens-count>{}</tokens-count>", "<place>p1</place>".repeat(500_000));
            asked(&format!("<integer-le>{count}<integer-constant>7</integer-constant></integer-le>"))
        }),
        case("5000_digits.xml", "", || {
            let count = "<tokens-count><place>p1</place></tokens-count>";
            asked(&format!("<integer-le><integer-constant>{}</integer-constant>{count}</integer-le>", "7".repeat(5000)))
        }),
        case("entities.xml", "xml::doctype", || format!("<!DOCTYPE a [<!ENTITY b 'c'>]>{}", asked("&b;"))),
        case("brackets.formula", "limit::nesting", || format!("EF {}", "(".repeat(1_000_000))),
        case("nots.formula", "", || format!("EF {} p0 >= 1", "NOT ".repeat(1_000_000))),
        case("signs.formula", "", || format!("EF {} p0 >= 1", "- ".repeat(1_000_000))),
        case("terms.formula", "", || format!("EF {} p0 >= 1", "p1 + ".repeat(500_000))),
        case("products.formula", "lola::operands", || {
            format!("EF {} p0 >= 1", "99999999999999999999 * ".repeat(1_000_000))
        }),
        case("atoms.formula", "", || format!("EF {} p0 >= 1", "p1 >= 1 AND ".repeat(300_000))),
        case("implications.formula", "", || format!("EF {} p0 >= 1", "p1 >= 1 -> ".repeat(200_000))),
        case("million_atoms.formula", "limit::formula", || format!("EF {} p0 >= 1", "p1 >= 1 OR ".repeat(2_500_000))),
        case("long_word.formula", "lola::unknown-name", || format!("EF {} >= 1", "p".repeat(10_000_000))),
    ]
}

fn lola() -> Vec<Case> {
    vec![
        case("open_comment.lola", "lola::syntax", || format!("PLACE a; {}", "{ ".repeat(5_000_000))),
        case("many_comments.lola", "", || format!("PLACE a; {} MARKING ;", "{}".repeat(5_000_000))),
        case("open_quote.lola", "lola::syntax", || format!("PLACE \"{}", "a".repeat(5_000_000))),
        case("long_name.lola", "limit::name", || format!("PLACE {}", "a".repeat(5_000_000))),
        case("2_64.lola", "", || "PLACE a; MARKING a: 18446744073709551616;".to_owned()),
        case("5000_digits.lola", "", || format!("PLACE a; MARKING a: {};", "7".repeat(5000))),
        case("million_digits.lola", "limit::digits", || format!("PLACE a; MARKING a: {};", "7".repeat(1_000_000))),
        case("many_arcs.lola", "limit::arcs", || {
            let list = joined(1000, |i| format!("p{i},"));
            let transition = |i| format!("TRANSITION t{i} CONSUME {list} q; PRODUCE ;");
            format!("PLACE {list} q; MARKING ; {}", joined(4200, transition))
        }),
    ]
}

#[test]
fn hostile_nets_and_goals_are_read_or_refused() {
    let _alone = ALONE.lock();
    let limits = Limits::default();
    let nodes = |i| format!("<place id='p{i}'/><transition id='t{i}'/><arc source='p{i}' target='t{i}'/>");
    let model = Source { name: "net.pnml".to_owned(), bytes: net(&joined(1000, nodes)).into_bytes() };
    let problem = read(model, None, &limits).unwrap().problem;
    let cases: Vec<Case> = pnml().into_iter().chain(colours()).chain(goals()).chain(lola()).chain(bpmn()).collect();
    let (mut report, mut wrong) = (String::new(), Vec::new());
    for (name, code, make) in &cases {
        let source = Source { name: (*name).to_owned(), bytes: make().into_bytes() };
        // An allocation beyond the limit aborts the test, so the name of each case is printed first.
        std::io::stderr().write_all(format!("{name}\n").as_bytes()).unwrap();
        ALLOCATOR.set_limit(MEMORY).unwrap();
        let before = cpu_seconds();
        let result: Result<(), Box<Error>> = if name.ends_with(".xml") || name.ends_with(".formula") {
            read_goals(source, None, &mut problem.clone(), &limits).map(drop)
        } else {
            read(source, None, &limits).map(drop)
        };
        let seconds = cpu_seconds() - before;
        ALLOCATOR.set_limit(usize::MAX).unwrap();
        report.push_str(&format!("{name}: {seconds:.2} s\n"));
        let found = result.err().map_or("", |e| e.code());
        assert!(found.is_empty() || codes::find(found).is_some(), "{name}: {found}");
        if found != *code || seconds > SECONDS {
            wrong.push(format!("{name}: {seconds:.2} s, `{found}`, expected `{code}`"));
        }
    }
    // Shown with `--nocapture`.
    std::io::stderr().write_all(report.as_bytes()).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
