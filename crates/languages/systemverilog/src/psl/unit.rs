//! Verification units: `vunit name (module) { … }` with `inherit`, a default clock, declarations and directives.
//!
//! The Verilog flavour is read. Of the others it is said that they are others, where their own way of writing shows; of `override`, that it is not read. Declarations and statements
//! of Verilog inside a unit (the modelling layer, `modelling.rs`) are handed on as they are.

use super::modelling::modelling_end;
use super::replicated_text::replicated_text;
use super::{unsupported, wrong};
use crate::expression::{after_group, depth_change, span_of, split};
use crate::token::{Kind, Token};
use entail_source::{Diagnostic, Span};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedKind {
    Property,
    Sequence,
    /// True where a match of a sequence ends.
    EndPoint,
}

/// A declaration: `property name (formals) = body;`.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) kind: NamedKind,
    pub(crate) name: Token,
    /// Names of arguments, and whether they are sequences.
    pub(crate) formals: Vec<(String, bool)>,
    pub(crate) body: Vec<Token>,
}

/// What is said about a property or a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// It is true.
    Assert,
    /// It is taken for true.
    Assume,
    /// The whole behaviour is the beginning of a match.
    Restrict,
    /// It is met somewhere.
    Cover,
    /// It is true again and again.
    Fairness,
    /// If the first is true again and again, so is the second.
    StrongFairness,
}

/// `label: assert property;`.
#[derive(Clone, Debug)]
pub(crate) struct Directed {
    pub(crate) label: Option<String>,
    pub(crate) said: Said,
    pub(crate) body: Vec<Token>,
    pub(crate) span: Span,
}

/// A unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unit {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// The module that it is bound to.
    pub(crate) module: Option<Token>,
    /// The instance that it is bound to, from the top module on, if it is one.
    pub(crate) instance: Vec<Token>,
    /// Declarations and statements of the hardware language.
    pub(crate) modelling: Vec<Vec<Token>>,
    pub(crate) inherits: Vec<Token>,
    pub(crate) clock: Option<Vec<Token>>,
    pub(crate) named: Vec<Named>,
    pub(crate) directed: Vec<Directed>,
}

const DIRECTIVES: [(&str, Said); 7] = [
    ("assert", Said::Assert),
    ("assume", Said::Assume),
    ("assume_guarantee", Said::Assume),
    ("restrict", Said::Restrict),
    ("restrict_guarantee", Said::Restrict),
    ("cover", Said::Cover),
    ("fairness", Said::Fairness),
];

/// The units of a file, from its tokens. What is wrong is noted, and the rest read.
pub(crate) fn units(tokens: &[Token], problems: &mut Vec<Diagnostic>) -> Vec<Unit> {
    let mut found = Vec::new();
    let tokens = match replicated_text(tokens) {
        Ok(tokens) => tokens,
        Err(problem) => {
            problems.push(problem);
            return found;
        }
    };
    let mut at = 0;
    while at < tokens.len() {
        match unit(&tokens, &mut at, problems) {
            Ok(unit) => found.push(unit),
            Err(problem) => {
                problems.push(problem);
                return found;
            }
        }
    }
    found
}

/// What of a unit is about a design, for those who have none.
pub(crate) fn needs_design(unit: &Unit) -> Option<Diagnostic> {
    if let Some(instance) = unit.instance.first() {
        let message = "a unit that is bound to an instance needs a design";
        return Some(unsupported(message, instance.span));
    }
    let first = unit.modelling.first()?.first()?;
    let message = format!("`{}` is of the modelling layer, which needs a design", first.text);
    Some(unsupported(&message, first.span).with_help("--source names the files of the design"))
}

fn is(tokens: &[Token], at: usize, text: &str) -> bool {
    tokens.get(at).is_some_and(|token| token.is(text))
}

fn span_at(tokens: &[Token], at: usize) -> Span {
    let last = tokens.last().map_or(Span::new(0, 0), |last| last.span);
    tokens.get(at).map_or(last, |token| token.span)
}

fn name_at(tokens: &[Token], at: usize, what: &str) -> Result<Token, Diagnostic> {
    match tokens.get(at) {
        Some(token) if token.kind == Kind::Name => Ok(token.clone()),
        _ => Err(wrong(
            &format!("the name of {what} is expected"),
            span_at(tokens, at),
        )),
    }
}

