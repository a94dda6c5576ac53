//! A design that begins where a simulator has got to: `--from-run run.vcd`.
//!
//! The registers of the elaborated design have at first the values that they have at a time of a recorded run (VCD): its end, or the time behind `@`. A register is found by its name, and those of its word that
//! yosys has kept, in the scope of the recording that has most of them. What was X there, or not recorded, has any value at first: so a proof is about every state that the recording may stand for,
//! and which registers these are is said. Memories are not recorded, and have any content; registers of Entail's own (values of the tick before) begin as ever.

use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node, Operator};
use entail_family::{LoadError, Usage};
use entail_source::{Diagnostic, Source, Span, decode_lossy, read_file};
use entail_waves::{Recording, Word};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// Registers that are named in a warning.
const MOST_NAMED: usize = 5;

/// Where a run is taken up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Simulated {
    file: String,
    /// The scope of the design, if it was said.
    scope: Option<String>,
    /// The time, in units of the recording.
    time: Option<u64>,
}

impl Simulated {
    /// `RUN.vcd[:SCOPE][@TIME]`.
    pub(crate) fn read(text: &str) -> Result<Simulated, String> {
        let (rest, time) = match text.rsplit_once('@') {
            Some((rest, time)) if !time.is_empty() && time.bytes().all(|digit| digit.is_ascii_digit()) => {
                let time = time
                    .parse()
                    .map_err(|_| format!("the time {time} is too large"))?;
                (rest, Some(time))
            }
            _ => (text, None),
        };
        let (file, scope) = match rest.rsplit_once(".vcd:") {
            Some((file, scope)) => (format!("{file}.vcd"), Some(scope.to_owned())),
            None => (rest.to_owned(), None),
        };
        match file.is_empty() || scope.as_deref() == Some("") {
            true => Err("a recorded run is written RUN.vcd, RUN.vcd:top.dut, RUN.vcd@TIME".to_owned()),
            false => Ok(Simulated { file, scope, time }),
        }
    }

    /// The circuit with the recorded values at first, and what may surprise.
    pub(crate) fn begin(&self, circuit: &Btor2) -> Result<(Btor2, Vec<Diagnostic>), LoadError> {
        let path = PathBuf::from(&self.file);
        let bytes = read_file(&path).map_err(|error| LoadError::Unreadable {
            path: path.clone(),
            reason: error.to_string(),
        })?;
        let source = Source::new(&self.file, decode_lossy(bytes));
        let recording =
            entail_waves::read(&source).map_err(|problems| LoadError::invalid(&source, problems))?;
        let usage = |message: String| LoadError::from(Usage(message));
        let time = self.number_of_time(&recording).map_err(usage)?;
        let registers = registers(circuit);
        let scope = self.scope_of(&recording, &registers).map_err(usage)?;
        let mut known = BTreeMap::new();
        let mut open = BTreeSet::new();
        for (&line, names) in &registers {
            let signals = names.iter().filter_map(|name| exactly(&recording, &scope, name));
            let mut values = signals.map(|signal| recording.value(signal, time));
            match values.find_map(|value| number(&value, circuit, line)) {
                Some(number) => drop(known.insert(line, number)),
                None => drop(open.insert(names[0].clone())),
            }
        }
        let memories = circuit
            .lines()
            .filter(|(_, node)| matches!(node, Node::State(BitSort::Array { .. })));
        open.extend(memories.filter_map(|(line, _)| circuit.symbols[line.index()].clone()));
        let mut warnings = Vec::new();
        if !open.is_empty() {
            let named: Vec<&str> = open.iter().take(MOST_NAMED).map(String::as_str).collect();
            let more = match open.len() - named.len() {
                0 => String::new(),
                count => format!(" and {count} more"),
            };
            let message = format!(
                "without a known value in {} at that time, these begin with any: {}{more}",
                self.file,
                named.join(", ")
            );
            warnings.push(Diagnostic::warning(
                "verilog::from",
                message,
                Span::new(0, 0),
                "in this design",
            ));
        }
        if known.is_empty() {
            let message = format!(
                "no register of the design has a known value there in {}",
                self.file
            );
            return Err(usage(message));
        }
        let own: BTreeSet<LineIndex> = registers.keys().copied().collect();
        Ok((with_first_values(circuit, &own, &known), warnings))
    }

