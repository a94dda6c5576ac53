//! The reachable states, and what is certain or impossible, by fixpoints on decision diagrams.
//!
//! The graph algorithms are those of de Alfaro (1997) and Baier and Katoen (2008, chapter 10), on sets: `may_reach` of a step is its predecessors. In chains all
//! enabled steps of a state together are its one distribution, so that what some step may reach has a positive probability. So are the delays of a Markov automaton, which count
//! where nothing happens at once (maximal progress).

use super::encoding::Encoding;
use super::functions::Functions;
use super::levels::{self, Levels, put};
use super::product::{Reader, followed};
use super::steps::{Builder, Step, Steps};
use crate::check::Trouble;
use crate::numbers::Numbers;
use entail_budget::Budget;
use entail_dd::Bdd;
use entail_markov::{Expr, Initial, Kind, Network, Optimum, SemanticError, interpreter};

/// Steps that are one distribution together.
pub(super) struct Choice {
    pub steps: Vec<usize>,
    /// Whether it takes time.
    pub delayed: bool,
    /// Where it is enabled.
    pub enabled: Bdd,
}

/// A network's states and steps.
pub(super) struct Space<'n> {
    pub network: &'n Network,
    pub encoding: Encoding,
    pub numbers: Numbers,
    pub steps: Vec<Step>,
    /// What is chosen among: steps that are one distribution together, wherever they are enabled.
    pub choices: Vec<Choice>,
    pub initial: Bdd,
    /// The reachable states; those behind settled ones are left out, unless the model is small.
    pub states: Bdd,
    /// Whether no state is left out.
    pub whole: bool,
    /// Those without a way out; they have a step that stays.
    pub deadlocks: Bdd,
    /// In continuous time: the exit rates, by state.
    pub exits: Levels,
}

