//! Reader for the lines of a file. Each line has a number that no other line has, and refers to earlier lines only.
//! So one pass gives all nodes in topological order.

use super::line::{Line, Word};
use super::ops::{self, Op, Shape};
use super::sorts::{BOOL, Sort};
use super::system::{Input, Kind, Node, Operand, StateLine, System};
use super::{Res, constant};
use formats::codes::{self, Code};
use formats::error::{Error, Text, printable};
use formats::source::Limits;
use formats::suggest;
use hashbrown::HashMap;
use std::ops::Range;

/// What the number of a line stands for.
#[derive(Clone, Copy)]
enum Item {
    Sort(Sort),
    /// The node at this position.
    Node(usize),
    /// A line without a value, such as `init`.
    Other,
}

struct Parser<'a, 'l> {
    text: Text<'a>,
    limits: &'l Limits,
    items: HashMap<u64, Item>,
    system: System<'a>,
    /// The place of the line that is being read.
    line: Range<usize>,
}

/// The share of the limit on nodes that lines may have: the other data about a line take memory, too.
const LINE_SHARE: usize = 4;
/// The share of the limit on inputs and latches that is the greatest width of a bit-vector.
const WIDTH_SHARE: usize = 16;

pub(super) fn system<'a>(text: Text<'a>, limits: &Limits) -> Res<System<'a>> {
    let line = 0..0;
    let mut parser = Parser { text, limits, items: HashMap::new(), system: System::default(), line };
    let mut at = 0;
    for line in text.text.split_inclusive('\n') {
        let end = at + line.trim_end_matches(['\n', '\r']).len();
        parser.line = at..end;
        parser.line(Line::new(text, at, end))?;
        at += line.len();
    }
    if parser.items.is_empty() {
        return Err(Error::whole(&codes::INPUT_EMPTY, text.name, "the file has no lines but comments"));
    }
    Ok(parser.system)
}

