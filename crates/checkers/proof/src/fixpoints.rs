//! Proofs of branching-time formulas by sets of states, checked question by question.
//!
//! What such a proof is and why it is one is said where it is defined ([`entail_evidence::FixpointProof`]'s module). Every condition there is a question whether some state,
//! or some step, breaks it. A step from inside the invariant is encoded once, and all of them are asked about it under assumptions; where a strategy claims that a step exists, another encoding
//! has the strategy's values in place of the inputs and the next state, so that existence is no question. Questions are decided by decision diagrams of this crate ([`crate::diagrams`]) as long as these are small, else by
//! a solver, each "no" of which has a proof that the LRAT checker has accepted.
//!
//! The formula is walked through as it stands, with the truth that is wanted of each part; nothing is rewritten.

use crate::arrangement::{Arrangement, Copies, Way};
use crate::encode::Encoder;
use crate::induction::{KnownInvariant, Refusal, check_invariant_in};
use crate::liveness::{is_total_by_shape, no_path_ends, watch};
use crate::solver::Lit;
use crate::walk::{Kind, Operator, Reading, Steps, Walk};
use entail_budget::Budget;
use entail_evidence::{Certificate, DeadEnds, FixpointProof, Progress, ProvedSet};
use entail_logic::{Formula, Node, Quantifier};
use entail_model::{TermId, Terms, TransitionSystem, VarKind};
use rustc_hash::FxHashMap;

/// Accepts sets and ranks that prove a state formula in all initial states with a fair path.
pub fn check_fixpoints(
    system: &TransitionSystem,
    proof: &FixpointProof,
    formula: &Formula<TermId>,
    dead_ends: DeadEnds,
    known: &mut KnownInvariant,
    budget: &Budget,
) -> Result<(), Refusal> {
    check_fixpoints_by(Way::Either, system, proof, formula, dead_ends, known, budget)
}

/// The same, by some ways of deciding its questions.
pub fn check_fixpoints_by(
    way: Way,
    system: &TransitionSystem,
    proof: &FixpointProof,
    formula: &Formula<TermId>,
    dead_ends: DeadEnds,
    known: &mut KnownInvariant,
    budget: &Budget,
) -> Result<(), Refusal> {
    if dead_ends != DeadEnds::Infinite && !is_total_by_shape(system) {
        no_path_ends(system, budget)?;
    }
    if !proof.monitored {
        if !system.compassion.is_empty() {
            return Err(Refusal::NotEncoded("compassion beside sets with ranks".into()));
        }
        return check(way, system, proof, formula, known, budget);
    }
    let Node::Quantified(Quantifier::Forall, path) = formula.node() else {
        return Err(Refusal::Unproved("a monitor is for formulas about all paths"));
    };
    let monitor = watch(system, proof.hazards.as_ref(), path, budget)?;
    let (mut watched, justice) = (monitor.system, monitor.fair);
    watched.justice = justice;
    watched.compassion.clear();
    let none = Formula::constant(false);
    check(
        way,
        &watched,
        proof,
        &none,
        &mut KnownInvariant::default(),
        budget,
    )
}

fn check(
    way: Way,
    system: &TransitionSystem,
    proof: &FixpointProof,
    formula: &Formula<TermId>,
    known: &mut KnownInvariant,
    budget: &Budget,
) -> Result<(), Refusal> {
    way.ask(system, (&proof.terms, proof.reachable), |arrangement| {
        check_in(arrangement, system, proof, formula, known, budget)
    })
}

