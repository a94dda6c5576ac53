//! LTL and CTL* in the mu-calculus (chapter 26, section 4.2).
//!
//! `E f` for a path formula `f`: the maximal state subformulas of `f` become atoms, what is left is an LTL formula and has a Büchi automaton. That a path from here is accepted from state
//! `q` of the automaton is the nested fixpoint
//!
//! - `Y_q =nu X_q`,
//! - `X_q =mu OR over edges (q, l, r): l & <> (Y_r if the edge is marked, else X_r)`,
//!
//! which is written out as one formula. `A f` is the dual of `E !f`. Quantifiers range over infinite paths: in a dead end `E f` is false and `A f` true. A formula that is CTL is translated
//! operator by operator instead, which is linear and alternation-free.

use crate::MuError;
use crate::unrolling::{Unrolling, all, any};
use entail_automata::{Automaton, Preference, State, Target, Translation, translate};
use entail_budget::Budget;
use entail_logic::mu::{Fairness, Fixpoint, Mu, MuNode};
use entail_logic::{Formula, Fragment, Node, Quantifier};

/// More equations are not written out as one formula.
const MOST_EQUATIONS: usize = 100_000;

/// A formula of LTL, CTL or CTL* without past operators in the mu-calculus. A path formula is meant of all paths.
pub fn embed(formula: &Formula<String>, budget: &Budget) -> Result<Mu<String>, MuError> {
    if formula.is_in(Fragment::Ctl) {
        let translated = formula.to_mu(Fairness::Justice(&[]));
        return translated.map_err(|error| MuError::Untranslated(error.to_string()));
    }
    match formula.is_state_formula() {
        true => state(formula, budget),
        false => state(&formula.forall(), budget),
    }
}

fn deep<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, work)
}

/// A state formula.
fn state(formula: &Formula<String>, budget: &Budget) -> Result<Mu<String>, MuError> {
    let here = |formula: &Formula<String>| deep(|| state(formula, budget));
    let each = |list: &[Formula<String>]| list.iter().map(here).collect::<Result<Vec<_>, _>>();
    match formula.node() {
        Node::Constant(truth) => Ok(Mu::constant(*truth)),
        Node::Atom(name) => Ok(Mu::atom(name.clone())),
        Node::Not(inner) => Ok(here(inner)?.dual()),
        Node::And(list) => Ok(Mu::and(each(list)?)),
        Node::Or(list) => Ok(Mu::or(each(list)?)),
        Node::Implies(left, right) => Ok(Mu::or([here(left)?.dual(), here(right)?])),
        Node::Iff(left, right) | Node::Xor(left, right) => {
            let (left, right) = (here(left)?, here(right)?);
            let same = Mu::or([
                Mu::and([left.clone(), right.clone()]),
                Mu::and([left.dual(), right.dual()]),
            ]);
            Ok(match formula.node() {
                Node::Iff(..) => same,
                _ => same.dual(),
            })
        }
        Node::Quantified(Quantifier::Exists, path) => some_path(path, budget),
        Node::Quantified(Quantifier::Forall, path) => Ok(some_path(&path.not(), budget)?.dual()),
        Node::Unary(..) | Node::Binary(..) => Err(MuError::Untranslated(
            "a temporal operator stands without a path quantifier".to_owned(),
        )),
    }
}

/// `E path`.
fn some_path(path: &Formula<String>, budget: &Budget) -> Result<Mu<String>, MuError> {
    let mut parts: Vec<Formula<String>> = Vec::new();
    let linear = path.replace_quantified_subformulas(&mut |part| {
        let number = parts
            .iter()
            .position(|known| known == part)
            .unwrap_or(parts.len());
        if number == parts.len() {
            parts.push(part.clone());
        }
        Formula::atom(stand_in(number))
    });
    let translation = Translation {
        target: Target::Buchi,
        preference: Preference::Small,
    };
    let mut automaton =
        translate(&linear, translation, budget).map_err(|error| MuError::Untranslated(error.to_string()))?;
    let mut translated = Vec::new();
    for part in &parts {
        translated.push(deep(|| state(part, budget))?);
    }
    let edges = edges(&mut automaton, &translated);
    let acceptance = Acceptance { edges: &edges };
    let mut unrolling = Unrolling::new(MOST_EQUATIONS, budget);
    let mut starts = Vec::new();
    for start in automaton.initial().to_vec() {
        starts.push(acceptance.again(start, &mut unrolling)?);
    }
    Ok(any(starts).well_named())
}

/// The name of a state subformula inside of a path formula; no proposition has a blank at its beginning.
fn stand_in(number: usize) -> String {
    format!(" {number}")
}

/// An edge: what is true before it, where it leads, and whether it is marked.
type Step = (Mu<String>, State, bool);

/// The edges of the automaton, by state.
fn edges(automaton: &mut Automaton, parts: &[Mu<String>]) -> Vec<Vec<Step>> {
    let names = automaton.propositions().to_vec();
    let literal = |number: u32, positive: bool| {
        let name = &names[number as usize];
        let part = name
            .strip_prefix(' ')
            .and_then(|number| number.parse::<usize>().ok());
        let formula = match part.and_then(|number| parts.get(number)) {
            Some(part) => part.clone(),
            None => Mu::atom(name.clone()),
        };
        if positive { formula } else { formula.dual() }
    };
    let always = automaton.mark_count() == 0;
    let mut rows = Vec::new();
    for state in automaton.states() {
        let mut row = Vec::new();
        for edge in automaton.edges(state).to_vec() {
            let cubes = automaton.labels.cubes(edge.label);
            let condition = any(cubes.into_iter().map(|cube| {
                let positive = (0..names.len() as u32).filter(|at| cube.positive >> at & 1 == 1);
                let negative = (0..names.len() as u32).filter(|at| cube.negative >> at & 1 == 1);
                all((positive.map(|at| literal(at, true))).chain(negative.map(|at| literal(at, false))))
            }));
            row.push((condition, edge.target, always || !edge.marks.is_empty()));
        }
        rows.push(row);
    }
    rows
}

struct Acceptance<'a> {
    edges: &'a [Vec<Step>],
}

impl Acceptance<'_> {
    /// `Y_q`: accepted from here on.
    fn again(&self, state: State, unrolling: &mut Unrolling<'_>) -> Result<Mu<String>, MuError> {
        unrolling.equation(0, (state.0, 0), Fixpoint::Greatest, &mut |unrolling| {
            self.soon(state, unrolling)
        })
    }

    /// `X_q`: accepted, with a marked edge after finitely many.
    fn soon(&self, state: State, unrolling: &mut Unrolling<'_>) -> Result<Mu<String>, MuError> {
        unrolling.equation(1, (state.0, 1), Fixpoint::Least, &mut |unrolling| {
            let mut parts = Vec::new();
            for (condition, target, marked) in &self.edges[state.index()] {
                let next = match marked {
                    true => self.again(*target, unrolling)?,
                    false => self.soon(*target, unrolling)?,
                };
                if !matches!(next.node(), MuNode::Constant(false)) {
                    parts.push(all([condition.clone(), next.some_next()]));
                }
            }
            Ok(any(parts))
        })
    }
}
