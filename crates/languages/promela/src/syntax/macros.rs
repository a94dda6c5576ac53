//! Macros, expanded as in C.
//!
//! Arguments are expanded first, unless `#` or `##` stands beside their parameter; then they are put into the body, and the result is read
//! again together with what follows. A macro does not expand inside itself: each token carries the names of the macros it came from
//! (Prosser's algorithm, in the C standard's committee paper X3J11/86-196).

use super::preprocess::{Preprocessor, wrong};
use super::token::{Kind, Token, tokens};
use entail_program::Origin;
use entail_source::Diagnostic;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;

type Fail = (u32, Diagnostic);

/// The last parameter of `#define f(x, ...)`.
const REST: &str = "__VA_ARGS__";

/// Tokens that are read and made for a whole program; macros that grow without end make more.
pub(super) const MOST_TOKENS: usize = 2_000_000;

/// Deeper nesting of macros in arguments is refused.
const DEEPEST: usize = 100;

/// A token that comes out of more macros, one used in the body of the other, is refused.
const LONGEST_CHAIN: u32 = 200;

/// Letters of a word or string that `##` and `#` make.
const LONGEST_WORD: usize = 10_000;

struct Macro {
    parameters: Option<Vec<Rc<str>>>,
    body: Vec<Token>,
}

/// The macros that are defined.
#[derive(Default)]
pub struct Macros {
    defined: FxHashMap<Rc<str>, Macro>,
    /// Tokens read and made so far.
    steps: Cell<usize>,
}

/// The names of the macros a token came from.
type Hidden = Option<Rc<Names>>;

/// Tokens with where they came from.
type Words = Vec<(Token, Hidden)>;

struct Names {
    name: Rc<str>,
    others: Hidden,
    /// How many there are.
    count: u32,
}

fn hides(hidden: &Hidden, name: &str) -> bool {
    let mut at = hidden;
    while let Some(names) = at {
        if &*names.name == name {
            return true;
        }
        at = &names.others;
    }
    false
}

impl Macros {
    /// Counts tokens of a file; an error if there are too many.
    pub fn count(&self, tokens: usize, file: u32) -> Result<(), Fail> {
        self.steps.set(self.steps.get() + tokens);
        match self.steps.get() > MOST_TOKENS {
            false => Ok(()),
            true => Err(wrong(
                Origin {
                    file,
                    ..Origin::default()
                },
                "promela::too-large",
                "the text is too long",
                "here",
                "a program has at most a million words",
            )),
        }
    }

    pub fn is_defined(&self, name: &str) -> bool {
        self.defined.contains_key(name)
    }

    pub fn forget(&mut self, name: &str) {
        self.defined.remove(name);
    }

    /// `#define` with what follows it.
    pub fn define(&mut self, words: &[Token], hash: &Token) -> Result<(), Fail> {
        let help = "write `#define NAME text` or `#define NAME(a, b) text`";
        let fail = |message: &str| Err(wrong(hash.origin, "promela::define", message, "here", help));
        let Some(Kind::Name(name)) = words.first().map(|word| &word.kind) else {
            return fail("the name of the macro is missing");
        };
        let mut parameters = None;
        let mut body = 1;
        if words.get(1).is_some_and(|word| word.is("(") && !word.spaced) {
            let mut names: Vec<Rc<str>> = Vec::new();
            body = 2;
            loop {
                match words.get(body).map(|word| &word.kind) {
                    Some(Kind::Name(name)) => names.push(name.clone()),
                    Some(Kind::Mark("...")) => names.push(REST.into()),
                    Some(Kind::Mark(",")) => {}
                    Some(Kind::Mark(")")) => break,
                    _ => return fail("the list of parameters is not closed"),
                }
                body += 1;
            }
            body += 1;
            parameters = Some(names);
        }
        let body = words[body..].to_vec();
        self.defined.insert(name.clone(), Macro { parameters, body });
        Ok(())
    }
}

