//! Random networks of components that synchronise.

use entail_markov::{
    ActionId, BinaryOp, Branch, Command, CommandKind, Component, DeadEnds, Domain, Expr, Initial, Kind,
    Network, Rational, RewardStructure, StateReward, Synchronisation, TransitionReward, VarId, Variable,
};
use entail_source::Span;
use rand::Rng;
use rand::rngs::StdRng;

const NOWHERE: Span = Span { start: 0, end: 0 };

/// A random network: components with a number and perhaps a truth value each, alone and together.
pub struct Maker<'r> {
    pub random: &'r mut StdRng,
    pub kind: Kind,
    pub variables: Vec<Variable>,
    /// Whether updates may leave their ranges.
    pub careless: bool,
}

impl Maker<'_> {
    fn number(&mut self) -> (VarId, i64, i64) {
        let numbers: Vec<usize> = (0..self.variables.len())
            .filter(|&at| self.variables[at].domain != Domain::Bool)
            .collect();
        let at = numbers[self.random.random_range(0..numbers.len())];
        let Domain::Range(low, high) = self.variables[at].domain else {
            panic!("a range")
        };
        (VarId(at as u32), low, high)
    }

    /// A set of states.
    pub fn condition(&mut self) -> Expr {
        let truths: Vec<u32> = (0..self.variables.len() as u32)
            .filter(|&at| self.variables[at as usize].domain == Domain::Bool)
            .collect();
        match self.random.random_range(0..6) {
            0 if !truths.is_empty() => Expr::Var(VarId(truths[self.random.random_range(0..truths.len())])),
            1 => self.condition().negated(),
            2 => self.condition().and(self.condition()),
            3 => self.condition().or(self.condition()),
            4 => {
                let ((a, ..), (b, ..)) = (self.number(), self.number());
                Expr::binary(BinaryOp::Le, Expr::Var(a), Expr::Var(b))
            }
            _ => {
                let (var, low, high) = self.number();
                let op =
                    [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Ge][self.random.random_range(0..4)];
                Expr::binary(
                    op,
                    Expr::Var(var),
                    Expr::from(self.random.random_range(low..=high)),
                )
            }
        }
    }

    /// A value for a variable.
    fn update(&mut self, var: VarId) -> Expr {
        let Domain::Range(low, high) = self.variables[var.index()].domain else {
            return self.condition();
        };
        let plus = |left: Expr, right: Expr| Expr::binary(BinaryOp::Add, left, right);
        let bound = |expr: Expr| {
            let below = Expr::binary(BinaryOp::Min, expr, Expr::from(high));
            Expr::binary(BinaryOp::Max, below, Expr::from(low))
        };
        let free = match self.random.random_range(0..4) {
            0 => return Expr::from(self.random.random_range(low..=high)),
            1 => plus(Expr::Var(var), Expr::from(1)),
            2 => {
                let (other, ..) = self.number();
                plus(Expr::Var(var), Expr::Var(other))
            }
            _ => {
                let condition = self.condition();
                Expr::choose(condition, Expr::from(low), plus(Expr::Var(var), Expr::from(-1)))
            }
        };
        if self.careless && self.random.random_bool(0.1) {
            free
        } else {
            bound(free)
        }
    }

    fn command(&mut self, action: Option<ActionId>, own: &[VarId]) -> Command {
        let count = self.random.random_range(1..4usize);
        let parts: Vec<i64> = (0..count).map(|_| self.random.random_range(1..5)).collect();
        let sum: i64 = parts.iter().sum();
        let ratio = |a: i64, b: i64| Rational::from(a) / Rational::from(b);
        // Weights that depend on the state: the first two change places.
        let condition = (count > 1 && self.random.random_bool(0.3)).then(|| self.condition());
        let delayed = match self.kind {
            Kind::Ctmc => true,
            Kind::Ma => self.random.random_bool(0.6),
            Kind::Dtmc | Kind::Mdp => false,
        };
        let mut branches = Vec::new();
        for (at, &part) in parts.iter().enumerate() {
            let whole = if delayed { 3 } else { sum };
            let plain = Expr::from(ratio(part, whole));
            let weight = match (&condition, at) {
                (Some(condition), 0 | 1) => {
                    Expr::choose(condition.clone(), plain, Expr::from(ratio(parts[1 - at], whole)))
                }
                _ => plain,
            };
            let assignments =
                (own.iter().filter(|_| self.random.random_bool(0.7)).copied()).collect::<Vec<_>>();
            branches.push(Branch {
                weight,
                upper: None,
                assignments: assignments
                    .into_iter()
                    .map(|var| (var, self.update(var)))
                    .collect(),
                rewards: match self.random.random_bool(0.3) {
                    true => vec![(0, Expr::from(self.random.random_range(0..4i64)))],
                    false => Vec::new(),
                },
                place: NOWHERE,
            });
        }
        Command {
            action,
            kind: match delayed {
                true => CommandKind::Markovian,
                false => CommandKind::Probabilistic,
            },
            guard: self.condition(),
            branches,
            place: NOWHERE,
        }
    }
}

