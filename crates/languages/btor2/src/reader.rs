//! From a text to checked lines.
//!
//! Every line is read on its own: a number, a keyword, then what the keyword asks for. Numbers of lines are looked up in a table; a line
//! may use only lines before it. Reading stops at the first mistake, since most later ones would follow from it.

use crate::circuit::{Argument, BitSort, Btor2, LineIndex, Node};
use crate::numeral;
use crate::operator::{OPERATORS, Operator};
use crate::result_sort::{mismatch, result_sort, shown};
use crate::tokens::{Token, lines};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// No bit vector is wider.
const MOST_BITS: u32 = 1 << 16;

pub(crate) type Problem = Box<Diagnostic>;

/// Reads a circuit.
pub fn read(source: &Source) -> Result<Btor2, Diagnostics> {
    let mut reader = Reader::default();
    for words in lines(source.text()) {
        reader
            .line(&words)
            .map_err(|problem| Diagnostics::from(problem.within(source.text())))?;
    }
    Ok(reader.circuit)
}

/// What a number stands for.
#[derive(Clone, Copy)]
enum Defined {
    Sort(BitSort),
    Node(LineIndex),
}

#[derive(Default)]
struct Reader {
    circuit: Btor2,
    defined: FxHashMap<u64, (Defined, Span)>,
    /// States that have a first value, and a next one.
    started: FxHashMap<LineIndex, Span>,
    continued: FxHashMap<LineIndex, Span>,
    /// For each node, whether its value depends on inputs.
    reads_inputs: Vec<bool>,
    /// The constants `ones`, by width.
    all_ones: FxHashMap<u32, Arc<BigUint>>,
}

/// The words of one line that have not been read yet.
struct Rest<'t, 'a> {
    words: &'t [Token<'a>],
    at: usize,
    /// The end of the line so far.
    end: Span,
}

impl<'a> Rest<'_, 'a> {
    fn take(&mut self, expected: &str) -> Result<Token<'a>, Problem> {
        match self.words.get(self.at) {
            Some(&word) => {
                self.at += 1;
                Ok(word)
            }
            None => Err(problem(
                "btor2::syntax",
                format!("the line ends where {expected} should be"),
                self.end,
                format!("expected {expected} after this"),
            )),
        }
    }

    fn number(&mut self, expected: &str) -> Result<(u32, Span), Problem> {
        let word = self.take(expected)?;
        let number = word.text.parse().map_err(|_| unexpected(word, expected))?;
        Ok((number, word.span))
    }
}

/// Something wrong with the text.
pub(crate) fn problem(
    code: &'static str,
    message: impl Into<String>,
    span: Span,
    label: impl Into<String>,
) -> Problem {
    Box::new(Diagnostic::error(code, message, span, label))
}

fn unexpected(word: Token<'_>, expected: &str) -> Problem {
    problem(
        "btor2::syntax",
        format!("expected {expected}, found `{}`", shortened(word.text)),
        word.span,
        format!("expected {expected}"),
    )
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 {
        text.to_owned()
    } else {
        text.chars().take(40).chain(['…']).collect()
    }
}

