//! Printing LTL in each of the four syntaxes of [`crate::ltl::syntax`].
//!
//! Infix output puts parentheses around every operand that is not a constant, a proposition or a prefix operator, so no
//! reader's precedence can misunderstand it; conjunctions and disjunctions are printed flat. An operator that is a letter has a space
//! between it and a letter that follows: `Ga` is `G a` for Spot, but a name for others. What a syntax lacks (SPIN and
//! LBT have no bounds and no past, SPIN no `M`, NuSMV's names no double quotes) is expanded where it can be, and is an error where it cannot.

use crate::error::{AutomataError, Result};
use crate::ltl::arena::deep;
use crate::ltl::syntax::{Syntax, quoted_name};
use entail_logic::{Binary, Formula, Node, Unary};

/// The formula in a syntax.
pub fn print(formula: &Formula<String>, syntax: Syntax) -> Result<String> {
    if syntax == Syntax::Smv {
        let mut unprintable = None;
        formula.for_each_atom(&mut |name| {
            if name.contains('"') {
                unprintable = Some(name);
            }
        });
        return match unprintable {
            Some(name) => Err(lacking(&format!("the name `{name}`"))),
            None => Ok(formula
                .display_with(|name, out| out.write_str(&entail_logic::quoted(name)))
                .to_string()),
        };
    }
    let mut out = String::new();
    let printer = Printer { syntax };
    match syntax {
        Syntax::Lbt => printer.prefix(formula, &mut out)?,
        _ => printer.infix(formula, false, &mut out)?,
    }
    Ok(out)
}

struct Printer {
    syntax: Syntax,
}

fn lacking(what: &str) -> AutomataError {
    AutomataError::NotLtl(format!("this syntax cannot express {what}"))
}

impl Printer {
    fn infix(&self, formula: &Formula<String>, operand: bool, out: &mut String) -> Result<()> {
        deep(|| self.infix_operator(formula, operand, out))
    }

    fn infix_operator(&self, formula: &Formula<String>, operand: bool, out: &mut String) -> Result<()> {
        let spin = self.syntax == Syntax::Spin;
        match formula.node() {
            Node::Constant(truth) => out.push_str(match (truth, spin) {
                (true, true) => "true",
                (false, true) => "false",
                (true, false) => "1",
                (false, false) => "0",
            }),
            Node::Atom(name) => out.push_str(&quoted_name(name)),
            Node::Not(a) => {
                out.push('!');
                self.infix(a, true, out)?;
            }
            Node::Unary(op, interval, a) => {
                let bounded = !interval.is_always() && *op != Unary::Next;
                if op.is_past() {
                    return Err(lacking("past operators"));
                }
                if bounded && spin {
                    return Err(lacking("bounded operators"));
                }
                out.push_str(match (op, spin) {
                    (Unary::Globally, true) => "[]",
                    (Unary::Finally, true) => "<>",
                    (Unary::Globally, false) => "G",
                    (Unary::Finally, false) => "F",
                    _ => "X",
                });
                if bounded {
                    match interval.to {
                        Some(to) => out.push_str(&format!("[{}:{to}]", interval.from)),
                        None => out.push_str(&format!("[{}:]", interval.from)),
                    }
                }
                let operator = out.len();
                match a.node() {
                    Node::Constant(_) => {
                        out.push('(');
                        self.infix(a, false, out)?;
                        out.push(')');
                    }
                    _ => self.infix(a, true, out)?,
                }
                if !out[operator..].starts_with(['(', '!']) {
                    out.insert(operator, ' ');
                }
            }
            Node::Quantified(..) => return Err(lacking("path quantifiers")),
            Node::Binary(Binary::StrongRelease, interval, a, b) if spin && interval.is_always() => {
                let both = Formula::and([a.clone(), b.clone()]);
                return self.infix(&b.until(&both), operand, out);
            }
            _ => {
                let (symbol, operands): (&str, Vec<&Formula<String>>) = match formula.node() {
                    Node::And(list) => (if spin { " && " } else { " & " }, list.iter().collect()),
                    Node::Or(list) => (if spin { " || " } else { " | " }, list.iter().collect()),
                    Node::Implies(a, b) => (" -> ", vec![a, b]),
                    Node::Iff(a, b) => (" <-> ", vec![a, b]),
                    Node::Xor(a, b) if spin => {
                        return self.infix(&a.iff(b).not(), operand, out);
                    }
                    Node::Xor(a, b) => (" xor ", vec![a, b]),
                    Node::Binary(op, interval, a, b) => {
                        if op.is_past() {
                            return Err(lacking("past operators"));
                        }
                        if !interval.is_always() {
                            return Err(lacking("bounded binary operators"));
                        }
                        let symbol = match op {
                            Binary::Until => " U ",
                            Binary::Release if spin => " V ",
                            Binary::Release => " R ",
                            Binary::WeakUntil => " W ",
                            _ => " M ",
                        };
                        (symbol, vec![a, b])
                    }
                    _ => unreachable!("all other operators are handled above"),
                };
                if operand {
                    out.push('(');
                }
                for (position, part) in operands.into_iter().enumerate() {
                    if position > 0 {
                        out.push_str(symbol);
                    }
                    self.infix(part, true, out)?;
                }
                if operand {
                    out.push(')');
                }
            }
        }
        Ok(())
    }

