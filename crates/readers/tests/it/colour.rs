//! Tests of coloured nets: what each construct means, what is refused, and what the names stand for in questions.

use crate::pnml::{net, refused, written};
use crate::read_as;
use impasse_readers::{Error, Limits, Source, read, read_goals};
use model::{Effect, Goal, Net, Problem};
use testkit::coloured::text::{all, constant, file, label, op, place, sort, times, transition, var};
use testkit::formula::holds;

fn coloured(nodes: &[String]) -> Net {
    let text = file(&nodes.concat());
    let read = read_as("t.pnml", &text).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column()));
    net(&read.problem).clone()
}

/// Returns the places with their tokens and the transitions with what they take and change.
pub(crate) fn shape(net: &Net) -> Vec<String> {
    let places = net.places().iter().map(|place| format!("{} {}", place.name, place.initial.at_least));
    let transition = |t: &model::Transition| {
        let takes = t.guards.iter().map(|g| format!(" {}>={}", net.place(g.place).name, g.range.at_least));
        let change = |e: &Effect| format!(" {}{:+}", net.place(e.place).name, e.delta().expect("a plain arc"));
        format!("{}:{}{}", t.name, takes.collect::<String>(), t.effects.iter().map(change).collect::<String>())
    };
    places.chain(net.transitions().iter().map(transition)).collect()
}

#[test]
fn colours_become_places_and_bindings_transitions() {
    let net = coloured(&[
        place("p", &sort("s"), &op("add", &[&times(2, &constant("a")), &constant("b")])),
        place("q", &sort("sf"), ""),
        place("never", &sort("s"), ""),
        transition(
            "t",
            "",
            &[("p", &var("x"))],
            &[("q", &times(3, &op("tuple", &[&op("successor", &[&var("x")]), &all("f")])))],
        ),
        transition("stuck", "", &[("never", &var("x"))], &[("p", &var("x"))]),
    ]);
    let expected = [
        "p(a) 2",
        "p(b) 1",
        "q(b,u) 0",
        "q(b,v) 0",
        "q(c,u) 0",
        "q(c,v) 0",
        "t(x=a): p(a)>=1 p(a)-1 q(b,u)+3 q(b,v)+3",
        "t(x=b): p(b)>=1 p(b)-1 q(c,u)+3 q(c,v)+3",
    ];
    assert_eq!(shape(&net), expected);
    assert_eq!(net.shown_place(model::PlaceId(2)), "q(B,u)");
    assert_eq!(net.shown_transition(model::TransitionId(0)), "t(X=A)");
    let members = |name: &str| net.place_names().get(name).map(|named| named.members().len());
    assert_eq!((members("q"), members("never"), members("nothing")), (Some(4), Some(0), None));
    assert!(net.transition_names().get("stuck").expect("it is in the file").members().is_empty());
    // The place/transition net is written without colours.
    let text = written(&crate::pnml::problem(net.clone()), "pnml").unwrap();
    assert_eq!(shape(crate::pnml::net(&read_as("t.pnml", &text).unwrap().problem)), shape(&net));
}

/// Returns the bindings of a transition with this condition that takes the variables from full places.
fn bindings(condition: &str, variables: &[(&str, &str)]) -> Vec<String> {
    let places = variables.iter().map(|(var, sort)| place(&format!("of_{var}"), &self::sort(sort), &all(sort)));
    let names: Vec<String> = variables.iter().map(|(name, _)| format!("of_{name}")).collect();
    let terms: Vec<String> = variables.iter().map(|(name, _)| var(name)).collect();
    let takes: Vec<(&str, &str)> = names.iter().zip(&terms).map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let nodes: Vec<String> = places.chain([transition("t", condition, &takes, &[])]).collect();
    let with_arcs: Vec<String> = coloured(&nodes).transitions().iter().map(|t| t.name.clone()).collect();
    // Without arcs the variables of the condition take all values.
    let without = coloured(&[transition("t", condition, &[], &[])]);
    let without: Vec<String> = without.transitions().iter().map(|t| t.name.clone()).collect();
    assert_eq!(without, with_arcs, "{condition}");
    with_arcs
}

