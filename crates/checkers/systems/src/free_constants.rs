//! Registers that are constants of any value: what local variables of an assertion are to a monitor.
//!
//! A proof that no run is accepted is one about all values of local variables if for every run of the design, and for all values of these registers, the model has a run that is the same elsewhere. That is shown by
//! looking at where the registers have an influence. What depends on them, directly or by others, is a set of variables each of which is defined by one equation, `next x = t`: whatever the registers are, these variables follow.
//! No condition on initial states reads the registers, and no condition on all states or on fair paths reads anything of the set. Then values for the registers can be chosen first, and the rest of the set computed step by step.

use entail_logic::{Assertion, Local, Sequence};
use entail_model::{Op, Sort, TermId, TransitionSystem, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a conjunct of the transition relation defines.
struct Step {
    reads: Vec<VarId>,
    /// Variables whose next values it speaks of.
    writes: Vec<VarId>,
    /// The variable, if it is `next x = t` for a term without next values.
    defines: Option<VarId>,
    /// Whether that term is the variable itself.
    keeps: bool,
}

fn step_of(system: &TransitionSystem, conjunct: TermId) -> Step {
    let terms = &system.terms;
    let (reads, writes) = terms.support(&[conjunct]);
    // (The complement of an equation of truth values is one.)
    let equation = match terms.op(conjunct) {
        Op::Not => terms.operands(conjunct)[0],
        _ => conjunct,
    };
    let mut defines = None;
    let mut keeps = false;
    if let (Op::Equal, &[a, b]) = (terms.op(equation), terms.operands(equation)) {
        for (left, right) in [(a, b), (b, a)] {
            if let Op::Next(variable) = terms.op(left)
                && writes == [*variable]
                && terms.support(&[right]).1.is_empty()
            {
                let sort = terms.sort(left);
                let total =
                    *sort == Sort::Bool || (conjunct == equation && matches!(sort, Sort::Word { .. }));
                defines = total.then_some(*variable);
                keeps = conjunct == equation && *terms.op(right) == Op::Current(*variable);
            }
        }
    }
    Step {
        reads,
        writes,
        defines,
        keeps,
    }
}

/// Whether registers are constants of any value, whatever the rest of a system does.
pub fn are_free_constants(system: &TransitionSystem, registers: &[VarId]) -> bool {
    let free: FxHashSet<VarId> = registers.iter().copied().collect();
    let steps: Vec<Step> = system
        .transition
        .iter()
        .map(|&one| step_of(system, one))
        .collect();
    let mut writers: FxHashMap<VarId, usize> = FxHashMap::default();
    for variable in steps.iter().flat_map(|step| &step.writes) {
        *writers.entry(*variable).or_default() += 1;
    }
    let is_defined = |variable: VarId| writers.get(&variable) == Some(&1);
    // What depends on the registers.
    let mut influenced = free.clone();
    loop {
        let before = influenced.len();
        for step in &steps {
            let meets = |list: &[VarId]| list.iter().any(|variable| influenced.contains(variable));
            if !meets(&step.reads) && !meets(&step.writes) {
                continue;
            }
            match step.defines.filter(|&variable| is_defined(variable)) {
                None => return false,
                Some(variable) if free.contains(&variable) && !step.keeps => return false,
                Some(variable) => influenced.insert(variable),
            };
        }
        if influenced.len() == before {
            break;
        }
    }
    let stays =
        |variable: &VarId| system.variable(*variable).kind == VarKind::Frozen || is_defined(*variable);
    let reads = |terms: &[TermId], which: &FxHashSet<VarId>| {
        let (now, next) = system.terms.support(terms);
        now.iter().chain(&next).any(|variable| which.contains(variable))
    };
    let fair: Vec<TermId> = (system.justice.iter().copied())
        .chain(system.compassion.iter().flat_map(|&(p, q)| [p, q]))
        .collect();
    registers.iter().all(stays)
        && !reads(&system.init, &free)
        && !reads(&system.invariant, &influenced)
        && !reads(&fair, &influenced)
}

/// The assignments of an assertion: the variable, the number of what is assigned, and the atom that compares them.
pub fn assignments(assertion: &Assertion<usize>) -> Vec<(Local, u32, usize)> {
    let mut found = Vec::new();
    in_assertion(assertion, &mut found);
    found
}

fn in_assertion(assertion: &Assertion<usize>, found: &mut Vec<(Local, u32, usize)>) {
    match assertion {
        Assertion::Sequence { sequence, .. } => in_sequence(sequence, found),
        Assertion::Not(inner)
        | Assertion::Next { body: inner, .. }
        | Assertion::Abort { body: inner, .. } => in_assertion(inner, found),
        Assertion::And(left, right) | Assertion::Or(left, right) | Assertion::Until { left, right, .. } => {
            in_assertion(left, found);
            in_assertion(right, found);
        }
        Assertion::Implication {
            antecedent,
            consequent,
        } => {
            in_sequence(antecedent, found);
            in_assertion(consequent, found);
        }
    }
}

fn in_sequence(sequence: &Sequence<usize>, found: &mut Vec<(Local, u32, usize)>) {
    match sequence {
        Sequence::Empty | Sequence::Guard(_) => {}
        Sequence::Concatenation(left, right)
        | Sequence::Fusion(left, right)
        | Sequence::Union(left, right)
        | Sequence::Intersection(left, right)
        | Sequence::Both(left, right) => {
            in_sequence(left, found);
            in_sequence(right, found);
        }
        Sequence::Repetition { body, .. } | Sequence::FirstMatch(body) => in_sequence(body, found),
        Sequence::Assigning {
            body,
            local,
            value,
            equal,
        } => {
            found.push((*local, *value, *equal));
            in_sequence(body, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A design that counts modulo two; a constant of two bits; and a register that watches whether both bits of the constant are as the count.
    fn watched() -> (TransitionSystem, VarId, VarId, VarId) {
        let mut system = TransitionSystem::new();
        let count = system.add_variable("count", Sort::Bool, VarKind::State);
        let held = system.add_variable("held", Sort::Bool, VarKind::State);
        let seen = system.add_variable("seen", Sort::Bool, VarKind::State);
        let (now, next) = (system.current(count), system.next(count));
        let flipped = system.terms.not(now);
        let step = system.terms.iff(next, flipped);
        system.transition.push(step);
        let (value, later) = (system.current(held), system.next(held));
        let keep = system.terms.iff(later, value);
        system.transition.push(keep);
        let same = system.terms.iff(value, now);
        let next_seen = system.next(seen);
        let watch = system.terms.iff(next_seen, same);
        system.transition.push(watch);
        (system, count, held, seen)
    }

    #[test]
    fn a_register_that_keeps_its_value_and_is_only_watched_is_free() {
        let (system, _, held, _) = watched();
        assert!(are_free_constants(&system, &[held]));
    }

    #[test]
    fn what_is_initialised_constrained_changed_or_made_fair_is_not_free() {
        let (system, count, held, seen) = watched();
        assert!(!are_free_constants(&system, &[count]));
        assert!(!are_free_constants(&system, &[seen]));
        let with = |change: &dyn Fn(&mut TransitionSystem, TermId)| {
            let mut other = system.clone();
            let term = other.current(held);
            change(&mut other, term);
            are_free_constants(&other, &[held])
        };
        assert!(!with(&|other, term| other.init.push(term)));
        assert!(!with(&|other, term| other.invariant.push(term)));
        assert!(!with(&|other, term| other.justice.push(term)));
        // What watches it is demanded to be something.
        assert!(!with(&|other, _| {
            let seen = other.current(seen);
            other.invariant.push(seen);
        }));
        // A second condition on a step of the register, or of what watches it.
        assert!(!with(&|other, _| {
            let next = other.next(held);
            other.transition.push(next);
        }));
        assert!(!with(&|other, _| {
            let next = other.next(seen);
            other.transition.push(next);
        }));
        // The design itself may depend on it: it is still free, as long as the design follows.
        assert!(with(&|other, _| {
            let extra = other.add_variable("extra", Sort::Bool, VarKind::State);
            let (next, seen) = (other.next(extra), other.current(seen));
            let step = other.terms.iff(next, seen);
            other.transition.push(step);
        }));
    }
}
