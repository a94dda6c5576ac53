//! What is known of the locations of a program: what the next step from there touches, and what all steps touch from there on.
//!
//! A step begins with one edge and goes on while the process keeps control, through deterministic sequences and atomic ones. What comes after the first action may be reached with other values of the variables in
//! it, and what is waited for there decides where the step ends: so a channel that is used there counts as asked about, too. The same holds wherever others can tell that something was not possible: beside `else`, below `unless`.

use super::sketch::{Cells, Sketch, reach};
use super::touch::{LOOK, Strange, Touch, touches_of};
use entail_program::{Action, Edge, Expression, Location, LocationId, Program, Scope};

/// What a first action does with a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    Send,
    Sort,
    Take,
    /// The first message that matches, wherever it is.
    TakeAnywhere,
}

/// What is known of a location.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// What the first actions of its edges do with channels, the channels as they are in the state.
    pub firsts: Vec<(Expression, First)>,
    /// What the next step touches besides.
    pub now: Sketch,
    /// What any step touches from here on.
    pub future: Sketch,
}

/// A process type, for a while.
struct Type<'p> {
    locations: &'p [Location],
    /// By location: it is inside a deterministic sequence.
    inside: Vec<bool>,
    /// By location: whether something is possible there is noticed.
    noticed: Vec<bool>,
}

/// Larger process types are refused: what is known of a location is collected from all that can be reached from it.
const MOST_LOCATIONS: usize = 1_000;

/// What is known, by process type and location. Of types of which there is never a process, such as claims, everything is assumed.
pub fn all_known(program: &Program) -> Result<Vec<Vec<Known>>, Strange> {
    let lives = living(program);
    let mut written = Cells::default();
    for (process, _) in program.processes.iter().zip(&lives).filter(|(_, lives)| **lives) {
        if process.locations.len() > MOST_LOCATIONS {
            return Err(Strange("types with so many locations"));
        }
        for edge in process.locations.iter().flat_map(|location| &location.edges) {
            for action in &edge.actions {
                for touch in touches_of(action)? {
                    if let Touch::Global(place, true) = touch {
                        written.add(reach(&place));
                    }
                }
            }
        }
    }
    let mut all = Vec::new();
    for (process, lives) in program.processes.iter().zip(lives) {
        let one = Type::new(&process.locations);
        let known = (0..process.locations.len()).map(|at| match lives {
            true => one.known(at, &written),
            false => Ok(Known::anything()),
        });
        all.push(known.collect::<Result<_, _>>()?);
    }
    Ok(all)
}

/// By process type: whether there may be processes of it.
fn living(program: &Program) -> Vec<bool> {
    let mut lives = vec![false; program.processes.len()];
    let mut pending: Vec<usize> = program.initial.iter().map(|kind| usize::from(kind.0)).collect();
    while let Some(kind) = pending.pop() {
        if std::mem::replace(&mut lives[kind], true) {
            continue;
        }
        for edge in program.processes[kind]
            .locations
            .iter()
            .flat_map(|location| &location.edges)
        {
            pending.extend(edge.actions.iter().filter_map(|action| match action {
                Action::Start { process, .. } => Some(usize::from(process.0)),
                _ => None,
            }));
        }
    }
    lives
}

impl Known {
    /// Nothing is known: it may even start processes.
    fn anything() -> Known {
        let mut known = Known::default();
        known.now.starts = true;
        known.future.starts = true;
        known
    }
}

/// The first locations of the deterministic sequences of an edge.
fn entries(edge: &Edge) -> impl Iterator<Item = usize> {
    edge.actions.iter().filter_map(|action| match action {
        Action::Deterministic(entry) => Some(entry.index()),
        _ => None,
    })
}

/// Where an edge leads, if not to the end of a deterministic sequence.
fn target(edge: &Edge) -> Option<usize> {
    (edge.target != LocationId::DONE).then(|| edge.target.index())
}

