//! Reads the relations that Z3 prints: `(and (forall ((A Int) ..) (= (r0 A ..) FORMULA)) ..)`, with `let`.
//!
//! The text is read into a list of nodes, and formulas become clauses by distribution. What is not linear, or too
//! large, makes the answer unreadable (`None`).

use super::{Horn, Invariants};
use model::VariableId;
use model::data::{Constraint, Linear, Symbol};
use num_bigint::BigInt;
use num_traits::One;
use std::collections::HashMap;

/// The largest number of clauses of a relation.
const MOST_CLAUSES: usize = 1 << 10;
/// The largest depth of an answer.
const MOST_DEPTH: usize = 500;

/// Returns the name of a relation.
pub(super) fn relation(number: usize) -> String {
    format!("r{number}")
}

#[derive(Clone, Debug)]
enum Tree {
    Word(String),
    List(Vec<Tree>),
}

/// A value of an expression.
#[derive(Clone, Debug)]
enum Value {
    Number(Linear),
    Truth(Formula),
}

/// A formula without negation: constraints can be negated themselves.
#[derive(Clone, Debug)]
enum Formula {
    One(Constraint),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

type Clauses = Vec<Vec<Constraint>>;
type Scope = HashMap<String, Value>;

/// Reads an answer.
pub(super) fn read(text: &str, horn: &Horn) -> Option<Invariants> {
    let tree = parse(text)?;
    // Relations that no violation depends on are not mentioned.
    let mut found: Invariants = vec![Vec::new(); horn.relations];
    let reader = Reader { variables: horn.variables };
    reader.definitions(&tree, &Scope::new(), &mut found, 0)?;
    Some(found)
}

fn parse(text: &str) -> Option<Tree> {
    let mut stack: Vec<Vec<Tree>> = vec![Vec::new()];
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    for word in spaced.split_whitespace() {
        match word {
            "(" if stack.len() < MOST_DEPTH => stack.push(Vec::new()),
            "(" => return None,
            ")" => {
                let list = stack.pop()?;
                stack.last_mut()?.push(Tree::List(list));
            }
            word => stack.last_mut()?.push(Tree::Word(word.to_owned())),
        }
    }
    match stack.pop()?.pop() {
        tree if stack.is_empty() => tree,
        _ => None,
    }
}

struct Reader {
    variables: usize,
}

impl Reader {
    /// Reads a conjunction of definitions.
    fn definitions(&self, tree: &Tree, scope: &Scope, found: &mut Invariants, depth: usize) -> Option<()> {
        let Tree::List(list) = tree else { return (depth > 0 || is_word(tree, "true")).then_some(()) };
        let head = match list.first()? {
            Tree::Word(word) => word.as_str(),
            Tree::List(_) => return None,
        };
        match head {
            "and" => list[1..].iter().try_for_each(|part| self.definitions(part, scope, found, depth + 1)),
            "let" => {
                // What is bound may be a definition itself. It is read where its name stands.
                let replaced = replace_definitions(list)?;
                match replaced {
                    Some(tree) => self.definitions(&tree, scope, found, depth + 1),
                    None => self.definitions(list.get(2)?, &self.bind(list.get(1)?, scope, depth)?, found, depth + 1),
                }
            }
            "!" => self.definitions(list.get(1)?, scope, found, depth + 1),
            "forall" => {
                let Tree::List(names) = list.get(1)? else { return None };
                let names: Option<Vec<String>> = names.iter().map(word_of).collect();
                self.definition(list.get(2)?, names?, scope, found, depth + 1)
            }
            "=" => self.definition(tree, Vec::new(), scope, found, depth + 1),
            _ => None,
        }
    }

    /// Reads `(= (r0 A B) FORMULA)`, where the names are bound.
    fn definition(
        &self,
        tree: &Tree,
        names: Vec<String>,
        scope: &Scope,
        found: &mut Invariants,
        depth: usize,
    ) -> Option<()> {
        let Tree::List(list) = tree else { return None };
        if depth > MOST_DEPTH {
            return None;
        }
        match list.first()? {
            head if is_word(head, "!") => self.definition(list.get(1)?, names, scope, found, depth + 1),
            head if is_word(head, "let") => {
                // Bindings may use the names, which are known only with the head of the definition.
                let scope = self.named(&names, head_of(list.get(2)?)?, scope)?;
                let scope = self.bind(list.get(1)?, &scope, depth)?;
                self.definition_in(list.get(2)?, &scope, found, depth + 1)
            }
            head if is_word(head, "=") => {
                let scope = self.named(&names, list.get(1)?, scope)?;
                self.definition_in(tree, &scope, found, depth + 1)
            }
            _ => None,
        }
    }

