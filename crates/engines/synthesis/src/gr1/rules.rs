//! A GR(1) form as decision diagrams: letters now and next, and from where a player can force a step.
//!
//! Each signal has two variables that stay side by side in the order, its value now and its next one. A set of states is a function of values now.

use super::form::{ASSUMED, GUARANTEED, Gr1};
use crate::problem::SynthesisError;
use crate::symbolic::Letters;
use entail_budget::Budget;
use entail_dd::{AutoReorder, Bdd, Manager, Substitution, Var};
use entail_game::FirstMover;
use entail_logic::Formula;

/// Diagrams of this many nodes are ordered anew for the first time: most specifications stay below, and sorting them costs more than it saves.
const FIRST_REORDERING: usize = 20_000;

/// One variable of a signal: its value now, or the next.
type Which = fn(&(Var, Var)) -> Var;

/// What a step must satisfy besides leading into a set.
#[derive(Clone)]
pub(crate) struct Guard {
    /// The condition.
    condition: Bdd,
    /// Whether it depends on next values.
    looks_ahead: bool,
}

/// The diagrams of a form.
pub(crate) struct Rules {
    pub manager: Manager,
    /// Signals with their variables now.
    pub signals: Vec<(String, Var)>,
    first: FirstMover,
    /// Variables now, and next, of inputs and of outputs.
    now: [Bdd; 2],
    next: [Bdd; 2],
    to_next: Substitution,
    /// About the first letter.
    begin: [Bdd; 2],
    /// About each letter and the next.
    pub steps: [Bdd; 2],
    /// Assumptions, negated, and goals; at least one of each.
    pub not_assumed: Vec<Guard>,
    pub goals: Vec<Guard>,
}

impl Rules {
    /// The diagrams.
    pub fn new(form: &Gr1, budget: &Budget) -> Result<Rules, SynthesisError> {
        let manager = Manager::for_budget(budget, 1)?;
        let names: Vec<String> = form.inputs.iter().chain(&form.outputs).cloned().collect();
        // All signals have a value now and a next one, in the order in which they are declared.
        let every = Formula::and(names.iter().map(|name| Formula::atom(name.clone())));
        let mut letters = Letters::new(&manager, &names, &[(every, 1)])?;
        let mut pairs = Vec::with_capacity(names.len());
        for name in &names {
            pairs.push((letters.earlier(name)?, letters.signal(name)?));
        }
        manager.set_groups(
            &pairs
                .iter()
                .map(|&(now, next)| vec![now, next])
                .collect::<Vec<_>>(),
        )?;
        manager.set_auto_reorder(Some(AutoReorder {
            first_at: FIRST_REORDERING,
            ..AutoReorder::default()
        }));
        let (inputs, outputs) = pairs.split_at(form.inputs.len());
        let set = |pairs: &[(Var, Var)], which: Which| manager.var_set(pairs.iter().map(which));
        let (now, next): (Which, Which) = (|pair| pair.0, |pair| pair.1);
        let mut all = |list: &[Formula<String>]| -> Result<Bdd, SynthesisError> {
            let mut all = manager.one();
            for one in list {
                budget.check_now()?;
                all = all.and(&letters.value(one, 1)?)?;
            }
            Ok(all)
        };
        let begin = [all(&form.begin[ASSUMED])?, all(&form.begin[GUARANTEED])?];
        let steps = [all(&form.steps[ASSUMED])?, all(&form.steps[GUARANTEED])?];
        let mut each = |list: &[Formula<String>]| -> Result<Vec<Bdd>, SynthesisError> {
            list.iter().map(|one| all(std::slice::from_ref(one))).collect()
        };
        let (mut assumed, mut goals) = (each(&form.recurs[ASSUMED])?, each(&form.recurs[GUARANTEED])?);
        // What is always met may be added.
        if assumed.is_empty() {
            assumed.push(manager.one());
        }
        if goals.is_empty() {
            goals.push(manager.one());
        }
        let nexts: Vec<Var> = pairs.iter().map(next).collect();
        let guard = |condition: Bdd| Guard {
            looks_ahead: condition
                .support()
                .iter()
                .any(|variable| nexts.contains(variable)),
            condition,
        };
        Ok(Rules {
            now: [set(inputs, now)?, set(outputs, now)?],
            next: [set(inputs, next)?, set(outputs, next)?],
            to_next: Substitution::renaming(&manager, pairs.iter().copied())?,
            signals: names.into_iter().zip(pairs.iter().map(now)).collect(),
            first: form.first,
            begin,
            steps,
            not_assumed: assumed.iter().map(|one| guard(one.not())).collect(),
            goals: goals.into_iter().map(guard).collect(),
            manager,
        })
    }

