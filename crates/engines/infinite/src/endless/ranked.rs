//! Descending ranks, found from counterexamples (Podelski, Rybalchenko 2004; Cook, Podelski, Rybalchenko 2006; Daniel, Cimatti, Griggio, Tonetta, Mover 2016).
//!
//! The claim is that of any two ends of rounds with the same predicates, one of some ranks descends. As an invariant of a larger system it is
//! handed to the engines for invariants. A path that violates it has two such ends: the literals of its steps between them give a new
//! rank, or else predicates that tell the two ends apart. Where there is neither, a violation of the formula may be near, and nothing is said.

use super::FoundEndless;
use super::loop_path::{Positions, truth_in};
use super::product::{Product, on_product};
use super::rank::rank_of;
use crate::implicit::atoms;
use crate::{Found, Work, bounded, predicate_abstraction};
use entail_budget::Spent;
use entail_first_order::{
    EndlessProof, FirstOrderSystem, FirstOrderTrace, Op, Rational, SortId, TermId, Value,
};
use entail_logic::Formula;
use rustc_hash::{FxHashMap, FxHashSet};

/// So many steps are searched for violations before invariants are.
const FIRST_DEPTH: usize = 8;

/// So many refinements are tried.
const MOST_ROUNDS: usize = 80;

/// Shows by ranks that no fair endless path violates a formula.
pub fn descending_ranks<'a>(
    system: &FirstOrderSystem,
    path: &Formula<TermId>,
    hints: &[TermId],
    work: impl Into<Work<'a>>,
) -> FoundEndless {
    let work = work.into();
    on_product(system, path, |product| {
        let mut search = Search::new(product, hints, work);
        search.run().unwrap_or_else(|spent| {
            FoundEndless::Unknown(format!(
                "{spent}, with {} ranks and {} predicates",
                search.ranks.len(),
                search.predicates.len()
            ))
        })
    })
}

struct Search<'a, 'h> {
    product: Product,
    /// The condition of a step that ends a round.
    round: TermId,
    predicates: Vec<TermId>,
    ranks: Vec<TermId>,
    hints: &'h [TermId],
    work: Work<'a>,
}

impl<'a, 'h> Search<'a, 'h> {
    fn new(mut product: Product, hints: &'h [TermId], work: Work<'a>) -> Search<'a, 'h> {
        let round = product.rounds();
        let truths = product.system.variables.iter().map(|variable| variable.current);
        let predicates = truths
            .filter(|&variable| product.system.terms.sort_of(variable) == SortId::BOOL)
            .collect();
        Search {
            product,
            round,
            predicates,
            ranks: Vec::new(),
            hints,
            work,
        }
    }

    fn run(&mut self) -> Result<FoundEndless, Spent> {
        for _ in 0..MOST_ROUNDS {
            self.work.budget.check_now()?;
            let mut compared = self.product.clone();
            let comparison = compared.compare(self.round, &self.predicates, &self.ranks);
            let found = match bounded(&compared.system, comparison.goal, FIRST_DEPTH, self.work.clone()) {
                Found::Fails(trace) => Found::Fails(trace),
                _ => {
                    let hints = [self.hints, &self.ranks_in_sight(&mut compared.system)].concat();
                    predicate_abstraction(&compared.system, comparison.goal, &hints, self.work.clone())
                }
            };
            match found {
                Found::Holds { invariant, .. } => {
                    let print = |all: &[TermId]| {
                        let terms = &self.product.system.terms;
                        all.iter().map(|&term| terms.print(term)).collect()
                    };
                    return Ok(FoundEndless::Holds(EndlessProof::Ranked {
                        predicates: print(&self.predicates),
                        ranks: print(&self.ranks),
                        invariant,
                    }));
                }
                Found::Fails(trace) => {
                    let end = trace.states.len() - 1;
                    let is_kept = |at: &usize| {
                        comparison
                            .kept
                            .is_some_and(|place| trace.states[*at][place] == Value::Bool(true))
                    };
                    let Some(start) = (0..=end).find(is_kept).and_then(|at| at.checked_sub(1)) else {
                        return Ok(FoundEndless::Unknown("a path has no two ends of rounds".into()));
                    };
                    if !self.refine(&trace, start, end)? {
                        return Ok(FoundEndless::Unknown(
                            "a path goes round without a rank or a predicate that tells its ends apart"
                                .into(),
                        ));
                    }
                }
                Found::Bounded(_) => {}
                Found::Unknown(reason) => {
                    self.work.budget.check_now()?;
                    return Ok(FoundEndless::Unknown(reason));
                }
            }
        }
        Ok(FoundEndless::Unknown("there are too many ranks".into()))
    }

    /// Formulas that compare ranks with zero: what most invariants about them need.
    fn ranks_in_sight(&self, system: &mut FirstOrderSystem) -> Vec<TermId> {
        let terms = &mut system.terms;
        (self.ranks.iter())
            .map(|&rank| {
                let zero = terms.numeral(Rational::zero(), terms.sort_of(rank));
                terms.le(zero, rank)
            })
            .collect()
    }

    /// A new rank or new predicates from a path with two ends of rounds; whether there are any.
    fn refine(&mut self, trace: &FirstOrderTrace, start: usize, end: usize) -> Result<bool, Spent> {
        let system = &mut self.product.system;
        let mut positions = Positions::of(system, trace);
        let mut literals = Vec::new();
        for at in start..end {
            match positions.step(system, &[self.round], at) {
                Some(step) => literals.extend(step),
                None => return Ok(false),
            }
        }
        let variables: Vec<TermId> = system.variables.iter().map(|variable| variable.current).collect();
        let [first, last] = [start, end].map(|at| positions.copies.states[at].clone());
        let ends = (first.as_slice(), last.as_slice());
        if let Some(rank) = rank_of(&mut system.terms, &literals, &variables, ends, &self.work)?
            && !self.ranks.contains(&rank)
        {
            self.ranks.push(rank);
            return Ok(true);
        }
        // Formulas about one position that are true at one end alone.
        let mut candidates: Vec<TermId> = Vec::new();
        for at in start..=end {
            let mut back: FxHashMap<TermId, TermId> = (positions.copies.states[at]
                .iter()
                .copied()
                .zip(variables.iter().copied()))
            .collect();
            let known: FxHashSet<TermId> = variables.iter().copied().collect();
            for literal in atoms(&system.terms, &literals) {
                let image = system.terms.substitute(&[literal], &mut back)[0];
                let is_about_state = (system.terms.cone(&[image]).into_iter())
                    .all(|term| !matches!(system.terms.op(term), Op::Apply(_)) || known.contains(&term));
                if is_about_state {
                    candidates.push(image);
                }
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        let before = self.predicates.len();
        for candidate in candidates {
            let truth = |at: usize| truth_in(system, &trace.states[at], candidate);
            let (first, last) = (truth(start), truth(end));
            if first.is_some() && last.is_some() && first != last && !self.predicates.contains(&candidate) {
                self.predicates.push(candidate);
            }
        }
        if self.predicates.len() > before {
            return Ok(true);
        }
        // With the way to the first end, a rank may be found that speaks of this path alone.
        let mut whole = Vec::new();
        for at in 0..start {
            match positions.step(system, &[self.round], at) {
                Some(step) => whole.extend(step),
                None => return Ok(false),
            }
        }
        whole.extend(literals);
        match rank_of(&mut system.terms, &whole, &variables, ends, &self.work)? {
            Some(rank) if !self.ranks.contains(&rank) => {
                self.ranks.push(rank);
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}