#[test]
fn conditions_choose_bindings() {
    let (x, y, b) = (var("x"), var("y"), constant("b"));
    let cases = [
        (op("equality", &[&x, &b]), "b"),
        (op("inequality", &[&x, &b]), "a c"),
        (op("lessthan", &[&x, &b]), "a"),
        (op("lessthanorequal", &[&x, &b]), "a b"),
        (op("greaterthan", &[&x, &b]), "c"),
        (op("greaterthanorequal", &[&x, &b]), "b c"),
        (op("not", &[&op("equality", &[&x, &b])]), "a c"),
        (op("or", &[&op("equality", &[&x, &b]), &op("lessthan", &[&x, &b])]), "a b"),
        (op("and", &[&op("lessthanorequal", &[&x, &b]), &op("inequality", &[&x, &b])]), "a"),
        (op("imply", &[&op("lessthanorequal", &[&x, &b]), &op("equality", &[&x, &b])]), "b c"),
        (op("equality", &[&op("successor", &[&x]), &op("predecessor", &[&constant("c")])]), "a"),
        (op("equality", &[&op("partitionelementof", &[&x]), &op("partitionelementof", &[&b])]), "b"),
        (op("ltp", &[&op("partitionelementof", &[&x]), &op("partitionelementof", &[&b])]), "a c"),
        (op("gtp", &[&op("partitionelementof", &[&x]), &op("partitionelementof", &[&b])]), ""),
    ];
    for (condition, expected) in cases {
        let condition = condition.replace("<partitionelementof>", "<partitionelementof refpartition='p'>");
        let expected: Vec<String> = expected.split_whitespace().map(|value| format!("t(x={value})")).collect();
        assert_eq!(bindings(&condition, &[("x", "s")]), expected, "{condition}");
    }
    let next = op("equality", &[&y, &op("successor", &[&x])]);
    assert_eq!(bindings(&next, &[("x", "s"), ("y", "s")]), ["t(x=a,y=b)", "t(x=b,y=c)", "t(x=c,y=a)"]);
    let both = op("and", &[&next, &op("equality", &[&x, &op("successor", &[&op("successor", &[&y])])])]);
    assert_eq!(bindings(&both, &[("x", "s"), ("y", "s")]).len(), 3);
    let value = "<finiteintrangeconstant value='4'><finiteintrange start='3' end='5'/></finiteintrangeconstant>";
    assert_eq!(bindings(&op("greaterthan", &[&var("n"), value]), &[("n", "i")]), ["t(n=5)"]);
    let pair = op("tuple", &[&x, &var("z")]);
    let tuples = op("equality", &[&pair, &op("tuple", &[&b, &constant("v")])]);
    assert_eq!(bindings(&tuples, &[("x", "s"), ("z", "f")]), ["t(x=b,z=v)"]);
    let unequal = op("inequality", &[&pair, &op("tuple", &[&b, &constant("v")])]);
    assert_eq!(bindings(&unequal, &[("x", "s"), ("z", "f")]).len(), 5);
    assert_eq!(bindings("<and/>", &[]), ["t"]);
    assert!(bindings("<or/>", &[]).is_empty());
    assert_eq!(bindings(&op("not", &["<booleanconstant value='false'/>"]), &[]), ["t"]);
}

