//! Formulas in GR(1) form, found by their structure, whatever language they come from.
//!
//! `θₑ → θₛ ∧ (s W ¬e) ∧ (G e ∧ GF a₁ ∧ … → GF g₁ ∧ …)`: a first letter, steps of both sides, what recurs. Steps look one letter ahead. The system keeps its steps as long as the
//! environment has kept its own; so Slugs and strict TLSF mean it. Without assumptions about steps `s W ¬e` is `G s`. Also `G e ∧ GF a₁ … → G s ∧ GF g₁ …`, where the
//! system may break its steps if the environment's side fails in the end.

use crate::problem::{Goal, Problem};
use crate::symbolic::Observations;
use entail_game::FirstMover;
use entail_logic::{Binary, Formula, Interval, Node, Unary};

/// A problem in GR(1) form. Lists are conjunctions; what is empty is true.
#[derive(Clone, Debug)]
pub struct Gr1 {
    /// What the environment decides.
    pub inputs: Vec<String>,
    /// What the system decides.
    pub outputs: Vec<String>,
    /// Who decides first in each step.
    pub first: FirstMover,
    /// Formulas about the first letter: what is assumed, what is guaranteed.
    pub begin: [Vec<Formula<String>>; 2],
    /// Formulas about each letter and the next: what is assumed, what is guaranteed.
    pub steps: [Vec<Formula<String>>; 2],
    /// What recurs: what is assumed, what is guaranteed. Without guarantees there are no assumptions.
    pub recurs: [Vec<Formula<String>>; 2],
    /// Whether the system may break its steps if the assumptions fail in the end.
    pub is_forgiving: bool,
}

/// Positions in pairs of what is assumed and what is guaranteed.
pub(crate) const ASSUMED: usize = 0;
pub(crate) const GUARANTEED: usize = 1;

impl Problem {
    /// The problem in GR(1) form, if its formula has it.
    pub fn gr1(&self) -> Option<Gr1> {
        let Goal::Formula(formula) = &self.goal else {
            return None;
        };
        let mut form = Gr1 {
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            first: self.first,
            begin: Default::default(),
            steps: Default::default(),
            recurs: Default::default(),
            is_forgiving: false,
        };
        Recognition::default().recognise(formula, &mut form)?;
        Some(form)
    }
}

/// What stands in a conjunction: steps that are kept, formulas that recur.
#[derive(Default)]
struct Kept {
    steps: Vec<Formula<String>>,
    recurs: Vec<Formula<String>>,
}

#[derive(Default)]
struct Recognition {
    observations: Observations,
}

impl Recognition {
    /// Fills the form; nothing if the formula has another.
    fn recognise(&mut self, formula: &Formula<String>, form: &mut Gr1) -> Option<()> {
        let mut rest = formula.clone();
        if let Node::Implies(begin, then) = formula.node()
            && self.looks_ahead(begin) == Some(0)
        {
            form.begin[ASSUMED].push(begin.clone());
            rest = then.clone();
        }
        let mut kept = Kept::default();
        let mut until: Option<(Formula<String>, Formula<String>)> = None;
        let mut conditional: Option<(Kept, Kept)> = None;
        for part in conjuncts(&rest) {
            match part.node() {
                _ if self.looks_ahead(&part) == Some(0) => form.begin[GUARANTEED].push(part.clone()),
                Node::Binary(Binary::WeakUntil, interval, steps, ends)
                    if *interval == Interval::ALWAYS && until.is_none() =>
                {
                    self.is_step(steps)?;
                    self.is_step(ends)?;
                    until = Some((steps.clone(), ends.not()));
                }
                Node::Implies(if_these, then_those) if conditional.is_none() => {
                    conditional = Some((self.kept(if_these)?, self.kept(then_those)?));
                }
                _ => self.keep(&part, &mut kept)?,
            }
        }
        self.assemble(kept, until, conditional, form)
    }

