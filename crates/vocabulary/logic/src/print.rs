//! Formulas as text, in SMV's syntax with the parentheses that its precedence needs.
//!
//! From loosest to tightest: `->` (to the right), `<->`, `|` and `xor`, `&`, the binary temporal operators, the unary ones
//! and the path quantifiers, then what stands in atoms, then `!`. A quantifier over one future operator is written as CTL
//! does: `AG p`, `E [p U q]`, `EBF 1..3 p`, `A [p BU 0..2 q]`; in front of anything else it stands alone: `A (F p & G q)`.
//! Binary temporal operators, `<->` and `xor` never stand unparenthesised in each other, since readers disagree on their
//! associativity.
//!
//! Atoms are printed by the caller. How an atom's text must be wrapped is told by what it shows outside brackets, read as
//! SMV: `x = 1` may stand under `G` but not under `!`; `a | b` needs parentheses under both.

use crate::nesting::deep;
use crate::{Binary, Formula, Interval, Node, Unary};
use std::fmt::{self, Write};

/// How tightly a printed formula holds together; the order of the variants is the order of tightness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implies,
    Iff,
    Or,
    And,
    TemporalBinary,
    TemporalUnary,
    Relation,
    Primary,
}

/// A formula with a way to print its atoms: what [`Formula::display_with`] gives.
pub struct DisplayWith<'a, A, P> {
    formula: &'a Formula<A>,
    atom: P,
}

impl<A> Formula<A> {
    /// The formula as SMV text, atoms printed by `atom`.
    pub fn display_with<P>(&self, atom: P) -> DisplayWith<'_, A, P>
    where
        P: Fn(&A, &mut fmt::Formatter<'_>) -> fmt::Result,
    {
        DisplayWith { formula: self, atom }
    }
}

impl<A, P: Fn(&A, &mut fmt::Formatter<'_>) -> fmt::Result> fmt::Display for DisplayWith<'_, A, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer {
            atom: &self.atom,
            out: f,
        }
        .print(self.formula, Level::Implies)
    }
}

impl<A: fmt::Display> fmt::Display for Formula<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display_with(|atom, out| write!(out, "{atom}")).fmt(f)
    }
}

/// An atom with the way to print it.
struct PrintedAtom<'a, A, P>(&'a A, &'a P);

impl<A, P: Fn(&A, &mut fmt::Formatter<'_>) -> fmt::Result> fmt::Display for PrintedAtom<'_, A, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.1)(self.0, f)
    }
}

struct Printer<'a, 'f, P> {
    atom: &'a P,
    out: &'a mut fmt::Formatter<'f>,
}