    /// Whether the system can choose a first letter inside of a set.
    pub fn begins_in(&self, set: &Bdd) -> Result<bool, SynthesisError> {
        let [assumed, guaranteed] = &self.begin;
        let good = assumed.implies(&guaranteed.and(set)?)?;
        let [inputs, outputs] = &self.now;
        let wins = match self.first {
            FirstMover::Environment => good.exists(outputs)?.forall(inputs)?,
            FirstMover::Machine => good.forall(inputs)?.exists(outputs)?,
        };
        Ok(wins.is_true())
    }

    /// The rules once the system has broken its steps: it has to see to it that the assumptions fail, and is free otherwise.
    pub fn broken(&self) -> Rules {
        Rules {
            manager: self.manager.clone(),
            signals: self.signals.clone(),
            first: self.first,
            now: self.now.clone(),
            next: self.next.clone(),
            to_next: self.to_next.clone(),
            begin: self.begin.clone(),
            steps: [self.steps[ASSUMED].clone(), self.manager.one()],
            not_assumed: self.not_assumed.clone(),
            goals: vec![Guard {
                condition: self.manager.zero(),
                looks_ahead: false,
            }],
        }
    }
}

/// From where the system can force a step.
pub(crate) struct Steps<'r> {
    pub rules: &'r Rules,
    /// Steps of the system under each negated assumption, and under each goal, where these depend on next values.
    under_assumption: Vec<Option<Bdd>>,
    under_goal: Vec<Option<Bdd>>,
    /// Steps that are good wherever they lead: the environment has broken its own. With outputs that are chosen last, without them.
    free: Bdd,
}

impl<'r> Steps<'r> {
    /// Steps that obey the rules of the system; those that do not are good where they lead into `broken`.
    pub fn new(rules: &'r Rules, broken: Option<&Bdd>) -> Result<Steps<'r>, SynthesisError> {
        let own = &rules.steps[GUARANTEED];
        let under = |guards: &[Guard]| -> Result<Vec<Option<Bdd>>, SynthesisError> {
            let one = |guard: &Guard| match guard.looks_ahead {
                true => Ok(Some(own.and(&guard.condition)?)),
                false => Ok(None),
            };
            guards.iter().map(one).collect()
        };
        let mut steps = Steps {
            rules,
            under_assumption: under(&rules.not_assumed)?,
            under_goal: under(&rules.goals)?,
            free: rules.manager.zero(),
        };
        let environment_fails = steps.chosen(&rules.steps[ASSUMED].not(), &rules.manager.one())?;
        steps.free = match broken {
            Some(set) => environment_fails.or(&steps.leading(&own.not(), set)?)?,
            None => environment_fails,
        };
        Ok(steps)
    }

    /// Steps that are both, without what the system chooses last.
    fn chosen(&self, steps: &Bdd, also: &Bdd) -> Result<Bdd, SynthesisError> {
        Ok(match self.rules.first {
            FirstMover::Environment => steps.and_exists(also, &self.rules.next[GUARANTEED])?,
            FirstMover::Machine => steps.and(also)?,
        })
    }

    /// Such steps into a set, without what the system chooses last.
    fn leading(&self, steps: &Bdd, set: &Bdd) -> Result<Bdd, SynthesisError> {
        self.chosen(steps, &set.substitute(&self.rules.to_next)?)
    }

    /// The system's steps into a set.
    pub fn own(&self, set: &Bdd) -> Result<Bdd, SynthesisError> {
        self.leading(&self.rules.steps[GUARANTEED], set)
    }

    fn guarded(&self, guard: &Guard, under: Option<&Bdd>, set: &Bdd) -> Result<Bdd, SynthesisError> {
        match under {
            Some(steps) => self.leading(steps, set),
            None if guard.condition.is_false() => Ok(guard.condition.clone()),
            None => Ok(self.own(set)?.and(&guard.condition)?),
        }
    }

    /// The system's steps into a set that do not meet an assumption.
    pub fn avoiding(&self, assumption: usize, set: &Bdd) -> Result<Bdd, SynthesisError> {
        let under = self.under_assumption[assumption].as_ref();
        self.guarded(&self.rules.not_assumed[assumption], under, set)
    }

    /// Whether an assumption is met by every step.
    pub fn is_always_met(&self, assumption: usize) -> bool {
        self.rules.not_assumed[assumption].condition.is_false()
    }

    /// The system's steps into a set that meet a goal.
    pub fn meeting(&self, goal: usize, set: &Bdd) -> Result<Bdd, SynthesisError> {
        self.guarded(&self.rules.goals[goal], self.under_goal[goal].as_ref(), set)
    }

    /// The states from which the system can force one of these steps, or one that is good anyway.
    pub fn forced(&self, steps: &Bdd) -> Result<Bdd, SynthesisError> {
        let [inputs, outputs] = &self.rules.next;
        Ok(match self.rules.first {
            FirstMover::Environment => self.free.not().and_exists(&steps.not(), inputs)?.not(),
            FirstMover::Machine => {
                let bad = self.free.not().and_exists(&steps.not(), inputs)?;
                bad.not().exists(outputs)?
            }
        })
    }
}
