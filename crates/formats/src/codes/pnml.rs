//! Codes of XML in general, of PNML files, and of contest properties. The examples of properties are about the
//! net in the right examples of PNML: a place `p` and a transition `t`.

use super::codes;

/// A file with one net that has these nodes.
macro_rules! net {
    ($nodes:literal) => {
        concat!("<pnml><net id=\"n\" type=\"ptnet\"><page id=\"g\">\n", $nodes, "\n</page></net></pnml>")
    };
}

/// A file with a place, a transition, and an arc with this content.
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

/// A file of a coloured net with the declarations of a sort `s` of two colours and a variable `x`, and these nodes.
macro_rules! coloured {
    ($nodes:expr) => {
        concat!(
            "<pnml><net id=\"n\" type=\"symmetricnet\"><declaration><structure><declarations>\n",
            "<namedsort id=\"s\"><cyclicenumeration><feconstant id=\"a\"/><feconstant id=\"b\"/></cyclicenumeration>\
             </namedsort>\n<variabledecl id=\"x\"><usersort declaration=\"s\"/></variabledecl>\n",
            "</declarations></structure></declaration>\n<page id=\"g\">",
            $nodes,
            "</page></net></pnml>"
        )
    };
}

/// A file of a coloured net with a place of the sort `s` that holds this term.
macro_rules! marked {
    ($term:literal) => {
        coloured!(concat!(
            "<place id=\"p\"><type><structure><usersort declaration=\"s\"/></structure></type>\n<hlinitialMarking>\
             <structure>",
            $term,
            "</structure></hlinitialMarking></place>"
        ))
    };
}

/// A file with one property.
macro_rules! property {
    ($formula:literal) => {
        concat!("<property-set><property><id>q</id><formula>\n", $formula, "\n</formula></property></property-set>")
    };
}

const GOOD: &str = net!(
    "<place id=\"p\"><initialMarking><text>1</text></initialMarking></place>\n<transition id=\"t\"/>\n<arc id=\"a\" \
     source=\"p\" target=\"t\"/>"
);
const ASKED: &str = property!(
    "<exists-path><finally><integer-le><integer-constant>2</integer-constant><tokens-count><place>p</place>\
     </tokens-count></integer-le></finally></exists-path>"
);

