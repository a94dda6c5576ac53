//! Paths that go on for ever without returning to a state: closed recurrent sets (Chen, Cook, Fuhs, Nimkar, O'Hearn 2014).
//!
//! A path of the product that comes back to the same truth values, with every fairness signal met on the way round, is a candidate. The
//! literals of its steps, and of the signals that they meet, say what each next value is, as a term over the state before; what they leave open keeps the value of the path.
//! The literals that remain are conditions on the state where the way round begins; the set of states that satisfy them is strengthened,
//! by what the way round needs to satisfy them again, until it is closed.

use super::FoundEndless;
use super::loop_path::{Positions, truth_in};
use super::product::{Product, add_flag, on_product, set_next};
use crate::Work;
use crate::implicit::trace_of;
use entail_budget::Spent;
use entail_first_order::{Copies, EndlessRun, FirstOrderSystem, FirstOrderTrace, SortId, TermId, Terms};
use entail_logic::Formula;
use entail_smt::Answer;
use entail_smt::projection::{solution, value_term};
use rustc_hash::FxHashMap;

/// So many candidates of one length are looked at.
const MOST_CANDIDATES: usize = 6;
/// So often a set is strengthened.
const MOST_STRENGTHENED: usize = 4;

/// Looks for paths that go on for ever, whose way there and round has at most `bound` steps.
pub fn recurring_runs<'a>(
    system: &FirstOrderSystem,
    path: &Formula<TermId>,
    bound: usize,
    work: impl Into<Work<'a>>,
) -> FoundEndless {
    let work = work.into();
    on_product(system, path, |product| {
        search(&product, bound, &work).unwrap_or_else(|spent| FoundEndless::Unknown(spent.to_string()))
    })
}

fn search(product: &Product, bound: usize, work: &Work<'_>) -> Result<FoundEndless, Spent> {
    let mut watched = product.system.clone();
    let kept = watched.variables.len();
    let mut met = Vec::new();
    for &signal in &product.fair {
        let flag = add_flag(&mut watched, false);
        set_next(&mut watched, flag, signal);
        met.push(flag.now);
    }
    let truths: Vec<TermId> = (watched.variables[..kept].iter())
        .map(|variable| variable.current)
        .filter(|&variable| watched.terms.sort_of(variable) == SortId::BOOL)
        .collect();
    for length in 1..=bound {
        let mut system = watched.clone();
        let mut copies = Copies::default();
        let mut solver = work.solver();
        let (init, transition) = (system.init, system.transition);
        let mut formulas = vec![system.at(init, 0, &mut copies)];
        for at in 0..length {
            formulas.push(system.at(transition, at, &mut copies));
        }
        for formula in formulas {
            solver.assert(&mut system.terms, formula);
        }
        for back in 0..length {
            let mut parts = Vec::new();
            for &truth in &truths {
                let (then, now) = (
                    system.at(truth, back, &mut copies),
                    system.at(truth, length, &mut copies),
                );
                parts.push(system.terms.eq(then, now));
            }
            for &signal in &met {
                let on_the_way: Vec<TermId> = (back + 1..=length)
                    .map(|at| system.at(signal, at, &mut copies))
                    .collect();
                parts.push(system.terms.or(&on_the_way));
            }
            for _ in 0..MOST_CANDIDATES {
                if solver.check(&mut system.terms, &parts, work.budget)? != Answer::Satisfiable {
                    break;
                }
                let Some(model) = solver.model() else { break };
                let trace = trace_of(&system.terms, model, &copies, length);
                let mut round = Round::new(product, &trace, back, length, work);
                if let Some(found) = round.close()? {
                    return Ok(FoundEndless::Fails(found));
                }
                // No other path with the same literals.
                let mut same = Positions::of(&mut system, &trace);
                let mut literals = Vec::new();
                for at in back..length {
                    literals.extend(same.step(&mut system, &product.fair, at).unwrap_or_default());
                }
                let renamed = rename(&mut system.terms, &literals, &same.copies, &copies);
                let all = system.terms.and(&renamed);
                let other = system.terms.not(all);
                solver.assert(&mut system.terms, other);
            }
        }
    }
    Ok(FoundEndless::Unknown(format!(
        "no path that goes on for ever was found with at most {bound} steps"
    )))
}

/// Literals over the constants of one unrolling, over those of another.
fn rename(terms: &mut Terms, literals: &[TermId], from: &Copies, to: &Copies) -> Vec<TermId> {
    let states = from.states.iter().flatten().zip(to.states.iter().flatten());
    let inputs = from.inputs.iter().flatten().zip(to.inputs.iter().flatten());
    let mut map: FxHashMap<TermId, TermId> = states.chain(inputs).map(|(&a, &b)| (a, b)).collect();
    terms.substitute(literals, &mut map)
}

/// What a step does, over the current variables.
struct Move {
    inputs: Vec<TermId>,
    nexts: Vec<TermId>,
    /// What the state must satisfy.
    guards: Vec<TermId>,
}

/// A candidate.
struct Round<'a, 'w> {
    system: FirstOrderSystem,
    fair: &'a [TermId],
    trace: &'a FirstOrderTrace,
    back: usize,
    length: usize,
    work: &'a Work<'w>,
}

impl<'a, 'w> Round<'a, 'w> {
    fn new(
        product: &'a Product,
        trace: &'a FirstOrderTrace,
        back: usize,
        length: usize,
        work: &'a Work<'w>,
    ) -> Round<'a, 'w> {
        Round {
            system: product.system.clone(),
            fair: &product.fair,
            trace,
            back,
            length,
            work,
        }
    }

