//! Literals under which a formula is true, read off a model.
//!
//! The formula's connectives are followed along the values of the model; conditionals inside atoms are replaced by the branch the model
//! takes, with the literals that make it take it. The conjunction of the literals implies the formula and is true in the model.

use entail_first_order::{Evaluator, Interpretation, Op, SortId, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Literals, as terms, that are true in the model and imply the formulas, which are true in it.
pub fn implicant(terms: &mut Terms, model: &Interpretation, formulas: &[TermId]) -> Option<Vec<TermId>> {
    let mut truth: FxHashMap<TermId, bool> = FxHashMap::default();
    {
        let cone = terms.cone(formulas);
        let mut evaluator = Evaluator::new(terms, model);
        for term in cone {
            if terms.sort_of(term) == SortId::BOOL {
                truth.insert(term, evaluator.is_true(term).ok()?);
            }
        }
    }
    let mut atoms: Vec<(TermId, bool)> = Vec::new();
    let mut met: FxHashSet<TermId> = FxHashSet::default();
    let mut waiting: Vec<TermId> = formulas.to_vec();
    while let Some(formula) = waiting.pop() {
        if !met.insert(formula) {
            continue;
        }
        let value = truth[&formula];
        let args = terms.args(formula);
        match terms.op(formula) {
            Op::True | Op::False => {}
            Op::Not => waiting.push(args[0]),
            op @ (Op::And | Op::Or) => match value == (*op == Op::And) {
                true => waiting.extend(args),
                false => {
                    // One operand decides; one that is there already costs nothing.
                    let mut deciding = args.iter().filter(|arg| truth[arg] == value);
                    let first = deciding.next().copied()?;
                    let known = std::iter::once(&first)
                        .chain(deciding)
                        .find(|arg| met.contains(arg))
                        .copied();
                    waiting.push(known.unwrap_or(first));
                }
            },
            Op::Ite => waiting.extend([args[0], if truth[&args[0]] { args[1] } else { args[2] }]),
            Op::Eq if terms.sort_of(args[0]) == SortId::BOOL => waiting.extend(args),
            _ => {
                atoms.push((formula, value));
                let inner = terms.cone(&[formula]);
                for term in inner {
                    if *terms.op(term) == Op::Ite && terms.sort_of(term) != SortId::BOOL {
                        waiting.push(terms.args(term)[0]);
                    }
                }
            }
        }
    }
    // Replace conditionals by the branch taken.
    let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
    let roots: Vec<TermId> = atoms.iter().map(|(atom, _)| *atom).collect();
    for term in terms.cone(&roots) {
        let args: Vec<TermId> = terms.args(term).iter().map(|arg| map[arg]).collect();
        let image = match terms.op(term) {
            Op::Ite if terms.sort_of(term) != SortId::BOOL => {
                if truth[&terms.args(term)[0]] {
                    args[1]
                } else {
                    args[2]
                }
            }
            _ => terms.rebuild(term, &args),
        };
        map.insert(term, image);
    }
    let mut literals: Vec<TermId> = Vec::new();
    for (atom, value) in atoms {
        let image = map[&atom];
        let literal = if value { image } else { terms.not(image) };
        if literal == terms.falsehood() {
            return None;
        }
        if literal != terms.truth() {
            literals.push(literal);
        }
    }
    literals.sort_unstable();
    literals.dedup();
    Some(literals)
}
