//! Questions about a system, and their answers.

use super::System;
use super::path::{Path, PathOf, along, go};
use super::steps::{Flaw, RustSteps, Shown, Watching, unpack};
use entail_automata::ltl::evaluate;
use entail_automata::word::LassoWord;
use entail_automata::{Kind, Target, Translation, translate};
use entail_budget::Budget;
use entail_logic::{Formula, Unary, parse};
use entail_search::cycles::linear::{Lasso, Verdict};
use entail_search::cycles::product::Stop;
use entail_search::{Cause, Counts, Ending, Order, SearchOptions};

/// The answer to a question about a system.
#[derive(Clone, Debug)]
pub struct Reply<State, Action> {
    /// What the question is called.
    pub name: String,
    /// Whether it is so; nothing if that is not known.
    pub holds: Option<bool>,
    /// Why it is not known.
    pub reason: Option<String>,
    /// A path that shows it: to where what always holds does not, to where what sometimes holds does, one on which the formula is violated, to where nothing can be done.
    pub path: Option<Path<State, Action>>,
    /// States that were seen for it.
    pub states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// Steps to the most distant one.
    pub depth: u64,
}

/// A condition on states, asked by any thread.
pub type Condition<'q, State> = Box<dyn Fn(&State) -> bool + Sync + 'q>;

/// How far a state seems to be from what is looked for.
pub type Estimate<'q, State> = Box<dyn Fn(&State) -> u64 + Sync + 'q>;