/// A network of some components.
pub fn random_network(random: &mut StdRng, kind: Kind, careless: bool) -> Network {
    let (mut variables, mut owned) = (Vec::new(), Vec::new());
    for component in 0..random.random_range(1..4usize) {
        let low = random.random_range(-1..2i64);
        let mut own = vec![VarId(variables.len() as u32)];
        variables.push(Variable {
            name: format!("x{component}"),
            domain: Domain::Range(low, low + random.random_range(0..4)),
            hidden: false,
        });
        if random.random_bool(0.4) {
            own.push(VarId(variables.len() as u32));
            variables.push(Variable {
                name: format!("b{component}"),
                domain: Domain::Bool,
                hidden: false,
            });
        }
        owned.push(own);
    }
    let mut maker = Maker {
        random,
        kind,
        variables,
        careless,
    };
    let actions = 2u32;
    let mut components = Vec::new();
    for (at, own) in owned.iter().enumerate() {
        let mut commands = Vec::new();
        for _ in 0..maker.random.random_range(1..4) {
            let action = maker.random.random_range(0..=actions);
            let action = (action < actions).then_some(ActionId(action));
            commands.push(maker.command(action, own));
        }
        components.push(Component {
            name: format!("c{at}"),
            commands,
        });
    }
    let synchronisations = (0..actions).filter_map(|action| {
        let uses = |component: &Component| {
            (component.commands.iter()).any(|command| command.action == Some(ActionId(action)))
        };
        let parts: Vec<(usize, ActionId)> = (0..components.len())
            .filter(|&at| uses(&components[at]))
            .map(|at| (at, ActionId(action)))
            .collect();
        (!parts.is_empty()).then_some(Synchronisation {
            parts,
            action: Some(ActionId(action)),
        })
    });
    let synchronisations = synchronisations.collect();
    let reward = |maker: &mut Maker<'_>| Expr::from(maker.random.random_range(0..3i64));
    let states = (0..2).map(|_| StateReward {
        guard: maker.condition(),
        value: reward(&mut maker),
        place: NOWHERE,
    });
    let states = states.collect();
    let transitions = [None, Some(ActionId(0))].map(|action| TransitionReward {
        action,
        guard: maker.condition(),
        value: reward(&mut maker),
        place: NOWHERE,
    });
    let initial = match maker.random.random_bool(0.3) {
        true => Initial::Predicate(maker.condition(), NOWHERE),
        false => Initial::Values(
            (maker.variables.iter())
                .map(|variable| match variable.domain {
                    Domain::Range(low, _) => low,
                    _ => 0,
                })
                .collect(),
        ),
    };
    Network {
        kind,
        variables: maker.variables,
        components,
        actions: vec!["a".to_owned(), "b".to_owned()],
        synchronisations,
        initial,
        labels: Vec::new(),
        rewards: vec![RewardStructure {
            name: None,
            states,
            transitions: transitions.to_vec(),
            on_branches: true,
        }],
        dead_ends: DeadEnds::Stay,
    }
}
