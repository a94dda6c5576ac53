//! Parameter lifting (Quatmann, Dehnert, Jansen, Junges and Katoen 2016): one model that is at least as bad as a parametric model at every point of a box.
//!
//! If weights and rewards are multi-affine in the parameters, what a state does at a point of a box is a mixture of what it does at the corners: of the
//! unscaled weights with the same shares for all outcomes, hence also of the probabilities, which are the weights divided by their sum. So a
//! decision process in which every state chooses a corner by itself bounds the values at all points, from above and from below. It is made here from the
//! models at the corners, which must have the same states and transitions (the box is *graph preserving*). Steps that take time become steps of
//! a discrete model: what is asked must not mention time.
//!
//! Whether a model is multi-affine is seen from its commands: degrees are added where commands synchronise. Cost: one exploration for each corner.

use crate::check::{Quotients, Settings, Trouble, Workshop};
use crate::generate::Extent;
use crate::graph::Predecessors;
use crate::numbers::Num;
use crate::sparse::{NONE, Sparse};
use entail_budget::{Budget, Silent};
use entail_markov::parametric::{Parametric, corners};
use entail_markov::{
    ActionId, BinaryOp, Command, CommandKind, Expr, Kind, Network, Optimum, Path, Property, Query, Rational,
    RewardKind, UnaryOp,
};
use std::borrow::Cow;

/// The property of the decision process that implies the asked one of all points of a box: about all schedulers and all corners.
fn lifted_property(model: &Parametric, property: &Property) -> Result<Property, Trouble> {
    let kind = model.network().kind;
    let refuse = |what: &str| Err(Trouble::Unsupported(what.to_owned()));
    let (optimum, query) = match property {
        Property::Probability { optimum, query, .. } | Property::Reward { optimum, query, .. } => {
            (*optimum, query)
        }
        _ => return refuse("regions are judged for one P or R with a bound"),
    };
    let Query::Compare(threshold) = query else {
        return refuse(
            "a region is judged by a bound, such as P<=0.05 [ F a ]: functions are found by --parametric",
        );
    };
    let worst = match threshold.comparison.is_upper() {
        true => Optimum::Max,
        false => Optimum::Min,
    };
    if kind.has_choices() && optimum.is_some_and(|optimum| optimum != worst) {
        return refuse("the scheduler against the parameters is a game, which is not supported");
    }
    let mut lifted = property.clone();
    match &mut lifted {
        Property::Probability { optimum, path, .. } => {
            is_plain(model, path)?;
            *optimum = Some(worst);
        }
        Property::Reward {
            optimum, kind: of, ..
        } => {
            match of {
                RewardKind::Reach(Path::Finally(goal, None)) => is_plain(model, goal)?,
                _ => return refuse("of rewards, those until a set of states (F) are judged over regions"),
            }
            *optimum = Some(worst);
        }
        _ => {}
    }
    Ok(lifted)
}

/// Refuses what does not mean the same about the decision process: inner operators, and bounds on time or on rewards.
fn is_plain(model: &Parametric, path: &Path) -> Result<(), Trouble> {
    let refuse = |what: &str| Err(Trouble::Unsupported(what.to_owned()));
    let bounded = match path {
        Path::Until(.., bounds) | Path::WeakUntil(.., bounds) | Path::Release(.., bounds) => bounds,
        Path::Finally(_, bounds) | Path::Globally(_, bounds) => bounds,
        _ => &None,
    };
    if let Some(bounds) = bounded {
        if model.network().kind.is_timed() {
            return refuse("bounds on time are not judged over regions");
        }
        if !bounds.is_time() {
            return refuse("bounds on rewards are not judged over regions");
        }
    }
    match path {
        Path::State(states) => match &**states {
            Property::Expr(expr) if model.mentions(expr).is_some() => {
                refuse("a parameter stands in the property")
            }
            Property::Expr(_) | Property::Init | Property::Deadlock => Ok(()),
            _ => refuse("inner operators are not judged over regions"),
        },
        Path::Not(a) | Path::Next(a) | Path::Finally(a, _) | Path::Globally(a, _) => is_plain(model, a),
        Path::And(a, b) | Path::Or(a, b) | Path::Implies(a, b) | Path::Iff(a, b) => {
            is_plain(model, a)?;
            is_plain(model, b)
        }
        Path::Until(a, b, _) | Path::WeakUntil(a, b, _) | Path::Release(a, b, _) => {
            is_plain(model, a)?;
            is_plain(model, b)
        }
    }
}

