//! The sets, ranks and strategies that prove a formula of branching time, for others to check.
//!
//! The formula is walked through as [`entail_evidence::FixpointProof`]'s module says. Sets are computed by the fixpoints by which the formula was decided (exactly, so that whatever
//! holds can be shown), ranks by the order of removal ([`crate::ranks`]), and strategies from the layers around a goal ([`crate::strategy`]). Everything is computed before anything is
//! written down, because diagrams may be reordered in between.

use crate::machine::counts_finite_paths;
use crate::model::{EncodedSystem, is_about_steps};
use crate::ranks::Stages;
use crate::reachability::Watch;
use crate::stop::{Attempt, NotComputed};
use crate::strategy::Strategy;
use crate::witness::lost;
use crate::written::Writer;
use entail_dd::Bdd;
use entail_evidence::{FixpointProof, FixpointStage, Progress, ProvedSet};
use entail_logic::{Binary, Formula, Node, Quantifier, Unary};
use entail_model::{TermId, Terms};

/// Which paths an operator is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paths {
    All,
    Some,
}

/// A set with its reasons, as diagrams.
pub(crate) struct Proved {
    pub states: Bdd,
    pub progress: Vec<(Stages, Option<Strategy>)>,
}

struct Prover<'m, 'a, 'w> {
    model: &'m mut EncodedSystem<'a>,
    watch: Watch<'w>,
    all: Bdd,
    fair: Bdd,
    unfair: Bdd,
    sets: Vec<Proved>,
    /// Some operator claims that a path exists.
    some: bool,
}

fn outside() -> NotComputed {
    NotComputed::Unsupported("the formula has no proof by sets of states".into())
}

/// Whether a path formula only says that there is a next state, so that it has the truth wanted on every infinite path.
fn only_goes_on(path: &Formula<TermId>, wanted: bool) -> bool {
    let mut path = path;
    while let Node::Unary(Unary::Next, _, after) = path.node() {
        path = after;
    }
    matches!(path.node(), Node::Constant(truth) if *truth == wanted)
}

/// The proof of `A G p` where `p` is true of every state from which an infinite path begins because it says that there is one.
pub(crate) fn trivial_proof(formula: &Formula<TermId>) -> Option<FixpointProof> {
    fn is_trivial(formula: &Formula<TermId>) -> bool {
        match formula.node() {
            Node::Quantified(Quantifier::Exists, path) => only_goes_on(path, true),
            Node::Or(list) => list.iter().any(is_trivial) && list.iter().all(is_simple),
            _ => false,
        }
    }
    fn is_simple(formula: &Formula<TermId>) -> bool {
        formula.is_propositional() || is_trivial(formula)
    }
    let Node::Quantified(Quantifier::Forall, path) = formula.node() else {
        return None;
    };
    let Node::Unary(Unary::Globally, interval, p) = path.node() else {
        return None;
    };
    if !interval.is_always() || !is_trivial(p) {
        return None;
    }
    let mut terms = Terms::new();
    let every = terms.truth(true);
    Some(FixpointProof {
        terms,
        monitored: false,
        reachable: every,
        unfair: None,
        fair: None,
        operators: vec![ProvedSet {
            states: every,
            progress: Vec::new(),
        }],
        hazards: None,
    })
}

