//! Codes of XML as such, of PNML files, and of contest properties. The examples of properties are about the net that
//! the right examples of PNML show: a place `p` and a transition `t`.

use super::codes;

/// A file with a net with these nodes.
macro_rules! net {
    ($nodes:literal) => {
        concat!("<pnml><net id=\"n\" type=\"ptnet\"><page id=\"g\">\n", $nodes, "\n</page></net></pnml>")
    };
}

/// A place, a transition, and an arc with this content.
macro_rules! arc {
    ($content:literal) => {
        concat!(
            "<pnml><net id=\"n\" type=\"ptnet\"><page id=\"g\">\n<place id=\"p\"/><transition id=\"t\"/>\n",
            "<arc id=\"a\" source=\"p\" target=\"t\">",
            $content,
            "</arc>\n</page></net></pnml>"
        )
    };
}

/// A file with one property.
macro_rules! property {
    ($formula:literal) => {
        concat!("<property-set><property><id>q</id><formula>\n", $formula, "\n</formula></property></property-set>")
    };
}

const GOOD: &str = net!(
    "<place id=\"p\"><initialMarking><text>1</text></initialMarking></place>\n<transition id=\"t\"/>\n<arc id=\"a\" source=\"p\" target=\"t\"/>"
);
const ASKED: &str = property!(
    "<exists-path><finally><integer-le><integer-constant>2</integer-constant><tokens-count><place>p</place></tokens-count></integer-le></finally></exists-path>"
);

