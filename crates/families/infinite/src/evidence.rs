//! Why answers should be believed, as text: values and formulas as SMT-LIB writes them.

use entail_answer::Evidence;
use entail_first_order::sexpr::Reader;
use entail_first_order::{
    EndlessProof, EndlessRun, Evaluator, FirstOrderSystem, FirstOrderTrace, Interpretation, SortId, TermId,
    Terms, Value,
};
use entail_smtlib::{Scope, read_term};
use serde::{Deserialize, Serialize};

/// Why an answer should be believed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum InfiniteEvidence {
    /// A path to a violation, in exact values as SMT-LIB writes them.
    Trace {
        /// For each position, the values of the variables in their order.
        steps: Vec<Vec<String>>,
        /// For each position, the values of the inputs in their order.
        inputs: Vec<Vec<String>>,
    },
    /// Property and invariant are inductive together, assuming so many consecutive states.
    Induction {
        /// The number of consecutive states assumed.
        depth: usize,
        /// The invariant, as SMT-LIB writes it, over the variables.
        invariant: String,
    },
    /// An endless path that violates a path formula: after the last position it goes on at an earlier one.
    Lasso {
        /// For each position, the values of the variables in their order.
        steps: Vec<Vec<String>>,
        /// For each position, the values of the inputs in their order.
        inputs: Vec<Vec<String>>,
        /// The position that follows the last one.
        loop_start: usize,
    },
    /// An endless path that need not return: a way into a set, and steps from every state of it back into it.
    Recurring {
        /// For each position of the way, the values of the variables, those of the monitor included.
        steps: Vec<Vec<String>>,
        /// For each position of the way, the values of the inputs.
        inputs: Vec<Vec<String>>,
        /// The set.
        set: String,
        /// The steps.
        moves: Vec<RecurringMove>,
    },
    /// On no path is fairness of the monitor met more often.
    Counted {
        /// The bound.
        bound: u64,
        /// An inductive invariant of the system with monitor and counter.
        invariant: String,
    },
    /// Of any two ends of rounds of fairness with the same predicates, a rank descends.
    Ranked {
        /// The predicates.
        predicates: Vec<String>,
        /// The ranks.
        ranks: Vec<String>,
        /// An inductive invariant of the system that compares ends of rounds.
        invariant: String,
    },
}

/// A step as terms over the state before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecurringMove {
    /// The inputs.
    pub inputs: Vec<String>,
    /// The next values of the variables.
    pub next: Vec<String>,
}

impl InfiniteEvidence {
    pub(crate) fn of_trace(system: &FirstOrderSystem, trace: &FirstOrderTrace) -> InfiniteEvidence {
        let (steps, inputs) = written(system, trace);
        InfiniteEvidence::Trace { steps, inputs }
    }

    pub(crate) fn of_run(system: &FirstOrderSystem, run: EndlessRun) -> InfiniteEvidence {
        match run {
            EndlessRun::Lasso { trace, back } => {
                let (steps, inputs) = written(system, &trace);
                InfiniteEvidence::Lasso {
                    steps,
                    inputs,
                    loop_start: back,
                }
            }
            EndlessRun::Recurring {
                stem,
                set,
                steps: moves,
            } => {
                let (steps, inputs) = written(system, &stem);
                let moves = (moves.into_iter())
                    .map(|(inputs, next)| RecurringMove { inputs, next })
                    .collect();
                InfiniteEvidence::Recurring {
                    steps,
                    inputs,
                    set,
                    moves,
                }
            }
        }
    }

    pub(crate) fn of_proof(proof: EndlessProof) -> InfiniteEvidence {
        match proof {
            EndlessProof::Counted { bound, invariant } => InfiniteEvidence::Counted { bound, invariant },
            EndlessProof::Ranked {
                predicates,
                ranks,
                invariant,
            } => InfiniteEvidence::Ranked {
                predicates,
                ranks,
                invariant,
            },
        }
    }
}

/// Rows of values as text, of variables and of inputs.
type Written = (Vec<Vec<String>>, Vec<Vec<String>>);

/// A path as text; variables beyond the system's are the monitor's, which are truth values.
fn written(system: &FirstOrderSystem, trace: &FirstOrderTrace) -> Written {
    let terms = &system.terms;
    let states: Vec<SortId> = (system.variables.iter())
        .map(|variable| terms.sort_of(variable.current))
        .collect();
    let inputs: Vec<SortId> = system.inputs.iter().map(|&input| terms.sort_of(input)).collect();
    let print = |rows: &[Vec<Value>], sorts: &[SortId]| {
        let sorts = || sorts.iter().copied().chain(std::iter::repeat(SortId::BOOL));
        let row = |row: &Vec<Value>| {
            (row.iter().zip(sorts()))
                .map(|(value, sort)| terms.print_value(value, sort))
                .collect()
        };
        rows.iter().map(row).collect()
    };
    (print(&trace.states, &states), print(&trace.inputs, &inputs))
}

impl Evidence for InfiniteEvidence {
    fn kind(&self) -> &'static str {
        match self {
            InfiniteEvidence::Trace { .. } => "trace",
            InfiniteEvidence::Induction { .. } => "induction",
            InfiniteEvidence::Lasso { .. } => "lasso",
            InfiniteEvidence::Recurring { .. } => "recurring",
            InfiniteEvidence::Counted { .. } => "counted",
            InfiniteEvidence::Ranked { .. } => "ranked",
        }
    }
}

/// A term from its text.
pub(crate) fn read_one(terms: &mut Terms, scope: &mut Scope, text: &str) -> Result<TermId, String> {
    let read = Reader::new(text).all().map_err(|error| error.to_string())?;
    match read.as_slice() {
        [expression] => read_term(terms, scope, expression).map_err(|problem| problem.message),
        _ => Err("one term is needed".into()),
    }
}

/// A value from its text; integers stand for reals where these are wanted.
pub(crate) fn read_value(terms: &mut Terms, text: &str, sort: SortId) -> Result<Value, String> {
    let mut term = read_one(terms, &mut Scope::default(), text)?;
    if sort == SortId::REAL {
        term = terms.to_real(term);
    }
    if terms.sort_of(term) != sort {
        return Err(format!("`{text}` is no value of its variable"));
    }
    let nothing = Interpretation::default();
    Evaluator::new(terms, &nothing)
        .value(term)
        .map_err(|_| format!("`{text}` is no value"))
}

/// A path from its texts.
pub(crate) fn read_trace(
    system: &FirstOrderSystem,
    steps: &[Vec<String>],
    inputs: &[Vec<String>],
) -> Result<FirstOrderTrace, String> {
    let mut terms = system.terms.clone();
    let mut read = |rows: &[Vec<String>], constants: &[TermId]| -> Result<Vec<Vec<Value>>, String> {
        let mut all = Vec::new();
        for row in rows {
            if row.len() != constants.len() {
                return Err("a position does not give every variable a value".into());
            }
            let mut values = Vec::new();
            for (text, &constant) in row.iter().zip(constants) {
                let sort = terms.sort_of(constant);
                values.push(read_value(&mut terms, text, sort)?);
            }
            all.push(values);
        }
        Ok(all)
    };
    let currents: Vec<TermId> = system.variables.iter().map(|variable| variable.current).collect();
    Ok(FirstOrderTrace {
        states: read(steps, &currents)?,
        inputs: read(inputs, &system.inputs)?,
    })
}