/// The same, decided in one way.
fn check_in(
    arrangement: &Arrangement,
    system: &TransitionSystem,
    proof: &FixpointProof,
    formula: &Formula<TermId>,
    known: &mut KnownInvariant,
    budget: &Budget,
) -> Result<(), Refusal> {
    let (current, next) = proof.terms.support(&proof.roots());
    let is_state = |id: &entail_model::VarId| {
        let variable = system.variables().get(id.index());
        variable.is_some_and(|variable| variable.kind != VarKind::Input)
    };
    if !next.is_empty() || !current.iter().all(is_state) {
        return Err(Refusal::NotAboutStates);
    }
    // In a store of its own, so that the invariant of another property of the model is recognised.
    let mut terms = Terms::new();
    let invariant = terms.import(&proof.terms, &[proof.reachable], |variable| variable)[0];
    let invariant = Certificate { terms, invariant };
    let mut whole = system.clone();
    let truth = whole.terms.truth(true);
    check_invariant_in(arrangement, &whole, &invariant, truth, known, budget)?;

    let walk = Walk::through(formula)?;
    let (read, ahead) = system.terms.support(&walk.atoms);
    if !ahead.is_empty() || !read.iter().all(is_state) {
        return Err(Refusal::NotEncoded(
            "an atom about inputs or next values in a state".into(),
        ));
    }
    if walk.operators.len() != proof.operators.len() {
        return Err(Refusal::Unproved(
            "the sets are not those of the formula's operators",
        ));
    }
    let mut along_steps = AlongSteps::new(system, proof, &walk, arrangement, budget)?;
    if let Some(unfair) = &proof.unfair {
        along_steps.unfair(unfair)?;
    }
    for (at, operator) in walk.operators.iter().enumerate() {
        if operator.steps == Steps::All {
            along_steps.operator(operator, &proof.operators[at], at)?;
        }
    }
    let by_strategy = ByStrategy {
        system,
        proof,
        walk: &walk,
        arrangement,
        budget,
    };
    if let Some(fair) = &proof.fair {
        by_strategy.for_ever(fair, None)?;
    }
    for (operator, set) in walk.operators.iter().zip(&proof.operators) {
        if operator.steps == Steps::Some {
            by_strategy.operator(operator, set)?;
        }
    }
    begins_inside(system, proof, &walk, arrangement, budget)
}

/// Every initial state satisfies the formula or begins no fair path.
fn begins_inside(
    system: &TransitionSystem,
    proof: &FixpointProof,
    walk: &Walk,
    arrangement: &Arrangement,
    budget: &Budget,
) -> Result<(), Refusal> {
    let mut encoder = Encoder::arranged(system, arrangement, Copies::Now)?;
    let mut start = encoder.literals(&system.terms, &system.init, false)?;
    start.extend(encoder.literals(&system.terms, &system.invariant, false)?);
    let sets = Sets::encode(&mut encoder, proof, walk, false)?;
    start.push(!sets.value(&mut encoder, &walk.whole));
    start.push(!sets.unfair);
    match encoder.gates.satisfiable(&start, budget)? {
        true => Err(Refusal::Unproved("an initial state is not in the formula's set")),
        false => Ok(()),
    }
}

/// The literals of all sets of a proof in one copy of the state.
struct Sets {
    operators: Vec<Lit>,
    unfair: Lit,
    fair: Lit,
    /// The truth of the formula's parts without quantifiers.
    atoms: FxHashMap<TermId, Lit>,
}

impl Sets {
    fn encode(
        encoder: &mut Encoder<'_>,
        proof: &FixpointProof,
        walk: &Walk,
        shifted: bool,
    ) -> Result<Sets, Refusal> {
        let mut roots: Vec<TermId> = proof.operators.iter().map(|set| set.states).collect();
        roots.extend(proof.unfair.as_ref().map(|set| set.states));
        roots.extend(proof.fair.as_ref().map(|set| set.states));
        let mut literals = encoder.literals(&proof.terms, &roots, shifted)?;
        let none = encoder.gates.constant(false);
        let fair = proof.fair.as_ref().and_then(|_| literals.pop());
        let unfair = proof.unfair.as_ref().and_then(|_| literals.pop());
        let system = encoder.system();
        let atoms = encoder.literals(&system.terms, &walk.atoms, shifted)?;
        Ok(Sets {
            operators: literals,
            unfair: unfair.unwrap_or(none),
            fair: fair.unwrap_or(none),
            atoms: walk.atoms.iter().copied().zip(atoms).collect(),
        })
    }

