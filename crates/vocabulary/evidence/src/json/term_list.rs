//! Invariants as lists of nodes: a formula that is a graph, one line a node.
//!
//! ```json
//! "nodes": ["var x", "bit 1 3", "var y", "or 2 -3", "var z", "bit 5 0", "or -2 6", "and 4 7"]
//! ```
//!
//! Each line is an operator with its operands: numbers of earlier lines, counted from 1, with a minus for Boolean negation; then
//! the operator's own numbers. The last line is the formula. An invariant of IC3 is a list of clauses over bits, and that is what it looks like;
//! one of the BDD engine is a graph of `ite`. A shared part is written once, so the text is as long as the graph is large.
//!
//! | line | meaning |
//! |---|---|
//! | `var NAME` | a variable of the model (the rest of the line is its name) |
//! | `monitor N` | Boolean variable number `N` (from 0) that the reduction adds to the model ([`crate::LivenessCertificate`]) |
//! | `true`, `int N`, `symbol NAME`, `word 0ud4_3` | constants |
//! | `bit T N` | bit `N` of the word `T` is 1 |
//! | `and T…`, `or T…`, `ite T T T`, `= T T`, `< T T` | as usual |
//! | `+ - * / mod`, `neg`, `band bor bxor bnot`, `shl shr`, `concat`, `extract T HIGH LOW`, `extend T BY` | words and integers |
//! | `signed T`, `unsigned T`, `word1 T`, `toint T`, `toword T WIDTH SIGNED` | conversions |
//! | `read T T`, `write T T T` | arrays |
//!
//! Array constants have no line; an invariant with one is saved as text only.

use super::document::{ReadError, list};
use crate::Certificate;
use entail_model::{Op, Sort, TermId, Terms, TransitionSystem, Value, VarId, Word};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

/// The widest word a document may ask for.
const WIDEST: u32 = 1 << 20;

/// Operators without numbers of their own, with their names and how many operands they take.
const OPERATORS: [(&str, Op, usize); 20] = [
    ("ite", Op::Ite, 3),
    ("=", Op::Equal, 2),
    ("<", Op::Less, 2),
    ("+", Op::Add, 2),
    ("-", Op::Subtract, 2),
    ("*", Op::Multiply, 2),
    ("/", Op::Divide, 2),
    ("mod", Op::Remainder, 2),
    ("neg", Op::Negate, 1),
    ("band", Op::BitAnd, 2),
    ("bor", Op::BitOr, 2),
    ("bxor", Op::BitXor, 2),
    ("bnot", Op::BitNot, 1),
    ("shl", Op::ShiftLeft, 2),
    ("shr", Op::ShiftRight, 2),
    ("concat", Op::Concat, 2),
    ("word1", Op::BoolToWord, 1),
    ("toint", Op::WordToInt, 1),
    ("read", Op::Read, 2),
    ("write", Op::Write, 3),
];

/// The formula of a certificate as a list of lines; none if it has a part without a line.
pub(super) fn to_json(system: &TransitionSystem, certificate: &Certificate) -> Option<Json> {
    let terms = &certificate.terms;
    let mut writer = LineWriter::new(system, terms);
    let root = writer.add(certificate.invariant)?;
    let mut lines = writer.lines;
    // The last line is the formula: a negation or a repetition gets one of its own.
    if root != lines.len() as i64 {
        let line = match terms.sort(certificate.invariant) {
            Sort::Bool => format!("and {root}"),
            _ => {
                lines.push("true".into());
                format!("ite {} {root} {root}", lines.len())
            }
        };
        lines.push(line.into());
    }
    Some(Json::Array(lines))
}

/// Writes terms as lines, what they share once.
pub(super) struct LineWriter<'a> {
    system: &'a TransitionSystem,
    terms: &'a Terms,
    pub lines: Vec<Json>,
    /// Where each term is: negations have no line of their own.
    at: FxHashMap<TermId, i64>,
}

