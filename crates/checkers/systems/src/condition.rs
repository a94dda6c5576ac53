//! Terms made ready for evaluation in many states.
//!
//! Evaluating a term first finds its cone, which costs as much as the store is long. Whoever evaluates the same term again and
//! again finds the cone once and keeps it here.

use entail_evidence::Truth;
use entail_model::{TermId, Terms, TransitionSystem, Valuation, Value, VarKind, evaluate_with};
use std::rc::Rc;

/// One term with its cone. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Condition<'a> {
    terms: &'a Terms,
    cone: Rc<[TermId]>,
}

impl<'a> Condition<'a> {
    pub fn new(terms: &'a Terms, term: TermId) -> Condition<'a> {
        Condition {
            terms,
            cone: terms.cone(&[term]).into(),
        }
    }

    /// The value, if it is known.
    pub fn value(&self, at: Valuation<'_>) -> Option<Value> {
        evaluate_with(self.terms, &self.cone, at).pop().flatten()
    }

    /// The truth of a Boolean term.
    pub fn truth(&self, at: Valuation<'_>) -> Truth {
        self.value(at).and_then(|value| value.as_bool()).into()
    }
}

/// Whether a term reads next values.
pub(crate) fn looks_ahead(terms: &Terms, term: TermId) -> bool {
    !terms.support(&[term]).1.is_empty()
}

/// Whether a term reads inputs.
pub(crate) fn reads_inputs(system: &TransitionSystem, term: TermId) -> bool {
    let (current, _) = system.terms.support(&[term]);
    (current.iter()).any(|&variable| system.variable(variable).kind == VarKind::Input)
}

/// What the choice of inputs must satisfy: the conditions of a step that do not look at the next state.
pub(crate) fn choosing(system: &TransitionSystem) -> Conditions<'_> {
    let conditions = system.transition.iter().copied();
    let here: Vec<TermId> = conditions
        .filter(|&term| !looks_ahead(&system.terms, term))
        .collect();
    Conditions::new(&system.terms, &here)
}

/// Several terms that are evaluated together.
pub(crate) struct Conditions<'a> {
    terms: &'a Terms,
    cone: Vec<TermId>,
    /// Where each term is in the cone.
    places: Vec<usize>,
}

impl<'a> Conditions<'a> {
    pub fn new(terms: &'a Terms, roots: &[TermId]) -> Conditions<'a> {
        let cone = terms.cone(roots);
        let place = |root: &TermId| cone.binary_search(root).expect("a cone contains its roots");
        Conditions {
            terms,
            places: roots.iter().map(place).collect(),
            cone,
        }
    }

    /// The truth of each term, in order.
    pub fn truths(&self, at: Valuation<'_>) -> Vec<Truth> {
        let values = evaluate_with(self.terms, &self.cone, at);
        let truth = |&place: &usize| values[place].as_ref().and_then(Value::as_bool).into();
        self.places.iter().map(truth).collect()
    }
}
