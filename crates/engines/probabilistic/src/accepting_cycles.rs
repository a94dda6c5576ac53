//! Whether some path satisfies a formula of linear time, however improbable: `E [ G F a ]`, and its opposite `A [ F G !a ]`.
//!
//! Only the graph counts, so that cycles of the product with a deterministic automaton take the place of its end components: for every disjunct of
//! the acceptance condition the strongly connected components without forbidden marks that have all wanted ones. The cost is that of the product,
//! once for every disjunct.

use crate::check::{Trouble, Workshop};
use crate::components::strongly_connected;
use crate::graph::{Predecessors, reach_some};
use crate::linear::{Product, deterministic, observer};
use entail_automata::{Automaton, Marks};
use entail_budget::Budget;
use entail_markov::Path;
use fixedbitset::FixedBitSet;

impl Workshop<'_> {
    /// The states from which some path satisfies a path formula; the automaton is left in the certificate.
    pub(crate) fn exists_linear(&mut self, path: &Path, budget: &Budget) -> Result<FixedBitSet, Trouble> {
        let (formula, sets) = self.formula(path, budget)?;
        let automaton = deterministic(&formula, budget)?;
        let product = self.product(&automaton, &sets, budget)?;
        let accepting = on_accepting_cycles(&product, &automaton, budget)?;
        let mut everywhere = FixedBitSet::with_capacity(product.model.states());
        everywhere.insert_range(..);
        let leading = reach_some(&Predecessors::new(&product.model), &everywhere, &accepting);
        self.observers.push(observer(&automaton, sets.len()));
        let mut found = FixedBitSet::with_capacity(self.size());
        found.extend((0..self.size()).filter(|&state| leading.contains(product.start[state] as usize)));
        Ok(found)
    }
}

/// The states of a product that lie on cycles which accept.
fn on_accepting_cycles(
    product: &Product,
    automaton: &Automaton,
    budget: &Budget,
) -> Result<FixedBitSet, Trouble> {
    let model = &product.model;
    let mut found = FixedBitSet::with_capacity(model.states());
    for (never, again) in automaton.acceptance().disjuncts() {
        // States where the automaton has stopped accept nothing.
        let allowed = |state: u32| {
            let (of_automaton, marks) = product.automaton[state as usize];
            of_automaton.index() < automaton.state_count() && marks.common(never).is_empty()
        };
        let successors = |state: u32| {
            let choices = model.choices_of(state as usize);
            let targets = model.rows[choices.start] as usize..model.rows[choices.end] as usize;
            let inside = |&target: &u32| allowed(target);
            model.targets[targets].iter().copied().filter(inside)
        };
        let roots = (0..model.states() as u32).filter(|&state| allowed(state));
        for component in strongly_connected(roots, model.states(), successors, budget)? {
            let cyclic = component.len() > 1 || successors(component[0]).any(|next| next == component[0]);
            let seen = (component.iter()).fold(Marks::NONE, |seen, &state| {
                seen.with(product.automaton[state as usize].1)
            });
            if cyclic && again.subset(seen) {
                found.extend(component.iter().map(|&state| state as usize));
            }
        }
    }
    Ok(found)
}
