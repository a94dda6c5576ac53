//! In which order a property meets engines when the user names none.
//!
//! A look by explicit search first where the model may be small, then decision diagrams, then refinement, then a race of the SAT-based
//! engines (linear time) or of decision diagrams and refinement (formulas about all paths).

use crate::engines::ABSTRACT;
use entail_family::{Options, Runner, Turn};
use entail_logic::{Formula, Fragment, Node, Property, Quantifier, Question};
use entail_model::{TermId, TransitionSystem};
use std::time::Duration;

/// How long explicit search may try before others take over: on models that must be small, by the bits of their states, and on
/// others. Small models get shortest traces and repeated searches as evidence; that few of many states can be reached is found out
/// at a glance. (Where they are more than a thousand, decision diagrams are asked for better evidence all the same.)
const SMALL: u64 = 18;
const LOOK_AT_SMALL_MODELS: Duration = Duration::from_millis(200);
const FEW_STATES: Duration = Duration::from_millis(5);

/// What every state of a circuit satisfies, or a run of a few steps violates, is told in less time than processes take to start; all properties share the encoding. Circuits with more terms are
/// not encoded twice.
const GLANCE: Duration = Duration::from_millis(200);
const MOST_TERMS_AT_A_GLANCE: usize = 200_000;

/// Decision diagrams may try alone for so long: most models take less, and neither the slower engines behind them nor the
/// processes of a race would pay.
const DIAGRAMS_FIRST: Duration = Duration::from_millis(1_000);

/// A second look at models of moderate width, when decision diagrams are no good at them: some million states.
const MODERATE: u64 = 400;
const SECOND_LOOK: Duration = Duration::from_millis(2_500);

/// The order in which engines are tried when the user names none and processes can be started for a race.
const RACE: [(&str, Option<Duration>); 4] = [
    ("ic3", None),
    // Most bugs are shallow, and this finds the shortest way to them.
    ("bmc", Some(Duration::from_secs(2))),
    ("bdd", Some(Duration::from_secs(120))),
    ("bmc", None),
];

/// The same for models with more bits of state than decision diagrams can usually cope with.
const RACE_OF_LARGE_MODELS: [(&str, Option<Duration>); 2] = [("ic3", None), ("bmc", None)];

/// Abstraction joins every race, as a process more than there are cores for, with less right to them. It gives up as soon as it finds that most
/// of the circuit matters; and what takes less than this much time to decide does not need it.
const ABSTRACTION: Runner = Runner {
    engine: "gla",
    at_most: Some(Duration::from_secs(10)),
    joins_after: Some(Duration::from_millis(300)),
};

/// Where most of a model is beside the point, refinement is done in much less time than this; otherwise it has cost no more than half of what went before.
const REFINEMENT_FIRST: Duration = Duration::from_millis(500);

/// How long refinement may run beside decision diagrams on formulas of branching time.
const REFINEMENT: Duration = Duration::from_secs(120);

/// Temporal operators of a formula that is decided by decision diagrams first: they have a bit for each, where an automaton may have twice the states for each.
const MANY_OPERATORS: usize = 10;

/// State bits above which a model is large.
const LARGE: u64 = 400;

/// The turns that the options alone decide, if they do.
pub(crate) fn asked_for(options: &Options) -> Option<Vec<Turn>> {
    if options.has("abstract") || options.has("three-valued") {
        return Some(vec![Turn::alone(ABSTRACT, None, "asked for")]);
    }
    // Options that only one engine has are meant for it.
    let of_searches = ["search", "walks", "storage", "checkpoint", "resume"];
    let wanted = of_searches.iter().any(|option| options.has(option));
    wanted.then(|| vec![Turn::alone("explicit", None, "an option of its own was given")])
}

/// Sweeping two circuits may take this long before engines that look for a difference join; most pairs take less.
const SWEEPING_FIRST: Duration = Duration::from_secs(5);

/// The turns of a property of two circuits side by side: most of the one is in the other. Without registers there are no steps that others could follow.
pub(crate) fn of_circuits(shape: Shape, racing: bool) -> Vec<Turn> {
    let because = "all signals that agree were found";
    match racing && shape.state_bits > 0 {
        false => vec![Turn::alone("sweep", None, because)],
        true => vec![
            Turn::alone("sweep", Some(SWEEPING_FIRST), because),
            Turn {
                runners: vec![
                    Runner::new("sweep", None),
                    Runner::new("bmc", None),
                    Runner::new("ic3", None),
                ],
                because: "the first to answer of several that ran at once",
            },
        ],
    }
}

/// What schedules need to know of a model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// It is a circuit: SAT engines are at home there, and inputs may be far too many to be enumerated.
    is_circuit: bool,
    /// States and inputs can be enumerated.
    is_small: bool,
    /// About how many bits a state has.
    state_bits: u64,
    /// Number of terms.
    terms: usize,
}