/// Degrees in the parameters, seen from the shape of expressions.
type Degrees = Vec<u32>;

fn larger(mut a: Degrees, b: &Degrees) -> Degrees {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = (*a).max(*b));
    a
}

fn added(mut a: Degrees, b: &Degrees) -> Degrees {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = a.saturating_add(*b));
    a
}

/// The degrees of an expression; nothing if it is no polynomial by its shape.
fn degrees(model: &Parametric, expr: &Expr) -> Option<Degrees> {
    if model.mentions(expr).is_none() {
        return Some(vec![0; model.parameters()]);
    }
    match expr {
        Expr::Value(_) => None,
        Expr::Var(variable) => {
            let mut found = vec![0; model.parameters()];
            found[model.parameter(*variable)?] = 1;
            Some(found)
        }
        Expr::Unary(UnaryOp::Neg, operand) => degrees(model, operand),
        Expr::Unary(..) => None,
        Expr::Binary(op, left, right) => {
            let (a, b) = (degrees(model, left)?, degrees(model, right)?);
            match op {
                BinaryOp::Add | BinaryOp::Sub => Some(larger(a, &b)),
                BinaryOp::Mul => Some(added(a, &b)),
                BinaryOp::Div if model.mentions(right).is_none() => Some(a),
                _ => None,
            }
        }
        Expr::If(condition, yes, no) => match model.mentions(condition) {
            None => Some(larger(degrees(model, yes)?, &degrees(model, no)?)),
            Some(_) => None,
        },
    }
}

fn not_affine(model: &Parametric, degrees: &Option<Degrees>, what: &str) -> Result<(), Trouble> {
    let message = match degrees {
        Some(degrees) => match degrees.iter().position(|&degree| degree > 1) {
            None => return Ok(()),
            Some(parameter) => {
                format!(
                    "{what} are not affine in {}: regions need that",
                    model.name(parameter)
                )
            }
        },
        None => format!("{what} are no polynomials of the parameters: regions need that"),
    };
    Err(Trouble::Unsupported(message))
}

/// A parametric model whose weights and rewards are multi-affine.
pub struct Lifting<'m> {
    model: &'m Parametric,
    property: Property,
    /// The structure that the property is about.
    structure: Option<usize>,
    limit: usize,
}

