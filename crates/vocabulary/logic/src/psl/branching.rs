//! The optional branching extension: formulas of CTL over Boolean expressions (IEEE 1850-2010, 6.3).
//!
//! `AX AG AF EX EG EF` and `A[p U q]`, `E[p U q]` stand in front of each other and of Boolean expressions, with the connectives between them; the foundation language does not mix with them. They have no
//! clocks: a step is one of the model. As there, operators with one operand bind tightest, then `&`, `|`, `->` and `<->` (the last two grouped by brackets).

use super::token::{self, Token, tokens};
use super::{Flavour, Layer, Parser, Result, wrong};
use crate::{Formula, Guard};

/// Operators with one operand.
const UNARY: [&str; 6] = ["AX", "AG", "AF", "EX", "EG", "EF"];

/// Whether a text speaks of branches: it has an operator of the extension outside expressions.
pub fn is_branching(text: &str, flavour: Flavour) -> bool {
    let tokens = tokens(text, flavour);
    (0..tokens.len()).any(|at| begins(&tokens, at))
}

/// Whether an operator of the extension stands at a position: a word of its own, or `A` or `E` before a bracket with `U` in it.
fn begins(tokens: &[Token<'_>], at: usize) -> bool {
    let text_at = |at: usize| tokens.get(at).map_or("", |token: &Token<'_>| token.text);
    let is_part = at > 0 && matches!(text_at(at - 1), "." | "::");
    if is_part || !matches!(text_at(at), "A" | "E") || text_at(at + 1) != "[" {
        return !is_part && UNARY.contains(&text_at(at));
    }
    let mut depth = 0_u32;
    for place in at + 1..tokens.len() {
        match text_at(place) {
            "[" | "(" | "{" => depth += 1,
            "]" | ")" | "}" => depth = depth.saturating_sub(1),
            "U" if depth == 1 => return true,
            _ => {}
        }
        if depth == 0 {
            return false;
        }
    }
    false
}

/// Reads a formula.
pub fn read_branching_in<A: Clone + PartialEq>(
    text: &str,
    flavour: Flavour,
    layer: &mut dyn Layer<A>,
) -> Result<Formula<A>> {
    let tokens = tokens(text, flavour);
    let mut parser = Parser::new(text, flavour, &tokens, layer);
    let formula = parser.branching()?;
    parser.end(formula)
}

impl<A: Clone + PartialEq> Parser<'_, '_, A> {
    /// Whether an operator of the extension stands at a position. (Formulas of temporal logic have their own.)
    pub(super) fn begins_branch(&self, at: usize) -> bool {
        !self.is_formula() && begins(self.tokens, at)
    }

    fn branching(&mut self) -> Result<Formula<A>> {
        self.deeper()?;
        let left = self.branches_either()?;
        let formula = match () {
            () if self.take("->") => left.implies(&self.branches_either()?),
            () if self.take("<->") => left.iff(&self.branches_either()?),
            () => left,
        };
        if self.is("->") || self.is("<->") {
            let message = "brackets are needed to say how this is grouped";
            return Err(wrong(message, self.span()));
        }
        self.depth -= 1;
        Ok(formula)
    }

    fn branches_either(&mut self) -> Result<Formula<A>> {
        let mut parts = vec![self.branches_both()?];
        while self.take("|") || self.take("||") {
            parts.push(self.branches_both()?);
        }
        Ok(Formula::or(parts))
    }

    fn branches_both(&mut self) -> Result<Formula<A>> {
        let mut parts = vec![self.branch()?];
        while self.take("&") || self.take("&&") {
            parts.push(self.branch()?);
        }
        Ok(Formula::and(parts))
    }

    fn branch(&mut self) -> Result<Formula<A>> {
        self.deeper()?;
        let begins_here = self.begins_branch(self.at);
        let name = self.peek().map_or("", |token| token.text);
        let formula = match name {
            "A" | "E" if begins_here => {
                self.at += 2;
                let left = self.branching()?;
                self.expect("U")?;
                let right = self.branching()?;
                self.expect("]")?;
                quantified(name, &left.until(&right))
            }
            _ if begins_here => {
                self.at += 1;
                let operand = self.branch()?;
                let path = match &name[1..] {
                    "X" => operand.next(),
                    "G" => operand.globally(),
                    _ => operand.finally(),
                };
                quantified(name, &path)
            }
            "!" if self.negates_branches() => {
                self.at += 1;
                self.branch()?.not()
            }
            "(" if self.has_branches(self.at + 1, self.after_group(self.at).saturating_sub(1)) => {
                self.at += 1;
                let inner = self.branching()?;
                self.expect(")")?;
                inner
            }
            word if token::is_temporal(word) => {
                let message = format!("`{word}` does not stand among the operators of branching time");
                return Err(wrong(&message, self.span()));
            }
            _ => Formula::from(&self.boolean(&["|", "||", "&", "&&"])?),
        };
        self.depth -= 1;
        Ok(formula)
    }

    fn has_branches(&self, from: usize, to: usize) -> bool {
        (from..to).any(|at| self.begins_branch(at))
    }

    /// Whether the `!` here is before a formula that is more than an expression.
    fn negates_branches(&self) -> bool {
        let mut at = self.at;
        while self.tokens.get(at).is_some_and(|token| token.text == "!") {
            at += 1;
        }
        let is_group = self.tokens.get(at).is_some_and(|token| token.text == "(");
        match is_group {
            true => self.has_branches(at + 1, self.after_group(at)),
            false => self.begins_branch(at),
        }
    }
}

/// A path formula under the quantifier that an operator's name begins with.
fn quantified<A: Clone>(name: &str, path: &Formula<A>) -> Formula<A> {
    match name.starts_with('A') {
        true => path.forall(),
        false => path.exists(),
    }
}

impl<A: Clone> From<&Guard<A>> for Formula<A> {
    fn from(guard: &Guard<A>) -> Formula<A> {
        let of = |inner: &Guard<A>| Formula::from(inner);
        match guard {
            Guard::Constant(truth) => Formula::constant(*truth),
            Guard::Atom(atom) => Formula::atom(atom.clone()),
            Guard::Not(inner) => of(inner).not(),
            Guard::And(left, right) => Formula::and([of(left), of(right)]),
            Guard::Or(left, right) => Formula::or([of(left), of(right)]),
        }
    }
}
