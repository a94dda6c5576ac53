//! Equality: a closure under reflexivity, symmetry, transitivity and congruence, naive and complete.

use entail_first_order::{Op, TermId, Terms};
use std::collections::BTreeMap;

fn find(parent: &BTreeMap<TermId, TermId>, mut term: TermId) -> TermId {
    while parent[&term] != term {
        term = parent[&term];
    }
    term
}

/// Whether literals contradict each other by equality alone. Terms are formulas with their truth values.
pub(super) fn contradicts(terms: &Terms, literals: &[(TermId, bool)]) -> bool {
    let mut roots: Vec<TermId> = literals.iter().map(|(term, _)| *term).collect();
    roots.extend([terms.truth(), terms.falsehood()]);
    let cone = terms.cone(&roots);
    let mut parent: BTreeMap<TermId, TermId> = cone.iter().map(|&term| (term, term)).collect();
    let mut unequal: Vec<(TermId, TermId)> = vec![(terms.truth(), terms.falsehood())];
    let mut equal: Vec<(TermId, TermId)> = Vec::new();
    for &(term, is_true) in literals {
        equal.push((term, if is_true { terms.truth() } else { terms.falsehood() }));
        if *terms.op(term) == Op::Eq {
            let pair = (terms.args(term)[0], terms.args(term)[1]);
            if is_true {
                equal.push(pair)
            } else {
                unequal.push(pair)
            }
        }
    }
    for (a, b) in equal {
        let (a, b) = (find(&parent, a), find(&parent, b));
        parent.insert(a, b);
    }
    loop {
        let mut signatures: BTreeMap<(String, Vec<TermId>), TermId> = BTreeMap::new();
        let mut changed = false;
        for &term in &cone {
            let node = terms.node(term);
            if node.args.is_empty() || matches!(node.op, Op::Forall(_)) {
                continue;
            }
            let args: Vec<TermId> = node.args.iter().map(|&arg| find(&parent, arg)).collect();
            let key = (format!("{:?} {:?}", node.op, node.sort), args);
            match signatures.get(&key) {
                None => drop(signatures.insert(key, term)),
                Some(&other) => {
                    let (a, b) = (find(&parent, term), find(&parent, other));
                    if a != b {
                        parent.insert(a, b);
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            break;
        }
    }
    if unequal.iter().any(|&(a, b)| find(&parent, a) == find(&parent, b)) {
        return true;
    }
    // Different numbers or words of one sort are not equal.
    let constants: Vec<TermId> = (cone.iter().copied())
        .filter(|&term| matches!(terms.op(term), Op::Number(_) | Op::Word(_)))
        .collect();
    constants.iter().enumerate().any(|(position, &a)| {
        constants[position + 1..]
            .iter()
            .any(|&b| terms.sort_of(a) == terms.sort_of(b) && find(&parent, a) == find(&parent, b))
    })
}
