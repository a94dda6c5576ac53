//! Formulas nested far deeper than the stack of a test thread would allow.

use entail_logic::mu::Fairness;
use entail_logic::{Formula, Fragment, Paths};
use std::collections::HashSet;

const DEPTH: usize = 20_000;

fn deep_formula(step: impl Fn(&Formula<u32>) -> Formula<u32>) -> Formula<u32> {
    (0..DEPTH).fold(Formula::atom(0), |formula, _| step(&formula))
}

#[test]
fn every_pass_survives_deep_nesting() {
    let linear = deep_formula(|inner| Formula::or([Formula::atom(1), inner.next()]).not());
    let branching = deep_formula(|inner| Formula::and([Formula::atom(1), inner.next().forall()]));
    for formula in [&linear, &branching] {
        assert!(formula.size() > DEPTH);
        assert!(!formula.is_propositional());
        assert!(formula.is_in(Fragment::PureFuture));
        assert!(formula.positive_normal_form().is_positive_normal_form());
        assert_eq!(formula.expand_bounds(3).as_ref(), Ok(formula));
        assert!(formula.simplify(Paths::Infinite).size() > 1);
        assert!(formula.to_string().len() > DEPTH);
        assert!(HashSet::from([formula.map_atoms(&mut |atom| atom + 1)]).len() == 1);
        assert!(!formula.maximal_state_subformulas().is_empty());
    }
    assert!(branching.to_mu(Fairness::Total).is_ok());
}
