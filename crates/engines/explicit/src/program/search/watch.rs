//! What runs along with a program and watches for violations: an automaton for the negation of a formula, a never claim, or the accepting
//! locations of the processes themselves.

use crate::program::steps::code::{Code, Compiler};
use crate::program::steps::space::Space;
use entail_automata::algebra::complement::complement_to_buchi;
use entail_automata::ltl::classify::{is_stutter_invariant, stutter_difference};
use entail_automata::{
    Acceptance, AutomataError, Automaton, Kind, Label, Labels, Marks, State, Target, Translation, translate,
};
use entail_budget::Budget;
use entail_logic::{Formula, Observer, Unary as Modal};
use entail_program::{Action, Binary, Expression, Fault, ProcessTypeId, Program, RequirementKind, Unary};

/// A step of a watcher: where it goes, and what it has seen.
pub type WatchStep = (u16, u64);

/// What a watcher sees in a state: which conditions hold, and which cannot be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Letter {
    holds: u64,
    faulty: u64,
}

impl Letter {
    /// The letter in which these conditions hold, and all can be evaluated.
    pub fn of(holds: u64) -> Letter {
        Letter { holds, faulty: 0 }
    }

    /// The conditions that hold, if all can be evaluated.
    pub fn without_faults(self) -> Option<u64> {
        (self.faulty == 0).then_some(self.holds)
    }
}

/// A condition that the watcher asks for cannot be evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Unseen(pub usize);

/// A watcher sees at most so many conditions.
const MOST_CONDITIONS: usize = 64;

/// A watcher. A run violates the requirement if the watcher can follow it seeing every mark below [`Watch::marks`] infinitely often, or
/// comes to its end.
pub struct Watch {
    conditions: Vec<Code>,
    machine: Machine,
    /// How many marks there are.
    pub marks: u32,
    pub initial: Vec<u16>,
    /// A state without successors is repeated for ever.
    pub stutters: bool,
    /// It may matter how often a state is repeated.
    pub counts_steps: bool,
}

enum Machine {
    Automaton(Box<Automaton>),
    Claim(Vec<ClaimLocation>),
    /// An automaton that was handed in.
    Observer(Observer),
    /// Marks are the accepting locations of the processes.
    Labels,
}

struct ClaimLocation {
    edges: Vec<(ClaimGuard, u16)>,
    accepting: bool,
    /// The claim has come to its end.
    done: bool,
}

enum ClaimGuard {
    Always,
    Else,
    /// The condition of this number holds.
    When(usize),
}

impl Watch {
    /// The watcher of a requirement, or why there is none.
    pub fn new(
        program: &Program,
        space: &Space<'_>,
        question: &RequirementKind,
        budget: &Budget,
    ) -> Result<Watch, String> {
        let compiler = Compiler {
            layout: &space.compiled.layout,
            process: None,
        };
        match question {
            RequirementKind::Safety => Err("safety needs no watcher".into()),
            RequirementKind::Always(formula) => {
                Watch::of_formula(&program.conditions, formula, compiler, true, budget)
            }
            RequirementKind::Progress => {
                let progress = Expression::Unary(Unary::Not, Box::new(Expression::NonProgress));
                let again = Formula::unary(Modal::Finally, &Formula::atom(0));
                let formula = Formula::unary(Modal::Globally, &again);
                Watch::of_formula(&[progress], &formula, compiler, false, budget)
            }
            RequirementKind::NeverClaim(claim) => Watch::of_claim(program, *claim, compiler, budget),
            RequirementKind::NoAcceptanceCycle => Ok(Watch {
                conditions: Vec::new(),
                machine: Machine::Labels,
                marks: 1,
                initial: vec![0],
                stutters: true,
                counts_steps: false,
            }),
        }
    }

    /// A watcher that was handed in, for a requirement about infinite runs whose conditions it speaks about. Nothing if it is too large, or the requirement says by itself what is watched for.
    pub fn of_observer(
        program: &Program,
        space: &Space<'_>,
        question: &RequirementKind,
        observer: &Observer,
    ) -> Option<Watch> {
        let compiler = Compiler {
            layout: &space.compiled.layout,
            process: None,
        };
        let progress = [Expression::Unary(Unary::Not, Box::new(Expression::NonProgress))];
        let (conditions, stutters) = match question {
            RequirementKind::Always(_) => (program.conditions.as_slice(), true),
            RequirementKind::Progress => (progress.as_slice(), false),
            _ => return None,
        };
        // In letters, conditions have the positions of those that are looked at.
        let seen = observer.conditions();
        let codes: Option<Vec<Code>> = (seen.iter())
            .map(|&condition| compiler.code(conditions.get(condition)?).ok())
            .collect();
        let mut observer = observer.clone();
        for edge in observer.positions.iter_mut().flatten() {
            for (condition, _) in &mut edge.literals {
                *condition = seen.binary_search(condition).ok()?;
            }
        }
        if seen.len() > MOST_CONDITIONS || observer.marks > 64 {
            return None;
        }
        Some(Watch {
            conditions: codes?,
            marks: observer.marks,
            machine: Machine::Observer(observer),
            initial: vec![0],
            stutters,
            counts_steps: true,
        })
    }