impl<'m> Lifting<'m> {
    /// The lifting of a model for a property; `limit` is the greatest number of states.
    pub fn new(model: &'m Parametric, asked: &Property, limit: usize) -> Result<Lifting<'m>, Trouble> {
        let property = lifted_property(model, asked.of_all_initial_states())?;
        let structure = match &property {
            Property::Reward { structure, .. } => Some(*structure),
            _ => None,
        };
        let lifting = Lifting {
            model,
            property,
            structure,
            limit,
        };
        lifting.is_multi_affine()?;
        Ok(lifting)
    }

    fn is_multi_affine(&self) -> Result<(), Trouble> {
        let (model, network) = (self.model, self.model.network());
        let nothing = || vec![0; model.parameters()];
        let of_command = |command: &Command| {
            let mut branches = command.branches.iter();
            branches.try_fold(nothing(), |all, branch| {
                let weight = degrees(model, &branch.weight)?;
                let earned = branch.rewards.iter().try_fold(nothing(), |all, (_, value)| {
                    Some(larger(all, &degrees(model, value)?))
                })?;
                Some(larger(all, &added(weight, &earned)))
            })
        };
        let of_action = |component: usize, action: Option<ActionId>| {
            let commands = &network.components[component].commands;
            let mut own = commands.iter().filter(|command| command.action == action);
            own.try_fold(nothing(), |all, command| Some(larger(all, &of_command(command)?)))
        };
        // What is earned on a step stands beside its weight.
        let earned = |action: Option<ActionId>| {
            let Some(structure) = self.structure else {
                return Some(nothing());
            };
            let steps = &network.rewards[structure].transitions;
            let mut own = steps.iter().filter(|reward| reward.action == action);
            own.try_fold(nothing(), |all, reward| {
                Some(larger(all, &degrees(model, &reward.value)?))
            })
        };
        let what = "weights (with what is earned on steps)";
        for component in 0..network.components.len() {
            let found = of_action(component, None)
                .zip(earned(None))
                .map(|(a, b)| added(a, &b));
            not_affine(model, &found, what)?;
        }
        for synchronisation in &network.synchronisations {
            let mut parts = synchronisation.parts.iter();
            let joint = parts.try_fold(nothing(), |all, (component, action)| {
                Some(added(all, &of_action(*component, Some(*action))?))
            });
            let found = joint
                .zip(earned(synchronisation.action))
                .map(|(a, b)| added(a, &b));
            not_affine(model, &found, what)?;
        }
        for reward in self
            .structure
            .iter()
            .flat_map(|&structure| &network.rewards[structure].states)
        {
            not_affine(model, &degrees(model, &reward.value), "rewards")?;
        }
        Ok(())
    }

    /// The property that the decision process is asked.
    pub fn property(&self) -> &Property {
        &self.property
    }

    /// The decision process of a box.
    pub fn of_box(
        &self,
        low: &[Rational],
        high: &[Rational],
        settings: Settings,
        budget: &Budget,
    ) -> Result<Workshop<'static>, Trouble> {
        let settings = Settings {
            quotients: Quotients::Never,
            ..settings
        };
        let corners = corners(low, high);
        let mut models = Vec::with_capacity(corners.len());
        for corner in &corners {
            budget.check()?;
            let network = self.model.at(corner);
            let mut workshop = Workshop::new(network, settings, Extent::from(self.limit), budget, &Silent)
                .map_err(|trouble| self.at_corner(trouble, corner))?;
            let rewards = match self.structure {
                Some(structure) => Some(workshop.choice_rewards(structure, budget)?),
                None => None,
            };
            models.push((workshop, rewards));
        }
        for (other, _) in &models[1..] {
            if !same_graph(&models[0].0.model, &other.model) {
                let message =
                    "the region is not graph preserving: at some corner a transition has the probability 0";
                return Err(Trouble::Unsupported(message.to_owned()));
            }
        }
        self.sums_are_one(&corners, &models[0].0, budget)?;
        Ok(self.merged(models, settings))
    }

    fn at_corner(&self, trouble: Trouble, corner: &[Rational]) -> Trouble {
        match trouble {
            Trouble::Model(mut error) => {
                error.message = format!("{} at {}", error.message, shown(self.model, corner));
                Trouble::Model(error)
            }
            other => other,
        }
    }

