//! Assertions by rules (section 25.8.1): what a derivation derives, and whether the conditions of its rules are met.
//!
//! A derivation is followed from its premises to its end; at each rule there is an assertion, as lists of conditions that the rule made of those before. Whether one list of drives says all that another does
//! is one question to a SAT solver: whether, where something is assumed and the first list does not contradict itself, the other says something that it does not. The netlist is never simulated
//! here: that the premises hold is known from elsewhere.

use crate::functions::{Functions, Stop, Translated};
use crate::satisfiability::Graph;
use entail_budget::Budget;
use entail_sat::Signal;
use entail_trajectories::{
    Assertion, Condition, ConditionId, Conditions, Derivation, Drive, NodeId, Specification, Statement,
};
use rustc_hash::FxHashMap;

/// Why an assertion is not derived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Underived {
    /// The condition of a rule is not met.
    Gap(Gap),
    /// Time or memory was spent.
    Stopped(String),
}

/// Where a rule needs what is not said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The rule, and what is missing.
    pub rule: &'static str,
    /// Values of the variables for which it is missing.
    pub values: Vec<bool>,
    /// The node and time of which it is missing; nothing if something is not assumed.
    pub place: Option<(NodeId, u32)>,
}

impl From<Stop> for Underived {
    fn from(stop: Stop) -> Underived {
        Underived::Stopped(stop.to_string())
    }
}

/// Whether an assertion follows from its premises by a derivation, if these hold.
pub fn derives(
    specification: &Specification,
    assertion: &Assertion,
    derivation: &Derivation,
    budget: &Budget,
) -> Result<(), Underived> {
    let mut rules = Rules {
        specification,
        conditions: specification.conditions.clone(),
        budget,
    };
    let derived = rules.derived(derivation)?;
    let stated = Statement {
        assumption: assertion.assumption,
        antecedent: assertion.antecedent.clone(),
        consequent: assertion.consequent.clone(),
    };
    rules.consequence(&stated, &derived)
}

struct Rules<'r> {
    specification: &'r Specification,
    /// Those of the specification, and those that rules make.
    conditions: Conditions,
    budget: &'r Budget,
}

