//! IC3 on terms with model-based projection (Bradley 2011; Komuravelli, Gurfinkel, Chaki 2014).
//!
//! Frames are sets of lemmas, negated cubes of literals over the state; a lemma of level k belongs to all frames up to k. A cube that
//! reaches a violation is blocked at a frame if no step leads into it, and the core of that, with literals dropped, is the lemma. If a
//! step does, the states before it are found by projecting the model's literals, and are to be blocked first.
//!
//! The same search serves IC3 with implicit predicate abstraction ([`crate::implicit`]): there a cube is the truth of every predicate.
//! Frames, lemmas and properties are then made of predicates, so that a question about one step of the abstract system is the question
//! about one step of the concrete one, and only paths can be spurious.

use crate::implicit::Predicates;
use crate::kind::path_of_length;
use crate::{Found, Work};
use entail_budget::{Budget, Spent};
use entail_first_order::{FirstOrderSystem, Interpretation, SortId, TermId};
use entail_smt::implicant;
use entail_smt::projection::{project, split_equations};
use entail_smt::{Answer, Solver};
use rustc_hash::FxHashMap;

pub(crate) type Cube = Vec<TermId>;

struct Lemma {
    cube: Cube,
    level: usize,
}

/// A cube to be blocked at a level, and how many steps it is from the violation.
#[derive(Clone)]
struct Obligation {
    cube: Cube,
    level: usize,
    distance: usize,
}

/// Why the search ends without an invariant.
pub(crate) enum Stop {
    Spent(Spent),
    Stuck(String),
    /// A path of so many steps to a violation; of the abstract system, where cubes are made of predicates.
    Violation(usize),
}

/// What cubes are made of.
pub(crate) enum Cubes {
    /// Literals projected from a model.
    Projected,
    /// The truth of predicates.
    Predicates(Predicates),
}

impl From<Spent> for Stop {
    fn from(spent: Spent) -> Stop {
        Stop::Spent(spent)
    }
}

pub(crate) struct Ic3<'a> {
    pub system: FirstOrderSystem,
    pub violation: TermId,
    pub cubes: Cubes,
    /// Steps, with lemmas under their levels' switches.
    pub steps: Solver,
    /// States alone, with the same lemmas.
    states: Solver,
    initial: Solver,
    switches: Vec<TermId>,
    lemmas: Vec<Lemma>,
    to_next: FxHashMap<TermId, TermId>,
    /// Next variables and inputs.
    pub eliminated: Vec<TermId>,
    pub budget: &'a Budget,
    pub work: Work<'a>,
}

/// Decides an invariant by IC3.
pub fn property_directed<'a>(
    system: &FirstOrderSystem,
    property: TermId,
    work: impl Into<Work<'a>>,
) -> Found {
    let mut engine = Ic3::new(system, property, Cubes::Projected, work.into());
    match engine.run() {
        Ok(found) => found,
        Err(Stop::Spent(spent)) => engine.out_of(spent),
        Err(Stop::Stuck(reason)) => Found::Unknown(reason),
        Err(Stop::Violation(length)) => match path_of_length(system, property, length, &engine.work) {
            Some(trace) => Found::Fails(trace),
            None => Found::Unknown("a violation was found, but no path to it".into()),
        },
    }
}