#[test]
fn products_booleans_and_black_tokens() {
    let t = var("t");
    let net = coloured(&[
        place("p", &sort("sf"), &op("tuple", &[&constant("c"), &constant("u")])),
        place("q", &op("productsort", &["<bool/>", "<dot/>"]).replace("<subterm>", "").replace("</subterm>", ""), ""),
        "<place id='d'><type><structure><dot/></structure></type>\
         <initialMarking><text>2</text></initialMarking></place>"
            .to_owned(),
        "<place id='e'><type><structure><usersort declaration='dot'/></structure></type></place>".to_owned(),
        transition(
            "take",
            "",
            &[("p", &var("w")), ("d", &times(2, "<dotconstant/>"))],
            &[("q", &op("tuple", &["<booleanconstant value='true'/>", "<dotconstant/>"]))],
        ),
        transition("back", &t, &[("q", &op("tuple", &[&t, "<dotconstant/>"]))], &[]),
        "<arc id='k' source='back' target='d'><inscription><text>2</text></inscription></arc>
         <arc id='l' source='back' target='r'/><referencePlace id='r' ref='e'/>"
            .to_owned(),
    ]);
    let expected = [
        "p(c,u) 1",
        "q(true,dot) 0",
        "d 2",
        "e 0",
        "take(w.1=c,w.2=u): p(c,u)>=1 d>=2 p(c,u)-1 q(true,dot)+1 d-2",
        "back(t=true): q(true,dot)>=1 q(true,dot)-1 d+2 e+1",
    ];
    assert_eq!(shape(&net), expected);
}

#[test]
fn differences_take_what_is_left() {
    let rest = op("subtract", &[&all("s"), &var("x")]);
    let net = coloured(&[
        place("p", &sort("s"), &all("s")),
        place("q", &sort("s"), ""),
        transition("t", "", &[("p", &rest)], &[("q", &var("x"))]),
    ]);
    assert_eq!(net.transitions().len(), 3);
    assert_eq!(shape(&net)[6], "t(x=a): p(b)>=1 p(c)>=1 p(b)-1 p(c)-1 q(a)+1");
    // A transition with a difference that is never defined does not matter if it never fires.
    let bad = op("subtract", &[&var("x"), &constant("a")]);
    let nodes = |marking: &str| {
        let (p, q) = (place("p", &sort("s"), marking), place("q", &sort("s"), ""));
        file(&[p, q, transition("t", "", &[("p", &var("x"))], &[("q", &bad)])].concat())
    };
    assert_eq!(refused(&nodes(&constant("b"))), "pnml::negative");
    assert!(read_as("t.pnml", &nodes(&constant("a"))).is_ok());
}

