//! Whether states with ranks show that no infinite run violates a requirement.
//!
//! What watches for violations is made here: for a formula the automaton of the runs that violate it (`entail-linear-checker`), for a never claim its locations, else the labels of the processes. The set has, for each
//! state, the positions of the watcher with a level and a missing mark. Each state is looked at by itself: wherever the watcher can go on reading it, every step of the program leads to a state of the set in which the
//! watcher's new position has a rank that [`Descent`] allows. So no run is accepted, whether or not anything in the set can be reached.
//!
//! Under weak fairness every process has a mark as well: met by steps in which it moves, and by all steps from states in which it cannot.
//!
//! Memory: the set with its ranks, one state with its steps, and the states inside one atomic sequence.

use crate::parts::over_all_blocks;
use crate::reduced::Reduced;
use crate::steps::{Found, Obstacle, Stepper, wrong};
use crate::unseen::computes_with_unseen;
use entail_answer::{CheckReport, Rank, RankedSet, SetIndex};
use entail_budget::Budget;
use entail_linear_checker::{Descent, Unsupported, violations};
use entail_logic::{Formula, Observer};
use entail_program::{
    Action, Expression, Fault, Location, LocationId, Program, Requirement, RequirementKind, Unary,
};

/// The automaton that watches for violations of a requirement; nothing where the program itself says what is watched for. Engines are handed it to find ranks for.
pub fn observer_of(requirement: &Requirement) -> Option<Result<Observer, Unsupported>> {
    match &requirement.question {
        RequirementKind::Always(formula) => Some(violations(formula)),
        RequirementKind::Progress => Some(violations(&Formula::atom(0).finally().globally())),
        RequirementKind::Safety | RequirementKind::NeverClaim(_) | RequirementKind::NoAcceptanceCycle => None,
    }
}

/// Checks the claim that no infinite run (with `fair`, none in which every process that can always move from some time on does) violates a requirement, by states with ranks. What the budget does not suffice
/// for is left unchecked.
pub fn check_ranked(
    program: &Program,
    requirement: &Requirement,
    fair: bool,
    set: &RankedSet,
    budget: &Budget,
) -> CheckReport {
    if computes_with_unseen(program) {
        return CheckReport::rejected(
            "states with ranks show nothing where variables that are no part of the state can be read",
        );
    }
    match accept(program, requirement, fair, set, None, budget) {
        Ok(()) => CheckReport::Accepted,
        Err(Obstacle::Wrong(reason)) => CheckReport::rejected(reason),
        Err(Obstacle::Unknown(reason)) => {
            CheckReport::unchecked(format!("that the ranks go down along every step: {reason}"))
        }
    }
}

/// Looks at each state of a set with ranks; where it is that of a reduced search, only at the steps that were taken.
pub fn accept(
    program: &Program,
    requirement: &Requirement,
    fair: bool,
    set: &RankedSet,
    reduced: Option<Reduced<'_>>,
    budget: &Budget,
) -> Result<(), Obstacle> {
    let watcher = Watcher::new(program, requirement).map_err(Obstacle::Wrong)?;
    let index = SetIndex::new(set.states());
    let Some(initial) = index.position(&Stepper::new(program).initial()?) else {
        return wrong("the initial state is not in the set");
    };
    if let Some(at) = watcher.initial()
        && set.rank(initial, at).is_none()
    {
        return wrong("the initial state has no rank");
    }
    over_all_blocks(set.states(), budget, |next, budget| {
        let watcher = Watcher::new(program, requirement).map_err(Obstacle::Wrong)?;
        let mut pass = Pass {
            descent: Descent {
                marks: watcher.marks(),
            },
            watcher,
            stepper: Stepper::new(program),
            found: Found::default(),
            set,
            index: &index,
            fair,
            reduced,
            targets: Vec::new(),
            moves: Vec::new(),
        };
        while let Some(blocks) = next() {
            set.states().for_each_in(blocks, |number, bytes| {
                budget.check()?;
                pass.look_at(bytes, number, budget)
            })?;
        }
        Ok(())
    })
}

