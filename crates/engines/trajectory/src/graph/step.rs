//! One step of a circuit along an edge of an assertion graph: from what registers may be, forward, and back from what they may be afterwards.
//!
//! Values are pairs of functions, *may be 1* and *may be 0*, as in trajectory evaluation; besides, a set of states says for which valuations it has any. Where it has none, both functions are false, so that the union
//! of two sets is the disjunction of their functions. Backward, a gate's output tells about its inputs (what an AND that is 1 demands of both); sweeps in both directions are repeated
//! a few times. All of it over-approximates: more sweeps would only say more.

use crate::functions::{Functions, Stop, Translated};
use crate::rails::Rails;
use entail_budget::Budget;
use entail_trajectories::{
    AssertionGraph, ConditionId, Drive, Gate, GraphEdge, Netlist, NodeId, Specification, Wire,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Sweeps back and forth over one step.
const MOST_SWEEPS: usize = 4;

/// The part of a netlist that a graph depends on.
pub(crate) struct Cone {
    /// Its nodes, in order.
    pub(crate) nodes: Vec<NodeId>,
    /// Its registers, and what each becomes.
    pub(crate) registers: Vec<(NodeId, Wire)>,
    /// The position of each register in a state.
    places: FxHashMap<NodeId, usize>,
    /// For each edge, the nodes that what it drives and what registers become depend on within a step.
    pub(crate) leading: Vec<Vec<NodeId>>,
    /// For each edge, the nodes that what it drives and what it demands depend on within a step.
    pub(crate) demanding: Vec<Vec<NodeId>>,
}

/// The nodes that some depend on within a step, in order.
fn within_step(netlist: &Netlist, roots: impl IntoIterator<Item = NodeId>) -> Vec<NodeId> {
    let mut needed = vec![false; netlist.len()];
    let mut open: Vec<NodeId> = roots.into_iter().collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut needed[node.index()], true) {
            match netlist.gate(node) {
                Gate::And(a, b) => open.extend([a.node, b.node]),
                Gate::Copy(a) => open.push(a.node),
                Gate::Zero | Gate::Input | Gate::Register(_) => {}
            }
        }
    }
    let needed = needed.iter().enumerate().filter(|(_, needed)| **needed);
    needed.map(|(index, _)| NodeId(index as u32)).collect()
}

impl Cone {
    pub(crate) fn new(netlist: &Netlist, graph: &AssertionGraph) -> Cone {
        let mut needed: FxHashSet<NodeId> = FxHashSet::default();
        let drives = graph
            .edges
            .iter()
            .flat_map(|edge| edge.antecedent.iter().chain(&edge.consequent));
        let mut open: Vec<NodeId> = drives.map(|drive| drive.node).collect();
        while let Some(node) = open.pop() {
            if needed.insert(node) {
                match netlist.gate(node) {
                    Gate::And(a, b) => open.extend([a.node, b.node]),
                    Gate::Copy(a) | Gate::Register(Some(a)) => open.push(a.node),
                    Gate::Zero | Gate::Input | Gate::Register(None) => {}
                }
            }
        }
        let mut nodes: Vec<NodeId> = needed.into_iter().collect();
        nodes.sort_unstable();
        let registers: Vec<(NodeId, Wire)> = nodes
            .iter()
            .filter_map(|&node| match netlist.gate(node) {
                Gate::Register(Some(next)) => Some((node, next)),
                _ => None,
            })
            .collect();
        let places = registers
            .iter()
            .enumerate()
            .map(|(place, (node, _))| (*node, place));
        let driven =
            |edge: &GraphEdge| -> Vec<NodeId> { edge.antecedent.iter().map(|drive| drive.node).collect() };
        let becoming: Vec<NodeId> = registers.iter().map(|(_, next)| next.node).collect();
        let leading =
            |edge: &GraphEdge| within_step(netlist, driven(edge).into_iter().chain(becoming.iter().copied()));
        let demanding = |edge: &GraphEdge| {
            let demanded = edge.consequent.iter().map(|drive| drive.node);
            within_step(netlist, driven(edge).into_iter().chain(demanded))
        };
        Cone {
            places: places.collect(),
            leading: graph.edges.iter().map(leading).collect(),
            demanding: graph.edges.iter().map(demanding).collect(),
            nodes,
            registers,
        }
    }
}

