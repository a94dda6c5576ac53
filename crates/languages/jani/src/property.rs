//! The properties inside a model.

use crate::json::{Json, Node, Read};
use crate::model::Lowered;
use crate::scope::Local;
use entail_markov::digital_clocks::earned_by_time;
use entail_markov::{
    Aggregate, BinaryOp, BoundedBy, Bounds, Expr, Limit, Optimum, Path, Property, Query, RewardKind,
    RewardStructure, Sort, StateReward, TransitionReward, UnaryOp, Value,
};
use entail_source::Diagnostic;

impl Lowered<'_> {
    /// Lowers a property; reward structures that it needs are added to the network.
    pub fn property(&mut self, json: &Json) -> Read<Property> {
        stacker::maybe_grow(64 << 10, 4 << 20, || self.lower_property(json))
    }

    fn lower_property(&mut self, json: &Json) -> Read<Property> {
        let op = match json.get("op") {
            Some(op) => op.text()?.to_owned(),
            None => return self.scope.expr(json, &Local::new()).map(Property::Expr),
        };
        // Values with parts are equal or not as expressions only.
        if matches!(op.as_str(), "=" | "≠")
            && let Ok(expr) = self.scope.expr(json, &Local::new())
        {
            return Ok(Property::Expr(expr));
        }
        let binary = match op.as_str() {
            "∧" => Some(BinaryOp::And),
            "∨" => Some(BinaryOp::Or),
            "⇒" => Some(BinaryOp::Implies),
            "=" => Some(BinaryOp::Eq),
            "≠" => Some(BinaryOp::Ne),
            "<" => Some(BinaryOp::Lt),
            "≤" => Some(BinaryOp::Le),
            ">" => Some(BinaryOp::Gt),
            "≥" => Some(BinaryOp::Ge),
            "+" => Some(BinaryOp::Add),
            "-" if json.get("left").is_some() => Some(BinaryOp::Sub),
            "*" => Some(BinaryOp::Mul),
            "/" => Some(BinaryOp::Div),
            _ => None,
        };
        if let Some(op) = binary {
            let (left, right) = (
                self.property(json.need("left")?)?,
                self.property(json.need("right")?)?,
            );
            return Ok(Property::binary(op, left, right));
        }
        let optimum = if op.ends_with("min") {
            Optimum::Min
        } else {
            Optimum::Max
        };
        match op.as_str() {
            "¬" => {
                let inner = self.property(json.need("exp")?)?;
                Ok(Property::unary(UnaryOp::Not, inner))
            }
            "initial" => Ok(Property::Init),
            "deadlock" => Ok(Property::Deadlock),
            "filter" => {
                let states = self.property(json.need("states")?)?;
                let property = self.property(json.need("values")?)?;
                let fun = json.need("fun")?;
                let aggregate = match fun.text()? {
                    "values" if states == Property::Init => return Ok(property),
                    "values" => Aggregate::Print,
                    "min" => Aggregate::Min,
                    "max" => Aggregate::Max,
                    "sum" => Aggregate::Sum,
                    "avg" => Aggregate::Avg,
                    "count" => Aggregate::Count,
                    "∀" => Aggregate::ForAll,
                    "∃" => Aggregate::Exists,
                    "argmin" => Aggregate::ArgMin,
                    "argmax" => Aggregate::ArgMax,
                    _ => return Err(fun.wrong("a filter function")),
                };
                Ok(Property::Filter {
                    aggregate,
                    property: Box::new(property),
                    states: Box::new(states),
                })
            }
            "Pmin" | "Pmax" => Ok(Property::Probability {
                optimum: Some(optimum),
                query: Query::Value,
                path: self.path(json.need("exp")?)?,
            }),
            "Smin" | "Smax" => {
                let exp = json.need("exp")?;
                if exp.get("accumulate").is_some() || json.get("accumulate").is_some() {
                    let structure = self.structure(exp, json.elements("accumulate")?)?;
                    return Ok(Property::Reward {
                        optimum: Some(optimum),
                        query: Query::Value,
                        structure,
                        kind: RewardKind::LongRun,
                    });
                }
                let states = self.property(exp)?;
                if let Property::Expr(expr) = &states
                    && self.network.sort(expr) != Ok(Sort::Bool)
                {
                    let structure = self.structure(exp, &[])?;
                    // What edges assign is earned on them, as in PRISM's long-run rewards.
                    if self.edges_change(exp) {
                        let mut rewards = std::mem::take(&mut self.network.rewards[structure]);
                        self.edge_rewards(exp, structure, &mut rewards)?;
                        self.network.rewards[structure] = rewards;
                    }
                    return Ok(Property::Reward {
                        optimum: Some(optimum),
                        query: Query::Value,
                        structure,
                        kind: RewardKind::LongRun,
                    });
                }
                Ok(Property::SteadyState {
                    optimum: Some(optimum),
                    query: Query::Value,
                    states: Box::new(states),
                })
            }
            "Emin" | "Emax" => self.expected(json, optimum),
            "∀" | "∃" => {
                let path = self.path(json.need("exp")?)?;
                Ok(if op == "∀" {
                    Property::ForAll(path)
                } else {
                    Property::Exists(path)
                })
            }
            _ => self.scope.expr(json, &Local::new()).map(Property::Expr),
        }
    }

    fn number(&self, json: &Json) -> Read<entail_markov::Rational> {
        let value = self.scope.constant(json, &Local::new())?;
        value.number().ok_or_else(|| json.wrong("a number"))
    }

    fn expected(&mut self, json: &Json, optimum: Optimum) -> Read<Property> {
        let accumulate = json.elements("accumulate")?;
        let exp = json.need("exp")?;
        if json.get("reward-instants").is_some() {
            return Err(json.refused("reward instants are"));
        }
        let instant = json.get("time-instant").or_else(|| json.get("step-instant"));
        let timed = self.network.kind.is_timed();
        if let Some(instant) = instant
            && json.get("time-instant").is_some() != timed
        {
            return Err(instant.refused("instants of time in discrete models and of steps in timed ones are"));
        }
        let kind = match (json.get("reach"), instant) {
            (Some(_), None) if accumulate.is_empty() => {
                return Err(json.refused("expected values at the moment when a set of states is reached are"));
            }
            (Some(goal), None) => {
                let goal = self.property(goal)?;
                RewardKind::Reach(Path::Finally(Box::new(Path::State(Box::new(goal))), None))
            }
            (None, Some(instant)) => {
                let time = self.number(instant)?;
                match accumulate.is_empty() {
                    true => RewardKind::Instant(time),
                    false => RewardKind::Cumulative(time),
                }
            }
            (None, None) if !accumulate.is_empty() => RewardKind::Total,
            _ => return Err(json.refused("this combination of \"reach\" and instants is")),
        };
        let structure = self.structure(exp, accumulate)?;
        Ok(Property::Reward {
            optimum: Some(optimum),
            query: Query::Value,
            structure,
            kind,
        })
    }

    /// The reward structure of an expression: what it is worth in states (with time, or on leaving them), and what edges assign.
    fn structure(&mut self, exp: &Json, accumulate: &[Json]) -> Read<usize> {
        let mut ways = Vec::new();
        for way in accumulate {
            ways.push(way.text()?);
        }
        let timed = self.network.kind.is_timed() || self.timed;
        let in_states = accumulate.is_empty() || ways.contains(&if timed { "time" } else { "exit" });
        let on_edges = ways.contains(&"steps");
        if !timed && ways.contains(&"time") {
            return Err(exp.refused("rewards for time in a discrete model are"));
        }
        let index = self.network.rewards.len();
        let mut structure = RewardStructure::default();
        let value = self.scope.expr_of(exp, &Local::new(), Sort::Real)?;
        if in_states {
            structure.states.push(StateReward {
                guard: Expr::truth(),
                value: value.clone(),
                place: exp.head(),
            });
        }
        if on_edges {
            self.edge_rewards(exp, index, &mut structure)?;
        }
        // In discrete time what a state is worth is earned when it is left anyway.
        if timed && ways.contains(&"exit") {
            self.on_every_step(&value, exp, &mut structure);
        }
        if self.timed {
            earned_by_time(&mut structure, self.passing_time()?);
        }
        self.network.rewards.push(structure);
        Ok(index)
    }

    /// The step by which time passes.
    fn passing_time(&self) -> Read<entail_markov::ActionId> {
        // Digital clocks added it last.
        Ok(entail_markov::ActionId(
            self.network.actions.len().saturating_sub(1) as u32,
        ))
    }

    /// Whether some edge gives an expression another value than it has without.
    fn edges_change(&self, exp: &Json) -> bool {
        let plain = self.scope.expr(exp, &self.defaults).ok();
        self.assigned.iter().any(|assigned| {
            let mut local = self.defaults.clone();
            for (name, value) in &assigned.values {
                local.insert(name.clone(), value.clone());
            }
            self.scope.expr(exp, &local).ok() != plain
        })
    }

    fn edge_rewards(&mut self, exp: &Json, index: usize, structure: &mut RewardStructure) -> Read<()> {
        // The expression with transient variables as edges leave them: assigned, or with their default.
        let local: Local = self.defaults.clone();
        let plain = self.scope.expr(exp, &local)?;
        let zero = |expr: &Expr| {
            let number = expr.constant().and_then(Value::number);
            number.is_some_and(|number| number.is_zero())
        };
        if !zero(&plain) {
            if plain.constant().is_none() {
                return Err(exp.refused("rewards of steps that depend on the state are"));
            }
            if self.edges_change(exp) {
                return Err(exp.refused("rewards of steps with a constant part are"));
            }
            self.on_every_step(&plain, exp, structure);
            return Ok(());
        }
        let mut found = Vec::new();
        for assigned in &self.assigned {
            let mut local = self.defaults.clone();
            for (name, value) in &assigned.values {
                local.insert(name.clone(), value.clone());
            }
            let value = self.scope.expr_of(exp, &local, Sort::Real)?;
            if !zero(&value) {
                found.push((assigned.component, assigned.command, assigned.branch, value));
            }
        }
        structure.on_branches = !found.is_empty();
        for (component, command, branch, value) in found {
            self.network.components[component].commands[command].branches[branch]
                .rewards
                .push((index, value));
        }
        Ok(())
    }

    /// Earns a value with every step of the model; the passing of time is none.
    fn on_every_step(&self, value: &Expr, exp: &Json, structure: &mut RewardStructure) {
        let steps = self.network.actions.len() - usize::from(self.timed);
        let actions = (0..steps).map(|at| Some(entail_markov::ActionId(at as u32)));
        for action in actions.chain([None]) {
            structure.transitions.push(TransitionReward {
                action,
                guard: Expr::truth(),
                value: value.clone(),
                place: exp.head(),
            });
        }
    }

    fn path(&mut self, json: &Json) -> Read<Path> {
        stacker::maybe_grow(64 << 10, 4 << 20, || self.lower_path(json))
    }

    fn lower_path(&mut self, json: &Json) -> Read<Path> {
        let op = match json.get("op") {
            Some(op) => op.text()?.to_owned(),
            None => return Ok(Path::State(Box::new(self.property(json)?))),
        };
        let mut boxed = |name: &str| -> Read<Box<Path>> { Ok(Box::new(self.path(json.need(name)?)?)) };
        Ok(match op.as_str() {
            "U" => Path::Until(boxed("left")?, boxed("right")?, self.bounds(json)?),
            "W" => Path::WeakUntil(boxed("left")?, boxed("right")?, self.bounds(json)?),
            "R" => Path::Release(boxed("left")?, boxed("right")?, self.bounds(json)?),
            "F" => Path::Finally(boxed("exp")?, self.bounds(json)?),
            "G" => Path::Globally(boxed("exp")?, self.bounds(json)?),
            "X" => Path::Next(boxed("exp")?),
            "¬" if is_temporal(json) => Path::Not(boxed("exp")?),
            "∧" if is_temporal(json) => Path::And(boxed("left")?, boxed("right")?),
            "∨" if is_temporal(json) => Path::Or(boxed("left")?, boxed("right")?),
            "⇒" if is_temporal(json) => Path::Implies(boxed("left")?, boxed("right")?),
            _ => Path::State(Box::new(self.property(json)?)),
        })
    }

    fn bounds(&mut self, json: &Json) -> Read<Option<Bounds>> {
        let mut all = Vec::new();
        for rewards in json.elements("reward-bounds")? {
            let structure = self.structure(rewards.need("exp")?, rewards.elements("accumulate")?)?;
            all.push(self.interval(rewards.need("bounds")?, BoundedBy::Reward(structure))?);
        }
        all.extend(self.bounds_in_time(json)?);
        let mut all = all.into_iter();
        Ok(all.next().map(|first| Bounds {
            others: all.collect(),
            ..first
        }))
    }

    /// The bounds on steps or time, if there are any.
    fn bounds_in_time(&mut self, json: &Json) -> Read<Option<Bounds>> {
        let timed = self.network.kind.is_timed();
        let (interval, by) = match (json.get("step-bounds"), json.get("time-bounds")) {
            (None, None) => return Ok(None),
            (Some(steps), None) if !timed => (steps, BoundedBy::Time),
            (None, Some(time)) if timed => (time, BoundedBy::Time),
            (None, Some(time)) if self.timed => {
                let action = Some(self.passing_time()?);
                self.network.rewards.push(RewardStructure {
                    transitions: vec![TransitionReward {
                        action,
                        guard: Expr::truth(),
                        value: Expr::from(1),
                        place: time.head(),
                    }],
                    ..RewardStructure::default()
                });
                (time, BoundedBy::Reward(self.network.rewards.len() - 1))
            }
            _ => return Err(json.refused("these bounds are")),
        };
        self.interval(interval, by).map(Some)
    }

    /// Both ends of an interval.
    fn interval(&self, interval: &Json, by: BoundedBy) -> Read<Bounds> {
        let limit = |value: &str, strict: &str| -> Read<Option<Limit>> {
            let Some(json) = interval.get(value) else {
                return Ok(None);
            };
            let strict = interval
                .get(strict)
                .is_some_and(|strict| strict.node == Node::Bool(true));
            Ok(Some(Limit {
                value: self.number(json)?,
                strict,
            }))
        };
        let (lower, upper) = (
            limit("lower", "lower-exclusive")?,
            limit("upper", "upper-exclusive")?,
        );
        for limit in [&lower, &upper].into_iter().flatten() {
            if limit.value < entail_markov::Rational::ZERO {
                return Err(Diagnostic::error(
                    "jani::bound",
                    "a bound is negative",
                    interval.head(),
                    "here",
                ));
            }
        }
        Ok(Bounds {
            lower,
            upper,
            by,
            others: Vec::new(),
        })
    }
}

fn is_temporal(json: &Json) -> bool {
    match &json.node {
        Node::Object(members) => match json.get("op").and_then(|op| op.text().ok()) {
            Some("U" | "W" | "R" | "F" | "G" | "X") => true,
            Some("Pmin" | "Pmax" | "Emin" | "Emax" | "Smin" | "Smax" | "filter") => false,
            _ => members.iter().any(|(_, value)| is_temporal(value)),
        },
        _ => false,
    }
}
