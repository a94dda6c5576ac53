//! One property in PSL about the signals of a circuit: its expressions as lines, its clocks, its replicated names.

use super::is_read;
use super::names::Names;
use super::words::Words;
use crate::assertions::OWN;
use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node, Operator};
use entail_logic::psl::{self, Layer, ReplicatedValues, Replicator};
use entail_logic::{Assertion, Formula, Guard};
use entail_source::{Diagnostic, Span};
use entail_systemverilog::{Claim, Edge, Said, UnitDirective, branching, clock_event, meaning};
use entail_waves::{Expression, Leaf, parse};

pub(crate) type Result<T> = std::result::Result<T, Diagnostic>;

pub(crate) fn wrong(code: &'static str, message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error(code, message.into(), span, "here")
}

fn unsupported(message: impl Into<String>, span: Span) -> Diagnostic {
    wrong("psl::unsupported", message, span)
}

/// Reads one directive.
pub(crate) struct CircuitLayer<'l> {
    circuit: &'l mut Btor2,
    names: &'l Names,
    scope: &'l str,
    directive: &'l UnitDirective,
    /// The number of the directive.
    number: usize,
    /// The lines of atoms, and their names.
    pub(crate) lines: Vec<LineIndex>,
    pub(crate) atoms: Vec<String>,
    /// Replicated names, with the inputs that stand for them.
    pub(crate) replicated: Vec<(String, LineIndex)>,
    /// Clocks that are taken to tick in every step, with their places.
    pub(crate) unread_clocks: Vec<(String, Span)>,
    /// The clock in force, and those around it.
    clock: Option<String>,
    around: Vec<Option<String>>,
    /// The expressions that were read, with the atoms they are.
    known: Vec<(Expression, usize)>,
    /// The signals of expressions, by their numbers.
    signals: Vec<(String, Argument)>,
    open: usize,
}