    /// Whether a part of the formula is claimed in the state.
    fn value(&self, encoder: &mut Encoder<'_>, reading: &Reading) -> Lit {
        match reading {
            Reading::Constant(truth) => encoder.gates.constant(*truth),
            Reading::Atom(atom, truth) => self.atoms[atom].flipped_if(!truth),
            Reading::All(list) => {
                let values: Vec<Lit> = list.iter().map(|part| self.value(encoder, part)).collect();
                encoder.gates.all(values)
            }
            Reading::Any(list) => {
                let values: Vec<Lit> = list.iter().map(|part| self.value(encoder, part)).collect();
                encoder.gates.any(values)
            }
            Reading::Operator(at) => self.operators[*at],
            Reading::StateOnAllPaths(part) => {
                let value = self.value(encoder, part);
                encoder.gates.or(value, self.unfair)
            }
            Reading::StateOnSomePath(part) => {
                let value = self.value(encoder, part);
                encoder.gates.and(value, self.fair)
            }
        }
    }
}

/// The questions about all steps from states inside the invariant.
struct AlongSteps<'s> {
    encoder: Encoder<'s>,
    proof: &'s FixpointProof,
    now: Sets,
    after: Sets,
    /// Assumed where a step is taken.
    step: Vec<Lit>,
    justice: Vec<Lit>,
    budget: &'s Budget,
}

impl<'s> AlongSteps<'s> {
    fn new(
        system: &'s TransitionSystem,
        proof: &'s FixpointProof,
        walk: &Walk,
        arrangement: &Arrangement,
        budget: &'s Budget,
    ) -> Result<AlongSteps<'s>, Refusal> {
        let mut encoder = Encoder::arranged(system, arrangement, Copies::NowAndNext)?;
        let mut inside = encoder.literals(&proof.terms, &[proof.reachable], false)?;
        inside.extend(encoder.literals(&system.terms, &system.invariant, false)?);
        for literal in inside {
            encoder.gates.require(literal);
        }
        let mut step = encoder.literals(&system.terms, &system.transition, false)?;
        step.extend(encoder.literals(&system.terms, &system.invariant, true)?);
        step.extend(encoder.literals(&proof.terms, &[proof.reachable], true)?);
        let justice = encoder.literals(&system.terms, &system.justice, false)?;
        let now = Sets::encode(&mut encoder, proof, walk, false)?;
        let after = Sets::encode(&mut encoder, proof, walk, true)?;
        let step = encoder.gates.assumed_together(step);
        Ok(AlongSteps {
            encoder,
            proof,
            now,
            after,
            step,
            justice,
            budget,
        })
    }

    /// Refuses if all literals can be true together.
    fn never(&mut self, literals: &[Lit], broken: &'static str) -> Result<(), Refusal> {
        match self.encoder.gates.satisfiable(literals, self.budget)? {
            true => Err(Refusal::Unproved(broken)),
            false => Ok(()),
        }
    }

    /// The same along a step.
    fn never_along(&mut self, literals: &[Lit], broken: &'static str) -> Result<(), Refusal> {
        let mut assumed = self.step.clone();
        assumed.extend(literals);
        self.never(&assumed, broken)
    }

    fn unfair(&mut self, set: &ProvedSet) -> Result<(), Refusal> {
        let (here, there) = (self.now.unfair, self.after.unfair);
        self.never_along(
            &[here, !there],
            "a step leads from a state without fair paths to one that may have one",
        )?;
        self.ranked(set, here, there)
    }

    fn operator(&mut self, operator: &Operator, set: &ProvedSet, at: usize) -> Result<(), Refusal> {
        let (here, there) = (self.now.operators[at], self.after.operators[at]);
        let (no_fair_path, none_later) = (self.now.unfair, self.after.unfair);
        let [left, right] =
            [&operator.left, &operator.right].map(|operand| self.now.value(&mut self.encoder, operand));
        match operator.kind {
            Kind::Next => {
                let later = self.after.value(&mut self.encoder, &operator.right);
                self.never_along(
                    &[here, !later, !none_later],
                    "a step breaks a claim about the next state",
                )
            }
            Kind::Release => {
                self.never(&[here, !right], "a set goes beyond what always holds in it")?;
                self.never_along(
                    &[here, !left, !there, !none_later],
                    "a step leaves a set that is kept",
                )
            }
            Kind::Until => {
                self.never(&[here, !left, !right], "a set goes beyond both sides of an until")?;
                let waiting = self.encoder.gates.all([here, !right, !no_fair_path]);
                let right_later = self.after.value(&mut self.encoder, &operator.right);
                let waiting_later = self.encoder.gates.all([there, !right_later, !none_later]);
                self.never_along(
                    &[waiting, !there, !none_later],
                    "a step leaves the states where an until is waited for",
                )?;
                self.ranked(set, waiting, waiting_later)
            }
        }
    }

    /// No fair path stays in a set.
    fn ranked(&mut self, set: &ProvedSet, here: Lit, there: Lit) -> Result<(), Refusal> {
        let stages = match set.progress.as_slice() {
            [] => &[][..],
            [Progress { stages, strategy }] if strategy.is_empty() => stages.as_slice(),
            _ => return Err(Refusal::Unproved("ranks of all paths with strategies")),
        };
        let states: Vec<TermId> = stages.iter().map(|stage| stage.states).collect();
        let now = self.encoder.literals(&self.proof.terms, &states, false)?;
        let after = self.encoder.literals(&self.proof.terms, &states, true)?;
        let none = self.encoder.gates.constant(false);
        let (mut before, mut before_after) = (none, none);
        for ((stage, &now), &after) in stages.iter().zip(&now).zip(&after) {
            let unmet = match stage.unmet {
                None => none,
                Some(number) => match self.justice.get(number) {
                    Some(&justice) => self.encoder.gates.and(after, !justice),
                    None => return Err(Refusal::Unproved("a stage names no justice condition")),
                },
            };
            let broken = "a step keeps a path waiting and fair";
            self.never_along(&[here, now, !before, there, !before_after, !unmet], broken)?;
            before = self.encoder.gates.or(before, now);
            before_after = self.encoder.gates.or(before_after, after);
        }
        self.never(&[here, !before], "a state has no rank")
    }
}

