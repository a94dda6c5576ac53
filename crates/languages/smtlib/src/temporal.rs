//! Temporal operators as VMT-LIB writes them: `ltl.X ltl.F ltl.G ltl.U ltl.R`, and the same of the past, `ltl.Y ltl.Z ltl.O ltl.H ltl.S ltl.T`.
//!
//! They are read like functions on truth values, so that terms are read in one way only; [`path_formula`] then takes a term apart into
//! operators and formulas of the state. The laws by which terms are simplified hold for any functions, so for these as well.

use crate::{Meaning, Scope};
use entail_first_order::{Op, SortId, SymbolId, TermId, Terms};
use entail_logic::{Binary, Formula, Unary};
use rustc_hash::{FxHashMap, FxHashSet};

enum Operator {
    Unary(Unary),
    Binary(Binary),
}

/// What each operator is called.
const NAMES: [(&str, Operator); 11] = [
    ("ltl.X", Operator::Unary(Unary::Next)),
    ("ltl.F", Operator::Unary(Unary::Finally)),
    ("ltl.G", Operator::Unary(Unary::Globally)),
    ("ltl.Y", Operator::Unary(Unary::Yesterday)),
    ("ltl.Z", Operator::Unary(Unary::WeakYesterday)),
    ("ltl.O", Operator::Unary(Unary::Once)),
    ("ltl.H", Operator::Unary(Unary::Historically)),
    ("ltl.U", Operator::Binary(Binary::Until)),
    ("ltl.R", Operator::Binary(Binary::Release)),
    ("ltl.S", Operator::Binary(Binary::Since)),
    ("ltl.T", Operator::Binary(Binary::Triggered)),
];

fn named(name: &str) -> Option<&'static Operator> {
    NAMES
        .iter()
        .find(|(own, _)| *own == name)
        .map(|(_, operator)| operator)
}

/// Whether a name is a temporal operator's.
pub(crate) fn is_temporal_name(name: &str) -> bool {
    named(name).is_some()
}

fn operator(terms: &Terms, symbol: SymbolId) -> Option<&'static Operator> {
    named(&terms.symbol(symbol).name)
}

/// Makes the temporal operators known, unless their names mean something else already.
pub fn declare_temporal_operators(terms: &mut Terms, scope: &mut Scope) {
    for (name, operator) in &NAMES {
        if scope.meaning(name).is_none() {
            let arguments = match operator {
                Operator::Unary(_) => vec![SortId::BOOL],
                Operator::Binary(_) => vec![SortId::BOOL; 2],
            };
            let symbol = terms.declare(name, &arguments, SortId::BOOL);
            scope.define(name, Meaning::Function(symbol));
        }
    }
}

/// A formula as a path formula over formulas without temporal operators; none if one of these stands inside something other than a
/// connective. Without temporal operators it is an atom.
pub fn path_formula(terms: &Terms, root: TermId) -> Option<Formula<TermId>> {
    let cone = terms.cone(&[root]);
    let mut temporal: FxHashSet<TermId> = FxHashSet::default();
    for &term in &cone {
        let is_operator = matches!(terms.op(term), Op::Apply(symbol) if operator(terms, *symbol).is_some());
        if is_operator || terms.args(term).iter().any(|arg| temporal.contains(arg)) {
            temporal.insert(term);
        }
    }
    // Operands come before the terms that use them.
    let mut formulas: FxHashMap<TermId, Formula<TermId>> = FxHashMap::default();
    for &term in &cone {
        if !temporal.contains(&term) {
            continue;
        }
        let args = terms.args(term);
        let mut parts: Vec<Formula<TermId>> = Vec::with_capacity(args.len());
        for arg in args {
            parts.push(match (formulas.get(arg), terms.op(*arg)) {
                (Some(known), _) => known.clone(),
                (None, Op::True) => Formula::constant(true),
                (None, Op::False) => Formula::constant(false),
                _ => Formula::atom(*arg),
            });
        }
        let formula = match (terms.op(term), parts.as_slice()) {
            (Op::Apply(symbol), _) => match (operator(terms, *symbol)?, parts.as_slice()) {
                (Operator::Unary(unary), [p]) => Formula::unary(*unary, p),
                (Operator::Binary(binary), [p, q]) => Formula::binary(*binary, p, q),
                _ => return None,
            },
            (Op::Not, [p]) => p.not(),
            (Op::And, _) => Formula::and(parts),
            (Op::Or, _) => Formula::or(parts),
            (Op::Eq, [p, q]) if terms.sort_of(args[0]) == SortId::BOOL => p.iff(q),
            (Op::Ite, [condition, p, q]) if terms.sort_of(term) == SortId::BOOL => {
                Formula::and([condition.implies(p), condition.not().implies(q)])
            }
            _ => return None,
        };
        formulas.insert(term, formula);
    }
    Some(match formulas.remove(&root) {
        Some(formula) => formula,
        None => Formula::atom(root),
    })
}
