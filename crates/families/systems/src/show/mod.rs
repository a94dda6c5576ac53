//! What people see of answers about transition systems.
//!
//! A trace is a timeline, a tree of paths a tree whose claims rest on timelines, an abstract model a graph and lines; what has nothing to
//! look at (a search, an invariant, a bound) is told in a sentence.

pub(crate) mod difference;
pub(crate) mod dress;
pub(crate) mod graph;
mod modal;
mod sentence;
pub(crate) mod timeline;
mod tree;
pub(crate) mod violated;

use dress::Dress;
use entail_answer::{Answer, Verdict};
use entail_evidence::{Because, DeadEnds, Evidence, Explanation, Trace};
use entail_logic::{Formula, Node, Property, Question};
use entail_model::{Op, TermId, TransitionSystem, VarId, VarKind};
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

/// How a property looks to the model's author.
#[derive(Clone, Copy)]
pub(crate) struct Looks<'a> {
    pub(crate) dress: &'a Dress,
    /// The line on which the property stands.
    pub(crate) line: Option<usize>,
    /// Violating the invariant is what is wanted.
    pub(crate) is_cover: bool,
}

/// What is to be seen of an answer.
pub(crate) fn shown(
    system: &TransitionSystem,
    property: &Property<TermId>,
    answer: &Answer,
    dead_ends: DeadEnds,
    extent: Extent,
    looks: Looks<'_>,
) -> Shown {
    let (mut shown, dress) = (Shown::default(), looks.dress);
    if !dress.is_foreign() {
        shown.violated = violated::violated_parts(system, property, answer, dead_ends);
    }
    let Some(evidence) = answer.evidence_as::<Evidence>() else {
        return shown;
    };
    let paths = Paths::new(system, dead_ends, extent, dress);
    let sentence = View::Notes(vec![sentence::sentence(system, evidence)]);
    match evidence {
        Evidence::Trace(trace) => {
            let mut timeline = paths.timeline(trace, asked(system, property).as_ref(), &[]);
            timeline.violation = match looks.is_cover {
                true => match &property.question {
                    Question::Invariant(atom) => violated::false_at(system, *atom, trace),
                    _ => None,
                },
                false => violation(system, property, answer, trace, dead_ends),
            };
            let is_sampled = is_sampled(system, property, dress);
            dress.close(&mut timeline, &property.text, looks, is_sampled);
            shown.push(Prominence::Main, View::Timeline(timeline));
            shown.push(Prominence::Report, sentence);
        }
        Evidence::Explanation(tree) => {
            let mut view = explanation(&paths, tree);
            if let (View::Timeline(timeline), Because::Path(witness)) = (&mut view, &tree.because) {
                timeline.violation = violation(system, property, answer, &witness.trace, dead_ends);
            }
            shown.push(Prominence::Main, view);
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
        | Evidence::Closed(_)
        | Evidence::Ranked(_)
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

/// The position at which the property is violated, where there is a single one: of an invariant the last, or the one before where the
/// last step violates it; of `G p` and `AG p` the first at which `p` is false.
fn violation(
    system: &TransitionSystem,
    property: &Property<TermId>,
    answer: &Answer,
    trace: &Trace,
    dead_ends: DeadEnds,
) -> Option<usize> {
    match &property.question {
        _ if answer.verdict != Verdict::Fails => None,
        Question::Invariant(atom) => violated::false_at(system, *atom, trace),
        Question::Formula(formula) => violated::first_false(system, formula, trace, dead_ends),
        _ => None,
    }
}

/// Whether a property is about nothing but registers that are not in the model's text: what they hold was seen a step before.
fn is_sampled(system: &TransitionSystem, property: &Property<TermId>, dress: &Dress) -> bool {
    let (now, next) = system.terms.support(&property.question.atoms());
    let is_made = |id: &VarId| {
        let variable = system.variable(*id);
        variable.kind == VarKind::State && !dress.is_own(&variable.name)
    };
    // (What is assumed is part of the condition.)
    let states = now
        .iter()
        .filter(|id| system.variable(**id).kind == VarKind::State);
    next.is_empty() && !now.is_empty() && states.clone().next().is_some() && states.clone().all(is_made)
}