#[test]
fn what_is_not_supported_is_refused() {
    let marked = |term: &str| file(&place("p", &sort("s"), term));
    let guarded = |term: &str| file(&transition("t", term, &[], &[]));
    let x = var("x");
    let cases = [
        (file(&place("p", "<string/>", "")), "pnml::sort"),
        (file("<place id='p'/>"), "pnml::sort"),
        (file(&place("p", &sort("nothing"), "")), "pnml::undeclared"),
        (file(&place("p", "<finiteintrange start='2' end='1'/>", "")), "pnml::sort"),
        (file(&place("p", "<finiteintrange start='0' end='99999999999'/>", "")), "pnml::sort"),
        (file(&place("p", "<dot/><dot/>", "")), "pnml::sort"),
        (marked(&constant("nothing")), "pnml::undeclared"),
        (marked(&constant("u")), "pnml::term"),
        (marked("<dotconstant/>"), "pnml::term"),
        (marked("<numberconstant value='1'/>"), "pnml::term"),
        (marked(&times(-1, &constant("a"))), "pnml::term"),
        (marked(&op("cardinality", &[&constant("a")])), "pnml::term"),
        (marked(&op("tuple", &[&times(2, &constant("a"))])), "pnml::term"),
        (marked(&op("tuple", &[&op("empty", &[])])), "pnml::term"),
        (marked(&op("subtract", &[&constant("a"), &constant("b")])), "pnml::negative"),
        (marked(&op("equality", &[&constant("a"), &constant("b")])), "pnml::term"),
        (marked("<all/>"), "pnml::term"),
        (marked(&format!("{}{}", constant("a"), constant("b"))), "pnml::term"),
        (marked("<useroperator declaration='a' colour='red'/>"), "pnml::attribute"),
        (marked("<useroperator/>"), "xml::missing-attribute"),
        (marked("a"), "xml::content"),
        (marked(&x), "pnml::term"),
        (
            file(&format!("<place id='p'>{}{}</place>", label("type", &sort("s")), label("hlinitialMarking", ""))),
            "pnml::term",
        ),
        (guarded(&op("equality", &[&x, &var("z")])), "pnml::term"),
        (guarded(&op("equality", &[&x, &var("none")])), "pnml::undeclared"),
        (guarded(&op("equality", &[&x])), "pnml::term"),
        (guarded(&op("equality", &[&x, &constant("p1")])), "pnml::term"),
        (guarded(&op("equality", &[&part(&x), &constant("a")])), "pnml::term"),
        (guarded(&op("not", &[&x])), "pnml::term"),
        (guarded(&x), "pnml::term"),
        (guarded(&op("equality", &[&op("successor", &[&var("z")]), &var("z")])), "pnml::term"),
        (guarded(&op("lessthan", &[&var("w"), &var("w")])), "pnml::term"),
        (
            guarded("<finiteintrangeconstant value='9'><finiteintrange start='3' end='5'/></finiteintrangeconstant>"),
            "pnml::term",
        ),
        (
            file(&format!("{}<transition id='t'/><arc id='k' source='p' target='t'/>", place("p", &sort("s"), ""))),
            "pnml::term",
        ),
        (
            file(&format!(
                "{}<transition id='t'/><arc id='k' source='p' target='t'><type value='inhibitor'/>{}</arc>",
                place("p", &sort("s"), ""),
                label("hlinscription", &x)
            )),
            "pnml::arc-type",
        ),
        (
            file(
                "<place id='p'><type><structure><usersort declaration='s'/></structure></type><initialMarking><text>1\
                 </text></initialMarking></place>",
            ),
            "pnml::colours",
        ),
        (
            file(
                "<place id='p'><type><structure><dot/></structure></type><type><structure><dot/></structure></type>\
                  </place>",
            ),
            "pnml::unsupported",
        ),
    ];
    for (text, code) in cases {
        assert_eq!(refused(&text), code, "{text}");
    }
    let declared = |declaration: &str| file("").replace("<declarations>", &format!("<declarations>{declaration}"));
    let cases = [
        ("<namedsort id='k'><usersort declaration='l'/></namedsort>", "pnml::undeclared"),
        ("<namedsort id='k'><usersort declaration='k'/></namedsort>", "pnml::sort"),
        ("<namedsort id='s'><dot/></namedsort>", "pnml::duplicate-id"),
        ("<namedsort id='k'/>", "pnml::sort"),
        ("<namedsort id='k'><finiteenumeration/></namedsort>", "pnml::sort"),
        ("<namedsort id='k'><productsort/></namedsort>", "pnml::sort"),
        (
            "<namedsort id='k'><finiteenumeration><feconstant id='a'/></finiteenumeration></namedsort>",
            "pnml::duplicate-id",
        ),
        ("<namedoperator id='k'/>", "pnml::sort"),
        ("<variabledecl id='x'><usersort declaration='s'/></variabledecl>", "pnml::duplicate-id"),
        (
            "<partition id='k'><usersort declaration='s'/><partitionelement id='l'><useroperator declaration='a'/>\
          </partitionelement></partition>",
            "pnml::sort",
        ),
    ];
    for (declaration, code) in cases {
        assert_eq!(refused(&declared(declaration)), code, "{declaration}");
    }
    let condition = "<transition id='t'><condition><text>x</text></condition></transition>";
    assert_eq!(crate::pnml::refused_nodes(condition), "pnml::term");
}

fn part(of: &str) -> String {
    format!("<partitionelementof refpartition='p'><subterm>{of}</subterm></partitionelementof>")
}

