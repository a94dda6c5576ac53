//! From the numbers of an ASCII file to those of the binary format: inputs, latches, then gates with operands first.
//!
//! Gates are ordered by a depth-first search with its own stack; one that comes back to a gate it is in the middle of has found a cycle.
//! The table from old to new variables is dense, unless the header names far more variables than the file could define.

use crate::circuit::Literal;
use crate::header::Header;
use crate::scanner::{Problem, Scanner};
use rustc_hash::FxHashMap;

/// A gate as written.
pub(crate) struct Gate {
    pub gate: Literal,
    pub operands: [Literal; 2],
}

/// What is known about an old variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Undefined,
    /// It has a new number.
    Numbered(u32),
    /// It is this gate, which has no new number yet.
    Waiting(u32),
}

enum Table {
    Dense(Vec<u32>),
    Sparse(FxHashMap<u32, u32>),
}

pub(crate) struct Renumbering {
    table: Table,
    /// The new number of the next gate.
    next: u32,
}

/// Marks a waiting gate; variables have 31 bits.
const WAITING: u32 = 1 << 31;

/// How far the search for an order has come with a gate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    New,
    Open,
    Done,
}

impl Renumbering {
    pub fn new(header: &Header, file_length: usize) -> Renumbering {
        let table = if header.last_variable as usize <= file_length {
            Table::Dense(vec![0; header.last_variable as usize + 1])
        } else {
            Table::Sparse(FxHashMap::default())
        };
        Renumbering {
            table,
            next: 1 + header.inputs + header.latches,
        }
    }

    fn known(&self, variable: u32) -> Known {
        let code = match &self.table {
            _ if variable == 0 => return Known::Numbered(0),
            Table::Dense(codes) => codes[variable as usize],
            Table::Sparse(codes) => codes.get(&variable).copied().unwrap_or(0),
        };
        match code {
            0 => Known::Undefined,
            code if code & WAITING != 0 => Known::Waiting(code & !WAITING),
            code => Known::Numbered(code),
        }
    }

    fn set(&mut self, variable: u32, code: u32) {
        match &mut self.table {
            Table::Dense(codes) => codes[variable as usize] = code,
            Table::Sparse(codes) => {
                codes.insert(variable, code);
            }
        }
    }

    /// Says what an input or latch is called from now on. `line` is where it is defined.
    pub fn define(
        &mut self,
        scanner: &Scanner<'_>,
        old: Literal,
        new: Literal,
        line: usize,
    ) -> Result<(), Problem> {
        self.only_once(scanner, old, line)?;
        self.set(old.variable(), new.variable());
        Ok(())
    }

    /// Says which gate a variable is.
    pub fn define_gate(
        &mut self,
        scanner: &Scanner<'_>,
        old: Literal,
        position: u32,
        line: usize,
    ) -> Result<(), Problem> {
        self.only_once(scanner, old, line)?;
        self.set(old.variable(), WAITING | position);
        Ok(())
    }

    fn only_once(&self, scanner: &Scanner<'_>, old: Literal, line: usize) -> Result<(), Problem> {
        if self.known(old.variable()) == Known::Undefined {
            return Ok(());
        }
        // The definition before is one of the lines above that begins with this number.
        let earlier = (1..line)
            .map(|line| scanner.line(line))
            .find(|span| first_number(&scanner.bytes[span.start..span.end]) == Some(old.0));
        let problem = scanner.problem(
            "aiger::redefined",
            format!("literal {} is defined twice", old.0),
            scanner.line(line),
            "defined again here",
        );
        Err(match earlier {
            Some(span) => problem.with_label(span, "first defined here").into(),
            None => problem,
        })
    }

    /// The new number of a literal that is used on a line.
    pub fn new_literal(&self, scanner: &Scanner<'_>, old: Literal, line: usize) -> Result<Literal, Problem> {
        match self.known(old.variable()) {
            Known::Numbered(new) => Ok(Literal::of(new).flipped_if(old.is_negated())),
            _ => Err(scanner
                .problem(
                    "aiger::undefined",
                    format!("literal {} is used but never defined", old.0),
                    scanner.line(line),
                    "used here",
                )
                .with_help(format!(
                    "define {} as an input, a latch or an and-gate",
                    old.0 & !1
                ))
                .into()),
        }
    }

    /// The gates in an order in which operands come first, with their new operands.
    pub fn order_gates(
        &mut self,
        scanner: &Scanner<'_>,
        gates: &[Gate],
        first_line: usize,
    ) -> Result<Vec<[Literal; 2]>, Problem> {
        let mut ordered = Vec::with_capacity(gates.len());
        let mut progress = vec![Progress::New; gates.len()];
        let mut stack: Vec<u32> = Vec::new();
        for start in 0..gates.len() as u32 {
            stack.push(start);
            while let Some(&top) = stack.last() {
                let at = top as usize;
                if progress[at] == Progress::Done {
                    stack.pop();
                    continue;
                }
                progress[at] = Progress::Open;
                let waiting =
                    gates[at]
                        .operands
                        .iter()
                        .find_map(|operand| match self.known(operand.variable()) {
                            Known::Waiting(gate) => Some(gate),
                            _ => None,
                        });
                match waiting {
                    Some(gate) if progress[gate as usize] == Progress::Open => {
                        return Err(cycle(scanner, gates, &stack, gate, first_line));
                    }
                    Some(gate) => stack.push(gate),
                    None => {
                        let line = first_line + at;
                        let a = self.new_literal(scanner, gates[at].operands[0], line)?;
                        let b = self.new_literal(scanner, gates[at].operands[1], line)?;
                        ordered.push([a.max(b), a.min(b)]);
                        self.set(gates[at].gate.variable(), self.next);
                        self.next += 1;
                        progress[at] = Progress::Done;
                        stack.pop();
                    }
                }
            }
        }
        Ok(ordered)
    }
}

/// Most gates of a cycle that a message names.
const SHOWN: usize = 6;

fn cycle(scanner: &Scanner<'_>, gates: &[Gate], stack: &[u32], closing: u32, first_line: usize) -> Problem {
    let start = stack.iter().position(|&gate| gate == closing).unwrap_or(0);
    let around = &stack[start..];
    let names: Vec<String> = around
        .iter()
        .take(SHOWN)
        .map(|&gate| gates[gate as usize].gate.0.to_string())
        .collect();
    let more = if around.len() > SHOWN { " → …" } else { "" };
    let mut problem = *scanner.problem(
        "aiger::cycle",
        format!(
            "and-gates depend on themselves: {}{more} → {}",
            names.join(" → "),
            gates[closing as usize].gate.0
        ),
        scanner.line(first_line + closing as usize),
        "this gate needs its own value",
    );
    for &gate in around.iter().skip(1).take(SHOWN) {
        problem = problem.with_label(scanner.line(first_line + gate as usize), "on the way");
    }
    problem.with_help("a cycle has to go through a latch").into()
}

fn first_number(line: &[u8]) -> Option<u32> {
    let end = line
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(line.len());
    std::str::from_utf8(&line[..end]).ok()?.parse().ok()
}