    fn prefix(&self, formula: &Formula<String>, out: &mut String) -> Result<()> {
        deep(|| self.prefix_operator(formula, out))
    }

    fn prefix_operator(&self, formula: &Formula<String>, out: &mut String) -> Result<()> {
        let symbol = match formula.node() {
            Node::Constant(true) => "t",
            Node::Constant(false) => "f",
            Node::Atom(name) => {
                let digits = name
                    .strip_prefix('p')
                    .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
                if digits {
                    out.push_str(name);
                } else {
                    out.push_str(&format!(
                        "\"{}\"",
                        name.replace('\\', "\\\\").replace('"', "\\\"")
                    ));
                }
                return Ok(());
            }
            Node::Not(_) => "!",
            Node::And(_) => "&",
            Node::Or(_) => "|",
            Node::Implies(..) => "i",
            Node::Iff(..) => "e",
            Node::Xor(..) => "^",
            Node::Quantified(..) => return Err(lacking("path quantifiers")),
            Node::Unary(op, interval, _) => match op {
                Unary::Next => "X",
                Unary::Finally if interval.is_always() => "F",
                Unary::Globally if interval.is_always() => "G",
                _ => return Err(lacking("bounded or past operators")),
            },
            Node::Binary(op, interval, ..) => match op {
                _ if !interval.is_always() || op.is_past() => {
                    return Err(lacking("bounded or past operators"));
                }
                Binary::Until => "U",
                Binary::Release => "V",
                Binary::WeakUntil => "W",
                _ => "M",
            },
        };
        let operands = formula.operands();
        // Lists become right-leaning pairs: one operator before each operand but the last.
        if let Node::And(_) | Node::Or(_) = formula.node() {
            for (position, operand) in operands.iter().enumerate() {
                if position > 0 {
                    out.push(' ');
                }
                if position + 1 < operands.len() {
                    out.push_str(symbol);
                    out.push(' ');
                }
                self.prefix(operand, out)?;
            }
            return Ok(());
        }
        out.push_str(symbol);
        for operand in operands {
            out.push(' ');
            self.prefix(operand, out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltl::syntax::parse;

    #[test]
    fn what_is_printed_reads_back_in_every_syntax() {
        let texts = [
            "G(p0 -> XF p1) & (p0 U p1) R !p2",
            "p0 & p1 & (p2 | p0 | p1) xor p2",
            "(p0 W p1) M (p0 <-> p1)",
            "GFp0 -> FG!p1",
            "X X X 0 | X 1",
        ];
        for text in texts {
            let formula = parse(text, Syntax::Spot).expect(text);
            for syntax in [Syntax::Spot, Syntax::Smv, Syntax::Lbt] {
                let printed = print(&formula, syntax).expect(text);
                assert_eq!(parse(&printed, syntax), Ok(formula.clone()), "{printed}");
            }
        }
        let spin = print(
            &parse("G(a -> F b) & (c R d)", Syntax::Spot).expect("well formed"),
            Syntax::Spin,
        );
        assert_eq!(spin, Ok("[](a -> <> b) && (c V d)".to_string()));
    }

    #[test]
    fn glued_prefixes_and_bounds_read_as_spot_reads_them() {
        let same = |a: &str, b: &str| {
            assert_eq!(parse(a, Syntax::Spot), parse(b, Syntax::Smv), "{a}");
        };
        same("FGp0", "F G p0");
        same("X[3]p", "X X X p");
        same("F[2:5]p", "F[2,5] p");
        same("a U b U c", "a U (b U c)");
        same("a & b U c | d -> e", "((a & (b U c)) | d) -> e");
        same("!(G(p=1)Uq=0)", "!((G p) U !q)");
        same("[] <> a /\\ <> [] b", "G F a & F G b");
    }

    #[test]
    fn errors_have_places() {
        for text in [
            "",
            "p &",
            "(p",
            "p q",
            "p U",
            "F[1",
            "G[x] p",
            ")",
            "\"p",
            "p # q",
            "X[99999999] p",
        ] {
            let errors = parse(text, Syntax::Spot).expect_err(text);
            assert!(errors.has_errors());
        }
        for text in ["", "& p0", "p0 p1", "? p0", "\"x"] {
            assert!(parse(text, Syntax::Lbt).is_err(), "{text}");
        }
    }
}
