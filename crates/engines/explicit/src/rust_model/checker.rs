//! Questions about a system, and their answers.

use super::System;
use super::cycles::Product;
use super::states::{Path, States};
use entail_automata::ltl::evaluate;
use entail_automata::word::LassoWord;
use entail_automata::{Kind, Target, Translation, translate};
use entail_budget::Budget;
use entail_logic::{Formula, Unary, parse};

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

type Condition<'q, State> = Box<dyn Fn(&State) -> bool + 'q>;

enum Question<'q, State> {
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
    system: &'q S,
    questions: Vec<(String, Question<'q, S::State>)>,
    budget: Budget,
}

type ReplyOf<S> = Reply<<S as System>::State, <S as System>::Action>;
type PathOf<S> = Path<<S as System>::State, <S as System>::Action>;

impl<'q, S: System> Checker<'q, S> {
    /// No questions yet.
    pub fn new(system: &'q S) -> Checker<'q, S> {
        Checker {
            system,
            questions: Vec::new(),
            budget: Budget::unlimited(),
        }
    }

    fn ask(mut self, name: &str, question: Question<'q, S::State>) -> Checker<'q, S> {
        self.questions.push((name.to_owned(), question));
        self
    }

    /// Does this hold in every state that can be reached?
    pub fn always(self, name: &str, condition: impl Fn(&S::State) -> bool + 'q) -> Checker<'q, S> {
        self.ask(name, Question::Always(Box::new(condition)))
    }

    /// Can a state be reached in which this holds?
    pub fn sometimes(self, name: &str, condition: impl Fn(&S::State) -> bool + 'q) -> Checker<'q, S> {
        self.ask(name, Question::Sometimes(Box::new(condition)))
    }

    /// Does every path come to a state in which this holds? A state in which nothing can be done is repeated for ever.
    pub fn eventually(self, name: &str, condition: impl Fn(&S::State) -> bool + 'q) -> Checker<'q, S> {
        let formula = Formula::unary(Unary::Finally, &Formula::atom("p".to_owned()));
        let conditions: Vec<(String, Condition<'q, S::State>)> = vec![("p".into(), Box::new(condition))];
        self.ask(name, Question::Formula(formula, conditions))
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
            Err(error) => return self.ask(name, Question::Unreadable(error.to_string())),
        };
        let conditions = conditions
            .into_iter()
            .map(|(name, condition)| (name.to_owned(), condition));
        self.ask(name, Question::Formula(formula, conditions.collect()))
    }

    /// Can something be done in every state that can be reached?
    pub fn no_dead_ends(self, name: &str) -> Checker<'q, S> {
        self.ask(name, Question::NoDeadEnds)
    }

    /// Limits to time and memory.
    pub fn within(mut self, budget: Budget) -> Checker<'q, S> {
        self.budget = budget;
        self
    }

    /// Answers all questions, in their order.
    pub fn check(&self) -> Vec<ReplyOf<S>> {
        let mut states = States::new(self.system);
        let mut replies: Vec<Option<ReplyOf<S>>> = self.questions.iter().map(|_| None).collect();
        let mut seen = 0;
        let mut spent = None;
        // What a single state shows, as soon as it is there; formulas need all states.
        while spent.is_none() && replies.iter().any(Option::is_none) {
            while seen < states.states.len() {
                for (place, (_, question)) in self.questions.iter().enumerate() {
                    let holds = match question {
                        Question::Always(condition) if !condition(&states.states[seen]) => false,
                        Question::Sometimes(condition) if condition(&states.states[seen]) => true,
                        _ => continue,
                    };
                    if replies[place].is_none() {
                        replies[place] = Some(self.shown(&states, place, holds, seen as u32));
                    }
                }
                seen += 1;
            }
            match states.expand(&self.budget) {
                Ok(true) => {
                    let number = states.expanded() as u32 - 1;
                    if states.successors(number).is_empty() {
                        for (place, (_, question)) in self.questions.iter().enumerate() {
                            if matches!(question, Question::NoDeadEnds) && replies[place].is_none() {
                                replies[place] = Some(self.shown(&states, place, false, number));
                            }
                        }
                    }
                }
                Ok(false) => break,
                Err(reason) => spent = Some(reason.to_string()),
            }
        }
        let rest = replies.into_iter().enumerate();
        rest.map(|(place, reply)| {
            reply.unwrap_or_else(|| match &spent {
                Some(reason) => self.reply(&states, place, None, Some(reason.clone()), None),
                None => self.at_last(&states, place),
            })
        })
        .collect()
    }

    /// The answer when all states are known.
    fn at_last(&self, states: &States<'_, S>, place: usize) -> ReplyOf<S> {
        match &self.questions[place].1 {
            Question::Always(_) | Question::NoDeadEnds => self.reply(states, place, Some(true), None, None),
            Question::Sometimes(_) => self.reply(states, place, Some(false), None, None),
            Question::Unreadable(reason) => self.reply(states, place, None, Some(reason.clone()), None),
            Question::Formula(formula, conditions) => match self.violation(states, formula, conditions) {
                Ok(None) => self.reply(states, place, Some(true), None, None),
                Ok(Some(path)) => self.reply(states, place, Some(false), None, Some(path)),
                Err(reason) => self.reply(states, place, None, Some(reason), None),
            },
        }
    }

    fn reply(
        &self,
        states: &States<'_, S>,
        place: usize,
        holds: Option<bool>,
        reason: Option<String>,
        path: Option<PathOf<S>>,
    ) -> ReplyOf<S> {
        Reply {
            name: self.questions[place].0.clone(),
            holds,
            reason,
            path,
            states: states.states.len() as u64,
            transitions: states.transitions(),
            depth: states.depth,
        }
    }

    /// The answer that a state shows, with the path to it, which is judged by itself.
    fn shown(&self, states: &States<'_, S>, place: usize, holds: bool, number: u32) -> ReplyOf<S> {
        let path = states.path(&states.way_to(number)).filter(|path| {
            let last = path.state(path.steps.len());
            match &self.questions[place].1 {
                Question::Always(condition) => !condition(last),
                Question::Sometimes(condition) => condition(last),
                _ => self
                    .system
                    .actions(last)
                    .iter()
                    .all(|action| self.system.step(last, action).is_none()),
            }
        });
        match path {
            Some(path) => self.reply(states, place, Some(holds), None, Some(path)),
            None => self.reply(states, place, None, Some(UNREPEATABLE.into()), None),
        }
    }

    /// A path on which a formula is violated, if there is one.
    fn violation(
        &self,
        states: &States<'_, S>,
        formula: &Formula<String>,
        conditions: &[(String, Condition<'q, S::State>)],
    ) -> Result<Option<PathOf<S>>, String> {
        let translation = Translation {
            target: Target::GeneralizedBuchi,
            ..Translation::default()
        };
        let automaton =
            translate(&formula.not(), translation, &self.budget).map_err(|error| error.to_string())?;
        let marks = match automaton.kind() {
            Kind::None => return Ok(None),
            Kind::All => 0,
            Kind::Buchi => 1,
            Kind::GeneralizedBuchi(marks) => marks,
            _ => return Err("the formula's automaton has an unexpected acceptance condition".into()),
        };
        let wanted: Option<Vec<&Condition<'q, S::State>>> = automaton
            .propositions()
            .iter()
            .map(|name| {
                conditions
                    .iter()
                    .find(|(other, _)| other == name)
                    .map(|(_, condition)| condition)
            })
            .collect();
        let wanted = wanted.ok_or("the formula has a name without a condition")?;
        let letter = |state: &S::State| {
            let truths = wanted.iter().enumerate();
            truths.fold(0u64, |letter, (place, condition)| {
                letter | u64::from(condition(state)) << place
            })
        };
        let letters: Vec<u64> = states.states.iter().map(letter).collect();
        let product = Product {
            states,
            automaton: &automaton,
            required: (1u64 << marks) - 1,
            letters: &letters,
        };
        let Some(lasso) = product.lasso(&self.budget).map_err(|spent| spent.to_string())? else {
            return Ok(None);
        };
        let mut path = states.path(&lasso.stem).ok_or(UNREPEATABLE)?;
        let begin = path.steps.len();
        path.loop_start = Some(begin);
        // Up to symmetry the loop may have to be gone round several times until the very same state comes again.
        for _ in 0..MOST_ROUNDS {
            for &next in &lasso.round {
                states.go(&mut path, next).ok_or(UNREPEATABLE)?;
            }
            if path.state(path.steps.len()) == path.state(begin) {
                break;
            }
        }
        let letter_at = |position: usize| letter(path.state(position));
        let prefix: Vec<u64> = (0..begin).map(letter_at).collect();
        let round: Vec<u64> = (begin..path.steps.len().max(begin + 1)).map(letter_at).collect();
        let word = LassoWord::new(automaton.propositions().to_vec(), prefix, round);
        let closes = path.state(path.steps.len()) == path.state(begin);
        match closes && !evaluate::holds(formula, &word) {
            true => Ok(Some(path)),
            false => Err(UNREPEATABLE.into()),
        }
    }
}

const UNREPEATABLE: &str = "the path could not be repeated: does `step` give the same every time, and `representative` only what is alike?";

/// So often a loop is gone round.
const MOST_ROUNDS: usize = 1_000;