fn unit(tokens: &[Token], at: &mut usize, problems: &mut Vec<Diagnostic>) -> Result<Unit, Diagnostic> {
    let begin = *at;
    let word = &tokens[begin];
    if !["vunit", "vprop", "vmode"].iter().any(|known| word.is(known)) {
        let message = match word.text.as_str() {
            "vpkg" => "packages of PSL are not read",
            _ => "a verification unit is expected: `vunit`, `vprop` or `vmode`",
        };
        return Err(unsupported(message, word.span));
    }
    let name = name_at(tokens, begin + 1, "the unit")?;
    let mut place = begin + 2;
    let (mut module, mut instance) = (None, Vec::new());
    if is(tokens, place, "(") {
        let close = after_group(tokens, place);
        match &tokens[place + 1..close.max(place + 2) - 1] {
            [one] if one.kind == Kind::Name => module = Some(one.clone()),
            [_, open, ..] if open.is("(") => return Err(vhdl(open.span)),
            path @ [first, dot, ..] if first.kind == Kind::Name && dot.is(".") => instance = path.to_vec(),
            other => {
                let message = "a unit is bound to a module or an instance by its name";
                return Err(wrong(message, span_of(other)));
            }
        }
        place = close;
    }
    if !is(tokens, place, "{") {
        return Err(wrong("`{` is expected", span_at(tokens, place)));
    }
    let close = after_group(tokens, place);
    if close < place + 2 || !is(tokens, close - 1, "}") {
        return Err(wrong("this brace is not closed", tokens[place].span));
    }
    let mut found = Unit {
        name: name.text.clone(),
        span: Span::new(word.span.start, name.span.end),
        module,
        instance,
        ..Unit::default()
    };
    let inner = &tokens[place + 1..close - 1];
    let mut item = 0;
    while item < inner.len() {
        if let Some(end) = modelling_end(inner, item) {
            found.modelling.push(inner[item..end].to_vec());
            item = end;
            continue;
        }
        let end = item_end(&inner[item..]) + item;
        if let Err(problem) = found.item(&inner[item..end], word) {
            problems.push(problem);
        }
        item = end + 1;
    }
    *at = close + usize::from(is(tokens, close, ";"));
    Ok(found)
}

/// The position of the semicolon that ends an item.
fn item_end(tokens: &[Token]) -> usize {
    let mut depth = 0;
    for (place, token) in tokens.iter().enumerate() {
        depth += depth_change(token);
        if depth <= 0 && token.is(";") {
            return place;
        }
    }
    tokens.len()
}

fn vhdl(span: Span) -> Diagnostic {
    let message = "this is PSL as it is written with VHDL, which is not read";
    unsupported(message, span)
        .with_help("the Verilog flavour is read: `vunit name (module) { property p = …; }`")
}

impl Unit {
    fn item(&mut self, tokens: &[Token], around: &Token) -> Result<(), Diagnostic> {
        let Some(first) = tokens.first() else {
            return Ok(());
        };
        let second = tokens.get(1);
        match first.text.as_str() {
            "inherit" => {
                for part in split(&tokens[1..], ",") {
                    match part {
                        [name] if name.kind == Kind::Name => self.inherits.push(name.clone()),
                        [word, ..] if word.is("nontransitive") || word.is("transitive") => {
                            return Err(unsupported(&format!("`{}` is not read", word.text), word.span));
                        }
                        _ => return Err(wrong("the name of a unit is expected", span_of(tokens))),
                    }
                }
                Ok(())
            }
            "default" if second.is_some_and(|word| word.is("clock")) => {
                match tokens.get(2) {
                    Some(sign) if sign.is("=") && tokens.len() > 3 => {}
                    Some(sign) if sign.is("is") => return Err(vhdl(sign.span)),
                    _ => return Err(wrong("`default clock = …` is expected", span_of(tokens))),
                }
                if self.clock.is_some() {
                    return Err(wrong("this unit has a default clock already", first.span));
                }
                self.clock = Some(tokens[3..].to_vec());
                Ok(())
            }
            "property" | "sequence" | "endpoint" => self.declaration(tokens),
            _ => self.directive(tokens, around),
        }
    }

