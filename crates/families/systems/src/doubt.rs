//! Whether a *holds* means something: questions beside a property whose answers tell.
//!
//! - *Paths*: is there a path that counts at all? If nothing infinite (or fair) begins in an initial state, every formula about all paths holds. The question is
//!   `A G FALSE`; it is not asked where the model's shape shows that every state has a successor and there is no fairness.
//! - *Parts*: is the property true even with a part replaced ([`weakest_replacements`])? Then the part does not matter; if it is what follows from an
//!   antecedent, that is never true. Atoms of properties are whole conditions; they are taken apart at conjunctions, disjunctions and negations first.
//!
//! The questions are made when the model is read, because their terms are the model's. They are asked of the engine that answered the property, in the time the runner has
//! for them, and judged like any other: a warning is given where one is answered with *holds*, and only then.
//!
//! Bad states of AIGER and BTOR2 are conditions like others, taken apart only as far as they are conjunctions and disjunctions of few parts: what is below is gates, which
//! nobody wrote. Of Verilog's assertions it is asked whether they are ever checked.

use crate::asked::AskedAssertion;
use entail_answer::WarningKind;
use entail_logic::{Formula, Fragment, Logic, Node, Property, Question, Told, weakest_replacements};
use entail_model::{Op, TermId, Terms, TransitionSystem, VarId, assigned_next};
use entail_smv::print_term;
use rustc_hash::FxHashMap;

/// Positions of doubts begin here, behind those of all properties.
pub(crate) const DOUBTS: usize = 1 << 32;

/// At most so many parts of a property are asked about.
const MOST_PARTS: usize = 12;

/// Conditions are taken apart up to so many operators; those of circuits up to fewer.
const MOST_OPERATORS: usize = 64;
const MOST_GATES: usize = 16;

/// At most so many parts of a property of a circuit are asked about.
const MOST_PARTS_OF_CIRCUITS: usize = 6;

/// Longer texts of parts of circuits are cut.
const LONGEST_PART: usize = 100;

/// A question whose positive answer takes the meaning from another's.
#[derive(Clone, Debug)]
pub(crate) struct Doubt {
    /// What is asked.
    pub(crate) property: Property<TermId>,
    /// What is said if it holds.
    pub(crate) warning: (WarningKind, String),
    /// What is said if it is not found out whether it holds; nothing if that need not be known.
    pub(crate) unknown: Option<String>,
    /// Another doubt about the same property, by position in their list, without which this is asked for nothing.
    pub(crate) unless: Option<usize>,
    /// The assertion that is asked about, if it is one.
    pub(crate) asked: Option<AskedAssertion>,
}

/// What kind of text a property comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// A language in which people write conditions.
    ByPeople,
    /// A circuit.
    AsGates,
}

/// Whether every state of a system has a successor because of the relation's shape, once that was asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totality(Option<bool>);

impl Totality {
    fn of(&mut self, system: &TransitionSystem) -> bool {
        *self.0.get_or_insert_with(|| is_total_by_shape(system))
    }
}

/// The doubts about a property.
pub(crate) fn doubts(
    system: &mut TransitionSystem,
    property: &Property<TermId>,
    written: Written,
    totality: &mut Totality,
) -> Vec<Doubt> {
    let mut found = Vec::new();
    let (most_operators, most_parts) = match written {
        Written::ByPeople => (MOST_OPERATORS, MOST_PARTS),
        Written::AsGates => (MOST_GATES, MOST_PARTS_OF_CIRCUITS),
    };
    let formula = match &property.question {
        Question::Invariant(atom) => Formula::atom(*atom).globally().forall(),
        Question::Formula(formula) if formula.is_in(Fragment::ActlStar) => formula.clone(),
        _ => return found,
    };
    let is_invariant = matches!(property.question, Question::Invariant(_));
    let has_fairness = match property.logic.ignores_compassion() {
        true => !system.justice.is_empty(),
        false => system.has_fairness(),
    };
    // A circuit whose constraints nothing satisfies has no bad state either.
    let is_about_paths = !is_invariant || written == Written::AsGates;
    if is_about_paths && (has_fairness || !totality.of(system)) {
        let logic = if is_invariant { Logic::Ltl } else { property.logic };
        let mut doubt = no_path(logic, has_fairness);
        if is_invariant {
            // Most constraints of circuits are about inputs, and finite paths count.
            doubt.unknown = None;
        }
        found.push(doubt);
    }
    let first = found.len();
    let mut left = most_operators;
    let apart = formula.expand_atoms(&mut |&atom| taken_apart(&system.terms, atom, &mut left));
    for replacement in weakest_replacements(&apart, most_parts) {
        let kind = match &replacement.told {
            Told::NoAntecedent(_) => WarningKind::Vacuous,
            Told::Irrelevant(..) => WarningKind::IrrelevantPart,
        };
        let text = match &replacement.told {
            Told::NoAntecedent(part) => {
                let where_asked = match is_invariant {
                    true => "true in no reachable state",
                    false => "never true where it is asked",
                };
                let part = shown(system, part, written);
                format!("the property holds vacuously: its antecedent `{part}` is {where_asked}")
            }
            Told::Irrelevant(part, with) => {
                let with = if *with { "TRUE" } else { "FALSE" };
                let part = shown(system, part, written);
                format!("`{part}` does not matter: the property holds with {with} in its place")
            }
        };
        let asked = put_together(&mut system.terms, &replacement.formula);
        let question = match (is_invariant, under_always(&asked)) {
            (false, _) => Question::Formula(asked),
            (true, Some(condition)) => Question::Invariant(condition),
            (true, None) => continue,
        };
        found.push(Doubt {
            property: Property {
                name: None,
                text: text.clone(),
                logic: property.logic,
                question,
            },
            warning: (kind, text),
            unknown: None,
            unless: replacement.inside.map(|other| first + other),
            asked: None,
        });
    }
    found
}