codes! {
    XML_SYNTAX "xml::syntax" "This is not XML"
        "The text breaks off or breaks the rules of XML at this place: elements end in the order in which they began, and there is one element around everything."
        "<pnml><net id=\"n\" type=\"ptnet\"></pnml>", GOOD;
    XML_DOCTYPE "xml::doctype" "Document type definitions are refused"
        "A `<!DOCTYPE ...>` can make a small file mean a huge one, or one that depends on other files. Models do not need it."
        "<!DOCTYPE pnml [<!ENTITY a \"aaaa\">]>\n<pnml>&a;</pnml>", GOOD;
    XML_ENTITY "xml::entity" "An unknown entity"
        "Only &lt; &gt; &amp; &quot; &apos; are known, and characters by their numbers, such as &#38; or &#x26;."
        net!("<place id=\"p&uuml;\"/>"), net!("<place id=\"p&#252;\"/>");
    XML_CONTENT "xml::content" "An element does not hold this"
        "Text stands where only elements may, or the other way round."
        net!("<place id=\"p\"/> and then"), net!("<place id=\"p\"/><!-- and then -->");
    XML_ATTRIBUTE "xml::missing-attribute" "An attribute is missing"
        "Nodes have an `id`, arcs have `source` and `target`, nets have a `type`. None of them is empty."
        net!("<place name=\"p\"/>"), net!("<place id=\"p\"/>");
    PNML_ROOT "pnml::no-net" "The file holds no net"
        "A PNML file is an element `pnml` with one `net` inside."
        "<html/>", GOOD;
    PNML_SEVERAL "pnml::several-nets" "Several nets in one file"
        "Which of them is meant would be a guess."
        "<pnml><net id=\"a\" type=\"ptnet\"/><net id=\"b\" type=\"ptnet\"/></pnml>", "<pnml><net id=\"a\" type=\"ptnet\"/></pnml>";
    PNML_TYPE "pnml::net-type" "Not a place/transition net"
        "Symmetric nets and other high-level nets have tokens with colours. Unfold them with a tool for such nets."
        "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/symmetricnet\"/></pnml>",
        "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"/></pnml>";
    PNML_ELEMENT "pnml::unsupported" "An element that is not supported here"
        "Names, graphics and tool specific parts are skipped. Everything else might change what the net does (capacities, priorities, times), so it is refused, and so is a label that stands twice."
        net!("<place id=\"p\"><capacity><text>1</text></capacity></place>"), net!("<place id=\"p\"><name><text>lock</text></name></place>");
    PNML_DUPLICATE_ID "pnml::duplicate-id" "An id stands twice"
        "All ids of a file are different: of pages, places, transitions, references and arcs."
        net!("<place id=\"p\"/><transition id=\"p\"/>"), net!("<place id=\"p\"/><transition id=\"t\"/>");
    PNML_UNKNOWN_NODE "pnml::unknown-node" "An arc to nowhere"
        "The source and the target of an arc are ids of places and transitions of the file, before or after the arc."
        net!("<place id=\"p\"/><arc id=\"a\" source=\"p\" target=\"t\"/>"), GOOD;
    PNML_ARC "pnml::arc" "An arc between two places or two transitions"
        "Arcs lead from places to transitions and from transitions to places."
        net!("<place id=\"p\"/><place id=\"q\"/><arc id=\"a\" source=\"p\" target=\"q\"/>"), GOOD;
    PNML_ARC_TYPE "pnml::arc-type" "An arc of an unknown type"
        "Besides normal arcs there are inhibitor, read (or test) and reset arcs; these three lead from a place to a transition."
        arc!("<type value=\"hyper\"/>"), arc!("<type value=\"inhibitor\"/>");
    PNML_NUMBER "pnml::marking" "No number of tokens"
        "An initial marking is a natural number in decimal digits, of any size, in an element `text`."
        net!("<place id=\"p\"><initialMarking><text>-1</text></initialMarking></place>"),
        net!("<place id=\"p\"><initialMarking><text>18446744073709551616</text></initialMarking></place>");
    PNML_WEIGHT "pnml::weight" "No weight of an arc"
        "The inscription of an arc is a number from 1 up, in an element `text`."
        arc!("<inscription><text>0</text></inscription>"), arc!("<inscription><text>2</text></inscription>");
    PNML_REFERENCE "pnml::reference" "A reference that leads to nothing"
        "A reference place leads to a place, perhaps over other references, a reference transition to a transition."
        net!("<referencePlace id=\"p\" ref=\"q\"/><referencePlace id=\"q\" ref=\"p\"/>"),
        net!("<place id=\"p\"/><referencePlace id=\"q\" ref=\"p\"/>");
    PNML_NEVER "pnml::never-enabled" "A transition that can never fire"
        "An inhibitor arc allows fewer tokens than another arc wants of the same place. That is hardly meant."
        net!("<place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"/>\n<arc id=\"b\" source=\"p\" target=\"t\"><type value=\"inhibitor\"/></arc>"),
        net!("<place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"/>\n<arc id=\"b\" source=\"p\" target=\"t\"><inscription><text>2</text></inscription><type value=\"inhibitor\"/></arc>");
    MCC_ROOT "mcc::no-properties" "The file holds no properties"
        "A file of properties is an element `property-set`."
        "<properties/>", ASKED;
    MCC_ELEMENT "mcc::unknown-element" "An element that does not belong here"
        "A property has `id`, `description` and `formula`. Formulas are built of conjunction, disjunction, negation, implication, equivalence, exclusive-disjunction, of comparisons (integer-le and others) between integer-constant, tokens-count, integer-sum and integer-difference, and of is-fireable, deadlock, true and false."
        property!("<exists-path><finally><conjuction><true/></conjuction></finally></exists-path>"), ASKED;
    MCC_COUNT "mcc::operands" "The wrong number of operands"
        "A negation has one operand, a comparison, an implication, an equivalence and an exclusive disjunction have two, all others at least one."
        property!("<exists-path><finally><negation><true/><true/></negation></finally></exists-path>"), ASKED;
    MCC_REACHABILITY "mcc::not-reachability" "Not a reachability formula"
        "Supported are `exists-path / finally` (can it happen?) and `all-paths / globally` (is it always so?), with statements about single markings inside."
        property!("<all-paths><finally><true/></finally></all-paths>"), ASKED;
    MCC_NAME "mcc::unknown-name" "A place or transition that the net does not have"
        "Properties name places and transitions by their ids in the PNML file."
        property!("<exists-path><finally><is-fireable><transition>T</transition></is-fireable></finally></exists-path>"),
        property!("<exists-path><finally><is-fireable><transition>t</transition></is-fireable></finally></exists-path>");
    MCC_NUMBER "mcc::number" "No integer"
        "Constants are integers in decimal digits, of any size."
        property!("<exists-path><finally><integer-le><integer-constant>two</integer-constant><tokens-count><place>p</place></tokens-count></integer-le></finally></exists-path>"), ASKED;
    MCC_ID "mcc::id" "No proper id of a property"
        "Answers are given by id: a name of at most 1000 characters, without blanks and control characters."
        "<property-set><property><id></id><formula><exists-path><finally><deadlock/></finally></exists-path></formula></property></property-set>", ASKED;
    MCC_DUPLICATE_ID "mcc::duplicate-id" "Two properties have one id"
        "Answers are given by id."
        "<property-set><property><id>q</id><formula><exists-path><finally><deadlock/></finally></exists-path></formula></property>\n<property><id>q</id><formula><exists-path><finally><true/></finally></exists-path></formula></property></property-set>", ASKED;
}