    fn number_of_time(&self, recording: &Recording) -> Result<usize, String> {
        let Some(last) = recording.times.len().checked_sub(1) else {
            return Err(format!("nothing is recorded in {}", self.file));
        };
        match self.time {
            None => Ok(last),
            Some(time) => {
                let after = recording.times.partition_point(|&known| known <= time);
                after
                    .checked_sub(1)
                    .ok_or_else(|| format!("{} begins after the time {time}", self.file))
            }
        }
    }

    /// The scope of the design: the one that was said, or that which has most registers.
    fn scope_of(&self, recording: &Recording, registers: &Registers) -> Result<Vec<String>, String> {
        if let Some(scope) = &self.scope {
            let scope: Vec<String> = scope.split('.').map(str::to_owned).collect();
            return match recording.scopes.contains(&scope) {
                true => Ok(scope),
                false => Err(format!(
                    "there is no scope `{}` in {}",
                    scope.join("."),
                    self.file
                )),
            };
        }
        let count = |scope: &Vec<String>| {
            let has =
                |names: &&Vec<String>| names.iter().any(|name| exactly(recording, scope, name).is_some());
            registers.values().filter(has).count()
        };
        let counts: Vec<(usize, &Vec<String>)> = recording
            .scopes
            .iter()
            .map(|scope| (count(scope), scope))
            .collect();
        let most = counts.iter().map(|(count, _)| *count).max().unwrap_or(0);
        let best: Vec<&Vec<String>> = counts
            .into_iter()
            .filter(|(count, _)| *count == most && most > 0)
            .map(|(_, scope)| scope)
            .collect();
        match best[..] {
            [scope] => Ok(scope.clone()),
            [] => Err(format!("no register of the design is recorded in {}", self.file)),
            [first, second, ..] => Err(format!(
                "the design may be `{}` or `{}` in {2}: write --from-run {2}:{0}",
                first.join("."),
                second.join("."),
                self.file
            )),
        }
    }
}

/// The registers of a design, with the names that they have.
type Registers = BTreeMap<LineIndex, Vec<String>>;

fn registers(circuit: &Btor2) -> Registers {
    let mut found = Registers::new();
    for (line, node) in circuit.lines() {
        let Some(name) = circuit.symbols[line.index()].as_ref() else {
            continue;
        };
        // (Another name of a register is a copy of it.)
        let register = match node {
            Node::State(BitSort::Bits(_)) => line,
            Node::Operation {
                operator: Operator::Uext,
                arguments,
                numbers,
                ..
            } if numbers[..] == [0] && !arguments[0].negated => arguments[0].line,
            // (What is an output is named there.)
            Node::Output(argument) if !argument.negated => argument.line,
            _ => continue,
        };
        let is_register = matches!(circuit.node(register), Node::State(BitSort::Bits(_)));
        // (Names with `$` are tools'.)
        if is_register && !name.contains('$') {
            found.entry(register).or_default().push(name.clone());
        }
    }
    found
}

/// The signal of just this name in a scope.
fn exactly(recording: &Recording, scope: &[String], name: &str) -> Option<usize> {
    let parts: Vec<&str> = name.split('.').collect();
    let (last, inner) = parts.split_last()?;
    recording.signals.iter().position(|signal| {
        let around = scope.iter().map(String::as_str).chain(inner.iter().copied());
        signal.name == *last && !signal.is_other && signal.scope.iter().map(String::as_str).eq(around)
    })
}

/// The number that a word is, if all its bits are known and it is as wide as a register.
fn number(word: &Word, circuit: &Btor2, line: LineIndex) -> Option<BigUint> {
    let fits = circuit.sort(line) == Some(BitSort::Bits(word.width()));
    word.number(false).filter(|_| fits)?.to_biguint()
}

