//! Sets of scalars, as a network knows them: for each process, variable, clock and channel, by which scalars it is indexed.
//!
//! What lies in an array that is indexed by a set of scalars, or belongs to a process whose free parameter is one, is one of a kind for each scalar. That exchanging scalars changes nothing is not shown here.

use crate::types::{CHANNELS, CLOCKS, INTEGERS, Type};
use entail_clocks::{Indexed, ScalarSet};
use std::collections::HashMap;

/// A part of what something is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Segment {
    Text(String),
    Number(i64),
    /// A value of a set.
    Scalar(usize, i64),
}

/// What something is called, from the outside in.
pub(crate) type Path = Vec<Segment>;

/// What everything in a network is called.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    pub processes: Vec<Path>,
    /// Integers, clocks and channels.
    memory: [Vec<Path>; 3],
    /// For each integer: the set that its values are of.
    holds: Vec<Option<usize>>,
}

/// A value of a type as a part of a path.
pub(crate) fn segment(of: &Type, value: i64) -> Segment {
    match of {
        Type::Scalar { set, .. } => Segment::Scalar(*set, value),
        _ => Segment::Number(value),
    }
}

impl Paths {
    /// A variable gets its memory.
    pub fn variable(&mut self, of: &Type, path: &Path) {
        match of {
            Type::Array(inner, count, low, index) => {
                for value in *low..*low + *count as i64 {
                    let last = match index {
                        Some(set) => Segment::Scalar(*set, value),
                        None => Segment::Number(value),
                    };
                    self.variable(inner, &[path.as_slice(), &[last]].concat());
                }
            }
            Type::Struct(fields) => {
                for (name, inner) in fields.iter() {
                    self.variable(inner, &[path.as_slice(), &[Segment::Text(name.clone())]].concat());
                }
            }
            Type::Clock => self.memory[CLOCKS].push(path.clone()),
            Type::Channel { .. } => self.memory[CHANNELS].push(path.clone()),
            Type::Void | Type::Hybrid | Type::Ignored => {}
            Type::Int { .. } | Type::Bool | Type::Scalar { .. } | Type::Double => {
                self.memory[INTEGERS].push(path.clone());
                self.holds.push(match of {
                    Type::Scalar { set, .. } => Some(*set),
                    _ => None,
                });
            }
        }
    }

    /// The sets of these sizes.
    pub fn sets(&self, sizes: &[usize]) -> Vec<ScalarSet> {
        let set = |(number, &size): (usize, &usize)| ScalarSet {
            size,
            processes: indexed(&self.processes, number),
            integers: indexed(&self.memory[INTEGERS], number),
            clocks: indexed(&self.memory[CLOCKS], number),
            channels: indexed(&self.memory[CHANNELS], number),
            holds: self.holds.iter().map(|&held| held == Some(number)).collect(),
        };
        sizes.iter().enumerate().map(set).collect()
    }
}

/// What things are but for the scalars of a set.
fn indexed(paths: &[Path], set: usize) -> Vec<Indexed> {
    let mut kinds: HashMap<Vec<Option<Segment>>, usize> = HashMap::new();
    let one = |path: &Path| {
        let is_own = |segment: &Segment| matches!(segment, Segment::Scalar(own, _) if *own == set);
        let rest = path
            .iter()
            .map(|one| (!is_own(one)).then(|| one.clone()))
            .collect();
        let next = kinds.len();
        let by = path.iter().filter_map(|segment| match segment {
            Segment::Scalar(own, value) if *own == set => Some(*value as usize),
            _ => None,
        });
        Indexed {
            kind: *kinds.entry(rest).or_insert(next),
            by: by.collect(),
        }
    };
    paths.iter().map(one).collect()
}