    fn currents(&self) -> Vec<TermId> {
        self.system
            .variables
            .iter()
            .map(|variable| variable.current)
            .collect()
    }

    /// The run, if a set around the first state of the way round is closed.
    fn close(&mut self) -> Result<Option<EndlessRun>, Spent> {
        let mut positions = Positions::of(&mut self.system, self.trace);
        let mut moves = Vec::new();
        for at in self.back..self.length {
            match self.step(&mut positions, at) {
                Some(one) => moves.push(one),
                None => return Ok(None),
            }
        }
        let currents = self.currents();
        // Over the state where the way begins: what the variables are, and what the guards say.
        let mut state = currents.clone();
        let mut set: Vec<TermId> = Vec::new();
        for one in &moves {
            let mut map: FxHashMap<TermId, TermId> =
                currents.iter().copied().zip(state.iter().copied()).collect();
            set.extend(self.system.terms.substitute(&one.guards, &mut map));
            state = self.system.terms.substitute(&one.nexts, &mut map);
        }
        let mut after: FxHashMap<TermId, TermId> = currents.iter().copied().zip(state).collect();
        for _ in 0..=MOST_STRENGTHENED {
            set.sort_unstable();
            set.dedup();
            if !self.has_first(&set) {
                return Ok(None);
            }
            let again = self.system.terms.substitute(&set, &mut after);
            let mut solver = self.work.solver();
            for &literal in &set {
                solver.assert(&mut self.system.terms, literal);
            }
            let mut missing = Vec::new();
            for &literal in &again {
                let violated = self.system.terms.not(literal);
                match solver.check(&mut self.system.terms, &[violated], self.work.budget)? {
                    Answer::Unsatisfiable => {}
                    Answer::Satisfiable => missing.push(literal),
                    Answer::Unknown(_) => return Ok(None),
                }
            }
            if missing.is_empty() {
                return Ok(Some(self.run(&set, &moves)));
            }
            set.extend(missing);
        }
        Ok(None)
    }

    /// Whether the state where the way round begins satisfies all literals.
    fn has_first(&self, set: &[TermId]) -> bool {
        let first = &self.trace.states[self.back];
        (set.iter()).all(|&literal| truth_in(&self.system, first, literal) == Some(true))
    }

    /// A step with its next values as terms over the state before it.
    fn step(&mut self, positions: &mut Positions, at: usize) -> Option<Move> {
        let literals = positions.step(&mut self.system, self.fair, at)?;
        let terms = &mut self.system.terms;
        // Over the variables' own constants, inputs as on the path.
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (index, variable) in self.system.variables.iter().enumerate() {
            map.insert(positions.copies.states[at][index], variable.current);
            map.insert(positions.copies.states[at + 1][index], variable.next);
        }
        let mut inputs = Vec::new();
        for (&constant, value) in positions.copies.inputs[at].iter().zip(&self.trace.inputs[at]) {
            let written = value_term(terms, value, terms.sort_of(constant))?;
            map.insert(constant, written);
            inputs.push(written);
        }
        let mut literals = terms.substitute(&literals, &mut map);
        let nexts: Vec<TermId> = self
            .system
            .variables
            .iter()
            .map(|variable| variable.next)
            .collect();
        let mut chosen: FxHashMap<TermId, TermId> = FxHashMap::default();
        // What equations say first, in any order in which they can be solved; then the values of the path.
        for &next in &nexts {
            let found = (literals.iter()).find_map(|&literal| solution(terms, literal, next));
            if let Some(term) = found {
                let mut one: FxHashMap<TermId, TermId> = FxHashMap::from_iter([(next, term)]);
                literals = terms.substitute(&literals, &mut one);
                let mut one: FxHashMap<TermId, TermId> = FxHashMap::from_iter([(next, term)]);
                let keys: Vec<TermId> = chosen.keys().copied().collect();
                let values: Vec<TermId> = keys.iter().map(|key| chosen[key]).collect();
                let values = terms.substitute(&values, &mut one);
                chosen = keys.into_iter().zip(values).collect();
                chosen.insert(next, term);
            }
        }
        let mut open: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (index, &next) in nexts.iter().enumerate() {
            if !chosen.contains_key(&next) {
                let value = &self.trace.states[at + 1][index];
                open.insert(next, value_term(terms, value, terms.sort_of(next))?);
            }
        }
        let values: Vec<TermId> = nexts
            .iter()
            .map(|next| chosen.get(next).copied().unwrap_or(*next))
            .collect();
        let values = terms.substitute(&values, &mut open.clone());
        let guards = terms.substitute(&literals, &mut open);
        let truth = terms.truth();
        Some(Move {
            inputs,
            nexts: values,
            guards: guards.into_iter().filter(|&guard| guard != truth).collect(),
        })
    }

    fn run(&mut self, set: &[TermId], moves: &[Move]) -> EndlessRun {
        let variables = self.system.variables.len();
        let set = self.system.terms.and(set);
        let print = |all: &[TermId]| all.iter().map(|&term| self.system.terms.print(term)).collect();
        EndlessRun::Recurring {
            stem: FirstOrderTrace {
                states: (self.trace.states[..=self.back].iter())
                    .map(|state| state[..variables].to_vec())
                    .collect(),
                inputs: self.trace.inputs[..=self.back].to_vec(),
            },
            set: self.system.terms.print(set),
            steps: (moves.iter())
                .map(|one| (print(&one.inputs), print(&one.nexts)))
                .collect(),
        }
    }
}