impl<'a> LineWriter<'a> {
    pub(super) fn new(system: &'a TransitionSystem, terms: &'a Terms) -> LineWriter<'a> {
        LineWriter {
            system,
            terms,
            lines: Vec::new(),
            at: FxHashMap::default(),
        }
    }

    /// The number of a term, negative if it is negated; none if it has a part without a line.
    pub(super) fn add(&mut self, root: TermId) -> Option<i64> {
        // Operands have smaller numbers than the terms that use them, so a list of pending terms does instead of recursion.
        let mut pending = vec![root];
        while let Some(&term) = pending.last() {
            if self.at.contains_key(&term) {
                pending.pop();
                continue;
            }
            let unknown = self.terms.operands(term).iter().copied();
            let unknown: Vec<TermId> = unknown.filter(|operand| !self.at.contains_key(operand)).collect();
            if unknown.is_empty() {
                pending.pop();
                self.write(term)?;
            } else {
                pending.extend(unknown.into_iter().rev());
            }
        }
        self.at.get(&root).copied()
    }

    /// Writes a term whose operands are there.
    fn write(&mut self, term: TermId) -> Option<()> {
        let operands = self.terms.operands(term);
        let at = &mut self.at;
        let numbers = |at: &FxHashMap<TermId, i64>| -> String {
            let each = operands.iter().map(|operand| format!(" {}", at[operand]));
            each.collect()
        };
        let line = match self.terms.op(term) {
            Op::Not => {
                let negated = -at[&operands[0]];
                at.insert(term, negated);
                return Some(());
            }
            Op::AsInteger => {
                // The constructors put it back where it is needed.
                let same = at[&operands[0]];
                at.insert(term, same);
                return Some(());
            }
            Op::Current(variable) => match self.system.variables().get(variable.index()) {
                Some(variable) => format!("var {}", variable.name),
                None => format!("monitor {}", variable.index() - self.system.variables().len()),
            },
            Op::Constant(value) => match value {
                Value::Bool(truth) => {
                    let number = self.lines.len() as i64 + 1;
                    at.insert(term, if *truth { number } else { -number });
                    self.lines.push("true".into());
                    return Some(());
                }
                Value::Int(number) => format!("int {number}"),
                Value::Symbol(name) => format!("symbol {name}"),
                Value::Word(word) => format!("word {word}"),
                Value::Array(_) => return None,
            },
            Op::And => format!("and{}", numbers(at)),
            Op::Or => format!("or{}", numbers(at)),
            Op::Equal => match single_bit(self.terms, term) {
                Some((word, bit)) => format!("bit {} {bit}", at[&word]),
                None => format!("={}", numbers(at)),
            },
            Op::Extract { high, low } => format!("extract{} {high} {low}", numbers(at)),
            Op::Extend { by } => format!("extend{} {by}", numbers(at)),
            Op::Reinterpret { signed: true } => format!("signed{}", numbers(at)),
            Op::Reinterpret { signed: false } => format!("unsigned{}", numbers(at)),
            Op::IntToWord { width, signed } => {
                format!("toword{} {width} {}", numbers(at), u8::from(*signed))
            }
            Op::Next(_) | Op::ConstantArray => return None,
            op => {
                let (name, _, _) = OPERATORS.iter().find(|(_, known, _)| known == op)?;
                format!("{name}{}", numbers(at))
            }
        };
        self.lines.push(line.into());
        at.insert(term, self.lines.len() as i64);
        Some(())
    }
}

/// The word and the bit of `word[bit:bit] = 0ud1_1`.
fn single_bit(terms: &Terms, term: TermId) -> Option<(TermId, u32)> {
    let [a, b] = *terms.operands(term) else {
        return None;
    };
    [(a, b), (b, a)].into_iter().find_map(|(bit, one)| {
        let Op::Extract { high, low } = terms.op(bit) else {
            return None;
        };
        let is_one = terms.as_constant(one)?.as_word()?.to_u64() == Some(1);
        (high == low && is_one).then(|| (terms.operands(bit)[0], *high))
    })
}

/// The certificate of a list of lines. `monitors` says how many Boolean variables follow the model's.
pub(super) fn from_json(
    system: &TransitionSystem,
    monitors: usize,
    json: &Json,
    place: &str,
) -> Result<Certificate, ReadError> {
    let read = term_from_json(system, monitors, json, place)?;
    match read.terms.sort(read.invariant) {
        Sort::Bool => Ok(read),
        _ => Err(ReadError::shape(place, "the last line is not a condition")),
    }
}

/// The term of a list of lines, of any sort.
pub(super) fn term_from_json(
    system: &TransitionSystem,
    monitors: usize,
    json: &Json,
    place: &str,
) -> Result<Certificate, ReadError> {
    let read = read_lines(system, monitors, json, place)?;
    match read.known.last() {
        Some(&invariant) => Ok(Certificate {
            terms: read.terms,
            invariant,
        }),
        None => Err(ReadError::shape(place, "expected at least one line")),
    }
}

