//! Reading the Hanoi Omega-Automata format, version 1, completely.
//!
//! A text may hold several automata, one after the other: [`HoaReader`] is an iterator over them, and an error in one (or
//! `--ABORT--`) does not spoil the next. Supported: aliases, labels on states and edges, implicit labels, acceptance on
//! states and edges, negated acceptance sets (`Fin(!0)`), universal branching, several initial states. The declared
//! numbers are checked against what is there; memory is only spent on what the text contains. Properties are not
//! believed: what they claim is recomputed where it matters.

mod expressions;

use crate::acceptance::{Acceptance, Marks};
use crate::alternating::{Alternating, AlternatingEdge};
use crate::automaton::{Automaton, State};
use crate::formats::hoa_lexer::{Lexer, Token, error};
use crate::formats::wide_parity::{WIDEST, WideParity};
use crate::label::{Label, Labels};
use entail_source::{Diagnostic, Diagnostics, Span};
use rustc_hash::FxHashMap;

type Read<T> = Result<T, Diagnostic>;

/// The most states an automaton may declare.
pub const MAX_STATES: u64 = 1 << 24;

/// Reads the automata of a text one by one.
pub struct HoaReader<'t> {
    lexer: Lexer<'t>,
    done: bool,
}

impl<'t> HoaReader<'t> {
    /// A reader at the start of the text.
    pub fn new(text: &'t str) -> HoaReader<'t> {
        HoaReader {
            lexer: Lexer::new(text),
            done: false,
        }
    }
}

impl Iterator for HoaReader<'_> {
    type Item = Result<Alternating, Diagnostics>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let before = self.lexer.at;
        match read_one(&mut self.lexer, false) {
            Ok(Some((automaton, _))) => Some(Ok(automaton)),
            Ok(None) => {
                self.done = true;
                None
            }
            Err(diagnostic) => {
                // The error may be found only at the end of the automaton: go on after the first end mark.
                self.lexer.at = before;
                self.lexer.recover();
                self.done = self.lexer.at == before;
                Some(Err(diagnostic.within(self.lexer.text).into()))
            }
        }
    }
}

/// The single automaton of a text, alternating or not.
pub fn read_alternating(text: &str) -> Result<Alternating, Diagnostics> {
    let mut reader = HoaReader::new(text);
    match reader.next() {
        Some(result) => result,
        None => Err(error(
            "no automaton here",
            Span::new(0, text.len()),
            "expected `HOA: v1`",
        )
        .into()),
    }
}

/// The first automaton of a text, which must not branch universally.
pub fn read_hoa(text: &str) -> Result<Automaton, Diagnostics> {
    without_branching(&read_alternating(text)?, text)
}

/// An automaton, and the priorities of its edges where marks do not tell them.
pub type WithPriorities = (Automaton, Option<Vec<Vec<u32>>>);

/// The same. If it has a parity condition with more sets than marks there are, edges have no marks; their priorities (max even) are listed state by state, edge by edge.
pub fn read_hoa_or_parity(text: &str) -> Result<WithPriorities, Diagnostics> {
    let first = read_one(&mut Lexer::new(text), true);
    match first.map_err(|diagnostic| diagnostic.within(text))? {
        Some((mut wide, Some(condition))) => {
            let priorities = condition.take_priorities(&mut wide.edges);
            Ok((without_branching(&wide, text)?, Some(priorities)))
        }
        _ => Ok((read_hoa(text)?, None)),
    }
}

fn without_branching(automaton: &Alternating, text: &str) -> Result<Automaton, Diagnostics> {
    automaton.to_nondeterministic().map_err(|why| {
        error(
            why.to_string(),
            Span::new(0, text.len().min(4)),
            "remove alternation first",
        )
        .within(text)
        .into()
    })
}

struct Parser<'l, 't> {
    lexer: &'l mut Lexer<'t>,
    token: Token,
    span: Span,
    nesting: usize,
    /// Whether a parity condition may have more sets than there are marks.
    may_be_wide: bool,
}

/// An automaton, and its condition if that is wide.
type ReadOne = (Alternating, Option<WideParity>);

