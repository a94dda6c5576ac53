//! Aldebaran's format, as CADP and mCRL2 read and write it.
//!
//! ```text
//! des (0, 3, 2)
//! (0, coin, 1)
//! (1, "tea (hot, no sugar)", 0)
//! (1, i, 0)
//! ```
//!
//! The first line has the initial state, the number of transitions and the number of states; then comes a line for each transition. Blanks between
//! the parts mean nothing. A label may stand in quotes; it goes from the first comma of its line (and the quote after it) to the last comma
//! (and the quote before it), so that it may contain commas, parentheses, and quotes (`\"`, or as they are). Without quotes around it, a label is what stands between the commas.
//!
//! The hidden action is `i` for CADP and `tau` for mCRL2, in quotes or not; [`Hidden`] tells which.
//!
//! A file is read in pieces and never held in memory as a whole.

use crate::Unreadable;
use crate::lines::Lines;
use entail_model::{ActionId, Lts, LtsBuilder, StateId, TAU, TAU_NAME};
use entail_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;
use std::io::{self, Read};

/// CADP's name of the hidden action.
pub(crate) const INTERNAL: &str = "i";

/// Which label is the hidden action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hidden {
    /// `i` and `tau`; `tau` is written.
    #[default]
    Either,
    /// `i`, as in CADP.
    I,
    /// `tau`, as in mCRL2.
    Tau,
}

/// Why there is no system.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The bytes could not be had.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// They are not a system in this format.
    #[error("{}", .0.diagnostics)]
    Invalid(Box<Unreadable>),
}

/// Reads a system. `name` is what the file is called in messages.
pub fn read_aut(name: &str, input: impl Read, hidden: Hidden) -> Result<Lts, ReadError> {
    let mut lines = Lines::new(input);
    let mut reader = Reader::new(hidden);
    while let Some(line) = lines.next()? {
        reader
            .line(lines.text(line.clone()))
            .map_err(|problem| invalid(lines.unreadable(name, Some(line), *problem)))?;
    }
    reader
        .finish()
        .map_err(|problem| invalid(lines.unreadable(name, None, *problem)))
}

fn invalid(wrong: Unreadable) -> ReadError {
    ReadError::Invalid(Box::new(wrong))
}

/// Something wrong in a line; places count from the start of the line.
type Problem = Box<Diagnostic>;

fn problem(code: &'static str, message: impl Into<String>, span: Span, label: &str) -> Diagnostic {
    Diagnostic::error(code, message, span, label)
}

struct Reader {
    hidden: Hidden,
    header: Option<Header>,
    builder: LtsBuilder,
    actions: FxHashMap<Box<[u8]>, ActionId>,
    seen: u64,
}

struct Header {
    transitions: u64,
    /// Where that number stands.
    place: Span,
    states: u64,
}