impl EncodedSystem<'_> {
    /// Sets, ranks and strategies that prove a state formula which holds; none if it is of another kind or they are too large.
    pub(crate) fn fixpoint_proof(
        &mut self,
        formula: &Formula<TermId>,
        watch: Watch<'_>,
    ) -> Attempt<Option<FixpointProof>> {
        let finite_paths = counts_finite_paths(self.dead_end_policy) && !self.dead_ends(watch)?.is_false();
        if finite_paths
            || self.machine.parts.iter().any(|part| part.inputless)
            || !self.compassion().is_empty()
            || (self.compassion_on_steps && self.settings.compassion_in_ctl)
        {
            return Ok(None);
        }
        let (all, fair) = (self.reachable(watch)?, self.fair_states(watch)?);
        let mut prover = Prover {
            unfair: all.minus(&fair)?,
            sets: Vec::new(),
            some: false,
            all,
            fair,
            watch,
            model: self,
        };
        prover.state(formula, true)?;
        let unfair = match prover.unfair.is_false() {
            true => None,
            false => {
                let states = prover.unfair.clone();
                Some(prover.ranked(states.clone(), &states)?)
            }
        };
        let fair = match prover.some {
            false => None,
            true => Some(prover.for_ever(prover.all.clone())?),
        };
        let (reachable, sets) = (prover.all, prover.sets);
        let mut writer = Writer::new(self.system, &self.encoding, &[]);
        Ok(self.write_proof(&mut writer, (&reachable, unfair, fair, sets)))
    }

    /// The proof as formulas.
    fn write_proof(
        &self,
        writer: &mut Writer<'_>,
        (reachable, unfair, fair, sets): (&Bdd, Option<Proved>, Option<Proved>, Vec<Proved>),
    ) -> Option<FixpointProof> {
        let reachable = writer.set(reachable)?;
        let mut write = |proved: Proved| self.write_set(writer, &proved);
        let unfair = match unfair {
            Some(set) => Some(write(set)?),
            None => None,
        };
        let fair = match fair {
            Some(set) => Some(write(set)?),
            None => None,
        };
        let operators = sets.into_iter().map(&mut write).collect::<Option<Vec<_>>>()?;
        Some(FixpointProof {
            terms: std::mem::take(&mut writer.terms),
            monitored: false,
            reachable,
            unfair,
            fair,
            operators,
            hazards: None,
        })
    }

    fn write_set(&self, writer: &mut Writer<'_>, proved: &Proved) -> Option<ProvedSet> {
        let mut progress = Vec::new();
        for (stages, strategy) in &proved.progress {
            progress.push(Progress {
                stages: write_stages(writer, stages)?,
                strategy: match strategy {
                    Some(strategy) => strategy.written(self.system, &self.encoding, writer)?,
                    None => Vec::new(),
                },
            });
        }
        Some(ProvedSet {
            states: writer.set(&proved.states)?,
            progress,
        })
    }
}

/// Stages as formulas.
pub(crate) fn write_stages(writer: &mut Writer<'_>, stages: &Stages) -> Option<Vec<FixpointStage>> {
    let mut written = Vec::new();
    for (states, unmet) in stages {
        written.push(FixpointStage {
            states: writer.set(states)?,
            unmet: *unmet,
        });
    }
    Some(written)
}