/// An element of a partition stands for all of its colours, also inside of a tuple. A contest net uses such constants.
#[test]
fn elements_of_partitions_are_constants() {
    let (pair, x) = (sort("sf"), var("x"));
    let net = coloured(&[
        place("one", &sort("s"), &constant("p1")),
        place("two", &pair, &op("tuple", &[&constant("p1"), &op("add", &[&constant("u"), &constant("v")])])),
        transition("t", &op("equality", &[&part(&x), &constant("p2")]), &[], &[("one", &x)]),
        transition("k", &op("inequality", &[&constant("p2"), &part(&x)]), &[("one", &x)], &[]),
    ]);
    let expected = [
        "one(a) 1",
        "one(b) 0",
        "one(c) 1",
        "two(a,u) 1",
        "two(a,v) 1",
        "two(c,u) 1",
        "two(c,v) 1",
        "t(x=b): one(b)+1",
        "k(x=a): one(a)>=1 one(a)-1",
        "k(x=c): one(c)>=1 one(c)-1",
    ];
    assert_eq!(shape(&net), expected);
}

/// TAPAAL gives a net with colours the type of nets without, and the black token the name of its sort. Integers of a
/// range have successors there.
#[test]
fn colours_are_found_whatever_the_type() {
    let (x, dot) = (var("n"), "<useroperator declaration='dot'/>");
    let nodes = [
        place(
            "p",
            &sort("i"),
            "<finiteintrangeconstant value='5'><finiteintrange start='3' end='5'/></finiteintrangeconstant>",
        ),
        place("q", &sort("dot"), &times(2, dot)),
        "<place id='black'><initialMarking><text>3</text></initialMarking></place>".to_owned(),
        transition("t", "", &[("p", &x), ("q", dot), ("black", dot)], &[("p", &op("successor", &[&x]))]),
    ];
    let text = file(&nodes.concat()).replace("symmetricnet", "ptnet");
    let expected = [
        "p(3) 0",
        "p(4) 0",
        "p(5) 1",
        "q 2",
        "black 3",
        "t(n=3): p(3)>=1 q>=1 black>=1 p(3)-1 p(4)+1 q-1 black-1",
        "t(n=4): p(4)>=1 q>=1 black>=1 p(4)-1 p(5)+1 q-1 black-1",
        "t(n=5): p(5)>=1 q>=1 black>=1 p(3)+1 p(5)-1 q-1 black-1",
    ];
    assert_eq!(shape(net(&read_as("t.pnml", &text).unwrap().problem)), expected);
}

#[test]
fn names_stay_apart() {
    let odd = "<declaration><structure><declarations><namedsort id='k'><finiteenumeration><feconstant id='a,b'/>
        <feconstant id='a'/></finiteenumeration></namedsort></declarations></structure></declaration>";
    let nodes = [place("p", "<usersort declaration='k'/>", "<all><usersort declaration='k'/></all>")];
    let black = place("p(#1)", "<dot/>", "").replace("</type>", "</type><name><text>p(a)</text></name>");
    let text = format!(
        "<pnml><net id='n' type='symmetricnet'>{odd}{}{black}<transition id='t'/>
        <arc id='k' source='t' target='p(#1)'/></net></pnml>",
        nodes.concat()
    );
    let read = read_as("t.pnml", &text).unwrap();
    let net = net(&read.problem);
    assert_eq!(shape(net), ["p(#1)_ 1", "p(a) 1", "p(#1) 0", "t: p(#1)+1"]);
    assert_eq!(net.place_names().get("p").map(|named| named.members().len()), Some(2));
    assert_eq!(net.place_names().get("p(#1)"), Some(model::Named::One(model::PlaceId(2))));
}

#[test]
fn huge_sorts_cost_what_their_tokens_cost() {
    let range = "<finiteintrange start='0' end='9999'/>";
    let product = format!("<productsort>{range}{range}{range}</productsort>");
    let one = |n: u32| format!("<finiteintrangeconstant value='{n}'>{range}</finiteintrangeconstant>");
    let tuple = op("tuple", &[&one(1), &one(2), &one(3)]);
    let net = coloured(&[place("p", &product, &tuple)]);
    assert_eq!(shape(&net), ["p(1,2,3) 1"]);
    let every = format!("<all>{product}</all>");
    assert_eq!(refused(&file(&place("p", &product, &every))), "limit::places");
    let wide = format!("<productsort>{}</productsort>", range.repeat(20));
    assert_eq!(refused(&file(&place("p", &wide, ""))), "limit::unfolding");
}

