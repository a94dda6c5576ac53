//! Craig interpolants from proofs: McMillan's and Pudlák's systems.
//!
//! Clauses belong to numbered parts, and a cut makes two sides of them: A the parts up to it, B those after it. If all clauses together are
//! contradictory, an *interpolant* is a formula over the variables that occur on both sides, which follows from side A and contradicts side B. It is
//! read off the recorded proof: every clause used gets a partial interpolant, input clauses by their side, resolvents by the variable
//! resolved on. The interpolants of one proof at all its cuts are a *sequence*: each, with the part behind its cut, implies the next.
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

/// How partial interpolants are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// McMillan's: the strongest of the classical ones.
    McMillan,
    /// Pudlák's (also Huang's, Krajíček's): symmetric.
    Pudlak,
}

/// A solver for clauses in several parts that can say why they contradict each other.
#[derive(Default)]
pub struct Interpolator {
    solver: TracedCadical,
    part: usize,
    /// For each number of an input clause, its part.
    parts: FxHashMap<i64, usize>,
    /// Steps of the proof whose part is known.
    seen: usize,
    /// For each variable the first and the last part it occurs in.
    occurs: FxHashMap<i32, (usize, usize)>,
}

/// Where the parts are divided: this one is the last of side A.
#[derive(Clone, Copy)]
struct Cut(usize);

impl Interpolator {
    /// A solver without clauses, adding to part 0.
    pub fn new() -> Interpolator {
        Interpolator::default()
    }

    /// From now on, clauses belong to this part.
    pub fn set_part(&mut self, part: usize) {
        self.part = part;
    }

    fn is_on_a(&self, cut: Cut, literal: i32) -> bool {
        let occurs = self.occurs.get(&literal.abs());
        occurs.is_some_and(|&(first, _)| first <= cut.0)
    }

    fn is_on_b(&self, cut: Cut, literal: i32) -> bool {
        let occurs = self.occurs.get(&literal.abs());
        occurs.is_some_and(|&(_, last)| last > cut.0)
    }