/// A set of states: for which valuations there are some, and what registers may be then.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State<F> {
    pub(crate) alive: F,
    pub(crate) registers: Vec<Rails<F>>,
}

/// The values of a step.
pub(crate) struct Stepped<F> {
    /// For which valuations it can be taken.
    pub(crate) alive: F,
    /// By nodes.
    values: Vec<Option<Rails<F>>>,
}

/// Steps of one circuit.
pub(crate) struct Stepper<'s, F: Functions> {
    pub(crate) netlist: &'s Netlist,
    pub(crate) cone: &'s Cone,
    pub(crate) functions: &'s mut F,
    conditions: Translated<'s, F>,
    /// Nodes that are X where a condition is true.
    weakened: FxHashMap<NodeId, Vec<ConditionId>>,
    budget: &'s Budget,
}

impl<'s, F: Functions> Stepper<'s, F>
where
    F::Function: PartialEq,
{
    /// Steps of a circuit; what is weakened at some times only is not weakened here.
    pub(crate) fn new(
        netlist: &'s Netlist,
        specification: &'s Specification,
        cone: &'s Cone,
        functions: &'s mut F,
        budget: &'s Budget,
    ) -> Self {
        let mut weakened: FxHashMap<NodeId, Vec<ConditionId>> = FxHashMap::default();
        let always = specification
            .weakenings
            .iter()
            .filter(|one| one.from == 0 && one.to.is_none());
        for weakening in always {
            for node in &weakening.nodes {
                weakened.entry(*node).or_default().push(weakening.guard);
            }
        }
        Stepper {
            netlist,
            cone,
            functions,
            conditions: Translated::new(&specification.conditions),
            weakened,
            budget,
        }
    }

    pub(crate) fn condition(&mut self, id: ConditionId) -> Result<F::Function, Stop> {
        self.conditions.get(self.functions, id)
    }

    /// All states, for some valuations.
    pub(crate) fn all(&self, alive: &F::Function) -> State<F::Function> {
        let either = Rails {
            high: alive.clone(),
            low: alive.clone(),
        };
        State {
            alive: alive.clone(),
            registers: vec![either; self.cone.registers.len()],
        }
    }

    /// The states of both.
    pub(crate) fn union(
        &mut self,
        a: &State<F::Function>,
        b: &State<F::Function>,
    ) -> Result<State<F::Function>, Stop> {
        let functions = &mut *self.functions;
        let mut registers = Vec::with_capacity(a.registers.len());
        for (a, b) in a.registers.iter().zip(&b.registers) {
            registers.push(Rails {
                high: functions.or(&a.high, &b.high)?,
                low: functions.or(&a.low, &b.low)?,
            });
        }
        Ok(State {
            alive: functions.or(&a.alive, &b.alive)?,
            registers,
        })
    }

    /// A step from some states along an edge and, if that is asked for, to some states: the values of some nodes, what they depend on among them.
    pub(crate) fn step(
        &mut self,
        entry: &State<F::Function>,
        edge: &GraphEdge,
        exit: Option<&State<F::Function>>,
        nodes: &[NodeId],
    ) -> Result<Stepped<F::Function>, Stop> {
        let mut driven: FxHashMap<NodeId, Vec<Drive>> = FxHashMap::default();
        for drive in &edge.antecedent {
            driven.entry(drive.node).or_default().push(*drive);
        }
        let mut stepped = Stepped {
            alive: entry.alive.clone(),
            values: vec![None; self.netlist.len()],
        };
        let cone = self.cone;
        for &node in nodes {
            self.budget.check()?;
            let mut value = match self.cone.places.get(&node) {
                Some(&place) => entry.registers[place].clone(),
                None => self.gate(node, &entry.alive, &stepped)?,
            };
            for &guard in self.weakened.get(&node).into_iter().flatten() {
                let guard = self.conditions.get(self.functions, guard)?;
                let guard = self.functions.and(&guard, &entry.alive)?;
                value.high = self.functions.or(&value.high, &guard)?;
                value.low = self.functions.or(&value.low, &guard)?;
            }
            if self.functions.is_too_large(&value.high) || self.functions.is_too_large(&value.low) {
                value = Rails {
                    high: entry.alive.clone(),
                    low: entry.alive.clone(),
                };
            }
            stepped.values[node.index()] = Some(value);
            for drive in driven.get(&node).into_iter().flatten() {
                let said = self.said(drive)?;
                self.narrow(Wire::of(node), &said, &mut stepped)?;
            }
        }
        if let Some(exit) = exit {
            stepped.alive = self.functions.and(&stepped.alive, &exit.alive)?;
            for (place, &(_, next)) in cone.registers.iter().enumerate() {
                self.narrow(next, &exit.registers[place], &mut stepped)?;
            }
            for _ in 0..MOST_SWEEPS {
                if !self.sweep(&mut stepped)? {
                    break;
                }
            }
        }
        Ok(stepped)
    }

    /// What a drive leaves possible: 1 unless it says 0, 0 unless it says 1.
    fn said(&mut self, drive: &Drive) -> Result<Rails<F::Function>, Stop> {
        let (guard, value) = (self.condition(drive.guard)?, self.condition(drive.value)?);
        let one = self.functions.and(&guard, &value)?;
        let zero = self.functions.and(&guard, &self.functions.not(&value))?;
        Ok(Rails {
            high: self.functions.not(&zero),
            low: self.functions.not(&one),
        })
    }

    fn read(&self, wire: Wire, stepped: &Stepped<F::Function>) -> Rails<F::Function> {
        let value = stepped.values.get(wire.node.index()).cloned().flatten();
        let value = value.unwrap_or_else(|| Rails {
            high: stepped.alive.clone(),
            low: stepped.alive.clone(),
        });
        value.through(wire)
    }

    fn gate(
        &mut self,
        node: NodeId,
        alive: &F::Function,
        stepped: &Stepped<F::Function>,
    ) -> Result<Rails<F::Function>, Stop> {
        Ok(match self.netlist.gate(node) {
            Gate::Zero => Rails {
                high: self.functions.constant(false),
                low: alive.clone(),
            },
            Gate::Input | Gate::Register(_) => Rails {
                high: alive.clone(),
                low: alive.clone(),
            },
            Gate::Copy(a) => self.read(a, stepped),
            Gate::And(a, b) => {
                let (a, b) = (self.read(a, stepped), self.read(b, stepped));
                Rails {
                    high: self.functions.and(&a.high, &b.high)?,
                    low: self.functions.or(&a.low, &b.low)?,
                }
            }
        })
    }

    /// A wire may only be what is possible; where nothing is left, the step cannot be taken. Says whether that told something.
    fn narrow(
        &mut self,
        wire: Wire,
        possible: &Rails<F::Function>,
        stepped: &mut Stepped<F::Function>,
    ) -> Result<bool, Stop> {
        let before = self.read(Wire::of(wire.node), stepped);
        let possible = possible.clone().through(wire);
        let value = Rails {
            high: self.functions.and(&before.high, &possible.high)?,
            low: self.functions.and(&before.low, &possible.low)?,
        };
        if value == before {
            return Ok(false);
        }
        let left = self.functions.or(&value.high, &value.low)?;
        stepped.alive = self.functions.and(&stepped.alive, &left)?;
        stepped.values[wire.node.index()] = Some(value);
        Ok(true)
    }

    /// Once back and once forward over all gates; says whether that told something.
    fn sweep(&mut self, stepped: &mut Stepped<F::Function>) -> Result<bool, Stop> {
        let cone = self.cone;
        let mut told = false;
        for &node in cone.nodes.iter().rev() {
            self.budget.check()?;
            let output = self.read(Wire::of(node), stepped);
            match self.netlist.gate(node) {
                Gate::Copy(a) => told |= self.narrow(a, &output, stepped)?,
                Gate::And(a, b) => {
                    for (one, other) in [(a, b), (b, a)] {
                        // An input that is 1 lets the other one through; one that is 0 makes the output 0.
                        let other = self.read(other, stepped);
                        let passed = self.functions.and(&other.high, &output.high)?;
                        let stopped = self.functions.and(&other.low, &output.low)?;
                        let possible = Rails {
                            high: self.functions.or(&passed, &stopped)?,
                            low: output.low.clone(),
                        };
                        told |= self.narrow(one, &possible, stepped)?;
                    }
                }
                Gate::Zero | Gate::Input | Gate::Register(_) => {}
            }
        }
        for &node in &cone.nodes {
            if matches!(self.netlist.gate(node), Gate::Copy(_) | Gate::And(..))
                && !self.weakened.contains_key(&node)
            {
                let alive = stepped.alive.clone();
                let value = self.gate(node, &alive, stepped)?;
                told |= self.narrow(Wire::of(node), &value, stepped)?;
            }
        }
        Ok(told)
    }

    /// The value of a wire in a step that is taken.
    pub(crate) fn value(
        &mut self,
        wire: Wire,
        stepped: &Stepped<F::Function>,
    ) -> Result<Rails<F::Function>, Stop> {
        let value = self.read(wire, stepped);
        Ok(Rails {
            high: self.functions.and(&value.high, &stepped.alive)?,
            low: self.functions.and(&value.low, &stepped.alive)?,
        })
    }

    /// The states after a step.
    pub(crate) fn after(&mut self, stepped: &Stepped<F::Function>) -> Result<State<F::Function>, Stop> {
        let next = self.cone.registers.iter().map(|&(_, next)| next);
        self.states(next.collect(), stepped)
    }

    /// The states before a step.
    pub(crate) fn before(&mut self, stepped: &Stepped<F::Function>) -> Result<State<F::Function>, Stop> {
        let now = self
            .cone
            .registers
            .iter()
            .map(|&(register, _)| Wire::of(register));
        self.states(now.collect(), stepped)
    }

    fn states(
        &mut self,
        wires: Vec<Wire>,
        stepped: &Stepped<F::Function>,
    ) -> Result<State<F::Function>, Stop> {
        let mut registers = Vec::with_capacity(wires.len());
        for wire in wires {
            registers.push(self.value(wire, stepped)?);
        }
        Ok(State {
            alive: stepped.alive.clone(),
            registers,
        })
    }

    /// Where a step is taken and a demanded value is the other one, and where it is X.
    pub(crate) fn disagreement(
        &mut self,
        drive: &Drive,
        stepped: &Stepped<F::Function>,
    ) -> Result<[F::Function; 2], Stop> {
        let allowed = self.said(drive)?;
        let value = self.value(Wire::of(drive.node), stepped)?;
        // Demanded is what is not left possible otherwise.
        let wrong_one = self
            .functions
            .and(&value.high, &self.functions.not(&allowed.high))?;
        let wrong_zero = self
            .functions
            .and(&value.low, &self.functions.not(&allowed.low))?;
        let wrong = self.functions.or(&wrong_one, &wrong_zero)?;
        let unknown = self.functions.and(&value.high, &value.low)?;
        let weak = self.functions.and(&wrong, &unknown)?;
        let conflict = self.functions.and(&wrong, &self.functions.not(&unknown))?;
        Ok([conflict, weak])
    }
}