impl<P> Printer<'_, '_, P> {
    fn print<A>(&mut self, formula: &Formula<A>, needed: Level) -> fmt::Result
    where
        P: Fn(&A, &mut fmt::Formatter<'_>) -> fmt::Result,
    {
        if let Node::Atom(atom) = formula.node() {
            let mut text = String::new();
            write!(text, "{}", PrintedAtom(atom, self.atom))?;
            return self.wrapped(atom_level(&text) < needed, |printer| printer.out.write_str(&text));
        }
        deep(|| self.wrapped(level(formula) < needed, |printer| printer.print_bare(formula)))
    }

    fn wrapped(&mut self, parentheses: bool, body: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        if parentheses {
            self.out.write_str("(")?;
        }
        body(self)?;
        if parentheses {
            self.out.write_str(")")?;
        }
        Ok(())
    }

    fn print_bare<A>(&mut self, formula: &Formula<A>) -> fmt::Result
    where
        P: Fn(&A, &mut fmt::Formatter<'_>) -> fmt::Result,
    {
        match formula.node() {
            Node::Constant(true) => self.out.write_str("TRUE"),
            Node::Constant(false) => self.out.write_str("FALSE"),
            Node::Atom(atom) => (self.atom)(atom, self.out),
            Node::Not(a) => {
                self.out.write_str("!")?;
                // `!` takes a whole prefix operator, but nothing infix.
                let prefix = level(a) == Level::TemporalUnary;
                self.print(
                    a,
                    if prefix {
                        Level::TemporalUnary
                    } else {
                        Level::Primary
                    },
                )
            }
            Node::And(list) => self.list(list, " & ", Level::TemporalBinary),
            Node::Or(list) => self.list(list, " | ", Level::And),
            Node::Xor(a, b) => self.infix(a, " xor ", b, Level::And, Level::And),
            Node::Iff(a, b) => self.infix(a, " <-> ", b, Level::Or, Level::Or),
            Node::Implies(a, b) => self.infix(a, " -> ", b, Level::Iff, Level::Implies),
            Node::Unary(op, interval, a) => {
                write!(self.out, "{}{interval} ", op.symbol())?;
                self.print(a, Level::TemporalUnary)
            }
            Node::Binary(op, interval, a, b) => {
                let symbol = format!(" {}{interval} ", op.symbol());
                self.infix(a, &symbol, b, Level::TemporalUnary, Level::TemporalUnary)
            }
            Node::Quantified(quantifier, path) => {
                self.out.write_str(quantifier.symbol())?;
                match path.node() {
                    Node::Unary(op, interval, a) if fuses(*op, a) && interval.is_always() => {
                        write!(self.out, "{} ", op.symbol())?;
                        self.print(a, Level::TemporalUnary)
                    }
                    Node::Unary(op, Interval { from, to: Some(to) }, a)
                        if fuses(*op, a) && *op != Unary::Next =>
                    {
                        write!(self.out, "B{} {from}..{to} ", op.symbol())?;
                        self.print(a, Level::TemporalUnary)
                    }
                    Node::Binary(Binary::Until, Interval { from, to: Some(to) }, a, b) => {
                        self.out.write_str(" [")?;
                        let symbol = format!(" BU {from}..{to} ");
                        self.infix(a, &symbol, b, Level::TemporalUnary, Level::TemporalUnary)?;
                        self.out.write_str("]")
                    }
                    Node::Binary(..) => {
                        self.out.write_str(" [")?;
                        self.print_bare(path)?;
                        self.out.write_str("]")
                    }
                    _ => {
                        self.out.write_str(" ")?;
                        self.print(path, Level::TemporalUnary)
                    }
                }
            }
        }
    }

    fn list<A>(&mut self, operands: &[Formula<A>], symbol: &str, level: Level) -> fmt::Result
    where
        P: Fn(&A, &mut fmt::Formatter<'_>) -> fmt::Result,
    {
        for (position, operand) in operands.iter().enumerate() {
            if position > 0 {
                self.out.write_str(symbol)?;
            }
            self.print(operand, level)?;
        }
        Ok(())
    }

    fn infix<A>(
        &mut self,
        a: &Formula<A>,
        symbol: &str,
        b: &Formula<A>,
        left: Level,
        right: Level,
    ) -> fmt::Result
    where
        P: Fn(&A, &mut fmt::Formatter<'_>) -> fmt::Result,
    {
        self.print(a, left)?;
        self.out.write_str(symbol)?;
        self.print(b, right)
    }
}

/// Whether a quantifier is written together with the operator: the CTL operators.
fn fuses<A>(op: Unary, operand: &Formula<A>) -> bool {
    !op.is_past() && operand.is_state_formula()
}

fn level<A>(formula: &Formula<A>) -> Level {
    match formula.node() {
        Node::Constant(_) | Node::Atom(_) => Level::Primary,
        // A negated temporal operator swallows what follows it, like the operator itself.
        Node::Not(a) if level(a) == Level::TemporalUnary => Level::TemporalUnary,
        Node::Not(_) => Level::Primary,
        Node::Quantified(..) | Node::Unary(..) => Level::TemporalUnary,
        Node::Binary(..) => Level::TemporalBinary,
        Node::And(_) => Level::And,
        Node::Or(_) | Node::Xor(..) => Level::Or,
        Node::Iff(..) => Level::Iff,
        Node::Implies(..) => Level::Implies,
    }
}

/// Infix operators of SMV expressions that bind looser than relations, and how loosely.
const LOOSE: [(&str, Level); 7] = [
    ("->", Level::Implies),
    ("<->", Level::Implies),
    ("?", Level::Implies),
    ("|", Level::Or),
    (" xor ", Level::Or),
    (" xnor ", Level::Or),
    ("&", Level::And),
];

/// How tightly an atom's text holds together, judged by what it shows outside brackets.
fn atom_level(text: &str) -> Level {
    let outside = outside_brackets(text);
    if let Some((_, level)) = LOOSE.iter().find(|(symbol, _)| outside.contains(symbol)) {
        return *level;
    }
    let infix = |c: char| c.is_whitespace() || "=<>+*/:".contains(c);
    let closed_by_words = text.starts_with("case ") && text.ends_with("esac");
    if outside.contains(infix) && !closed_by_words {
        Level::Relation
    } else {
        Level::Primary
    }
}

/// The text without what stands in parentheses, brackets and braces.
fn outside_brackets(text: &str) -> String {
    let mut depth = 0usize;
    let mut outside = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    outside
}

#[cfg(test)]
mod tests {
    use crate::{Binary, Formula, Interval, Unary};

    type F = Formula<&'static str>;

    fn a(name: &'static str) -> F {
        Formula::atom(name)
    }

    #[test]
    fn ctl_is_written_with_fused_operators() {
        let (p, q) = (a("p"), a("q"));
        let within = Interval::bounded(1, 3);
        assert_eq!(p.globally().forall().to_string(), "AG p");
        assert_eq!(p.until(&q).exists().to_string(), "E [p U q]");
        let bounded = F::unary_within(Unary::Finally, within, &p).exists();
        assert_eq!(bounded.to_string(), "EBF 1..3 p");
        let bounded = F::binary_within(Binary::Until, within, &p, &q).forall();
        assert_eq!(bounded.to_string(), "A [p BU 1..3 q]");
        let nested = p.implies(&q.finally().exists()).globally().forall();
        assert_eq!(nested.to_string(), "AG (p -> EF q)");
        assert_eq!(p.globally().forall().not().to_string(), "!AG p");
    }

    #[test]
    fn ltl_and_ctl_star_show_only_the_parentheses_they_need() {
        let (p, q) = (a("p"), a("q"));
        assert_eq!(p.implies(&q.finally()).globally().to_string(), "G (p -> F q)");
        assert_eq!(p.finally().globally().forall().to_string(), "A G F p");
        let both = F::and([p.finally(), q.globally()]).forall();
        assert_eq!(both.to_string(), "A (F p & G q)");
        let or = F::or([F::and([p.clone(), q.clone()]), p.not()]);
        assert_eq!(or.to_string(), "p & q | !p");
        assert_eq!(or.not().to_string(), "!(p & q | !p)");
        assert_eq!(p.until(&q.until(&p)).to_string(), "p U (q U p)");
        assert_eq!(p.implies(&q).implies(&p).to_string(), "(p -> q) -> p");
        let late = F::unary_within(Unary::Finally, Interval { from: 2, to: None }, &p);
        assert_eq!(late.to_string(), "F[2,+oo) p");
    }

    #[test]
    fn atoms_are_wrapped_by_what_their_text_shows() {
        let equal = a("x = 1");
        assert_eq!(equal.globally().to_string(), "G x = 1");
        assert_eq!(equal.not().to_string(), "!(x = 1)");
        assert_eq!(a("u | v").globally().to_string(), "G (u | v)");
        assert_eq!(a("m[i + 1].c").not().to_string(), "!m[i + 1].c");
        assert_eq!(a("(u | v)").not().to_string(), "!(u | v)");
        assert_eq!(a("x in {1, 2}").not().to_string(), "!(x in {1, 2})");
        let both = F::and([a("x = 1"), a("a -> b")]);
        assert_eq!(both.to_string(), "x = 1 & (a -> b)");
    }
}
