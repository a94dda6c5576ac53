//! An independent checker of clausal proofs in the manner of LRAT (Cruz-Filipe, Heule, Hunt, Kaufmann, Schneider-Kamp).
//!
//! A proof derives clauses from the input clauses. Each derived clause comes with *hints*, the numbers of earlier clauses: assuming the derived clause
//! false, the hints one after the other become unit (and their last literal true) until one of them is false. So
//! every step is checked by propagation, mostly in the order given and then in time linear in the hints' lengths; nothing is searched for. The proof of a refutation ends
//! with the empty clause, or, under assumptions, with a clause of negated assumptions.
//!
//! Only propagation steps are accepted (no resolution asymmetric tautologies): such steps preserve the models of the input, so the checker also
//! justifies single clauses of a proof, not only the end of it. Solvers are run without techniques that need more.

use rustc_hash::{FxHashMap, FxHashSet};

/// Why a step of a proof was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// A clause that the proof calls an input is none.
    #[error("clause {0} of the proof is not an input clause")]
    NotAnInput(i64),
    /// A number is used twice.
    #[error("clause number {0} is used twice")]
    Reused(i64),
    /// A hint is not the number of a clause.
    #[error("step {step} uses clause {hint}, which is not there")]
    NoSuchClause {
        /// The step.
        step: i64,
        /// The hint.
        hint: i64,
    },
    /// The hints end without a conflict.
    #[error("the hints of step {0} end without a conflict")]
    NoConflict(i64),
    /// The step is not a propagation step.
    #[error("step {0} is not a propagation step")]
    NotPropagation(i64),
    /// The proof does not end with what it should.
    #[error("the proof does not derive what was claimed")]
    Unfinished,
}

/// A clause under the values of a step.
enum State {
    Satisfied,
    False,
    Unit(i32),
    Open,
}

/// Lists of literals one after the other in one piece of memory.
#[derive(Clone, Debug, Default)]
struct Lists {
    literals: Vec<i32>,
    /// Literals of lists that are no longer needed.
    unused: usize,
}

/// Where a list is.
type List = (usize, u32);

impl Lists {
    fn add(&mut self, list: &[i32]) -> List {
        let begin = self.literals.len();
        self.literals.extend_from_slice(list);
        (begin, list.len() as u32)
    }

    fn get(&self, (begin, length): List) -> &[i32] {
        &self.literals[begin..begin + length as usize]
    }
}

/// A checker fed with a proof, step by step. Clauses are lists of DIMACS literals.
#[derive(Clone, Debug, Default)]
pub struct LratChecker {
    /// Input clauses as they were given, and how many of them the proof has used in their order.
    given: Lists,
    given_lists: Vec<List>,
    used: usize,
    /// The first of the input clauses, sorted and without repetitions: so many as are among `searched`. A proof that uses them in their order never needs it.
    inputs: FxHashSet<Box<[i32]>>,
    searched: usize,
    lists: Lists,
    clauses: FxHashMap<i64, List>,
    /// For each variable, the number of the step in which it was last assigned, and its value then.
    values: Vec<(u64, bool)>,
    steps: u64,
    refuted: bool,
}

fn normal_form(clause: &[i32]) -> Box<[i32]> {
    let mut sorted = clause.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.into()
}

impl LratChecker {
    /// A checker that knows no clause.
    pub fn new() -> LratChecker {
        LratChecker::default()
    }

    /// An input clause: what the proof may start from. Said by whoever asks the question, not by the proof.
    pub fn input(&mut self, clause: &[i32]) {
        let list = self.given.add(clause);
        self.given_lists.push(list);
    }

    /// Whether a clause is an input: mostly the next one.
    fn is_input(&mut self, clause: &[i32]) -> bool {
        if let Some(&next) = self.given_lists.get(self.used)
            && self.given.get(next) == clause
        {
            self.used += 1;
            return true;
        }
        for &list in &self.given_lists[self.searched..] {
            self.inputs.insert(normal_form(self.given.get(list)));
        }
        self.searched = self.given_lists.len();
        self.inputs.contains(&normal_form(clause))
    }

    /// The proof uses an input clause under a number.
    pub fn original(&mut self, id: i64, clause: &[i32]) -> Result<(), Rejected> {
        if !self.is_input(clause) {
            return Err(Rejected::NotAnInput(id));
        }
        self.store(id, clause)
    }

    /// The proof takes up a clause again that it had put aside: one of its clauses, under its number.
    pub fn restore(&mut self, id: i64, clause: &[i32]) -> Result<(), Rejected> {
        match self.clauses.get(&id) {
            Some(&old) if normal_form(self.lists.get(old)) == normal_form(clause) => Ok(()),
            _ => self.original(id, clause),
        }
    }

    fn store(&mut self, id: i64, clause: &[i32]) -> Result<(), Rejected> {
        if self.clauses.contains_key(&id) {
            return Err(Rejected::Reused(id));
        }
        self.refuted |= clause.is_empty();
        let list = self.lists.add(clause);
        self.clauses.insert(id, list);
        Ok(())
    }

    /// The proof derives a clause.
    pub fn derive(&mut self, id: i64, clause: &[i32], hints: &[i64]) -> Result<(), Rejected> {
        self.propagates(id, clause, hints)?;
        self.store(id, clause)
    }

