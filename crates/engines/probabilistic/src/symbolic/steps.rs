//! What can happen, as decision diagrams: one [`Step`] for each way in which components act, built command by command.
//!
//! The commands of a component with one action are put into *layers*, in each of which at most one command is enabled in a state; nearly always there is one layer.
//! A step is a layer of each component that takes part in a synchronisation, weights multiplied; or a layer of commands without an action. So in a
//! state each enabled step is one choice, and every choice is one enabled step. A step mentions the next values of the variables that it may change;
//! all others stay as they are, which is written nowhere: taking a step quantifies over the former only (Burch, Clarke and Long 1991).
//!
//! In Markov automata a step is either a choice at once or a delay; delays that are enabled together race, and are one choice.
//!
//! States in which something has no value, leaves its range, is negative or does not sum to 1 are noted as *suspects*: the reference interpreter explains the first
//! that can be reached.

use super::encoding::Encoding;
use super::functions::{Function, Functions};
use super::levels::{self, Levels, put};
use crate::check::Trouble;
use crate::numbers::Numbers;
use entail_dd::{Bdd, Substitution};
use entail_markov::{ActionId, Branch, Command, CommandKind, Network, Rational, interpreter};

/// A choice, wherever it is enabled; where delays race, one of them.
pub(super) struct Step {
    pub action: Option<ActionId>,
    /// Whether weights are rates, and the step is one delay among others.
    pub delayed: bool,
    /// The states in which it can happen.
    pub enabled: Bdd,
    /// Its probabilities (in chains: its share of them), or its rates, over pairs of states.
    pub rows: Levels,
    /// The sum of each row, over states.
    pub total: Levels,
    /// What its outcomes earn on the average, by reward structure and state.
    pub gains: Vec<Levels>,
    /// The pairs of states with a positive weight.
    pub relation: Bdd,
    /// Where something is wrong with it.
    pub suspects: Bdd,
    /// The variables that it may change, in increasing order.
    pub written: Vec<usize>,
    /// Their bits as cubes, and from the one to the other.
    pub now: Bdd,
    pub next: Bdd,
    to_now: Substitution,
    to_next: Substitution,
}

impl Step {
    /// Leaves the step only in some states.
    pub fn restrict(&mut self, states: &Bdd) -> entail_dd::Result<()> {
        self.enabled = self.enabled.and(states)?;
        self.suspects = self.suspects.and(states)?;
        self.relation = self.relation.and(states)?;
        self.rows = levels::within(&self.rows, states)?;
        self.total = levels::within(&self.total, states)?;
        for gains in &mut self.gains {
            *gains = levels::within(gains, states)?;
        }
        Ok(())
    }

    /// The steps that enter a set: its bits are those of the next state, where the step writes them.
    pub fn entered(&self, set: &Bdd) -> entail_dd::Result<Bdd> {
        set.substitute(&self.to_next)
    }

    /// Notes that a variable is written, too.
    pub fn also_writes(&mut self, encoding: &Encoding, variable: usize) -> Result<(), Trouble> {
        self.written.push(variable);
        self.written.sort_unstable();
        let (now, next) = encoding.bits_of(&self.written);
        self.to_now = encoding.renaming(&next, &now)?;
        self.to_next = encoding.renaming(&now, &next)?;
        self.now = encoding.manager.var_set(now)?;
        self.next = encoding.manager.var_set(next)?;
        Ok(())
    }

    /// The states after the step from states of a set.
    pub fn image(&self, set: &Bdd) -> entail_dd::Result<Bdd> {
        set.and_exists(&self.relation, &self.now)?
            .substitute(&self.to_now)
    }

    /// The states from which the step may lead into a set.
    pub fn may_reach(&self, set: &Bdd) -> entail_dd::Result<Bdd> {
        set.substitute(&self.to_next)?
            .and_exists(&self.relation, &self.next)
    }
}

/// All steps, with the states in which something is wrong.
pub(super) struct Steps {
    pub steps: Vec<Step>,
    pub suspects: Bdd,
}

