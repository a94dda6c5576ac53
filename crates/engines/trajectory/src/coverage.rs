//! Symbolic indexing (section 25.7.1): do the cases of an indexed assertion cover all values of what it drives?
//!
//! Asked is whether for all values of the driven nodes there are values of the variables, as assumed, for which the antecedent says nothing else of any of them. A variable that a node simply is (`addr is a`)
//! is the node's value. The others are quantified away, those that occur together in one conjunction each: in a memory read by an index, every bit of the data by itself.
//!
//! Values of a node inside the circuit, or of a register after the first step, are taken as free although the circuit may exclude some.

use crate::functions::{Functions, Stop, Translated};
use entail_budget::Budget;
use entail_dd::{Bdd, Manager, Var};
use entail_trajectories::{Assertion, Condition, ConditionId, Drive, NodeId, Specification};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Whether an indexed assertion covers all cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// It does.
    Complete,
    /// It does not: for these values of driven nodes, and any of the others, no values of the variables fit.
    Missing(Vec<(NodeId, u32, bool)>),
    /// It was too much to find out.
    Unknown(String),
}

/// Whether the cases of an assertion cover all values of what it drives.
pub fn coverage(specification: &Specification, assertion: &Assertion, budget: &Budget) -> Coverage {
    match find(specification, assertion, budget) {
        Ok(None) => Coverage::Complete,
        Ok(Some(missing)) => Coverage::Missing(missing),
        Err(stop) => Coverage::Unknown(stop.to_string()),
    }
}

struct Values {
    manager: Manager,
    of: FxHashMap<u32, Var>,
}

impl Functions for Values {
    type Function = Bdd;

    fn constant(&self, truth: bool) -> Bdd {
        self.manager.constant(truth)
    }

    fn variable(&mut self, number: u32) -> Result<Bdd, Stop> {
        let variable = match self.of.get(&number) {
            Some(variable) => *variable,
            None => {
                let variable = self.manager.new_var()?;
                self.of.insert(number, variable);
                variable
            }
        };
        Ok(self.manager.var(variable)?)
    }

    fn and(&mut self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        Ok(a.and(b)?)
    }

    fn not(&self, a: &Bdd) -> Bdd {
        a.not()
    }
}

/// Conditions that share variables which are to be quantified, and these.
#[derive(Default)]
struct Group {
    members: Vec<Bdd>,
    hidden: Vec<Var>,
}

/// Values of nodes at times.
type Case = Vec<(NodeId, u32, bool)>;

fn find(specification: &Specification, assertion: &Assertion, budget: &Budget) -> Result<Option<Case>, Stop> {
    let manager = Manager::for_budget(budget, 1)?;
    let mut values = Values {
        manager: manager.clone(),
        of: FxHashMap::default(),
    };
    let mut places: BTreeMap<(NodeId, u32), Var> = BTreeMap::new();
    let mut open: Vec<&Drive> = Vec::new();
    // What simply is a variable comes first, in the order of variables as well.
    for drive in &assertion.antecedent {
        let place = (drive.node, drive.time);
        match specification.conditions.get(drive.value) {
            Condition::Variable(number)
                if drive.guard == ConditionId::TRUE
                    && !values.of.contains_key(&number)
                    && !places.contains_key(&place) =>
            {
                let variable = manager.new_var()?;
                places.insert(place, variable);
                values.of.insert(number, variable);
            }
            _ => open.push(drive),
        }
    }
    let mut shown: FxHashMap<Var, (NodeId, u32)> = FxHashMap::default();
    for drive in &open {
        let place = (drive.node, drive.time);
        if let std::collections::btree_map::Entry::Vacant(entry) = places.entry(place) {
            entry.insert(manager.new_var()?);
        }
    }
    shown.extend(places.iter().map(|(place, variable)| (*variable, *place)));
    let mut conditions = Translated::new(&specification.conditions);
    let mut groups: Vec<Group> = Vec::new();
    let mut add = |member: Bdd| -> Result<(), Stop> {
        let support = member.support();
        let hidden: Vec<Var> = support
            .into_iter()
            .filter(|var| !shown.contains_key(var))
            .collect();
        join(&mut groups, member, hidden);
        Ok(())
    };
    let assumed = conditions.get(&mut values, assertion.assumption)?;
    add(assumed)?;
    for drive in open {
        budget.check()?;
        let node = manager.var(places[&(drive.node, drive.time)])?;
        let guard = conditions.get(&mut values, drive.guard)?;
        let wanted = conditions.get(&mut values, drive.value)?;
        add(guard.implies(&node.iff(&wanted)?)?)?;
    }
    for group in groups {
        let covered = conjunction(group.members, &manager)?.exists(&manager.var_set(group.hidden)?)?;
        if let Some(cube) = covered.not().pick_cube() {
            let named = cube.into_iter().filter_map(|(variable, value)| {
                let &(node, time) = shown.get(&variable)?;
                Some((node, time, value))
            });
            return Ok(Some(named.collect()));
        }
    }
    Ok(None)
}

/// The conjunction of all members, two by two, so that large diagrams meet few others.
fn conjunction(mut members: Vec<Bdd>, manager: &Manager) -> Result<Bdd, Stop> {
    while members.len() > 1 {
        let pairs = members.chunks(2);
        let both = |pair: &[Bdd]| match pair {
            [a, b] => a.and(b),
            _ => Ok(pair[0].clone()),
        };
        members = pairs.map(both).collect::<Result<_, _>>()?;
    }
    Ok(members.pop().unwrap_or_else(|| manager.one()))
}

/// Adds a condition to the group of its hidden variables; groups that share one become one.
fn join(groups: &mut Vec<Group>, member: Bdd, hidden: Vec<Var>) {
    if member.is_true() {
        return;
    }
    let mut joined = Group {
        members: vec![member],
        hidden,
    };
    let mut position = 0;
    while position < groups.len() {
        let meets = groups[position]
            .hidden
            .iter()
            .any(|var| joined.hidden.contains(var));
        match meets {
            true => {
                let group = groups.swap_remove(position);
                joined.members.extend(group.members);
                joined.hidden.extend(group.hidden);
                joined.hidden.sort_unstable();
                joined.hidden.dedup();
            }
            false => position += 1,
        }
    }
    groups.push(joined);
}