/// A coloured net in which `q` may get any colour but one at a time, and `none` gets no token.
fn problem() -> Problem {
    let nodes = [
        place("p", &sort("s"), &all("s")),
        place("q", &sort("s"), ""),
        place("none", &sort("s"), ""),
        transition("t", "", &[("p", &var("x"))], &[("q", &var("x"))]),
        transition("dead", "", &[("none", &var("x"))], &[]),
    ];
    read_as("t.pnml", &file(&nodes.concat())).unwrap().problem
}

fn asked(problem: &mut Problem, formula: &str, limits: &Limits) -> Result<Vec<Error>, Box<Error>> {
    let source = Source { name: "t.formula".to_owned(), bytes: formula.as_bytes().to_vec() };
    read_goals(source, None, problem, limits)
}

#[test]
fn questions_name_coloured_nodes() {
    let markings = || (0..64u32).map(|i| [i % 2, i / 2 % 2, i / 4 % 2, i / 8 % 2, i / 16 % 2, i / 32]);
    let means = |text: &str, expected: &dyn Fn([u32; 6]) -> bool| {
        let mut problem = problem();
        asked(&mut problem, text, &Limits::default()).unwrap_or_else(|e| panic!("{e}"));
        let goal = problem.properties().last().expect("a property").goal;
        for marking in markings() {
            let found = holds(problem.formula(goal).expect("a formula"), &marking);
            assert_eq!(found, expected(marking), "{text} {marking:?}");
        }
    };
    let sum = |part: &[u32]| part.iter().sum::<u32>();
    means("EF q >= 2", &|m| sum(&m[3..]) >= 2);
    means("EF p < q", &|m| sum(&m[..3]) < sum(&m[3..]));
    means("EF 2 * q - p >= 1", &|m| 2 * sum(&m[3..]) > sum(&m[..3]));
    means("EF q * 2 >= 3", &|m| 2 * sum(&m[3..]) >= 3);
    means("EF 5 * none + q >= 1", &|m| sum(&m[3..]) >= 1);
    means("EF none * 3 = 0", &|_| true);
    means("EF none >= 1", &|_| false);
    means("EF \"q(b)\" >= 1", &|m| m[4] == 1);
    means("EF FIREABLE(t)", &|m| sum(&m[..3]) >= 1);
    means("EF FIREABLE(dead)", &|_| false);
    means("EF FIREABLE(dead, \"t(x=c)\")", &|m| m[2] == 1);
    let formula = "<exists-path><finally><conjunction><integer-le><integer-constant>2</integer-constant><tokens-count>\
        <place>q</place><place>none</place></tokens-count></integer-le><negation><is-fireable><transition>dead\
        </transition></is-fireable></negation><is-fireable><transition>t</transition></is-fireable></conjunction>\
        </finally></exists-path>";
    let text = format!("<property-set><property><id>k</id><formula>{formula}</formula></property></property-set>");
    let mut problem = problem();
    let source = Source { name: "t.xml".to_owned(), bytes: text.into_bytes() };
    read_goals(source, None, &mut problem, &Limits::default()).unwrap();
    let goal = problem.properties()[0].goal;
    assert!(matches!(goal, Goal::Formula(_)));
    for marking in markings() {
        let expected = sum(&marking[3..]) >= 2 && sum(&marking[..3]) >= 1;
        assert_eq!(holds(problem.formula(goal).unwrap(), &marking), expected, "{marking:?}");
    }
}

/// The limits bound what names of families stand for.
#[test]
fn names_of_families_count_their_members() {
    let limits = Limits { formula_nodes: 100, ..Limits::default() };
    let source = Source { name: "t.pnml".to_owned(), bytes: file(&place("p", &sort("s"), &all("s"))).into_bytes() };
    let mut problem = read(source, None, &limits).unwrap().problem;
    let error = asked(&mut problem, &format!("EF {} p >= 1", "p + ".repeat(40)), &limits).unwrap_err();
    assert_eq!(error.code(), "limit::formula");
}