impl Prover<'_, '_, '_> {
    fn push(&mut self, proved: Proved) -> Bdd {
        let states = proved.states.clone();
        self.sets.push(proved);
        states
    }

    /// Where a state formula has the truth that is wanted, its operators proved.
    fn state(&mut self, formula: &Formula<TermId>, wanted: bool) -> Attempt<Bdd> {
        stacker::maybe_grow(1 << 16, 1 << 20, || self.state_here(formula, wanted))
    }

    fn state_here(&mut self, formula: &Formula<TermId>, wanted: bool) -> Attempt<Bdd> {
        let none = self.model.manager().zero();
        Ok(match formula.node() {
            Node::Constant(truth) if *truth == wanted => self.all.clone(),
            Node::Constant(_) => none,
            Node::Atom(atom) => {
                if is_about_steps(self.model.system, *atom) {
                    return Err(outside());
                }
                let states = self.model.condition(*atom)?.and(&self.all)?;
                match wanted {
                    true => states,
                    false => self.all.minus(&states)?,
                }
            }
            Node::Not(p) => self.state(p, !wanted)?,
            Node::And(list) | Node::Or(list) => {
                let together = matches!(formula.node(), Node::And(_)) == wanted;
                let mut states = if together { self.all.clone() } else { none };
                for p in list {
                    let p = self.state(p, wanted)?;
                    states = if together { states.and(&p)? } else { states.or(&p)? };
                }
                states
            }
            Node::Implies(p, q) => {
                let (p, q) = (self.state(p, !wanted)?, self.state(q, wanted)?);
                if wanted { p.or(&q)? } else { p.and(&q)? }
            }
            Node::Iff(..) | Node::Xor(..) if formula.is_propositional() => {
                let states = self.model.label(formula, self.watch)?;
                match wanted {
                    true => states,
                    false => self.all.minus(&states)?,
                }
            }
            Node::Quantified(quantifier, path)
                if (*quantifier == Quantifier::Exists) == wanted && only_goes_on(path, wanted) =>
            {
                self.all.clone()
            }
            Node::Quantified(quantifier, path) => {
                let paths = match (*quantifier == Quantifier::Forall) == wanted {
                    true => Paths::All,
                    false => Paths::Some,
                };
                self.some |= paths == Paths::Some;
                self.path(path, wanted, paths)?
            }
            _ => return Err(outside()),
        })
    }

    fn path(&mut self, path: &Formula<TermId>, wanted: bool, paths: Paths) -> Attempt<Bdd> {
        stacker::maybe_grow(1 << 16, 1 << 20, || self.path_here(path, wanted, paths))
    }

    fn path_here(&mut self, path: &Formula<TermId>, wanted: bool, paths: Paths) -> Attempt<Bdd> {
        if path.is_state_formula() {
            return self.operand(path, wanted, paths);
        }
        let operands: Vec<(&Formula<TermId>, bool)> = match path.node() {
            Node::Not(p) => return self.path(p, !wanted, paths),
            Node::And(list) | Node::Or(list) => list.iter().map(|p| (p, wanted)).collect(),
            Node::Implies(p, q) => vec![(p, !wanted), (q, wanted)],
            Node::Unary(..) | Node::Binary(..) => return self.temporal(path, wanted, paths),
            _ => return Err(outside()),
        };
        let together = matches!(path.node(), Node::And(_)) == wanted;
        let moving = operands.iter().filter(|(p, _)| !p.is_state_formula()).count();
        if together != (paths == Paths::All) && moving > 1 {
            return Err(outside());
        }
        let mut states = match together {
            true => self.all.clone(),
            false => self.model.manager().zero(),
        };
        for (p, wanted) in operands {
            let p = self.path(p, wanted, paths)?;
            states = if together { states.and(&p)? } else { states.or(&p)? };
        }
        Ok(states)
    }

    /// A state formula at the end of what a quantifier says.
    fn operand(&mut self, formula: &Formula<TermId>, wanted: bool, paths: Paths) -> Attempt<Bdd> {
        let states = self.state(formula, wanted)?;
        Ok(match paths {
            Paths::All => states.or(&self.unfair)?,
            Paths::Some => states.and(&self.fair)?,
        })
    }

    fn held(&mut self, formula: &Formula<TermId>, wanted: bool) -> Attempt<Bdd> {
        match formula.is_state_formula() {
            true => self.state(formula, wanted),
            false => Err(outside()),
        }
    }

    /// An operand that may go on below the quantifier if it is about these paths.
    fn inner(
        &mut self,
        formula: &Formula<TermId>,
        wanted: bool,
        paths: Paths,
        where_free: Paths,
    ) -> Attempt<Bdd> {
        match formula.is_state_formula() {
            true if where_free == Paths::All => self.state(formula, wanted),
            true => self.operand(formula, wanted, paths),
            false if paths == where_free => self.path(formula, wanted, paths),
            false => Err(outside()),
        }
    }

    fn temporal(&mut self, path: &Formula<TermId>, wanted: bool, paths: Paths) -> Attempt<Bdd> {
        let (all, none) = (self.all.clone(), self.model.manager().zero());
        match path.node() {
            Node::Unary(_, interval, _) | Node::Binary(_, interval, ..) if !interval.is_always() => {
                Err(outside())
            }
            Node::Unary(Unary::Next, _, p) => {
                let goal = self.path(p, wanted, paths)?;
                self.next(&goal, paths)
            }
            Node::Unary(op @ (Unary::Finally | Unary::Globally), _, p) => {
                if (*op == Unary::Finally) == wanted {
                    let goal = self.inner(p, wanted, paths, Paths::Some)?;
                    self.until(&all, &goal, paths)
                } else {
                    let kept = self.inner(p, wanted, paths, Paths::All)?;
                    self.release(&none, &kept, paths)
                }
            }
            Node::Binary(op, _, p, q) => match if wanted { *op } else { op.dual() } {
                Binary::Until => {
                    let held = self.held(p, wanted)?;
                    let goal = self.inner(q, wanted, paths, Paths::Some)?;
                    self.until(&held, &goal, paths)
                }
                Binary::StrongRelease => {
                    let (goal, held) = (self.held(p, wanted)?, self.held(q, wanted)?);
                    let both = goal.and(&held)?;
                    let both = match paths {
                        Paths::All => both.or(&self.unfair)?,
                        Paths::Some => both.and(&self.fair)?,
                    };
                    self.until(&held, &both, paths)
                }
                Binary::Release if paths == Paths::All => {
                    let left = self.held(p, wanted)?;
                    let kept = self.inner(q, wanted, paths, Paths::All)?;
                    self.release(&left, &kept, paths)
                }
                Binary::WeakUntil if paths == Paths::All => {
                    let (held, goal) = (self.held(p, wanted)?, self.held(q, wanted)?);
                    self.release(&goal, &held.or(&goal)?, paths)
                }
                _ => Err(outside()),
            },
            _ => Err(outside()),
        }
    }

    fn next(&mut self, goal: &Bdd, paths: Paths) -> Attempt<Bdd> {
        let proved = match paths {
            Paths::All => {
                let bad = self.fair.minus(goal)?;
                let bad = self.model.fixpoints(self.watch).pre(&bad)?;
                Proved {
                    states: self.fair.minus(&bad)?,
                    progress: Vec::new(),
                }
            }
            Paths::Some => {
                let states = self.model.fixpoints(self.watch).pre(goal)?.and(&self.all)?;
                let mut strategy = Strategy::default();
                self.lead(&mut strategy, &states, goal, None)?;
                Proved {
                    states,
                    progress: vec![(Stages::new(), Some(strategy))],
                }
            }
        };
        Ok(self.push(proved))
    }

    fn lead(&self, strategy: &mut Strategy, from: &Bdd, into: &Bdd, along: Option<&Bdd>) -> Attempt<()> {
        self.watch.budget.check_now()?;
        strategy.lead(&self.model.encoding, &self.model.machine, (from, into), along)
    }

    fn ranked(&mut self, states: Bdd, waiting: &Bdd) -> Attempt<Proved> {
        let justice = &self.model.machine.justice;
        let stages = self.model.fixpoints(self.watch).ranks(waiting, justice)?;
        let stages = stages.ok_or_else(|| lost("ranks"))?;
        Ok(Proved {
            states,
            progress: vec![(stages, None)],
        })
    }

    fn until(&mut self, held: &Bdd, goal: &Bdd, paths: Paths) -> Attempt<Bdd> {
        let fixpoints = self.model.fixpoints(self.watch);
        let proved = match paths {
            Paths::All => {
                let waiting = self.fair.minus(goal)?;
                let bad = fixpoints.until(&waiting, &waiting.minus(held)?)?;
                let for_ever = fixpoints.fair(&waiting, &self.model.machine.justice, &[])?;
                let states = self.fair.minus(&bad)?.minus(&for_ever)?;
                let waiting = states.minus(goal)?;
                self.ranked(states, &waiting)?
            }
            Paths::Some => {
                let (stages, strategy, states) = self.layers(&held.or(goal)?, goal, None)?;
                Proved {
                    states,
                    progress: vec![(stages, Some(strategy))],
                }
            }
        };
        Ok(self.push(proved))
    }

    /// Layers of states within a set around a goal, with the strategy that leads inwards. With a condition the goal's own states are the first layer, and go along it into the set.
    fn layers(&self, within: &Bdd, goal: &Bdd, along: Option<&Bdd>) -> Attempt<(Stages, Strategy, Bdd)> {
        let mut strategy = Strategy::default();
        let mut stages = Stages::new();
        if along.is_some() {
            self.lead(&mut strategy, goal, within, along)?;
            stages.push((goal.clone(), None));
        }
        let (mut found, mut last) = (goal.clone(), goal.clone());
        loop {
            let pre = self.model.fixpoints(self.watch).pre(&last)?;
            let layer = pre.and(within)?.minus(&found)?;
            if layer.is_false() {
                return Ok((stages, strategy, found));
            }
            self.lead(&mut strategy, &layer, &last, None)?;
            found = found.or(&layer)?;
            let ranked = if along.is_some() {
                found.clone()
            } else {
                found.minus(goal)?
            };
            stages.push((ranked, None));
            last = layer;
        }
    }

    fn release(&mut self, left: &Bdd, kept: &Bdd, paths: Paths) -> Attempt<Bdd> {
        let proved = match paths {
            Paths::All => {
                let bad = self.fair.minus(kept)?;
                let bad = self
                    .model
                    .fixpoints(self.watch)
                    .until(&self.fair.minus(left)?, &bad)?;
                Proved {
                    states: self.fair.minus(&bad)?,
                    progress: Vec::new(),
                }
            }
            Paths::Some => self.for_ever(kept.clone())?,
        };
        Ok(self.push(proved))
    }

    /// The states from which a fair path stays in a set.
    fn for_ever(&mut self, within: Bdd) -> Attempt<Proved> {
        let within = within.and(&self.fair)?;
        let justice = self.model.machine.justice.clone();
        let fixpoints = self.model.fixpoints(self.watch);
        let states = match within == self.fair {
            true => within,
            false => fixpoints.fair(&within, &justice, &[])?,
        };
        let mut progress = Vec::new();
        for condition in &justice {
            let machine = &self.model.machine;
            let meeting = machine.preimage_along(&self.model.encoding, &states, Some(condition))?;
            let (stages, strategy, _) = self.layers(&states, &meeting.and(&states)?, Some(condition))?;
            progress.push((stages, Some(strategy)));
        }
        if justice.is_empty() {
            let mut strategy = Strategy::default();
            self.lead(&mut strategy, &states, &states, None)?;
            progress.push((Stages::new(), Some(strategy)));
        }
        Ok(Proved { states, progress })
    }
}