    fn of_formula(
        conditions: &[Expression],
        formula: &Formula<usize>,
        compiler: Compiler<'_>,
        stutters: bool,
        budget: &Budget,
    ) -> Result<Watch, String> {
        let named = formula.not().map_atoms(&mut |atom| format!("c{atom}"));
        let counts_steps = !is_stutter_invariant(&named, budget).unwrap_or(false);
        let translation = Translation {
            target: Target::GeneralizedBuchi,
            ..Translation::default()
        };
        let automaton = translate(&named, translation, budget).map_err(|error| error.to_string())?;
        let marks = match automaton.kind() {
            Kind::None => 0,
            Kind::All => 0,
            Kind::Buchi => 1,
            Kind::GeneralizedBuchi(marks) => marks,
            _ => return Err("the formula's automaton has an unexpected acceptance condition".into()),
        };
        let mut codes = Vec::new();
        for name in automaton.propositions() {
            let position: usize = name[1..].parse().map_err(|_| "an unknown proposition")?;
            codes.push(compiler.code(&conditions[position])?);
        }
        let initial = match automaton.kind() {
            Kind::None => Vec::new(),
            _ => automaton.initial().iter().map(|state| state.0 as u16).collect(),
        };
        if automaton.state_count() > usize::from(u16::MAX) || codes.len() > MOST_CONDITIONS {
            return Err("the formula's automaton is too large".into());
        }
        Ok(Watch {
            conditions: codes,
            machine: Machine::Automaton(Box::new(automaton)),
            marks,
            initial,
            stutters,
            counts_steps,
        })
    }

    fn of_claim(
        program: &Program,
        claim: ProcessTypeId,
        compiler: Compiler<'_>,
        budget: &Budget,
    ) -> Result<Watch, String> {
        let process = program.process(claim);
        let mut locations = Vec::new();
        let mut conditions: Vec<&Expression> = Vec::new();
        for location in &process.locations {
            let mut edges = Vec::new();
            let mut done = false;
            for edge in &location.edges {
                let guard = match edge.actions.first() {
                    Some(Action::Guard(Expression::Constant(0))) => continue,
                    Some(Action::Guard(Expression::Constant(_))) => ClaimGuard::Always,
                    Some(Action::Guard(condition) | Action::Assert(condition)) => {
                        let known = conditions.iter().position(|&other| other == condition);
                        ClaimGuard::When(known.unwrap_or_else(|| {
                            conditions.push(condition);
                            conditions.len() - 1
                        }))
                    }
                    Some(Action::Else) => ClaimGuard::Else,
                    Some(Action::Skip) | None => ClaimGuard::Always,
                    Some(Action::End) => {
                        done = true;
                        continue;
                    }
                    Some(_) => return Err("the never claim does more than look at the state".into()),
                };
                edges.push((guard, edge.target.0));
            }
            locations.push(ClaimLocation {
                edges,
                accepting: location.is_accepting,
                done,
            });
        }
        if conditions.len() > MOST_CONDITIONS {
            return Err(format!(
                "the never claim has more than {MOST_CONDITIONS} conditions"
            ));
        }
        let start = process.start.map_or(0, |start| start.index());
        let insensitive = is_claim_insensitive(&locations, start, &conditions, budget);
        let counts_steps = !insensitive.unwrap_or(false);
        let codes: Result<Vec<Code>, String> = conditions
            .iter()
            .map(|condition| compiler.code(condition))
            .collect();
        Ok(Watch {
            conditions: codes?,
            machine: Machine::Claim(locations),
            marks: 1,
            initial: process.start.iter().map(|start| start.0).collect(),
            stutters: true,
            counts_steps,
        })
    }

    /// Whether the watcher has come to its end: whatever follows, the requirement is violated.
    pub fn is_done(&self, at: u16) -> bool {
        matches!(&self.machine, Machine::Claim(locations) if locations[at as usize].done)
    }

    /// How many places it has.
    pub fn places(&self) -> u32 {
        let count = match &self.machine {
            Machine::Automaton(automaton) => automaton.state_count(),
            Machine::Claim(locations) => locations.len(),
            Machine::Observer(observer) => observer.positions.len(),
            Machine::Labels => 1,
        };
        count as u32
    }

    /// What is seen in a state.
    pub fn letter(&self, space: &mut Space<'_>, state: &[u8]) -> Letter {
        let mut letter = Letter { holds: 0, faulty: 0 };
        if matches!(self.machine, Machine::Labels) {
            letter.holds = u64::from(space.is_accepting(state));
        }
        space.enter(state);
        for (position, code) in self.conditions.iter().enumerate() {
            match space.observe(|view| view.value(code) != 0) {
                Ok(holds) => letter.holds |= u64::from(holds) << position,
                Err(_) => letter.faulty |= 1 << position,
            }
        }
        letter
    }