impl Reader {
    fn line(&mut self, words: &[Token<'_>]) -> Result<(), Problem> {
        let mut rest = Rest {
            words,
            at: 0,
            end: words.last().map(|word| word.span).unwrap_or_default(),
        };
        let number = rest.take("a line number")?;
        let id: u64 = match number.text.parse() {
            Ok(id) if id > 0 => id,
            _ => {
                let mut wrong = unexpected(number, "the number of a line");
                wrong.help = Some(
                    "every line begins with a positive number, then a keyword; comments begin with `;`"
                        .into(),
                );
                return Err(wrong);
            }
        };
        if let Some(&(_, earlier)) = self.defined.get(&id) {
            return Err(problem(
                "btor2::redefined",
                format!("line {id} is defined twice"),
                number.span,
                "defined again here",
            )
            .with_label(earlier, "first defined here")
            .into());
        }
        let keyword = rest.take("a keyword")?;
        if keyword.text == "sort" {
            let sort = self.sort_definition(&mut rest)?;
            self.symbol(&mut rest)?;
            self.defined.insert(id, (Defined::Sort(sort), number.span));
            return Ok(());
        }
        let node = self.node(keyword, &mut rest)?;
        let reads_inputs = self.depends_on_inputs(&node);
        let symbol = self.symbol(&mut rest)?;
        let line = self.circuit.add_numbered(node, id, symbol);
        self.reads_inputs.push(reads_inputs);
        self.defined.insert(id, (Defined::Node(line), number.span));
        Ok(())
    }

    /// The name at the end of a line.
    fn symbol(&self, rest: &mut Rest<'_, '_>) -> Result<Option<String>, Problem> {
        let symbol = rest.words.get(rest.at).map(|word| word.text.to_owned());
        match rest.words.get(rest.at + 1) {
            None => Ok(symbol),
            Some(&word) => Err(unexpected(word, "the end of the line")),
        }
    }

    fn sort_definition(&self, rest: &mut Rest<'_, '_>) -> Result<BitSort, Problem> {
        let kind = rest.take("`bitvec` or `array`")?;
        match kind.text {
            "bitvec" => match rest.number("a number of bits")? {
                (0, span) => Err(mismatch("a bit vector has at least one bit", span, "no bits")),
                (width, span) if width > MOST_BITS => Err(mismatch(
                    format!("bit vectors of more than {MOST_BITS} bits are not supported"),
                    span,
                    "too wide",
                )),
                (width, _) => Ok(BitSort::Bits(width)),
            },
            "array" => {
                let mut part = |what: &str| match self.sort(rest)? {
                    (BitSort::Bits(width), _) => Ok(width),
                    (other, span) => Err(mismatch(
                        format!("arrays have bit vectors as {what}, not arrays"),
                        span,
                        format!("this is {}", shown(other)),
                    )),
                };
                let index = part("indices")?;
                let element = part("elements")?;
                Ok(BitSort::Array { index, element })
            }
            _ => Err(unexpected(kind, "`bitvec` or `array`")),
        }
    }

    /// The number of a sort.
    fn sort(&self, rest: &mut Rest<'_, '_>) -> Result<(BitSort, Span), Problem> {
        let word = rest.take("the number of a sort")?;
        let id: u64 = word
            .text
            .parse()
            .map_err(|_| unexpected(word, "the number of a sort"))?;
        match self.defined.get(&id) {
            Some((Defined::Sort(sort), _)) => Ok((*sort, word.span)),
            Some((Defined::Node(_), place)) => {
                Err(
                    mismatch(format!("line {id} is no sort"), word.span, "expected a sort")
                        .with_label(*place, "this line")
                        .into(),
                )
            }
            None => Err(undefined(id, word.span)),
        }
    }

    fn bit_vector(&self, rest: &mut Rest<'_, '_>) -> Result<u32, Problem> {
        match self.sort(rest)? {
            (BitSort::Bits(width), _) => Ok(width),
            (other, span) => Err(mismatch(
                "expected the sort of a bit vector",
                span,
                format!("this is {}", shown(other)),
            )),
        }
    }

    /// A use of an earlier line that has a value.
    fn argument(&self, rest: &mut Rest<'_, '_>) -> Result<(Argument, BitSort, Span), Problem> {
        let word = rest.take("the number of a line")?;
        let (negated, digits) = match word.text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, word.text),
        };
        let id: u64 = digits
            .parse()
            .map_err(|_| unexpected(word, "the number of a line"))?;
        let line = match self.defined.get(&id) {
            Some((Defined::Node(line), _)) => *line,
            Some((Defined::Sort(_), _)) => {
                return Err(mismatch(
                    format!("line {id} is a sort, not a value"),
                    word.span,
                    "expected a value",
                ));
            }
            None => return Err(undefined(id, word.span)),
        };
        let Some(sort) = self.circuit.sort(line) else {
            return Err(mismatch(
                format!("line {id} has no value"),
                word.span,
                "expected a value",
            ));
        };
        if negated && matches!(sort, BitSort::Array { .. }) {
            return Err(mismatch(
                "an array cannot be negated",
                word.span,
                format!("this is {}", shown(sort)),
            ));
        }
        Ok((Argument { line, negated }, sort, word.span))
    }

    /// An argument that must have a given sort.
    fn expect(&self, rest: &mut Rest<'_, '_>, expected: BitSort) -> Result<Argument, Problem> {
        let (argument, sort, span) = self.argument(rest)?;
        if sort != expected {
            return Err(mismatch(
                format!("expected {}, found {}", shown(expected), shown(sort)),
                span,
                format!("this is {}", shown(sort)),
            ));
        }
        Ok(argument)
    }

    fn node(&mut self, keyword: Token<'_>, rest: &mut Rest<'_, '_>) -> Result<Node, Problem> {
        const BIT: BitSort = BitSort::Bits(1);
        Ok(match keyword.text {
            "input" => Node::Input(self.sort(rest)?.0),
            "state" => Node::State(self.sort(rest)?.0),
            "zero" | "one" | "ones" => {
                let width = self.bit_vector(rest)?;
                let bits = match keyword.text {
                    "zero" => Arc::new(BigUint::from(0u32)),
                    "one" => Arc::new(BigUint::from(1u32)),
                    // Shared: a short line stands for many bits.
                    _ => self
                        .all_ones
                        .entry(width)
                        .or_insert_with(|| Arc::new((BigUint::from(1u32) << width) - 1u32))
                        .clone(),
                };
                Node::Constant { width, bits }
            }
            "const" | "constd" | "consth" => {
                let width = self.bit_vector(rest)?;
                let word = rest.take("a constant")?;
                let bits = numeral::bits(keyword.text, word.text, width)
                    .map_err(|reason| problem("btor2::constant", reason, word.span, "this constant"))?;
                let bits = Arc::new(bits);
                Node::Constant { width, bits }
            }
            "init" => self.init(rest)?,
            "next" => {
                let (sort, _) = self.sort(rest)?;
                let (state, span) = self.state(rest, sort)?;
                let value = self.expect(rest, sort)?;
                only_once(&mut self.continued, state, span, "next value")?;
                Node::Next { state, value }
            }
            "bad" => Node::Bad(self.expect(rest, BIT)?),
            "constraint" => Node::Constraint(self.expect(rest, BIT)?),
            "fair" => Node::Fair(self.expect(rest, BIT)?),
            "output" => Node::Output(self.argument(rest)?.0),
            "justice" => {
                let (count, span) = rest.number("a number of conditions")?;
                if count as usize > rest.words.len() {
                    return Err(problem(
                        "btor2::syntax",
                        format!("{count} conditions are announced, but the line is shorter"),
                        span,
                        "too many",
                    ));
                }
                let conditions: Result<Vec<Argument>, Problem> =
                    (0..count).map(|_| self.expect(rest, BIT)).collect();
                Node::Justice(conditions?)
            }
            name => match Operator::named(name) {
                Some(operator) => self.operation(operator, rest)?,
                None => return Err(unknown_keyword(keyword)),
            },
        })
    }

    /// The state that `init` and `next` are about.
    fn state(&self, rest: &mut Rest<'_, '_>, sort: BitSort) -> Result<(LineIndex, Span), Problem> {
        let (argument, found, span) = self.argument(rest)?;
        if !matches!(self.circuit.node(argument.line), Node::State(_)) || argument.negated {
            return Err(mismatch("expected a state", span, "this is no state"));
        }
        if found != sort {
            return Err(mismatch(
                format!(
                    "the line's sort is {}, the state's is {}",
                    shown(sort),
                    shown(found)
                ),
                span,
                format!("this is {}", shown(found)),
            ));
        }
        Ok((argument.line, span))
    }

    fn init(&mut self, rest: &mut Rest<'_, '_>) -> Result<Node, Problem> {
        let (sort, _) = self.sort(rest)?;
        let (state, state_span) = self.state(rest, sort)?;
        let (value, found, span) = self.argument(rest)?;
        let fits = match (sort, found) {
            (BitSort::Array { element, .. }, BitSort::Bits(width)) => element == width,
            _ => sort == found,
        };
        if !fits {
            return Err(mismatch(
                format!("the state is {}, its first value {}", shown(sort), shown(found)),
                span,
                format!("this is {}", shown(found)),
            ));
        }
        if self.reads_inputs[value.line.index()] {
            return Err(problem(
                "btor2::init",
                "a first value cannot depend on inputs",
                span,
                "this depends on an input",
            )
            .with_help("use a state without `next` instead of the input")
            .into());
        }
        if value.line > state {
            return Err(problem(
                "btor2::init",
                "a first value must be defined before its state",
                span,
                "defined after the state",
            )
            .with_label(state_span, "this state")
            .with_help("give the state a larger number than the value, and move it behind")
            .into());
        }
        only_once(&mut self.started, state, state_span, "first value")?;
        Ok(Node::Init { state, value })
    }

    fn operation(&self, operator: Operator, rest: &mut Rest<'_, '_>) -> Result<Node, Problem> {
        let shape = operator.shape();
        let (sort, sort_span) = self.sort(rest)?;
        let mut arguments = Vec::with_capacity(shape.arguments());
        let mut sorts = Vec::with_capacity(shape.arguments());
        for _ in 0..shape.arguments() {
            let (argument, sort, span) = self.argument(rest)?;
            arguments.push(argument);
            sorts.push((sort, span));
        }
        let mut numbers = Vec::new();
        for _ in 0..shape.numbers() {
            numbers.push(rest.number("a number")?);
        }
        let result = result_sort(operator, sort, &sorts, &numbers)?;
        if result != sort {
            return Err(mismatch(
                format!(
                    "`{}` gives {} here, but the line's sort is {}",
                    operator.name(),
                    shown(result),
                    shown(sort)
                ),
                sort_span,
                format!("this is {}", shown(sort)),
            ));
        }
        Ok(Node::Operation {
            sort,
            operator,
            arguments,
            numbers: numbers.into_iter().map(|(number, _)| number).collect(),
        })
    }

    fn depends_on_inputs(&self, node: &Node) -> bool {
        match node {
            Node::Input(_) => true,
            Node::Operation { arguments, .. } => arguments
                .iter()
                .any(|argument| self.reads_inputs[argument.line.index()]),
            _ => false,
        }
    }
}

