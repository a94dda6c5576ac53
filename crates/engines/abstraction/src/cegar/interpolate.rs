//! Why an abstract path has no concrete one, as predicates: interpolants of the contradiction at each position (Henzinger, Jhala, Majumdar,
//! McMillan, "Abstractions from proofs", POPL 2004; chapter 14).
//!
//! The path's beginning up to a position implies the interpolant there, and the rest of the path contradicts it: at the position
//! where the beginning ends in dead ends, it separates those from the bad states (chapter 13, section 13.5.1.1). Each interpolant
//! with a step of the path implies the next one, so an abstraction that observes all of them does not have the path any more.

use super::concretise::Unanswered;
use super::sketch::{Facts, Seen};
use entail_budget::Budget;
use entail_model::{TermId, TransitionSystem, VarId, VarKind};
use entail_sat::{
    Aig, Blaster, ConeEncoder, Interpolator, Leaf, SatSolver, Signal, System, Var, belongs, bit_term, encode,
    shape,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Interpolants with more gates are of no use as predicates.
const MOST_GATES: usize = 500;

/// Predicates over state variables, built in the system's store, that contradict a path with these facts at its positions, which is
/// known to have no concrete path. None if the proof does not give any that are small enough.
pub(crate) fn interpolants(
    system: &mut TransitionSystem,
    path: &[Facts],
    budget: &Budget,
) -> Result<Option<Vec<TermId>>, Unanswered> {
    let states: Vec<VarId> = system.state_variables().collect();
    let mut owners: Vec<(VarId, usize)> = Vec::new();
    for &variable in &states {
        let (width, _) = shape(&system.variable(variable).sort)?;
        owners.extend((0..width).map(|bit| (variable, bit)));
    }
    let mut solver = Interpolator::new();
    // The bits of the state at each position.
    let positions: Vec<Vec<Var>> = path
        .iter()
        .map(|_| owners.iter().map(|_| solver.new_var()).collect())
        .collect();
    for (at, facts) in path.iter().enumerate() {
        solver.set_part(at);
        let next = positions.get(at + 1);
        let part = Part::new(system, &owners, facts, at == 0, next.is_some(), budget)?;
        let mut encoder = ConeEncoder::new();
        let bound = [(&part.now, Some(&positions[at])), (&part.later, next)];
        for (leaves, variables) in bound {
            for (leaf, &variable) in leaves.iter().zip(variables.into_iter().flatten()) {
                encoder.bind(&part.aig, leaf.node(), variable);
            }
        }
        for &signal in &part.required {
            let literal = encoder.encode(&part.aig, signal, &mut solver);
            solver.add_clause(&[literal]);
        }
    }
    if solver.satisfiable(&[], budget)? {
        return Ok(None);
    }
    let mut aig = Aig::new();
    let leaves: Vec<Signal> = owners.iter().map(|_| aig.leaf()).collect();
    let mut found = Vec::new();
    for (cut, after) in positions.iter().skip(1).enumerate() {
        let Some(first) = after.first().map(|variable| variable.index()) else {
            return Ok(None);
        };
        let shared = |_: &mut Aig, variable: Var| leaves[variable.index() - first];
        match solver.interpolant(cut, System::McMillan, &mut aig, shared) {
            Some(interpolant) => found.push(interpolant),
            None => return Ok(None),
        }
    }
    if aig.cone(found.iter().copied()).len() > MOST_GATES {
        return Ok(None);
    }
    Ok(Some(conjuncts(system, &owners, &leaves, &aig, &found)))
}

/// One position of the path and the step from it, in a graph of its own.
struct Part {
    aig: Aig,
    now: Vec<Signal>,
    later: Vec<Signal>,
    required: Vec<Signal>,
}

impl Part {
    fn new(
        system: &TransitionSystem,
        owners: &[(VarId, usize)],
        facts: &Facts,
        is_first: bool,
        has_step: bool,
        budget: &Budget,
    ) -> Result<Part, Unanswered> {
        let mut aig = Aig::new();
        let now: Vec<Signal> = owners.iter().map(|_| aig.leaf()).collect();
        let later: Vec<Signal> = owners.iter().map(|_| aig.leaf()).collect();
        let mut required = Vec::new();
        let mut blaster = Blaster::new();
        blaster.watch(Arc::new(budget.same_limits()));
        for id in system.variable_ids() {
            let variable = system.variable(id);
            // The bits of one variable stand together, variables in their order.
            let first = owners.partition_point(|&(owner, _)| owner < id);
            let end = owners.partition_point(|&(owner, _)| owner <= id);
            let of = |all: &[Signal]| all[first..end].to_vec();
            let code = match variable.kind {
                VarKind::Input => {
                    let (width, _) = shape(&variable.sort)?;
                    (0..width).map(|_| aig.leaf()).collect()
                }
                _ => of(&now),
            };
            required.push(belongs(&mut aig, &code, &variable.sort));
            if variable.kind != VarKind::Input {
                let after = of(&later);
                if variable.kind == VarKind::Frozen && has_step {
                    let pairs: Vec<(Signal, Signal)> =
                        code.iter().copied().zip(after.iter().copied()).collect();
                    required.extend(pairs.into_iter().map(|(a, b)| aig.iff(a, b)));
                }
                let next = Leaf {
                    variable: id,
                    next: true,
                };
                blaster.bind(next, after);
            }
            let current = Leaf {
                variable: id,
                next: false,
            };
            blaster.bind(current, code);
        }
        let terms = &system.terms;
        let init = system.init.iter().filter(|_| is_first);
        let steps = system.transition.iter().filter(|_| has_step);
        for &conjunct in init.chain(&system.invariant).chain(steps) {
            required.push(blaster.signal(&mut aig, terms, conjunct)?);
        }
        for (seen, value) in facts {
            let Seen::Term(term) = *seen else { continue };
            let code = blaster.bits(&mut aig, terms, term)?;
            let bits = encode(value, terms.sort(term))?;
            required.extend(
                code.iter()
                    .zip(bits)
                    .map(|(&bit, is_one)| bit.flipped_if(!is_one)),
            );
        }
        Ok(Part {
            aig,
            now,
            later,
            required,
        })
    }
}

/// The conjuncts of the signals, as terms.
fn conjuncts(
    system: &mut TransitionSystem,
    owners: &[(VarId, usize)],
    leaves: &[Signal],
    aig: &Aig,
    signals: &[Signal],
) -> Vec<TermId> {
    let mut roots: Vec<Signal> = Vec::new();
    let mut pending: Vec<Signal> = signals.to_vec();
    while let Some(signal) = pending.pop() {
        match aig.fanins(signal.node()) {
            Some((a, b)) if !signal.is_complemented() => pending.extend([a, b]),
            _ if signal.as_constant().is_none() && !roots.contains(&signal) => roots.push(signal),
            _ => {}
        }
    }
    let mut terms_of: FxHashMap<usize, TermId> = FxHashMap::default();
    for (&(variable, bit), leaf) in owners.iter().zip(leaves) {
        let now = system.current(variable);
        terms_of.insert(leaf.node().index(), bit_term(&mut system.terms, now, bit));
    }
    let of = |system: &mut TransitionSystem, known: &FxHashMap<usize, TermId>, signal: Signal| {
        let term = known[&signal.node().index()];
        if signal.is_complemented() {
            system.terms.not(term)
        } else {
            term
        }
    };
    for node in aig.cone(roots.iter().copied()) {
        if let Some((a, b)) = aig.fanins(node) {
            let (a, b) = (of(system, &terms_of, a), of(system, &terms_of, b));
            let both = system.terms.and([a, b]);
            terms_of.insert(node.index(), both);
        }
    }
    // A predicate and its negation observe the same.
    let mut found: Vec<TermId> = Vec::new();
    for root in roots {
        let node = root.node().signal();
        let term = of(system, &terms_of, node);
        if system.terms.as_truth(term).is_none() && !found.contains(&term) {
            found.push(term);
        }
    }
    found
}
