//! What people see of answers about transition systems.
//!
//! A trace is a timeline, a tree of paths a tree whose claims rest on timelines, an abstract model a graph and lines; what has nothing to
//! look at (a search, an invariant, a bound) is told in a sentence.

pub(crate) mod graph;
mod modal;
mod sentence;
pub(crate) mod timeline;
mod tree;
pub(crate) mod violated;

use entail_answer::{Answer, Verdict};
use entail_evidence::{Because, DeadEnds, Evidence, Explanation, Trace};
use entail_logic::{Formula, Node, Property, Question};
use entail_model::{Op, TermId, TransitionSystem};
use entail_show::{Prominence, Shown, View};
use tree::Paths;

/// How much is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What a terminal shows.
    Brief,
    /// Values of defines and the truth of subformulas as well.
    Full,
}

/// What is to be seen of an answer.
pub(crate) fn shown(
    system: &TransitionSystem,
    property: &Property<TermId>,
    answer: &Answer,
    dead_ends: DeadEnds,
    extent: Extent,
) -> Shown {
    let mut shown = Shown {
        violated: violated::violated_parts(system, property, answer, dead_ends),
        ..Shown::default()
    };
    let Some(evidence) = answer.evidence_as::<Evidence>() else {
        return shown;
    };
    let paths = Paths::new(system, dead_ends, extent);
    let sentence = View::Notes(vec![sentence::sentence(system, evidence)]);
    match evidence {
        Evidence::Trace(trace) => {
            let mut timeline = paths.timeline(trace, asked(system, property).as_ref(), &[]);
            timeline.violation = violation(system, property, answer, trace);
            shown.push(Prominence::Main, View::Timeline(timeline));
            shown.push(Prominence::Report, sentence);
        }
        Evidence::Explanation(tree) => {
            shown.push(Prominence::Main, explanation(&paths, tree));
            shown.push(Prominence::Report, sentence);
        }
        Evidence::Modal(model) => {
            shown.push(Prominence::Report, sentence);
            shown.push(Prominence::Detail, View::Notes(modal::lines(model)));
            if let Some(graph) = modal::graph(model) {
                shown.push(Prominence::Report, View::Graph(graph));
            }
        }
        Evidence::Exhaustive(_)
        | Evidence::Invariant(_)
        | Evidence::Liveness(_)
        | Evidence::Fixpoints(_)
        | Evidence::Abstraction(_) => shown.push(Prominence::Detail, sentence),
    }
    shown
}

/// A tree; one that is a single path is shown as that, because the property's own line says the rest.
fn explanation(paths: &Paths<'_>, tree: &Explanation) -> View {
    match &tree.because {
        Because::Path(witness) if witness.notes.is_empty() => {
            View::Timeline(paths.timeline(&witness.trace, Some(under_quantifier(&tree.formula)), &[]))
        }
        _ => View::Tree(paths.claim(tree)),
    }
}

/// The path formula of a quantified formula, or the formula itself.
fn under_quantifier(formula: &Formula<TermId>) -> &Formula<TermId> {
    match formula.node() {
        Node::Quantified(_, path) => path,
        _ => formula,
    }
}

/// The formula that a bare trace speaks about.
fn asked(system: &TransitionSystem, property: &Property<TermId>) -> Option<Formula<TermId>> {
    match &property.question {
        Question::Invariant(atom) => {
            let terms = &system.terms;
            Some(match terms.op(*atom) {
                Op::And => Formula::and(terms.operands(*atom).iter().map(|&part| Formula::atom(part))),
                _ => Formula::atom(*atom),
            })
        }
        Question::Formula(formula) => Some(under_quantifier(formula).clone()),
        Question::ShortestPath(start, goal) | Question::LongestPath(start, goal) => {
            Some(Formula::and([Formula::atom(*start), Formula::atom(*goal)]))
        }
        Question::Mu(_) => Some(Formula::and(
            property.question.atoms().into_iter().map(Formula::atom),
        )),
    }
}

/// The position at which an invariant is violated: the last of its trace, or the one before, where the last step violates it.
fn violation(
    system: &TransitionSystem,
    property: &Property<TermId>,
    answer: &Answer,
    trace: &Trace,
) -> Option<usize> {
    match &property.question {
        Question::Invariant(atom) if answer.verdict == Verdict::Fails => {
            violated::false_at(system, *atom, trace)
        }
        _ => None,
    }
}