/// The circuit in which some registers begin with other values, or with any.
fn with_first_values(
    circuit: &Btor2,
    own: &BTreeSet<LineIndex>,
    known: &BTreeMap<LineIndex, BigUint>,
) -> Btor2 {
    let mut found = Btor2::default();
    // A first value stands before its state.
    let constants: BTreeMap<LineIndex, LineIndex> = known
        .iter()
        .map(|(&line, number)| {
            let width = match circuit.sort(line) {
                Some(BitSort::Bits(width)) => width,
                _ => 1,
            };
            let bits = Arc::new(number.clone());
            (line, found.add(Node::Constant { width, bits }, None))
        })
        .collect();
    // (What is left out is nothing that others refer to.)
    let mut moved: Vec<LineIndex> = Vec::with_capacity(circuit.nodes.len());
    for (line, node) in circuit.lines() {
        let symbol = circuit.symbols[line.index()].clone();
        let at = |line: LineIndex| moved[line.index()];
        let argument = |one: &Argument| Argument {
            line: at(one.line),
            negated: one.negated,
        };
        let node = match node {
            Node::Input(_) | Node::State(_) | Node::Constant { .. } => node.clone(),
            Node::Operation {
                sort,
                operator,
                arguments,
                numbers,
            } => Node::Operation {
                sort: *sort,
                operator: *operator,
                arguments: arguments.iter().map(argument).collect(),
                numbers: numbers.clone(),
            },
            Node::Init { state, .. } if own.contains(state) || is_memory(circuit, *state) => {
                moved.push(at(*state));
                continue;
            }
            Node::Init { state, value } => Node::Init {
                state: at(*state),
                value: argument(value),
            },
            Node::Next { state, value } => Node::Next {
                state: at(*state),
                value: argument(value),
            },
            Node::Bad(signal) => Node::Bad(argument(signal)),
            Node::Constraint(signal) => Node::Constraint(argument(signal)),
            Node::Fair(signal) => Node::Fair(argument(signal)),
            Node::Justice(signals) => Node::Justice(signals.iter().map(argument).collect()),
            Node::Output(signal) => Node::Output(argument(signal)),
        };
        let is_state = matches!(node, Node::State(_));
        let new = found.add(node, symbol);
        moved.push(new);
        if let Some(&constant) = constants.get(&line).filter(|_| is_state) {
            let value = Argument::plain(constant);
            found.add(Node::Init { state: new, value }, None);
        }
    }
    found
}

fn is_memory(circuit: &Btor2, line: LineIndex) -> bool {
    matches!(circuit.node(line), Node::State(BitSort::Array { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_a_file_a_scope_and_a_time() {
        let read =
            |text: &str| Simulated::read(text).map(|one| (one.file, one.scope.unwrap_or_default(), one.time));
        assert_eq!(read("a.vcd"), Ok(("a.vcd".to_owned(), String::new(), None)));
        assert_eq!(
            read("x/a.vcd:tb.dut@30"),
            Ok(("x/a.vcd".to_owned(), "tb.dut".to_owned(), Some(30)))
        );
        assert_eq!(read("a@b"), Ok(("a@b".to_owned(), String::new(), None)));
        for wrong in ["", "a.vcd:", "@3"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn first_values_are_replaced_and_the_rest_stays() {
        let text = "1 sort bitvec 2\n2 zero 1\n3 state 1 q\n4 init 1 3 2\n5 one 1\n6 add 1 3 5\n7 next 1 3 6\n8 state 1 p\n9 init 1 8 2\n10 next 1 8 3\n11 redor 1 8\n";
        let text = text.replace("11 redor 1 8\n", "");
        let circuit = entail_btor2::read(&Source::new("a.btor2", text)).expect("a circuit");
        let registers = registers(&circuit);
        assert_eq!(registers.len(), 2);
        let q = *registers.iter().find(|(_, names)| names[0] == "q").expect("q").0;
        let known = BTreeMap::from([(q, BigUint::from(2_u8))]);
        let own = registers.keys().copied().collect();
        let other = with_first_values(&circuit, &own, &known);
        let inits: Vec<(String, BigUint)> = other
            .lines()
            .filter_map(|(_, node)| match node {
                Node::Init { state, value } => match other.node(value.line) {
                    Node::Constant { bits, .. } => {
                        Some((other.symbols[state.index()].clone()?, (**bits).clone()))
                    }
                    _ => None,
                },
                _ => None,
            })
            .collect();
        assert_eq!(inits, [("q".to_owned(), BigUint::from(2_u8))]);
        let nexts = other
            .lines()
            .filter(|(_, node)| matches!(node, Node::Next { .. }))
            .count();
        assert_eq!(nexts, 2);
    }
}