/// What watches for violations.
enum Watcher<'p> {
    Observer {
        observer: Observer,
        /// The conditions that it looks at, by their numbers; and their values in the state at hand.
        conditions: Vec<(usize, Expression)>,
        values: Vec<(usize, bool)>,
        /// Whether the last state of a run in which nobody can move is read again and again.
        repeats_last: bool,
    },
    Claim {
        locations: &'p [Location],
        start: Option<LocationId>,
    },
    /// One position; the mark is met where a process is at an accepting location.
    Labels,
}

impl<'p> Watcher<'p> {
    fn new(program: &'p Program, requirement: &Requirement) -> Result<Watcher<'p>, String> {
        Ok(match &requirement.question {
            RequirementKind::Safety => return Err("ranks say nothing about safety".into()),
            RequirementKind::NoAcceptanceCycle => Watcher::Labels,
            RequirementKind::NeverClaim(claim) => {
                let claim = program.process(*claim);
                Watcher::Claim {
                    locations: &claim.locations,
                    start: claim.start,
                }
            }
            RequirementKind::Always(_) | RequirementKind::Progress => {
                let observer = observer_of(requirement).unwrap_or(Err(Unsupported("this requirement")));
                let observer = observer.map_err(|Unsupported(what)| {
                    format!("{what} are not supported where ranks are checked")
                })?;
                let is_progress = requirement.question == RequirementKind::Progress;
                let progress = Expression::Unary(Unary::Not, Box::new(Expression::NonProgress));
                let conditions = observer.conditions().into_iter().map(|condition| {
                    let expression = match is_progress {
                        true => Some(progress.clone()),
                        false => program.conditions.get(condition).cloned(),
                    };
                    expression
                        .map(|expression| (condition, expression))
                        .ok_or_else(|| "the formula has an unknown condition".to_owned())
                });
                Watcher::Observer {
                    conditions: conditions.collect::<Result<_, _>>()?,
                    observer,
                    values: Vec::new(),
                    repeats_last: !is_progress,
                }
            }
        })
    }

    fn marks(&self) -> u32 {
        match self {
            Watcher::Observer { observer, .. } => observer.marks,
            Watcher::Claim { .. } | Watcher::Labels => 1,
        }
    }

    fn repeats_last(&self) -> bool {
        match self {
            Watcher::Observer { repeats_last, .. } => *repeats_last,
            Watcher::Claim { .. } | Watcher::Labels => true,
        }
    }

    /// Where it begins.
    fn initial(&self) -> Option<u16> {
        match self {
            Watcher::Claim { start, .. } => start.map(|start| start.0),
            Watcher::Observer { .. } | Watcher::Labels => Some(0),
        }
    }

    /// Looks at the state at hand.
    fn look(&mut self, stepper: &Stepper<'_>) -> Result<(), Obstacle> {
        if let Watcher::Observer {
            conditions, values, ..
        } = self
        {
            values.clear();
            for (condition, expression) in conditions {
                values.push((*condition, value_of(stepper, expression)?));
            }
        }
        Ok(())
    }

    /// Adds where it can go from a position, reading the state at hand, and the marks it meets.
    fn moves(&self, at: u16, stepper: &Stepper<'_>, out: &mut Vec<(u16, u64)>) -> Result<(), Obstacle> {
        match self {
            Watcher::Labels if at == 0 => out.push((0, u64::from(stepper.is_accepting()))),
            Watcher::Labels => return wrong("the set has a position that the watcher does not have"),
            Watcher::Observer { observer, values, .. } => {
                let Some(edges) = observer.positions.get(usize::from(at)) else {
                    return wrong("the set has a position that the automaton does not have");
                };
                let fits = |literal: &(usize, bool)| values.contains(literal);
                let edges = edges.iter().filter(|edge| edge.literals.iter().all(fits));
                out.extend(edges.map(|edge| (edge.target, edge.marks)));
            }
            Watcher::Claim { locations, .. } => {
                let Some(here) = locations.get(usize::from(at)) else {
                    return wrong("the set has a position that the claim does not have");
                };
                let first = out.len();
                let marks = u64::from(here.is_accepting);
                for edge in &here.edges {
                    let can_be_taken = match edge.actions.first() {
                        None | Some(Action::Skip) => true,
                        Some(Action::Guard(guard) | Action::Assert(guard)) => value_of(stepper, guard)?,
                        Some(Action::Else) => out.len() == first,
                        Some(Action::End) => return wrong("the claim comes to its end"),
                        Some(_) => return wrong("the claim does more than look at the state"),
                    };
                    if can_be_taken {
                        out.push((edge.target.0, marks));
                    }
                }
                let ends = |location: u16| {
                    let edges = locations
                        .get(usize::from(location))
                        .map(|location| &location.edges);
                    let mut first = edges.into_iter().flatten().map(|edge| edge.actions.first());
                    first.any(|action| matches!(action, Some(Action::End)))
                };
                if out[first..].iter().any(|&(target, _)| ends(target)) {
                    return wrong("the claim comes to its end");
                }
            }
        }
        Ok(())
    }
}

fn value_of(stepper: &Stepper<'_>, condition: &Expression) -> Result<bool, Obstacle> {
    let value = stepper.condition(condition);
    value.map_err(|fault: Fault| {
        Obstacle::Wrong(format!("a condition has no value in a state of the set: {fault}"))
    })
}

/// A pass over the states of a set.
struct Pass<'p> {
    watcher: Watcher<'p>,
    descent: Descent,
    stepper: Stepper<'p>,
    found: Found,
    set: &'p RankedSet,
    index: &'p SetIndex<'p>,
    fair: bool,
    reduced: Option<Reduced<'p>>,
    /// Where the watcher can go from one position.
    targets: Vec<(u16, u64)>,
    /// Where it can go from all positions, with the ranks of these.
    moves: Vec<(Rank, u16, u64)>,
}