impl<'p> Type<'p> {
    fn new(locations: &'p [Location]) -> Type<'p> {
        let edges = || locations.iter().flat_map(|location| &location.edges);
        let mut one = Type {
            locations,
            inside: vec![false; locations.len()],
            noticed: vec![false; locations.len()],
        };
        one.inside = one.follow(edges().flat_map(entries).collect(), |_| true);
        for (at, location) in locations.iter().enumerate() {
            let first_rank = location.edges.first().map(|edge| edge.rank);
            one.noticed[at] = one.inside[at]
                || location.edges.iter().any(|edge| {
                    Some(edge.rank) != first_rank || matches!(edge.actions.first(), Some(Action::Else))
                });
        }
        for edge in edges().filter(|edge| edge.keeps_control) {
            if let Some(passed) = target(edge) {
                one.noticed[passed] = true;
            }
        }
        one
    }

    /// By location: whether it is reached from some, these included, through deterministic sequences and along the edges that are followed.
    fn follow(&self, from: Vec<usize>, follows: impl Fn(&Edge) -> bool) -> Vec<bool> {
        let mut reached = vec![false; self.locations.len()];
        let mut pending = from;
        while let Some(at) = pending.pop() {
            if reached.get(at) != Some(&false) {
                continue;
            }
            reached[at] = true;
            for edge in &self.locations[at].edges {
                pending.extend(entries(edge));
                if follows(edge) || self.inside[at] {
                    pending.extend(target(edge));
                }
            }
        }
        reached
    }

    /// Whether an expression keeps its value while a process goes on from the locations in which it may be: nothing in it is ever written.
    fn keeps_value(&self, expression: &Expression, own_written: &Cells, written: &Cells) -> bool {
        let mut keeps = true;
        expression.visit(&mut |inner| {
            keeps &= match inner {
                Expression::Constant(_)
                | Expression::ProcessNumber
                | Expression::Unary(..)
                | Expression::Binary(..)
                | Expression::Conditional(_) => true,
                Expression::Load(place) => match &place.scope {
                    Scope::Local => !own_written.has_any(reach(place)),
                    Scope::Global => !written.has_any(reach(place)),
                    Scope::Unseen | Scope::Remote(..) => false,
                },
                _ => false,
            }
        });
        keeps
    }

    fn known(&self, at: usize, written: &Cells) -> Result<Known, Strange> {
        let later = self.follow(vec![at], |_| true);
        let later = || (0..later.len()).filter(|&other| later[other]);
        let mut own_written = Cells::default();
        for action in later().flat_map(|other| self.actions(other)) {
            for touch in touches_of(action)? {
                if let Touch::OwnWritten(place) = touch {
                    own_written.add(reach(&place));
                }
            }
        }
        let keeps_value = |expression: &Expression| self.keeps_value(expression, &own_written, written);
        let mut known = Known::default();
        for other in later() {
            for action in self.actions(other) {
                for touch in touches_of(action)? {
                    let touch = if self.noticed[other] { asked(touch) } else { touch };
                    known.future.add(touch, &keeps_value);
                }
            }
        }
        let mut passed = Vec::new();
        for edge in &self.locations[at].edges {
            if let Some(first) = edge.actions.first() {
                add_first(first, &mut known)?;
            }
            for action in edge.actions.iter().skip(1) {
                for touch in touches_of(action)? {
                    known.now.add(asked(touch), &keeps_value);
                }
            }
            passed.extend(entries(edge));
            if edge.keeps_control || self.inside[at] {
                passed.extend(target(edge));
            }
        }
        let passed = self.follow(passed, |edge| edge.keeps_control);
        for other in (0..passed.len()).filter(|&other| passed[other]) {
            for action in self.actions(other) {
                for touch in touches_of(action)? {
                    known.now.add(asked(touch), &keeps_value);
                }
            }
        }
        Ok(known)
    }

    fn actions(&self, at: usize) -> impl Iterator<Item = &'p Action> {
        self.locations[at].edges.iter().flat_map(|edge| &edge.actions)
    }
}

/// The same, where it is noticed whether it is possible.
fn asked(touch: Touch) -> Touch {
    match touch {
        Touch::Channel(channel, uses) => Touch::Channel(channel, uses | LOOK),
        touch => touch,
    }
}

/// Adds what the first action of an edge touches: its operands are as they are in the state, unless a message is stored, one field after the other.
fn add_first(action: &Action, known: &mut Known) -> Result<(), Strange> {
    let own_channel = match action {
        Action::Send { channel, sorted, .. } => {
            let does = if *sorted { First::Sort } else { First::Send };
            known.firsts.push((channel.clone(), does));
            Some(channel)
        }
        Action::Receive {
            channel, anywhere, ..
        } => {
            let does = if *anywhere {
                First::TakeAnywhere
            } else {
                First::Take
            };
            known.firsts.push((channel.clone(), does));
            Some(channel)
        }
        _ => None,
    };
    let binds = matches!(action, Action::Receive { .. });
    for touch in touches_of(action)? {
        match &touch {
            Touch::Channel(channel, uses) if Some(channel) == own_channel && *uses != LOOK => {}
            _ => known.now.add(touch, &|_| !binds),
        }
    }
    Ok(())
}
