//! Sequences, properties, clocking blocks and default resets: found before anything refers to them, and taken out of the text.

use crate::expression::{after_group, span_of, split};
use crate::locals::{DeclaredLocal, declared_locals};
use crate::property::{not_read, unsupported};
use crate::scan::{Declaration, Scanner};
use crate::token::{Kind, Token};

impl Scanner<'_> {
    /// First pass: sequences, properties, clocking blocks, default resets; they are taken out of the text.
    pub(crate) fn declarations(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            if self.border(at) {
                // The elaborator does not know checkers; they are modules to it.
                if self.is(at, "checker") || self.is(at, "endchecker") {
                    let span = self.tokens[at].span;
                    let word = if self.is(at, "checker") {
                        "module"
                    } else {
                        "endmodule"
                    };
                    self.edits.push((span.start, span.end, word.to_owned()));
                }
                at += 1;
                continue;
            }
            let after_directive = at > 0 && self.is_directive(at - 1);
            let next = match () {
                () if after_directive => None,
                () if self.is(at, "property") || self.is(at, "sequence") => self.declaration(at),
                () if self.is(at, "clocking")
                    || ((self.is(at, "default") || self.is(at, "global")) && self.is(at + 1, "clocking")) =>
                {
                    self.clocking(at)
                }
                () if self.is(at, "default") && self.is(at + 1, "disable") => self.default_disable(at),
                () => None,
            };
            at = next.unwrap_or(at + 1).max(at + 1);
        }
        self.modules.clear();
    }

    pub(crate) fn declaration(&mut self, at: usize) -> Option<usize> {
        let is_property = self.is(at, "property");
        let closing = if is_property { "endproperty" } else { "endsequence" };
        let end = self.find(at, closing)?;
        if !self.is_name(at + 1) {
            return None;
        }
        let name = self.tokens[at + 1].text.clone();
        let mut body = at + 2;
        let mut formals = Vec::new();
        let mut locals = Vec::new();
        if self.is(body, "(") {
            let close = after_group(&self.tokens, body);
            for part in split(&self.tokens[body + 1..close.max(body + 2) - 1], ",") {
                let mut halves = split(part, "=").into_iter();
                let (declared, default) = (halves.next().unwrap_or_default(), halves.next());
                let is_local = declared.iter().any(|token| token.is("local"));
                // The name comes last, but for dimensions.
                let bracket = declared
                    .iter()
                    .skip(1)
                    .rposition(|token| token.is("]") || token.kind == Kind::Name);
                match declared.iter().rfind(|token| token.kind == Kind::Name) {
                    Some(name) if is_local => match local_argument(declared, name) {
                        Some(local) => {
                            formals.push((format!("local {}", name.text), default.map(<[Token]>::to_vec)));
                            locals.push(local);
                        }
                        None => self.problems.push(unsupported(
                            "a local argument that is given back is not read",
                            span_of(part),
                        )),
                    },
                    Some(name) if bracket.is_some() | (declared.len() == 1) => {
                        formals.push((name.text.clone(), default.map(<[Token]>::to_vec)));
                    }
                    _ if part.is_empty() => {}
                    _ => self
                        .problems
                        .push(not_read("this argument is not read", span_of(part))),
                }
            }
            body = close;
        }
        if self.is(body, ";") {
            body += 1;
        }
        let (declared, length) = declared_locals(&self.tokens[body.min(end)..end]);
        locals.extend(declared);
        body += length;
        let declaration = Declaration {
            is_property,
            formals,
            locals,
            body: self.tokens[body.min(end)..end].to_vec(),
        };
        self.declared.named.insert((self.module(), name), declaration);
        let last = match self.is(end + 1, ":") && self.is_name(end + 2) {
            true => end + 2,
            false => end,
        };
        self.replace(self.start_of(at), self.end_of(last), "");
        Some(last + 1)
    }

    pub(crate) fn clocking(&mut self, at: usize) -> Option<usize> {
        let is_default = self.is(at, "default");
        let mut place = at + usize::from(!self.is(at, "clocking")) + 1;
        let mut name = String::new();
        if self.is_name(place) {
            name.clone_from(&self.tokens[place].text);
            place += 1;
        }
        let module = self.module();
        if is_default && self.is(place, ";") {
            // `default clocking name;`
            let event = self
                .declared
                .clocking
                .get(&(module.clone(), name.clone()))
                .cloned();
            match event {
                Some(event) => drop(self.declared.clocking.insert((module, String::new()), event)),
                None => self
                    .problems
                    .push(not_read("there is no such clocking block", self.tokens[at].span)),
            }
            self.replace(self.start_of(at), self.end_of(place), "");
            return Some(place + 1);
        }
        if !self.is(place, "@") {
            return None;
        }
        let close = match self.is(place + 1, "(") {
            true => after_group(&self.tokens, place + 1),
            false => place + 2,
        };
        let event = &self.tokens[place + 1..close.min(self.tokens.len())];
        let event = match event {
            [open, inner @ .., _] if open.is("(") => inner,
            other => other,
        };
        let event: Vec<&str> = event.iter().map(|token| token.text.as_str()).collect();
        let event = event.join(" ");
        if is_default {
            self.declared
                .clocking
                .insert((module.clone(), String::new()), event.clone());
        }
        if !name.is_empty() {
            self.declared.clocking.insert((module, name), event);
        }
        let end = self.find(place, "endclocking")?;
        let last = match self.is(end + 1, ":") && self.is_name(end + 2) {
            true => end + 2,
            false => end,
        };
        // Sequences and properties may stand inside.
        let mut inside = place;
        while inside < end {
            let next = match self.is(inside, "property") || self.is(inside, "sequence") {
                true => self.declaration(inside),
                false => None,
            };
            inside = next.unwrap_or(inside + 1).max(inside + 1);
        }
        let (start, finish) = (self.start_of(at), self.end_of(last));
        self.edits
            .retain(|(begin, _, _)| *begin < start || *begin >= finish);
        self.replace(start, finish, "");
        Some(last + 1)
    }

    pub(crate) fn default_disable(&mut self, at: usize) -> Option<usize> {
        if !self.is(at + 2, "iff") {
            return None;
        }
        let end = self.find(at, ";")?;
        let condition = self.tokens[at + 3..end].to_vec();
        let module = self.module();
        self.declared.disable.insert(module, condition);
        self.replace(self.start_of(at), self.end_of(end), "");
        Some(end + 1)
    }
}

/// An argument that each attempt has for itself: a variable whose first value is given. Nothing if it is one that is given back.
fn local_argument(declared: &[Token], name: &Token) -> Option<DeclaredLocal> {
    if declared
        .iter()
        .any(|token| token.is("output") || token.is("inout"))
    {
        return None;
    }
    let words = declared
        .iter()
        .filter(|token| !token.is("local") && !token.is("input"));
    let kind = words.filter(|token| token.span != name.span).cloned().collect();
    // (What is given is put in for a name that no user can write.)
    let given = Token {
        text: format!("local {}", name.text),
        ..name.clone()
    };
    Some(DeclaredLocal {
        kind,
        name: name.text.clone(),
        first: Some(vec![given]),
    })
}
