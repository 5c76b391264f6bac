//! Evaluates the terms of coloured nets: a tree of elements becomes a sum of colours or a condition.
//!
//! A tree is evaluated from its end to its beginning, so that operands come before their operators.

use super::sorts::{BOOL, Class, ClassId, Kind, Partition, Sorts};
use super::terms::{Colour, Component, Relation, Summand, Test};
use super::tree::Tree;
use crate::pnml::nodes::Res;
use formats::codes;
use formats::error::{Error, printable};
use num_bigint::BigInt;
use num_traits::Zero;

/// The value of a term.
enum Value {
    Number(BigInt),
    Sum(Vec<Summand>),
    Test(usize),
    Part(usize, Colour),
    /// A sort, or a sign of a number, which the element around it reads.
    Detail,
}

/// Elements that only the element around them reads.
const DETAILS: &[&str] =
    &["usersort", "productsort", "finiteintrange", "dot", "bool", "positive", "natural", "number", "integer"];

/// Evaluates terms.
struct Evaluation<'s, 'a> {
    sorts: &'s mut Sorts<'a>,
    tree: &'s Tree<'a>,
    digits: usize,
    tests: Vec<Test>,
    values: Vec<Option<Value>>,
}

/// Returns the sum of tuples of this sort for which the tree stands.
pub(super) fn sum<'a>(sorts: &mut Sorts<'a>, tree: &Tree<'a>, sort: &[ClassId], digits: usize) -> Res<Vec<Summand>> {
    let (Value::Sum(sum), _) = evaluate(sorts, tree, digits)? else {
        return Err(misfit(sorts, tree, "a term that is not about colours", "expected colours"));
    };
    let fits = |summand: &Summand| summand.parts.iter().map(|(class, _)| class).eq(sort);
    if !sum.iter().all(fits) {
        return Err(misfit(sorts, tree, "tokens of another sort than the place has", "of another sort"));
    }
    Ok(sum)
}

/// Returns the condition for which the tree stands: its parts, the last of which is the whole.
pub(super) fn condition<'a>(sorts: &mut Sorts<'a>, tree: &Tree<'a>, digits: usize) -> Res<Vec<Test>> {
    match evaluate(sorts, tree, digits)? {
        (Value::Test(_), tests) => Ok(tests),
        (Value::Sum(sum), _) if is_boolean(&sum).is_some() => Ok(is_boolean(&sum).map(truth).into_iter().collect()),
        _ => Err(misfit(sorts, tree, "a term that is not a condition", "expected a condition")),
    }
}

fn misfit(sorts: &Sorts<'_>, tree: &Tree<'_>, message: &str, label: &str) -> Box<Error> {
    let span = tree.elements.first().map_or(tree.span, |root| root.span);
    sorts.error(&codes::PNML_TERM, span, message).label(label)
}

fn evaluate<'a>(sorts: &mut Sorts<'a>, tree: &Tree<'a>, digits: usize) -> Res<(Value, Vec<Test>)> {
    if tree.roots().count() != 1 {
        return Err(misfit(sorts, tree, "several terms, or none", "expected one term"));
    }
    let values = std::iter::repeat_with(|| None).take(tree.elements.len()).collect();
    let mut evaluation = Evaluation { sorts, tree, digits, tests: Vec::new(), values };
    for at in (0..tree.elements.len()).rev() {
        let value = evaluation.value(at)?;
        evaluation.values[at] = Some(value);
    }
    let root = evaluation.values[0].take().unwrap_or(Value::Detail);
    Ok((root, evaluation.tests))
}

/// Returns the condition that this Boolean is true.
fn truth(colour: Colour) -> Test {
    Test::Compare(Relation::Equal, BOOL, None, [colour, Colour::Constant(1)])
}

/// If the sum is one Boolean, returns it.
fn is_boolean(sum: &[Summand]) -> Option<Colour> {
    match sum {
        [Summand { count, parts }] if *count == BigInt::from(1) => match parts[..] {
            [(BOOL, Component::One(colour))] => Some(colour),
            _ => None,
        },
        _ => None,
    }
}