/// The doubt about an assertion of a circuit: that the condition under which it is checked is never true.
pub(crate) fn never_checked(system: &mut TransitionSystem, enabled: TermId) -> Option<Doubt> {
    // Most assertions are always checked.
    if system.terms.as_truth(enabled).is_some() {
        return None;
    }
    let text = "the assertion holds vacuously: the condition under which it is checked is never true";
    Some(Doubt {
        property: Property {
            name: None,
            text: text.to_owned(),
            logic: Logic::Invariant,
            question: Question::Invariant(system.terms.not(enabled)),
        },
        warning: (WarningKind::Vacuous, text.to_owned()),
        unknown: None,
        unless: None,
        asked: None,
    })
}

/// What is known of an antecedent that no values of the variables make true; asked like the others, of a condition that every engine finds true.
pub(crate) fn impossible(system: &mut TransitionSystem, antecedent: &str) -> Doubt {
    let text = format!(
        "the property holds vacuously: its antecedent `{antecedent}` is true of no values of the variables"
    );
    Doubt {
        property: Property {
            name: None,
            text: text.clone(),
            logic: Logic::Invariant,
            question: Question::Invariant(system.terms.truth(true)),
        },
        warning: (WarningKind::Vacuous, text),
        unknown: None,
        unless: None,
        asked: None,
    }
}

/// The doubt about an assertion of sequences: that its antecedent never matches. `matched` is true where it does.
pub(crate) fn never_matches(
    system: &mut TransitionSystem,
    matched: TermId,
    asked: Option<AskedAssertion>,
) -> Doubt {
    let text = "the assertion holds vacuously: what stands before its implication never matches";
    Doubt {
        property: Property {
            name: None,
            // (A path on which it does is shown as a violation of this.)
            text: "what stands before the implication never matches".to_owned(),
            logic: Logic::Invariant,
            question: Question::Invariant(system.terms.not(matched)),
        },
        warning: (WarningKind::Vacuous, text.to_owned()),
        unknown: None,
        unless: None,
        asked,
    }
}

fn no_path(logic: Logic, has_fairness: bool) -> Doubt {
    let kind = if has_fairness { "fair" } else { "infinite" };
    Doubt {
        property: Property {
            name: None,
            text: format!("no {kind} path starts in an initial state"),
            logic,
            question: Question::Formula(Formula::constant(false).globally().forall()),
        },
        warning: (
            WarningKind::NoFairPath,
            format!("no {kind} path starts in an initial state: the property holds vacuously"),
        ),
        unknown: Some(format!(
            "it was not found out whether any {kind} path starts in an initial state; if none does, the property says nothing"
        )),
        unless: None,
        asked: None,
    }
}