    fn definition_in(&self, tree: &Tree, scope: &Scope, found: &mut Invariants, depth: usize) -> Option<()> {
        let Tree::List(list) = tree else { return None };
        if is_word(list.first()?, "!") {
            return self.definition_in(list.get(1)?, scope, found, depth + 1);
        }
        if is_word(list.first()?, "let") {
            let scope = self.bind(list.get(1)?, scope, depth)?;
            return self.definition_in(list.get(2)?, &scope, found, depth + 1);
        }
        let name = match list.get(1)? {
            Tree::Word(name) => name,
            Tree::List(applied) => match applied.first()? {
                Tree::Word(name) => name,
                Tree::List(_) => return None,
            },
        };
        if !is_word(list.first()?, "=") {
            return None;
        }
        let Some(number) = name.strip_prefix('r').and_then(|n| n.parse::<usize>().ok()) else { return Some(()) };
        let Value::Truth(formula) = self.value(list.get(2)?, scope, depth)? else { return None };
        *found.get_mut(number)? = formula.clauses()?;
        Some(())
    }

    /// Adds the arguments of a relation to the scope, as variables.
    fn named(&self, names: &[String], head: &Tree, scope: &Scope) -> Option<Scope> {
        let mut scope = scope.clone();
        if let Tree::List(applied) = head {
            for (number, argument) in applied.get(1..)?.iter().enumerate() {
                let Tree::Word(name) = argument else { return None };
                if number >= self.variables || !names.contains(name) {
                    return None;
                }
                let variable = Symbol::Variable(VariableId::new(number));
                scope.insert(name.clone(), Value::Number(Linear::of(variable)));
            }
        }
        Some(scope)
    }

    fn bind(&self, bindings: &Tree, scope: &Scope, depth: usize) -> Option<Scope> {
        let Tree::List(bindings) = bindings else { return None };
        let mut inner = scope.clone();
        for binding in bindings {
            let Tree::List(pair) = binding else { return None };
            let Tree::Word(name) = pair.first()? else { return None };
            inner.insert(name.clone(), self.value(pair.get(1)?, scope, depth + 1)?);
        }
        Some(inner)
    }

