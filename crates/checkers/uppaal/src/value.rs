//! Types, values and memory.

use entail_clocks::Fault;
use entail_clocks::discrete::ClockUpdate;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Whole(i64, i64),
    Truth,
    Clock,
    Channel {
        urgent: bool,
        broadcast: bool,
    },
    Nothing,
    /// Elements, their number, and the index of the first.
    Array(Box<Kind>, usize, i64),
    Record(Vec<(String, Kind)>),
}

impl Kind {
    /// The least and largest value of an integer.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        match self {
            Kind::Whole(low, high) => Some((*low, *high)),
            Kind::Truth => Some((0, 1)),
            _ => None,
        }
    }
}

/// A value; clocks and channels are their numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Number(i64),
    Clock(usize),
    Channel(usize),
    Nothing,
    Array(Vec<Value>),
    Record(Vec<(String, Value)>),
}

impl Value {
    /// The value that a variable of a type begins with; clocks and channels are counted on.
    pub fn first(kind: &Kind, clocks: &mut usize, channels: &mut usize) -> Value {
        match kind {
            Kind::Whole(low, high) => Value::Number(if *low > 0 {
                *low
            } else if *high < 0 {
                *high
            } else {
                0
            }),
            Kind::Truth => Value::Number(0),
            Kind::Clock => {
                *clocks += 1;
                Value::Clock(*clocks)
            }
            Kind::Channel { .. } => {
                *channels += 1;
                Value::Channel(*channels - 1)
            }
            Kind::Nothing => Value::Nothing,
            Kind::Array(of, count, _) => {
                Value::Array((0..*count).map(|_| Value::first(of, clocks, channels)).collect())
            }
            Kind::Record(fields) => {
                let field =
                    |(name, kind): &(String, Kind)| (name.clone(), Value::first(kind, clocks, channels));
                Value::Record(fields.iter().map(field).collect())
            }
        }
    }

    /// The numbers in it, in order.
    pub fn numbers(&self, found: &mut Vec<i64>) {
        match self {
            Value::Number(number) => found.push(*number),
            Value::Array(all) => all.iter().for_each(|one| one.numbers(found)),
            Value::Record(all) => all.iter().for_each(|(_, one)| one.numbers(found)),
            _ => {}
        }
    }

    /// Puts numbers back in order; false if there are too few.
    pub fn fill(&mut self, numbers: &mut std::slice::Iter<'_, i64>) -> bool {
        match self {
            Value::Number(number) => match numbers.next() {
                Some(next) => {
                    *number = *next;
                    true
                }
                None => false,
            },
            Value::Array(all) => all.iter_mut().all(|one| one.fill(numbers)),
            Value::Record(all) => all.iter_mut().all(|(_, one)| one.fill(numbers)),
            _ => true,
        }
    }

    fn part(&self, step: usize) -> Option<&Value> {
        match self {
            Value::Array(all) => all.get(step),
            Value::Record(all) => all.get(step).map(|(_, one)| one),
            _ => None,
        }
    }

    fn part_mut(&mut self, step: usize) -> Option<&mut Value> {
        match self {
            Value::Array(all) => all.get_mut(step),
            Value::Record(all) => all.get_mut(step).map(|(_, one)| one),
            _ => None,
        }
    }
}

/// A variable, or a part of one: the cell and the way to the part.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spot {
    pub cell: usize,
    pub way: Vec<usize>,
}

/// The values of all variables: those of the state, then those of the functions that are running.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    pub cells: Vec<Value>,
    /// What was done to clocks.
    pub updates: Vec<ClockUpdate>,
    /// What was added to the cost.
    pub cost: i64,
    /// What a unit of time costs, as far as invariants were evaluated.
    pub rate: i64,
    /// The clocks that stand still, as far as they were.
    pub stopped: Vec<usize>,
    /// Steps that were made, so that loops end.
    pub steps: u64,
}

/// A cost with more added to it.
pub(crate) fn with_cost(sum: i64, more: i64) -> Result<i64, Fault> {
    let range = -entail_clocks::MOST_COST..=entail_clocks::MOST_COST;
    let is_cost = |number: &i64| range.contains(number);
    let more = Some(more).filter(is_cost).ok_or(Fault::Cost(more))?;
    Some(sum + more).filter(is_cost).ok_or(Fault::Cost(sum + more))
}

/// Steps of one evaluation, at most.
const MOST_STEPS: u64 = 50_000_000;

impl Memory {
    pub fn get(&self, spot: &Spot) -> Result<&Value, Fault> {
        let mut here = self.cells.get(spot.cell).ok_or(Fault::Overflow)?;
        for &step in &spot.way {
            here = here.part(step).ok_or(Fault::Index {
                index: step as i64,
                size: 0,
            })?;
        }
        Ok(here)
    }

    pub fn put(&mut self, spot: &Spot, value: Value) -> Result<(), Fault> {
        let mut here = self.cells.get_mut(spot.cell).ok_or(Fault::Overflow)?;
        for &step in &spot.way {
            here = here.part_mut(step).ok_or(Fault::Index {
                index: step as i64,
                size: 0,
            })?;
        }
        *here = value;
        Ok(())
    }

    pub fn tick(&mut self) -> Result<(), Fault> {
        self.steps += 1;
        match self.steps > MOST_STEPS {
            true => Err(Fault::EndlessLoop),
            false => Ok(()),
        }
    }
}

/// A value that fits a type: ranges are kept, truths are 0 or 1.
pub(crate) fn fitted(kind: &Kind, value: Value) -> Result<Value, Fault> {
    Ok(match (kind, value) {
        (Kind::Truth, Value::Number(number)) => Value::Number(i64::from(number != 0)),
        (Kind::Whole(low, high), Value::Number(number)) => {
            if number < *low || number > *high {
                return Err(Fault::Value {
                    value: number,
                    low: *low,
                    high: *high,
                });
            }
            Value::Number(number)
        }
        (Kind::Array(of, count, _), Value::Array(all)) if all.len() == *count => {
            let all: Result<Vec<Value>, Fault> = all.into_iter().map(|one| fitted(of, one)).collect();
            Value::Array(all?)
        }
        (Kind::Record(fields), Value::Record(all)) if all.len() == fields.len() => {
            let mut done = Vec::new();
            for ((name, kind), (_, value)) in fields.iter().zip(all) {
                done.push((name.clone(), fitted(kind, value)?));
            }
            Value::Record(done)
        }
        (_, value) => value,
    })
}
