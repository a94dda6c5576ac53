//! LTL on several threads.
//!
//! The product of the model and the automaton of the negated property is searched by `entail-search` on all threads, for properties whose atoms and fairness conditions are about
//! states, under justice. *Holds* claims an exhaustive search, so all states are then enumerated as well, on all threads: hazards and dead ends are found wherever they are. The
//! lasso of *fails* comes from the stack of a depth-first search and may be long.

use super::bad_prefix::as_short_as_decided;
use super::judge::{vacuity_questions, vacuous};
use super::property_automaton::PropertyAutomaton;
use crate::code::evaluator::{Evaluator, is_about_steps};
use crate::search::explore::ExplorationEnd;
use crate::search::system_steps::{Flaw, SystemExplorer, SystemSteps};
use crate::search::trace::step_between;
use crate::stepper::Stepper;
use entail_automata::{Automaton, State};
use entail_budget::{Budget, Progress};
use entail_evidence::{
    Because, DeadEnds, Evidence, Exhaustive, Explanation, Outcome, PathWitness, Searched, Statistics, Trace,
    Verdict,
};
use entail_logic::Formula;
use entail_model::TermId;
use entail_search::cycles::linear::{self, Judged, Lasso, accepted_path};
use entail_search::cycles::product::{LinearModel, Stop, Watcher};
use entail_search::{Ending, SearchOptions, Searchable, search};

/// More marks than this do not fit into a set.
const MOST_MARKS: usize = 60;

/// A system and the automaton that reads its states.
struct WatchedSystem<'s> {
    steps: SystemSteps<'s>,
    stepper: &'s Stepper,
    automaton: &'s Automaton,
    /// The terms that are looked at in a state: the atoms of the automaton, then justice.
    terms: Vec<TermId>,
    atoms: usize,
    marks: u32,
    dead_ends: DeadEnds,
}

/// What is asked.
pub(crate) struct Together<'a> {
    pub stepper: &'a Stepper,
    pub justice: &'a [TermId],
    pub dead_ends: DeadEnds,
    pub options: &'a SearchOptions,
    pub budget: &'a Budget,
    pub progress: &'a dyn Progress,
}

/// An outcome, and a state that has no successors, if one was seen.
type WithDeadEnd = (Outcome, Option<Vec<u64>>);

/// The verdict on `A path`, given the automaton of the paths that violate it, with a state that has no successors, if there is one. Nothing if one thread has to do it.
pub(crate) fn judge_together(
    asked: &Together<'_>,
    formula: &Formula<TermId>,
    violating: &PropertyAutomaton<TermId>,
) -> Result<Option<WithDeadEnd>, ExplorationEnd> {
    let Some(judged) = asked.search(violating)? else {
        return Ok(None);
    };
    let statistics = |states: u64, transitions: u64| {
        Statistics::default()
            .with("states", states)
            .with("transitions", transitions)
    };
    let pairs = judged.counts;
    match judged.verdict {
        linear::Verdict::Accepted(lasso) => {
            let Some(trace) = asked.trace(&lasso) else {
                return Ok(None);
            };
            let state = trace.steps.first().cloned().unwrap_or_default();
            let explanation = Explanation {
                formula: formula.clone(),
                truth: false,
                state: without_inputs(asked.stepper, state),
                because: Because::Path(PathWitness {
                    trace: as_short_as_decided(&asked.stepper.system, trace, formula),
                    notes: Vec::new(),
                }),
            };
            let mut outcome = Outcome::complete(Verdict::Fails, Evidence::Explanation(explanation));
            outcome.statistics = statistics(judged.system_states, pairs.transitions);
            Ok(Some((outcome, None)))
        }
        linear::Verdict::Nothing => {
            let all = SystemSteps::new(asked.stepper, None, asked.dead_ends)?;
            let options = SearchOptions {
                order: Default::default(),
                storage: Default::default(),
                checkpoints: None,
                ..asked.options.clone()
            };
            let searched = search(&all, &options, asked.budget, asked.progress);
            let counts = searched.counts;
            if !matches!(searched.ending, Ending::Finished) {
                return match searched.ending.reason() {
                    Some(reason) => Err(ExplorationEnd::Unknown {
                        reason: format!("{reason} after {} states", counts.states),
                        statistics: statistics(counts.states, counts.transitions),
                    }),
                    // A hazard: one thread finds the way to it.
                    None => Ok(None),
                };
            }
            let claim = Exhaustive {
                states: counts.states,
                satisfying: None,
                searched: Searched::Model,
            };
            let mut outcome = Outcome::complete(Verdict::Holds, Evidence::Exhaustive(claim));
            outcome.statistics = statistics(counts.states, counts.transitions);
            let dead_end = searched.dead_end.map(|state| asked.unpack(&state));
            let may_end = asked.dead_ends == DeadEnds::Infinite && dead_end.is_some();
            for (path, kind) in vacuity_questions(asked.stepper, formula, may_end) {
                let Ok(automaton) = PropertyAutomaton::new(&path, asked.budget) else {
                    continue;
                };
                let found = asked.search(&automaton)?;
                if found.is_some_and(|judged| matches!(judged.verdict, linear::Verdict::Nothing)) {
                    outcome.warnings.push(vacuous(asked.stepper, kind));
                    break;
                }
            }
            Ok(Some((outcome, dead_end)))
        }
        linear::Verdict::Stopped(Stop::Spent(spent)) => Err(ExplorationEnd::Unknown {
            reason: format!(
                "{spent} after {} states, {} with the property's automaton",
                judged.system_states, pairs.states
            ),
            statistics: statistics(judged.system_states, pairs.transitions),
        }),
        // Hazards, and what cannot be numbered: one thread says it.
        linear::Verdict::Stopped(_) | linear::Verdict::Diverges => Ok(None),
    }
}

