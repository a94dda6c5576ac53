//! Local variables of sequences and properties, and the match items that assign them (IEEE 1800-2017, 16.10 and 16.11).
//!
//! Every assignment gives the variable a new number, except that the branches of `or` share theirs: on each way through a sequence a number is assigned once.
//! To the elaborator, a number is a wire of the variable's type that nothing drives ([`local_wire`]), which later becomes a constant or a value that is followed;
//! what is assigned is another wire of that type ([`value_wire`]), so that the language's rules of assignment decide about width and sign.
//! Variables of an instance of a named sequence have names of their own. What is repeated a known number of times and assigns is written out (`repeated_locals.rs`).

use crate::cursor::Cursor;
use crate::design::{local_wire, value_wire};
use crate::expression::{rewrite, span_of, split};
use crate::instance::expanded;
use crate::property::{Parser, Piece, Result, not_read, unsupported};
use crate::scan::Declaration;
use crate::token::{Kind, Token};
use entail_logic::{Assertion, Guard, Local, Sequence};
use entail_source::{Span, nearest};
use std::fmt::Write as _;
use std::sync::Arc;

/// A local variable as it is declared.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredLocal {
    /// Its type.
    pub(crate) kind: Vec<Token>,
    pub(crate) name: String,
    /// What it is at first.
    pub(crate) first: Option<Vec<Token>>,
}

/// A local variable of an instance.
pub(crate) struct LocalVariable {
    /// As it is called in the tokens of the instance.
    pub(crate) alias: String,
    /// As the user calls it.
    name: String,
    /// Its type, as that of a net.
    kind: NetKind,
    /// How often it has been assigned on the way here; nothing if it has no value here.
    pub(crate) assigned: Option<u32>,
}

/// How a net of a type is declared.
struct NetKind {
    text: String,
    /// A type that may stand before a net's own first value.
    is_wire: bool,
}

/// The local variables of a check.
#[derive(Default)]
pub(crate) struct LocalVariables {
    pub(crate) variables: Vec<LocalVariable>,
    /// The numbers given so far: which variable, and how often assigned.
    numbers: Vec<(usize, u32)>,
    /// Number of values that are assigned.
    pub(crate) values: usize,
}

/// How often each variable has been assigned, at some place of a property.
pub(crate) type Assigned = Vec<Option<u32>>;

/// A variable and what it is at first.
pub(crate) type FirstValue = (Token, Vec<Token>);

/// How the values of branches come together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    /// One of them is gone through.
    Either,
    /// Both are.
    Both,
}

impl LocalVariables {
    fn find(&self, alias: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable.alias == alias)
    }

    /// Whether some tokens name a local variable.
    pub(crate) fn is_read(&self, tokens: &[Token]) -> bool {
        !self.variables.is_empty()
            && tokens
                .iter()
                .any(|token| token.kind == Kind::Name && self.find(&token.text).is_some())
    }

    /// The wire that a name stands for, if it is that of a local variable.
    pub(crate) fn wire(&self, check: usize, token: &Token) -> Option<Result<String>> {
        let place = self.find(&token.text).filter(|_| token.kind == Kind::Name)?;
        let variable = &self.variables[place];
        let number = variable
            .assigned
            .and_then(|count| self.numbers.iter().position(|&known| known == (place, count)));
        Some(match number {
            Some(number) => Ok(format!("\\{} ", local_wire(check, number))),
            None => Err(not_read(
                &format!("the local variable `{}` has no value here", variable.name),
                token.span,
            )),
        })
    }

    /// The variables' names, by their numbers.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.numbers.iter();
        names
            .map(|&(variable, _)| self.variables[variable].name.clone())
            .collect()
    }

    pub(crate) fn assigned(&self) -> Assigned {
        self.variables.iter().map(|variable| variable.assigned).collect()
    }

    /// Goes back to what was assigned at an earlier place; variables that were met since stay as they are.
    pub(crate) fn back_to(&mut self, assigned: &Assigned) {
        for (variable, before) in self.variables.iter_mut().zip(assigned) {
            variable.assigned = *before;
        }
    }

    /// Joins branches that began alike, the second of which ends here.
    pub(crate) fn join(&mut self, before: &Assigned, first: &Assigned, join: Join, span: Span) -> Result<()> {
        for (place, (before, first)) in before.iter().zip(first).enumerate() {
            let variable = &mut self.variables[place];
            let second = variable.assigned;
            variable.assigned = match join {
                Join::Either => second.filter(|_| second == *first),
                Join::Both if second == *before => *first,
                Join::Both if first == before => second,
                Join::Both => {
                    let message = format!("the local variable `{}` is assigned on both sides", variable.name);
                    return Err(unsupported(&message, span));
                }
            };
        }
        Ok(())
    }
}