/// Lines with the term of each.
pub(super) fn read_lines<'a>(
    system: &'a TransitionSystem,
    monitors: usize,
    json: &Json,
    place: &str,
) -> Result<LineReader<'a>, ReadError> {
    let names = system.variables().iter().enumerate();
    let mut reader = LineReader {
        system,
        monitors,
        names: names
            .map(|(position, variable)| (&*variable.name, position))
            .collect(),
        terms: Terms::new(),
        known: Vec::new(),
    };
    for (at, line) in list(json, place)?.iter().enumerate() {
        let here = || format!("{place}[{at}]");
        let text = line
            .as_str()
            .ok_or_else(|| ReadError::shape(here(), "expected a line of text"))?;
        let term = reader.line(text).map_err(|problem| problem.at(&here()))?;
        reader.known.push(term);
    }
    Ok(reader)
}

enum Problem {
    Shape(String),
    Foreign(String),
}

impl Problem {
    fn at(self, place: &str) -> ReadError {
        match self {
            Problem::Shape(expected) => ReadError::shape(place, expected),
            Problem::Foreign(problem) => ReadError::foreign(place, problem),
        }
    }
}

impl From<entail_model::SortError> for Problem {
    fn from(error: entail_model::SortError) -> Problem {
        Problem::Foreign(error.to_string())
    }
}

fn shape(expected: impl Into<String>) -> Problem {
    Problem::Shape(expected.into())
}

pub(super) struct LineReader<'a> {
    system: &'a TransitionSystem,
    monitors: usize,
    names: FxHashMap<&'a str, usize>,
    pub terms: Terms,
    /// The term of each line.
    known: Vec<TermId>,
}

