//! Craig interpolants from proofs: McMillan's and Pudlák's systems.
//!
//! Clauses belong to one of two sides. If together they are contradictory, an *interpolant* is a formula over the variables that occur on both
//! sides, which follows from side A and contradicts side B. It is read off the recorded proof: every clause used gets a partial interpolant,
//! input clauses by their side, resolvents by the variable resolved on.
//!
//! | | clause of A | clause of B | variable of A only | of B only | of both |
//! |---|---|---|---|---|---|
//! | McMillan | its literals of both | true | or | and | and |
//! | Pudlák | false | true | or | and | `(x ∨ I⁺) ∧ (¬x ∨ I⁻)` |
//!
//! A step of the proof derives its clause by propagation from its hints. Read backwards, that is a chain of resolutions: start with the
//! hint that became false; whenever the literal that an earlier hint made true occurs negated, resolve with that hint. Only the steps
//! that the empty clause depends on are looked at.

use crate::aig::{Aig, Signal};
use crate::traced::{Proof, ProofStep, TracedCadical};
use crate::{Answer, Lit, Query, SatSolver, Var};
use entail_budget::{Budget, Spent};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where a clause belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What implies the interpolant.
    A,
    /// What contradicts it.
    B,
}

/// How partial interpolants are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// McMillan's: the strongest of the classical ones.
    McMillan,
    /// Pudlák's (also Huang's, Krajíček's): symmetric.
    Pudlak,
}

/// A solver for two sets of clauses that can say why they contradict each other.
#[derive(Default)]
pub struct Interpolator {
    solver: TracedCadical,
    side: Option<Side>,
    /// For each number of an input clause, its side.
    sides: FxHashMap<i64, Side>,
    /// Steps of the proof whose side is known.
    seen: usize,
    occurs: [FxHashSet<i32>; 2],
}

impl Interpolator {
    /// A solver without clauses, adding to side A.
    pub fn new() -> Interpolator {
        Interpolator::default()
    }

    /// From now on, clauses belong to this side.
    pub fn set_side(&mut self, side: Side) {
        self.side = Some(side);
    }

    fn current(&self) -> Side {
        self.side.unwrap_or(Side::A)
    }

    fn occurs_on(&self, side: Side, literal: i32) -> bool {
        self.occurs[side as usize].contains(&literal.abs())
    }

    /// After [`Answer::Unsatisfiable`] without assumptions: an interpolant, built in a graph whose leaves `shared` gives for
    /// variables of both sides. None if the proof cannot be used.
    pub fn interpolant(
        &self,
        system: System,
        aig: &mut Aig,
        mut shared: impl FnMut(&mut Aig, Var) -> Signal,
    ) -> Option<Signal> {
        self.solver.with_proof(|proof| {
            let needed = Needed::by_the_empty_clause(proof)?;
            let mut partial: FxHashMap<i64, Signal> = FxHashMap::default();
            let mut leaf = |aig: &mut Aig, literal: i32| {
                let variable = Var::new(literal.unsigned_abs() as usize - 1);
                shared(aig, variable).flipped_if(literal < 0)
            };
            for &at in &needed.steps {
                match &proof.steps[at] {
                    ProofStep::Original { id, clause } => {
                        let start = match (*self.sides.get(id)?, system) {
                            (Side::B, _) => Signal::TRUE,
                            (Side::A, System::Pudlak) => Signal::FALSE,
                            (Side::A, System::McMillan) => {
                                let literals: Vec<Signal> = clause
                                    .iter()
                                    .filter(|&&literal| self.occurs_on(Side::B, literal))
                                    .map(|&literal| leaf(aig, literal))
                                    .collect();
                                aig.or_all(literals)
                            }
                        };
                        partial.insert(*id, start);
                    }
                    ProofStep::Derived { id, clause, hints } => {
                        let mut chain = resolutions(clause, hints, &needed.clauses)?.into_iter();
                        let mut result = *partial.get(&chain.next()?.0)?;
                        for (hint, pivot) in chain {
                            let other = *partial.get(&hint)?;
                            result = self.combine(system, aig, pivot, other, result, &mut leaf);
                        }
                        partial.insert(*id, result);
                    }
                    ProofStep::Deleted(_) => {}
                }
            }
            partial.get(&needed.empty_clause).copied()
        })
    }