/// The questions about steps that exist: a strategy names them.
struct ByStrategy<'s> {
    system: &'s TransitionSystem,
    proof: &'s FixpointProof,
    walk: &'s Walk,
    arrangement: &'s Arrangement,
    budget: &'s Budget,
}

/// One strategy's step from any state inside the invariant.
struct Strategic<'s> {
    encoder: Encoder<'s>,
    now: Sets,
    after: Sets,
    /// The step is one of the system.
    step: Lit,
    justice: Vec<Lit>,
    stages: Vec<Lit>,
    stages_after: Vec<Lit>,
}

impl<'s> ByStrategy<'s> {
    fn strategic(&self, progress: &Progress) -> Result<Strategic<'s>, Refusal> {
        let (system, proof) = (self.system, self.proof);
        let mut encoder = Encoder::arranged(system, self.arrangement, Copies::Now)?;
        let mut inside = encoder.literals(&proof.terms, &[proof.reachable], false)?;
        inside.extend(encoder.literals(&system.terms, &system.invariant, false)?);
        for literal in inside {
            encoder.gates.require(literal);
        }
        let mut step = vec![encoder.bind(&proof.terms, &progress.strategy)?];
        step.extend(encoder.literals(&system.terms, &system.transition, false)?);
        step.extend(encoder.literals(&system.terms, &system.invariant, true)?);
        let step = encoder.gates.all(step);
        let justice = encoder.literals(&system.terms, &system.justice, false)?;
        let now = Sets::encode(&mut encoder, proof, self.walk, false)?;
        let after = Sets::encode(&mut encoder, proof, self.walk, true)?;
        let states: Vec<TermId> = progress.stages.iter().map(|stage| stage.states).collect();
        Ok(Strategic {
            stages: encoder.literals(&proof.terms, &states, false)?,
            stages_after: encoder.literals(&proof.terms, &states, true)?,
            encoder,
            now,
            after,
            step,
            justice,
        })
    }

    fn never(&self, of: &mut Strategic<'_>, literals: &[Lit], broken: &'static str) -> Result<(), Refusal> {
        match of.encoder.gates.satisfiable(literals, self.budget)? {
            true => Err(Refusal::Unproved(broken)),
            false => Ok(()),
        }
    }

    fn operator(&self, operator: &Operator, set: &ProvedSet) -> Result<(), Refusal> {
        match (operator.kind, set.progress.as_slice()) {
            (Kind::Next, [progress]) => {
                let mut step = self.strategic(progress)?;
                let here = step.now.operators[operator.number];
                let later = step.after.value(&mut step.encoder, &operator.right);
                let fails = step.encoder.gates.any([!step.step, !later]);
                self.never(
                    &mut step,
                    &[here, fails],
                    "a strategy does not lead to the next state claimed",
                )
            }
            (Kind::Until, [progress]) => self.until(operator, progress),
            (Kind::Release, _) => self.for_ever(set, Some(operator)),
            _ => Err(Refusal::Unproved("a path that exists needs one strategy")),
        }
    }

    fn until(&self, operator: &Operator, progress: &Progress) -> Result<(), Refusal> {
        let mut step = self.strategic(progress)?;
        let here = step.now.operators[operator.number];
        let there = step.after.operators[operator.number];
        let [left, right] =
            [&operator.left, &operator.right].map(|operand| step.now.value(&mut step.encoder, operand));
        self.never(
            &mut step,
            &[here, !left, !right],
            "a set goes beyond both sides of an until",
        )?;
        let right_later = step.after.value(&mut step.encoder, &operator.right);
        let mut arrived = right_later;
        let mut before = step.encoder.gates.constant(false);
        for at in 0..step.stages.len() {
            let fails = step.encoder.gates.any([!step.step, !arrived]);
            let stage = step.stages[at];
            let broken = "a strategy does not come nearer to its goal";
            self.never(&mut step, &[here, !right, stage, !before, fails], broken)?;
            before = step.encoder.gates.or(before, stage);
            let nearer = step.encoder.gates.and(step.stages_after[at], there);
            arrived = step.encoder.gates.or(arrived, nearer);
        }
        self.never(&mut step, &[here, !right, !before], "a state has no rank")
    }

    /// A fair path that stays in a set: of an operator `false R p`, or the states with any fair path.
    fn for_ever(&self, set: &ProvedSet, operator: Option<&Operator>) -> Result<(), Refusal> {
        if set.progress.len() != self.system.justice.len().max(1) {
            return Err(Refusal::Unproved(
                "a fair path needs a strategy for each justice condition",
            ));
        }
        for (number, progress) in set.progress.iter().enumerate() {
            let mut step = self.strategic(progress)?;
            let (here, there) = match operator {
                None => (step.now.fair, step.after.fair),
                Some(operator) => (
                    step.now.operators[operator.number],
                    step.after.operators[operator.number],
                ),
            };
            if let Some(operator) = operator {
                let right = step.now.value(&mut step.encoder, &operator.right);
                self.never(
                    &mut step,
                    &[here, !right],
                    "a set goes beyond what always holds in it",
                )?;
            }
            let stays = step.encoder.gates.and(step.step, there);
            let Some(&justice) = step.justice.get(number) else {
                self.never(
                    &mut step,
                    &[here, !stays],
                    "a strategy leaves the set it should stay in",
                )?;
                continue;
            };
            let mut arrived = justice;
            let mut before = step.encoder.gates.constant(false);
            for at in 0..step.stages.len() {
                let goes_on = step.encoder.gates.and(stays, arrived);
                let stage = step.stages[at];
                let broken = "a strategy does not come nearer to a justice condition";
                self.never(&mut step, &[here, stage, !before, !goes_on], broken)?;
                before = step.encoder.gates.or(before, stage);
                arrived = match at {
                    0 => step.stages_after[0],
                    _ => step.encoder.gates.or(arrived, step.stages_after[at]),
                };
            }
            self.never(&mut step, &[here, !before], "a state has no rank")?;
        }
        Ok(())
    }
}