impl LineReader<'_> {
    /// The condition with a number, negated if the number is negative.
    pub(super) fn condition(&mut self, json: &Json, place: &str) -> Result<TermId, ReadError> {
        let term = self.term(json, place)?;
        self.boolean(term).map_err(|problem| problem.at(place))?;
        Ok(term)
    }

    /// The term with a number, which is negated if the number is negative.
    pub(super) fn term(&mut self, json: &Json, place: &str) -> Result<TermId, ReadError> {
        let number = json.as_i64().filter(|&number| number != 0);
        let number = number.ok_or_else(|| ReadError::shape(place, "expected the number of a line"))?;
        self.operand(&number.to_string())
            .map_err(|problem| problem.at(place))
    }

    fn line(&mut self, text: &str) -> Result<TermId, Problem> {
        let (operator, rest) = text.split_once(' ').unwrap_or((text, ""));
        match operator {
            "var" => {
                let position = *self
                    .names
                    .get(rest)
                    .ok_or_else(|| Problem::Foreign(format!("the model has no variable `{rest}`")))?;
                let sort = self.system.variables()[position].sort.clone();
                return Ok(self.terms.current(VarId::new(position as u32), sort));
            }
            "monitor" => {
                let number: usize = number(rest)?;
                if number >= self.monitors {
                    return Err(Problem::Foreign(format!("there is no monitor variable {number}")));
                }
                let position = self.system.variables().len() + number;
                return Ok(self.terms.current(VarId::new(position as u32), Sort::Bool));
            }
            "true" => return Ok(self.terms.truth(true)),
            "int" => return Ok(self.terms.integer(number(rest)?)),
            "symbol" => return Ok(self.terms.constant(Value::symbol(rest))),
            "word" => {
                let word = word(rest).ok_or_else(|| shape("expected a word like 0ud4_3"))?;
                return Ok(self.terms.constant(Value::Word(word)));
            }
            _ => {}
        }
        let words: Vec<&str> = rest.split_ascii_whitespace().collect();
        let operand_count = match operator {
            "and" | "or" => words.len(),
            "bit" | "extract" | "extend" | "signed" | "unsigned" | "toword" => 1,
            _ => {
                let known = OPERATORS.iter().find(|(name, _, _)| *name == operator);
                known
                    .ok_or_else(|| shape(format!("there is no operator `{operator}`")))?
                    .2
            }
        };
        if words.len() < operand_count {
            return Err(shape(format!("`{operator}` takes {operand_count} operands")));
        }
        let mut operands = Vec::with_capacity(operand_count);
        for word in &words[..operand_count] {
            operands.push(self.operand(word)?);
        }
        let own: Vec<u32> = words[operand_count..]
            .iter()
            .map(|word| number(word))
            .collect::<Result<_, _>>()?;
        self.apply(operator, &operands, &own)
    }

    fn operand(&mut self, word: &str) -> Result<TermId, Problem> {
        let signed: i64 = number(word)?;
        let position = usize::try_from(signed.unsigned_abs())
            .ok()
            .and_then(|at| at.checked_sub(1));
        let term = position
            .and_then(|at| self.known.get(at).copied())
            .ok_or_else(|| {
                shape(format!(
                    "there is no line {} before this one",
                    signed.unsigned_abs()
                ))
            })?;
        if signed > 0 {
            return Ok(term);
        }
        self.boolean(term)?;
        Ok(self.terms.not(term))
    }

    fn boolean(&self, term: TermId) -> Result<(), Problem> {
        match self.terms.sort(term) {
            Sort::Bool => Ok(()),
            sort => Err(Problem::Foreign(format!(
                "a condition was expected, not a value of {sort}"
            ))),
        }
    }

    fn apply(&mut self, operator: &str, operands: &[TermId], own: &[u32]) -> Result<TermId, Problem> {
        if own.iter().any(|&number| number > WIDEST) {
            return Err(shape("a number is too large"));
        }
        let terms = &mut self.terms;
        let built = match (operator, operands, own) {
            ("and" | "or", operands, []) => {
                for &operand in operands {
                    self.boolean(operand)?;
                }
                let operands = operands.iter().copied();
                return Ok(match operator {
                    "and" => self.terms.and(operands),
                    _ => self.terms.or(operands),
                });
            }
            ("bit", &[word], &[bit]) => {
                let bit = terms.extract(word, bit, bit)?;
                let one = terms.constant(Value::Word(Word::from_u64(1, false, 1)));
                terms.equal(bit, one)
            }
            ("extract", &[word], &[high, low]) => terms.extract(word, high, low),
            ("extend", &[word], &[by]) => terms.extend(word, by),
            ("signed", &[word], []) => terms.reinterpret(word, true),
            ("unsigned", &[word], []) => terms.reinterpret(word, false),
            ("toword", &[number], &[width, signed]) => terms.int_to_word(number, width, signed != 0),
            ("ite", &[condition, a, b], []) => {
                self.boolean(condition)?;
                self.terms.ite(condition, a, b)
            }
            ("=", &[a, b], []) => terms.equal(a, b),
            ("<", &[a, b], []) => terms.less(a, b),
            ("+", &[a, b], []) => terms.add(a, b),
            ("-", &[a, b], []) => terms.subtract(a, b),
            ("*", &[a, b], []) => terms.multiply(a, b),
            ("/", &[a, b], []) => terms.divide(a, b),
            ("mod", &[a, b], []) => terms.remainder(a, b),
            ("neg", &[a], []) => terms.negate(a),
            ("band", &[a, b], []) => terms.bit_and(a, b),
            ("bor", &[a, b], []) => terms.bit_or(a, b),
            ("bxor", &[a, b], []) => terms.bit_xor(a, b),
            ("bnot", &[a], []) => terms.bit_not(a),
            ("shl", &[a, b], []) => terms.shift_left(a, b),
            ("shr", &[a, b], []) => terms.shift_right(a, b),
            ("concat", &[a, b], []) => terms.concat(a, b),
            ("word1", &[a], []) => terms.bool_to_word(a),
            ("toint", &[a], []) => terms.word_to_int(a),
            ("read", &[a, b], []) => terms.read(a, b),
            ("write", &[a, b, c], []) => terms.write(a, b, c),
            _ => return Err(shape(format!("wrong numbers after `{operator}`"))),
        };
        Ok(built?)
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, Problem> {
    text.trim()
        .parse()
        .map_err(|_| shape(format!("expected a number, found `{text}`")))
}

/// A word as SMV prints it: `0ud8_5`, `-0sd4_3`.
fn word(text: &str) -> Option<Word> {
    let (head, digits) = text.split_once('_')?;
    let (sign, head) = match head.strip_prefix('-') {
        Some(head) => ("-", head),
        None => ("", head),
    };
    let (signed, width) = match head.strip_prefix("0ud") {
        Some(width) => (false, width),
        None => (true, head.strip_prefix("0sd")?),
    };
    let width: u32 = width.parse().ok().filter(|width| (1..=WIDEST).contains(width))?;
    let number: BigInt = format!("{sign}{digits}").parse().ok()?;
    let word = Word::from_integer(width, signed, &number);
    (word.to_integer() == number).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_model::{Valuation, VarKind, evaluate_bool};

    fn system() -> TransitionSystem {
        let mut system = TransitionSystem::new();
        system.add_variable("b", Sort::Bool, VarKind::State);
        system.add_variable("n", Sort::range(-3, 4), VarKind::State);
        let phases = Sort::enumeration([Value::symbol("red"), Value::Int(7), Value::symbol("two words")]);
        system.add_variable("phase", phases, VarKind::State);
        system.add_variable("w x", Sort::word(3), VarKind::State);
        system
    }

    /// Conditions that use every operator, over the system's variables.
    const CONDITIONS: [&[&str]; 9] = [
        &["true"],
        &["var b", "and -1"],
        &[
            "var n", "int 2", "< 1 2", "+ 1 2", "* 1 4", "- 5 1", "neg 6", "= 7 2", "or 3 8",
        ],
        &["var n", "int 2", "mod 1 2", "/ 1 2", "= 3 4"],
        &[
            "var phase",
            "symbol two words",
            "= 1 2",
            "int 7",
            "= 1 4",
            "or -3 5",
        ],
        &["var w x", "bit 1 2", "bit 1 0", "var b", "ite 4 2 -3"],
        &[
            "var w x",
            "word 0ud3_5",
            "band 1 2",
            "bor 3 1",
            "bxor 4 2",
            "bnot 5",
            "shl 6 2",
            "shr 7 1",
            "< 8 2",
        ],
        &[
            "var w x",
            "extract 1 1 0",
            "concat 2 1",
            "extend 3 2",
            "word 0ud7_9",
            "signed 4",
            "unsigned 6",
            "= 7 5",
        ],
        &[
            "var b",
            "word1 1",
            "toint 2",
            "var n",
            "toword 4 1 0",
            "= 5 2",
            "= 3 4",
            "and 6 -7",
        ],
    ];

    #[test]
    fn what_is_written_means_the_same_when_it_is_read() {
        let system = system();
        for lines in CONDITIONS {
            let first = from_json(&system, 0, &Json::from(lines), "nodes").expect("a condition");
            let written = to_json(&system, &first).expect("no array constants");
            let second = from_json(&system, 0, &written, "nodes").expect("what was written");
            let sorts: Vec<&Sort> = system.variables().iter().map(|variable| &variable.sort).collect();
            for b in sorts[0].values() {
                for n in sorts[1].values() {
                    for phase in sorts[2].values() {
                        for word in sorts[3].values() {
                            let state = [b.clone(), n.clone(), phase.clone(), word].map(Some);
                            let truth = |certificate: &Certificate| {
                                let state = Valuation::state(&state);
                                evaluate_bool(&certificate.terms, certificate.invariant, state)
                            };
                            assert_eq!(truth(&first), truth(&second), "{lines:?} {written}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn damaged_lines_are_errors_that_name_the_line() {
        let system = system();
        let cases = [
            (Json::from(Vec::<String>::new()), "nodes"),
            (Json::from(3), "nodes"),
            (serde_json::json!(["var b", 3]), "nodes[1]"),
            (serde_json::json!(["var nobody"]), "nodes[0]"),
            (serde_json::json!(["var b", "and 1 2"]), "nodes[1]"),
            (serde_json::json!(["var b", "and 0"]), "nodes[1]"),
            (serde_json::json!(["var b", "and 1 x"]), "nodes[1]"),
            (serde_json::json!(["var n", "and 1"]), "nodes[1]"),
            (serde_json::json!(["var n", "or -1"]), "nodes[1]"),
            (serde_json::json!(["var n"]), "nodes"),
            (serde_json::json!(["var w x", "bit 1 3"]), "nodes[1]"),
            (serde_json::json!(["var w x", "bit 1"]), "nodes[1]"),
            (serde_json::json!(["var w x", "extend 1 4000000000"]), "nodes[1]"),
            (serde_json::json!(["var w x", "extend 1 99999999999"]), "nodes[1]"),
            (serde_json::json!(["word 0ud99999999_1"]), "nodes[0]"),
            (serde_json::json!(["word 0ud2_9"]), "nodes[0]"),
            (serde_json::json!(["monitor 0"]), "nodes[0]"),
            (serde_json::json!(["frobnicate 1"]), "nodes[0]"),
            (serde_json::json!(["var b", "= 1"]), "nodes[1]"),
            (serde_json::json!(["var b", "ite 1 1"]), "nodes[1]"),
        ];
        for (json, expected) in cases {
            let Err(error) = from_json(&system, 0, &json, "nodes") else {
                panic!("{json} was accepted");
            };
            let (ReadError::Shape { place, .. } | ReadError::Foreign { place, .. }) = &error else {
                panic!("{json}: {error}");
            };
            assert_eq!(place, expected, "{json}: {error}");
        }
    }
}
