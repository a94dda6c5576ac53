//! Judging evidence about endless paths of first-order systems, as [`entail_first_order::EndlessProof`]'s module defines it: the larger
//! system is built here, with the checker's own monitor, and its invariants are judged like others.

use super::{FirstOrderJudgement, conditions_hold};
use crate::monitor::{Flag, Host, Monitor};
use entail_budget::Budget;
use entail_evidence::{Trace, Truth};
use entail_first_order::{
    FirstOrderSystem, FirstOrderTrace, Op, Refuter, SortId, StateVariable, TermId, Terms,
};
use entail_logic::Formula;
use entail_model::{Sort, TransitionSystem, Value, VarKind};
use entail_systems_checker::{PathEnd, PathWord};
use rustc_hash::FxHashMap;

/// Bounded operators are written out up to this bound, as by whoever makes evidence.
const MAX_WRITTEN_OUT: u32 = 256;

/// A bound above this is not counted out.
const MAX_BOUND: u64 = 1 << 12;

fn variable(system: &mut FirstOrderSystem, name: &str, sort: SortId) -> Flag<TermId> {
    let now = system.terms.constant(name, sort);
    let next = system.terms.constant(&format!("next({name})"), sort);
    system.variables.push(StateVariable {
        name: name.to_owned(),
        current: now,
        next,
    });
    Flag { now, next }
}

impl Host for FirstOrderSystem {
    type Term = TermId;

    fn flag(&mut self, initially: bool) -> Flag<TermId> {
        let name = format!("monitor {}", self.variables.len());
        let flag = variable(self, &name, SortId::BOOL);
        let start = if initially {
            flag.now
        } else {
            self.terms.not(flag.now)
        };
        self.init = self.terms.and(&[self.init, start]);
        flag
    }

    fn require(&mut self, condition: TermId) {
        self.transition = self.terms.and(&[self.transition, condition]);
    }

    fn truth(&mut self, value: bool) -> TermId {
        self.terms.bool(value)
    }

    fn not(&mut self, a: TermId) -> TermId {
        self.terms.not(a)
    }

    fn and(&mut self, all: &[TermId]) -> TermId {
        self.terms.and(all)
    }

    fn or(&mut self, all: &[TermId]) -> TermId {
        self.terms.or(all)
    }

    fn iff(&mut self, a: TermId, b: TermId) -> TermId {
        self.terms.eq(a, b)
    }

    fn justice(&self) -> Vec<TermId> {
        self.justice.clone()
    }

    fn compassion(&self) -> Vec<(TermId, TermId)> {
        self.compassion.clone()
    }
}

/// A system beside the monitor of the fair endless paths that violate a path formula.
pub struct Watched {
    monitor: Monitor<FirstOrderSystem>,
}

impl Watched {
    /// Builds it; what the formula has that it cannot have otherwise.
    pub fn new(system: &FirstOrderSystem, path: &Formula<TermId>) -> Result<Watched, String> {
        let written_out = path
            .expand_bounds(MAX_WRITTEN_OUT)
            .map_err(|reason| reason.to_string())?;
        let violation = written_out.negated_normal_form();
        let mut monitor = Monitor::new(system.clone());
        monitor
            .require_at_start(&violation)
            .map_err(|_| "a path quantifier inside the formula")?;
        monitor.require_fairness();
        Ok(Watched { monitor })
    }

    /// The system with the monitor's variables.
    pub fn system(&self) -> &FirstOrderSystem {
        &self.monitor.system
    }

    /// Its terms, for formulas about it.
    pub fn terms(&mut self) -> &mut Terms {
        &mut self.monitor.system.terms
    }

    /// Adds variables for rounds; ranks and predicates may speak of them.
    pub fn with_rounds(mut self) -> Rounds {
        let ends = self.monitor.round();
        Rounds {
            system: self.monitor.system,
            ends,
        }
    }

    /// The system that counts rounds, and that there are no more than a bound of them.
    pub fn counted(mut self, bound: u64) -> Result<(FirstOrderSystem, TermId), String> {
        if bound > MAX_BOUND {
            return Err(format!("a counter up to {bound}"));
        }
        let exceeded = self.monitor.exceeds(bound);
        let mut system = self.monitor.system;
        let within = system.terms.not(exceeded);
        Ok((system, within))
    }

