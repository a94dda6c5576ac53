//! An abstract counterexample as a question to the concrete model, and the answer put back into its form.
//!
//! A counterexample is a path, a lasso, or (for ACTL*) a tree of both (Clarke, Jha, Lu, Veith, "Tree-like counterexamples in model
//! checking", LICS 2002). A [`Sketch`] is what they have in common: numbered positions with values of the visible variables, and steps
//! between them. A claim that rests on a search of all paths (`A ψ` true, `E ψ` false, within a formula
//! about all paths) needs no drawing: what is true of all abstract paths is true of the concrete ones. A tree branches where two steps leave one position; a loop is a step back. An abstract loop may stand for a
//! longer concrete one, so loops are unwound: `rounds` times, the way back leading to the round `back_to`.

use entail_evidence::{Because, Evidence, Explanation, Note, PathWitness, Trace};
use entail_logic::Formula;
use entail_model::{TermId, TransitionSystem, Value, VarId, VarKind};

/// Something with a known value at a position.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seen {
    Variable(VarId),
    Term(TermId),
}

/// What is known at a position.
pub(crate) type Facts = Vec<(Seen, Value)>;

/// What atoms are.
pub(crate) type Atoms = Vec<(TermId, bool)>;

/// How abstract paths look from the concrete model.
pub(crate) struct View<'a> {
    /// What is known of a position with these abstract values.
    pub(crate) facts: &'a dyn Fn(&[Option<Value>]) -> Facts,
    /// What atoms about steps are at a position of an abstract path.
    pub(crate) atoms: &'a dyn Fn(&Trace, usize) -> Atoms,
    /// A formula about the abstract model as one about the concrete model.
    pub(crate) formula: &'a dyn Fn(&Formula<TermId>) -> Formula<TermId>,
}

/// A step between two positions, or out of one to nowhere in particular.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) from: usize,
    pub(crate) to: Option<usize>,
    /// What atoms about steps have to be.
    pub(crate) atoms: Atoms,
}

/// A condition on a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    pub(crate) step: usize,
    pub(crate) term: TermId,
    pub(crate) truth: bool,
}

/// Positions and steps. Position 0 is initial.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sketch {
    /// What is known at each position.
    pub(crate) positions: Vec<Facts>,
    pub(crate) steps: Vec<Step>,
    /// Of each list, one must be met: fairness of the loops.
    pub(crate) demands: Vec<Vec<Demand>>,
    /// Whether there is a loop.
    pub(crate) has_loop: bool,
}

/// A loop is not unwound again beyond so many positions: loops within loops multiply.
const MOST_POSITIONS: usize = 200;

impl Sketch {
    /// Whether it is too large for another round of its loops.
    pub(crate) fn is_large(&self) -> bool {
        self.positions.len() > MOST_POSITIONS
    }

    /// Whether it is one path without a loop, its positions in their order.
    pub(crate) fn is_one_path(&self) -> bool {
        self.steps.len() + 1 == self.positions.len()
            && (self.steps.iter().enumerate()).all(|(at, step)| step.from == at && step.to == Some(at + 1))
    }
}

/// Concrete values for a sketch.
#[derive(Clone, Debug)]
pub(crate) struct Filled {
    /// Of state variables, for each position.
    pub(crate) positions: Vec<Vec<Option<Value>>>,
    /// Of inputs, for each step.
    pub(crate) steps: Vec<Vec<Option<Value>>>,
}

/// How loops are unwound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unwinding {
    /// How often each loop is unrolled.
    pub(crate) rounds: usize,
    /// The way back leads to this round, counted from 0; nowhere if there is none.
    pub(crate) back_to: Option<usize>,
}

/// Where a path went.
#[derive(Clone, Debug)]
struct DrawnPath {
    positions: Vec<usize>,
    /// The step from each position; the last has none on a path without a loop.
    steps: Vec<usize>,
    loop_start: Option<usize>,
    /// By position, then in the order of the notes there.
    notes: Vec<(usize, Drawn)>,
}