impl<'l> CircuitLayer<'l> {
    pub(crate) fn new(
        circuit: &'l mut Btor2,
        names: &'l Names,
        scope: &'l str,
        directive: &'l UnitDirective,
        number: usize,
    ) -> CircuitLayer<'l> {
        CircuitLayer {
            circuit,
            names,
            scope,
            directive,
            number,
            lines: Vec::new(),
            atoms: Vec::new(),
            replicated: Vec::new(),
            unread_clocks: Vec::new(),
            clock: directive.clock.clone(),
            around: Vec::new(),
            known: Vec::new(),
            signals: Vec::new(),
            open: number << 16,
        }
    }

    /// What the directive says. Places are those of its file.
    pub(crate) fn read(&mut self) -> Result<Claim> {
        let directive = self.directive;
        self.claim().map_err(|mut problem| {
            for label in &mut problem.labels {
                label.span = match label.span.is_empty() {
                    true => directive.span,
                    false => directive.place(label.span),
                };
            }
            problem
        })
    }

    fn claim(&mut self) -> Result<Claim> {
        let (text, said) = (self.directive.text(), self.directive.said);
        let (replicators, begin) = psl::replicators(text)?;
        if let Some(first) = replicators.first().filter(|_| said != Said::Assert) {
            return Err(unsupported("`forall` is read in `assert` only", first.span));
        }
        let mut range = Guard::Constant(true);
        for replicator in &replicators {
            range = range.and(&self.replicate(replicator)?);
        }
        if let Some(clock) = self.clock.clone() {
            self.meet(&clock, Span::new(0, text.len()))?;
        }
        // (What follows stays at its place.)
        let text = format!("{}{}", " ".repeat(begin), &text[begin..]);
        let claim = match branching(said, &text, self) {
            Some(formula) => Claim::Branching(formula?),
            None => Claim::Linear(meaning(said, &text, self)?),
        };
        if matches!(claim, Claim::Branching(_)) && self.tick()?.is_some() {
            let message = "branching time is not read under a clock that is an expression";
            return Err(unsupported(message, Span::new(0, text.len())));
        }
        Ok(match (range, claim) {
            (Guard::Constant(true), claim) => claim,
            (range, Claim::Linear(assertion)) => {
                Claim::Linear(Assertion::guard(range.negated()).or(assertion))
            }
            (range, Claim::Branching(formula)) => Claim::Branching(Formula::from(&range).implies(&formula)),
        })
    }

    /// Declares a replicated name; the condition that its value is one of those it ranges over.
    fn replicate(&mut self, replicator: &Replicator) -> Result<Guard<usize>> {
        let width = match &replicator.values {
            ReplicatedValues::Boolean => 1,
            ReplicatedValues::Words(width) => *width,
            ReplicatedValues::Numbers(_) => 32,
        };
        let place = self.replicated.len();
        let symbol = format!("{OWN}f{}${place}", self.number);
        let line = self.circuit.add(Node::Input(BitSort::Bits(width)), Some(symbol));
        self.replicated.push((replicator.name.clone(), line));
        let ReplicatedValues::Numbers(ranges) = &replicator.values else {
            return Ok(Guard::Constant(true));
        };
        let mut texts = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            let (Ok(low), Ok(high)) = (u32::try_from(*low), u32::try_from(*high)) else {
                let message = "numbers that a name ranges over have no sign and 32 bits";
                return Err(unsupported(message, replicator.span));
            };
            let name = &replicator.name;
            texts.push(format!("({name} >= 32'd{low} && {name} <= 32'd{high})"));
        }
        self.expression(&texts.join(" || "), replicator.span)
    }

    /// A clock that is met: an edge is one of a signal that the circuit does not read, or it does not have.
    fn meet(&mut self, clock: &str, span: Span) -> Result<()> {
        let Some(edge) = Edge::of(clock) else {
            let message = format!("`{clock}` is no clock: it is an edge of a signal, or an expression");
            return Err(wrong("psl::clock", message, span));
        };
        if edge.rises.is_none() {
            return Ok(());
        }
        if let Some(signal) = self.names.find(self.scope, edge.signal) {
            let reads = |piece: &Argument| is_read(self.circuit, piece.line);
            if signal.pieces.iter().any(reads) {
                let message = format!(
                    "the circuit reads the clock `{}` as a signal like others",
                    edge.signal
                );
                let help = "a condition can be a clock: `@(clk && !prev(clk))` is not read, a register of the circuit may hold the value before";
                return Err(unsupported(message, span).with_help(help));
            }
        }
        let place = self.directive.span;
        self.unread_clocks.push((edge.signal.to_owned(), place));
        Ok(())
    }

    /// Whether the clock in force ticks under a condition.
    fn gate(&self) -> Option<String> {
        let clock = self.clock.as_deref()?;
        Edge::of(clock)?.gate.map(str::to_owned)
    }

    /// The condition that an expression is.
    fn expression(&mut self, text: &str, span: Span) -> Result<Guard<usize>> {
        let (names, scope) = (self.names, self.scope);
        let (signals, replicated, circuit) = (&mut self.signals, &self.replicated, &mut *self.circuit);
        let read = parse(text, &mut |name, inside| {
            if let Some(number) = signals.iter().position(|(known, _)| known == name) {
                let line = signals[number].1.line;
                let range = names.find(scope, name).map(|signal| signal.range);
                return Ok(leaf(number, width_of(circuit, line), range));
            }
            if let Some((_, line)) = replicated.iter().find(|(known, _)| known == name) {
                signals.push((name.to_owned(), Argument::plain(*line)));
                return Ok(leaf(signals.len() - 1, width_of(circuit, *line), None));
            }
            let Some(signal) = names.find(scope, name) else {
                return Err(names.unknown(scope, name, inside));
            };
            let word = joined(circuit, &signal.pieces);
            signals.push((name.to_owned(), word));
            Ok(leaf(signals.len() - 1, signal.width, Some(signal.range)))
        });
        let expression = read.map_err(|mut problem| {
            for label in &mut problem.labels {
                label.span = Span::new(label.span.start + span.start, label.span.end + span.start);
            }
            // (What is well formed leaves its property open.)
            if problem.code == "wave::unsupported" {
                problem.code = "psl::unsupported";
            }
            problem
        })?;
        if let Some((_, atom)) = self.known.iter().find(|(known, _)| *known == expression) {
            return Ok(Guard::Atom(*atom));
        }
        if self.gate().is_some() && looks_back(&expression) {
            let message = "earlier values under a clock that is an expression are not read";
            return Err(unsupported(message, span));
        }
        let mut words = Words {
            circuit: self.circuit,
            signals: self.signals.iter().map(|(_, word)| *word).collect(),
            open: self.open,
        };
        let truth = words
            .truth(&expression)
            .map_err(|reason| unsupported(reason, span))?;
        let atom = self.lines.len();
        let name = format!("{OWN}p{}$a{atom}", self.number);
        self.lines.push(words.line(truth, name.clone()));
        self.open = words.open;
        self.atoms.push(name);
        self.known.push((expression, atom));
        Ok(Guard::Atom(atom))
    }
}