fn undefined(id: u64, span: Span) -> Problem {
    problem(
        "btor2::undefined",
        format!("line {id} is not defined before it is used"),
        span,
        "no such line above",
    )
}

fn only_once(
    known: &mut FxHashMap<LineIndex, Span>,
    state: LineIndex,
    span: Span,
    what: &str,
) -> Result<(), Problem> {
    match known.insert(state, span) {
        None => Ok(()),
        Some(earlier) => Err(problem(
            "btor2::redefined",
            format!("the state gets a second {what}"),
            span,
            "again here",
        )
        .with_label(earlier, "first here")
        .into()),
    }
}

/// The keywords that are no operators.
const OTHER_KEYWORDS: [&str; 16] = [
    "sort",
    "input",
    "state",
    "init",
    "next",
    "bad",
    "constraint",
    "fair",
    "justice",
    "output",
    "zero",
    "one",
    "ones",
    "const",
    "constd",
    "consth",
];

fn unknown_keyword(keyword: Token<'_>) -> Problem {
    let known = OTHER_KEYWORDS
        .into_iter()
        .chain(OPERATORS.iter().map(|row| row.0));
    let similar = entail_source::nearest(keyword.text, known);
    let wrong = problem(
        "btor2::keyword",
        format!("`{}` is no keyword of BTOR2", shortened(keyword.text)),
        keyword.span,
        "unknown",
    );
    match similar {
        Some(name) => wrong.with_help(format!("did you mean `{name}`?")).into(),
        None => wrong,
    }
}