/// Commands of one component at most one of which is enabled in a state; or several of these put together.
#[derive(Clone)]
struct Layer {
    enabled: Bdd,
    delayed: bool,
    rows: Levels,
    total: Levels,
    gains: Vec<Levels>,
    written: Vec<usize>,
    suspects: Bdd,
}

/// A command's guard, and where it has no value.
struct Guarded<'n> {
    command: &'n Command,
    guard: Bdd,
}

pub(super) struct Builder<'n, 'e> {
    network: &'n Network,
    encoding: &'e Encoding,
    functions: Functions<'n, 'e>,
    suspects: Bdd,
}

impl<'n, 'e> Builder<'n, 'e> {
    pub fn new(network: &'n Network, encoding: &'e Encoding) -> Builder<'n, 'e> {
        Builder {
            network,
            encoding,
            functions: Functions::new(network, encoding),
            suspects: encoding.manager.zero(),
        }
    }

    /// The steps of the network.
    pub fn steps(mut self, numbers: &mut Numbers) -> Result<Steps, Trouble> {
        let network = self.network;
        let mut steps = Vec::new();
        for component in 0..network.components.len() {
            for layer in self.layers(component, None, numbers)? {
                self.finish(layer, None, &mut steps)?;
            }
        }
        for synchronisation in &network.synchronisations {
            let one = Layer {
                enabled: self.encoding.valid.clone(),
                delayed: false,
                rows: [(Numbers::ONE, self.encoding.manager.one())].into(),
                total: [(Numbers::ONE, self.encoding.manager.one())].into(),
                gains: vec![Levels::new(); network.rewards.len()],
                written: Vec::new(),
                suspects: self.encoding.manager.zero(),
            };
            let mut joint = vec![one];
            for &(component, action) in &synchronisation.parts {
                let own = self.layers(component, Some(action), numbers)?;
                let mut longer = Vec::new();
                for so_far in &joint {
                    for layer in &own {
                        longer.extend(together(self.encoding, so_far, layer, numbers)?);
                    }
                }
                joint = longer;
            }
            for layer in joint {
                self.finish(layer, synchronisation.action, &mut steps)?;
            }
        }
        Ok(Steps {
            steps,
            suspects: self.suspects,
        })
    }