pub(super) enum RustProperty<'q, State> {
    Always(Condition<'q, State>),
    Sometimes(Condition<'q, State>),
    NoDeadEnds,
    /// A formula over conditions with names.
    Formula(Formula<String>, Vec<(String, Condition<'q, State>)>),
    /// The text is no formula.
    Unreadable(String),
}

/// Asks questions about a system.
pub struct Checker<'q, S: System> {
    pub(super) system: &'q S,
    pub(super) questions: Vec<(String, RustProperty<'q, S::State>)>,
    pub(super) budget: Budget,
    options: SearchOptions,
    estimate: Option<Estimate<'q, S::State>>,
}

type ReplyOf<S> = Reply<<S as System>::State, <S as System>::Action>;

impl<'q, S: System> Checker<'q, S> {
    /// Answers all questions, for tests.
    ///
    /// # Panics
    /// If something is not so, or not known: the message says what, and shows the path.
    #[track_caller]
    pub fn assert_properties(&self)
    where
        S::State: std::fmt::Debug,
        S::Action: std::fmt::Debug,
    {
        let mut problems = String::new();
        for reply in self.check() {
            let name = &reply.name;
            match (reply.holds, &reply.path) {
                (Some(true), _) => {}
                (Some(false), Some(path)) => problems += &format!("`{name}` does not hold:\n{path}\n"),
                (Some(false), None) => problems += &format!("`{name}` does not hold\n"),
                (None, _) => {
                    let reason = reply.reason.as_deref().unwrap_or("no reason is known");
                    problems += &format!("`{name}` is not known to hold: {reason}\n");
                }
            }
        }
        assert!(problems.is_empty(), "{problems}");
    }

    /// No questions yet.
    pub fn new(system: &'q S) -> Checker<'q, S> {
        Checker {
            system,
            questions: Vec::new(),
            budget: Budget::unlimited(),
            options: SearchOptions::default(),
            estimate: None,
        }
    }

    fn ask(mut self, name: &str, question: RustProperty<'q, S::State>) -> Checker<'q, S> {
        self.questions.push((name.to_owned(), question));
        self
    }

    /// Does this hold in every state that can be reached?
    pub fn always(self, name: &str, condition: impl Fn(&S::State) -> bool + Sync + 'q) -> Checker<'q, S> {
        self.ask(name, RustProperty::Always(Box::new(condition)))
    }

    /// Can a state be reached in which this holds?
    pub fn sometimes(self, name: &str, condition: impl Fn(&S::State) -> bool + Sync + 'q) -> Checker<'q, S> {
        self.ask(name, RustProperty::Sometimes(Box::new(condition)))
    }

    /// Does every path come to a state in which this holds? A state in which nothing can be done is repeated for ever.
    pub fn eventually(self, name: &str, condition: impl Fn(&S::State) -> bool + Sync + 'q) -> Checker<'q, S> {
        let formula = Formula::unary(Unary::Finally, &Formula::atom("p".to_owned()));
        let conditions: Vec<(String, Condition<'q, S::State>)> = vec![("p".into(), Box::new(condition))];
        self.ask(name, RustProperty::Formula(formula, conditions))
    }

    /// Does a formula of linear time over named conditions hold on every path? `G (asked -> F answered)`
    pub fn formula(
        self,
        name: &str,
        text: &str,
        conditions: Vec<(&str, Condition<'q, S::State>)>,
    ) -> Checker<'q, S> {
        let formula = match parse(text) {
            Ok(formula) => formula,
            Err(error) => return self.ask(name, RustProperty::Unreadable(error.to_string())),
        };
        let conditions = conditions
            .into_iter()
            .map(|(name, condition)| (name.to_owned(), condition));
        self.ask(name, RustProperty::Formula(formula, conditions.collect()))
    }

    /// Can something be done in every state that can be reached?
    pub fn no_dead_ends(self, name: &str) -> Checker<'q, S> {
        self.ask(name, RustProperty::NoDeadEnds)
    }

    /// Limits to time and memory.
    pub fn within(mut self, budget: Budget) -> Checker<'q, S> {
        self.budget = budget;
        self
    }

    /// How to search: order, storage, threads, checkpoints. Checkpoints are for one question that single states answer.
    pub fn searching(mut self, options: SearchOptions) -> Checker<'q, S> {
        self.options = options;
        self
    }

    /// Searches the most promising states first, where single states answer: those with the smallest estimate of how far what is looked for still is. A good estimate finds
    /// violations of `always` and examples of `sometimes` after few states, on paths that need not be shortest; which answers are given does not depend on it.
    pub fn guided_by(mut self, estimate: impl Fn(&S::State) -> u64 + Sync + 'q) -> Checker<'q, S> {
        self.options.order = Order::BestFirst;
        self.estimate = Some(Box::new(estimate));
        self
    }

    /// Answers all questions, in their order.
    ///
    /// [`Checker::assert_properties`] is the same for tests.
    pub fn check(&self) -> Vec<ReplyOf<S>> {
        let mut replies: Vec<Option<ReplyOf<S>>> = self.questions.iter().map(|_| None).collect();
        self.ask_single_states(&mut replies);
        for (place, (_, question)) in self.questions.iter().enumerate() {
            if replies[place].is_none() {
                replies[place] = Some(match question {
                    RustProperty::Formula(formula, conditions) => self.ask_paths(place, formula, conditions),
                    RustProperty::Unreadable(reason) => {
                        self.unknown(place, Counts::default(), reason.clone())
                    }
                    _ => self.unknown(place, Counts::default(), "it was not asked".into()),
                });
            }
        }
        replies.into_iter().flatten().collect()
    }

    /// Answers what single states show. A search ends where one question is answered; the others are asked again.
    fn ask_single_states(&self, replies: &mut [Option<ReplyOf<S>>]) {
        loop {
            let watched: Vec<(usize, Shown<'_, S::State>)> = (self.questions.iter().enumerate())
                .filter(|(place, _)| replies[*place].is_none())
                .filter_map(|(place, (_, question))| Some((place, question.shown()?)))
                .collect();
            if watched.is_empty() {
                return;
            }
            let open: Vec<usize> = watched.iter().map(|&(place, _)| place).collect();
            let steps = RustSteps {
                system: self.system,
                watched,
                estimate: self.estimate.as_ref(),
                automaton: None,
            };
            let searched = steps.search(&self.options, &self.budget);
            let (counts, left_out) = (searched.counts, searched.left_out());
            let reason = searched.ending.reason();
            match searched.ending {
                Ending::Violation(violation) => {
                    let dead_ends =
                        |place: &&usize| matches!(self.questions[**place].1, RustProperty::NoDeadEnds);
                    let place = match violation.cause {
                        Cause::State(Flaw::Answer(place)) | Cause::Step(Flaw::Answer(place)) => Some(place),
                        Cause::End => open.iter().find(dead_ends).copied(),
                        Cause::State(Flaw::Packing) | Cause::Step(Flaw::Packing) => None,
                    };
                    match place {
                        Some(place) => replies[place] = Some(self.shown(place, counts, &violation.path)),
                        None => {
                            for place in open {
                                replies[place] = Some(self.unknown(place, counts, UNPACKABLE.into()));
                            }
                        }
                    }
                }
                Ending::Finished if left_out.is_none() => {
                    for place in open {
                        let holds = !matches!(self.questions[place].1, RustProperty::Sometimes(_));
                        replies[place] = Some(self.reply(place, counts, Some(holds), None, None));
                    }
                }
                _ => {
                    let reason = reason.or(left_out).unwrap_or_default();
                    for place in open {
                        replies[place] = Some(self.unknown(place, counts, reason.clone()));
                    }
                }
            }
        }
    }

    fn reply(
        &self,
        place: usize,
        counts: Counts,
        holds: Option<bool>,
        reason: Option<String>,
        path: Option<PathOf<S>>,
    ) -> ReplyOf<S> {
        Reply {
            name: self.questions[place].0.clone(),
            holds,
            reason,
            path,
            states: counts.states,
            transitions: counts.transitions,
            depth: counts.depth,
        }
    }

    fn unknown(&self, place: usize, counts: Counts, reason: String) -> ReplyOf<S> {
        self.reply(place, counts, None, Some(reason), None)
    }

    /// The states of a way.
    fn unpacked(way: &[Vec<u8>]) -> Option<Vec<S::State>> {
        way.iter().map(|state| unpack::<S>(state)).collect()
    }

    /// The answer that the last state of a way shows; the path is judged by itself.
    fn shown(&self, place: usize, counts: Counts, way: &[Vec<u8>]) -> ReplyOf<S> {
        let path = Self::unpacked(way).and_then(|way| along(self.system, &way));
        let (holds, path) = match (&self.questions[place].1, path) {
            (RustProperty::Always(condition), Some(path)) => {
                let is_right = !condition(path.state(path.steps.len()));
                (false, Some(path).filter(|_| is_right))
            }
            (RustProperty::Sometimes(condition), Some(path)) => {
                let is_right = condition(path.state(path.steps.len()));
                (true, Some(path).filter(|_| is_right))
            }
            (_, Some(path)) => {
                let last = path.state(path.steps.len());
                let actions = self.system.actions(last);
                let mut steps = actions.iter().map(|action| self.system.step(last, action));
                let is_right = steps.all(|step| step.is_none());
                (false, Some(path).filter(|_| is_right))
            }
            (_, None) => (false, None),
        };
        match path {
            Some(path) => self.reply(place, counts, Some(holds), None, Some(path)),
            None => self.unknown(place, counts, UNREPEATABLE.into()),
        }
    }

    /// Answers a formula about infinite paths.
    fn ask_paths(
        &self,
        place: usize,
        formula: &Formula<String>,
        conditions: &[(String, Condition<'q, S::State>)],
    ) -> ReplyOf<S> {
        let translation = Translation {
            target: Target::GeneralizedBuchi,
            ..Translation::default()
        };
        let automaton = match translate(&formula.not(), translation, &self.budget) {
            Ok(automaton) => automaton,
            Err(error) => return self.unknown(place, Counts::default(), error.to_string()),
        };
        let marks = match automaton.kind() {
            Kind::None => return self.reply(place, Counts::default(), Some(true), None, None),
            Kind::All => 0,
            Kind::Buchi => 1,
            Kind::GeneralizedBuchi(marks) => marks,
            _ => {
                let reason = "the formula's automaton has an unexpected acceptance condition";
                return self.unknown(place, Counts::default(), reason.into());
            }
        };
        let condition = |name: &String| {
            let found = conditions.iter().find(|(other, _)| other == name);
            found.map(|(_, condition)| condition)
        };
        let wanted: Option<Vec<_>> = automaton.propositions().iter().map(condition).collect();
        let Some(wanted) = wanted else {
            let reason = "the formula has a name without a condition";
            return self.unknown(place, Counts::default(), reason.into());
        };
        if automaton.state_count() > usize::from(u16::MAX) || marks > 60 {
            let reason = "the formula's automaton is too large";
            return self.unknown(place, Counts::default(), reason.into());
        }
        let steps = RustSteps {
            system: self.system,
            watched: Vec::new(),
            estimate: None,
            automaton: Some(Watching {
                automaton: &automaton,
                marks,
                conditions: wanted,
            }),
        };
        let judged = steps.accepted_path(&self.options, &self.budget);
        let counts = Counts {
            states: judged.system_states,
            ..judged.counts
        };
        let unknown = |reason: &str| self.unknown(place, counts, reason.into());
        match judged.verdict {
            Verdict::Nothing | Verdict::Diverges => self.reply(place, counts, Some(true), None, None),
            Verdict::Accepted(lasso) => {
                let truths = steps
                    .automaton
                    .as_ref()
                    .map_or(&[][..], |watching| &watching.conditions);
                let letter = |state: &S::State| {
                    let truths = truths.iter().enumerate();
                    truths.fold(0u64, |letter, (place, condition)| {
                        letter | u64::from(condition(state)) << place
                    })
                };
                let names = automaton.propositions();
                match self.infinite(formula, &lasso, names, letter) {
                    Some(path) => self.reply(place, counts, Some(false), None, Some(path)),
                    None => unknown(UNREPEATABLE),
                }
            }
            Verdict::Stopped(stop) => match stop {
                Stop::Spent(spent) => unknown(&spent.to_string()),
                Stop::Full | Stop::Crowded | Stop::Halted => {
                    unknown("there are more states than can be numbered")
                }
                Stop::Flaw(..) => unknown(UNPACKABLE),
                Stop::Blind(reason) => unknown(&reason),
            },
        }
    }

    /// The path along a lasso, if the formula is violated on it.
    fn infinite(
        &self,
        formula: &Formula<String>,
        lasso: &Lasso,
        names: &[String],
        letter: impl Fn(&S::State) -> u64,
    ) -> Option<PathOf<S>> {
        let (stem, round) = (Self::unpacked(&lasso.stem)?, Self::unpacked(&lasso.round)?);
        let mut path = along(self.system, &stem)?;
        let begin = path.steps.len();
        path.loop_start = Some(begin);
        // Up to symmetry the loop may have to be gone round several times until the very same state comes again.
        for _ in 0..MOST_ROUNDS {
            for next in &round {
                go(self.system, &mut path, next)?;
            }
            if path.state(path.steps.len()) == path.state(begin) {
                break;
            }
        }
        let letter_at = |position: usize| letter(path.state(position));
        let prefix: Vec<u64> = (0..begin).map(letter_at).collect();
        let looped: Vec<u64> = (begin..path.steps.len().max(begin + 1)).map(letter_at).collect();
        let word = LassoWord::new(names.to_vec(), prefix, looped);
        let closes = path.state(path.steps.len()) == path.state(begin);
        (closes && !evaluate::holds(formula, &word)).then_some(path)
    }
}

impl<State> RustProperty<'_, State> {
    /// What a single state shows about it, if anything.
    fn shown(&self) -> Option<Shown<'_, State>> {
        match self {
            RustProperty::Always(condition) => Some(Shown::Always(condition)),
            RustProperty::Sometimes(condition) => Some(Shown::Sometimes(condition)),
            RustProperty::NoDeadEnds => Some(Shown::NoDeadEnds),
            RustProperty::Formula(..) | RustProperty::Unreadable(_) => None,
        }
    }
}

const UNPACKABLE: &str =
    "a state cannot be packed and unpacked again: is it the same after `serde`, and less than 64 KiB?";

const UNREPEATABLE: &str = "the path could not be repeated: does `step` give the same every time, and `representative` only what is alike?";

/// So often a loop is gone round.
const MOST_ROUNDS: usize = 1_000;