    /// What goes wrong when a condition is evaluated in a state.
    pub fn fault(&self, space: &mut Space<'_>, state: &[u8], Unseen(condition): Unseen) -> Option<Fault> {
        space.enter(state);
        space
            .observe(|view| view.value(&self.conditions[condition]))
            .err()
    }

    /// What the watcher can do where it sees a letter.
    pub fn steps(&self, letter: Letter, at: u16) -> Result<Vec<WatchStep>, Unseen> {
        let mut steps = Vec::new();
        match &self.machine {
            Machine::Labels => steps.push((0, letter.holds)),
            Machine::Automaton(automaton) => {
                if letter.faulty != 0 {
                    return Err(Unseen(letter.faulty.trailing_zeros() as usize));
                }
                for edge in automaton.edges(State(at.into())) {
                    if edge.label == Label::TRUE || automaton.labels.satisfied(edge.label, letter.holds) {
                        steps.push((edge.target.0 as u16, edge.marks.0));
                    }
                }
            }
            Machine::Observer(observer) => {
                if letter.faulty != 0 {
                    return Err(Unseen(letter.faulty.trailing_zeros() as usize));
                }
                for edge in &observer.positions[usize::from(at)] {
                    let fits =
                        |&(condition, value): &(usize, bool)| (letter.holds >> condition & 1 == 1) == value;
                    if edge.literals.iter().all(fits) {
                        steps.push((edge.target, edge.marks));
                    }
                }
            }
            Machine::Claim(locations) => {
                let here = &locations[at as usize];
                let marks = u64::from(here.accepting);
                for (guard, target) in &here.edges {
                    let enabled = match guard {
                        ClaimGuard::Always => true,
                        ClaimGuard::Else => steps.is_empty(),
                        ClaimGuard::When(condition) if letter.faulty >> condition & 1 == 1 => {
                            return Err(Unseen(*condition));
                        }
                        ClaimGuard::When(condition) => letter.holds >> condition & 1 == 1,
                    };
                    if enabled {
                        steps.push((*target, marks));
                    }
                }
            }
        }
        Ok(steps)
    }
}

/// Claims with more locations are taken to count steps.
const MOST_CLAIM_LOCATIONS: usize = 24;

/// Whether it does not matter to a claim how often a state is repeated, found out with automata for what it accepts and for what it does not.
fn is_claim_insensitive(
    locations: &[ClaimLocation],
    start: usize,
    conditions: &[&Expression],
    budget: &Budget,
) -> Result<bool, AutomataError> {
    if locations.len() > MOST_CLAIM_LOCATIONS {
        return Ok(false);
    }
    let mut atoms = Vec::new();
    conditions
        .iter()
        .for_each(|condition| add_atoms(condition, &mut atoms));
    let names = (0..atoms.len()).map(|position| format!("c{position}")).collect();
    let mut accepted = Automaton::new(names, Acceptance::Inf(0), 1)?;
    let states: Vec<State> = locations.iter().map(|_| accepted.add_state()).collect();
    if let Some(&start) = states.get(start) {
        accepted.add_initial(start);
    }
    for (location, &state) in locations.iter().zip(&states) {
        if location.done {
            accepted.add_edge(state, Label::TRUE, state, Marks::one(0));
        }
        let marks = match location.accepting {
            true => Marks::one(0),
            false => Marks::NONE,
        };
        let mut earlier = Label::FALSE;
        for (guard, target) in &location.edges {
            let label = match guard {
                ClaimGuard::Always => Label::TRUE,
                ClaimGuard::Else => earlier.not(),
                ClaimGuard::When(condition) => label(conditions[*condition], &atoms, &mut accepted.labels),
            };
            earlier = accepted.labels.or(earlier, label);
            accepted.add_edge(state, label, states[*target as usize], marks);
        }
    }
    let other = complement_to_buchi(&accepted, budget)?;
    Ok(stutter_difference(&accepted, &other)?.is_none())
}

/// The parts of a condition that `&&`, `||` and `!` connect.
fn add_atoms<'a>(condition: &'a Expression, atoms: &mut Vec<&'a Expression>) {
    match condition {
        Expression::Unary(Unary::Not, operand) => add_atoms(operand, atoms),
        Expression::Binary(Binary::And | Binary::Or, left, right) => {
            add_atoms(left, atoms);
            add_atoms(right, atoms);
        }
        atom if !atoms.contains(&atom) => atoms.push(atom),
        _ => {}
    }
}

/// A condition over its parts.
fn label(condition: &Expression, atoms: &[&Expression], labels: &mut Labels) -> Label {
    match condition {
        Expression::Unary(Unary::Not, operand) => label(operand, atoms, labels).not(),
        Expression::Binary(operator @ (Binary::And | Binary::Or), left, right) => {
            let (left, right) = (label(left, atoms, labels), label(right, atoms, labels));
            match operator {
                Binary::And => labels.and(left, right),
                _ => labels.or(left, right),
            }
        }
        atom => match atoms.iter().position(|other| *other == atom) {
            Some(position) => labels.literal(position as u32, true),
            None => Label::TRUE,
        },
    }
}