impl Pass<'_> {
    /// Looks at one state.
    fn look_at(&mut self, bytes: &[u8], number: u64, budget: &Budget) -> Result<(), Obstacle> {
        self.stepper.enter(bytes)?;
        self.watcher.look(&self.stepper)?;
        self.moves.clear();
        for &rank in self.set.of(number) {
            self.targets.clear();
            self.watcher.moves(rank.at, &self.stepper, &mut self.targets)?;
            let moves = self.targets.iter().map(|&(target, marks)| (rank, target, marks));
            self.moves.extend(moves);
        }
        if self.moves.is_empty() {
            return Ok(());
        }
        self.stepper.steps(self.fair, &mut self.found, budget)?;
        if self.found.diverges {
            return Err(Obstacle::Unknown(
                "an atomic sequence can go on for ever, which the requirement cannot look into".into(),
            ));
        }
        let (set, descent, found) = (self.set, self.descent, &self.found);
        let go = |to: u64, moved: &dyn Fn(u8) -> bool| {
            let is_fair = |process: u16| {
                let process = u8::try_from(process).ok().filter(|_| self.fair);
                process.is_none_or(|process| moved(process) || !found.enabled.contains(process))
            };
            for &(from, target, marks) in &self.moves {
                match set.rank(to, target) {
                    None => return wrong("a step leaves the states with ranks"),
                    Some(rank) if !descent.allows(from, rank, marks, is_fair) => {
                        return wrong("the ranks do not go down along a step");
                    }
                    Some(_) => {}
                }
            }
            Ok(())
        };
        let members = match self.reduced {
            Some(reduced) => reduced.taken(&self.stepper, found, number)?,
            None => None,
        };
        let was_taken = |by: u8| members.is_none_or(|members| members.contains(by));
        for reached in found.states().filter(|reached| was_taken(reached.by)) {
            let Some(to) = self.index.position(reached.state) else {
                return wrong("a step leaves the states with ranks");
            };
            if members.is_some() && !self.reduced.is_some_and(|reduced| reduced.goes_on(number, to)) {
                return wrong("steps may be put off for ever");
            }
            go(to, &|process| reached.movers.contains(process))?;
        }
        match found.is_last() && self.watcher.repeats_last() {
            true => go(number, &|_| false),
            false => Ok(()),
        }
    }
}
