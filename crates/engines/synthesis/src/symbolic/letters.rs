//! Signals, registers of what they were, and observations as decision diagrams.
//!
//! A register holds what a signal was so many steps ago; registers of one signal stand beside it in the variable order. Before the first so many steps their
//! content has no meaning; *begun* bits tell whether that many steps have passed.

use super::observation::needs;
use crate::problem::SynthesisError;
use entail_dd::{Bdd, Manager, Var};
use entail_logic::{Formula, Node, Unary};
use rustc_hash::FxHashMap;

const MISSING: SynthesisError = SynthesisError::TooLarge("a register is missing");

/// A bit of the game's state.
#[derive(Clone)]
pub(crate) struct Latch {
    pub variable: Var,
    pub first: bool,
    /// Its next value, over latches and signals.
    pub next: Bdd,
}

/// The signals of a game, and its registers.
pub(crate) struct Letters {
    pub manager: Manager,
    signals: FxHashMap<String, Var>,
    registers: FxHashMap<(String, u32), Var>,
    begun: Vec<Var>,
    values: FxHashMap<(usize, u32), Bdd>,
}

impl Letters {
    /// Variables for the signals, in this order, and for the registers that observations need when each is evaluated so late.
    pub fn new(
        manager: &Manager,
        signals: &[String],
        observed: &[(Formula<String>, u32)],
    ) -> Result<Letters, SynthesisError> {
        let mut latest: FxHashMap<String, u32> = FxHashMap::default();
        let mut deepest = 0;
        let mut order: Vec<String> = Vec::new();
        for (formula, late) in observed {
            deepest = deepest.max(*late);
            needs(formula, *late, &mut |name, late| match latest.get_mut(name) {
                Some(known) => *known = late.max(*known),
                None => {
                    latest.insert(name.to_owned(), late);
                    order.push(name.to_owned());
                }
            });
        }
        order.extend(signals.iter().filter(|name| !latest.contains_key(*name)).cloned());
        let mut letters = Letters {
            manager: manager.clone(),
            signals: FxHashMap::default(),
            registers: FxHashMap::default(),
            begun: manager.new_vars(deepest as usize)?,
            values: FxHashMap::default(),
        };
        for name in order {
            if !signals.contains(&name) {
                return Err(SynthesisError::Refused(format!(
                    "`{name}` is neither an input nor an output"
                )));
            }
            let late = latest.get(&name).copied().unwrap_or(0);
            letters.signals.insert(name.clone(), manager.new_var()?);
            for steps in 1..=late {
                letters
                    .registers
                    .insert((name.clone(), steps), manager.new_var()?);
            }
        }
        Ok(letters)
    }

    /// The variable of a signal.
    pub fn signal(&self, name: &str) -> Result<Var, SynthesisError> {
        self.signals
            .get(name)
            .copied()
            .ok_or_else(|| SynthesisError::Refused(format!("`{name}` is neither an input nor an output")))
    }

    /// The variable of what a signal was one step ago.
    pub fn earlier(&self, name: &str) -> Result<Var, SynthesisError> {
        let register = self.registers.get(&(name.to_owned(), 1));
        register.copied().ok_or(MISSING)
    }

    /// Whether at least so many steps have been made.
    pub fn begun(&self, steps: u32) -> Result<Bdd, SynthesisError> {
        match steps {
            0 => Ok(self.manager.one()),
            _ => Ok(self.manager.var(self.begun[steps as usize - 1])?),
        }
    }

    /// What a signal was.
    fn register(&self, name: &str, late: u32) -> Result<Bdd, SynthesisError> {
        let variable = match late {
            0 => self.signal(name)?,
            _ => *self.registers.get(&(name.to_owned(), late)).ok_or(MISSING)?,
        };
        Ok(self.manager.var(variable)?)
    }

    /// The registers and the counting of the first steps.
    pub fn latches(&self) -> Result<Vec<Latch>, SynthesisError> {
        let mut latches = Vec::new();
        for (at, &variable) in self.begun.iter().enumerate() {
            latches.push(Latch {
                variable,
                first: false,
                next: self.begun(at as u32)?,
            });
        }
        let mut registers: Vec<_> = self.registers.iter().collect();
        registers.sort_unstable();
        for ((name, late), &variable) in registers {
            latches.push(Latch {
                variable,
                first: false,
                next: self.register(name, late - 1)?,
            });
        }
        Ok(latches)
    }

    /// What an observation was so many steps ago, when it was made; it must not look further than to now.
    pub fn value(&mut self, formula: &Formula<String>, late: u32) -> Result<Bdd, SynthesisError> {
        let key = (formula.address(), late);
        if let Some(known) = self.values.get(&key) {
            return Ok(known.clone());
        }
        let value = stacker::maybe_grow(64 << 10, 1 << 20, || self.evaluate(formula, late))?;
        self.values.insert(key, value.clone());
        Ok(value)
    }

    fn evaluate(&mut self, formula: &Formula<String>, late: u32) -> Result<Bdd, SynthesisError> {
        Ok(match formula.node() {
            Node::Constant(truth) => self.manager.constant(*truth),
            Node::Atom(name) => self.register(name, late)?,
            Node::Not(inner) => self.value(inner, late)?.not(),
            Node::And(list) => {
                let mut all = self.manager.one();
                for one in list {
                    all = all.and(&self.value(one, late)?)?;
                }
                all
            }
            Node::Or(list) => {
                let mut any = self.manager.zero();
                for one in list {
                    any = any.or(&self.value(one, late)?)?;
                }
                any
            }
            Node::Implies(left, right) => self.value(left, late)?.implies(&self.value(right, late)?)?,
            Node::Iff(left, right) => self.value(left, late)?.iff(&self.value(right, late)?)?,
            Node::Xor(left, right) => self.value(left, late)?.xor(&self.value(right, late)?)?,
            Node::Unary(Unary::Next, _, inner) if late > 0 => self.value(inner, late - 1)?,
            _ => return Err(SynthesisError::TooLarge("an observation looks too far ahead")),
        })
    }
}