    fn declaration(&mut self, tokens: &[Token]) -> Result<(), Diagnostic> {
        let kind = match tokens[0].text.as_str() {
            "property" => NamedKind::Property,
            "sequence" => NamedKind::Sequence,
            _ => NamedKind::EndPoint,
        };
        let name = name_at(tokens, 1, "what is declared")?;
        let mut place = 2;
        let mut formals = Vec::new();
        if is(tokens, place, "(") {
            let close = after_group(tokens, place);
            for group in split(&tokens[place + 1..close.max(place + 2) - 1], ";") {
                let is_sequence = group.iter().any(|token| token.is("sequence"));
                for part in split(group, ",") {
                    match part.iter().rfind(|token| token.kind == Kind::Name) {
                        Some(name) => formals.push((name.text.clone(), is_sequence)),
                        None => return Err(wrong("the name of an argument is expected", span_of(tokens))),
                    }
                }
            }
            place = close;
        }
        if is(tokens, place, "is") {
            return Err(vhdl(tokens[place].span));
        }
        if !is(tokens, place, "=") || place + 1 >= tokens.len() {
            return Err(wrong("`= …` is expected", span_at(tokens, place)));
        }
        if let Some(known) = self.named.iter().find(|known| known.name.text == name.text) {
            let message = format!("`{}` is declared twice", name.text);
            return Err(wrong(&message, name.span).with_label(known.name.span, "declared here first"));
        }
        self.named.push(Named {
            kind,
            name,
            formals,
            body: tokens[place + 1..].to_vec(),
        });
        Ok(())
    }

    fn directive(&mut self, tokens: &[Token], around: &Token) -> Result<(), Diagnostic> {
        let is_labelled = is(tokens, 1, ":") && tokens[0].kind == Kind::Name;
        let at = if is_labelled { 2 } else { 0 };
        let is_strong = is(tokens, at, "strong") && is(tokens, at + 1, "fairness");
        let word = at + usize::from(is_strong);
        let known = DIRECTIVES.iter().find(|(name, _)| is(tokens, word, name));
        let Some(&(name, said)) = known else {
            return Err(not_an_item(&tokens[0]));
        };
        let said = if is_strong { Said::StrongFairness } else { said };
        let is_claim = matches!(said, Said::Assert);
        let is_limit = matches!(
            said,
            Said::Assume | Said::Restrict | Said::Fairness | Said::StrongFairness
        );
        if (around.is("vmode") && is_claim) || (around.is("vprop") && is_limit) {
            let message = format!("there is no `{name}` in a `{}`", around.text);
            let help = "a `vunit` may contain both assertions and assumptions";
            return Err(wrong(&message, tokens[word].span).with_help(help));
        }
        // (What is printed when it fails is not looked at.)
        let body = &tokens[word + 1..];
        let report = body
            .iter()
            .position(|token| token.is("report") || token.is("severity"));
        let body = body[..report.unwrap_or(body.len())].to_vec();
        if body.is_empty() {
            return Err(wrong(&format!("this `{name}` says nothing"), tokens[word].span));
        }
        self.directed.push(Directed {
            label: is_labelled.then(|| tokens[0].text.trim_start_matches('\\').to_owned()),
            said,
            span: span_of(tokens),
            body,
        });
        Ok(())
    }
}

/// Whether a word is one of SystemC: of its types and macros, or of the events of its clocks.
pub(super) fn is_of_systemc(word: &str) -> bool {
    const EVENTS: [&str; 3] = ["posedge_event", "negedge_event", "value_changed_event"];
    const TYPES: [&str; 9] = [
        "sc_signal",
        "sc_in",
        "sc_out",
        "sc_inout",
        "sc_uint",
        "sc_int",
        "sc_bv",
        "sc_lv",
        "sc_clock",
    ];
    EVENTS.contains(&word) || TYPES.contains(&word) || word.starts_with("SC_") || word == "bool"
}

pub(super) fn systemc(span: Span) -> Diagnostic {
    let message = "this is PSL as it is written with SystemC, which is not read";
    unsupported(message, span).with_help("the Verilog flavour is read: `default clock = (posedge clk);`")
}

/// What an item is that is neither declaration nor directive.
fn not_an_item(first: &Token) -> Diagnostic {
    match first.text.as_str() {
        "override" => unsupported("`override` is not read", first.span),
        "var" | "define" | "instance" => {
            let message = "this is PSL as it is written with GDL, which is not read";
            unsupported(message, first.span).with_help("the Verilog flavour is read")
        }
        word if is_of_systemc(word) => systemc(first.span),
        "signal" | "process" | "constant" => vhdl(first.span),
        "input" | "output" | "inout" => wrong("a unit has no ports", first.span),
        _ => wrong(
            "a declaration (`property`, `sequence`, `default clock`, `wire`), a statement of Verilog, or a directive (`assert`, `assume`, `restrict`, `cover`) is expected",
            first.span,
        ),
    }
}