impl<'a> Evaluation<'_, 'a> {
    fn error(&self, at: usize, message: impl Into<String>) -> Box<Error> {
        self.sorts.error(&codes::PNML_TERM, self.tree.elements[at].span, message)
    }

    fn value(&mut self, at: usize) -> Res<Value> {
        let name = self.tree.elements[at].name;
        match name {
            _ if DETAILS.contains(&name) => Ok(Value::Detail),
            "numberconstant" => {
                let (digits, span) =
                    (self.tree.elements[at].required(self.sorts.text, "value")?, self.tree.elements[at].span);
                self.number(at, self.sorts.integer(digits, span)?)
            }
            "useroperator" if self.sorts.element_at(self.tree, at).is_some() => self.partition_element(at),
            "dotconstant" | "booleanconstant" | "useroperator" | "finiteintrangeconstant" => {
                let constant = self.sorts.constant(self.tree, at)?;
                let (class, value) = constant.ok_or_else(|| self.error(at, "not a constant"))?;
                Ok(one(class, Colour::Constant(value)))
            }
            "variable" => {
                let of = self.sorts.variables_at(self.tree, at)?.to_vec();
                self.sorts.spend(of.len(), self.tree.elements[at].span)?;
                let class = |var: &usize| self.sorts.variables[*var].class;
                let parts = of.iter().map(|var| (class(var), Component::One(Colour::Variable(*var, 0)))).collect();
                Ok(Value::Sum(vec![Summand { count: 1.into(), parts }]))
            }
            "all" => {
                let sort = match self.tree.children(at).collect::<Vec<_>>()[..] {
                    [sort] => self.sorts.sort_of(self.tree, sort)?,
                    _ => return Err(self.error(at, "`all` without a sort").label("expected one sort inside")),
                };
                let parts = sort.into_iter().map(|class| (class, Component::All)).collect();
                Ok(Value::Sum(vec![Summand { count: 1.into(), parts }]))
            }
            "successor" => self.shifted(at, true),
            "predecessor" => self.shifted(at, false),
            "tuple" => self.tuple(at),
            "empty" => Ok(Value::Sum(Vec::new())),
            "add" | "subtract" => self.addition(at, name == "subtract"),
            "numberof" | "scalarproduct" => self.multiple(at),
            "partitionelementof" => {
                let partition = self.sorts.partition_at(self.tree, at)?;
                let (class, colour) = self.only_colour(at)?;
                if class != self.sorts.partitions[partition].class {
                    return Err(self.error(at, "a colour of another sort than the partition").label("of another sort"));
                }
                Ok(Value::Part(partition, colour))
            }
            _ => self.test(at),
        }
    }

    fn operands(&mut self, at: usize) -> Vec<Value> {
        let children: Vec<usize> = self.tree.children(at).collect();
        children.into_iter().filter_map(|child| self.values[child].take()).collect()
    }

    fn number(&self, at: usize, number: BigInt) -> Res<Value> {
        // Four bits are more than a decimal digit.
        if number.bits() > 4 * self.digits as u64 {
            let message = format!("a number of tokens with more than {} digits", self.digits);
            let error = self.sorts.error(&codes::LIMIT_DIGITS, self.tree.elements[at].span, message);
            return Err(error.label("the limit is reached here"));
        }
        Ok(Value::Number(number))
    }

    fn wrong_operands(&self, at: usize, expected: &str) -> Box<Error> {
        let message = format!("`{}` with other operands than expected", printable(self.tree.elements[at].name));
        self.error(at, message).label(format!("expected {expected}"))
    }

    /// Returns the only operand, which must be one basic colour.
    fn only_colour(&mut self, at: usize) -> Res<(ClassId, Colour)> {
        match &self.operands(at)[..] {
            [Value::Sum(sum)] => basic(sum),
            _ => None,
        }
        .ok_or_else(|| self.wrong_operands(at, "one colour"))
    }

    fn shifted(&mut self, at: usize, is_up: bool) -> Res<Value> {
        let (class, colour) = self.only_colour(at)?;
        // In TAPAAL, the integers of a range are a circle, too. The standard gives them no successors.
        let Class { kind: Kind::Enumeration(true) | Kind::Integers(_), size, .. } = &self.sorts.classes[class] else {
            let error = self.error(at, "the sort of this colour is not cyclic").label("no successor");
            return Err(error.hint("expected a colour of a `cyclicenumeration` or a `finiteintrange`"));
        };
        let next = |value: u32| if is_up { (value + 1) % size } else { (value + size - 1) % size };
        Ok(one(
            class,
            match colour {
                Colour::Constant(value) => Colour::Constant(next(value)),
                Colour::Variable(var, shift) => Colour::Variable(var, next(shift)),
            },
        ))
    }

    /// Returns the sum of all colours of an element of a partition.
    fn partition_element(&mut self, at: usize) -> Res<Value> {
        let of = self.sorts.element_at(self.tree, at).map(|(class, colours)| (class, colours.to_vec()));
        let (class, colours) = of.unwrap_or_default();
        self.sorts.spend(colours.len(), self.tree.elements[at].span)?;
        let one = |colour| Summand { count: 1.into(), parts: vec![(class, Component::One(Colour::Constant(colour)))] };
        Ok(Value::Sum(colours.into_iter().map(one).collect()))
    }

    /// Returns a tuple. A tuple of sums is the sum of all tuples of their summands.
    fn tuple(&mut self, at: usize) -> Res<Value> {
        let mut all = vec![Summand { count: 1.into(), parts: Vec::new() }];
        for value in self.operands(at) {
            let Value::Sum(sum) = value else { return Err(self.wrong_operands(at, "colours")) };
            if sum.is_empty() || sum.iter().any(|summand| summand.count != BigInt::from(1)) {
                let error = self.error(at, "a number of colours inside of a tuple").label("not supported");
                return Err(
                    error.hint("write a sum of tuples; single colours, `all` and sums of these may stand in a tuple")
                );
            }
            let (width, count) = (all[0].parts.len() + sum[0].parts.len(), all.len().saturating_mul(sum.len()));
            if count > 1 {
                self.sorts.spend(width.saturating_mul(count), self.tree.elements[at].span)?;
            }
            let join = |(head, tail): (&Summand, &Summand)| {
                let parts = head.parts.iter().chain(&tail.parts).copied().collect();
                Summand { count: 1.into(), parts }
            };
            all = all.iter().flat_map(|head| sum.iter().map(move |tail| join((head, tail)))).collect();
        }
        Ok(Value::Sum(all))
    }

    fn addition(&mut self, at: usize, is_minus: bool) -> Res<Value> {
        let mut all: Vec<Summand> = Vec::new();
        for (n, value) in self.operands(at).into_iter().enumerate() {
            let Value::Sum(mut sum) = value else { return Err(self.wrong_operands(at, "colours")) };
            if is_minus && n > 0 {
                sum.iter_mut().for_each(|summand| summand.count = -std::mem::take(&mut summand.count));
            }
            // The longer list takes the shorter one, so that long chains take little time.
            if sum.len() > all.len() {
                std::mem::swap(&mut sum, &mut all);
            }
            all.append(&mut sum);
        }
        Ok(Value::Sum(all))
    }

    fn multiple(&mut self, at: usize) -> Res<Value> {
        let mut operands = self.operands(at).into_iter();
        let (factor, sum) = match (operands.next(), operands.next(), operands.next()) {
            (Some(Value::Number(factor)), Some(Value::Sum(sum)), None) if factor >= BigInt::zero() => (factor, sum),
            // Without a number, there is one token.
            (Some(Value::Sum(sum)), None, None) => (BigInt::from(1), sum),
            _ => return Err(self.wrong_operands(at, "a natural number and colours")),
        };
        let mut product = Vec::with_capacity(sum.len());
        for summand in sum {
            let count = summand.count * &factor;
            self.number(at, count.clone())?;
            if !count.is_zero() {
                product.push(Summand { count, parts: summand.parts });
            }
        }
        Ok(Value::Sum(product))
    }

    fn push(&mut self, test: Test) -> usize {
        self.tests.push(test);
        self.tests.len() - 1
    }

    /// Reads a condition.
    fn test(&mut self, at: usize) -> Res<Value> {
        let relation = match self.tree.elements[at].name {
            "equality" | "eq" => Relation::Equal,
            "inequality" | "neq" => Relation::NotEqual,
            "lessthan" | "lt" | "ltp" => Relation::Less,
            "lessthanorequal" | "leq" => Relation::AtMost,
            "greaterthan" | "gt" | "gtp" => Relation::Greater,
            "greaterthanorequal" | "geq" => Relation::AtLeast,
            "and" | "or" | "not" | "imply" => return self.connective(at),
            other => {
                let message = format!("the term `{}` is not supported", printable(other));
                let error = self.error(at, message).label("not supported");
                return Err(error.hint("docs/pnml.md lists the terms that are read"));
            }
        };
        let test = match &self.operands(at)[..] {
            [Value::Part(of, left), Value::Part(also, right)] if of == also => {
                self.compare_parts(relation, *of, [*left, *right])
            }
            [Value::Part(of, left), Value::Sum(element)] => {
                let right = self.part(at, *of, element)?;
                self.compare_parts(relation, *of, [*left, right])
            }
            [Value::Sum(element), Value::Part(of, right)] => {
                let left = self.part(at, *of, element)?;
                self.compare_parts(relation, *of, [left, *right])
            }
            [Value::Sum(left), Value::Sum(right)] => self.comparison(at, relation, left, right)?,
            _ => return Err(self.wrong_operands(at, "two colours of one sort")),
        };
        Ok(Value::Test(test))
    }

    fn compare_parts(&mut self, relation: Relation, of: usize, sides: [Colour; 2]) -> usize {
        let class = self.sorts.partitions[of].class;
        self.push(Test::Compare(relation, class, Some(of), sides))
    }

    /// Returns a colour of the element of partition `of` that has exactly these colours.
    fn part(&self, at: usize, of: usize, element: &[Summand]) -> Res<Colour> {
        let Partition { class, parts } = &self.sorts.partitions[of];
        let constant = |summand: &Summand| match (&summand.parts[..], &summand.count) {
            ([(of, Component::One(Colour::Constant(value)))], count) if of == class && *count == BigInt::from(1) => {
                Some(*value)
            }
            _ => None,
        };
        let mut colours: Vec<u32> = element.iter().filter_map(constant).collect();
        colours.sort_unstable();
        let part = colours.first().map(|first| parts[*first as usize]);
        let all = (0..parts.len() as u32).filter(|value| Some(parts[*value as usize]) == part);
        match colours.first() {
            Some(first) if colours.len() == element.len() && all.eq(colours.iter().copied()) => {
                Ok(Colour::Constant(*first))
            }
            _ => Err(self.wrong_operands(at, "two elements of one partition")),
        }
    }

    /// Returns the comparison of two colours or, component by component, of two tuples.
    fn comparison(&mut self, at: usize, relation: Relation, left: &[Summand], right: &[Summand]) -> Res<usize> {
        let (Some(left), Some(right)) = (colours(left), colours(right)) else {
            return Err(self.wrong_operands(at, "two colours of one sort"));
        };
        let same = left.len() == right.len() && left.iter().zip(&right).all(|((a, _), (b, _))| a == b);
        if !same || left.is_empty() {
            return Err(self.wrong_operands(at, "two colours of one sort"));
        }
        if left.len() > 1 && !matches!(relation, Relation::Equal | Relation::NotEqual) {
            return Err(self.wrong_operands(at, "two basic colours, because tuples have no order"));
        }
        let compare = |((class, a), (_, b)): (&(ClassId, Colour), &(ClassId, Colour))| {
            Test::Compare(relation, *class, None, [*a, *b])
        };
        let tests: Vec<Test> = left.iter().zip(&right).map(compare).collect();
        let tests: Vec<usize> = tests.into_iter().map(|test| self.push(test)).collect();
        Ok(match tests[..] {
            [test] => test,
            _ => self.push(Test::Join(relation == Relation::Equal, tests)),
        })
    }

    fn connective(&mut self, at: usize) -> Res<Value> {
        let mut tests = Vec::new();
        for value in self.operands(at) {
            match value {
                Value::Test(test) => tests.push(test),
                Value::Sum(sum) => match is_boolean(&sum) {
                    Some(colour) => tests.push(self.push(truth(colour))),
                    None => return Err(self.wrong_operands(at, "conditions")),
                },
                _ => return Err(self.wrong_operands(at, "conditions")),
            }
        }
        let test = match (self.tree.elements[at].name, &tests[..]) {
            ("not", [test]) => Test::Not(*test),
            ("imply", [first, second]) => {
                let not = self.push(Test::Not(*first));
                Test::Join(false, vec![not, *second])
            }
            ("not", _) => return Err(self.wrong_operands(at, "one condition")),
            ("imply", _) => return Err(self.wrong_operands(at, "two conditions")),
            (name, _) => Test::Join(name == "and", tests),
        };
        Ok(Value::Test(self.push(test)))
    }
}

fn one(class: ClassId, colour: Colour) -> Value {
    Value::Sum(vec![Summand { count: 1.into(), parts: vec![(class, Component::One(colour))] }])
}

/// If the sum is one tuple of colours, returns its components.
fn colours(sum: &[Summand]) -> Option<Vec<(ClassId, Colour)>> {
    let [Summand { count, parts }] = sum else { return None };
    let colour = |(class, part): &(ClassId, Component)| Some((*class, part.colour()?));
    parts.iter().map(colour).collect::<Option<Vec<_>>>().filter(|_| *count == BigInt::from(1))
}

/// If the sum is one basic colour, returns it.
fn basic(sum: &[Summand]) -> Option<(ClassId, Colour)> {
    match colours(sum)?[..] {
        [colour] => Some(colour),
        _ => None,
    }
}