    /// Probabilities that depend on parameters must sum to 1 exactly: what is off would be scaled, and scaling is not affine.
    fn sums_are_one(
        &self,
        corners: &[Vec<Rational>],
        first: &Workshop<'_>,
        budget: &Budget,
    ) -> Result<(), Trouble> {
        let networks: Vec<Network> = corners.iter().map(|corner| self.model.at(corner)).collect();
        let mut state = Vec::new();
        for (at, component) in self.model.network().components.iter().enumerate() {
            for (position, command) in component.commands.iter().enumerate() {
                let mut weights = command.branches.iter().map(|branch| &branch.weight);
                let open = weights.any(|weight| self.model.mentions(weight).is_some());
                if !open || command.kind != CommandKind::Probabilistic {
                    continue;
                }
                if self.model.network().kind == Kind::Ctmc {
                    continue;
                }
                for number in 0..first.model.states() {
                    budget.check()?;
                    first.model.store.read(number, &mut state);
                    if networks[0].holds(&command.guard, &state) != Ok(true) {
                        continue;
                    }
                    for network in &networks {
                        let branches = &network.components[at].commands[position].branches;
                        let sum = branches.iter().try_fold(Rational::ZERO, |sum, branch| {
                            Some(sum + network.eval(&branch.weight, &state).ok()?.number()?)
                        });
                        if sum != Some(Rational::ONE) {
                            let message = "probabilities with parameters do not sum to 1 exactly";
                            return Err(Trouble::Unsupported(message.to_owned()));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The models of the corners as one, in which every state chooses.
    fn merged(&self, models: Vec<(Workshop<'_>, Option<Vec<Num>>)>, settings: Settings) -> Workshop<'static> {
        let first = &models[0].0.model;
        let mut numbers = first.numbers.clone();
        let named: Vec<Vec<Num>> = (models.iter())
            .map(|(workshop, _)| {
                let own = &workshop.model.numbers;
                let all = 0..own.len() as u32;
                all.map(|number| numbers.intern(own.exact(Num(number)).clone()))
                    .collect()
            })
            .collect();
        let name = |model: usize, number: Num| named[model][number.0 as usize];
        let (mut choices, mut rows) = (vec![0], vec![0]);
        let (mut targets, mut values) = (Vec::new(), Vec::new());
        let mut earned = Vec::new();
        for state in 0..first.states() {
            for choice in first.choices_of(state) {
                let mut seen: Vec<(Vec<Num>, Option<Num>)> = Vec::new();
                for (at, (workshop, rewards)) in models.iter().enumerate() {
                    let own = &workshop.model.values[workshop.model.row(choice)];
                    let row = own.iter().map(|&value| name(at, value)).collect();
                    let reward = rewards.as_ref().map(|rewards| name(at, rewards[choice]));
                    if !seen.contains(&(row, reward)) {
                        let row = own.iter().map(|&value| name(at, value)).collect();
                        seen.push((row, reward));
                    }
                }
                for (row, reward) in seen {
                    targets.extend_from_slice(first.targets_of(choice));
                    values.extend(row);
                    rows.push(targets.len() as u32);
                    earned.extend(reward);
                }
            }
            choices.push((rows.len() - 1) as u32);
        }
        let structures = self.model.network().rewards.len();
        let model = Sparse {
            kind: Kind::Mdp,
            actions: vec![NONE; rows.len() - 1],
            choices,
            rows,
            targets,
            values,
            uppers: Vec::new(),
            rates: Vec::new(),
            initial: first.initial.clone(),
            deadlocks: first.deadlocks.clone(),
            unexplored: first.unexplored.clone(),
            step_rewards: vec![Vec::new(); structures],
            mixed_rewards: first.mixed_rewards.clone(),
            numbers,
            store: first.store.clone(),
        };
        let before = Predecessors::by_threads(&model, 1);
        let mut network = models[0].0.network.as_ref().clone();
        network.kind = Kind::Mdp;
        let mut workshop = Workshop::assembled(Cow::Owned(network), before, model, settings);
        if let Some(structure) = self.structure {
            workshop.rewards[structure] = Some(earned);
        }
        workshop
    }
}

/// A point for people.
fn shown(model: &Parametric, point: &[Rational]) -> String {
    let parts = (point.iter().enumerate()).map(|(at, value)| format!("{}={value}", model.name(at)));
    parts.collect::<Vec<_>>().join(", ")
}

/// Whether two models have the same states, choices and transitions.
fn same_graph(a: &Sparse, b: &Sparse) -> bool {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    a.choices == b.choices
        && a.rows == b.rows
        && a.targets == b.targets
        && a.initial == b.initial
        && a.deadlocks == b.deadlocks
        && (0..a.states()).all(|state| {
            a.store.read(state, &mut left);
            b.store.read(state, &mut right);
            left == right
        })
}
