//! Sets of reachable states as a region algebra, for the mu-calculus evaluator (chapter 8, §8.3; chapter 26).
//!
//! Modalities range over all steps of the model: fairness plays no part, and `[]` is true at dead ends.

use crate::machine::Point;
use crate::model::{EncodedSystem, is_about_steps};
use crate::reachability::Watch;
use crate::stop::{Attempt, NotComputed};
use entail_dd::Bdd;
use entail_fixpoint::RegionAlgebra;
use entail_model::TermId;

pub(crate) struct Regions<'m, 'a, 'w> {
    pub model: &'m mut EncodedSystem<'a>,
    pub watch: Watch<'w>,
    pub modalities: usize,
}

impl RegionAlgebra for Regions<'_, '_, '_> {
    type Region = Bdd;
    type Atom = TermId;
    type State = Point;
    type Error = NotComputed;

    fn full(&mut self) -> Attempt<Bdd> {
        self.model.reachable(self.watch)
    }

    fn empty(&mut self) -> Attempt<Bdd> {
        Ok(self.model.manager().zero())
    }

    fn atom(&mut self, atom: &TermId) -> Attempt<Bdd> {
        if is_about_steps(self.model.system, *atom) {
            return Err(NotComputed::Unsupported(
                "an atom about inputs or next values has no truth in a state".into(),
            ));
        }
        let all = self.full()?;
        Ok(self.model.condition(*atom)?.and(&all)?)
    }

    fn and(&mut self, a: &Bdd, b: &Bdd) -> Attempt<Bdd> {
        Ok(a.and(b)?)
    }

    fn or(&mut self, a: &Bdd, b: &Bdd) -> Attempt<Bdd> {
        Ok(a.or(b)?)
    }

    fn difference(&mut self, a: &Bdd, b: &Bdd) -> Attempt<Bdd> {
        Ok(a.minus(b)?)
    }

    fn pre(&mut self, region: &Bdd) -> Attempt<Bdd> {
        self.modalities += 1;
        self.watch.report("fixpoints", self.modalities, region)?;
        let all = self.full()?;
        Ok(self
            .model
            .machine
            .preimage(&self.model.encoding, region)?
            .and(&all)?)
    }

    fn is_empty(&mut self, region: &Bdd) -> Attempt<bool> {
        Ok(region.is_false())
    }

    fn member(&mut self, state: &Point, region: &Bdd) -> Attempt<bool> {
        Ok(self.model.machine.contains(region, state))
    }

    fn included(&mut self, a: &Bdd, b: &Bdd) -> Attempt<bool> {
        Ok(a.is_subset_of(b)?)
    }

    fn equal(&mut self, a: &Bdd, b: &Bdd) -> Attempt<bool> {
        Ok(a == b)
    }
}
