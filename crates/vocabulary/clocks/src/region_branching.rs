//! Nested questions on the region graph, from the definition: the reference that sets of zones are compared with, and by which answers about small models are judged again.

use crate::branching::{Branching, Nested};
use crate::discrete::Trouble;
use crate::regions::RegionGraph;

impl RegionGraph<'_> {
    /// Whether a nested question is answered by yes. The graph was explored for that question.
    pub(crate) fn branches(&self, asked: &Branching) -> Result<bool, Trouble> {
        let mut conditions = Vec::new();
        for condition in &asked.conditions {
            let mut holds = Vec::new();
            for region in 0..self.len() {
                holds.push(self.satisfies(region, condition)?);
            }
            conditions.push(holds);
        }
        let holds = self.branch(&asked.formula, &asked.clocks, &conditions);
        Ok((0..self.len()).all(|region| !self.initial[region] || holds[region]))
    }

    fn branch(&self, formula: &Nested, clocks: &[usize], conditions: &[Vec<bool>]) -> Vec<bool> {
        let of = |inner: &Nested| self.branch(inner, clocks, conditions);
        let each = |decide: &dyn Fn(usize) -> bool| (0..self.len()).map(decide).collect();
        match formula {
            Nested::Condition(number) => conditions[*number].clone(),
            Nested::Not(inner) => of(inner).iter().map(|holds| !holds).collect(),
            Nested::And(parts) => {
                let parts: Vec<Vec<bool>> = parts.iter().map(of).collect();
                each(&|region| parts.iter().all(|part| part[region]))
            }
            Nested::Or(parts) => {
                let parts: Vec<Vec<bool>> = parts.iter().map(of).collect();
                each(&|region| parts.iter().any(|part| part[region]))
            }
            Nested::SomeUntil(from, to) => self.some_until(&of(from), of(to)),
            Nested::SomeAlways(inner) => self.staying(&of(inner)),
            Nested::Fresh(clock, inner) => {
                let holds = of(inner);
                let position = clocks.iter().position(|one| one == clock).unwrap_or(0);
                each(&|region| holds[self.resets[region][position]])
            }
        }
    }

    /// Regions that lead to others through given ones.
    fn some_until(&self, from: &[bool], to: Vec<bool>) -> Vec<bool> {
        let mut holds = to;
        loop {
            let before = holds.clone();
            for region in 0..self.len() {
                let mut next = self.actions[region].iter().chain(&self.delays[region]);
                holds[region] |= from[region] && next.any(|&next| before[next]);
            }
            if holds == before {
                return holds;
            }
        }
    }
}
