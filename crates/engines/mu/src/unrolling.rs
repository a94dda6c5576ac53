//! Systems of fixpoint equations as one formula.
//!
//! An equation has a level, outer ones smaller, and an index within its level. Where its variable is met and stands for something that is being written around this place, it is that
//! variable; otherwise its right-hand side is written here, under a binder of its own, and the variables of deeper levels are forgotten: they are solved anew for every value of this one. This is
//! Bekić's principle. The formula may be exponentially larger than the equations, hence the limit.

use crate::MuError;
use entail_budget::Budget;
use entail_logic::mu::{Fixpoint, Mu, MuNode, MuVar};

/// An equation's variable that is being written.
struct Entry {
    level: u32,
    index: (u32, u32),
    name: MuVar,
    is_used: bool,
}

/// A formula that is being written.
pub(crate) struct Unrolling<'b> {
    scope: Vec<Entry>,
    written: u32,
    /// How many right-hand sides may still be written.
    left: usize,
    budget: &'b Budget,
}

impl<'b> Unrolling<'b> {
    /// With at most so many right-hand sides.
    pub fn new(limit: usize, budget: &'b Budget) -> Unrolling<'b> {
        Unrolling {
            scope: Vec::new(),
            written: 0,
            left: limit,
            budget,
        }
    }

    /// The variable of an equation, or its right-hand side under a binder.
    pub fn equation(
        &mut self,
        level: u32,
        index: (u32, u32),
        fixpoint: Fixpoint,
        body: &mut dyn FnMut(&mut Self) -> Result<Mu<String>, MuError>,
    ) -> Result<Mu<String>, MuError> {
        let known = (self.scope.iter_mut()).find(|entry| entry.level == level && entry.index == index);
        if let Some(known) = known {
            known.is_used = true;
            return Ok(Mu::variable(&known.name));
        }
        self.budget.check()?;
        self.left = self.left.checked_sub(1).ok_or(MuError::TooLarge)?;
        self.written += 1;
        let name = MuVar::new(format!("X{}", self.written));
        let (mut kept, forgotten): (Vec<Entry>, Vec<Entry>) = std::mem::take(&mut self.scope)
            .into_iter()
            .partition(|entry| entry.level <= level);
        kept.push(Entry {
            level,
            index,
            name: name.clone(),
            is_used: false,
        });
        self.scope = kept;
        let written = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || body(self));
        let own = self.scope.pop();
        self.scope.extend(forgotten);
        let written = written?;
        Ok(match own {
            Some(own) if own.is_used => match written.node() {
                MuNode::Variable(variable) if *variable == name => Mu::constant(fixpoint.first_approximant()),
                _ => written.fixpoint(fixpoint, &name),
            },
            _ => written,
        })
    }
}

/// The conjunction without operands that say nothing.
pub(crate) fn all(operands: impl IntoIterator<Item = Mu<String>>) -> Mu<String> {
    let kept = plain(operands, false);
    kept.map_or(Mu::constant(false), Mu::and)
}

/// The disjunction without operands that say nothing.
pub(crate) fn any(operands: impl IntoIterator<Item = Mu<String>>) -> Mu<String> {
    let kept = plain(operands, true);
    kept.map_or(Mu::constant(true), Mu::or)
}

/// The operands without repetitions and without the constant that does not matter; nothing if `decisive` is among them.
fn plain(operands: impl IntoIterator<Item = Mu<String>>, decisive: bool) -> Option<Vec<Mu<String>>> {
    let mut kept: Vec<Mu<String>> = Vec::new();
    for operand in operands {
        match operand.node() {
            MuNode::Constant(truth) if *truth == decisive => return None,
            MuNode::Constant(_) => {}
            _ if kept.contains(&operand) => {}
            _ => kept.push(operand),
        }
    }
    Some(kept)
}
