//! A circuit again from its functions, with the states it never reaches as don't-cares.
//!
//! Outputs and next values become decision diagrams; the reachable states are their least fixpoint from the first; then each function is covered between itself where it matters and
//! anything elsewhere. Costs what the diagrams cost; the budget ends it.

use crate::cover::Covering;
use crate::netlist::Netlist;
use entail_budget::Budget;
use entail_dd::{Bdd, Config, Error, Manager, Method, ReorderLimits, Substitution, Var};
use entail_sat::Signal;
use rustc_hash::FxHashMap;

/// Memory of the manager.
const MEMORY: u64 = 256 << 20;

/// The functions of a circuit.
pub(crate) struct Functions {
    pub manager: Manager,
    pub inputs: Vec<Var>,
    pub latches: Vec<Var>,
    /// Outputs, then next values.
    pub roots: Vec<Bdd>,
    /// The states that are reached.
    pub reached: Bdd,
}

impl Functions {
    pub fn new(netlist: &Netlist, budget: &Budget) -> Result<Functions, Error> {
        let manager = Manager::new(&Config {
            memory: MEMORY,
            threads: 1,
        })?;
        manager.watch(budget);
        let circuit = &netlist.circuit;
        let latches = manager.new_vars(circuit.latches.len())?;
        let inputs = manager.new_vars(circuit.inputs.len())?;
        let mut values: FxHashMap<usize, Bdd> = FxHashMap::from_iter([(0, manager.zero())]);
        for (node, &variable) in circuit.inputs.iter().zip(&inputs) {
            values.insert(node.index(), manager.var(variable)?);
        }
        for (latch, &variable) in circuit.latches.iter().zip(&latches) {
            values.insert(latch.node.index(), manager.var(variable)?);
        }
        let of = |values: &FxHashMap<usize, Bdd>, signal: Signal| match values.get(&signal.node().index()) {
            Some(value) if signal.is_complemented() => value.not(),
            Some(value) => value.clone(),
            None => manager.zero(),
        };
        for node in circuit.aig.cone(netlist.roots()) {
            if let Some((a, b)) = circuit.aig.fanins(node) {
                let gate = of(&values, a).and(&of(&values, b))?;
                values.insert(node.index(), gate);
            }
        }
        let roots: Vec<Bdd> = netlist
            .roots()
            .into_iter()
            .map(|root| of(&values, root))
            .collect();
        drop(values);
        let first = manager.cube(latches.iter().copied().zip(netlist.first()))?;
        let reached = reached(&manager, &inputs, &latches, &roots[circuit.bad.len()..], first)?;
        Ok(Functions {
            manager,
            inputs,
            latches,
            roots,
            reached,
        })
    }
}

/// The states reached from the first.
fn reached(
    manager: &Manager,
    inputs: &[Var],
    latches: &[Var],
    next: &[Bdd],
    first: Bdd,
) -> Result<Bdd, Error> {
    let after = manager.new_vars(latches.len())?;
    let now = manager.var_set(inputs.iter().chain(latches).copied())?;
    let back = Substitution::renaming(manager, after.iter().copied().zip(latches.iter().copied()))?;
    let mut step = manager.one();
    for (&variable, next) in after.iter().zip(next) {
        step = step.and(&manager.var(variable)?.iff(next)?)?;
    }
    let (mut all, mut border) = (first.clone(), first);
    while !border.is_false() {
        let image = border.and_exists(&step, &now)?.substitute(&back)?;
        border = image.minus(&all)?;
        all = all.or(&border)?;
    }
    Ok(all)
}

/// The circuit made again from its functions.
pub(crate) fn resynthesized(netlist: &Netlist, sift: bool, budget: &Budget) -> Result<Netlist, Error> {
    let functions = Functions::new(netlist, budget)?;
    if sift {
        functions
            .manager
            .reorder(Method::Sift, &ReorderLimits::default())?;
    }
    let mut made = netlist.skeleton();
    let mut signals = FxHashMap::default();
    let variables = functions.inputs.iter().chain(&functions.latches);
    for (&variable, leaf) in variables.zip(made.leaves()) {
        signals.insert(variable, leaf.signal());
    }
    let covering = Covering {
        manager: &functions.manager,
        signals,
    };
    let unreached = functions.reached.not();
    let mut roots = Vec::with_capacity(functions.roots.len());
    for function in &functions.roots {
        let (lower, upper) = (function.and(&functions.reached)?, function.or(&unreached)?);
        roots.push(covering.between(&mut made.circuit.aig, &lower, &upper)?.0);
    }
    let outputs = netlist.outputs().len();
    made.circuit.bad = roots[..outputs].to_vec();
    for (latch, &next) in made.circuit.latches.iter_mut().zip(&roots[outputs..]) {
        latch.next = next;
    }
    Ok(made.swept())
}
