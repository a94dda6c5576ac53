//! What people are told about an abstract answer.

use super::cause::Cause;
use super::classes::Classes;
use super::engine::stopped;
use super::evaluation::{Known, Modalities};
use super::labels::Label;
use super::options::Mode;
use super::path::{AbstractPath, doubtful_path};
use entail_budget::Budget;
use entail_evidence::{Notation, Verdict};
use entail_logic::mu::{Modality, Mu, MuNode};
use entail_model::{Kmts, StateId, TransitionSystem};
use entail_symbolic::Attempt;

pub(crate) struct Explainer<'e, 's, 'a> {
    pub mode: Mode,
    pub system: &'e TransitionSystem,
    pub classes: &'e Classes<'s, 'a>,
    pub kmts: &'e Kmts,
    pub formula: &'e Mu<usize>,
    pub labels: &'e [Label],
}

/// Why an answer is unknown: for a line of a round, and for the user.
pub(crate) struct Reason {
    pub short: String,
    pub long: String,
}

impl Explainer<'_, '_, '_> {
    fn atom(&self, position: usize) -> String {
        Notation::new(self.system).term(self.labels[position].atom)
    }

    fn state(&self, state: StateId) -> String {
        format!("[{}]", self.classes.show(state))
    }

    /// Where an abstract state does not decide one of the first `atoms` labels, though the mode asks for that.
    pub fn inappropriate(&self, atoms: usize) -> Option<String> {
        for (position, proposition) in self.kmts.propositions().iter().enumerate().take(atoms) {
            let decided = &proposition.holds | &proposition.fails;
            let state = self.kmts.states().find(|state| !decided.contains(state.index()));
            if let Some(state) = state {
                let atom = self.atom(position);
                return Some(format!(
                    "the abstraction is not appropriate for the property: `{atom}` is true in some states of {} and false in others; \
                     add `predicate {atom};` or use mode three-valued",
                    self.state(state)
                ));
            }
        }
        None
    }

    pub fn size(&self) -> String {
        let count = |number: usize, one: &str, many: &str| match number {
            1 => format!("1 {one}"),
            _ => format!("{number} {many}"),
        };
        let states = count(self.kmts.state_count(), "abstract state", "abstract states");
        let may = count(self.kmts.may_count(), "may step", "may steps");
        match self.mode {
            Mode::May => format!("{states}, {may}"),
            _ => format!("{states}, {may}, {} must", self.kmts.must_count()),
        }
    }

    pub fn found(&self, verdict: Verdict) -> String {
        match verdict {
            Verdict::Holds => "holds".into(),
            Verdict::Fails => "fails".into(),
            Verdict::Unknown => "unknown".into(),
        }
    }

    /// Why the property is not known.
    pub fn reason(&self, known: &Known, cause: Option<Cause>, budget: &Budget) -> Attempt<Reason> {
        let (universal, existential) = quantifiers(self.formula);
        Ok(match (self.mode, cause) {
            (Mode::May, _) if universal => {
                let state = self.kmts.initial().iter().copied();
                let state = state.into_iter().find(|&state| known.at(state).is_none());
                let path = match state {
                    Some(state) => {
                        doubtful_path(self.kmts, self.formula, Modalities::Both, state, budget).map_err(stopped)?
                    }
                    None => AbstractPath::default(),
                };
                Reason {
                    short: "a counterexample that may be spurious".into(),
                    long: format!(
                        "the abstract model has a counterexample, which may be spurious: {}",
                        self.path(&path)
                    ),
                }
            }
            (Mode::May, _) => Reason {
                short: "steps that may be there prove nothing about some path".into(),
                long: "the property asks for some path, and steps that only may be there prove none; \
                       mode may is for formulas about all paths (ACTL, invariants), mode three-valued for all formulas"
                    .into(),
            },
            (Mode::Must, _) if !existential => Reason {
                short: "steps that must be there prove nothing about all paths".into(),
                long: "the property asks for all paths, and there may be more steps than those that must be there; \
                       mode must is for formulas about some path (ECTL), mode three-valued for all formulas"
                    .into(),
            },
            (_, Some(Cause::Literal { state, proposition })) => {
                let (atom, state) = (self.atom(proposition), self.state(state));
                Reason {
                    short: format!("`{atom}` is not known in {state}"),
                    long: format!("it is not known whether `{atom}` is true in the abstract state {state}: in some of its states it is"),
                }
            }
            (_, Some(Cause::Step { from, to })) => {
                let (from, to) = (self.state(from), self.state(to));
                Reason {
                    short: format!("the step {from} -> {to} is only possible"),
                    long: format!(
                        "the abstract step {from} -> {to} is to blame: some states of the first have a successor in the second, some have none"
                    ),
                }
            }
            (_, None) => Reason {
                short: "nothing is to blame".into(),
                long: "the steps that must be there do not decide the property".into(),
            },
        })
    }

    fn path(&self, path: &AbstractPath) -> String {
        let mut text = String::new();
        for (position, &state) in path.states.iter().enumerate() {
            if position > 0 {
                text.push_str(" -> ");
            }
            text.push_str(&self.state(state));
        }
        match path.loop_start {
            Some(start) => format!("{text} -> again from {}", self.state(path.states[start])),
            None => text,
        }
    }
}

/// Whether a formula speaks of all successors only, and whether of some only.
fn quantifiers(formula: &Mu<usize>) -> (bool, bool) {
    let (mut universal, mut existential) = (true, true);
    let mut pending = vec![formula];
    while let Some(formula) = pending.pop() {
        match formula.node() {
            MuNode::Modal(Modality::Some, ..) => universal = false,
            MuNode::Modal(Modality::Every, ..) => existential = false,
            _ => {}
        }
        pending.extend(formula.operands());
    }
    (universal, existential)
}
