//! Relations between values of nodes at several times: each sampled bit is a variable behind those of the specification, so relations are looked at when all of these are known.

use super::{Resolved, Resolver, Standing};
use crate::expression::Value;
use crate::syntax::RelationText;
use entail_source::{Diagnostic, Source};
use entail_trajectories::{Assertion, ConditionId, Drive, Method, Relation, Sample};

impl<'t> Resolver<'_, 't> {
    /// A relation, under what was assumed where it stands.
    pub(super) fn relation(
        &mut self,
        relation: &'t RelationText,
        assumed: ConditionId,
        source: &Source,
    ) -> Resolved<()> {
        self.fresh_name(&relation.name, relation.span)?;
        let own = match &relation.assumption {
            Some(assumption) => self.scope.condition(assumption)?,
            None => ConditionId::TRUE,
        };
        let assumption = self.scope.conditions.and(assumed, own);
        let mut antecedent = Vec::new();
        self.formula(&relation.antecedent, Standing::START, &mut antecedent)?;
        let mut samples = Vec::new();
        for (name, nodes, time) in self.signals.clone() {
            let first = self.variables + samples.len() as u32;
            let bits = (first..first + nodes.len() as u32)
                .map(|number| Some(self.scope.conditions.variable(number)));
            let bits = bits.collect();
            self.scope.values.insert(name, Value::Word(bits));
            let taken = nodes.iter().zip(first..);
            samples.extend(taken.map(|(&node, variable)| Sample { node, time, variable }));
        }
        let formula = self.scope.condition(&relation.demanded);
        for (name, ..) in &self.signals {
            self.scope.values.remove(name);
        }
        let formula = formula?;
        if samples.is_empty() {
            let message = "there is no signal that a relation could speak of";
            let problem = Diagnostic::error("ste::relation", message, relation.span, "here");
            return Err(problem.with_help("`signal g = gnt at 2;` names the value of a node at a time"));
        }
        // They are computed, and nothing is demanded of them one by one.
        let computed = samples.iter().map(|sample| Drive {
            node: sample.node,
            time: sample.time,
            guard: ConditionId::FALSE,
            value: ConditionId::FALSE,
        });
        let words: Vec<&str> = source.slice(relation.text).split_whitespace().collect();
        self.found.assertions.push(Assertion {
            name: relation.name.clone(),
            text: words.join(" "),
            place: relation.span.to(relation.text),
            assumption,
            antecedent,
            consequent: computed.collect(),
            is_indexed: false,
            relation: Some(Relation { formula, samples }),
            method: Method::Simulation,
        });
        Ok(())
    }
}