impl Preprocessor<'_> {
    /// Replaces macros until there is none left.
    pub(super) fn expand(&self, input: Vec<Token>) -> Result<Vec<Token>, Fail> {
        let words = input.into_iter().map(|token| (token, None)).collect();
        let expanded = self.expand_words(words, 0)?;
        Ok(expanded.into_iter().map(|(token, _)| token).collect())
    }

    fn expand_words(&self, mut rest: Words, depth: usize) -> Result<Words, Fail> {
        let mut output = Vec::with_capacity(rest.len());
        // The next token is the last.
        rest.reverse();
        while let Some((mut token, hidden)) = rest.pop() {
            let steps = self.macros.steps.get() + 1;
            self.macros.steps.set(steps);
            if steps > MOST_TOKENS || depth > DEEPEST {
                return Err(endless(&token));
            }
            let found = match &token.kind {
                Kind::Name(name) => self.macros.defined.get_key_value(name),
                _ => None,
            };
            let found = found.filter(|(name, _)| !hides(&hidden, name));
            let Some((name, found)) = found else {
                output.push((token, hidden));
                continue;
            };
            let arguments = match &found.parameters {
                None => Vec::new(),
                Some(_) if !rest.last().is_some_and(|(next, _)| next.is("(")) => {
                    output.push((token, hidden));
                    continue;
                }
                Some(parameters) => {
                    let (arguments, close) = arguments(&mut rest, &token)?;
                    // What comes out stands where the whole use does.
                    if close.file == token.origin.file && close.span.start >= token.origin.span.end {
                        token.origin.span = token.origin.span.to(close.span);
                    }
                    fitted(arguments, parameters, name, &token)?
                }
            };
            let count = 1 + hidden.as_ref().map_or(0, |names| names.count);
            if count > LONGEST_CHAIN {
                return Err(endless(&token));
            }
            let hidden: Hidden = Some(Rc::new(Names {
                name: name.clone(),
                others: hidden,
                count,
            }));
            let replacement = self.replacement(found, arguments, &token, &hidden, depth)?;
            rest.extend(replacement.into_iter().rev());
        }
        Ok(output)
    }

    /// The body of a macro with arguments in it.
    fn replacement(
        &self,
        found: &Macro,
        arguments: Vec<Words>,
        used: &Token,
        hidden: &Hidden,
        depth: usize,
    ) -> Result<Words, Fail> {
        let parameters: &[Rc<str>] = found.parameters.as_deref().unwrap_or(&[]);
        let position = |word: &Token| match &word.kind {
            Kind::Name(name) => parameters.iter().position(|parameter| parameter == name),
            _ => None,
        };
        let mut expanded: Vec<Option<Words>> = vec![None; arguments.len()];
        let mut made: Words = Vec::new();
        // `##` was read; an argument without words has nothing to paste to.
        let (mut pastes, mut nothing_before) = (false, true);
        let mut at = 0;
        while let Some(word) = found.body.get(at) {
            at += 1;
            let next = found.body.get(at);
            if word.is("##") && at > 1 && next.is_some() {
                pastes = true;
                continue;
            }
            // `#x` is the argument's text.
            let mut part: Words = if word.is("#")
                && let Some(argument) = next.and_then(position)
            {
                at += 1;
                vec![(self.text_of(&arguments[argument], used)?, hidden.clone())]
            } else if let Some(argument) = position(word) {
                if pastes || found.body.get(at).is_some_and(|next| next.is("##")) {
                    arguments[argument].clone()
                } else {
                    if expanded[argument].is_none() {
                        let words = self.expand_words(arguments[argument].clone(), depth + 1)?;
                        expanded[argument] = Some(words);
                    }
                    expanded[argument].clone().unwrap_or_default()
                }
            } else {
                let mut word = word.clone();
                word.origin = used.origin;
                word.starts_line = false;
                vec![(word, hidden.clone())]
            };
            let empty = part.is_empty();
            if std::mem::take(&mut pastes) {
                if !empty
                    && !nothing_before
                    && let Some((left, _)) = made.pop()
                {
                    let right = part.remove(0).0;
                    made.push((self.pasted(&left, &right, used)?, hidden.clone()));
                }
                nothing_before &= empty;
            } else {
                nothing_before = empty;
            }
            made.extend(part);
            let steps = self.macros.steps.get() + made.len();
            if steps > MOST_TOKENS {
                self.macros.steps.set(steps);
                break;
            }
        }
        if let Some((first, _)) = made.first_mut() {
            first.starts_line = used.starts_line;
        }
        Ok(made)
    }

    /// Two tokens as one.
    fn pasted(&self, left: &Token, right: &Token, used: &Token) -> Result<Token, Fail> {
        let text = self.text(left) + &self.text(right);
        if text.len() > LONGEST_WORD {
            return Err(endless(used));
        }
        match tokens(&text, used.origin.file).as_deref() {
            Ok([token]) => Ok(Token {
                kind: token.kind.clone(),
                starts_line: false,
                ..used.clone()
            }),
            _ => Err(wrong(
                used.origin,
                "promela::paste",
                format!("`##` makes `{text}`, which is no single word"),
                "used here",
                "paste names and numbers only",
            )),
        }
    }

    /// A token as it was written.
    fn text(&self, token: &Token) -> String {
        match &token.kind {
            Kind::Name(name) => name.to_string(),
            Kind::Mark(mark) => (*mark).to_owned(),
            Kind::Text(text) => format!("\"{text}\""),
            Kind::Number(number) => {
                // A character stands in the text as it is; what came from a macro stands elsewhere.
                let source = &self.sources[token.origin.file as usize];
                let written = source.slice(token.origin.span);
                match written.starts_with(|letter: char| letter.is_ascii_digit() || letter == '\'') {
                    true => written.to_owned(),
                    false => number.to_string(),
                }
            }
            Kind::End => String::new(),
        }
    }

    /// The text of an argument, as a string.
    fn text_of(&self, argument: &[(Token, Hidden)], used: &Token) -> Result<Token, Fail> {
        let mut text = String::new();
        for (word, _) in argument {
            if text.len() > LONGEST_WORD {
                return Err(endless(used));
            }
            if (word.spaced || word.starts_line) && !text.is_empty() {
                text.push(' ');
            }
            match &word.kind {
                Kind::Text(inner) => {
                    text.push_str("\\\"");
                    text.push_str(&inner.replace('\\', "\\\\"));
                    text.push_str("\\\"");
                }
                _ => text.push_str(&self.text(word)),
            }
        }
        Ok(Token {
            kind: Kind::Text(text.into()),
            ..used.clone()
        })
    }
}