impl Rules<'_> {
    /// The conclusion of a derivation.
    fn derived(&mut self, derivation: &Derivation) -> Result<Statement, Underived> {
        match derivation {
            Derivation::Premise(position) => {
                let Some(premise) = self.specification.assertions.get(*position) else {
                    return Err(Underived::Stopped("a premise is missing".to_owned()));
                };
                Ok(Statement {
                    assumption: premise.assumption,
                    antecedent: premise.antecedent.clone(),
                    consequent: premise.consequent.clone(),
                })
            }
            Derivation::Reflexivity(drives) => Ok(Statement {
                assumption: ConditionId::TRUE,
                antecedent: drives.clone(),
                consequent: drives.clone(),
            }),
            Derivation::Shift(steps, inner) => {
                let mut derived = self.derived(inner)?;
                let sides = [&mut derived.antecedent, &mut derived.consequent];
                for drive in sides.into_iter().flatten() {
                    drive.time = drive.time.saturating_add(*steps);
                }
                Ok(derived)
            }
            Derivation::Substitution(pairs, inner) => {
                let derived = self.derived(inner)?;
                Ok(self.substituted(pairs, &derived))
            }
            Derivation::Conjunction(parts) => {
                let parts = self.all(parts)?;
                Ok(self.together(&parts))
            }
            Derivation::Cases(parts) => {
                let parts = self.all(parts)?;
                let guarded: Vec<Statement> = parts.iter().map(|part| self.guarded(part)).collect();
                Ok(self.together(&guarded))
            }
            Derivation::Transitivity(parts) => {
                let parts = self.all(parts)?;
                self.chained(&parts)
            }
            Derivation::Consequence(stated, inner) => {
                let derived = self.derived(inner)?;
                self.consequence(stated, &derived)?;
                Ok((**stated).clone())
            }
        }
    }

    fn all(&mut self, parts: &[Derivation]) -> Result<Vec<Statement>, Underived> {
        parts.iter().map(|part| self.derived(part)).collect()
    }

    fn together(&mut self, parts: &[Statement]) -> Statement {
        let mut whole = Statement {
            assumption: ConditionId::TRUE,
            antecedent: Vec::new(),
            consequent: Vec::new(),
        };
        for part in parts {
            whole.assumption = self.conditions.and(whole.assumption, part.assumption);
            whole.antecedent.extend(&part.antecedent);
            whole.consequent.extend(&part.consequent);
        }
        whole
    }

    /// Without an assumption, but with both sides only where it is true.
    fn guarded(&mut self, part: &Statement) -> Statement {
        let mut guard = |drives: &[Drive]| -> Vec<Drive> {
            let guarded = drives.iter().map(|drive| Drive {
                guard: self.conditions.and(part.assumption, drive.guard),
                ..*drive
            });
            guarded.collect()
        };
        Statement {
            assumption: ConditionId::TRUE,
            antecedent: guard(&part.antecedent),
            consequent: guard(&part.consequent),
        }
    }

    fn chained(&mut self, parts: &[Statement]) -> Result<Statement, Underived> {
        let Some((first, rest)) = parts.split_first() else {
            return Ok(self.together(&[]));
        };
        let mut whole = first.clone();
        for next in rest {
            whole.assumption = self.conditions.and(whole.assumption, next.assumption);
            let known = [whole.antecedent.as_slice(), &whole.consequent].concat();
            let rule = "transitivity: what the next drives is not demanded before";
            self.says(whole.assumption, &known, &next.antecedent, rule)?;
            whole.consequent.extend(&next.consequent);
        }
        Ok(whole)
    }

    fn consequence(&mut self, stated: &Statement, derived: &Statement) -> Result<(), Underived> {
        let unless = self.conditions.not(derived.assumption);
        let missing = self.conditions.and(stated.assumption, unless);
        if let Some(values) = self.model(missing)? {
            return Err(Underived::Gap(Gap {
                rule: "consequence: it is derived under an assumption that is not stated",
                values,
                place: None,
            }));
        }
        let rule = "consequence: the antecedent does not say what the derived one does";
        self.says(stated.assumption, &stated.antecedent, &derived.antecedent, rule)?;
        let known = [stated.antecedent.as_slice(), &derived.consequent].concat();
        let rule = "consequence: the consequent demands what is not derived";
        self.says(stated.assumption, &known, &stated.consequent, rule)
    }

    fn model(&self, condition: ConditionId) -> Result<Option<Vec<bool>>, Underived> {
        let mut graph = Graph::new(self.specification.variables());
        let condition = Translated::new(&self.conditions).get(&mut graph, condition)?;
        Ok(graph.model(condition, self.budget)?)
    }

    /// Whether what is known says all that is wanted, where something is assumed.
    fn says(
        &self,
        assumption: ConditionId,
        known: &[Drive],
        wanted: &[Drive],
        rule: &'static str,
    ) -> Result<(), Underived> {
        let mut graph = Graph::new(self.specification.variables());
        let mut conditions = Translated::new(&self.conditions);
        let mut live = conditions.get(&mut graph, assumption)?;
        let mut said: FxHashMap<(NodeId, u32), [Signal; 2]> = FxHashMap::default();
        for drive in known {
            self.budget.check().map_err(Stop::from)?;
            let [one, zero] = both(&mut graph, &mut conditions, drive)?;
            let nothing = graph.constant(false);
            let place = said.entry((drive.node, drive.time)).or_insert([nothing; 2]);
            *place = [graph.or(&place[0], &one)?, graph.or(&place[1], &zero)?];
        }
        for [one, zero] in said.values() {
            let contradiction = graph.and(one, zero)?;
            live = graph.and(&live, &!contradiction)?;
        }
        for drive in wanted {
            self.budget.check().map_err(Stop::from)?;
            let place = (drive.node, drive.time);
            let nothing = graph.constant(false);
            let [one, zero] = both(&mut graph, &mut conditions, drive)?;
            let [known_one, known_zero] = said.get(&place).copied().unwrap_or([nothing; 2]);
            let (one, zero) = (graph.and(&one, &!known_one)?, graph.and(&zero, &!known_zero)?);
            let missed = graph.or(&one, &zero)?;
            let missed = graph.and(&live, &missed)?;
            if let Some(values) = graph.model(missed, self.budget)? {
                return Err(Underived::Gap(Gap {
                    rule,
                    values,
                    place: Some(place),
                }));
            }
        }
        Ok(())
    }

    fn substituted(&mut self, pairs: &[(u32, ConditionId)], statement: &Statement) -> Statement {
        let map: FxHashMap<u32, ConditionId> = pairs.iter().copied().collect();
        // Operands come before what is made of them; what is made here is appended, and not looked at.
        let old: Vec<(ConditionId, Condition)> = self.conditions.iter().collect();
        let mut images: Vec<ConditionId> = Vec::with_capacity(old.len());
        for (id, condition) in old {
            let image = match condition {
                Condition::Constant(_) => id,
                Condition::Variable(number) => map.get(&number).copied().unwrap_or(id),
                Condition::Not(a) => self.conditions.not(images[a.index()]),
                Condition::And(a, b) => self.conditions.and(images[a.index()], images[b.index()]),
                Condition::Xor(a, b) => self.conditions.xor(images[a.index()], images[b.index()]),
            };
            images.push(image);
        }
        let replaced = |drives: &[Drive]| -> Vec<Drive> {
            let replaced = drives.iter().map(|drive| Drive {
                guard: images[drive.guard.index()],
                value: images[drive.value.index()],
                ..*drive
            });
            replaced.collect()
        };
        Statement {
            assumption: images[statement.assumption.index()],
            antecedent: replaced(&statement.antecedent),
            consequent: replaced(&statement.consequent),
        }
    }
}

/// Where a drive says 1, and where it says 0.
fn both(
    graph: &mut Graph,
    conditions: &mut Translated<'_, Graph>,
    drive: &Drive,
) -> Result<[Signal; 2], Stop> {
    let guard = conditions.get(graph, drive.guard)?;
    let value = conditions.get(graph, drive.value)?;
    Ok([graph.and(&guard, &value)?, graph.and(&guard, &!value)?])
}
