//! What a scheduler does, state by state: the chain that it makes, of the states that it reaches, each with what the scheduler remembers there.

use crate::product::{self, Reading};
use entail_budget::Budget;
use entail_markov::{Explicit, Memory, Row, Strategy};
use std::collections::HashMap;

/// The chain that a scheduler makes.
#[derive(Clone, Debug)]
pub struct Played {
    /// The chain. Its states have the values of the variables and, if the scheduler remembers something, a number for that behind them.
    pub model: Explicit,
    /// Whether the scheduler had a choice, by state.
    pub decided: Vec<bool>,
    /// The largest number of what is remembered; nothing if the scheduler remembers nothing.
    pub memories: Option<i64>,
}

/// How the scheduler goes on: the number of a place, if there is one.
enum Walk {
    /// A place is a state of the model.
    Forgetful,
    /// A place is a state of the product.
    Product {
        model: Explicit,
        keys: Vec<(u32, Reading)>,
        start: Vec<u32>,
    },
    /// A place is a step and a state, the steps up to so many.
    Steps(usize),
}

/// Plays a scheduler on the model that it is about, or says why it cannot be played there.
pub fn play(model: &Explicit, strategy: &Strategy, budget: &Budget) -> Result<Played, String> {
    let size = model.rows.len();
    let other = || "the scheduler is about another model".to_owned();
    let spent = |spent: entail_budget::Spent| spent.to_string();
    let (walk, places) = match &strategy.memory {
        Memory::Nothing => (Walk::Forgetful, size),
        Memory::Steps => {
            let steps = strategy.choices.len() / size.max(1);
            (Walk::Steps(steps), steps * size)
        }
        Memory::Automaton { letters } => {
            let observer = strategy.certificate.observers.last().ok_or_else(other)?;
            let range = 1usize << observer.sets.min(16);
            let fits = letters.len() == size
                && letters.iter().all(|&letter| (letter as usize) < range)
                && (observer.initial as usize) < observer.steps.len()
                && observer.steps.iter().all(|row| {
                    row.len() == range
                        && row
                            .iter()
                            .flatten()
                            .all(|(next, _)| (*next as usize) < observer.steps.len())
                });
            if !fits {
                return Err(other());
            }
            let letters: Vec<usize> = letters.iter().map(|&letter| letter as usize).collect();
            let product = product::observed(model, observer, &letters, budget).map_err(spent)?;
            let places = product.keys.len();
            let walk = Walk::Product {
                model: product.model,
                keys: product.keys,
                start: product.start,
            };
            (walk, places)
        }
    };
    if strategy.choices.len() != places {
        return Err(other());
    }
    // What is remembered: readings get numbers as they are met.
    let mut readings: HashMap<Reading, i64> = HashMap::new();
    let mut numbers: HashMap<(usize, usize), u32> = HashMap::new();
    // A place in the walk with the steps so far (of schedulers that count).
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut number = |found: &mut Vec<(usize, usize)>, place: (usize, usize)| {
        *numbers.entry(place).or_insert_with(|| {
            found.push(place);
            (found.len() - 1) as u32
        })
    };
    let mut initial = Vec::new();
    for &state in &model.initial {
        let place = match &walk {
            Walk::Product { start, .. } => start[state as usize] as usize,
            _ => state as usize,
        };
        initial.push(number(&mut found, (place, 0)));
    }
    let mut played = Explicit {
        kind: model.kind,
        states: Vec::new(),
        rows: Vec::new(),
        initial,
        deadlocks: Vec::new(),
        state_rewards: vec![Vec::new(); model.state_rewards.len()],
    };
    let (mut decided, mut most) = (Vec::new(), 0);
    while played.rows.len() < found.len() {
        budget.check().map_err(spent)?;
        let at = played.rows.len() as u32;
        let (place, step) = found[played.rows.len()];
        let (rows, state, memory): (&[Row], usize, Option<i64>) = match &walk {
            Walk::Forgetful => (&model.rows[place], place, None),
            Walk::Steps(_) => (&model.rows[place], place, Some(step as i64)),
            Walk::Product { model, keys, .. } => {
                let (state, reading) = keys[place];
                let next = readings.len() as i64;
                let memory = *readings.entry(reading).or_insert(next);
                (&model.rows[place], state as usize, Some(memory))
            }
        };
        let choice = match walk {
            // After the last step nothing matters any more.
            Walk::Steps(steps) if step >= steps => 0,
            Walk::Steps(_) => strategy.choices[step * size + place],
            _ => strategy.choices[place],
        };
        let mut row = rows.get(choice as usize).ok_or_else(other)?.clone();
        let later = match walk {
            Walk::Steps(steps) => steps.min(step + 1),
            _ => 0,
        };
        for (target, _) in &mut row.targets {
            *target = number(&mut found, (*target as usize, later));
        }
        if model.deadlocks.binary_search(&(state as u32)).is_ok() {
            played.deadlocks.push(at);
        }
        let mut values = model.states[state].clone();
        values.extend(memory);
        most = most.max(memory.unwrap_or(0));
        played.states.push(values);
        for (own, all) in played.state_rewards.iter_mut().zip(&model.state_rewards) {
            own.push(all[state].clone());
        }
        decided.push(rows.len() > 1);
        played.rows.push(vec![row]);
    }
    let memories = (!matches!(walk, Walk::Forgetful)).then_some(most);
    Ok(Played {
        model: played,
        decided,
        memories,
    })
}
