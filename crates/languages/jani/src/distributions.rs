//! Values that are sampled: an edge whose assignments draw from distributions with finitely many values has a branch for each way in which they can come out.
//!
//! Uniform distributions of whole numbers, Bernoulli's and binomial ones, with constant arguments. All others are refused by name: the model would not be finite.

use crate::edges::Part;
use crate::json::{Json, Node, Read};
use crate::scope::Local;
use crate::selection::Chosen;
use crate::variables::Lowering;
use entail_markov::{Rational, Value};

/// Branches that one branch may become.
const MOST: usize = 100_000;

/// Whole numbers with their probabilities.
type Distribution = Vec<(i64, Rational)>;

impl Lowering<'_> {
    /// The ways in which what is sampled on the way to some destinations can come out, with their probabilities.
    pub fn samples(&self, parts: &[Part<'_>], destinations: &[&Json]) -> Read<Vec<(Chosen, Rational)>> {
        let mut ways = vec![(Chosen::new(), Rational::ONE)];
        for (part, destination) in parts.iter().zip(destinations) {
            let mut waiting: Vec<&Json> = destination.elements("assignments")?.iter().collect();
            while let Some(json) = waiting.pop() {
                match &json.node {
                    Node::Object(_) if json.get("distribution").is_some() => {
                        let outcomes = self.outcomes(json, part.local)?;
                        if ways.len().saturating_mul(outcomes.len()) > MOST {
                            return Err(json.refused("samples with so many outcomes are"));
                        }
                        ways = (ways.iter())
                            .flat_map(|(way, chance)| {
                                outcomes.iter().map(move |(value, probability)| {
                                    let mut way = way.clone();
                                    way.insert(json.span.start, *value);
                                    (way, chance * probability)
                                })
                            })
                            .collect();
                    }
                    Node::Object(members) => waiting.extend(members.iter().map(|(_, value)| value)),
                    Node::List(elements) => waiting.extend(elements),
                    _ => {}
                }
            }
        }
        Ok(ways)
    }

    /// What can come out of a distribution.
    fn outcomes(&self, json: &Json, local: &Local) -> Read<Distribution> {
        let name = json.need("distribution")?.text()?;
        let arguments = json.need("args")?.list()?;
        let number = |at: usize| -> Read<Rational> {
            let argument = &arguments[at];
            let value = self.scope.constant(argument, local)?;
            value.number().ok_or_else(|| argument.wrong("a number"))
        };
        let whole = |at: usize| -> Read<i64> {
            match self.scope.constant(&arguments[at], local)? {
                Value::Int(value) => Ok(value),
                _ => Err(arguments[at].wrong("an integer")),
            }
        };
        let probability = |at: usize| -> Read<Rational> {
            let value = number(at)?;
            match value < Rational::ZERO || value > Rational::ONE {
                true => Err(arguments[at].wrong("a probability")),
                false => Ok(value),
            }
        };
        let found: Distribution = match (name, arguments.len()) {
            ("DiscreteUniform", 2) => {
                let (low, high) = (whole(0)?, whole(1)?);
                let count = high
                    .checked_sub(low)
                    .filter(|count| (0..MOST as i64).contains(count));
                let Some(count) = count else {
                    return Err(json.wrong("a range of whole numbers that is neither empty nor too large"));
                };
                let each = Rational::ONE / Rational::from(count + 1);
                (low..=high).map(|value| (value, each.clone())).collect()
            }
            ("Bernoulli", 1) => {
                let p = probability(0)?;
                vec![(0, Rational::ONE - &p), (1, p)]
            }
            ("Binomial", 2) => {
                let (p, n) = (probability(0)?, whole(1)?);
                if !(0..=1000).contains(&n) {
                    return Err(arguments[1].wrong("a number of trials from 0 to 1000"));
                }
                let q = Rational::ONE - &p;
                let mut found = vec![Rational::ONE];
                for _ in 0..n {
                    let mut next = vec![Rational::ZERO; found.len() + 1];
                    for (successes, chance) in found.iter().enumerate() {
                        next[successes] += chance * &q;
                        next[successes + 1] += chance * &p;
                    }
                    found = next;
                }
                (0..).zip(found).collect()
            }
            ("DiscreteUniform" | "Bernoulli" | "Binomial", _) => {
                return Err(json.wrong("the right number of arguments"));
            }
            _ => return Err(json.refused(&format!("samples of the distribution `{name}` are"))),
        };
        Ok(found
            .into_iter()
            .filter(|(_, probability)| !probability.is_zero())
            .collect())
    }
}