fn leaf(number: usize, width: u32, range: Option<(i64, i64)>) -> Leaf {
    Leaf::Signal {
        number,
        width,
        range: range.unwrap_or((i64::from(width) - 1, 0)),
        signed: false,
    }
}

fn width_of(circuit: &Btor2, line: LineIndex) -> u32 {
    match circuit.sort(line) {
        Some(BitSort::Bits(width)) => width,
        _ => 1,
    }
}

/// Pieces one after the other, the highest bits first.
fn joined(circuit: &mut Btor2, pieces: &[Argument]) -> Argument {
    let mut pieces = pieces.iter().copied();
    let first = pieces.next().unwrap_or(Argument::plain(LineIndex(0)));
    pieces.fold(first, |high, low| {
        let width = width_of(circuit, high.line) + width_of(circuit, low.line);
        Argument::plain(circuit.add(
            Node::Operation {
                sort: BitSort::Bits(width),
                operator: Operator::Concat,
                arguments: vec![high, low],
                numbers: Vec::new(),
            },
            None,
        ))
    })
}

/// Whether an expression has earlier values.
fn looks_back(expression: &Expression) -> bool {
    match expression {
        Expression::Past(..) => true,
        Expression::Number(..) | Expression::Fill(_) | Expression::Given(_) | Expression::Signal { .. } => {
            false
        }
        Expression::Select { at, .. } => looks_back(at),
        Expression::Joined(parts) => parts.iter().any(looks_back),
        Expression::Unary(_, inner) | Expression::Call(_, inner) => looks_back(inner),
        Expression::Binary(_, sides) => looks_back(&sides.0) || looks_back(&sides.1),
        Expression::Choice(parts) => parts.iter().any(looks_back),
    }
}

impl Layer<usize> for CircuitLayer<'_> {
    fn boolean(&mut self, text: &str, at: usize) -> Result<Guard<usize>> {
        self.expression(text, Span::new(at, at + text.len()))
    }

    fn enter_clock(&mut self, text: &str, span: Span) -> Result<()> {
        let event = clock_event(text).map_err(|problem| wrong("psl::clock", problem.message, span))?;
        self.meet(&event, span)?;
        self.around.push(self.clock.replace(event));
        Ok(())
    }

    fn leave_clock(&mut self) {
        self.clock = self.around.pop().flatten();
    }

    fn has_clock(&self) -> bool {
        self.clock.is_some()
    }

    fn tick(&mut self) -> Result<Option<Guard<usize>>> {
        match self.gate() {
            None => Ok(None),
            Some(gate) => {
                let clock = self.clock.take();
                // (The condition of a clock is about this step, whatever ticks.)
                let tick = self.expression(&gate, Span::new(0, 0));
                self.clock = clock;
                tick.map(Some)
            }
        }
    }
}