/// A state as it is without a step.
fn without_inputs(
    stepper: &Stepper,
    mut state: Vec<Option<entail_model::Value>>,
) -> Vec<Option<entail_model::Value>> {
    for variable in stepper.system.input_variables() {
        state[variable.index()] = None;
    }
    state
}

impl Together<'_> {
    /// Searches for a path that an automaton accepts; nothing if it has too many marks, or looks at steps.
    fn search(&self, automaton: &PropertyAutomaton<TermId>) -> Result<Option<Judged<Flaw>>, ExplorationEnd> {
        let terms: Vec<TermId> = automaton.atoms.iter().chain(self.justice).copied().collect();
        let marks = automaton.mark_count as usize + self.justice.len();
        let about_steps = |&term: &TermId| is_about_steps(&self.stepper.system, term);
        let too_large = marks > MOST_MARKS
            || terms.len() > 64
            || automaton.automaton().state_count() > usize::from(u16::MAX);
        if too_large || terms.iter().any(about_steps) {
            return Ok(None);
        }
        Evaluator::new(&self.stepper.system, &self.stepper.layout, &terms)?;
        let watched = WatchedSystem {
            steps: SystemSteps::new(self.stepper, None, self.dead_ends)?,
            stepper: self.stepper,
            automaton: automaton.automaton(),
            atoms: automaton.atoms.len(),
            terms,
            marks: automaton.mark_count,
            dead_ends: self.dead_ends,
        };
        Ok(Some(accepted_path(
            &watched,
            self.options,
            self.budget,
            self.progress,
        )))
    }

    fn unpack(&self, state: &[u8]) -> Vec<u64> {
        let mut packed = vec![0; self.stepper.layout.words()];
        self.stepper.layout.words_of(state, &mut packed);
        packed
    }

    /// The values along a lasso, with the inputs of its steps; none if the budget is spent before they are found.
    fn trace(&self, lasso: &Lasso) -> Option<Trace> {
        let path: Vec<Vec<u64>> = (lasso.stem.iter().chain(&lasso.round))
            .map(|state| self.unpack(state))
            .collect();
        let layout = &self.stepper.layout;
        let mut steps = Vec::new();
        for pair in path.windows(2) {
            let step = step_between(self.stepper, &pair[0], &pair[1], self.budget, |_| true);
            // A dead end that is repeated has no inputs.
            let stutters = self.dead_ends == DeadEnds::Stutter && pair[0] == pair[1];
            steps.push(step.or_else(|| stutters.then(|| layout.values(&pair[0])))?);
        }
        Some(Trace {
            steps,
            loop_start: Some(lasso.stem.len() - 1),
        })
    }
}

impl Searchable for WatchedSystem<'_> {
    type Flaw = Flaw;
    type Explorer<'m>
        = SystemExplorer<'m>
    where
        Self: 'm;

    fn explorer<'m>(&'m self, budget: &'m Budget) -> SystemExplorer<'m> {
        self.steps.explorer(budget)
    }
}

impl LinearModel for WatchedSystem<'_> {
    type Watcher<'m>
        = SystemWatcher<'m>
    where
        Self: 'm;

    fn watcher<'m>(&'m self, _: &'m Budget) -> SystemWatcher<'m> {
        let stepper = self.stepper;
        SystemWatcher {
            watched: self,
            evaluator: Evaluator::new(&stepper.system, &stepper.layout, &self.terms)
                .expect("what was compiled once can be compiled again"),
            packed: vec![0; stepper.layout.words()],
        }
    }

    fn repeats_ends(&self) -> bool {
        self.dead_ends == DeadEnds::Stutter
    }
}

/// The watcher of one thread.
struct SystemWatcher<'m> {
    watched: &'m WatchedSystem<'m>,
    evaluator: Evaluator,
    packed: Vec<u64>,
}

impl Watcher for SystemWatcher<'_> {
    fn initial(&self) -> Vec<u16> {
        let places = self.watched.automaton.initial().iter();
        places.map(|state| state.0 as u16).collect()
    }

    fn marks(&self) -> u32 {
        let justice = self.watched.terms.len() - self.watched.atoms;
        self.watched.marks + justice as u32
    }

    fn places(&self) -> Option<u32> {
        u32::try_from(self.watched.automaton.state_count()).ok()
    }

    fn letter(&mut self, state: &[u8]) -> Result<u64, String> {
        let stepper = self.watched.stepper;
        stepper.layout.words_of(state, &mut self.packed);
        self.evaluator.load_state(&stepper.layout, &self.packed);
        Ok((0..self.watched.terms.len()).fold(0, |letter, term| {
            let truth = self.evaluator.truth(&stepper.system, &stepper.layout, term);
            letter | u64::from(truth) << term
        }))
    }

    fn moves(&mut self, at: u16, letter: u64, out: &mut Vec<(u16, u64)>) -> Result<(), String> {
        let watched = self.watched;
        let of_atoms = 1u64
            .checked_shl(watched.atoms as u32)
            .map_or(u64::MAX, |bit| bit - 1);
        let justice = letter.checked_shr(watched.atoms as u32).unwrap_or(0) << watched.marks;
        let moves = watched.automaton.successors(State(at.into()), letter & of_atoms);
        out.extend(moves.map(|(next, marks)| (next.0 as u16, marks.0 | justice)));
        Ok(())
    }
}