/// Where an explanation went.
#[derive(Clone, Debug)]
enum Drawn {
    Here,
    Operands(Vec<Drawn>),
    Path(DrawnPath),
}

/// An abstract counterexample, drawn.
#[derive(Debug)]
pub(crate) struct Drawing<'a> {
    evidence: &'a Evidence,
    pub(crate) sketch: Sketch,
    drawn: Drawn,
}

/// The notes about the state at a position, wherever they are attached: one note counts for all positions with its state, but what is one
/// abstract state may be several concrete ones.
fn notes_at<'n>(trace: &'n Trace, notes: &'n [Note], at: usize) -> impl Iterator<Item = &'n Note> {
    notes.iter().filter(move |note| {
        let explained = note.explanation.state.iter();
        let mut pairs = explained.zip(&trace.steps[at]);
        pairs.all(|(explained, here)| explained.is_none() || explained == here)
    })
}

/// Evidence that is no path and no tree of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the abstract counterexample is not made of paths")]
pub(crate) struct NotDrawn;

/// Draws a counterexample.
pub(crate) fn draw<'a>(
    system: &TransitionSystem,
    evidence: &'a Evidence,
    view: &View<'_>,
    unwinding: Unwinding,
) -> Result<Drawing<'a>, NotDrawn> {
    let mut pen = Pen {
        system,
        view,
        unwinding,
        sketch: Sketch::default(),
    };
    let drawn = match evidence {
        Evidence::Trace(trace) => {
            let start = pen.position(&trace.steps[0]);
            Drawn::Path(pen.path(trace, &[], start)?)
        }
        Evidence::Explanation(tree) => {
            let start = pen.position(&tree.state);
            pen.explanation(tree, start)?
        }
        _ => return Err(NotDrawn),
    };
    Ok(Drawing {
        evidence,
        sketch: pen.sketch,
        drawn,
    })
}

struct Pen<'s> {
    system: &'s TransitionSystem,
    view: &'s View<'s>,
    unwinding: Unwinding,
    sketch: Sketch,
}

impl Pen<'_> {
    fn position(&mut self, values: &[Option<Value>]) -> usize {
        self.sketch.positions.push((self.view.facts)(values));
        self.sketch.positions.len() - 1
    }

    fn explanation(&mut self, tree: &Explanation, here: usize) -> Result<Drawn, NotDrawn> {
        Ok(match &tree.because {
            Because::Evaluation | Because::Exhaustion => Drawn::Here,
            Because::Operands(operands) => {
                let drawn = operands.iter().map(|operand| self.explanation(operand, here));
                Drawn::Operands(drawn.collect::<Result<_, _>>()?)
            }
            Because::Path(witness) => Drawn::Path(self.path(&witness.trace, &witness.notes, here)?),
        })
    }

    fn path(&mut self, trace: &Trace, notes: &[Note], start: usize) -> Result<DrawnPath, NotDrawn> {
        // The abstract position of each position of the path, loops unwound.
        let mut course: Vec<usize> = (0..trace.steps.len()).collect();
        let mut loop_start = None;
        if let Some(first) = trace.loop_start {
            self.sketch.has_loop = true;
            for _ in 1..self.unwinding.rounds {
                course.extend(first..trace.steps.len());
            }
            let length = trace.steps.len() - first;
            loop_start = self.unwinding.back_to.map(|round| first + round * length);
        }
        let mut positions = vec![start];
        for &at in &course[1..] {
            positions.push(self.position(&trace.steps[at]));
        }
        let mut steps = Vec::new();
        for (number, &at) in course.iter().enumerate() {
            let to = match positions.get(number + 1) {
                Some(&next) => next,
                None => match loop_start {
                    Some(back) => positions[back],
                    None => break,
                },
            };
            let atoms = (self.view.atoms)(trace, at);
            steps.push(self.sketch.steps.len());
            self.sketch.steps.push(Step {
                from: positions[number],
                to: Some(to),
                atoms,
            });
        }
        if let Some(back) = loop_start {
            self.fairness(&steps[back..]);
        }
        let mut drawn_notes = Vec::new();
        for (number, &at) in course.iter().enumerate() {
            for note in notes_at(trace, notes, at) {
                let drawn = self.explanation(&note.explanation, positions[number])?;
                drawn_notes.push((number, drawn));
            }
        }
        Ok(DrawnPath {
            positions,
            steps,
            loop_start,
            notes: drawn_notes,
        })
    }

    /// The steps of a loop are fair.
    fn fairness(&mut self, steps: &[usize]) {
        let met = |term: TermId, truth: bool| {
            let demand = move |&step: &usize| Demand { step, term, truth };
            steps.iter().map(demand).collect::<Vec<Demand>>()
        };
        let mut demands: Vec<Vec<Demand>> = self.system.justice.iter().map(|&term| met(term, true)).collect();
        for &(often, then) in &self.system.compassion {
            for never in met(often, false) {
                let mut demand = met(then, true);
                demand.push(never);
                demands.push(demand);
            }
        }
        self.sketch.demands.extend(demands);
    }
}