/// Macros make too much of this.
fn endless(used: &Token) -> Fail {
    wrong(
        used.origin,
        "promela::endless-macro",
        "macros expand to too much text",
        "expanding this",
        "look for macros that use each other",
    )
}

/// The arguments of a macro's use, whose opening parenthesis is next, and where they are closed.
fn arguments(rest: &mut Words, name: &Token) -> Result<(Vec<Words>, Origin), Fail> {
    rest.pop();
    let mut found = vec![Vec::new()];
    let mut depth = 0;
    while let Some((token, hidden)) = rest.pop() {
        match token.kind {
            Kind::Mark("(") => depth += 1,
            Kind::Mark(")") if depth == 0 => return Ok((found, token.origin)),
            Kind::Mark(")") => depth -= 1,
            Kind::Mark(",") if depth == 0 => {
                found.push(Vec::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = found.last_mut() {
            last.push((token, hidden));
        }
    }
    Err(wrong(
        name.origin,
        "promela::macro-arguments",
        "the arguments of this macro are not closed",
        "used here",
        "close them with `)`",
    ))
}

/// One argument for each parameter; the last takes all that are left, if it is `...`.
fn fitted(
    mut arguments: Vec<Words>,
    parameters: &[Rc<str>],
    name: &str,
    used: &Token,
) -> Result<Vec<Words>, Fail> {
    let (given, wanted) = (arguments.len(), parameters.len());
    if wanted == 0 && given == 1 && arguments[0].is_empty() {
        return Ok(Vec::new());
    }
    if parameters.last().is_some_and(|last| &**last == REST) {
        if given + 1 == wanted {
            arguments.push(Vec::new());
        }
        while arguments.len() > wanted {
            let last = arguments.pop().unwrap_or_default();
            if let Some(rest) = arguments.last_mut() {
                let comma = Token {
                    kind: Kind::Mark(","),
                    starts_line: false,
                    ..used.clone()
                };
                rest.push((comma, None));
                rest.extend(last);
            }
        }
    }
    match arguments.len() == wanted {
        true => Ok(arguments),
        false => Err(wrong(
            used.origin,
            "promela::macro-arguments",
            format!("`{name}` has {wanted} parameters, {given} arguments are given"),
            "used here",
            "give one argument for each parameter",
        )),
    }
}