    /// Puts together what was found, where it is a GR(1) form.
    fn assemble(
        &mut self,
        kept: Kept,
        until: Option<(Formula<String>, Formula<String>)>,
        conditional: Option<(Kept, Kept)>,
        form: &mut Gr1,
    ) -> Option<()> {
        let Some((assumed, guaranteed)) = conditional else {
            form.recurs[GUARANTEED] = kept.recurs;
            form.steps[GUARANTEED] = kept.steps;
            if let Some((steps, assumed)) = until {
                // What is not conditional must be kept after the assumptions have failed, too.
                let is_whole = form.steps[GUARANTEED].is_empty() && form.recurs[GUARANTEED].is_empty();
                is_whole.then_some(())?;
                form.steps = [conjuncts(&assumed), conjuncts(&steps)];
            }
            return Some(());
        };
        kept.recurs.is_empty().then_some(())?;
        match (guaranteed.steps.is_empty(), until) {
            (true, Some((steps, assumption))) => {
                let same =
                    Formula::and(assumed.steps.iter().cloned()) == Formula::and(conjuncts(&assumption));
                (same && kept.steps.is_empty()).then_some(())?;
                form.steps = [assumed.steps, conjuncts(&steps)];
            }
            (true, None) => {
                // Steps that are always kept, beside assumptions about steps, are kept after those have failed, too.
                (assumed.steps.is_empty() || kept.steps.is_empty()).then_some(())?;
                form.steps = [assumed.steps, kept.steps];
            }
            (false, None) if kept.steps.is_empty() => {
                form.is_forgiving = true;
                form.steps = [assumed.steps, guaranteed.steps];
            }
            _ => return None,
        }
        form.recurs = [assumed.recurs, guaranteed.recurs];
        if form.recurs[GUARANTEED].is_empty() && !form.is_forgiving {
            form.recurs[ASSUMED].clear();
        }
        Some(())
    }

    fn kept(&mut self, formula: &Formula<String>) -> Option<Kept> {
        let mut kept = Kept::default();
        for part in conjuncts(formula) {
            self.keep(&part, &mut kept)?;
        }
        Some(kept)
    }

    /// `G` of steps and of what comes in the end.
    fn keep(&mut self, formula: &Formula<String>, kept: &mut Kept) -> Option<()> {
        if let Node::Constant(true) = formula.node() {
            return Some(());
        }
        for part in conjuncts(under(Unary::Globally, formula)?) {
            match under(Unary::Finally, &part) {
                Some(inner) => {
                    self.is_step(inner)?;
                    kept.recurs.push(inner.clone());
                }
                None => {
                    self.is_step(&part)?;
                    kept.steps.push(part);
                }
            }
        }
        Some(())
    }

    fn is_step(&mut self, formula: &Formula<String>) -> Option<()> {
        (self.looks_ahead(formula)? <= 1).then_some(())
    }

    fn looks_ahead(&mut self, formula: &Formula<String>) -> Option<u32> {
        self.observations.depth(formula)
    }
}

/// What a temporal operator is applied to.
fn under(operator: Unary, formula: &Formula<String>) -> Option<&Formula<String>> {
    match formula.node() {
        Node::Unary(found, interval, inner) if *found == operator && *interval == Interval::ALWAYS => {
            Some(inner)
        }
        _ => None,
    }
}

/// The operands of conjunctions inside of conjunctions.
fn conjuncts(formula: &Formula<String>) -> Vec<Formula<String>> {
    let mut found = Vec::new();
    let mut waiting = vec![formula];
    while let Some(one) = waiting.pop() {
        match one.node() {
            Node::And(list) => waiting.extend(list.iter().rev()),
            _ => found.push(one.clone()),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_automata::ltl::syntax::parse_any;

    fn form(text: &str) -> Option<Gr1> {
        let problem = Problem {
            goal: Goal::Formula(parse_any(text).expect("a formula")),
            inputs: vec!["a".into(), "b".into()],
            outputs: vec!["p".into(), "q".into()],
            first: FirstMover::Environment,
        };
        problem.gr1()
    }

    #[test]
    fn strict_and_forgiving_forms_are_recognised() {
        let strict =
            form("a -> p & ((p -> X q) W !(a | X b)) & (G (a | X b) & G F a & G F b -> G F p & G F q)");
        let strict = strict.expect("GR(1)");
        assert!(!strict.is_forgiving);
        assert_eq!(strict.recurs.each_ref().map(Vec::len), [2, 2]);
        assert_eq!(strict.steps.each_ref().map(Vec::len), [1, 1]);
        let forgiving = form("G (a | X b) & G F a -> G (p -> X q) & G F q").expect("GR(1)");
        assert!(forgiving.is_forgiving);
        assert!(form("G (a -> X p) & G F q").is_some());
        assert!(form("G (a -> X p) & (G F a -> G F q)").is_some());
    }

    #[test]
    fn other_formulas_are_not() {
        for text in [
            "G (a -> F p)",
            "G (a -> X X p)",
            // The steps must be kept after the assumption has failed.
            "G (p -> X q) & (G (a | X b) & G F a -> G F q)",
            // Another assumption than the one until whose end steps are kept.
            "((p -> X q) W !(a | X b)) & (G (a | b) & G F a -> G F q)",
            "((p -> X q) W !(a | X b)) & (G F a -> G F q)",
            "((p -> X q) W !(a | X b)) & G F q",
            "(G F a -> G F p) & (G F b -> G F q)",
            "X p",
        ] {
            assert!(form(text).is_none(), "{text}");
        }
    }
}