impl Reader {
    fn new(hidden: Hidden) -> Reader {
        Reader {
            hidden,
            header: None,
            builder: LtsBuilder::new(0),
            actions: FxHashMap::default(),
            seen: 0,
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Problem> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        match self.header {
            None => self.header(line),
            Some(_) => self.transition(line),
        }
    }

    fn header(&mut self, line: &[u8]) -> Result<(), Problem> {
        let mut scanner = Scanner { line, at: 0 };
        let help = "an .aut file begins with `des (0, M, N)`: the initial state, the number of transitions, the number of states";
        let mut parts = || -> Result<[(u64, Span); 3], Problem> {
            scanner.blanks();
            if !scanner.line[scanner.at..].starts_with(b"des") {
                return Err(scanner.expected("`des`").into());
            }
            scanner.at += 3;
            scanner.symbol(b'(')?;
            let initial = scanner.number()?;
            scanner.symbol(b',')?;
            let transitions = scanner.number()?;
            scanner.symbol(b',')?;
            let states = scanner.number()?;
            scanner.symbol(b')')?;
            scanner.end()?;
            Ok([initial, transitions, states])
        };
        let [initial, transitions, states] = parts().map_err(|problem| Box::new(problem.with_help(help)))?;
        if states.0 > entail_model::MAX_STATES {
            let message = format!(
                "{} states are too many: at most {} are supported",
                states.0,
                entail_model::MAX_STATES
            );
            return Err(problem("aut::too-large", message, states.1, "this number of states").into());
        }
        if initial.0 >= states.0 {
            let message = match states.0 {
                0 => "a system needs at least one state".to_owned(),
                count => format!(
                    "the initial state is {}, but the states are 0 to {}",
                    initial.0,
                    count - 1
                ),
            };
            return Err(problem("aut::state", message, initial.1, "this state")
                .with_label(states.1, "the number of states")
                .into());
        }
        if transitions.0 > u64::from(u32::MAX) {
            let message = format!(
                "{} transitions are too many: at most {} are supported",
                transitions.0,
                u32::MAX
            );
            return Err(problem(
                "aut::too-large",
                message,
                transitions.1,
                "this number of transitions",
            )
            .into());
        }
        self.builder = LtsBuilder::new(states.0);
        self.builder.initial(StateId::new(initial.0 as u32));
        // The header may lie: what is set aside in advance is bounded.
        self.builder.reserve(transitions.0.min(1 << 24) as usize);
        self.header = Some(Header {
            transitions: transitions.0,
            place: transitions.1,
            states: states.0,
        });
        Ok(())
    }

    fn transition(&mut self, line: &[u8]) -> Result<(), Problem> {
        let help = "a transition is a line `(FROM, LABEL, TO)`";
        let mut scanner = Scanner { line, at: 0 };
        scanner.symbol(b'(')?;
        let from = scanner.number()?;
        scanner.symbol(b',')?;
        let start = scanner.at;
        // The target stands behind the last comma.
        let comma = match line[start..].iter().rposition(|&byte| byte == b',') {
            Some(comma) => start + comma,
            None => {
                let rest = Span::new(start, line.len());
                return Err(problem(
                    "aut::syntax",
                    "a transition has no target",
                    rest,
                    "a `,` and a state are missing here",
                )
                .with_help(help)
                .into());
            }
        };
        scanner.at = comma + 1;
        let target = (|| {
            let to = scanner.number()?;
            scanner.symbol(b')')?;
            scanner.end()?;
            Ok(to)
        })();
        let to = target.map_err(|wrong: Problem| Box::new(wrong.with_help(help)))?;
        let action = self.label(line, start, comma)?;
        let Some(header) = &self.header else {
            return Ok(());
        };
        for (state, span) in [from, to] {
            if state >= header.states {
                let message = format!(
                    "state {state} does not exist: the header says that the states are 0 to {}",
                    header.states - 1
                );
                return Err(problem("aut::state", message, span, "this state").into());
            }
        }
        self.seen += 1;
        if self.seen > header.transitions {
            let message = format!(
                "this is transition {}, but the header says that there are {}",
                self.seen, header.transitions
            );
            let whole = Span::new(0, line.len());
            return Err(problem("aut::count", message, whole, "one too many")
                .with_help("correct the second number of the header")
                .into());
        }
        self.builder
            .transition(StateId::new(from.0 as u32), action, StateId::new(to.0 as u32));
        Ok(())
    }

    /// The action that a label between two commas means.
    fn label(&mut self, line: &[u8], start: usize, end: usize) -> Result<ActionId, Problem> {
        let (mut start, mut end) = (start, end);
        while start < end && line[start].is_ascii_whitespace() {
            start += 1;
        }
        while start < end && line[end - 1].is_ascii_whitespace() {
            end -= 1;
        }
        let written = &line[start..end];
        if let Some(&known) = self.actions.get(written) {
            return Ok(known);
        }
        let span = Span::new(start, end);
        let wrong = |message: &str, label: &str, help: &str| -> Problem {
            problem("aut::label", message, span, label).with_help(help).into()
        };
        let inner = match written {
            [b'"', inner @ .., b'"'] => inner,
            [b'"', ..] => {
                return Err(wrong(
                    "the label's quote is not closed",
                    "this label",
                    "end the label with `\"`",
                ));
            }
            [] => {
                return Err(wrong(
                    "a transition has no label",
                    "here",
                    "write `\"\"` for an empty label",
                ));
            }
            _ => written,
        };
        let Ok(text) = std::str::from_utf8(inner) else {
            return Err(wrong(
                "a label is not valid UTF-8",
                "this label",
                "labels are text",
            ));
        };
        let name = text.replace("\\\"", "\"");
        let action = match (name.as_str(), self.hidden) {
            (INTERNAL, Hidden::I | Hidden::Either) => TAU,
            (TAU_NAME, Hidden::I) => {
                return Err(wrong(
                    "`tau` would be an action that is seen, which Entail does not have",
                    "this label",
                    "let `tau` be the hidden action, or rename this one",
                ));
            }
            (name, _) => self.builder.action(name),
        };
        self.actions.insert(written.into(), action);
        Ok(action)
    }

    fn finish(self) -> Result<Lts, Problem> {
        let here = Span::new(0, 0);
        let Some(header) = &self.header else {
            return Err(problem("aut::syntax", "the file is empty", here, "here")
                .with_help("an .aut file begins with `des (0, M, N)`")
                .into());
        };
        if self.seen < header.transitions {
            let message = format!(
                "the header says that there are {} transitions, but the file has {}",
                header.transitions, self.seen
            );
            return Err(problem("aut::count", message, header.place, "this number")
                .with_help("correct the second number of the header, or look for what is missing")
                .into());
        }
        self.builder
            .build()
            .map_err(|error| problem("aut::structure", error.to_string(), here, "in this file").into())
    }
}

/// A place in a line.
struct Scanner<'a> {
    line: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    #[inline]
    fn blanks(&mut self) {
        while self.line.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    #[cold]
    fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.line.get(self.at) {
            Some(_) => "this is something else",
            None => "the line ends here",
        };
        let span = Span::new(self.at, (self.at + 1).min(self.line.len()));
        problem("aut::syntax", format!("expected {what}"), span, found)
    }

    #[inline]
    fn symbol(&mut self, symbol: u8) -> Result<(), Problem> {
        self.blanks();
        if self.line.get(self.at) != Some(&symbol) {
            return Err(self.expected(&format!("`{}`", char::from(symbol))).into());
        }
        self.at += 1;
        Ok(())
    }

    #[inline]
    fn number(&mut self) -> Result<(u64, Span), Problem> {
        self.blanks();
        let start = self.at;
        let mut value = 0u64;
        while let Some(digit) = self.line.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            value = value.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        if self.at == start {
            return Err(self.expected("a number").into());
        }
        Ok((value, Span::new(start, self.at)))
    }

    fn end(&mut self) -> Result<(), Problem> {
        self.blanks();
        match self.at == self.line.len() {
            true => Ok(()),
            false => Err(self.expected("the end of the line").into()),
        }
    }
}
