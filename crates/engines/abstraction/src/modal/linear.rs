//! Linear time on a Kripke modal transition system.
//!
//! `A ψ` is true in an abstract state if every path of steps that *may* be there satisfies `ψ` with every unknown literal taken for false, and
//! false if some path of steps that *must* be there violates `ψ` with every unknown literal taken for true. Either is a question about a small
//! ordinary structure, and is asked of the engine for such structures. Fairness is an antecedent, read in the careful way: on paths that may
//! be there a condition counts unless it is known to be false, on those that must be there only if it is known to be true.
//!
//! If neither is so, the path that the first question gave is to blame: a step of it need not be there, or a literal on it is not known.

use super::cause::Cause;
use super::evaluation::Modalities;
use super::path::AbstractPath;
use entail_budget::{Budget, Silent};
use entail_evidence::{Because, CheckOptions, Engine, Evidence, Outcome, Verdict};
use entail_explicit::Explicit;
use entail_logic::{Formula, Node, Property, Quantifier, Question};
use entail_model::{Kmts, Kripke, KripkeBuilder, StateId, Value};
use entail_symbolic::{Attempt, NotComputed};

/// A formula about single paths whose atoms are positions of propositions.
pub(crate) struct LinearFormula {
    pub quantifier: Quantifier,
    pub path: Formula<usize>,
    pub justice: Vec<usize>,
    pub compassion: Vec<(usize, usize)>,
}

/// What is known of it.
pub(crate) struct LinearAnswer {
    pub verdict: Verdict,
    pub cause: Option<Cause>,
    pub path: Option<AbstractPath>,
}

/// A literal: a proposition, and whether it is to be true.
type Literal = (usize, bool);

impl LinearFormula {
    /// The truth of the formula in all initial states.
    pub fn decide(&self, kmts: &Kmts, modalities: Modalities, budget: &Budget) -> Attempt<LinearAnswer> {
        // `E ψ` is false where `A !ψ` is true.
        let path = match self.quantifier {
            Quantifier::Forall => self.path.clone(),
            Quantifier::Exists => self.path.not(),
        };
        let flipped = self.quantifier == Quantifier::Exists;
        let mut doubt = None;
        for &state in kmts.initial() {
            let answer = self.everywhere(kmts, state, &path, modalities, budget)?;
            let truth = match answer.verdict {
                Verdict::Unknown => None,
                verdict => Some((verdict == Verdict::Holds) != flipped),
            };
            match truth {
                Some(true) => {}
                Some(false) => {
                    return Ok(LinearAnswer {
                        verdict: Verdict::Fails,
                        ..answer
                    });
                }
                None => doubt = doubt.or(Some(answer)),
            }
        }
        Ok(doubt.unwrap_or(LinearAnswer {
            verdict: Verdict::Holds,
            cause: None,
            path: None,
        }))
    }

    /// Whether all paths from a state satisfy a path formula.
    fn everywhere(
        &self,
        kmts: &Kmts,
        state: StateId,
        path: &Formula<usize>,
        modalities: Modalities,
        budget: &Budget,
    ) -> Attempt<LinearAnswer> {
        let careful = self.under_fairness(path, false);
        let bold = self.under_fairness(path, true);
        let certain = structure(kmts, state, &|from, to| kmts.is_must(from, to))?;
        let mut answer = LinearAnswer {
            verdict: Verdict::Unknown,
            cause: None,
            path: None,
        };
        if let (Verdict::Fails, found) = ask(&certain, &bold, budget)? {
            answer.verdict = Verdict::Fails;
            answer.path = found;
            return Ok(answer);
        }
        if modalities == Modalities::Both {
            let possible = structure(kmts, state, &|_, _| true)?;
            let (verdict, found) = ask(&possible, &careful, budget)?;
            if verdict == Verdict::Holds {
                answer.verdict = Verdict::Holds;
                return Ok(answer);
            }
            answer.cause = found.as_ref().and_then(|path| self.blamed(kmts, path));
            answer.path = found;
        }
        Ok(answer)
    }

    /// `fairness -> path`, with literals that are not known taken for false in the path (`bold`: for true), and the other way round in fairness.
    fn under_fairness(&self, path: &Formula<usize>, bold: bool) -> Formula<(Literal, bool)> {
        let mark = |formula: &Formula<usize>, bold: bool| {
            literals(&formula.positive_normal_form()).map_atoms(&mut |&literal| (literal, bold))
        };
        let often = |at: usize| Formula::atom(at).finally().globally();
        let mut antecedents: Vec<Formula<(Literal, bool)>> =
            self.justice.iter().map(|&at| mark(&often(at), !bold)).collect();
        for &(p, q) in &self.compassion {
            antecedents.push(mark(&often(p).implies(&often(q)), !bold));
        }
        let path = mark(path, bold);
        match antecedents.is_empty() {
            true => path,
            false => Formula::and(antecedents).implies(&path),
        }
    }