    /// The partial interpolant of a resolvent; `pivot` is a literal of the first clause.
    fn combine(
        &self,
        system: System,
        aig: &mut Aig,
        pivot: i32,
        first: Signal,
        second: Signal,
        leaf: &mut impl FnMut(&mut Aig, i32) -> Signal,
    ) -> Signal {
        let (on_a, on_b) = (self.occurs_on(Side::A, pivot), self.occurs_on(Side::B, pivot));
        match (system, on_a, on_b) {
            (_, _, false) => aig.or(first, second),
            (System::Pudlak, true, true) => {
                let pivot = leaf(aig, pivot);
                let (with, without) = (aig.or(pivot, first), aig.or(!pivot, second));
                aig.and(with, without)
            }
            _ => aig.and(first, second),
        }
    }
}

impl SatSolver for Interpolator {
    fn new_var(&mut self) -> Var {
        self.solver.new_var()
    }

    fn variables(&self) -> usize {
        self.solver.variables()
    }

    fn add_clause(&mut self, literals: &[Lit]) {
        self.solver.add_clause(literals);
        let side = self.current();
        self.occurs[side as usize].extend(literals.iter().map(|literal| literal.to_dimacs().abs()));
        let (sides, seen) = (&mut self.sides, &mut self.seen);
        self.solver.with_proof(|proof| {
            for step in &proof.steps[*seen..] {
                if let ProofStep::Original { id, .. } = step {
                    sides.insert(*id, side);
                }
            }
            *seen = proof.steps.len();
        });
    }

    fn solve_query(&mut self, query: Query<'_>, budget: &Budget) -> Result<Answer, Spent> {
        self.solver.solve_query(query, budget)
    }

    fn value(&self, literal: Lit) -> Option<bool> {
        self.solver.value(literal)
    }

    fn failed(&self, assumption: Lit) -> bool {
        self.solver.failed(assumption)
    }

    fn set_phase(&mut self, literal: Lit) {
        self.solver.set_phase(literal);
    }
}

/// The steps that the empty clause depends on, in order.
struct Needed<'a> {
    steps: Vec<usize>,
    clauses: FxHashMap<i64, &'a [i32]>,
    empty_clause: i64,
}

