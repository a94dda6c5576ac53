//! The mu-calculus with three truth values on a Kripke modal transition system (chapter 13, definitions 12 and 13).
//!
//! A three-valued set says of some states that they are in it, of some that they are not, and nothing of the rest. Such sets form a
//! region algebra: negation exchanges the two parts, conjunction and disjunction are Kleene's, and `<>` is known to be true where a step
//! that *must* be there leads to where its operand is true, known to be false where every step that *may* be there leads to where it is
//! false (`[]` is its dual). So the ordinary evaluator gives the answer. Its two parts are the two two-valued readings of definition 12: the
//! one that doubts everything, for the formula and for its dual.

use entail_budget::{Budget, Spent};
use entail_fixpoint::{EvaluateError, RegionAlgebra, evaluate};
use entail_logic::mu::Mu;
use entail_model::{Kmts, StateId};
use fixedbitset::FixedBitSet;

/// Where something is true and where it is false; elsewhere it is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// True.
    pub holds: FixedBitSet,
    /// False.
    pub fails: FixedBitSet,
}

impl Known {
    /// The truth in a state, if it is known.
    pub fn at(&self, state: StateId) -> Option<bool> {
        match () {
            () if self.holds.contains(state.index()) => Some(true),
            () if self.fails.contains(state.index()) => Some(false),
            () => None,
        }
    }
}

/// Which steps may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Modalities {
    /// Both kinds.
    #[default]
    Both,
    /// Only those that must be there: nothing is ever known of all successors.
    MustOnly,
}

/// Evaluates a formula whose atoms are positions of propositions.
pub fn three_valued(
    kmts: &Kmts,
    formula: &Mu<usize>,
    modalities: Modalities,
    budget: &Budget,
) -> Result<Known, EvaluateError<Spent>> {
    let mut sets = ThreeValuedSets::new(kmts, modalities, budget);
    Ok(evaluate(&mut sets, &formula.map_atoms(&mut |&at| Atom::Proposition(at)))?.region)
}

/// What is known at the leaves.
#[derive(Clone, Debug)]
pub(crate) enum Atom {
    Proposition(usize),
    /// A formula that has been evaluated.
    Value(Known),
}

/// The three-valued sets of states of one system.
pub(crate) struct ThreeValuedSets<'k> {
    kmts: &'k Kmts,
    modalities: Modalities,
    budget: &'k Budget,
}

impl<'k> ThreeValuedSets<'k> {
    pub fn new(kmts: &'k Kmts, modalities: Modalities, budget: &'k Budget) -> ThreeValuedSets<'k> {
        ThreeValuedSets {
            kmts,
            modalities,
            budget,
        }
    }

    fn filter(&self, keep: impl Fn(StateId) -> bool) -> FixedBitSet {
        let mut region = FixedBitSet::with_capacity(self.kmts.state_count());
        region.extend(
            self.kmts
                .states()
                .filter(|&state| keep(state))
                .map(StateId::index),
        );
        region
    }
}

impl RegionAlgebra for ThreeValuedSets<'_> {
    type Region = Known;
    type Atom = Atom;
    type State = StateId;
    type Error = Spent;

    fn full(&mut self) -> Result<Known, Spent> {
        Ok(Known {
            holds: self.filter(|_| true),
            fails: self.filter(|_| false),
        })
    }

    fn empty(&mut self) -> Result<Known, Spent> {
        let full = self.full()?;
        self.complement(&full)
    }

    fn atom(&mut self, atom: &Atom) -> Result<Known, Spent> {
        Ok(match atom {
            Atom::Value(known) => known.clone(),
            Atom::Proposition(at) => {
                let proposition = &self.kmts.propositions()[*at];
                Known {
                    holds: proposition.holds.clone(),
                    fails: proposition.fails.clone(),
                }
            }
        })
    }

    fn and(&mut self, a: &Known, b: &Known) -> Result<Known, Spent> {
        Ok(Known {
            holds: &a.holds & &b.holds,
            fails: &a.fails | &b.fails,
        })
    }

    fn or(&mut self, a: &Known, b: &Known) -> Result<Known, Spent> {
        Ok(Known {
            holds: &a.holds | &b.holds,
            fails: &a.fails & &b.fails,
        })
    }

    fn complement(&mut self, region: &Known) -> Result<Known, Spent> {
        Ok(Known {
            holds: region.fails.clone(),
            fails: region.holds.clone(),
        })
    }

    fn difference(&mut self, a: &Known, b: &Known) -> Result<Known, Spent> {
        let outside = self.complement(b)?;
        self.and(a, &outside)
    }

    fn pre(&mut self, region: &Known) -> Result<Known, Spent> {
        self.budget.check_now()?;
        let holds = |to: &StateId| region.holds.contains(to.index());
        let fails = |to: &StateId| region.fails.contains(to.index());
        Ok(Known {
            holds: self.filter(|state| self.kmts.must(state).any(|targets| targets.iter().all(holds))),
            fails: match self.modalities {
                Modalities::Both => self.filter(|state| self.kmts.may(state).iter().all(fails)),
                Modalities::MustOnly => self.filter(|_| false),
            },
        })
    }

    fn is_empty(&mut self, region: &Known) -> Result<bool, Spent> {
        Ok(region.fails.is_full())
    }

    fn member(&mut self, state: &StateId, region: &Known) -> Result<bool, Spent> {
        Ok(region.at(*state) == Some(true))
    }

    /// At least as true everywhere.
    fn included(&mut self, a: &Known, b: &Known) -> Result<bool, Spent> {
        Ok(a.holds.is_subset(&b.holds) && b.fails.is_subset(&a.fails))
    }

    fn equal(&mut self, a: &Known, b: &Known) -> Result<bool, Spent> {
        Ok(a == b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_logic::mu::parse_mu;
    use entail_model::KmtsBuilder;

    /// Chapter 13, example 8: M3.
    fn m3() -> Kmts {
        let id = StateId::new;
        let mut builder = KmtsBuilder::new(4);
        for (from, to) in [(0, 1), (1, 2), (2, 3), (3, 1)] {
            builder.may(id(from), id(to)).must(id(from), [id(to)]);
        }
        builder.may(id(2), id(0)).initial(id(0));
        builder.proposition("F0", [id(0), id(1)], [id(3)]);
        builder.proposition("rest", [id(0)], [id(1), id(2), id(3)]);
        builder.build().expect("consistent")
    }

    #[test]
    fn what_must_be_there_proves_and_what_may_be_there_does_not() {
        let value = |formula: &str| {
            let formula = parse_mu(formula).expect(formula);
            let formula = formula.map_atoms(&mut |name: &String| usize::from(name == "rest"));
            let known = three_valued(&m3(), &formula, Modalities::Both, &Budget::unlimited());
            known.expect("no limit").at(StateId::new(0))
        };
        // EG AF F0, and AG EF rest.
        assert_eq!(value("nu X. (mu Y. F0 | []Y) & <>X"), Some(true));
        assert_eq!(value("nu X. (mu Y. rest | <>Y) & []X"), None);
        assert_eq!(value("mu X. !F0 | <>X"), Some(true));
        assert_eq!(value("nu X. F0 & []X"), Some(false));
    }
}
