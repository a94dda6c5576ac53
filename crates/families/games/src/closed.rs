//! A circuit with free inputs as a transition system, and whether all its runs satisfy a formula: the judge of synthesis.
//!
//! Inputs are variables that have any value in every state; latches are variables; outputs are what the gates compute. The question goes to the symbolic
//! engine, which decides linear time by the tableau of the formula and shares nothing with how the machine was found. Its evidence is judged again.
//!
//! All runs satisfy a conjunction if all satisfy each of its members, whose tableaux are small: they are asked for one by one.

use entail_aiger::{Aiger, Literal, Reset, SymbolKind};
use entail_answer::{CheckReport, Verdict};
use entail_budget::{Budget, Silent};
use entail_evidence::{CheckOptions, Engine};
use entail_logic::{Formula, Interval, Logic, Node, Property, Question, Unary};
use entail_model::{Sort, TermId, TransitionSystem, VarKind};
use entail_symbolic::{SymbolicEngine, SymbolicOptions};
use entail_systems_checker::check_outcome;

/// Whether all runs of a circuit satisfy a formula over the names of its inputs and outputs.
pub(crate) fn check(circuit: &Aiger, formula: &Formula<String>, budget: &Budget) -> CheckReport {
    let (mut system, outputs) = system(circuit);
    let mut unknown = None;
    let question = formula.map_atoms(
        &mut |name: &String| match atom(&mut system, circuit, &outputs, name) {
            Some(term) => term,
            None => {
                unknown.get_or_insert_with(|| name.clone());
                system.terms.truth(false)
            }
        },
    );
    if let Some(name) = unknown {
        return CheckReport::rejected(format!("the circuit has no input or output `{name}`"));
    }
    let options = CheckOptions::default();
    let engine = SymbolicEngine::with_options(SymbolicOptions::default());
    let mut session = engine.open(&system, &options);
    let (invariants, others): (Vec<_>, Vec<_>) = conjuncts(&question).into_iter().partition(is_invariant);
    let together = (!invariants.is_empty()).then(|| Formula::and(invariants));
    for conjunct in together.into_iter().chain(others) {
        let property = Property {
            name: None,
            text: "the specification".to_owned(),
            logic: Logic::Ltl,
            question: Question::Formula(conjunct.forall()),
        };
        let outcome = match session.check(&property, budget, &Silent) {
            Ok(outcome) => outcome,
            Err(error) => {
                return CheckReport::rejected(format!("the closed circuit has no meaning: {error}"));
            }
        };
        match outcome.verdict {
            Verdict::Holds => {
                // That the engine has decided it, independently of how the circuit was found, is what is asked here.
                let said = check_outcome(&system, &property, &outcome, &options, budget);
                if let rejected @ CheckReport::Rejected { .. } = said {
                    return rejected;
                }
            }
            Verdict::Fails => {
                return CheckReport::rejected("a run of the circuit violates the specification");
            }
            Verdict::Unknown => {
                let reason = outcome.reason.unwrap_or_default();
                return CheckReport::unchecked(format!(
                    "that the circuit satisfies the specification ({reason})"
                ));
            }
        }
    }
    CheckReport::Accepted
}

/// Formulas that are all true of a run if and only if one is: `G` is spread over the members of conjunctions. Implications stay whole: each member would need the tableau of what is assumed.
fn conjuncts(formula: &Formula<TermId>) -> Vec<Formula<TermId>> {
    match formula.node() {
        Node::And(list) => list.iter().flat_map(conjuncts).collect(),
        Node::Unary(Unary::Globally, interval, inner) if *interval == Interval::ALWAYS => {
            conjuncts(inner).iter().map(Formula::globally).collect()
        }
        _ => vec![formula.clone()],
    }
}

/// Whether a formula says that something without temporal operators is always so.
fn is_invariant(formula: &Formula<TermId>) -> bool {
    matches!(formula.node(), Node::Unary(Unary::Globally, _, inner) if inner.is_propositional())
}

/// The term of a name: an input or an output.
fn atom(system: &mut TransitionSystem, circuit: &Aiger, outputs: &[TermId], name: &str) -> Option<TermId> {
    let position =
        |kind: SymbolKind, count: u32| (0..count).find(|&at| circuit.symbol(kind, at) == Some(name));
    if let Some(at) = position(SymbolKind::Output, outputs.len() as u32) {
        return Some(outputs[at as usize]);
    }
    let input = position(SymbolKind::Input, circuit.inputs)?;
    let variable = system.find_variable(&format!("i{input}"))?;
    Some(system.current(variable))
}

/// The system of a circuit, and the terms of its outputs.
fn system(circuit: &Aiger) -> (TransitionSystem, Vec<TermId>) {
    let mut system = TransitionSystem::new();
    let mut terms = vec![system.terms.truth(false)];
    for at in 0..circuit.inputs {
        let variable = system.add_variable(format!("i{at}"), Sort::Bool, VarKind::State);
        terms.push(system.current(variable));
    }
    let mut latches = Vec::new();
    for (at, latch) in circuit.latches.iter().enumerate() {
        let variable = system.add_variable(format!("l{at}"), Sort::Bool, VarKind::State);
        let term = system.current(variable);
        terms.push(term);
        latches.push(variable);
        match latch.reset {
            Reset::Zero => {
                let zero = system.terms.not(term);
                system.init.push(zero);
            }
            Reset::One => system.init.push(term),
            Reset::Free => {}
        }
    }
    let of = |system: &mut TransitionSystem, terms: &[TermId], literal: Literal| {
        let term = terms[literal.variable() as usize];
        match literal.is_negated() {
            true => system.terms.not(term),
            false => term,
        }
    };
    for gate in &circuit.gates {
        let [a, b] = gate.map(|literal| of(&mut system, &terms, literal));
        terms.push(system.terms.and_gate(a, b));
    }
    for (latch, variable) in circuit.latches.iter().zip(latches) {
        let next = of(&mut system, &terms, latch.next);
        let after = system.next(variable);
        let step = system.terms.iff(after, next);
        system.transition.push(step);
    }
    let outputs = circuit
        .outputs
        .iter()
        .map(|&output| of(&mut system, &terms, output))
        .collect();
    (system, outputs)
}