fn read_one(lexer: &mut Lexer<'_>, may_be_wide: bool) -> Read<Option<ReadOne>> {
    let (token, span) = lexer.next()?;
    let mut parser = Parser {
        lexer,
        token,
        span,
        nesting: 0,
        may_be_wide,
    };
    match &parser.token {
        Token::EndOfText => return Ok(None),
        Token::Header(name) if name == "HOA" => {}
        _ => return Err(parser.expected("`HOA: v1`")),
    }
    parser.advance()?;
    match &parser.token {
        Token::Identifier(version) if version == "v1" => {}
        _ => return Err(parser.expected("version `v1`")),
    }
    parser.advance()?;
    let header = parser.header()?;
    let wide = header.wide;
    Ok(Some((parser.body(header)?, wide)))
}

#[derive(Default)]
struct Header {
    states: Option<(u64, Span)>,
    starts: Vec<(Vec<u64>, Span)>,
    propositions: Option<Vec<String>>,
    aliases: FxHashMap<String, Label>,
    acceptance: Option<(u32, Acceptance)>,
    wide: Option<WideParity>,
    /// Negated sets: the new mark, and the set it is the complement of.
    complements: Vec<(u32, u32)>,
    name: Option<String>,
    labels: Labels,
}

impl Parser<'_, '_> {
    fn advance(&mut self) -> Read<()> {
        let (token, span) = self.lexer.next()?;
        self.token = token;
        self.span = span;
        Ok(())
    }

    fn expected(&self, what: &str) -> Diagnostic {
        error(format!("expected {what}"), self.span, "found this")
    }

    fn symbol(&mut self, symbol: char) -> Read<()> {
        if self.token != Token::Symbol(symbol) {
            return Err(self.expected(&format!("`{symbol}`")));
        }
        self.advance()
    }

    fn number(&mut self) -> Read<u64> {
        match self.token {
            Token::Number(number) => {
                self.advance()?;
                Ok(number)
            }
            _ => Err(self.expected("a number")),
        }
    }

    fn text(&mut self) -> Read<String> {
        match &self.token {
            Token::Text(text) => {
                let text = text.clone();
                self.advance()?;
                Ok(text)
            }
            _ => Err(self.expected("a quoted string")),
        }
    }