impl Drawing<'_> {
    /// The counterexample with concrete values.
    pub(crate) fn filled(&self, system: &TransitionSystem, view: &View<'_>, filled: &Filled) -> Evidence {
        match (self.evidence, &self.drawn) {
            (Evidence::Explanation(tree), drawn) => {
                Evidence::Explanation(explanation((system, view), tree, 0, drawn, filled))
            }
            (_, Drawn::Path(path)) => Evidence::Trace(trace(system, path, filled)),
            (other, _) => other.clone(),
        }
    }
}

fn trace(system: &TransitionSystem, path: &DrawnPath, filled: &Filled) -> Trace {
    let mut steps: Vec<Vec<Option<Value>>> = Vec::with_capacity(path.positions.len());
    for (number, &position) in path.positions.iter().enumerate() {
        let mut values = filled.positions[position].clone();
        if let Some(&step) = path.steps.get(number) {
            for input in system.input_variables() {
                values[input.index()] = filled.steps[step][input.index()].clone();
            }
        }
        steps.push(values);
    }
    Trace {
        steps,
        loop_start: path.loop_start,
    }
}

fn explanation(
    (system, view): (&TransitionSystem, &View<'_>),
    tree: &Explanation,
    here: usize,
    drawn: &Drawn,
    filled: &Filled,
) -> Explanation {
    let because = match (&tree.because, drawn) {
        (Because::Operands(operands), Drawn::Operands(drawn)) => Because::Operands(
            operands
                .iter()
                .zip(drawn)
                .map(|(operand, drawn)| explanation((system, view), operand, here, drawn, filled))
                .collect(),
        ),
        (Because::Path(witness), Drawn::Path(path)) => {
            let mut notes = Vec::new();
            let original = |number: usize| match witness.trace.loop_start {
                Some(first) if number >= witness.trace.steps.len() => {
                    let length = witness.trace.steps.len() - first;
                    first + (number - first) % length
                }
                _ => number,
            };
            let mut drawn = path.notes.iter().peekable();
            for number in 0..path.positions.len() {
                for note in notes_at(&witness.trace, &witness.notes, original(number)) {
                    let Some((_, drawn)) = drawn.next_if(|(at, _)| *at == number) else {
                        continue;
                    };
                    let at = path.positions[number];
                    notes.push(Note {
                        position: number,
                        explanation: explanation((system, view), &note.explanation, at, drawn, filled),
                    });
                }
            }
            Because::Path(PathWitness {
                trace: trace(system, path, filled),
                notes,
            })
        }
        (because, _) => because.clone(),
    };
    let mut state = filled.positions[here].clone();
    for variable in system.variable_ids() {
        if system.variable(variable).kind == VarKind::Input {
            state[variable.index()] = None;
        }
    }
    Explanation {
        formula: (view.formula)(&tree.formula),
        truth: tree.truth,
        state,
        because,
    }
}