impl<'n> Space<'n> {
    /// Builds the steps of a network and finds its states. Behind settled states none are looked for, but in models that have at most `few` states in all.
    pub fn new(
        network: &'n Network,
        settled: Option<&Expr>,
        few: usize,
        budget: &Budget,
    ) -> Result<Space<'n>, Trouble> {
        let encoding = Encoding::new(network, None, budget)?;
        let (mut space, suspects) = Space::unexplored(network, encoding)?;
        let nothing = space.encoding.manager.zero();
        let settled = match settled {
            Some(settled) => Functions::new(network, &space.encoding).truth(settled)?.0,
            None => nothing.clone(),
        };
        space.explore(&suspects, &nothing, &settled, None)?;
        let mut left_out = space.states.and(&settled)?;
        if !left_out.is_false() {
            let near = space.states.clone();
            space.whole = space.explore(&suspects, &near.minus(&settled)?, &nothing, Some(few))?;
            match space.whole {
                true => left_out = nothing,
                false => space.states = near,
            }
        }
        space.find_deadlocks(&left_out)?;
        if !space.deadlocks.is_false() {
            let staying = space.staying(space.deadlocks.clone())?;
            space.steps.push(staying);
        }
        space.share()?;
        space.find_choices()?;
        Ok(space)
    }

    /// The product of a network and an automaton, whose variable stands behind those of the network.
    pub fn with_reader(network: &'n Network, reader: &Reader, budget: &Budget) -> Result<Space<'n>, Trouble> {
        let encoding = Encoding::new(network, Some(reader.size()), budget)?;
        let variable = network.variables.len();
        let (mut space, suspects) = Space::unexplored(network, encoding)?;
        let letters = reader.letters(network, &space.encoding)?;
        let relations = reader.relations(&space.encoding, variable, &letters)?;
        space.initial = reader.initial(&space.encoding, variable, &letters, &space.initial)?;
        space.states = space.initial.clone();
        for step in &mut space.steps {
            followed(&space.encoding, step, variable, &letters, &relations)?;
        }
        let nothing = space.encoding.manager.zero();
        space.explore(&suspects, &nothing, &nothing, None)?;
        space.find_deadlocks(&nothing)?;
        if !space.deadlocks.is_false() {
            // Whoever stays goes on reading.
            let (of_automaton, _) = space.encoding.bits_of(&[variable]);
            let of_automaton = space.encoding.manager.var_set(of_automaton)?;
            let dead = space.deadlocks.exists(&of_automaton)?;
            let mut staying = space.staying(dead.clone())?;
            followed(&space.encoding, &mut staying, variable, &letters, &relations)?;
            space.steps.push(staying);
            let expanded = space.states.minus(&space.deadlocks)?;
            space.explore(&suspects, &expanded, &nothing, None)?;
            space.deadlocks = space.states.and(&dead)?;
        }
        space.share()?;
        space.find_choices()?;
        Ok(space)
    }

    /// The steps of a network, whose states are not found yet, and where something is wrong.
    fn unexplored(network: &'n Network, encoding: Encoding) -> Result<(Space<'n>, Bdd), Trouble> {
        let mut numbers = Numbers::default();
        let Steps {
            mut steps,
            mut suspects,
        } = Builder::new(network, &encoding).steps(&mut numbers)?;
        if network.kind == Kind::Ma {
            delay_only_where_nothing_happens(&encoding, &mut steps)?;
        }
        for step in &steps {
            suspects = suspects.or(&step.suspects)?;
        }
        let initial = initial_states(network, &encoding)?;
        let space = Space {
            network,
            numbers,
            steps,
            choices: Vec::new(),
            states: initial.clone(),
            whole: true,
            initial,
            deadlocks: encoding.manager.zero(),
            exits: Levels::new(),
            encoding,
        };
        Ok((space, suspects))
    }

    /// Adds what steps lead to, step by step, until nothing is new (chaining, Roig, Cortadella and Pastor 1995). Some states are `expanded` already, others are
    /// `settled` and not left. Whether all states were found; that is given up where there are more than `most`.
    fn explore(
        &mut self,
        suspects: &Bdd,
        expanded: &Bdd,
        settled: &Bdd,
        most: Option<usize>,
    ) -> Result<bool, Trouble> {
        let bits = self.encoding.now();
        let wrong = suspects.minus(settled)?;
        let mut done = vec![expanded.clone(); self.steps.len()];
        loop {
            let before = self.states.clone();
            for (step, done) in self.steps.iter().zip(&mut done) {
                // Again and again from what is new, while the step alone leads on.
                loop {
                    let from = self.states.minus(done)?.minus(settled)?;
                    if from.is_false() {
                        break;
                    }
                    *done = self.states.clone();
                    self.states = self.states.or(&step.image(&from)?)?;
                }
                if most.is_some_and(|most| self.states.count_log2(&bits) > (most as f64 + 0.5).log2()) {
                    return Ok(false);
                }
            }
            self.none_wrong(&wrong)?;
            if self.states == before {
                return Ok(true);
            }
        }
    }

    /// The mistake in a reachable state that is suspect.
    fn none_wrong(&self, suspects: &Bdd) -> Result<(), Trouble> {
        let Some(state) = self.encoding.some_state(&self.states.and(suspects)?) else {
            return Ok(());
        };
        Err(match interpreter::choices(self.network, &state) {
            Err(mistake) => Trouble::Model(mistake),
            Ok(_) => Trouble::Unsupported(
                "a step cannot be computed on decision diagrams: use --engine sparse".to_owned(),
            ),
        })
    }

    /// Finds the states without a way out; those that were left out are not looked at.
    fn find_deadlocks(&mut self, left_out: &Bdd) -> Result<(), Trouble> {
        let mut alive = self.encoding.manager.zero();
        for step in &self.steps {
            alive = alive.or(&levels::defined(&self.encoding.manager, &step.total)?)?;
        }
        self.deadlocks = self.states.minus(&alive)?.minus(left_out)?;
        let Some(state) = self.encoding.some_state(&self.deadlocks) else {
            return Ok(());
        };
        match self.network.dead_ends.mistake(self.network, &state) {
            Some(mistake) => Err(Trouble::Model(mistake)),
            None => Ok(()),
        }
    }

    fn staying(&self, states: Bdd) -> Result<Step, Trouble> {
        Builder::staying(&self.encoding, states, self.network.kind.is_timed())
    }

    /// Whether a step is part of one distribution with others.
    fn shares(&self, step: &Step) -> bool {
        shares(self.network.kind, step)
    }

    /// Steps that are enabled together share the probability, where there is no choice between them: equally in discrete time, by their rates in continuous time.
    fn share(&mut self) -> Result<(), Trouble> {
        if self.network.kind == Kind::Mdp {
            return Ok(());
        }
        let manager = &self.encoding.manager;
        let mut whole = Levels::new();
        let kind = self.network.kind;
        for step in self.steps.iter().filter(|step| shares(kind, step)) {
            let total = levels::within(&step.total, &self.states)?;
            whole = levels::sum(manager, &mut self.numbers, &whole, &total)?;
        }
        if self.network.kind.is_timed() {
            self.exits = whole.clone();
        }
        let is_one = |levels: &Levels| levels.keys().all(|&value| value == Numbers::ONE);
        if !is_one(&whole) {
            for step in self.steps.iter_mut().filter(|step| shares(kind, step)) {
                step.rows = levels::quotient(&mut self.numbers, &step.rows, &whole)?;
                step.total = levels::quotient(&mut self.numbers, &step.total, &whole)?;
            }
        }
        Ok(())
    }

    /// What is chosen among.
    fn find_choices(&mut self) -> Result<(), Trouble> {
        let (mut choices, mut shared) = (Vec::new(), Vec::new());
        for (at, step) in self.steps.iter().enumerate() {
            match self.shares(step) {
                true => shared.push(at),
                false => choices.push(Choice {
                    steps: vec![at],
                    delayed: false,
                    enabled: step.enabled.clone(),
                }),
            }
        }
        let mut enabled = self.encoding.manager.zero();
        for &at in &shared {
            // Delays of rate 0 are none.
            enabled = enabled.or(&levels::defined(&self.encoding.manager, &self.steps[at].total)?)?;
        }
        if !shared.is_empty() {
            choices.push(Choice {
                steps: shared,
                delayed: self.network.kind.is_timed(),
                enabled,
            });
        }
        self.choices = choices;
        Ok(())
    }

    /// The states from which a choice may lead into a set.
    pub fn may_reach(&self, choice: &Choice, set: &Bdd) -> Result<Bdd, Trouble> {
        let mut found = self.encoding.manager.zero();
        for &at in &choice.steps {
            found = found.or(&self.steps[at].may_reach(set)?)?;
        }
        Ok(found)
    }

    /// The states in which an expression is true.
    pub fn set(&self, expr: &'n Expr) -> Result<Bdd, Trouble> {
        let (set, undefined) = Functions::new(self.network, &self.encoding).truth(expr)?;
        if let Some(state) = self.encoding.some_state(&undefined.and(&self.states)?) {
            let message = match self.network.holds(expr, &state) {
                Err(error) => error.to_string(),
                Ok(_) => "an expression has no value".to_owned(),
            };
            return Err(Trouble::Model(SemanticError {
                message,
                place: None,
                state: Some(self.network.show_state(&state)),
                help: None,
            }));
        }
        Ok(set.and(&self.states)?)
    }

    /// The states from which some step may lead into a set.
    pub fn before(&self, set: &Bdd) -> Result<Bdd, Trouble> {
        let mut found = self.encoding.manager.zero();
        for step in &self.steps {
            found = found.or(&step.may_reach(set)?)?;
        }
        Ok(found.and(&self.states)?)
    }

    /// The states from which some path leads to the goal through states to stay in.
    pub fn reach_some(&self, stay: &Bdd, goal: &Bdd) -> Result<Bdd, Trouble> {
        let mut found = goal.clone();
        let mut new = goal.clone();
        while !new.is_false() {
            new = self.before(&new)?.and(stay)?.minus(&found)?;
            found = found.or(&new)?;
        }
        Ok(found)
    }

    /// The states from which every scheduler has a chance to reach the goal.
    pub fn reach_all(&self, stay: &Bdd, goal: &Bdd) -> Result<Bdd, Trouble> {
        let mut found = goal.clone();
        loop {
            let mut avoids = self.encoding.manager.zero();
            for choice in &self.choices {
                avoids = avoids.or(&choice.enabled.minus(&self.may_reach(choice, &found)?)?)?;
            }
            let next = found.or(&stay.minus(&avoids)?)?;
            if next == found {
                return Ok(found);
            }
            found = next;
        }
    }

    /// The states from which every scheduler reaches the goal with probability 1, where `positive` are those from which each has a chance.
    pub fn surely_all(&self, stay: &Bdd, goal: &Bdd, positive: &Bdd) -> Result<Bdd, Trouble> {
        let way = stay.minus(goal)?;
        let lost = self.reach_some(&way, &self.states.minus(positive)?)?;
        Ok(self.states.minus(&lost)?)
    }

    /// The states from which some scheduler reaches the goal with probability 1.
    pub fn surely_some(&self, stay: &Bdd, goal: &Bdd) -> Result<Bdd, Trouble> {
        let mut sure = self.reach_some(stay, goal)?;
        loop {
            // Steps that do not leave what may be sure.
            let outside = self.states.minus(&sure)?;
            let mut safe = Vec::with_capacity(self.choices.len());
            for choice in &self.choices {
                safe.push(choice.enabled.minus(&self.may_reach(choice, &outside)?)?);
            }
            let mut found = goal.clone();
            loop {
                let mut next = found.clone();
                for (choice, safe) in self.choices.iter().zip(&safe) {
                    let before = self.may_reach(choice, &found)?;
                    next = next.or(&before.and(safe)?.and(stay)?.and(&sure)?)?;
                }
                if next == found {
                    break;
                }
                found = next;
            }
            if found == sure {
                return Ok(sure);
            }
            sure = found;
        }
    }

    /// Where the probability of `stay U goal` is positive, and where it is 1.
    pub fn certain(&self, optimum: Optimum, stay: &Bdd, goal: &Bdd) -> Result<(Bdd, Bdd), Trouble> {
        if !self.network.kind.has_choices() {
            let positive = self.reach_some(stay, goal)?;
            let sure = self.surely_all(stay, goal, &positive)?;
            return Ok((positive, sure));
        }
        match optimum {
            Optimum::Max => Ok((self.reach_some(stay, goal)?, self.surely_some(stay, goal)?)),
            Optimum::Min => {
                let positive = self.reach_all(stay, goal)?;
                let sure = self.surely_all(stay, goal, &positive)?;
                Ok((positive, sure))
            }
        }
    }

    /// What each choice earns by a structure, by state: in continuous time for the time spent, too.
    pub fn earned(&mut self, structure: usize) -> Result<Vec<Levels>, Trouble> {
        let network = self.network;
        let mut of_states = self.earned_in_states(structure)?;
        if network.kind.is_timed() {
            of_states = levels::quotient(&mut self.numbers, &of_states, &self.exits)?;
        }
        let rewards = &network.rewards[structure];
        let mut of_steps = Vec::with_capacity(self.steps.len());
        for at in 0..self.steps.len() {
            let action = self.steps[at].action;
            let staying = self.steps[at].written.is_empty() && self.steps[at].enabled == self.deadlocks;
            let items = (rewards.transitions.iter())
                .filter(|item| item.action == action && !staying)
                .map(|item| (&item.guard, &item.value));
            let of_step = self.items(&mut items.into_iter())?;
            let of_step = levels::within(&of_step, &self.steps[at].enabled)?;
            let manager = &self.encoding.manager;
            of_steps.push(match self.steps[at].gains.get(structure) {
                Some(gains) => {
                    let gains = levels::within(gains, &self.states)?;
                    self.not_negative(&gains)?;
                    levels::sum(manager, &mut self.numbers, &of_step, &gains)?
                }
                None => of_step,
            });
        }
        let manager = &self.encoding.manager;
        let mut found = Vec::with_capacity(self.choices.len());
        for choice in &self.choices {
            // What is earned for being there: in continuous time by those who wait.
            let mut own = match choice.delayed || !network.kind.is_timed() {
                true => levels::within(&of_states, &choice.enabled.and(&self.states)?)?,
                false => Levels::new(),
            };
            for &at in &choice.steps {
                // Of steps that share a distribution, the average.
                let share = match choice.steps.len() {
                    1 if !self.shares(&self.steps[at]) => None,
                    _ => Some(levels::within(&self.steps[at].total, &self.states)?),
                };
                let of_step = match share {
                    Some(share) => levels::product(&mut self.numbers, &of_steps[at], &share)?,
                    None => of_steps[at].clone(),
                };
                own = levels::sum(manager, &mut self.numbers, &own, &of_step)?;
            }
            found.push(own);
        }
        Ok(found)
    }

    /// What states earn by a structure, for each step or unit of time.
    pub fn earned_in_states(&mut self, structure: usize) -> Result<Levels, Trouble> {
        let network = self.network;
        let items = (network.rewards[structure].states.iter()).map(|item| (&item.guard, &item.value));
        self.items(&mut items.into_iter())
    }

    fn not_negative(&self, levels: &Levels) -> Result<(), Trouble> {
        match levels.keys().any(|&value| self.numbers.float(value) < 0.0) {
            false => Ok(()),
            true => Err(Trouble::Unsupported(
                "negative rewards are not supported by --engine symbolic".to_owned(),
            )),
        }
    }

    fn items(&mut self, items: &mut dyn Iterator<Item = (&'n Expr, &'n Expr)>) -> Result<Levels, Trouble> {
        let manager = self.encoding.manager.clone();
        let mut whole = Levels::new();
        for (guard, value) in items {
            let applies = self.set(guard)?;
            let (cases, undefined) = Functions::new(self.network, &self.encoding).numbers(value)?;
            if !undefined.is_disjoint_from(&applies)? {
                let message = "a reward has no value in a reachable state".to_owned();
                return Err(Trouble::Unsupported(message));
            }
            let mut own = Levels::new();
            for (value, set) in cases {
                if !value.is_zero() {
                    put(&mut own, self.numbers.intern(value), set.and(&applies)?)?;
                }
            }
            self.not_negative(&own)?;
            whole = levels::sum(&manager, &mut self.numbers, &whole, &own)?;
        }
        Ok(whole)
    }
}