/// A type as that of a net.
fn net_kind(kind: &[Token]) -> NetKind {
    let texts: Vec<&str> = kind.iter().map(|token| token.text.as_str()).collect();
    let skip = usize::from(matches!(texts.first(), Some(&"var" | &"local")));
    let rest = |from: usize| texts[from.min(texts.len())..].join(" ");
    let is_unsigned = texts.contains(&"unsigned");
    let sign = if is_unsigned { "" } else { "signed " };
    let width = match texts.get(skip) {
        Some(&("logic" | "bit" | "reg")) => {
            return NetKind {
                text: format!("wire {}", rest(skip + 1)),
                is_wire: true,
            };
        }
        Some(&("int" | "integer")) => 32,
        Some(&"byte") => 8,
        Some(&"shortint") => 16,
        Some(&"longint") => 64,
        _ => {
            return NetKind {
                text: rest(skip),
                is_wire: false,
            };
        }
    };
    NetKind {
        text: format!("wire {sign}[{}:0]", width - 1),
        is_wire: true,
    }
}

/// The variables that the body of a sequence or property begins with, and how many tokens they take.
pub(crate) fn declared_locals(body: &[Token]) -> (Vec<DeclaredLocal>, usize) {
    const TYPES: [&str; 10] = [
        "int", "logic", "bit", "reg", "byte", "integer", "shortint", "longint", "var", "local",
    ];
    let mut found = Vec::new();
    let mut at = 0;
    while at < body.len() {
        let is_type = TYPES.iter().any(|word| body[at].is(word));
        let names = |token: Option<&Token>| token.is_some_and(|token| token.kind == Kind::Name);
        let ends_name = |token: Option<&Token>| {
            token.is_some_and(|token| [";", "=", ","].iter().any(|sign| token.is(sign)))
        };
        let is_named = names(body.get(at)) && names(body.get(at + 1)) && ends_name(body.get(at + 2));
        let Some(length) = split_at_semicolon(&body[at..]).filter(|_| is_type || is_named) else {
            break;
        };
        let mut kind: Vec<Token> = Vec::new();
        for (place, part) in split(&body[at..at + length], ",").into_iter().enumerate() {
            let halves = split(part, "=");
            let Some((name, before)) = halves[0].split_last() else {
                return (found, at);
            };
            if place == 0 {
                kind = before.to_vec();
            }
            found.push(DeclaredLocal {
                kind: kind.clone(),
                name: name.text.clone(),
                first: halves.get(1).map(|tokens| tokens.to_vec()),
            });
        }
        at += length + 1;
    }
    (found, at)
}

fn split_at_semicolon(tokens: &[Token]) -> Option<usize> {
    tokens.iter().position(|token| token.is(";"))
}

/// System tasks that say something and change nothing.
const SAYING: [&str; 9] = [
    "$display", "$write", "$strobe", "$monitor", "$info", "$warning", "$error", "$fatal", "$time",
];

/// Signs that assign.
const ASSIGNING: [&str; 11] = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];