codes! {
    XML_SYNTAX "xml::syntax" "This is not XML"
        "The text breaks off or breaks the rules of XML at this place: elements end in the order in which they began, \
         and there is one element around everything."
        "<pnml><net id=\"n\" type=\"ptnet\"></pnml>", GOOD;
    XML_DOCTYPE "xml::doctype" "Document type definitions are refused"
        "With a `<!DOCTYPE ...>`, a small file can expand to a huge one or depend on other files. Models do not need \
         it."
        "<!DOCTYPE pnml [<!ENTITY a \"aaaa\">]>\n<pnml>&a;</pnml>", GOOD;
    XML_ENTITY "xml::entity" "An unknown entity"
        "Only &lt; &gt; &amp; &quot; &apos; are known, and characters by their numbers, such as &#38; or &#x26;."
        net!("<place id=\"p&uuml;\"/>"), net!("<place id=\"p&#252;\"/>");
    XML_CONTENT "xml::content" "An element must not contain this"
        "Text stands where only elements may, or the other way round."
        net!("<place id=\"p\"/> and then"), net!("<place id=\"p\"/><!-- and then -->");
    XML_ATTRIBUTE "xml::missing-attribute" "An attribute is missing"
        "Nodes have an `id`, arcs have `source` and `target`, nets have a `type`. None of them is empty."
        net!("<place name=\"p\"/>"), net!("<place id=\"p\"/>");
    PNML_ROOT "pnml::no-net" "The file contains no net"
        "A PNML file is an element `pnml` with one `net` inside."
        "<html/>", GOOD;
    PNML_SEVERAL "pnml::several-nets" "Several nets in one file"
        "The reader would have to guess which net is meant."
        "<pnml><net id=\"a\" type=\"ptnet\"/><net id=\"b\" type=\"ptnet\"/></pnml>", "<pnml><net id=\"a\" \
            type=\"ptnet\"/></pnml>";
    PNML_TYPE "pnml::net-type" "Not a place/transition or symmetric net"
        "High-level nets with data of other kinds are not supported: lists, strings, and integers without bounds."
        "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/highlevelnet\"/></pnml>",
        "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"/></pnml>";
    PNML_ELEMENT "pnml::unsupported" "An element that is not supported here"
        "Graphics and tool specific parts are skipped. Everything that might change what the net does (capacities, \
         times, conditions) is refused, and so is a label that stands twice. docs/pnml.md lists all elements."
        net!("<place id=\"p\"><capacity><text>1</text></capacity></place>"), net!("<place \
            id=\"p\"><name><text>lock</text></name></place>");
    PNML_ATTRIBUTE "pnml::attribute" "An attribute that may change what the net does"
        "Attributes of places, transitions and arcs are read, ignored because they have no effect (positions on the \
         screen, default values), or refused: time, games, data, capacities, and unknown attributes. docs/pnml.md \
         lists them all."
        net!("<place id=\"p\" capacity=\"1\"/>"), net!("<place id=\"p\" capacity=\"0\"/>");
    PNML_PRIORITY "pnml::priority" "Transitions with priority over others"
        "In PIPE, enabled immediate transitions fire before timed ones, and transitions of greater priority fire \
         before the others. A net cannot express this, so a file is read only if all its transitions are alike."
        net!("<transition id=\"t\"><timed><value>true</value></timed></transition>\n<transition \
              id=\"u\"><timed><value>false</value></timed></transition>"),
        net!("<transition id=\"t\"><timed><value>true</value></timed></transition>\n<transition \
              id=\"u\"><timed><value>true</value></timed></transition>");
    PNML_COLOUR "pnml::colours" "Tokens of several colours"
        "All tokens of a place/transition net are alike. In the notation of PIPE and in TAPAAL's files, coloured nets \
         are not supported: export a symmetric net. In a symmetric net, a number of tokens without colours must be \
         that of the black tokens."
        net!("<place id=\"p\"><initialMarking><value>Default,1,Red,1</value></initialMarking></place>"),
        net!("<place id=\"p\"><initialMarking><value>Default,1,Red,0</value></initialMarking></place>");
    PNML_SORT "pnml::sort" "Not a sort or declaration that is supported"
        "The sorts of a symmetric net are dot, bool, enumerations, ranges of integers, and products of these. Besides \
         sorts, a file declares variables and partitions. Every place of a symmetric net has a sort."
        coloured!("<place id=\"p\"><type><structure><string/></structure></type></place>"),
        coloured!("<place id=\"p\"><type><structure><usersort declaration=\"s\"/></structure></type></place>");
    PNML_TERM "pnml::term" "Not a term that is supported"
        "The structure of a marking or inscription is a sum of tuples of the place's sort, and that of a condition is \
         a Boolean combination of comparisons. docs/pnml.md lists the terms. The text of a label is not read."
        marked!("<dotconstant/>"), marked!("<useroperator declaration=\"a\"/>");
    PNML_UNDECLARED "pnml::undeclared" "A sort, variable or constant that is not declared"
        "Terms name sorts, variables, partitions and the constants of enumerations by their ids."
        marked!("<useroperator declaration=\"c\"/>"), marked!("<useroperator declaration=\"b\"/>");
    PNML_NEGATIVE "pnml::negative" "Fewer than no tokens"
        "What `subtract` takes away must be there: as many tokens of each colour."
        marked!("<subtract><subterm><useroperator declaration=\"a\"/></subterm><subterm><useroperator \
                 declaration=\"b\"/></subterm></subtract>"),
        marked!("<subtract><subterm><all><usersort declaration=\"s\"/></all></subterm><subterm><useroperator \
                 declaration=\"b\"/></subterm></subtract>");
    PNML_NO_TYPE "pnml::no-type" "A net without a type (warning)"
        "Some tools write none. The net is read as a place/transition net, and whatever does not belong to one is \
         refused."
        "<pnml><net id=\"n\"/></pnml>", "<pnml><net id=\"n\" type=\"ptnet\"/></pnml>";
    PNML_NOT_READ "pnml::not-read" "A part of the file that is not read (warning)"
        "The message says which part is not read, and why the net is the same without it. Such parts are queries that \
         do not ask for reachability, components that are not active, transitions without arcs in TAPAAL files, \
         distributions, and unknown attributes of nets and pages."
        "<pnml><net id=\"n\" type=\"ptnet\" colour=\"red\"/></pnml>", "<pnml><net id=\"n\" type=\"ptnet\"/></pnml>";
    PNML_NO_WEIGHT "pnml::no-weight" "An inscription without a number (warning)"
        "The weight of the arc is 1, as if there were no inscription."
        arc!("<inscription/>"), arc!("<inscription><text>1</text></inscription>");
    PNML_INHIBITOR "pnml::inhibitor-weight" "The weight of an inhibitor arc is not read (warning)"
        "For pm4py, which writes the type of an arc as `arctype`, an inhibitor arc requires an empty place, whatever \
         its weight. For tools that write `type`, it requires fewer tokens than its weight."
        arc!("<inscription><text>2</text></inscription><arctype><text>inhibitor</text></arctype>"),
        arc!("<inscription><text>2</text></inscription><type value=\"inhibitor\"/>");
    PNML_FINAL "pnml::final-marking" "Not a final marking"
        "A final marking lists places by their ids, each once, with their tokens; all other places hold none."
        net!("<transition id=\"t\"/><finalmarkings><marking><place \
              idref=\"t\"><text>1</text></place></marking></finalmarkings>"),
        net!("<place id=\"p\"/><finalmarkings><marking><place \
              idref=\"p\"><text>1</text></place></marking></finalmarkings>");
    PNML_COMPONENT "pnml::component" "Components that do not fit together"
        "In a TAPAAL file, constants and the nodes that components share come before the components, each once."
        "a .tapn file with a `shared-place` behind a `net`", "a .tapn file with the `shared-place` before all nets";
    PNML_DUPLICATE_ID "pnml::duplicate-id" "An id stands twice"
        "The ids of places, transitions and references are all different. (Nothing refers to arcs and pages, and \
         WoPeD gives several arcs one id.)"
        net!("<place id=\"p\"/><transition id=\"p\"/>"), net!("<place id=\"p\"/><transition id=\"t\"/>");
    PNML_UNKNOWN_NODE "pnml::unknown-node" "An arc with an unknown end"
        "The source and the target of an arc are ids of places and transitions of the file, before or after the arc."
        net!("<place id=\"p\"/><arc id=\"a\" source=\"p\" target=\"t\"/>"), GOOD;
    PNML_ARC "pnml::arc" "An arc between two places or two transitions"
        "Arcs lead from places to transitions and from transitions to places."
        net!("<place id=\"p\"/><place id=\"q\"/><arc id=\"a\" source=\"p\" target=\"q\"/>"), GOOD;
    PNML_ARC_TYPE "pnml::arc-type" "An arc of an unknown type"
        "Besides normal arcs there are inhibitor, read (or test) and reset arcs; these three lead from a place to a \
         transition."
        arc!("<type value=\"hyper\"/>"), arc!("<type value=\"inhibitor\"/>");
    PNML_NUMBER "pnml::marking" "Not a number of tokens"
        "An initial marking is a natural number in decimal digits, of any size, in an element `text`."
        net!("<place id=\"p\"><initialMarking><text>-1</text></initialMarking></place>"),
        net!("<place id=\"p\"><initialMarking><text>18446744073709551616</text></initialMarking></place>");
    PNML_WEIGHT "pnml::weight" "Not a weight of an arc"
        "The inscription of an arc is a number from 1 up, in an element `text`."
        arc!("<inscription><text>0</text></inscription>"), arc!("<inscription><text>2</text></inscription>");
    PNML_REFERENCE "pnml::reference" "A reference that leads to nothing"
        "A reference place leads to a place, directly or through other references, a reference transition to a \
         transition."
        net!("<referencePlace id=\"p\" ref=\"q\"/><referencePlace id=\"q\" ref=\"p\"/>"),
        net!("<place id=\"p\"/><referencePlace id=\"q\" ref=\"p\"/>");
    PNML_NEVER "pnml::never-enabled" "A transition that can never fire (warning)"
        "An inhibitor arc allows fewer tokens than another arc of the same place requires. The transition is kept, \
         and never fires."
        net!("<place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"/>\n<arc id=\"b\" \
              source=\"p\" target=\"t\"><type value=\"inhibitor\"/></arc>"),
        net!("<place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"/>\n<arc id=\"b\" \
              source=\"p\" target=\"t\"><inscription><text>2</text></inscription><type value=\"inhibitor\"/></arc>");
    MCC_ROOT "mcc::no-properties" "The file contains no properties"
        "A file of properties is an element `property-set`."
        "<properties/>", ASKED;
    MCC_ELEMENT "mcc::unknown-element" "An element that does not belong here"
        "A property has `id`, `description` and `formula`. Formulas are built of conjunction, disjunction, negation, \
         implication, equivalence, exclusive-disjunction, of comparisons (integer-le and others) between \
         integer-constant, tokens-count, integer-sum and integer-difference, and of is-fireable, deadlock, true and \
         false."
        property!("<exists-path><finally><conjuction><true/></conjuction></finally></exists-path>"), ASKED;
    MCC_COUNT "mcc::operands" "The wrong number of operands"
        "A negation has one operand, a comparison, an implication, an equivalence and an exclusive disjunction have \
         two, all others at least one."
        property!("<exists-path><finally><negation><true/><true/></negation></finally></exists-path>"), ASKED;
    MCC_REACHABILITY "mcc::not-reachability" "A formula of a logic that is not supported (a warning in property files)"
        "The other properties of the file are answered. The answer of this property is `unknown`. A formula has a path \
         operator before each temporal operator (computation tree logic), or one path operator around all of it \
         (linear temporal logic)."
        property!("<all-paths><exists-path><finally><true/></finally></exists-path></all-paths>"), ASKED;
    MCC_NAME "mcc::unknown-name" "A place or transition that the net does not have"
        "Properties name places and transitions by their ids in the PNML file."
        property!("<exists-path><finally><is-fireable><transition>T</transition></is-fireable></finally>\
         </exists-path>"),
        property!("<exists-path><finally><is-fireable><transition>t</transition></is-fireable></finally>\
         </exists-path>");
    MCC_NUMBER "mcc::number" "Not an integer"
        "Constants are integers in decimal digits, of any size."
        property!("<exists-path><finally><integer-le><integer-constant>two</integer-constant><tokens-count>\
         <place>p</place></tokens-count></integer-le></finally></exists-path>"), ASKED;
    MCC_ID "mcc::id" "Not a valid id of a property"
        "Answers are given by id: a name of at most 1000 characters. Blanks in it become `_`."
        "<property-set><property><id></id><formula><exists-path><finally><deadlock/></finally></exists-path>\
         </formula></property></property-set>", ASKED;
    MCC_DUPLICATE_ID "mcc::duplicate-id" "Two properties have one id"
        "Answers are given by id, so the ids must differ."
        "<property-set><property><id>q</id><formula><exists-path><finally><deadlock/></finally></exists-path>\
         </formula></property>\n<property><id>q</id><formula><exists-path><finally><true/></finally>\
         </exists-path></formula></property></property-set>", ASKED;
}