/// Whether a step is part of one distribution with others: in chains all steps are, in Markov automata delays.
fn shares(kind: Kind, step: &Step) -> bool {
    match kind {
        Kind::Dtmc | Kind::Ctmc => true,
        Kind::Mdp => false,
        Kind::Ma => step.delayed,
    }
}

/// Maximal progress: delays count where nothing happens at once.
fn delay_only_where_nothing_happens(encoding: &Encoding, steps: &mut [Step]) -> Result<(), Trouble> {
    let mut waiting = encoding.manager.one();
    for step in steps.iter().filter(|step| !step.delayed) {
        waiting = waiting.minus(&step.enabled)?;
    }
    for step in steps.iter_mut().filter(|step| step.delayed) {
        step.restrict(&waiting)?;
    }
    Ok(())
}

fn initial_states(network: &Network, encoding: &Encoding) -> Result<Bdd, Trouble> {
    match &network.initial {
        Initial::Values(values) => Ok(encoding.state(values)?),
        Initial::Predicate(predicate, place) => {
            let (set, undefined) = Functions::new(network, encoding).truth(predicate)?;
            if !undefined.and(&encoding.valid)?.is_false() {
                let message = "the condition of initial states has no value somewhere: use --engine sparse";
                return Err(Trouble::Unsupported(message.to_owned()));
            }
            let set = set.and(&encoding.valid)?;
            match set.is_false() {
                true => Err(Trouble::Model(SemanticError::new(
                    "no state is initial",
                    *place,
                    None,
                ))),
                false => Ok(set),
            }
        }
    }
}