impl Parser<'_> {
    /// The body of an instance with its arguments put in, its variables declared, and their first values.
    pub(crate) fn instance(
        &mut self,
        declaration: &Declaration,
        arguments: Option<&[Token]>,
        span: Span,
    ) -> Result<(Vec<Token>, Vec<FirstValue>)> {
        let known = self.emitted.locals.variables.len();
        let alias = |place: usize| format!("entail$l{}", known + place);
        let names = declaration.locals.iter().enumerate();
        let aliases: Vec<(String, String)> = names
            .map(|(place, local)| (local.name.clone(), alias(place)))
            .collect();
        let body = expanded(declaration, &declaration.body, &aliases, arguments, span)?;
        let mut first = Vec::new();
        for (place, local) in declaration.locals.iter().enumerate() {
            let name = Token {
                kind: Kind::Name,
                text: alias(place),
                span,
            };
            if let Some(tokens) = &local.first {
                let value = expanded(declaration, tokens, &aliases, arguments, span)?;
                first.push((name.clone(), value));
            }
            self.emitted.locals.variables.push(LocalVariable {
                alias: name.text,
                name: local.name.clone(),
                kind: net_kind(&local.kind),
                assigned: None,
            });
        }
        Ok((body, first))
    }

    /// The letter on which an instance begins: its variables get their first values there. Nothing if there are none.
    pub(crate) fn first_values(&mut self, first: &[FirstValue]) -> Result<Option<Sequence<usize>>> {
        let mut whole = None;
        for (name, value) in first {
            self.meet_clock();
            let body = whole.unwrap_or_else(Sequence::anything);
            let text = rewrite(value, &mut self.emitted, 0)?;
            whole = Some(self.assigning(body, name, &text)?);
        }
        Ok(whole)
    }

    /// An instance of a sequence or property after its first values.
    pub(crate) fn beginning(&mut self, first: Option<Sequence<usize>>, piece: Piece) -> Result<Piece> {
        Ok(match (first, piece) {
            (None, piece) => piece,
            (Some(first), Piece::Sequence(rest)) => {
                Piece::Sequence(Sequence::Fusion(Arc::new(first), Arc::new(rest)))
            }
            (Some(first), Piece::Clocked(rest)) => {
                let first = self.clocked(first)?;
                Piece::Clocked(Sequence::Fusion(Arc::new(first), Arc::new(rest)))
            }
            (Some(first), Piece::Assertion(rest)) => {
                let first = self.clocked(first)?;
                Piece::Assertion(rest.implied_by(first, true))
            }
        })
    }

    /// The same for a whole property.
    pub(crate) fn beginning_of(
        &mut self,
        first: Option<Sequence<usize>>,
        assertion: Assertion<usize>,
    ) -> Result<Assertion<usize>> {
        match self.beginning(first, Piece::Assertion(assertion))? {
            Piece::Assertion(assertion) => Ok(assertion),
            Piece::Sequence(_) | Piece::Clocked(_) => Ok(Assertion::guard(Guard::Constant(true))),
        }
    }

    /// What stands behind a sequence in brackets, each after a comma.
    pub(crate) fn match_items(&mut self, piece: Piece, cursor: &mut Cursor<'_>) -> Result<Piece> {
        if !cursor.is(",") {
            return Ok(piece);
        }
        let span = cursor.span();
        let mut sequence = self.sequence(piece, span)?;
        if sequence.is_nullable() {
            let message = "a sequence with match items does not match nothing";
            return Err(not_read(message, span));
        }
        let rest = &cursor.tokens[cursor.at + 1..];
        cursor.at = cursor.tokens.len();
        for item in split(rest, ",") {
            sequence = self.match_item(sequence, item, span)?;
        }
        Ok(Piece::Sequence(sequence))
    }

    fn match_item(&mut self, body: Sequence<usize>, item: &[Token], span: Span) -> Result<Sequence<usize>> {
        let place = if item.is_empty() { span } else { span_of(item) };
        match item {
            [task, ..] if SAYING.iter().any(|name| task.is(name)) => Ok(body),
            [name, signs @ ..] if is_step(signs) => self.stepping(body, name, signs),
            [signs @ .., name] if is_step(signs) => self.stepping(body, name, signs),
            [name, rest @ ..] => {
                // `=`, or an operator and `=`.
                let is_sign = |one: &&Token| one.kind == Kind::Sign && !one.is("(");
                let signs = rest.iter().take_while(is_sign);
                let length = rest
                    .iter()
                    .take_while(is_sign)
                    .position(|one| one.text.ends_with('='));
                let sign: String = signs
                    .map(|one| one.text.as_str())
                    .take(length.map_or(0, |at| at + 1))
                    .collect();
                let value = &rest[length.map_or(rest.len(), |at| at + 1)..];
                if value.is_empty() || !ASSIGNING.contains(&sign.as_str()) {
                    return Err(unsupported("this match item is not read", place));
                }
                let text = rewrite(value, &mut self.emitted, 0)?;
                let operator = sign.trim_end_matches('=');
                let text = match operator {
                    "" => text,
                    _ => {
                        let before = rewrite(std::slice::from_ref(name), &mut self.emitted, 0)?;
                        format!("{before} {operator} ({text})")
                    }
                };
                self.assigning(body, name, &text)
            }
            [] => Err(not_read("a match item is expected", place)),
        }
    }

    /// `v++` and the like.
    fn stepping(&mut self, body: Sequence<usize>, name: &Token, signs: &[Token]) -> Result<Sequence<usize>> {
        let sign = if signs[0].text.starts_with('+') { '+' } else { '-' };
        let before = rewrite(std::slice::from_ref(name), &mut self.emitted, 0)?;
        self.assigning(body, name, &format!("{before} {sign} 1"))
    }

    /// A sequence after whose matches a variable has a value, which is given as the elaborator reads it.
    pub(crate) fn assigning(
        &mut self,
        body: Sequence<usize>,
        name: &Token,
        text: &str,
    ) -> Result<Sequence<usize>> {
        let check = self.check;
        let locals = &mut self.emitted.locals;
        let Some(place) = locals.find(&name.text) else {
            let message = format!("`{}` is not a local variable", name.text);
            let known: Vec<&str> = locals.variables.iter().map(|one| one.name.as_str()).collect();
            let help = match nearest(&name.text, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => {
                    "a variable is declared where the property or sequence begins: `property p; logic [7:0] v; …`".to_owned()
                }
                None => format!("the local variables here are {}", known.join(", ")),
            };
            return Err(not_read(&message, name.span).with_help(help));
        };
        let value = locals.values;
        locals.values += 1;
        let count = locals.variables[place].assigned.map_or(0, |count| count + 1);
        let known = locals.numbers.iter().position(|&known| known == (place, count));
        let is_new = known.is_none();
        let number = known.unwrap_or(locals.numbers.len());
        if is_new {
            locals.numbers.push((place, count));
        }
        locals.variables[place].assigned = Some(count);
        let kind = &locals.variables[place].kind;
        let (local, assigned) = (local_wire(check, number), value_wire(check, value));
        let declared = match kind.is_wire {
            true => format!("(* keep *) {} \\{assigned} = {text}; ", kind.text),
            false => format!(
                "(* keep *) {0} \\{assigned} ; assign \\{assigned} = {text}; ",
                kind.text
            ),
        };
        if is_new {
            let _ = write!(self.emitted.text, "(* keep *) {} \\{local} ; ", kind.text);
        }
        self.emitted.text.push_str(&declared);
        let Guard::Atom(equal) = self.atom(&format!("\\{assigned} == \\{local} ")) else {
            return Err(not_read("this is not a value", name.span));
        };
        Ok(Sequence::Assigning {
            body: Arc::new(body),
            local: Local(number as u32),
            value: value as u32,
            equal,
        })
    }
}

/// `++` or `--`.
fn is_step(signs: &[Token]) -> bool {
    let text: String = signs.iter().map(|one| one.text.as_str()).collect();
    text == "++" || text == "--"
}
