//! Names that belong to something: of sequences and properties in packages, of signals in clocking blocks.
//!
//! `pk::s` becomes one name wherever `s` is a sequence or property of the package `pk`, and so does `s` where it is imported from there or stands in the package itself; imports of it alone are taken out, for the elaborator
//! does not see it. What stands behind the name of a clocking block and a point (`cb.req`, `cb.p`) is what is meant: sampled values are those before the tick anyway.

use crate::scan::{Declarations, Scanner};
use crate::token::{Kind, Token};
use entail_source::Span;
use std::collections::{HashMap, HashSet};

/// The names that each module has imported: of a package, all or one.
pub(crate) type Imports = HashMap<String, Vec<(String, Option<String>)>>;

impl Scanner<'_> {
    /// Names of clocking blocks in front of others are dropped, before anything is read.
    pub(crate) fn drop_clocking_names(&mut self) {
        let blocks = self.clocking_blocks();
        if blocks.is_empty() {
            return;
        }
        let mut kept = Vec::with_capacity(self.tokens.len());
        let mut dropped = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            self.border(at);
            let is_first = at == 0 || !self.is(at - 1, ".");
            let is_block = is_first
                && self.is_name(at)
                && self.is(at + 1, ".")
                && self.is_name(at + 2)
                && blocks.contains(&(self.module(), self.tokens[at].text.clone()));
            if is_block {
                dropped.push((self.start_of(at), self.end_of(at + 1)));
                at += 2;
                continue;
            }
            kept.push(self.tokens[at].clone());
            at += 1;
        }
        self.modules.clear();
        self.tokens = kept;
        for (start, end) in dropped {
            self.replace(start, end, "");
        }
    }

    /// Clocking blocks by module and name.
    fn clocking_blocks(&mut self) -> HashSet<(String, String)> {
        let mut found = HashSet::new();
        for at in 0..self.tokens.len() {
            self.border(at);
            if self.is(at, "clocking") && self.is_name(at + 1) && self.is(at + 2, "@") {
                found.insert((self.module(), self.tokens[at + 1].text.clone()));
            }
        }
        self.modules.clear();
        found
    }

    /// Names of sequences and properties in packages become single tokens.
    pub(crate) fn package_names(&mut self) {
        let packages = self.packages();
        let is_there = |module: &str| packages.contains(module);
        if !self.declared.named.keys().any(|(module, _)| is_there(module)) {
            return;
        }
        let imports = self.imports();
        let known = self.declared.clone();
        let constants = self.package_constants();
        let mut named = std::mem::take(&mut self.declared.named);
        for ((module, _), declaration) in &mut named {
            let formals: Vec<String> = declaration.formals.iter().map(|(name, _)| name.clone()).collect();
            qualify(
                &mut declaration.body,
                &known,
                &packages,
                module,
                &imports,
                &formals,
            );
            let own = |name: &String| constants.contains(&(module.clone(), name.clone()));
            in_package(&mut declaration.body, module, &|name| {
                own(name) && !formals.contains(name)
            });
        }
        self.declared.named = named;
        for condition in self.declared.disable.values_mut() {
            qualify(condition, &known, &packages, "", &imports, &[]);
        }
        // Module by module, so that each has its own imports.
        let mut begin = 0;
        let mut pieces: Vec<(String, Vec<Token>)> = Vec::new();
        for at in 0..self.tokens.len() {
            let module = self.module();
            if self.border(at) {
                pieces.push((module, self.tokens[begin..=at].to_vec()));
                begin = at + 1;
            }
        }
        pieces.push((self.module(), self.tokens[begin..].to_vec()));
        self.modules.clear();
        self.tokens.clear();
        for (module, mut piece) in pieces {
            qualify(&mut piece, &known, &packages, &module, &imports, &[]);
            self.tokens.extend(piece);
        }
    }

    /// Parameters, variables, types and functions of packages: what a sequence or property there may mean by a name. With their packages.
    fn package_constants(&mut self) -> HashSet<(String, String)> {
        let mut found = HashSet::new();
        let (mut depth, mut package) = (0, String::new());
        for at in 0..self.tokens.len() {
            if self.border(at) {
                package = match self.is(at, "package") {
                    true => self.module(),
                    false => String::new(),
                };
                depth = 0;
                continue;
            }
            depth += crate::expression::depth_change(&self.tokens[at]);
            let is_declared = !package.is_empty()
                && depth == 0
                && self.is_name(at)
                && ["=", ";", ",", "("].iter().any(|sign| self.is(at + 1, sign))
                && (self.is_name(at - 1) || ["]", "}", ","].iter().any(|sign| self.is(at - 1, sign)));
            if is_declared {
                found.insert((package.clone(), self.tokens[at].text.clone()));
            }
        }
        self.modules.clear();
        found
    }

    fn packages(&self) -> HashSet<String> {
        let names = 1..self.tokens.len();
        let names = names.filter(|&at| self.is(at - 1, "package") && self.is_name(at));
        names.map(|at| self.tokens[at].text.clone()).collect()
    }

    /// The imports of each module; those of a sequence or property alone are taken out of the text.
    fn imports(&mut self) -> Imports {
        let mut found = Imports::new();
        let mut gone = Vec::new();
        let mut pending: Vec<(String, Option<String>)> = Vec::new();
        for at in 0..self.tokens.len() {
            if self.border(at) {
                // (In a header, they stand behind the name of the module.)
                continue;
            }
            if !self.is(at, "import") {
                continue;
            }
            let end = self.find(at, ";").unwrap_or(at);
            let module = self.module();
            let mut left = Vec::new();
            for part in crate::expression::split(&self.tokens[at + 1..end.max(at + 1)], ",") {
                if let [package, sign, name] = part
                    && sign.is("::")
                {
                    let one = Some(name.text.clone()).filter(|_| !name.is("*"));
                    let is_ours = one.as_ref().is_some_and(|one| {
                        let key = (package.text.clone(), one.clone());
                        self.declared.named.contains_key(&key)
                    });
                    if !is_ours {
                        left.push(format!("{}::{}", package.text, name.text));
                    }
                    pending.push((package.text.clone(), one));
                }
            }
            let count = pending.len();
            if left.len() < count && end > at {
                let text = match left.is_empty() {
                    true => String::new(),
                    false => format!("import {};", left.join(", ")),
                };
                gone.push((self.start_of(at), self.end_of(end), text));
            }
            found.entry(module).or_default().append(&mut pending);
        }
        self.modules.clear();
        for (start, end, text) in gone {
            self.replace(start, end, &text);
        }
        found
    }
}

