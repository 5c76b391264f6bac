//! Parts of PNML files of coloured nets, as text.

/// The declarations: a circle `s`, a list `f`, a range `i`, products, a partition of `s`, and variables.
const DECLARED: &str = "<declaration><structure><declarations>
    <namedsort id='sf' name='SF'><productsort><usersort declaration='s'/><usersort declaration='f'/></productsort>
    </namedsort>
    <namedsort id='s' name='S'><cyclicenumeration><feconstant id='a' name='A'/><feconstant id='b' name='B'/>
      <feconstant id='c' name='C'/></cyclicenumeration></namedsort>
    <namedsort id='f' name='F'><finiteenumeration><feconstant id='u' name='u'/><feconstant id='v' name='v'/>
      </finiteenumeration></namedsort>
    <namedsort id='i' name='I'><finiteintrange start='3' end='5'/></namedsort>
    <partition id='p' name='P'><usersort declaration='s'/>
      <partitionelement id='p1'><useroperator declaration='a'/><useroperator declaration='c'/></partitionelement>
      <partitionelement id='p2'><useroperator declaration='b'/></partitionelement></partition>
    <variabledecl id='x' name='X'><usersort declaration='s'/></variabledecl>
    <variabledecl id='y' name='Y'><usersort declaration='s'/></variabledecl>
    <variabledecl id='z' name='Z'><usersort declaration='f'/></variabledecl>
    <variabledecl id='n' name='N'><usersort declaration='i'/></variabledecl>
    <variabledecl id='w' name='W'><usersort declaration='sf'/></variabledecl>
    <variabledecl id='t' name='T'><bool/></variabledecl>
    </declarations></structure></declaration>";

/// Returns a coloured net with these nodes. The declarations come last.
#[must_use]
pub fn file(nodes: &str) -> String {
    let kind = "http://www.pnml.org/version-2009/grammar/symmetricnet";
    format!("<pnml><net id='n' type='{kind}'><page id='g'>{nodes}</page>{DECLARED}</net></pnml>")
}

/// Returns the element of an operator with these operands.
#[must_use]
pub fn op(name: &str, operands: &[&str]) -> String {
    let operands: String = operands.iter().map(|operand| format!("<subterm>{operand}</subterm>")).collect();
    format!("<{name}>{operands}</{name}>")
}

/// Returns the term for a variable.
#[must_use]
pub fn var(id: &str) -> String {
    format!("<variable refvariable='{id}'/>")
}

/// Returns the term for a colour.
#[must_use]
pub fn constant(id: &str) -> String {
    format!("<useroperator declaration='{id}'/>")
}

/// Returns the term for several tokens of a term.
#[must_use]
pub fn times(count: i32, term: &str) -> String {
    op("numberof", &[&format!("<numberconstant value='{count}'><positive/></numberconstant>"), term])
}

/// Returns the term for one token of each colour.
#[must_use]
pub fn all(sort: &str) -> String {
    format!("<all><usersort declaration='{sort}'/></all>")
}

/// Returns the term for a named sort.
#[must_use]
pub fn sort(id: &str) -> String {
    format!("<usersort declaration='{id}'/>")
}

/// Returns a label with this term.
#[must_use]
pub fn label(name: &str, term: &str) -> String {
    let structure = if term.is_empty() { String::new() } else { format!("<structure>{term}</structure>") };
    format!("<{name}><text>not read</text>{structure}</{name}>")
}

/// Returns a place with this sort, and this initial marking unless it is empty.
#[must_use]
pub fn place(id: &str, sort: &str, marking: &str) -> String {
    let marking = if marking.is_empty() { String::new() } else { label("hlinitialMarking", marking) };
    format!("<place id='{id}'>{}{marking}</place>", label("type", sort))
}

/// Returns a transition with its arcs, and with this condition unless it is empty. Arcs are places with terms.
#[must_use]
pub fn transition(id: &str, condition: &str, takes: &[(&str, &str)], puts: &[(&str, &str)]) -> String {
    let condition = if condition.is_empty() { String::new() } else { label("condition", condition) };
    let arc = |from: &str, to: &str, term: &str| {
        format!("<arc id='{from}-{to}' source='{from}' target='{to}'>{}</arc>", label("hlinscription", term))
    };
    let takes: String = takes.iter().map(|(place, term)| arc(place, id, term)).collect();
    let puts: String = puts.iter().map(|(place, term)| arc(id, place, term)).collect();
    format!("<transition id='{id}'>{condition}</transition>{takes}{puts}")
}
