//! A model under examination: its bits, its relation, and what has been learned about it.
//!
//! Everything is computed when it is first needed and kept: reachable states, dead ends, states with a fair path, the
//! states that satisfy a formula. All of it survives from one property to the next, and a search that ran out of budget goes
//! on where it stopped.

use crate::encoding::Encoding;
use crate::fair_states::Fixpoints;
use crate::interleaving::{flatten, parts};
use crate::machine::{Machine, Path, counts_finite_paths, stuttering};
use crate::options::{Reordering, Search, SymbolicOptions};
use crate::reachability::{Reached, Watch};
use crate::static_order::bit_order;
use crate::stop::{Attempt, NotComputed};
use crate::translate::{Translator, balanced};
use entail_dd::{AutoReorder, Bdd, Manager, Method};
use entail_evidence::{CheckOptions, DeadEnds, ModelError};
use entail_logic::Formula;
use entail_model::{TermId, TransitionSystem, VarKind};
use rustc_hash::FxHashMap;

pub(crate) struct EncodedSystem<'a> {
    pub system: &'a TransitionSystem,
    pub dead_end_policy: DeadEnds,
    pub settings: SymbolicOptions,
    pub encoding: Encoding,
    pub machine: Machine,
    /// Conditions that every state satisfies, validity of codes included.
    pub invariants: Vec<Bdd>,
    pub reached: Reached,
    /// Compassion speaks of inputs or next values: only the products with testers can express it.
    pub compassion_on_steps: bool,
    pub(crate) dead_ends: Option<Bdd>,
    total: Option<bool>,
    pub(crate) fair: Option<Bdd>,
    pub(crate) labels: FxHashMap<Formula<TermId>, Bdd>,
    /// Pairs of bits made for testers, to be used again.
    pub(crate) spare: std::cell::RefCell<Vec<crate::encoding::Bit>>,
    hazards_excluded: bool,
    specialised: bool,
}

/// Larger sets of reachable states are not used to simplify the relation.
const SPECIALISE_UP_TO: usize = 20_000;