impl<'a> Needed<'a> {
    fn by_the_empty_clause(proof: &'a Proof) -> Option<Needed<'a>> {
        if proof.is_broken {
            return None;
        }
        let mut wanted: FxHashSet<i64> = FxHashSet::default();
        let mut empty_clause = None;
        let mut steps = Vec::new();
        let mut clauses: FxHashMap<i64, &[i32]> = FxHashMap::default();
        for (at, step) in proof.steps.iter().enumerate().rev() {
            let (id, clause, hints): (i64, &[i32], &[i64]) = match step {
                ProofStep::Original { id, clause } => (*id, clause, &[]),
                ProofStep::Derived { id, clause, hints } => (*id, clause, hints),
                ProofStep::Deleted(_) => continue,
            };
            if empty_clause.is_none() && clause.is_empty() {
                empty_clause = Some(id);
                wanted.insert(id);
            }
            if wanted.contains(&id) {
                wanted.extend(hints);
                steps.push(at);
                clauses.insert(id, clause);
            }
        }
        steps.reverse();
        Some(Needed {
            steps,
            clauses,
            empty_clause: empty_clause?,
        })
    }
}

/// The chain of resolutions that derives a clause from its hints: the first clause, then each with the literal it is resolved on.
fn resolutions(clause: &[i32], hints: &[i64], clauses: &FxHashMap<i64, &[i32]>) -> Option<Vec<(i64, i32)>> {
    let mut falsified: FxHashSet<i32> = clause.iter().copied().collect();
    let mut propagated: Vec<(i64, i32)> = Vec::with_capacity(hints.len());
    let mut conflict = None;
    for &hint in hints {
        let literals = *clauses.get(&hint)?;
        match literals.iter().find(|&literal| !falsified.contains(literal)) {
            Some(&unit) => {
                falsified.insert(-unit);
                propagated.push((hint, unit));
            }
            None => {
                conflict = Some(hint);
                break;
            }
        }
    }
    let conflict = conflict?;
    let mut resolvent: FxHashSet<i32> = clauses.get(&conflict)?.iter().copied().collect();
    let mut chain = vec![(conflict, 0)];
    for (hint, unit) in propagated.into_iter().rev() {
        if resolvent.remove(&-unit) {
            let literals = clauses.get(&hint)?.iter().copied();
            resolvent.extend(literals.filter(|&literal| literal != unit));
            chain.push((hint, unit));
        }
    }
    Some(chain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value_of;
    use entail_proof::LratChecker;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    fn holds(assignment: u32, clause: &[Lit]) -> bool {
        clause
            .iter()
            .any(|literal| (assignment >> literal.var().index() & 1 == 1) == literal.is_positive())
    }

    /// Random contradictory formulas: the interpolant speaks of shared variables, follows from A, contradicts B; the proof is right.
    #[test]
    fn interpolants_keep_their_contract_and_proofs_are_accepted() {
        let mut random = StdRng::seed_from_u64(11);
        let mut contradictory = 0;
        for round in 0..1500 {
            let variables: usize = random.random_range(3..11);
            let mut solver = Interpolator::new();
            for _ in 0..variables {
                solver.new_var();
            }
            let mut sides: [Vec<Vec<Lit>>; 2] = Default::default();
            let third = variables / 3;
            for _ in 0..random.random_range(3 * variables..6 * variables) {
                let side = if random.random_bool(0.5) { Side::A } else { Side::B };
                // The first third of the variables prefers A, the last third B.
                let range = match side {
                    Side::A => 0..variables - third,
                    Side::B => third..variables,
                };
                let clause: Vec<Lit> = (0..random.random_range(1..4))
                    .map(|_| Var::new(random.random_range(range.clone())).lit(random.random_bool(0.5)))
                    .collect();
                if clause.len() == 1 && random.random_bool(0.7) {
                    continue;
                }
                solver.set_side(side);
                solver.add_clause(&clause);
                sides[side as usize].push(clause);
            }
            if solver.satisfiable(&[], &Budget::unlimited()) != Ok(false) {
                continue;
            }
            contradictory += 1;
            let mut checker = LratChecker::new();
            for clause in sides.iter().flatten() {
                let clause: Vec<i32> = clause.iter().map(|literal| literal.to_dimacs()).collect();
                checker.input(&clause);
            }
            solver.solver.with_proof(|proof| {
                for step in &proof.steps {
                    let checked = match step {
                        ProofStep::Original { id, clause } => checker.original(*id, clause),
                        ProofStep::Derived { id, clause, hints } => checker.derive(*id, clause, hints),
                        ProofStep::Deleted(_) => Ok(()),
                    };
                    assert_eq!(checked, Ok(()), "round {round}");
                }
            });
            assert!(checker.is_refuted(), "round {round}");
            for system in [System::McMillan, System::Pudlak] {
                let mut aig = Aig::new();
                let leaves: Vec<Signal> = (0..variables).map(|_| aig.leaf()).collect();
                let mut used = FxHashSet::default();
                let interpolant = solver
                    .interpolant(system, &mut aig, |_, variable| {
                        used.insert(variable.index());
                        leaves[variable.index()]
                    })
                    .expect("a usable proof");
                for variable in used {
                    let literal = variable as i32 + 1;
                    assert!(solver.occurs_on(Side::A, literal) && solver.occurs_on(Side::B, literal));
                }
                for assignment in 0..1u32 << variables {
                    let values = aig.evaluate(|node| assignment >> (node.index() - 1) & 1 == 1);
                    let truth = value_of(&values, interpolant);
                    let [a, b] = &sides;
                    let all = |clauses: &[Vec<Lit>]| clauses.iter().all(|clause| holds(assignment, clause));
                    assert!(
                        !all(a) || truth,
                        "{system:?} in round {round}: A does not imply it"
                    );
                    assert!(
                        !(truth && all(b)),
                        "{system:?} in round {round}: B does not contradict it"
                    );
                }
            }
        }
        assert!(contradictory > 300, "{contradictory}");
    }
}