    /// After [`Answer::Unsatisfiable`] without assumptions: an interpolant between the parts up to `last_of_a` and those after it, built in a
    /// graph whose leaves `shared` gives for variables of both sides. None if the proof cannot be used.
    pub fn interpolant(
        &self,
        last_of_a: usize,
        system: System,
        aig: &mut Aig,
        mut shared: impl FnMut(&mut Aig, Var) -> Signal,
    ) -> Option<Signal> {
        let cut = Cut(last_of_a);
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
                        let start = match (*self.parts.get(id)? <= cut.0, system) {
                            (false, _) => Signal::TRUE,
                            (true, System::Pudlak) => Signal::FALSE,
                            (true, System::McMillan) => {
                                let literals: Vec<Signal> = clause
                                    .iter()
                                    .filter(|&&literal| self.is_on_b(cut, literal))
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
                            result = self.combine((system, cut), aig, pivot, other, result, &mut leaf);
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
        (system, cut): (System, Cut),
        aig: &mut Aig,
        pivot: i32,
        first: Signal,
        second: Signal,
        leaf: &mut impl FnMut(&mut Aig, i32) -> Signal,
    ) -> Signal {
        let (on_a, on_b) = (self.is_on_a(cut, pivot), self.is_on_b(cut, pivot));
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
        let part = self.part;
        for literal in literals {
            let occurs = self
                .occurs
                .entry(literal.to_dimacs().abs())
                .or_insert((part, part));
            *occurs = (occurs.0.min(part), occurs.1.max(part));
        }
        let (parts, seen) = (&mut self.parts, &mut self.seen);
        self.solver.with_proof(|proof| {
            for step in &proof.steps[*seen..] {
                if let ProofStep::Original { id, .. } = step {
                    parts.insert(*id, part);
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
    // A hint that does not propagate when its turn comes is put off, as the checker of proofs does.
    let mut waiting: Vec<i64> = hints.to_vec();
    'rounds: while conflict.is_none() && !waiting.is_empty() {
        let mut put_off = Vec::new();
        for &hint in &waiting {
            let literals = *clauses.get(&hint)?;
            let mut open = literals.iter().filter(|&literal| !falsified.contains(literal));
            match (open.next(), open.next()) {
                (None, _) => {
                    conflict = Some(hint);
                    break 'rounds;
                }
                (Some(unit), None) => {
                    if falsified.insert(-unit) {
                        propagated.push((hint, *unit));
                    }
                }
                (Some(_), Some(_)) => put_off.push(hint),
            }
        }
        if put_off.len() == waiting.len() {
            return None;
        }
        waiting = put_off;
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

    const PARTS: usize = 3;

    /// Random contradictory formulas: interpolants speak of shared variables, follow from A, contradict B, and are a sequence; the proof is
    /// right.
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
            let mut parts: [Vec<Vec<Lit>>; PARTS] = Default::default();
            let third = variables / 3;
            for _ in 0..random.random_range(3 * variables..6 * variables) {
                let part = random.random_range(0..PARTS);
                // The first third of the variables prefers the first part, the last third the last one.
                let range = match part {
                    0 => 0..variables - third,
                    1 => 0..variables,
                    _ => third..variables,
                };
                let clause: Vec<Lit> = (0..random.random_range(1..4))
                    .map(|_| Var::new(random.random_range(range.clone())).lit(random.random_bool(0.5)))
                    .collect();
                if clause.len() == 1 && random.random_bool(0.7) {
                    continue;
                }
                solver.set_part(part);
                solver.add_clause(&clause);
                parts[part].push(clause);
            }
            if solver.satisfiable(&[], &Budget::unlimited()) != Ok(false) {
                continue;
            }
            contradictory += 1;
            check_proof(&solver, &parts, round);
            for system in [System::McMillan, System::Pudlak] {
                check_interpolants(&solver, &parts, variables, system, round);
            }
        }
        assert!(contradictory > 300, "{contradictory}");
    }

    fn check_proof(solver: &Interpolator, parts: &[Vec<Vec<Lit>>; PARTS], round: usize) {
        let mut checker = LratChecker::new();
        for clause in parts.iter().flatten() {
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
    }

    fn check_interpolants(
        solver: &Interpolator,
        parts: &[Vec<Vec<Lit>>; PARTS],
        variables: usize,
        system: System,
        round: usize,
    ) {
        let mut aig = Aig::new();
        let leaves: Vec<Signal> = (0..variables).map(|_| aig.leaf()).collect();
        let interpolants: Vec<Signal> = (0..PARTS - 1)
            .map(|cut| {
                let mut used = FxHashSet::default();
                let interpolant = solver.interpolant(cut, system, &mut aig, |_, variable| {
                    used.insert(variable.index());
                    leaves[variable.index()]
                });
                for variable in used {
                    let literal = variable as i32 + 1;
                    assert!(solver.is_on_a(Cut(cut), literal) && solver.is_on_b(Cut(cut), literal));
                }
                interpolant.expect("a usable proof")
            })
            .collect();
        for assignment in 0..1u32 << variables {
            let values = aig.evaluate(|node| assignment >> (node.index() - 1) & 1 == 1);
            let truth = |cut: usize| value_of(&values, interpolants[cut]);
            let all = |parts: &[Vec<Vec<Lit>>]| {
                let mut clauses = parts.iter().flatten();
                clauses.all(|clause| holds(assignment, clause))
            };
            let context = || format!("{system:?} in round {round}");
            for cut in 0..PARTS - 1 {
                assert!(
                    !all(&parts[..=cut]) || truth(cut),
                    "{}: A does not imply it",
                    context()
                );
                assert!(
                    !(truth(cut) && all(&parts[cut + 1..])),
                    "{}: B does not contradict it",
                    context()
                );
            }
            assert!(
                !(truth(0) && all(&parts[1..2])) || truth(1),
                "{}: no sequence",
                context()
            );
        }
    }
}