    /// Judges a path that can go on for ever: the last position of the stem is in the set, and from every state of the set the steps lead
    /// back into it and meet every fairness signal. `steps` gives the values of inputs and of next variables as terms.
    pub fn recurs(
        mut self,
        stem: &FirstOrderTrace,
        set: TermId,
        steps: &[(Vec<TermId>, Vec<TermId>)],
        refuter: &mut dyn Refuter,
        budget: &Budget,
    ) -> FirstOrderJudgement {
        let rejected = |why: &str| FirstOrderJudgement::Rejected(why.to_owned());
        let system = &mut self.monitor.system;
        if let Err(why) = system.follow(stem) {
            return FirstOrderJudgement::Rejected(why);
        }
        match system.truth_at(stem, stem.states.len() - 1, set) {
            Ok(true) => {}
            Ok(false) => return rejected("the way does not lead into the set"),
            Err(why) => return FirstOrderJudgement::Rejected(why),
        }
        if steps.is_empty() {
            return rejected("there is no step that goes on");
        }
        let currents: Vec<TermId> = system.variables.iter().map(|one| one.current).collect();
        let nexts: Vec<TermId> = system.variables.iter().map(|one| one.next).collect();
        let inputs = system.inputs.clone();
        if [set].into_iter().any(|formula| {
            mentions(&system.terms, formula, &nexts) || mentions(&system.terms, formula, &inputs)
        }) {
            return rejected("the set is about the state alone");
        }
        // Symbolically, from any state of the set: what each variable is after the steps so far, over the variables at first.
        let mut state = currents.clone();
        let mut met: Vec<Vec<TermId>> = vec![Vec::new(); self.monitor.fair.len()];
        let mut conditions = Vec::new();
        for (number, (given, after)) in steps.iter().enumerate() {
            if given.len() != inputs.len() || after.len() != nexts.len() {
                return rejected("a step does not give every input and variable a value");
            }
            let sorted = |terms: &Terms, values: &[TermId], of: &[TermId]| {
                (values.iter().zip(of)).all(|(&value, &of)| terms.sort_of(value) == terms.sort_of(of))
            };
            if !sorted(&system.terms, given, &inputs) || !sorted(&system.terms, after, &nexts) {
                return rejected("a step gives a value of another sort");
            }
            let all: Vec<TermId> = given.iter().chain(after).copied().collect();
            if all.iter().any(|&value| {
                mentions(&system.terms, value, &nexts) || mentions(&system.terms, value, &inputs)
            }) {
                return rejected("a step's values are over the state before it");
            }
            let mut now: FxHashMap<TermId, TermId> =
                currents.iter().copied().zip(state.iter().copied()).collect();
            let images = system.terms.substitute(&all, &mut now);
            let (given, after) = images.split_at(inputs.len());
            now = currents.iter().copied().zip(state.iter().copied()).collect();
            now.extend(inputs.iter().copied().zip(given.iter().copied()));
            now.extend(nexts.iter().copied().zip(after.iter().copied()));
            let mut wanted = vec![system.transition];
            wanted.extend(&self.monitor.fair);
            let wanted = system.terms.substitute(&wanted, &mut now);
            conditions.push((format!("step {number}"), wanted[0]));
            for (signal, &here) in met.iter_mut().zip(&wanted[1..]) {
                signal.push(here);
            }
            state = after.to_vec();
        }
        for (number, signal) in met.iter().enumerate() {
            conditions.push((format!("fairness {number}"), system.terms.or(signal)));
        }
        let mut at_end: FxHashMap<TermId, TermId> = currents.into_iter().zip(state).collect();
        let closed = system.terms.substitute(&[set], &mut at_end)[0];
        conditions.push(("the way back into the set".into(), closed));
        let refuted = (conditions.into_iter())
            .map(|(name, condition)| (name, vec![set, system.terms.not(condition)]))
            .collect();
        conditions_hold(&mut system.terms, refuted, refuter, budget)
    }
}

fn mentions(terms: &Terms, formula: TermId, constants: &[TermId]) -> bool {
    let cone = terms.cone(&[formula]);
    constants
        .iter()
        .any(|constant| cone.binary_search(constant).is_ok())
}

/// A watched system with variables for rounds.
pub struct Rounds {
    /// The system.
    pub system: FirstOrderSystem,
    ends: TermId,
}