impl<'a> Parser<'a, '_> {
    fn line(&mut self, mut line: Line<'a>) -> Res<()> {
        let Some(first) = line.word() else { return Ok(()) };
        let id = self.free(&first)?;
        let word = line.expect("what the line defines")?;
        let item = match word.text {
            "sort" => Item::Sort(self.sort(&mut line)?),
            "input" => self.input(id, &mut line)?,
            "state" => self.state(id, &mut line)?,
            "init" | "next" => self.link(word.text == "init", &mut line)?,
            "bad" | "constraint" | "fair" | "output" => self.mark(word.text, &mut line)?,
            "justice" => self.justice(&mut line)?,
            "const" | "constd" | "consth" | "zero" | "one" | "ones" => self.constant(word.text, &mut line)?,
            name => match ops::ALL.iter().find(|row| row.0 == name) {
                Some(&(_, op, shape)) => self.operation(op, shape, &word, &mut line)?,
                None => return Err(self.unknown(&word)),
            },
        };
        line.symbol(self.limits.name_length)?;
        self.items.insert(id, item);
        let most = self.limits.nodes / LINE_SHARE;
        if self.items.len() > most {
            return Err(self.error(&codes::LIMIT_NODES, first.at, format!("more than {most} lines")));
        }
        Ok(())
    }

    fn error(&self, code: &'static Code, at: Range<usize>, message: impl Into<String>) -> Box<Error> {
        self.text.error(code, at, message)
    }

    /// Reads the number of a new line.
    fn free(&self, word: &Word<'_>) -> Res<u64> {
        let id = self.id(word, word.text, "the number of the line, from 1")?;
        if self.items.contains_key(&id) {
            let error = self.error(&codes::BTOR2_DEFINED, word.at.clone(), format!("{id} is defined twice"));
            return Err(error.label("again here"));
        }
        Ok(id)
    }

    fn id(&self, word: &Word<'_>, digits: &str, expected: &str) -> Res<u64> {
        match digits.parse::<u64>() {
            Ok(id) if id > 0 && digits.bytes().all(|byte| byte.is_ascii_digit()) => Ok(id),
            _ => {
                let message = format!("`{}` is not the number of a line", printable(word.text));
                Err(self.error(&codes::BTOR2_SYNTAX, word.at.clone(), message).label(format!("expected {expected}")))
            }
        }
    }

    fn unknown(&self, word: &Word<'_>) -> Box<Error> {
        let message = format!("`{}` is not an operator", printable(word.text));
        let error = self.error(&codes::BTOR2_OPERATOR, word.at.clone(), message);
        let known = ops::ALL.iter().map(|row| row.0).chain(ops::OTHERS.iter().copied());
        if ops::VERSION_1.contains(&word.text) {
            error.hint("this word belongs to the first version of BTOR, which is not supported")
        } else if let Some(near) = suggest::nearest(word.text, known) {
            error.hint(format!("did you mean `{near}`?"))
        } else {
            error.hint("docs/btor2.md lists all operators")
        }
    }

    fn sort(&self, line: &mut Line<'a>) -> Res<Sort> {
        let kind = line.expect("`bitvec` or `array`")?;
        match kind.text {
            "bitvec" => {
                let (width, at) = line.number("a width from 1")?;
                let most = self.limits.ports / WIDTH_SHARE;
                if width == 0 {
                    return Err(self.error(&codes::BTOR2_SORT, at, "no bit-vector has 0 bits"));
                }
                if width as usize > most {
                    return Err(self.error(&codes::LIMIT_PORTS, at, format!("a bit-vector of more than {most} bits")));
                }
                Ok(Sort::Bits(width))
            }
            "array" => {
                let [index, element] = [self.sort_of(line)?, self.sort_of(line)?];
                let (Sort::Bits(index), Sort::Bits(element)) = (index, element) else {
                    let error =
                        self.error(&codes::BTOR2_SORT, kind.at, "an array of arrays, or with an array as index");
                    return Err(error.hint("index and elements of an array must be bit-vectors"));
                };
                Ok(Sort::Array { index, element })
            }
            other => {
                let message = format!("`{}` is not a kind of sort", printable(other));
                Err(self.error(&codes::BTOR2_SYNTAX, kind.at, message).label("expected `bitvec` or `array`"))
            }
        }
    }

    /// Reads the number of a sort.
    fn sort_of(&self, line: &mut Line<'a>) -> Res<Sort> {
        let word = line.expect("the number of a sort")?;
        let id = self.id(&word, word.text, "the number of a sort")?;
        match self.items.get(&id) {
            Some(Item::Sort(sort)) => Ok(*sort),
            Some(_) => {
                let error = self.error(&codes::BTOR2_UNDEFINED, word.at, format!("the line {id} defines no sort"));
                Err(error.label("expected the number of a sort"))
            }
            None => Err(self.undefined(&word, id)),
        }
    }

    fn undefined(&self, word: &Word<'_>, id: u64) -> Box<Error> {
        let error = self.error(&codes::BTOR2_UNDEFINED, word.at.clone(), format!("{id} is not defined yet"));
        error.label("not defined").hint("a line refers to earlier lines only")
    }

    /// Reads the number of a node, perhaps negated.
    fn operand(&self, line: &mut Line<'a>) -> Res<(Operand, Range<usize>)> {
        let word = line.expect("the number of a node")?;
        let digits = word.text.strip_prefix('-').unwrap_or(word.text);
        let is_negated = digits.len() < word.text.len();
        let id = self.id(&word, digits, "the number of a node")?;
        match self.items.get(&id) {
            Some(&Item::Node(node)) if is_negated && matches!(self.system.nodes[node].sort, Sort::Array { .. }) => {
                Err(self.error(&codes::BTOR2_SORT, word.at, format!("{id} is an array, and arrays have no negation")))
            }
            Some(&Item::Node(node)) => Ok((Operand::new(node, is_negated), word.at)),
            Some(_) => {
                let error = self.error(&codes::BTOR2_UNDEFINED, word.at, format!("the line {id} defines no value"));
                Err(error.label("expected the number of a node"))
            }
            None => Err(self.undefined(&word, id)),
        }
    }

    /// Reads the number of a node of one bit.
    fn bit(&self, line: &mut Line<'a>) -> Res<Operand> {
        let (operand, at) = self.operand(line)?;
        match self.system.sort(operand) {
            BOOL => Ok(operand),
            sort => Err(self.error(&codes::BTOR2_SORT, at, format!("this has {sort}")).label("expected 1 bit")),
        }
    }

    fn node(&mut self, kind: Kind, sort: Sort, reads_input: bool) -> Item {
        // The limit on bytes keeps every position below 2^32.
        let [start, end] = [self.line.start, self.line.end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        self.system.nodes.push(Node { kind, sort, at: (start, end), reads_input });
        Item::Node(self.system.nodes.len() - 1)
    }

    fn input(&mut self, id: u64, line: &mut Line<'a>) -> Res<Item> {
        let sort = self.sort_of(line)?;
        let symbol = line.symbol(self.limits.name_length)?;
        let number = position(self.system.inputs.len());
        self.system.inputs.push(Input { id, symbol });
        Ok(self.node(Kind::Input(number), sort, true))
    }

    fn state(&mut self, id: u64, line: &mut Line<'a>) -> Res<Item> {
        let sort = self.sort_of(line)?;
        let symbol = line.symbol(self.limits.name_length)?;
        let number = position(self.system.states.len());
        self.system.states.push(StateLine { id, symbol, init: None, next: None });
        Ok(self.node(Kind::State(number), sort, false))
    }

    /// Reads `init` or `next`.
    fn link(&mut self, is_init: bool, line: &mut Line<'a>) -> Res<Item> {
        let sort = self.sort_of(line)?;
        let (of, of_at) = self.operand(line)?;
        let (value, value_at) = self.operand(line)?;
        let number = match self.system.nodes[of.node()].kind {
            Kind::State(number) if !of.is_negated() => number as usize,
            _ => {
                let error = self.error(&codes::BTOR2_STATE, of_at, "this is not a state");
                return Err(error.label("expected the number of a state"));
            }
        };
        let found = self.system.sort(value);
        let fills = is_init && matches!(sort, Sort::Array { element, .. } if found == Sort::Bits(element));
        if self.system.sort(of) != sort {
            return Err(self.sorts(of_at, "the state has", self.system.sort(of), sort));
        }
        if found != sort && !fills {
            return Err(self.sorts(value_at, "the value has", found, sort));
        }
        if is_init {
            self.check_init(of, value, value_at)?;
        }
        let state = &mut self.system.states[number];
        let place = if is_init { &mut state.init } else { &mut state.next };
        if place.replace(value).is_some() {
            let what = if is_init { "initial" } else { "next" };
            let message = format!("a second {what} value of the same state");
            return Err(self.error(&codes::BTOR2_DEFINED, self.line.clone(), message).label("again here"));
        }
        Ok(Item::Other)
    }

    fn sorts(&self, at: Range<usize>, what: &str, found: Sort, declared: Sort) -> Box<Error> {
        let error = self.error(&codes::BTOR2_SORT, at, format!("{what} {found}, and the line declares {declared}"));
        error.label(format!("expected {declared}"))
    }

    /// Refuses initial values that the format does not allow: they stand before the state, and read no input.
    fn check_init(&self, state: Operand, value: Operand, at: Range<usize>) -> Res<()> {
        if value.node() >= state.node() {
            let error = self.error(&codes::BTOR2_STATE, at, "the initial value does not stand before the state");
            return Err(error.hint("an initial value may use only what stands before the line of its state"));
        }
        if self.system.nodes[value.node()].reads_input {
            let error = self.error(&codes::BTOR2_STATE, at, "the initial value depends on an input");
            return Err(error.hint("use a state without `init` instead of the input"));
        }
        Ok(())
    }

    fn mark(&mut self, word: &str, line: &mut Line<'a>) -> Res<Item> {
        if word == "output" {
            self.operand(line)?;
            return Ok(Item::Other);
        }
        let value = self.bit(line)?;
        match word {
            "bad" => {
                let symbol = line.symbol(self.limits.name_length)?;
                self.system.bad.push((value, symbol));
            }
            "constraint" => self.system.constraints.push(value),
            _ => {
                self.system.fairness.push(value);
                self.system.fairness_at.get_or_insert(self.line.clone());
            }
        }
        Ok(Item::Other)
    }

    fn justice(&mut self, line: &mut Line<'a>) -> Res<Item> {
        let (count, _) = line.number("the number of conditions")?;
        let operands = (0..count).map(|_| self.bit(line)).collect::<Res<_>>()?;
        let symbol = line.symbol(self.limits.name_length)?;
        self.system.justice.push((operands, symbol));
        Ok(Item::Other)
    }

    fn constant(&mut self, word: &str, line: &mut Line<'a>) -> Res<Item> {
        let word_at = self.line.clone();
        let sort = self.sort_of(line)?;
        let Sort::Bits(width) = sort else {
            return Err(self.error(&codes::BTOR2_SORT, word_at, "a constant is a bit-vector, and this sort an array"));
        };
        let start = self.system.constants.len();
        if start + width as usize > self.limits.nodes {
            let message = format!("constants of more than {} bits", self.limits.nodes);
            return Err(self.error(&codes::LIMIT_NODES, word_at, message));
        }
        let base = match word {
            "const" => 2,
            "constd" => 10,
            "consth" => 16,
            _ => {
                let bit = |at| word == "ones" || (word == "one" && at == 0);
                self.system.constants.extend((0..width).map(bit));
                return Ok(self.node(Kind::Constant(position(start)), sort, false));
            }
        };
        let digits = line.expect("the digits of the constant")?;
        if base != 2 && digits.text.len() > self.limits.token_digits {
            let message = format!("the constant has more than {} digits", self.limits.token_digits);
            return Err(self.error(&codes::LIMIT_DIGITS, digits.at, message).label("too long"));
        }
        let bits = constant::bits(digits.text, base, width).map_err(|why| {
            let message = format!("`{}` is not a constant of {sort}: {why}", printable(digits.text));
            self.error(&codes::BTOR2_CONSTANT, digits.at.clone(), message)
        })?;
        self.system.constants.extend(bits);
        Ok(self.node(Kind::Constant(position(start)), sort, false))
    }

    fn operation(&mut self, op: Op, shape: Shape, word: &Word<'a>, line: &mut Line<'a>) -> Res<Item> {
        let declared = self.sort_of(line)?;
        let (operands_count, numbers_count) = shape.counts();
        let (mut operands, mut sorts, mut numbers) = ([Operand::NONE; 3], [BOOL; 3], [0; 2]);
        for at in 0..operands_count {
            operands[at] = self.operand(line)?.0;
            sorts[at] = self.system.sort(operands[at]);
        }
        for number in numbers.iter_mut().take(numbers_count) {
            *number = line.number("a number")?.0;
        }
        let sorts = &sorts[..operands_count];
        match shape.result(sorts, numbers) {
            Some(result) if result == declared => {}
            Some(result) => return Err(self.sorts(word.at.clone(), "the result has", result, declared)),
            None => {
                let found: Vec<String> = sorts.iter().map(Sort::to_string).collect();
                let numbers: Vec<String> = numbers[..numbers_count].iter().map(u32::to_string).collect();
                let with = if numbers.is_empty() { String::new() } else { format!(" with {}", numbers.join(", ")) };
                let message = format!("`{}`{with} does not apply to {}", word.text, found.join(", "));
                let error = self.error(&codes::BTOR2_SORT, self.line.clone(), message);
                return Err(error.label(format!("expected {}", shape.operands())));
            }
        }
        let used = &operands[..operands_count];
        let reads_input = used.iter().any(|operand| self.system.nodes[operand.node()].reads_input);
        let count = u8::try_from(operands_count).unwrap_or(u8::MAX);
        Ok(self.node(Kind::Operation { op, operands, count, numbers }, declared, reads_input))
    }
}

/// Returns a position in 32 bits. The limit on lines keeps every position below 2^31.
fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