    /// The commands of a component with an action, in layers.
    fn layers(
        &mut self,
        component: usize,
        action: Option<ActionId>,
        numbers: &mut Numbers,
    ) -> Result<Vec<Layer>, Trouble> {
        let mut layers: Vec<(CommandKind, Bdd, Vec<Guarded<'n>>)> = Vec::new();
        let commands = &self.network.components[component].commands;
        for command in commands.iter().filter(|command| command.action == action) {
            let (guard, undefined) = self.functions.truth(&command.guard)?;
            self.suspects = self.suspects.or(&undefined)?;
            let guard = guard.and(&self.encoding.valid)?;
            if guard.is_false() {
                continue;
            }
            let mut place = layers.len();
            for (at, (kind, enabled, _)) in layers.iter().enumerate() {
                if *kind == command.kind && enabled.is_disjoint_from(&guard)? {
                    place = at;
                    break;
                }
            }
            if place == layers.len() {
                layers.push((command.kind, self.encoding.manager.zero(), Vec::new()));
            }
            let (_, enabled, own) = &mut layers[place];
            *enabled = enabled.or(&guard)?;
            own.push(Guarded { command, guard });
        }
        layers
            .into_iter()
            .map(|(kind, enabled, commands)| self.layer(kind, enabled, &commands, numbers))
            .collect()
    }

    fn layer(
        &mut self,
        kind: CommandKind,
        enabled: Bdd,
        commands: &[Guarded<'n>],
        numbers: &mut Numbers,
    ) -> Result<Layer, Trouble> {
        let branches = commands.iter().flat_map(|guarded| &guarded.command.branches);
        let assigned = branches.flat_map(|branch| &branch.assignments);
        let mut written: Vec<usize> = assigned.map(|(var, _)| var.index()).collect();
        written.sort_unstable();
        written.dedup();
        let mut layer = Layer {
            enabled,
            delayed: kind == CommandKind::Markovian,
            rows: Levels::new(),
            total: Levels::new(),
            gains: vec![Levels::new(); self.network.rewards.len()],
            written,
            suspects: self.encoding.manager.zero(),
        };
        for guarded in commands {
            self.command(guarded, &mut layer, numbers)?;
        }
        Ok(layer)
    }

    /// Adds a command to its layer.
    fn command(
        &mut self,
        guarded: &Guarded<'n>,
        layer: &mut Layer,
        numbers: &mut Numbers,
    ) -> Result<(), Trouble> {
        let manager = &self.encoding.manager;
        let (command, guard) = (guarded.command, &guarded.guard);
        let (mut rows, mut total) = (Levels::new(), Levels::new());
        let mut gains = vec![Levels::new(); self.network.rewards.len()];
        for branch in &command.branches {
            if branch.upper.is_some() {
                return Err(Trouble::Unsupported(
                    "intervals of probabilities are not supported by --engine symbolic".to_owned(),
                ));
            }
            let (weights, undefined) = self.functions.numbers(&branch.weight)?;
            layer.suspects = layer.suspects.or(&undefined.and(guard)?)?;
            let mut own = Levels::new();
            for (weight, set) in weights {
                let set = set.and(guard)?;
                if weight < Rational::ZERO {
                    layer.suspects = layer.suspects.or(&set)?;
                } else if !weight.is_zero() {
                    put(&mut own, numbers.intern(weight), set)?;
                }
            }
            let happens = levels::defined(manager, &own)?;
            for (structure, expr) in &branch.rewards {
                let (earned, undefined) = self.functions.numbers(expr)?;
                layer.suspects = layer.suspects.or(&undefined.and(guard)?)?;
                let mut levels = Levels::new();
                for (value, set) in earned {
                    if !value.is_zero() {
                        put(&mut levels, numbers.intern(value), set)?;
                    }
                }
                let weighted = levels::product(numbers, &own, &levels)?;
                gains[*structure] = levels::sum(manager, numbers, &gains[*structure], &weighted)?;
            }
            let moves = self.moves(branch, &happens, layer)?;
            rows = levels::sum(manager, numbers, &rows, &levels::within(&own, &moves)?)?;
            total = levels::sum(manager, numbers, &total, &own)?;
        }
        for (whole, own) in layer.gains.iter_mut().zip(&gains) {
            // Commands of a layer exclude each other.
            for (value, set) in levels::quotient(numbers, own, &total)? {
                put(whole, value, set)?;
            }
        }
        if command.kind == CommandKind::Probabilistic {
            let mut scaled = false;
            for (&sum, set) in &total {
                if sum != Numbers::ONE {
                    scaled = true;
                    if is_far_from_one(numbers.exact(sum)) {
                        layer.suspects = layer.suspects.or(set)?;
                    }
                }
            }
            // Without any weight the sum is zero.
            let without = guard.minus(&levels::defined(manager, &total)?)?;
            layer.suspects = layer.suspects.or(&without)?;
            if scaled {
                rows = levels::quotient(numbers, &rows, &total)?;
                total = levels::quotient(numbers, &total, &total.clone())?;
            }
        }
        for (value, set) in rows {
            put(&mut layer.rows, value, set)?;
        }
        for (value, set) in total {
            put(&mut layer.total, value, set)?;
        }
        Ok(())
    }

    /// The pairs of states that a branch's assignments make, where it happens.
    fn moves(&mut self, branch: &'n Branch, happens: &Bdd, layer: &mut Layer) -> Result<Bdd, Trouble> {
        let encoding = self.encoding;
        let mut moves = happens.clone();
        for &variable in &layer.written {
            let assigned = (branch.assignments.iter()).rfind(|(var, _)| var.index() == variable);
            let Some((_, expr)) = assigned else {
                moves = moves.and(&encoding.stays(variable)?)?;
                continue;
            };
            let meaning = self.functions.meaning(expr)?;
            layer.suspects = layer.suspects.or(&meaning.undefined.and(happens)?)?;
            let change = match meaning.function {
                Function::Truth(set) => {
                    let next = encoding
                        .manager
                        .var(encoding.variables[variable].next.bits()[0])?;
                    next.iff(&set)?
                }
                Function::Numbers(cases) => {
                    let mut change = encoding.manager.zero();
                    for (value, set) in cases {
                        let next = match value.stored() {
                            Some(value) => encoding.becomes(variable, value)?,
                            None => None,
                        };
                        match next {
                            Some(next) => change = change.or(&next.and(&set)?)?,
                            None => layer.suspects = layer.suspects.or(&set.and(happens)?)?,
                        }
                    }
                    change
                }
            };
            moves = moves.and(&change)?;
        }
        Ok(moves)
    }

    fn finish(
        &mut self,
        layer: Layer,
        action: Option<ActionId>,
        steps: &mut Vec<Step>,
    ) -> Result<(), Trouble> {
        let encoding = self.encoding;
        if layer.enabled.is_false() {
            return Ok(());
        }
        let (now, next) = encoding.bits_of(&layer.written);
        steps.push(Step {
            action,
            delayed: layer.delayed,
            suspects: layer.suspects.and(&layer.enabled)?,
            relation: levels::defined(&encoding.manager, &layer.rows)?,
            enabled: layer.enabled,
            rows: layer.rows,
            total: layer.total,
            gains: layer.gains,
            written: layer.written,
            to_now: encoding.renaming(&next, &now)?,
            to_next: encoding.renaming(&now, &next)?,
            now: encoding.manager.var_set(now)?,
            next: encoding.manager.var_set(next)?,
        });
        Ok(())
    }

    /// A step that stays where it is, from some states; in continuous time after a delay.
    pub fn staying(encoding: &Encoding, states: Bdd, delayed: bool) -> Result<Step, Trouble> {
        let levels: Levels = [(Numbers::ONE, states.clone())].into();
        Ok(Step {
            action: None,
            delayed,
            suspects: encoding.manager.zero(),
            enabled: states.clone(),
            rows: levels.clone(),
            total: levels,
            gains: Vec::new(),
            relation: states,
            written: Vec::new(),
            now: encoding.manager.one(),
            next: encoding.manager.one(),
            to_now: encoding.renaming(&[], &[])?,
            to_next: encoding.renaming(&[], &[])?,
        })
    }
}

fn is_far_from_one(sum: &Rational) -> bool {
    let off = match *sum < Rational::ONE {
        true => Rational::ONE - sum,
        false => sum - Rational::ONE,
    };
    off > interpreter::sum_tolerance()
}

/// Two layers of different components at once; nothing if they are never enabled together.
fn together(
    encoding: &Encoding,
    left: &Layer,
    right: &Layer,
    numbers: &mut Numbers,
) -> Result<Option<Layer>, Trouble> {
    let enabled = left.enabled.and(&right.enabled)?;
    if enabled.is_false() {
        return Ok(None);
    }
    if left
        .written
        .iter()
        .any(|variable| right.written.contains(variable))
    {
        return Err(Trouble::Unsupported(
            "components that change the same variable together are not supported by --engine symbolic"
                .to_owned(),
        ));
    }
    let mut written: Vec<usize> = left.written.iter().chain(&right.written).copied().collect();
    written.sort_unstable();
    let mut gains = Vec::with_capacity(left.gains.len());
    for (left, right) in left.gains.iter().zip(&right.gains) {
        let (left, right) = (levels::within(left, &enabled)?, levels::within(right, &enabled)?);
        gains.push(levels::sum(&encoding.manager, numbers, &left, &right)?);
    }
    Ok(Some(Layer {
        enabled,
        delayed: left.delayed || right.delayed,
        rows: levels::product(numbers, &left.rows, &right.rows)?,
        total: levels::product(numbers, &left.total, &right.total)?,
        gains,
        written,
        suspects: left.suspects.or(&right.suspects)?,
    }))
}