/// Whether every state has a successor because of the shape of the relation: its conjuncts can be put in an order in which each assigns a
/// variable that none before it speaks of, so that next values are found one after the other (`next(y) := f(next(x))` after `next(x) := …`).
///
/// Conjuncts are taken away from the end of the order: one goes if some next value of a variable satisfies it whatever the others are, and no
/// other that is left speaks of that variable's next value.
pub(crate) fn is_total_by_shape(system: &TransitionSystem) -> bool {
    if !system.invariant.is_empty() {
        return false;
    }
    let next: Vec<Vec<VarId>> = (system.transition.iter())
        .map(|&conjunct| system.terms.support(&[conjunct]).1)
        .collect();
    // For each variable, the conjuncts left that speak of its next value.
    let mut speaking: FxHashMap<VarId, Vec<usize>> = FxHashMap::default();
    for (number, variables) in next.iter().enumerate() {
        for &variable in variables {
            speaking.entry(variable).or_default().push(number);
        }
    }
    let alone = |speaking: &FxHashMap<VarId, Vec<usize>>, variable: &VarId| {
        speaking
            .get(variable)
            .filter(|numbers| numbers.len() == 1)
            .map(|numbers| numbers[0])
    };
    let mut open: Vec<VarId> = speaking
        .keys()
        .copied()
        .filter(|one| alone(&speaking, one).is_some())
        .collect();
    let mut left = system.transition.len();
    while let Some(variable) = open.pop() {
        let Some(number) = alone(&speaking, &variable) else {
            continue;
        };
        if assigned_next(system, system.transition[number], &[variable]).is_none() {
            continue;
        }
        left -= 1;
        for other in &next[number] {
            if let Some(numbers) = speaking.get_mut(other) {
                numbers.retain(|one| *one != number);
            }
            open.extend(alone(&speaking, other).map(|_| *other));
        }
    }
    left == 0
}

/// A condition as a formula over its parts.
fn taken_apart(terms: &Terms, term: TermId, left: &mut usize) -> Formula<TermId> {
    let operands = terms.operands(term);
    if *left < operands.len() {
        return Formula::atom(term);
    }
    let parts = |left: &mut usize| -> Vec<Formula<TermId>> {
        *left -= operands.len();
        operands
            .iter()
            .map(|&operand| taken_apart(terms, operand, left))
            .collect()
    };
    match terms.op(term) {
        Op::And => Formula::and(parts(left)),
        Op::Or => Formula::or(parts(left)),
        Op::Not => Formula::and(parts(left)).not(),
        _ => Formula::atom(term),
    }
}

/// The formula with each part that has no temporal operator as one condition again.
fn put_together(terms: &mut Terms, formula: &Formula<TermId>) -> Formula<TermId> {
    if let Some(condition) = condition(terms, formula) {
        return match terms.as_truth(condition) {
            Some(truth) => Formula::constant(truth),
            None => Formula::atom(condition),
        };
    }
    let operands = formula.operands().into_iter();
    let operands = operands.map(|operand| put_together(terms, operand)).collect();
    formula.with_operands(operands)
}

/// A formula without temporal operators as a condition.
fn condition(terms: &mut Terms, formula: &Formula<TermId>) -> Option<TermId> {
    Some(match formula.node() {
        Node::Constant(truth) => terms.truth(*truth),
        Node::Atom(atom) => *atom,
        Node::Quantified(..) | Node::Unary(..) | Node::Binary(..) => return None,
        _ => {
            let operands = formula.operands().into_iter();
            let operands: Vec<TermId> = operands
                .map(|operand| condition(terms, operand))
                .collect::<Option<_>>()?;
            match formula.node() {
                Node::Not(_) => terms.not(operands[0]),
                Node::And(_) => terms.and(operands),
                Node::Or(_) => terms.or(operands),
                Node::Implies(..) => terms.implies(operands[0], operands[1]),
                Node::Iff(..) => terms.iff(operands[0], operands[1]),
                _ => terms.xor(operands[0], operands[1]),
            }
        }
    })
}

/// The condition `p` of `A G p`.
fn under_always(formula: &Formula<TermId>) -> Option<TermId> {
    Question::Formula(formula.clone()).implied_by_invariant().copied()
}

fn shown(system: &TransitionSystem, part: &Formula<TermId>, written: Written) -> String {
    let shown = part.display_with(|&term: &TermId, f: &mut std::fmt::Formatter<'_>| {
        // A gate that has a name is known by it.
        let named = (system.defines.iter()).find(|define| written == Written::AsGates && define.term == term);
        match named {
            Some(define) => f.write_str(&define.name),
            None => f.write_str(&print_term(system, term)),
        }
    });
    let text = shown.to_string();
    match text.char_indices().nth(LONGEST_PART) {
        Some((end, _)) if written == Written::AsGates => format!("{}…", &text[..end]),
        _ => text,
    }
}