    /// Whether the hints show that the clause follows.
    fn propagates(&mut self, id: i64, clause: &[i32], hints: &[i64]) -> Result<(), Rejected> {
        self.steps += 1;
        for &literal in clause {
            match self.value(literal) {
                // A clause with a literal and its complement is always true.
                Some(true) => return Ok(()),
                _ => self.assign(-literal),
            }
        }
        // A hint that is not unit when its turn comes is put off: solvers do give hints in another order at times. Whatever order
        // propagates is a proof.
        let mut put_off = Vec::new();
        if self.follow(id, hints, &mut put_off)? {
            return Ok(());
        }
        loop {
            let waiting = std::mem::take(&mut put_off);
            if self.follow(id, &waiting, &mut put_off)? {
                return Ok(());
            }
            if put_off.len() == waiting.len() {
                return Err(Rejected::NoConflict(id));
            }
        }
    }

    /// Follows hints up to a conflict, if there is one; those that are not unit yet are put off.
    fn follow(&mut self, id: i64, hints: &[i64], put_off: &mut Vec<i64>) -> Result<bool, Rejected> {
        for &hint in hints {
            let Some(&found) = self.clauses.get(&hint) else {
                return Err(Rejected::NoSuchClause { step: id, hint });
            };
            match self.state_of(self.lists.get(found)) {
                State::Satisfied => {}
                State::Unit(literal) => self.assign(literal),
                State::Open => put_off.push(hint),
                State::False => return Ok(true),
            }
        }
        Ok(false)
    }

    fn state_of(&self, clause: &[i32]) -> State {
        let mut unit = None;
        let mut is_open = false;
        for &literal in clause {
            match self.value(literal) {
                Some(false) => {}
                Some(true) => return State::Satisfied,
                None => {
                    is_open |= unit.is_some_and(|known| known != literal);
                    unit = Some(literal);
                }
            }
        }
        match unit {
            None => State::False,
            Some(_) if is_open => State::Open,
            Some(literal) => State::Unit(literal),
        }
    }

    fn value(&self, literal: i32) -> Option<bool> {
        let (step, value) = *self.values.get(literal.unsigned_abs() as usize)?;
        (step == self.steps).then_some(value == (literal > 0))
    }

    fn assign(&mut self, literal: i32) {
        let variable = literal.unsigned_abs() as usize;
        if self.values.len() <= variable {
            self.values.resize(variable + 1, (0, false));
        }
        self.values[variable] = (self.steps, literal > 0);
    }

    /// The proof no longer needs a clause.
    pub fn delete(&mut self, id: i64) {
        let Some((_, length)) = self.clauses.remove(&id) else {
            return;
        };
        self.lists.unused += length as usize;
        if self.lists.unused > 1 << 20 && self.lists.unused * 2 > self.lists.literals.len() {
            let mut kept = Lists::default();
            for list in self.clauses.values_mut() {
                *list = kept.add(self.lists.get(*list));
            }
            self.lists = kept;
        }
    }

    /// Whether the input was shown to have no model.
    pub fn is_refuted(&self) -> bool {
        self.refuted
    }

    /// Whether the clause of this number, shown to follow, says that the assumptions cannot all be true.
    pub fn excludes(&self, id: i64, assumptions: &[i32]) -> bool {
        self.clauses.get(&id).is_some_and(|&clause| {
            self.lists
                .get(clause)
                .iter()
                .all(|literal| assumptions.contains(&-literal))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checker(inputs: &[&[i32]]) -> LratChecker {
        let mut checker = LratChecker::new();
        for (at, clause) in inputs.iter().enumerate() {
            checker.input(clause);
            assert_eq!(checker.original(at as i64 + 1, clause), Ok(()));
        }
        checker
    }

    const CONTRADICTION: [&[i32]; 4] = [&[1, 2], &[1, -2], &[-1, 2], &[-1, -2]];

    #[test]
    fn a_refutation_by_two_units_is_accepted() {
        let mut checker = checker(&CONTRADICTION);
        assert_eq!(checker.derive(5, &[1], &[1, 2]), Ok(()));
        assert!(!checker.is_refuted());
        assert_eq!(checker.derive(6, &[], &[5, 3, 4]), Ok(()));
        assert!(checker.is_refuted());
    }

    #[test]
    fn hints_may_come_in_any_order() {
        let mut checker = checker(&[&[1, 2], &[-2, 3], &[-3, 1]]);
        assert_eq!(checker.derive(4, &[1], &[3, 2, 1]), Ok(()));
        assert_eq!(checker.derive(5, &[2], &[3, 2]), Err(Rejected::NoConflict(5)));
    }

    #[test]
    fn wrong_steps_are_rejected() {
        let mut checker = checker(&CONTRADICTION);
        assert_eq!(checker.derive(5, &[], &[1, 2]), Err(Rejected::NoConflict(5)));
        assert_eq!(checker.derive(5, &[1], &[1]), Err(Rejected::NoConflict(5)));
        assert_eq!(
            checker.derive(5, &[1], &[1, 9]),
            Err(Rejected::NoSuchClause { step: 5, hint: 9 })
        );
        assert_eq!(checker.original(5, &[1]), Err(Rejected::NotAnInput(5)));
        assert_eq!(checker.derive(1, &[1], &[1, 2]), Err(Rejected::Reused(1)));
        checker.delete(2);
        assert_eq!(
            checker.derive(5, &[1], &[1, 2]),
            Err(Rejected::NoSuchClause { step: 5, hint: 2 })
        );
        assert!(!checker.is_refuted());
    }

    #[test]
    fn a_clause_of_negated_assumptions_concludes() {
        let mut checker = checker(&[&[-1, -2], &[3, 4]]);
        assert_eq!(checker.derive(3, &[-2, -1], &[1]), Ok(()));
        assert!(checker.excludes(3, &[5, 1, 2]));
        assert!(!checker.excludes(3, &[1]));
        assert!(!checker.excludes(2, &[1, 2]));
    }
}