impl Shape {
    /// Looks a model over.
    pub(crate) fn of(system: &TransitionSystem, is_circuit: bool) -> Shape {
        let inputs = system.input_variables().try_fold(1u64, |size, input| {
            size.checked_mul(system.variable(input).sort.size()?)
        });
        let states = system.state_space_size();
        Shape {
            is_circuit,
            is_small: states.is_some_and(|states| states <= MOST_STATES)
                && inputs.is_some_and(|inputs| inputs <= MOST_INPUTS),
            state_bits: state_bits(system),
            terms: system.terms.len(),
        }
    }
}

/// A circuit is small with at most so many states, reachable or not, and so many values of its inputs.
const MOST_STATES: u64 = 1 << 22;
const MOST_INPUTS: u64 = 1 << 12;

/// The turns a property gets when the user names no engine. `racing` says whether several engines can run at once.
pub(crate) fn schedule(property: &Property<TermId>, shape: Shape, racing: bool) -> Vec<Turn> {
    // The SAT engines decide invariants and formulas `A ψ`.
    let linear = match &property.question {
        Question::Invariant(_) => true,
        Question::Formula(formula) => match formula.node() {
            Node::Quantified(Quantifier::Forall, path) => !has_quantifier(path),
            _ => false,
        },
        Question::ShortestPath(..) | Question::LongestPath(..) | Question::Mu(_) => false,
    };
    if matches!(property.question, Question::Mu(_)) {
        return vec![Turn::alone(
            "bdd",
            None,
            "the mu-calculus is about sets of states",
        )];
    }
    let mut turns = Vec::new();
    let diagrams = |at_most, because| Turn::alone("bdd", at_most, because);
    if linear && !shape.is_circuit && shape.state_bits <= LARGE && is_long(&property.question) {
        turns.push(diagrams(Some(DIAGRAMS_FIRST), "the formula is long"));
    }
    if shape.is_small || !shape.is_circuit {
        turns.push(match shape.state_bits {
            ..=SMALL => Turn::alone("explicit", Some(LOOK_AT_SMALL_MODELS), "a small model"),
            _ => Turn::alone(
                "explicit",
                Some(FEW_STATES),
                "a glance found few states to be reachable",
            ),
        });
    }
    const TOO_MANY: &str = "too many states to search one by one";
    if !shape.is_circuit {
        if shape.state_bits <= LARGE {
            turns.push(diagrams(Some(DIAGRAMS_FIRST), TOO_MANY));
        }
        if linear || is_about_all_paths(&property.question) {
            let because = "what matters is a small part of the model";
            turns.push(Turn::alone("cegar", Some(REFINEMENT_FIRST), because));
        }
        if shape.state_bits <= MODERATE {
            let because = "the states are fewer than their diagrams are large";
            turns.push(Turn::alone("explicit", Some(SECOND_LOOK), because));
        }
    }
    if shape.is_circuit && linear && shape.terms <= MOST_TERMS_AT_A_GLANCE {
        let because = "one step decides it, or a few";
        turns.push(Turn::alone("glance", Some(GLANCE), because));
    }
    turns.push(if racing && linear {
        let race: &[_] = match shape.state_bits {
            ..=LARGE => &RACE,
            _ => &RACE_OF_LARGE_MODELS,
        };
        let racing = race.iter().map(|&(engine, at_most)| Runner::new(engine, at_most));
        Turn {
            runners: racing.chain([ABSTRACTION]).collect(),
            because: "the first to answer of several that ran at once",
        }
    } else if racing && is_about_all_paths(&property.question) {
        Turn {
            runners: vec![Runner::new("bdd", None), Runner::new("cegar", Some(REFINEMENT))],
            because: "the first to answer of several that ran at once",
        }
    } else if shape.is_circuit && linear {
        Turn::alone("bmc", None, "paths of a circuit, one length after the other")
    } else {
        diagrams(None, TOO_MANY)
    });
    turns
}

/// Whether an abstraction with more paths may answer.
fn is_about_all_paths(question: &Question<TermId>) -> bool {
    matches!(question, Question::Formula(formula) if formula.is_in(Fragment::ActlStar))
}

/// Whether a formula has so many temporal operators that its automaton may be large although the model is small.
fn is_long(question: &Question<TermId>) -> bool {
    let Question::Formula(formula) = question else {
        return false;
    };
    let (mut pending, mut operators) = (vec![formula], 0);
    while let Some(formula) = pending.pop() {
        operators += usize::from(matches!(formula.node(), Node::Unary(..) | Node::Binary(..)));
        pending.extend(formula.operands());
    }
    operators >= MANY_OPERATORS
}

fn has_quantifier(formula: &Formula<TermId>) -> bool {
    let mut pending = vec![formula];
    while let Some(formula) = pending.pop() {
        if matches!(formula.node(), Node::Quantified(..)) {
            return true;
        }
        pending.extend(formula.operands());
    }
    false
}

/// About how many bits a state has.
pub(crate) fn state_bits(system: &TransitionSystem) -> u64 {
    (system.state_variables())
        .map(|variable| system.variable(variable).sort.bits())
        .fold(0, u64::saturating_add)
}