/// Joins names of what a package declares with its own.
fn in_package(tokens: &mut [Token], package: &str, declares: &dyn Fn(&String) -> bool) {
    for at in 0..tokens.len() {
        let is_part = at > 0 && (tokens[at - 1].is(".") || tokens[at - 1].is("::"));
        let is_scope = tokens.get(at + 1).is_some_and(|next| next.is("::"));
        let token = &mut tokens[at];
        if token.kind == Kind::Name && !is_part && !is_scope && declares(&token.text) {
            token.text = format!("{package}::{}", token.text);
        }
    }
}

/// Joins names of sequences and properties with those of their packages.
fn qualify(
    tokens: &mut Vec<Token>,
    known: &Declarations,
    packages: &HashSet<String>,
    module: &str,
    imports: &Imports,
    formals: &[String],
) {
    let declares = |package: &str, name: &str| {
        let key = (package.to_owned(), name.to_owned());
        packages.contains(package) && known.named.contains_key(&key)
    };
    let imported = |name: &str| {
        let all = [module, ""].into_iter().filter_map(|module| imports.get(module));
        let mut all = all.flatten();
        let one = all
            .find(|(package, one)| one.as_deref().is_none_or(|one| one == name) && declares(package, name));
        one.map(|(package, _)| package.clone())
    };
    let mut found: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        let is = |place: usize, text: &str| tokens.get(place).is_some_and(|one| one.is(text));
        if token.kind == Kind::Name
            && is(at + 1, "::")
            && let Some(name) = tokens.get(at + 2)
            && declares(&token.text, &name.text)
        {
            found.push(Token {
                kind: Kind::Name,
                text: format!("{}::{}", token.text, name.text),
                span: Span::new(token.span.start, name.span.end.max(token.span.end)),
            });
            at += 3;
            continue;
        }
        let is_part = at > 0 && (is(at - 1, ".") || is(at - 1, "::"));
        let is_declared = at > 0 && (is(at - 1, "property") || is(at - 1, "sequence"));
        let is_own = known.named.contains_key(&(module.to_owned(), token.text.clone()));
        let is_open = token.kind == Kind::Name && !is_part && !is_declared && !formals.contains(&token.text);
        let package = match is_open {
            true if packages.contains(module) && is_own => Some(module.to_owned()),
            true if !is_own => imported(&token.text),
            _ => None,
        };
        found.push(match package {
            Some(package) => Token {
                text: format!("{package}::{}", token.text),
                ..token.clone()
            },
            None => token.clone(),
        });
        at += 1;
    }
    *tokens = found;
}
