//! Trajectory assertions: what is driven, what is demanded, and when.

use crate::{AssertionGraph, ConditionId, Conditions, Method, NodeId};
use entail_source::Span;
use std::collections::BTreeSet;

/// `guard -> N^time (node is value)`: where the guard is true, the node has this value at this time. A formula is a list of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drive {
    /// The node.
    pub node: NodeId,
    /// Number of steps from the beginning.
    pub time: u32,
    /// Where it is said.
    pub guard: ConditionId,
    /// The value.
    pub value: ConditionId,
}

/// What is asked about a circuit: `assumption |= antecedent => consequent`.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// Its name.
    pub name: String,
    /// As it was written.
    pub text: String,
    /// Where it stands.
    pub place: Span,
    /// What is assumed about the symbolic variables.
    pub assumption: ConditionId,
    /// What is driven.
    pub antecedent: Vec<Drive>,
    /// What is demanded.
    pub consequent: Vec<Drive>,
    /// Its variables are indices of cases, which should cover all values of what is driven.
    pub is_indexed: bool,
    /// What values at several nodes and times are together, if that is demanded. (What it speaks of is in the consequent, under a guard that is never true.)
    pub relation: Option<Relation>,
    /// How it is to be decided.
    pub method: Method,
}

/// The value of a node at a time, as a variable of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The node.
    pub node: NodeId,
    /// The time.
    pub time: u32,
    /// The number of the variable; it comes behind those of the specification.
    pub variable: u32,
}

/// A demanded relation between values (relational trajectory evaluation, section 25.8.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// True of the symbolic variables and the samples.
    pub formula: ConditionId,
    /// The values that it speaks of.
    pub samples: Vec<Sample>,
}

impl Assertion {
    /// The last time that it speaks of.
    pub fn depth(&self) -> u32 {
        let drives = self.antecedent.iter().chain(&self.consequent);
        drives.map(|drive| drive.time).max().unwrap_or(0)
    }
}

/// Signals that are taken as X during some times, where a condition holds: less is known, so less can be proved, and never more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weakening {
    /// The nodes.
    pub nodes: Vec<NodeId>,
    /// The first time.
    pub from: u32,
    /// The first time at which it is over; nothing: it never is.
    pub to: Option<u32>,
    /// Where.
    pub guard: ConditionId,
}

/// A symbolic word as it was declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its name.
    pub name: String,
    /// The number of its lowest bit among the variables; the others follow.
    pub first: u32,
    /// Its width.
    pub width: u32,
}

/// Assertions about one circuit.
#[derive(Clone, Debug, Default)]
pub struct Specification {
    /// The symbolic variables, words of one or more bits each.
    pub words: Vec<Word>,
    /// All conditions.
    pub conditions: Conditions,
    /// What is weakened in all assertions.
    pub weakenings: Vec<Weakening>,
    /// What is asked.
    pub assertions: Vec<Assertion>,
    /// What is asked about runs of any length.
    pub graphs: Vec<AssertionGraph>,
}

impl Specification {
    /// The number of variables of one bit.
    pub fn variables(&self) -> usize {
        self.words.iter().map(|word| word.width as usize).sum()
    }

    /// The assertions that one is derived from by rules, directly or by others, in order.
    pub fn premises(&self, position: usize) -> Vec<usize> {
        let mut found: BTreeSet<usize> = BTreeSet::new();
        let mut open = vec![position];
        while let Some(next) = open.pop() {
            let method = self.assertions.get(next).map(|assertion| &assertion.method);
            if let Some(Method::Rules(derivation)) = method {
                let premises = derivation.premises().into_iter();
                open.extend(premises.filter(|&premise| found.insert(premise)));
            }
        }
        found.into_iter().collect()
    }

    /// The name of a variable of one bit.
    pub fn variable_name(&self, number: u32) -> String {
        let word = self
            .words
            .iter()
            .find(|word| (word.first..word.first + word.width).contains(&number));
        match word {
            Some(word) if word.width == 1 => word.name.clone(),
            Some(word) => format!("{}[{}]", word.name, number - word.first),
            None => format!("(variable {number})"),
        }
    }

    /// Values of the variables word by word, as people read them.
    pub fn valuation_text(&self, values: &[bool]) -> String {
        let value = |word: &Word| {
            let bit = |at: u32| values.get((word.first + at) as usize).copied().unwrap_or(false);
            let bits: String = (0..word.width)
                .rev()
                .map(|at| if bit(at) { '1' } else { '0' })
                .collect();
            match word.width {
                1 => format!("{} = {bits}", word.name),
                width => format!("{} = {width}'b{bits}", word.name),
            }
        };
        let words: Vec<String> = self.words.iter().map(value).collect();
        words.join(", ")
    }
}
