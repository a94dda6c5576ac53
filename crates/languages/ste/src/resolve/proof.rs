//! What a proof says about a netlist: names become earlier assertions, variables and words their bits.

use super::{Resolved, Resolver, Standing};
use crate::expression::Value;
use crate::syntax::{Expression, Formula, MethodText, ProofText, RULES};
use entail_source::{Diagnostic, Span, nearest};
use entail_trajectories::{ConditionId, Derivation, Drive, Method, Statement};

impl<'t> Resolver<'_, 't> {
    pub(super) fn method(&mut self, method: &'t MethodText) -> Resolved<Method> {
        Ok(match method {
            MethodText::Simulation => Method::Simulation,
            MethodText::Index(relation) => Method::Index(self.scope.condition(relation)?),
            MethodText::Rules(proof) => Method::Rules(self.proof(proof)?),
        })
    }

    /// What a formula says from the beginning on.
    fn drives(&mut self, formula: &'t Formula) -> Resolved<Vec<Drive>> {
        let mut drives = Vec::new();
        self.formula(formula, Standing::START, &mut drives)?;
        Ok(drives)
    }

    fn proof(&mut self, proof: &'t ProofText) -> Resolved<Derivation> {
        Ok(match proof {
            ProofText::Premise(name, span) => self.premise(name, *span)?,
            ProofText::Reflexivity(formula) => Derivation::Reflexivity(self.drives(formula)?),
            ProofText::Shift(steps, inner) => {
                let steps = self.time(steps)? as u32;
                Derivation::Shift(steps, Box::new(self.proof(inner)?))
            }
            ProofText::Substitution(pairs, inner) => {
                let mut bits = Vec::new();
                for (name, span, value) in pairs {
                    self.substituted(name, *span, value, &mut bits)?;
                }
                Derivation::Substitution(bits, Box::new(self.proof(inner)?))
            }
            ProofText::List(rule, parts) => {
                let mut proofs = Vec::with_capacity(parts.len());
                for part in parts {
                    proofs.push(self.proof(part)?);
                }
                match *rule {
                    "conjunction" => Derivation::Conjunction(proofs),
                    "cases" => Derivation::Cases(proofs),
                    _ => Derivation::Transitivity(proofs),
                }
            }
            ProofText::Consequence(statement, inner) => {
                let own = match &statement.assumption {
                    Some(assumption) => self.scope.condition(assumption)?,
                    None => ConditionId::TRUE,
                };
                let stated = Statement {
                    assumption: own,
                    antecedent: self.drives(&statement.antecedent)?,
                    consequent: self.drives(&statement.consequent)?,
                };
                Derivation::Consequence(Box::new(stated), Box::new(self.proof(inner)?))
            }
        })
    }

    fn premise(&self, name: &str, span: Span) -> Resolved<Derivation> {
        let assertions = &self.found.assertions;
        match assertions.iter().position(|known| known.name == name) {
            Some(position) => Ok(Derivation::Premise(position)),
            None => {
                let message = format!("no assertion before this one is called `{name}`");
                let problem = Diagnostic::error("ste::proof", message, span, "here");
                let known = assertions.iter().map(|known| known.name.as_str());
                Err(match nearest(name, known) {
                    Some(known) => problem.with_help(format!("did you mean `{known}`?")),
                    None => problem.with_help(RULES),
                })
            }
        }
    }

    /// Adds what each bit of a variable becomes.
    fn substituted(
        &mut self,
        name: &str,
        span: Span,
        value: &Expression,
        into: &mut Vec<(u32, ConditionId)>,
    ) -> Resolved<()> {
        let word = self.found.words.iter().find(|word| word.name == name).cloned();
        let (Some(word), Some(Value::Word(_))) = (word, self.scope.values.get(name)) else {
            let message = format!("`{name}` is no variable");
            let problem = Diagnostic::error("ste::proof", message, span, "here");
            return Err(problem.with_help("a condition may stand in the place of a variable only"));
        };
        let bits = self.scope.word_of(value, word.width as usize)?;
        for (number, bit) in (word.first..).zip(bits) {
            let Some(bit) = bit else {
                let message = "x has no value that could stand in the place of a variable";
                return Err(Diagnostic::error("ste::proof", message, value.span, "here"));
            };
            if into.iter().any(|(known, _)| *known == number) {
                let message = format!("`{name}` is replaced twice");
                return Err(Diagnostic::error("ste::proof", message, span, "here"));
            }
            into.push((number, bit));
        }
        Ok(())
    }
}