    fn header(&mut self) -> Read<Header> {
        let mut header = Header::default();
        loop {
            let span = self.span;
            let name = match &self.token {
                Token::Body => {
                    self.advance()?;
                    return Ok(header);
                }
                Token::Header(name) => name.clone(),
                Token::Abort => return Err(error("the automaton was aborted by its writer", span, "here")),
                _ => return Err(self.expected("a header item or `--BODY--`")),
            };
            self.advance()?;
            let twice = || error(format!("`{name}:` is given twice"), span, "the second one");
            match name.as_str() {
                "States" => {
                    if header.states.is_some() {
                        return Err(twice());
                    }
                    let number = self.number()?;
                    if number > MAX_STATES {
                        return Err(error(format!("more than {MAX_STATES} states"), span, "too many"));
                    }
                    header.states = Some((number, span));
                }
                "Start" => {
                    let conjunction = self.conjunction()?;
                    header.starts.push((conjunction, span));
                }
                "AP" => {
                    if header.propositions.is_some() {
                        return Err(twice());
                    }
                    let count = self.number()?;
                    let mut names = Vec::new();
                    while matches!(self.token, Token::Text(_)) {
                        names.push(self.text()?);
                    }
                    if names.len() as u64 != count {
                        let message = format!("{count} propositions announced, {} given", names.len());
                        return Err(error(message, span, "here"));
                    }
                    if count > 64 {
                        return Err(error("more than 64 propositions are not supported", span, "here"));
                    }
                    let mut sorted = names.clone();
                    sorted.sort();
                    sorted.dedup();
                    if sorted.len() < names.len() {
                        return Err(error("a proposition is given twice", span, "here"));
                    }
                    header.propositions = Some(names);
                }
                "Alias" => {
                    let alias = match &self.token {
                        Token::Alias(alias) => alias.clone(),
                        _ => return Err(self.expected("an alias `@name`")),
                    };
                    if header.aliases.contains_key(&alias) {
                        return Err(error(
                            format!("alias `@{alias}` is defined twice"),
                            self.span,
                            "again here",
                        ));
                    }
                    self.advance()?;
                    let label = self.label(&mut header)?;
                    header.aliases.insert(alias, label);
                }
                "Acceptance" => {
                    if header.acceptance.is_some() {
                        return Err(twice());
                    }
                    let count = self.number()?;
                    let too_many = |most: &str| {
                        let message = format!("more than {most} acceptance sets are not supported");
                        error(message, span, "here")
                    };
                    if count > 64 && self.may_be_wide && count <= WIDEST {
                        let condition = self.acceptance(count as u32, &mut header.complements)?;
                        let wide = WideParity::of(&condition, count as u32);
                        header.wide =
                            Some(wide.ok_or_else(|| too_many("64, for other conditions than parity,"))?);
                        header.acceptance = Some((0, Acceptance::True));
                        continue;
                    }
                    if count > 64 {
                        return Err(too_many(if self.may_be_wide { "2000" } else { "64" }));
                    }
                    let condition = self.acceptance(count as u32, &mut header.complements)?;
                    let total = count as usize + header.complements.len();
                    if total > 64 {
                        return Err(too_many("64"));
                    }
                    header.acceptance = Some((total as u32, condition));
                }
                "name" => header.name = Some(self.text()?),
                "acc-name" | "tool" | "properties" => self.skip_item()?,
                _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                    let message = format!("unknown header item `{name}:` that may change the meaning");
                    return Err(error(message, span, "capitalised items must be understood"));
                }
                _ => self.skip_item()?,
            }
        }
    }

    fn skip_item(&mut self) -> Read<()> {
        while !matches!(
            self.token,
            Token::Header(_) | Token::Body | Token::End | Token::Abort | Token::EndOfText
        ) {
            self.advance()?;
        }
        Ok(())
    }

    fn conjunction(&mut self) -> Read<Vec<u64>> {
        let mut states = vec![self.number()?];
        while self.token == Token::Symbol('&') {
            self.advance()?;
            states.push(self.number()?);
        }
        Ok(states)
    }

    fn marks(&mut self, header: &Header) -> Read<Marks> {
        if self.token != Token::Symbol('{') {
            return Ok(Marks::NONE);
        }
        self.advance()?;
        let declared = match header.wide {
            Some(wide) => wide.count as usize,
            None => {
                header.acceptance.as_ref().map_or(0, |(count, _)| *count) as usize - header.complements.len()
            }
        };
        let mut marks = Marks::NONE;
        while let Token::Number(mark) = self.token {
            if mark >= declared as u64 {
                let label = format!("{declared} are declared");
                return Err(error(
                    format!("there is no acceptance set {mark}"),
                    self.span,
                    label,
                ));
            }
            marks = match header.wide {
                Some(wide) => wide.joined(marks, WideParity::set(mark)),
                None => marks.with(Marks::one(mark as u32)),
            };
            self.advance()?;
        }
        self.symbol('}')?;
        Ok(marks)
    }

    fn body(&mut self, mut header: Header) -> Read<Alternating> {
        let span = self.span;
        let Some((mark_count, acceptance)) = header.acceptance.clone() else {
            return Err(error("the header has no `Acceptance:`", span, "before this body"));
        };
        let propositions = header.propositions.clone().unwrap_or_default();
        let mut bodies: FxHashMap<u64, Vec<AlternatingEdge>> = FxHashMap::default();
        let mut mentioned: Vec<(u64, Span)> = Vec::new();
        loop {
            match &self.token {
                Token::End => break,
                Token::Header(name) if name == "State" => {}
                Token::Abort => {
                    return Err(error(
                        "the automaton was aborted by its writer",
                        self.span,
                        "here",
                    ));
                }
                _ => return Err(self.expected("`State:` or `--END--`")),
            }
            self.advance()?;
            let state_label = self.optional_label(&mut header)?;
            let span = self.span;
            let state = self.number()?;
            mentioned.push((state, span));
            if matches!(self.token, Token::Text(_)) {
                self.advance()?;
            }
            let state_marks = self.marks(&header)?;
            if bodies.contains_key(&state) {
                return Err(error(
                    format!("state {state} is defined twice"),
                    span,
                    "again here",
                ));
            }
            let edges = self.edges(&mut header, (state_label, state_marks), span, &mut mentioned)?;
            bodies.insert(state, edges);
        }
        for (starts, span) in &header.starts {
            for start in starts {
                mentioned.push((*start, *span));
            }
        }
        let count = state_count(&header, &mentioned)?;
        let mut edges = Vec::with_capacity(bodies.len());
        for state in 0..count {
            edges.push(bodies.remove(&state).unwrap_or_default());
        }
        for edge in edges.iter_mut().flatten() {
            for (fresh, of) in &header.complements {
                if !edge.marks.has(*of) {
                    edge.marks = edge.marks.with(Marks::one(*fresh));
                }
            }
        }
        for list in &mut edges {
            list.retain(|edge| edge.label != Label::FALSE);
        }
        let initial = header
            .starts
            .iter()
            .map(|(states, _)| {
                let mut set: Vec<State> = states.iter().map(|state| State(*state as u32)).collect();
                set.sort_unstable();
                set.dedup();
                set
            })
            .collect();
        Ok(Alternating {
            propositions,
            labels: header.labels,
            edges,
            initial,
            acceptance,
            mark_count,
            name: header.name,
        })
    }

    /// The edges of a state that begins at `span`; the states they lead to are added to those that are `mentioned`.
    fn edges(
        &mut self,
        header: &mut Header,
        (state_label, state_marks): (Option<Label>, Marks),
        span: Span,
        mentioned: &mut Vec<(u64, Span)>,
    ) -> Read<Vec<AlternatingEdge>> {
        let propositions = header.propositions.as_ref().map_or(0, Vec::len);
        let letters = 1u64.checked_shl(propositions as u32).unwrap_or(u64::MAX);
        let mut edges = Vec::new();
        let mut implicit = 0u64;
        while matches!(self.token, Token::Symbol('[') | Token::Number(_)) {
            let edge_span = self.span;
            let own = self.optional_label(header)?;
            let target_span = self.span;
            let targets = self.conjunction()?;
            for target in &targets {
                mentioned.push((*target, target_span));
            }
            let own_marks = self.marks(header)?;
            let marks = match header.wide {
                Some(wide) => wide.joined(own_marks, state_marks),
                None => own_marks.with(state_marks),
            };
            let label = match (own, state_label) {
                (Some(_), Some(_)) => {
                    return Err(error(
                        "the state and the edge both have a label",
                        edge_span,
                        "this edge",
                    ));
                }
                (Some(label), None) | (None, Some(label)) => label,
                (None, None) => {
                    implicit += 1;
                    if implicit > letters {
                        return Err(error(
                            "more edges than letters",
                            edge_span,
                            "implicit labels end before this",
                        ));
                    }
                    header.labels.minterm(implicit - 1, propositions)
                }
            };
            let mut targets: Vec<State> = targets
                .into_iter()
                .map(|target| u32::try_from(target).map(State).unwrap_or(State(u32::MAX)))
                .collect();
            targets.sort_unstable();
            targets.dedup();
            edges.push(AlternatingEdge {
                label,
                targets,
                marks,
            });
        }
        if implicit > 0 && (implicit as usize) < edges.len() {
            return Err(error(
                "labelled and unlabelled edges in one state",
                span,
                "this state",
            ));
        }
        if implicit > 0 && implicit != letters {
            return Err(error(
                format!("{implicit} unlabelled edges, but {propositions} propositions"),
                span,
                "implicit labels need an edge for each letter",
            ));
        }
        Ok(edges)
    }

    fn optional_label(&mut self, header: &mut Header) -> Read<Option<Label>> {
        if self.token != Token::Symbol('[') {
            return Ok(None);
        }
        self.advance()?;
        let label = self.label(header)?;
        self.symbol(']')?;
        Ok(Some(label))
    }
}

/// How many states there are: as many as the header says, or as are mentioned in the body.
fn state_count(header: &Header, mentioned: &[(u64, Span)]) -> Read<u64> {
    let declared = header.states.map(|(count, _)| count);
    let limit = declared.unwrap_or(MAX_STATES);
    let mut count = declared.unwrap_or(0);
    for (state, span) in mentioned {
        if *state >= limit {
            return Err(error(
                format!("there is no state {state}"),
                *span,
                format!("below {limit} expected"),
            ));
        }
        count = count.max(state + 1);
    }
    Ok(count)
}