impl<'a> Ic3<'a> {
    pub fn new(system: &FirstOrderSystem, property: TermId, cubes: Cubes, work: Work<'a>) -> Ic3<'a> {
        let mut system = system.clone();
        let violation = system.terms.not(property);
        let nexts = system.variables.iter().map(|variable| variable.next);
        let eliminated = nexts.chain(system.inputs.iter().copied()).collect();
        let to_next = system
            .variables
            .iter()
            .map(|variable| (variable.current, variable.next))
            .collect();
        let mut engine = Ic3 {
            violation,
            cubes,
            steps: work.solver(),
            states: work.solver(),
            initial: work.solver(),
            switches: Vec::new(),
            lemmas: Vec::new(),
            to_next,
            eliminated,
            budget: work.budget,
            work,
            system,
        };
        let (init, transition) = (engine.system.init, engine.system.transition);
        let terms = &mut engine.system.terms;
        engine.steps.assert(terms, transition);
        engine.initial.assert(terms, init);
        let first = terms.constant("frame 0", SortId::BOOL);
        engine.steps.assert_under(terms, first, init);
        engine.states.assert_under(terms, first, init);
        engine.switches.push(first);
        engine
    }

    fn frame(&self, level: usize) -> Vec<TermId> {
        match level {
            0 => vec![self.switches[0]],
            _ => self.switches[level..].to_vec(),
        }
    }

    fn open_frame(&mut self) {
        let number = self.switches.len();
        let terms = &mut self.system.terms;
        let switch = terms.constant(&format!("frame {number}"), SortId::BOOL);
        self.switches.push(switch);
        let truth = terms.truth();
        self.steps.assert_under(terms, switch, truth);
        self.states.assert_under(terms, switch, truth);
    }

    pub fn out_of(&self, spent: Spent) -> Found {
        Found::Unknown(format!(
            "{spent} at frame {}",
            self.switches.len().saturating_sub(1)
        ))
    }

    /// Searches until there is an invariant or a violation; after a violation that is none, it can be called again.
    pub fn run(&mut self) -> Result<Found, Stop> {
        if self.switches.len() == 1 {
            match self
                .initial
                .check(&mut self.system.terms, &[self.violation], self.budget)?
            {
                Answer::Satisfiable => return Err(Stop::Violation(0)),
                Answer::Unknown(reason) => return Err(Stop::Stuck(reason)),
                Answer::Unsatisfiable => {}
            }
            self.open_frame();
        }
        loop {
            let top = self.switches.len() - 1;
            while let Some(cube) = self.bad_state(top)? {
                self.block(Obligation {
                    cube,
                    level: top,
                    distance: 0,
                })?;
            }
            if let Some(level) = self.propagate(top)? {
                return Ok(self.invariant(level));
            }
            self.open_frame();
        }
    }

    fn invariant(&mut self, level: usize) -> Found {
        let cubes: Vec<Cube> = (self.lemmas.iter())
            .filter(|lemma| lemma.level >= level)
            .map(|lemma| lemma.cube.clone())
            .collect();
        let mut parts = Vec::new();
        for cube in cubes {
            let all = self.system.terms.and(&cube);
            parts.push(self.system.terms.not(all));
        }
        let invariant = self.system.terms.and(&parts);
        let invariant = self.system.terms.print(invariant);
        Found::Holds { depth: 1, invariant }
    }

    /// A cube of states in the last frame that violate the property.
    fn bad_state(&mut self, top: usize) -> Result<Option<Cube>, Stop> {
        let mut assumptions = self.frame(top);
        assumptions.push(self.violation);
        match self
            .states
            .check(&mut self.system.terms, &assumptions, self.budget)?
        {
            Answer::Unsatisfiable => Ok(None),
            Answer::Unknown(reason) => Err(Stop::Stuck(reason)),
            Answer::Satisfiable => {
                let model = self.states.model().cloned().unwrap_or_default();
                let formula = self.violation;
                self.cube_of(&model, &[formula]).map(Some)
            }
        }
    }

    /// A cube around a model's state; its states satisfy the formulas if it is projected.
    fn cube_of(&mut self, model: &Interpretation, formulas: &[TermId]) -> Result<Cube, Stop> {
        match &self.cubes {
            Cubes::Projected => self.projected(model, formulas),
            Cubes::Predicates(predicates) => (predicates.cube(&mut self.system.terms, model))
                .ok_or_else(|| Stop::Stuck("a predicate has no value".into())),
        }
    }

    /// Literals over the state under which inputs and a next state exist that satisfy the formulas.
    pub fn projected(&mut self, model: &Interpretation, formulas: &[TermId]) -> Result<Cube, Stop> {
        let terms = &mut self.system.terms;
        let stuck =
            || Stop::Stuck("the states before a step have no description in linear arithmetic".into());
        let literals = implicant(terms, model, formulas).ok_or_else(stuck)?;
        let cube = project(terms, model, literals, &self.eliminated).ok_or_else(stuck)?;
        Ok(split_equations(terms, &cube))
    }

    pub fn primed(&mut self, cube: &[TermId]) -> Cube {
        let mut map = std::mem::take(&mut self.to_next);
        let image = self.system.terms.substitute(cube, &mut map);
        self.to_next = map;
        image
    }

    fn block(&mut self, first: Obligation) -> Result<(), Stop> {
        let mut waiting = vec![first];
        while let Some(place) = (0..waiting.len()).min_by_key(|&place| waiting[place].level) {
            self.budget.check()?;
            let Obligation {
                cube,
                level,
                distance,
            } = waiting[place].clone();
            if self.is_blocked(&cube, level)? {
                waiting.swap_remove(place);
                continue;
            }
            match self.initial.check(&mut self.system.terms, &cube, self.budget)? {
                Answer::Satisfiable => return Err(Stop::Violation(distance)),
                Answer::Unknown(reason) => return Err(Stop::Stuck(reason)),
                Answer::Unsatisfiable => {}
            }
            match self.enter(&cube, level)? {
                Err(core) => {
                    let lemma = self.generalize(core, &cube, level)?;
                    let reached = self.push_lemma(lemma, level)?;
                    waiting.swap_remove(place);
                    if reached < self.switches.len() - 1 {
                        waiting.push(Obligation {
                            cube,
                            level: reached + 1,
                            distance,
                        });
                    }
                }
                Ok(before) => waiting.push(Obligation {
                    cube: before,
                    level: level - 1,
                    distance: distance + 1,
                }),
            }
            if waiting.iter().any(|one| one.level == 0) {
                let distance = waiting
                    .iter()
                    .filter(|one| one.level == 0)
                    .map(|one| one.distance)
                    .min()
                    .unwrap_or(0);
                return Err(Stop::Violation(distance));
            }
        }
        Ok(())
    }

    fn is_blocked(&mut self, cube: &[TermId], level: usize) -> Result<bool, Stop> {
        let mut assumptions = self.frame(level);
        assumptions.extend(cube);
        Ok(self
            .states
            .check(&mut self.system.terms, &assumptions, self.budget)?
            == Answer::Unsatisfiable)
    }

    /// Looks for a step from the frame below, outside the cube, into the cube. The answer, the cube of the next state, and if there is no
    /// step, the literals that exclude it.
    fn look_for_step(&mut self, cube: &[TermId], level: usize) -> Result<(Answer, Cube, Cube), Stop> {
        let terms = &mut self.system.terms;
        let all = terms.and(cube);
        let outside = terms.not(all);
        let switch = terms.constant("outside", SortId::BOOL);
        self.steps.assert_under(terms, switch, outside);
        let primed = self.primed(cube);
        let mut assumptions = self.frame(level - 1);
        assumptions.push(switch);
        assumptions.extend(&primed);
        let answer = self
            .steps
            .check(&mut self.system.terms, &assumptions, self.budget)?;
        let mut kept = Vec::new();
        if answer == Answer::Unsatisfiable {
            let core = self.steps.unsat_core();
            let pairs = cube.iter().zip(&primed);
            kept = pairs
                .filter(|(_, next)| core.contains(next))
                .map(|(&now, _)| now)
                .collect();
        }
        Ok((answer, primed, kept))
    }

    /// Whether a step leads from the frame below, outside the cube, into the cube: the states before it, or the literals that exclude it.
    fn enter(&mut self, cube: &[TermId], level: usize) -> Result<Result<Cube, Cube>, Stop> {
        match self.look_for_step(cube, level)? {
            (Answer::Unknown(reason), ..) => Err(Stop::Stuck(reason)),
            (Answer::Unsatisfiable, _, kept) => Ok(Err(kept)),
            (Answer::Satisfiable, primed, _) => {
                let model = self.steps.model().cloned().unwrap_or_default();
                let mut formulas = vec![self.system.transition];
                formulas.extend(&primed);
                Ok(Ok(self.cube_of(&model, &formulas)?))
            }
        }
    }

    fn excludes_initial(&mut self, cube: &[TermId]) -> Result<bool, Stop> {
        Ok(self.initial.check(&mut self.system.terms, cube, self.budget)? == Answer::Unsatisfiable)
    }

    /// A smaller cube that still has no step into it from the frame below and no initial state.
    fn generalize(&mut self, core: Cube, cube: &[TermId], level: usize) -> Result<Cube, Stop> {
        let mut kept = core;
        if !self.excludes_initial(&kept)? {
            // Put back what keeps the initial states out.
            if self.excludes_initial(cube)? {
                let needed: Vec<TermId> = self.initial.unsat_core().to_vec();
                kept.extend(needed);
                kept.sort_unstable();
                kept.dedup();
            } else {
                kept = cube.to_vec();
            }
        }
        let mut position = 0;
        let mut failures = 0;
        while position < kept.len() && kept.len() > 1 && failures < 12 {
            let mut smaller = kept.clone();
            smaller.remove(position);
            if self.excludes_initial(&smaller)?
                && let (Answer::Unsatisfiable, _, core) = self.look_for_step(&smaller, level)?
            {
                let mut reduced: Cube = smaller
                    .iter()
                    .copied()
                    .filter(|literal| core.contains(literal))
                    .collect();
                if reduced.len() < smaller.len() && !self.excludes_initial(&reduced)? {
                    reduced = smaller;
                }
                kept = reduced;
                continue;
            }
            failures += 1;
            position += 1;
        }
        Ok(kept)
    }

    /// Whether no step leads from a frame into a cube.
    fn is_inductive_from(&mut self, cube: &[TermId], level: usize) -> Result<bool, Stop> {
        let primed = self.primed(cube);
        let mut assumptions = self.frame(level);
        assumptions.extend(&primed);
        Ok(self
            .steps
            .check(&mut self.system.terms, &assumptions, self.budget)?
            == Answer::Unsatisfiable)
    }

    /// Adds a lemma at the highest level at which it is known to hold.
    fn push_lemma(&mut self, cube: Cube, level: usize) -> Result<usize, Stop> {
        let top = self.switches.len() - 1;
        let mut level = level;
        self.add_lemma(&cube, level);
        while level < top && self.is_inductive_from(&cube, level)? {
            level += 1;
            self.add_lemma(&cube, level);
        }
        self.lemmas.push(Lemma { cube, level });
        Ok(level)
    }

    fn add_lemma(&mut self, cube: &[TermId], level: usize) {
        let terms = &mut self.system.terms;
        let all = terms.and(cube);
        let lemma = terms.not(all);
        let switch = self.switches[level];
        self.steps.assert_under(terms, switch, lemma);
        self.states.assert_under(terms, switch, lemma);
    }

    /// Pushes lemmas forward; a level whose lemmas all move up has an inductive frame above it.
    fn propagate(&mut self, top: usize) -> Result<Option<usize>, Stop> {
        for level in 1..top {
            let mut stays = false;
            for position in 0..self.lemmas.len() {
                if self.lemmas[position].level != level {
                    continue;
                }
                let cube = self.lemmas[position].cube.clone();
                match self.is_inductive_from(&cube, level)? {
                    true => {
                        self.lemmas[position].level = level + 1;
                        self.add_lemma(&cube, level + 1);
                    }
                    false => stays = true,
                }
            }
            if !stays {
                return Ok(Some(level + 1));
            }
        }
        Ok(None)
    }
}