    /// The first thing on a path that is not sure.
    fn blamed(&self, kmts: &Kmts, path: &AbstractPath) -> Option<Cause> {
        let mut read: Vec<usize> = self.justice.clone();
        read.extend(self.compassion.iter().flat_map(|&(p, q)| [p, q]));
        self.path.for_each_atom(&mut |&at| read.push(at));
        for (position, &from) in path.states.iter().enumerate() {
            for &proposition in &read {
                let known = &kmts.propositions()[proposition];
                if !known.holds.contains(from.index()) && !known.fails.contains(from.index()) {
                    return Some(Cause::Literal {
                        state: from,
                        proposition,
                    });
                }
            }
            let next = match path.states.get(position + 1) {
                Some(&next) => Some(next),
                None => path.loop_start.map(|start| path.states[start]),
            };
            if let Some(to) = next.filter(|&to| !kmts.is_must(from, to)) {
                return Some(Cause::Step { from, to });
            }
        }
        // The path is sure as far as it goes, but no endless one that is sure goes on from there.
        let mut from = *path.states.last()?;
        let mut seen = vec![from];
        loop {
            let steps = kmts.may(from);
            match steps.iter().find(|&&to| kmts.is_must(from, to)) {
                Some(to) if !seen.contains(to) => {
                    seen.push(*to);
                    from = *to;
                }
                Some(_) => return None,
                None => return steps.first().map(|&to| Cause::Step { from, to }),
            }
        }
    }
}

/// A formula in positive normal form with literals for atoms.
fn literals(formula: &Formula<usize>) -> Formula<Literal> {
    match formula.node() {
        Node::Atom(at) => Formula::atom((*at, true)),
        Node::Not(inner) => match inner.node() {
            Node::Atom(at) => Formula::atom((*at, false)),
            _ => literals(inner).not(),
        },
        _ => formula.over(formula.operands().into_iter().map(literals).collect()),
    }
}

/// The structure of some of the steps, from one state. For each proposition it has `t`, where it is true, and `f`, where it is false.
fn structure(kmts: &Kmts, start: StateId, keep: &dyn Fn(StateId, StateId) -> bool) -> Attempt<Kripke> {
    let mut builder = KripkeBuilder::new(kmts.state_count() as u64);
    builder.initial(start);
    for from in kmts.states() {
        for &to in kmts.may(from).iter().filter(|&&to| keep(from, to)) {
            builder.edge(from, to);
        }
    }
    for (at, known) in kmts.propositions().iter().enumerate() {
        let states = |set: &entail_model::StateSet| -> Vec<StateId> {
            set.ones().map(|state| StateId::new(state as u32)).collect()
        };
        builder.proposition(format!("t{at}"), states(&known.holds));
        builder.proposition(format!("f{at}"), states(&known.fails));
    }
    builder
        .build()
        .map_err(|error| NotComputed::Unsupported(error.to_string()))
}

/// Whether all infinite paths satisfy a formula; if not, one that does not.
fn ask(
    kripke: &Kripke,
    formula: &Formula<(Literal, bool)>,
    budget: &Budget,
) -> Attempt<(Verdict, Option<AbstractPath>)> {
    let system = kripke.to_system();
    let formula = formula.expand_atoms(&mut |&((at, positive), bold)| {
        // A literal counts if it is known to be true; boldly, unless it is known to be false.
        let known = if positive != bold { 't' } else { 'f' };
        let name = format!("{known}{at}");
        let define = system.defines.iter().find(|define| *define.name == *name);
        let term = define.expect("every proposition has its defines").term;
        let formula = match system.terms.as_truth(term) {
            Some(truth) => Formula::constant(truth),
            None => Formula::atom(term),
        };
        if bold { formula.not() } else { formula }
    });
    let property = Property {
        name: None,
        text: String::new(),
        logic: entail_logic::Logic::Ltl,
        question: Question::Formula(formula.forall()),
    };
    let outcome = Explicit::default()
        .check(&system, &property, &CheckOptions::default(), budget, &Silent)
        .map_err(|error| NotComputed::Model(Box::new(error)))?;
    if outcome.verdict == Verdict::Unknown {
        budget.check_now()?;
        return Err(NotComputed::Unsupported(outcome.reason.unwrap_or_default()));
    }
    Ok((outcome.verdict, path_of(&outcome)))
}

/// The path of a counterexample.
fn path_of(outcome: &Outcome) -> Option<AbstractPath> {
    let trace = match outcome.evidence.as_ref()? {
        Evidence::Trace(trace) => trace,
        Evidence::Explanation(tree) => match &tree.because {
            Because::Path(witness) => &witness.trace,
            _ => return None,
        },
        _ => return None,
    };
    let number = |step: &Vec<Option<Value>>| {
        let number = step.first()?.as_ref()?.as_int()?;
        Some(StateId::new(u32::try_from(number).ok()?))
    };
    Some(AbstractPath {
        states: trace.steps.iter().map(number).collect::<Option<_>>()?,
        loop_start: trace.loop_start,
    })
}