impl Rounds {
    /// The system that compares two ends of rounds, and that of any two with the same predicates one rank descends; what is wrong with a term.
    pub fn compared(
        self,
        predicates: &[TermId],
        ranks: &[TermId],
    ) -> Result<(FirstOrderSystem, TermId), String> {
        let Rounds { mut system, ends } = self;
        let currents: Vec<TermId> = system.variables.iter().map(|one| one.current).collect();
        let is_about_state = |terms: &Terms, term: TermId| {
            (terms.cone(&[term]).into_iter())
                .all(|inner| !matches!(terms.op(inner), Op::Apply(_)) || currents.contains(&inner))
        };
        for &term in predicates.iter().chain(ranks) {
            if !is_about_state(&system.terms, term) {
                return Err("a predicate or rank is not about the state alone".into());
            }
        }
        let ended = system.flag(false);
        let is_end = system.terms.eq(ended.next, ends);
        system.require(is_end);
        let kept = system.flag(false);
        let fresh = {
            let before = system.terms.not(kept.now);
            system.terms.and(&[before, kept.next])
        };
        let stays = system.terms.implies(kept.now, kept.next);
        let at_end = system.terms.implies(fresh, ended.now);
        system.require(stays);
        system.require(at_end);
        let mut excluded = vec![kept.now, ended.now];
        for &predicate in predicates {
            if system.terms.sort_of(predicate) != SortId::BOOL {
                return Err("a predicate is no formula".into());
            }
            let truth = system.flag(false);
            let value = system.terms.ite(fresh, predicate, truth.now);
            let updated = system.terms.eq(truth.next, value);
            system.require(updated);
            excluded.push(system.terms.eq(truth.now, predicate));
        }
        for &rank in ranks {
            let sort = system.terms.sort_of(rank);
            if !sort.is_arithmetic() {
                return Err("a rank is no number".into());
            }
            let name = format!("remembered {}", system.variables.len());
            let then = variable(&mut system, &name, sort);
            let [zero, one] = [0, 1].map(|number| {
                system
                    .terms
                    .numeral(entail_first_order::Rational::integer(number), sort)
            });
            let start = system.terms.eq(then.now, zero);
            system.init = system.terms.and(&[system.init, start]);
            let value = system.terms.ite(fresh, rank, then.now);
            let updated = system.terms.eq(then.next, value);
            system.require(updated);
            let lower = system.terms.add(&[rank, one], sort);
            let parts = [system.terms.le(zero, then.now), system.terms.le(lower, then.now)];
            let descends = system.terms.and(&parts);
            excluded.push(system.terms.not(descends));
        }
        let bad = system.terms.and(&excluded);
        let goal = system.terms.not(bad);
        Ok((system, goal))
    }
}

/// Whether a lasso is a fair path of the system that violates a path formula, by the formula's direct semantics; what is wrong otherwise.
pub fn check_lasso(
    system: &FirstOrderSystem,
    path: &Formula<TermId>,
    trace: &FirstOrderTrace,
    back: usize,
) -> Result<(), String> {
    let length = trace.states.len();
    if back >= length || trace.inputs.len() != length {
        return Err("the path returns to a position that it does not have".into());
    }
    let mut whole = trace.clone();
    whole.states.push(trace.states[back].clone());
    whole.inputs.push(trace.inputs[back].clone());
    system.follow(&whole)?;
    let in_loop = |formula: TermId| -> Result<bool, String> {
        for position in back..length {
            if system.truth_at(trace, position, formula)? {
                return Ok(true);
            }
        }
        Ok(false)
    };
    for &justice in &system.justice {
        if !in_loop(justice)? {
            return Err("the path is not fair".into());
        }
    }
    for &(often, then) in &system.compassion {
        if in_loop(often)? && !in_loop(then)? {
            return Err("the path is not fair".into());
        }
    }
    // Each atom as a variable of its own, whose values the lasso gives.
    let mut letters = TransitionSystem::new();
    let mut atoms: Vec<TermId> = Vec::new();
    path.for_each_atom(&mut |&atom| {
        if !atoms.contains(&atom) {
            atoms.push(atom);
        }
    });
    let mut variables = FxHashMap::default();
    for (number, &atom) in atoms.iter().enumerate() {
        let variable = letters.add_variable(format!("atom {number}"), Sort::Bool, VarKind::State);
        variables.insert(atom, letters.current(variable));
    }
    let mut steps = Vec::with_capacity(length);
    for position in 0..length {
        let mut row = Vec::with_capacity(atoms.len());
        for &atom in &atoms {
            row.push(Some(Value::Bool(system.truth_at(trace, position, atom)?)));
        }
        steps.push(row);
    }
    let word = Trace {
        steps,
        loop_start: Some(back),
    };
    let formula = path.map_atoms(&mut |atom| variables[atom]);
    let mut word = PathWord::new(&letters, &word, PathEnd::Loop(back)).ok_or("the path is no lasso")?;
    match word.holds(&formula) {
        Truth::False => Ok(()),
        _ => Err("the path satisfies the formula".into()),
    }
}