impl<'a> EncodedSystem<'a> {
    pub fn build(
        system: &'a TransitionSystem,
        options: &CheckOptions,
        settings: &SymbolicOptions,
        watch: Watch<'_>,
    ) -> Attempt<EncodedSystem<'a>> {
        let manager = Manager::for_budget(watch.budget, options.threads.max(1))?;
        let order = bit_order(system, &settings.order)?;
        let encoding = Encoding::new(system, manager.clone(), &order)?;
        manager.set_auto_reorder(automatic(settings));
        let mut translator = Translator::new(&encoding, &system.terms);
        let specs = parts(system, &mut translator, settings.disjunctive)?;
        let mut invariants = encoding.valid_states.clone();
        for condition in flatten(system, &system.invariant) {
            invariants.push(translator.condition(condition)?);
        }
        let mut start = invariants.clone();
        for condition in flatten(system, &system.init) {
            start.push(translator.condition(condition)?);
        }
        let initial = conjunction(&manager, start)?;
        if initial.is_false() {
            return Err(NotComputed::model("the model has no initial state"));
        }
        let mut justice = Vec::new();
        for &term in &system.justice {
            justice.push(translator.condition(term)?);
        }
        let compassion_on_steps = system
            .compassion
            .iter()
            .any(|&(p, q)| is_about_steps(system, p) || is_about_steps(system, q));
        let mut compassion = Vec::new();
        if !compassion_on_steps {
            for &(p, q) in &system.compassion {
                compassion.push((translator.condition(p)?, translator.condition(q)?));
            }
        }
        drop(translator);
        let bits = encoding.state_bits.clone();
        let mut machine = Machine::new(
            &encoding,
            specs,
            &invariants,
            bits,
            initial.clone(),
            settings.cluster_size,
        )?;
        if options.dead_ends == DeadEnds::Stutter {
            let states = conjunction(&manager, invariants.clone())?;
            let dead = machine.dead_ends(&encoding, &states, &states)?;
            if !dead.is_false() {
                let mut specs: Vec<_> = machine.parts.iter().map(|part| part.spec()).collect();
                specs.push(stuttering(dead));
                let bits = encoding.state_bits.clone();
                machine = Machine::new(
                    &encoding,
                    specs,
                    &invariants,
                    bits,
                    initial.clone(),
                    settings.cluster_size,
                )?;
            }
        }
        machine.justice = justice;
        machine.compassion = compassion;
        let mut reached = Reached::start(&initial);
        reached.saturating = (settings.search == Search::Saturation).then(|| automatic(settings));
        Ok(EncodedSystem {
            system,
            dead_end_policy: options.dead_ends,
            settings: settings.clone(),
            reached,
            encoding,
            machine,
            invariants,
            compassion_on_steps,
            dead_ends: None,
            total: None,
            fair: None,
            labels: FxHashMap::default(),
            spare: Default::default(),
            hazards_excluded: false,
            specialised: false,
        })
    }

    pub fn manager(&self) -> &Manager {
        &self.encoding.manager
    }

    pub fn fixpoints<'b>(&'b self, watch: Watch<'b>) -> Fixpoints<'b> {
        Fixpoints {
            encoding: &self.encoding,
            machine: &self.machine,
            watch,
        }
    }

    /// The condition a term is, on current, input and next bits.
    pub fn condition(&self, term: TermId) -> Attempt<Bdd> {
        Translator::new(&self.encoding, &self.system.terms).condition(term)
    }

    /// All reachable states.
    pub fn reachable(&mut self, watch: Watch<'_>) -> Attempt<Bdd> {
        if !self.reached.complete {
            self.reached.run(&self.machine, None, watch)?;
        }
        self.exclude_hazards(watch)?;
        if self.dead_end_policy == DeadEnds::Error {
            let dead = self.dead_ends(watch)?;
            if !dead.is_false() {
                let path = self
                    .reached
                    .path_to(&self.encoding, &self.machine, &dead, watch)?;
                let error = ModelError {
                    message: "a reachable state has no successor".into(),
                    place: None,
                    trace: path.map(|path| self.machine.trace(&self.encoding, &path, None)),
                    help: Some("dead ends can be allowed, as paths that end or that stutter".into()),
                };
                return Err(NotComputed::Model(Box::new(error)));
            }
        }
        Ok(self.reached.states.clone())
    }

    /// Once all reachable states are known, predecessors are only asked for among them. Done before the first backward
    /// fixpoint; invariants that hold need none.
    fn specialise(&mut self) -> Attempt<()> {
        if !std::mem::replace(&mut self.specialised, true)
            && self.reached.states.node_count() <= SPECIALISE_UP_TO
        {
            for part in &mut self.machine.parts {
                part.simplify_backward(&self.encoding, &self.reached.states)?;
            }
        }
        Ok(())
    }

    /// Whether every state, reachable or not, has a successor: then dead ends need not be looked for.
    pub fn is_total(&mut self, watch: Watch<'_>) -> Attempt<bool> {
        if let Some(total) = self.total {
            return Ok(total);
        }
        watch.budget.check()?;
        let states = conjunction(self.manager(), self.invariants.clone())?;
        let total = states.is_subset_of(&self.machine.preimage(&self.encoding, &states)?)?;
        if total {
            self.dead_ends = Some(self.manager().zero());
        }
        self.total = Some(total);
        Ok(total)
    }

    /// Whether every reachable state has a successor.
    pub fn has_no_dead_ends(&mut self, watch: Watch<'_>) -> Attempt<bool> {
        Ok(self.total == Some(true) || self.dead_ends(watch)?.is_false())
    }

    /// Reachable states without successors.
    pub fn dead_ends(&mut self, watch: Watch<'_>) -> Attempt<Bdd> {
        if let Some(dead) = &self.dead_ends {
            return Ok(dead.clone());
        }
        if !self.reached.complete {
            self.reached.run(&self.machine, None, watch)?;
        }
        let states = &self.reached.states;
        // Often a successor exists whatever the state, and asking for any is easier than for a reachable one.
        let any = match self.invariants.is_empty() {
            true => self.manager().one(),
            false => states.clone(),
        };
        let dead = self.machine.dead_ends(&self.encoding, states, &any)?;
        self.dead_ends = Some(dead.clone());
        Ok(dead)
    }

    /// The fairness that CTL's quantifiers respect.
    pub fn compassion(&self) -> Vec<(Bdd, Bdd)> {
        match self.settings.compassion_in_ctl {
            true => self.machine.compassion.clone(),
            false => Vec::new(),
        }
    }

    /// Reachable states from which a path starts that counts: a fair infinite one, or (maximal paths) one that ends.
    pub fn fair_states(&mut self, watch: Watch<'_>) -> Attempt<Bdd> {
        if let Some(fair) = &self.fair {
            return Ok(fair.clone());
        }
        let reachable = self.reachable(watch)?;
        self.specialise()?;
        let dead = self.dead_ends(watch)?;
        let fairness = !self.machine.justice.is_empty() || !self.compassion().is_empty();
        let fair = if !fairness && (dead.is_false() || counts_finite_paths(self.dead_end_policy)) {
            reachable
        } else {
            let fixpoints = self.fixpoints(watch);
            let mut fair = fixpoints.fair(&reachable, &self.machine.justice, &self.compassion())?;
            if counts_finite_paths(self.dead_end_policy) && !dead.is_false() {
                fair = fair.or(&fixpoints.until(&reachable, &dead)?)?;
            }
            fair
        };
        self.fair = Some(fair.clone());
        Ok(fair)
    }

    /// Refuses a model in which a hazard can be met.
    fn exclude_hazards(&mut self, watch: Watch<'_>) -> Attempt<()> {
        if self.hazards_excluded {
            return Ok(());
        }
        let system = self.system;
        // Inputs are chosen by the conjuncts without next values, whether or not a successor exists.
        let mut choices = self.encoding.valid_inputs.clone();
        if !system.hazards.is_empty() {
            for &conjunct in &system.transition {
                if !looks_ahead(system, conjunct) {
                    choices.push(self.condition(conjunct)?);
                }
            }
        }
        let choices = conjunction(self.manager(), choices)?;
        let inputs = self.manager().var_set(self.encoding.input_bits.iter().copied())?;
        for hazard in &system.hazards {
            watch.budget.check()?;
            let condition = self.condition(hazard.condition)?;
            let reachable = &self.reached.states;
            let (bad, along) = if looks_ahead(system, hazard.condition) {
                let along = condition;
                let bad = self
                    .machine
                    .preimage_of_steps(&self.encoding, reachable, &along)?;
                (bad.and(reachable)?, Some(along))
            } else if is_about_steps(system, hazard.condition) {
                (condition.and_exists(&choices, &inputs)?.and(reachable)?, None)
            } else {
                // What is wrong in a state is wrong whether or not inputs can be chosen there.
                (condition.and(reachable)?, None)
            };
            if bad.is_false() {
                continue;
            }
            let trace = match self.reached.path_to(&self.encoding, &self.machine, &bad, watch)? {
                Some(mut path) => {
                    self.extend(&mut path, along.as_ref())?;
                    Some(self.machine.trace(&self.encoding, &path, None))
                }
                None => None,
            };
            return Err(NotComputed::Model(Box::new(ModelError {
                message: hazard.message.clone(),
                place: hazard.place,
                trace,
                help: None,
            })));
        }
        self.hazards_excluded = true;
        Ok(())
    }

    /// One more step, along a condition if there is one.
    pub fn extend(&self, path: &mut Path, along: Option<&Bdd>) -> Attempt<()> {
        if let Some(along) = along {
            let step = self
                .machine
                .real_step(&self.encoding, path.last(), &self.reached.states, along)?;
            if let Some((inputs, point)) = step {
                path.push(inputs, point);
            }
        }
        Ok(())
    }
}

fn automatic(settings: &SymbolicOptions) -> Option<AutoReorder> {
    let method = match settings.reordering {
        Reordering::None => return None,
        Reordering::Sift => Method::Sift,
        Reordering::Converge => Method::SiftToConvergence,
    };
    Some(AutoReorder {
        method,
        first_at: settings.first_reordering,
        ..AutoReorder::default()
    })
}

/// The conjunction of many conditions, small ones first.
pub(crate) fn conjunction(manager: &Manager, mut conditions: Vec<Bdd>) -> Attempt<Bdd> {
    conditions.sort_by_cached_key(Bdd::node_count);
    balanced(conditions, manager.one(), Bdd::and)
}

/// Whether a term reads next values.
pub(crate) fn looks_ahead(system: &TransitionSystem, term: TermId) -> bool {
    !system.terms.support(&[term]).1.is_empty()
}

/// Whether a term reads inputs or next values.
pub(crate) fn is_about_steps(system: &TransitionSystem, term: TermId) -> bool {
    let (current, next) = system.terms.support(&[term]);
    !next.is_empty()
        || current
            .iter()
            .any(|&id| system.variable(id).kind == VarKind::Input)
}
