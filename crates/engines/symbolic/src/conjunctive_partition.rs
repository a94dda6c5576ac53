//! Conjunctive partitions with early quantification.
//!
//! A relation is a list of conjuncts, never multiplied out. The relational product of a set with the list conjoins them one
//! after the other and quantifies a variable as soon as no later conjunct mentions it (chapter 8, §8.3.3.2). The order of
//! the conjuncts decides; it is chosen greedily by the weights of Ranjan, Aziz, Brayton, Plessier and Pixley (IWLS 1995):
//! prefer a conjunct that lets many of its variables be quantified at once, that has many variables to be quantified, and that
//! introduces few new ones. Neighbours in that order are multiplied together up to a size (clusters), then ordered again.

use crate::stop::Attempt;
use entail_dd::{Bdd, Manager, Var};
use fixedbitset::FixedBitSet;

/// A schedule for one direction: what to quantify at once, then each conjunct with what to quantify after it.
pub(crate) struct Schedule {
    first: Bdd,
    steps: Vec<(Bdd, Bdd)>,
}

impl Schedule {
    /// Orders the conjuncts for quantifying `quantified`.
    pub fn new(manager: &Manager, conjuncts: &[Bdd], quantified: &[Var]) -> Attempt<Schedule> {
        let variables = manager.variables();
        let mut rest = set(variables, quantified);
        let supports: Vec<FixedBitSet> = conjuncts.iter().map(|c| set(variables, &c.support())).collect();
        let order = early_quantification_order(&supports, &rest);
        // From the last conjunct back: a variable goes with the last one that mentions it.
        let mut steps: Vec<(Bdd, Bdd)> = Vec::with_capacity(order.len());
        for &at in order.iter().rev() {
            let mut here = supports[at].clone();
            here.intersect_with(&rest);
            rest.difference_with(&here);
            steps.push((conjuncts[at].clone(), cube(manager, &here)?));
        }
        steps.reverse();
        Ok(Schedule {
            first: cube(manager, &rest)?,
            steps,
        })
    }

    /// ∃ quantified. set ∧ ⋀ conjuncts.
    pub fn product(&self, set: &Bdd) -> Attempt<Bdd> {
        let mut product = set.exists(&self.first)?;
        for (conjunct, quantified) in &self.steps {
            if product.is_false() {
                break;
            }
            product = product.and_exists(conjunct, quantified)?;
        }
        Ok(product)
    }

    pub fn nodes(&self) -> usize {
        entail_dd::shared_node_count(self.steps.iter().map(|(conjunct, _)| conjunct))
    }
}

/// Multiplies conjuncts together, in an order that quantifies early, as long as the products stay small.
pub(crate) fn cluster(
    manager: &Manager,
    conjuncts: Vec<Bdd>,
    quantified: &[Var],
    size: usize,
) -> Attempt<Vec<Bdd>> {
    let variables = manager.variables();
    let conjuncts: Vec<Bdd> = conjuncts
        .into_iter()
        .filter(|conjunct| !conjunct.is_true())
        .collect();
    let supports: Vec<FixedBitSet> = conjuncts.iter().map(|c| set(variables, &c.support())).collect();
    let order = early_quantification_order(&supports, &set(variables, quantified));
    let mut clusters: Vec<Bdd> = Vec::new();
    let mut building: Option<Bdd> = None;
    for at in order {
        let conjunct = &conjuncts[at];
        building = Some(match building.take() {
            None => conjunct.clone(),
            Some(product) if product.node_count() + conjunct.node_count() <= size => {
                let joined = product.and(conjunct)?;
                if joined.node_count() <= size {
                    joined
                } else {
                    clusters.push(product);
                    conjunct.clone()
                }
            }
            Some(product) => {
                clusters.push(product);
                conjunct.clone()
            }
        });
    }
    clusters.extend(building);
    Ok(clusters)
}

fn set(variables: usize, members: &[Var]) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(variables);
    members.iter().for_each(|var| set.insert(var.index()));
    set
}

fn cube(manager: &Manager, members: &FixedBitSet) -> Attempt<Bdd> {
    Ok(manager.var_set(members.ones().map(Var::new))?)
}

/// The greedy order by benefit. Quadratic in the number of conjuncts.
fn early_quantification_order(supports: &[FixedBitSet], quantified: &FixedBitSet) -> Vec<usize> {
    let variables = quantified.len();
    // How many of the remaining conjuncts mention a variable.
    let mut mentions = vec![0u32; variables];
    for support in supports {
        support.ones().for_each(|variable| mentions[variable] += 1);
    }
    let mut remaining: Vec<usize> = (0..supports.len()).collect();
    let mut seen = FixedBitSet::with_capacity(variables);
    let mut order = Vec::with_capacity(supports.len());
    while !remaining.is_empty() {
        let open = (0..variables)
            .filter(|&v| mentions[v] > 0 && quantified.contains(v))
            .count()
            .max(1);
        let new_ones = (0..variables)
            .filter(|&v| mentions[v] > 0 && !quantified.contains(v) && !seen.contains(v))
            .count()
            .max(1);
        let benefit = |at: usize| {
            let (mut gone, mut local, mut introduced) = (0usize, 0usize, 0usize);
            for variable in supports[at].ones() {
                if quantified.contains(variable) {
                    local += 1;
                    gone += usize::from(mentions[variable] == 1);
                } else if !seen.contains(variable) {
                    introduced += 1;
                }
            }
            2.0 * gone as f64 / local.max(1) as f64 + local as f64 / open as f64
                - introduced as f64 / new_ones as f64
        };
        let best = (0..remaining.len())
            .max_by(|&a, &b| {
                benefit(remaining[a])
                    .total_cmp(&benefit(remaining[b]))
                    .then(remaining[b].cmp(&remaining[a]))
            })
            .expect("some conjunct remains");
        let chosen = remaining.remove(best);
        for variable in supports[chosen].ones() {
            mentions[variable] -= 1;
            seen.insert(variable);
        }
        order.push(chosen);
    }
    order
}