    /// Reads an expression. The depth is that of the text, which has a limit.
    fn value(&self, tree: &Tree, scope: &Scope, depth: usize) -> Option<Value> {
        let list = match tree {
            Tree::Word(word) => return word_value(word, scope),
            Tree::List(list) => list,
        };
        let Tree::Word(head) = list.first()? else { return None };
        match head.as_str() {
            "!" => return self.value(list.get(1)?, scope, depth + 1),
            "let" => return self.value(list.get(2)?, &self.bind(list.get(1)?, scope, depth)?, depth + 1),
            _ => {}
        }
        let arguments: Option<Vec<Value>> = list[1..].iter().map(|part| self.value(part, scope, depth + 1)).collect();
        apply(head, arguments?)
    }
}

/// Returns the head of the definition below bindings and annotations.
fn head_of(tree: &Tree) -> Option<&Tree> {
    let mut at = tree;
    loop {
        let Tree::List(list) = at else { return None };
        at = match list.first()? {
            head if is_word(head, "=") => return list.get(1),
            head if is_word(head, "!") => list.get(1)?,
            head if is_word(head, "let") => list.get(2)?,
            _ => return None,
        };
    }
}

/// Replaces names of whole definitions in `(let ((a!1 (forall ..))) BODY)`. `None` inside: no binding is a definition.
fn replace_definitions(list: &[Tree]) -> Option<Option<Tree>> {
    let Tree::List(bindings) = list.get(1)? else { return None };
    let mut known: HashMap<&str, &Tree> = HashMap::new();
    for binding in bindings {
        let Tree::List(pair) = binding else { return None };
        let (Tree::Word(name), definition) = (pair.first()?, pair.get(1)?) else { return None };
        let Tree::List(parts) = definition else { return Some(None) };
        if !parts.first().is_some_and(|head| is_word(head, "forall")) {
            return Some(None);
        }
        known.insert(name, definition);
    }
    let put = |tree: &Tree| match tree {
        Tree::Word(word) => known.get(word.as_str()).map_or_else(|| tree.clone(), |definition| (*definition).clone()),
        Tree::List(_) => tree.clone(),
    };
    Some(Some(match list.get(2)? {
        Tree::List(parts) => Tree::List(parts.iter().map(put).collect()),
        word => put(word),
    }))
}

fn word_of(tree: &Tree) -> Option<String> {
    match tree {
        Tree::Word(word) => Some(word.clone()),
        Tree::List(list) => match list.first()? {
            Tree::Word(word) => Some(word.clone()),
            Tree::List(_) => None,
        },
    }
}

fn is_word(tree: &Tree, word: &str) -> bool {
    matches!(tree, Tree::Word(other) if other == word)
}

fn word_value(word: &str, scope: &Scope) -> Option<Value> {
    if let Some(value) = scope.get(word) {
        return Some(value.clone());
    }
    match word {
        "true" => Some(Value::Truth(Formula::All(Vec::new()))),
        "false" => Some(Value::Truth(Formula::Any(Vec::new()))),
        number => Some(Value::Number(Linear::number(number.parse::<BigInt>().ok()?))),
    }
}

fn apply(head: &str, arguments: Vec<Value>) -> Option<Value> {
    let numbers = || -> Option<Vec<Linear>> {
        arguments.iter().map(|value| if let Value::Number(n) = value { Some(n.clone()) } else { None }).collect()
    };
    let minus_one = BigInt::from(-1);
    Some(match head {
        "+" => Value::Number(numbers()?.iter().fold(Linear::default(), |sum, n| sum.plus(&BigInt::one(), n))),
        "-" => {
            let numbers = numbers()?;
            let (first, rest) = numbers.split_first()?;
            Value::Number(match rest {
                [] => first.scaled(&minus_one),
                rest => rest.iter().fold(first.clone(), |sum, n| sum.minus(n)),
            })
        }
        "*" => {
            let mut product = Linear::number(1);
            for factor in numbers()? {
                product = match (product.as_number().cloned(), factor.as_number().cloned()) {
                    (Some(n), _) => factor.scaled(&n),
                    (_, Some(n)) => product.scaled(&n),
                    _ => return None,
                };
            }
            Value::Number(product)
        }
        "<=" | ">=" | "<" | ">" => Value::Truth(compare(head, &numbers()?)?),
        "=" if matches!(arguments.first()?, Value::Number(_)) => {
            let numbers = numbers()?;
            Value::Truth(Formula::All(vec![compare("<=", &numbers)?, compare(">=", &numbers)?]))
        }
        _ => Value::Truth(connect(head, &arguments)?),
    })
}

fn connect(head: &str, arguments: &[Value]) -> Option<Formula> {
    let formula = |value: &Value| if let Value::Truth(formula) = value { Some(formula.clone()) } else { None };
    let mut parts: Vec<Formula> = arguments.iter().map(formula).collect::<Option<_>>()?;
    Some(match head {
        "and" => Formula::All(parts),
        "or" => Formula::Any(parts),
        "not" => parts.pop()?.negation(),
        "=>" => {
            let last = parts.pop()?;
            Formula::Any(parts.iter().map(Formula::negation).chain([last]).collect())
        }
        "=" => {
            let [a, b] = &parts[..] else { return None };
            let neither = Formula::All(vec![a.negation(), b.negation()]);
            Formula::Any(vec![Formula::All(parts.clone()), neither])
        }
        _ => return None,
    })
}

fn compare(head: &str, numbers: &[Linear]) -> Option<Formula> {
    let [a, b] = numbers else { return None };
    Some(Formula::One(match head {
        "<=" => Constraint::at_most(a, b),
        ">=" => Constraint::at_most(b, a),
        "<" => Constraint::at_most(b, a).negation(),
        _ => Constraint::at_most(a, b).negation(),
    }))
}

impl Formula {
    /// The depth of formulas is that of the text.
    fn negation(&self) -> Self {
        match self {
            Formula::One(constraint) => Formula::One(constraint.negation()),
            Formula::All(parts) => Formula::Any(parts.iter().map(Self::negation).collect()),
            Formula::Any(parts) => Formula::All(parts.iter().map(Self::negation).collect()),
        }
    }

    /// Returns clauses, by distribution. `None` if there are too many.
    fn clauses(&self) -> Option<Clauses> {
        let clauses = match self {
            Formula::One(constraint) => match constraint.as_truth() {
                Some(true) => Vec::new(),
                Some(false) => vec![Vec::new()],
                None => vec![vec![constraint.clone()]],
            },
            Formula::All(parts) => {
                let parts: Option<Vec<Clauses>> = parts.iter().map(Self::clauses).collect();
                parts?.concat()
            }
            Formula::Any(parts) => {
                let mut product: Clauses = vec![Vec::new()];
                for part in parts {
                    product = joined(&product, &part.clauses()?)?;
                }
                product
            }
        };
        (clauses.len() <= MOST_CLAUSES).then_some(clauses)
    }
}

/// The clauses of a disjunction of two formulas. Clauses that always hold are left out.
fn joined(a: &Clauses, b: &Clauses) -> Option<Clauses> {
    if a.len().saturating_mul(b.len()) > 4 * MOST_CLAUSES {
        return None;
    }
    let mut all: Clauses = Vec::new();
    for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
        let mut clause = a.clone();
        clause.extend(b.iter().filter(|constraint| !a.contains(constraint)).cloned());
        if !clause.iter().any(|constraint| clause.contains(&constraint.negation())) && !all.contains(&clause) {
            all.push(clause);
        }
    }
    Some(all)
}
