//! Networks as JANI: a component is an automaton with one location, labels and rewards are transient variables.
//!
//! What states earn, and labels, are transient values of the first automaton's location; what steps earn is assigned on the edges of the first automaton that
//! takes part in them. Rates of several outcomes are a rate with probabilities. Numbers are exact: fractions are quotients.

use entail_markov::{
    ActionId, BinaryOp, Branch, Command, CommandKind, Domain, Expr, Initial, Network, Rational, UnaryOp,
    Value,
};
use serde_json::{Map, Value as Json, json};

/// The text of a network; or why it cannot be written.
pub fn write(network: &Network, name: &str) -> Result<String, String> {
    if network.has_intervals() {
        return Err("intervals of probabilities are not written in JANI".to_owned());
    }
    let writer = Writer { network };
    let document = writer.document(name)?;
    let text = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())?;
    Ok(text + "\n")
}

struct Writer<'n> {
    network: &'n Network,
}

/// A choice between two expressions.
fn choice(condition: &Expr, yes: &Expr) -> Expr {
    Expr::choose(condition.clone(), yes.clone(), Expr::from(0))
}

impl Writer<'_> {
    fn document(&self, name: &str) -> Result<Json, String> {
        let network = self.network;
        let mut variables = Vec::new();
        for (at, variable) in network.variables.iter().enumerate() {
            let mut own = Map::new();
            own.insert("name".into(), variable.name.clone().into());
            own.insert(
                "type".into(),
                match variable.domain {
                    Domain::Bool => json!("bool"),
                    Domain::Unbounded => json!("int"),
                    Domain::Range(low, high) => {
                        json!({"kind": "bounded", "base": "int", "lower-bound": low, "upper-bound": high})
                    }
                },
            );
            if let Initial::Values(values) = &network.initial {
                let value = match variable.domain {
                    Domain::Bool => json!(values[at] != 0),
                    _ => json!(values[at]),
                };
                own.insert("initial-value".into(), value);
            }
            variables.push(Json::Object(own));
        }
        let mut transient = Vec::new();
        for (label, set) in &network.labels {
            variables.push(json!({"name": label, "type": "bool", "transient": true, "initial-value": false}));
            transient.push(json!({"ref": label, "value": self.expr(set)?}));
        }
        for (structure, rewards) in network.rewards.iter().enumerate() {
            let name = self.reward_name(structure);
            variables.push(json!({"name": name, "type": "real", "transient": true, "initial-value": 0}));
            let earned = rewards.states.iter().map(|item| choice(&item.guard, &item.value));
            if let Some(sum) = total(earned) {
                transient.push(json!({"ref": name, "value": self.expr(&sum)?}));
            }
        }
        let mut automata = Vec::new();
        for (at, component) in network.components.iter().enumerate() {
            let mut location = Map::new();
            location.insert("name".into(), "here".into());
            if at == 0 && !transient.is_empty() {
                location.insert("transient-values".into(), transient.clone().into());
            }
            let edges: Result<Vec<Json>, String> = (component.commands.iter())
                .map(|command| self.edge(at, command))
                .collect();
            automata.push(json!({
                "name": component.name, "locations": [location], "initial-locations": ["here"], "edges": edges?,
            }));
        }
        let elements: Vec<Json> = (network.components.iter())
            .map(|component| json!({"automaton": component.name}))
            .collect();
        let mut document = json!({
            "jani-version": 1, "name": name, "type": network.kind.name(),
            "features": ["derived-operators"],
            "actions": network.actions.iter().map(|action| json!({"name": action})).collect::<Vec<_>>(),
            "variables": variables,
        });
        if let Initial::Predicate(predicate, _) = &network.initial {
            document["restrict-initial"] = json!({"exp": self.expr(predicate)?});
        }
        document["automata"] = automata.into();
        document["system"] = json!({"elements": elements, "syncs": self.vectors()});
        document["properties"] = json!([]);
        Ok(document)
    }

    fn reward_name(&self, structure: usize) -> String {
        let name = self.network.rewards[structure].name.clone();
        name.unwrap_or_else(|| format!("reward{}", structure + 1))
    }

    fn action(&self, action: ActionId) -> &str {
        &self.network.actions[action.0 as usize]
    }

    /// Who acts together.
    fn vectors(&self) -> Vec<Json> {
        let vector = |synchronisation: &entail_markov::Synchronisation| {
            let part = |component: usize| {
                let own = (synchronisation.parts.iter()).find(|(other, _)| *other == component);
                own.map_or(Json::Null, |(_, action)| self.action(*action).into())
            };
            let parts: Vec<Json> = (0..self.network.components.len()).map(part).collect();
            match synchronisation.action {
                Some(action) => json!({"synchronise": parts, "result": self.action(action)}),
                None => json!({"synchronise": parts}),
            }
        };
        self.network.synchronisations.iter().map(vector).collect()
    }

    /// The name of the steps that a component's edges with an action earn for: nothing if another component does.
    fn earns_for(
        &self,
        component: usize,
        action: Option<ActionId>,
    ) -> Result<Option<Option<ActionId>>, String> {
        let Some(action) = action else {
            return Ok(Some(None));
        };
        let mine = self.network.synchronisations.iter();
        let mut named: Vec<Option<ActionId>> = mine
            .filter(|synchronisation| synchronisation.parts.first() == Some(&(component, action)))
            .map(|synchronisation| synchronisation.action)
            .collect();
        named.dedup();
        match named[..] {
            [] => Ok(None),
            [name] => Ok(Some(name)),
            _ => Err(format!(
                "rewards of `{}` depend on whom it synchronises with, which is not written in JANI",
                self.action(action)
            )),
        }
    }

    fn edge(&self, component: usize, command: &Command) -> Result<Json, String> {
        let mut edge = Map::new();
        edge.insert("location".into(), "here".into());
        if let Some(action) = command.action {
            edge.insert("action".into(), self.action(action).into());
        }
        edge.insert("guard".into(), json!({"exp": self.expr(&command.guard)?}));
        let rate = match command.kind {
            CommandKind::Markovian => total(command.branches.iter().map(|branch| branch.weight.clone())),
            CommandKind::Probabilistic => None,
        };
        if let Some(rate) = &rate {
            edge.insert("rate".into(), json!({"exp": self.expr(rate)?}));
        }
        let mut destinations = Vec::new();
        for branch in &command.branches {
            let probability = match &rate {
                Some(_) if command.branches.len() == 1 => Expr::from(1),
                Some(rate) => Expr::binary(BinaryOp::Div, branch.weight.clone(), rate.clone()),
                None => branch.weight.clone(),
            };
            let mut destination = Map::new();
            destination.insert("location".into(), "here".into());
            if probability != Expr::from(1) {
                destination.insert("probability".into(), json!({"exp": self.expr(&probability)?}));
            }
            let assignments = self.assignments(component, command, branch)?;
            if !assignments.is_empty() {
                destination.insert("assignments".into(), assignments.into());
            }
            destinations.push(Json::Object(destination));
        }
        edge.insert("destinations".into(), destinations.into());
        Ok(Json::Object(edge))
    }

    fn assignments(&self, component: usize, command: &Command, branch: &Branch) -> Result<Vec<Json>, String> {
        let mut found = Vec::new();
        for (var, value) in &branch.assignments {
            let name = &self.network.variables[var.index()].name;
            found.push(json!({"ref": name, "value": self.expr(value)?}));
        }
        for (structure, rewards) in self.network.rewards.iter().enumerate() {
            let by_step = match rewards.transitions.is_empty() {
                true => None,
                false => self.earns_for(component, command.action)?,
            };
            let of_steps = rewards
                .transitions
                .iter()
                .filter(|item| by_step == Some(item.action));
            let of_steps = of_steps.map(|item| choice(&item.guard, &item.value));
            let of_branch = branch.rewards.iter().filter(|(of, _)| *of == structure);
            let of_branch = of_branch.map(|(_, value)| value.clone());
            if let Some(sum) = total(of_steps.chain(of_branch)) {
                found.push(json!({"ref": self.reward_name(structure), "value": self.expr(&sum)?}));
            }
        }
        Ok(found)
    }

    fn expr(&self, expr: &Expr) -> Result<Json, String> {
        stacker::maybe_grow(64 << 10, 4 << 20, || self.expression(expr))
    }

    fn expression(&self, expr: &Expr) -> Result<Json, String> {
        Ok(match expr {
            Expr::Value(Value::Bool(truth)) => json!(truth),
            Expr::Value(Value::Int(number)) => json!(number),
            Expr::Value(Value::Real(number)) => fraction(number)?,
            Expr::Var(var) => self.network.variables[var.index()].name.clone().into(),
            Expr::Unary(op, operand) => {
                let inner = self.expr(operand)?;
                match op {
                    UnaryOp::Not => json!({"op": "¬", "exp": inner}),
                    UnaryOp::Neg => json!({"op": "-", "left": 0, "right": inner}),
                    UnaryOp::Floor => json!({"op": "floor", "exp": inner}),
                    UnaryOp::Ceil => json!({"op": "ceil", "exp": inner}),
                    UnaryOp::Round => {
                        let half = json!({"op": "/", "left": 1, "right": 2});
                        json!({"op": "floor", "exp": {"op": "+", "left": inner, "right": half}})
                    }
                }
            }
            Expr::Binary(op, left, right) => {
                json!({"op": symbol(*op), "left": self.expr(left)?, "right": self.expr(right)?})
            }
            Expr::If(condition, yes, no) => {
                json!({"op": "ite", "if": self.expr(condition)?, "then": self.expr(yes)?, "else": self.expr(no)?})
            }
        })
    }
}

/// The sum of some expressions; nothing if there are none.
fn total(parts: impl Iterator<Item = Expr>) -> Option<Expr> {
    parts.reduce(|sum, part| Expr::binary(BinaryOp::Add, sum, part))
}

fn fraction(number: &Rational) -> Result<Json, String> {
    let above = i64::try_from(number.numerator().clone());
    let below = i64::try_from(number.denominator().clone());
    match (above, below) {
        (Ok(above), Ok(below)) => Ok(json!({"op": "/", "left": above, "right": below})),
        _ => Err(format!("the number {number} is too long for JANI")),
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "∧",
        BinaryOp::Or => "∨",
        BinaryOp::Implies => "⇒",
        BinaryOp::Iff | BinaryOp::Eq => "=",
        BinaryOp::Ne => "≠",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "≤",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => "≥",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Mod => "%",
        BinaryOp::Pow => "pow",
        BinaryOp::Log => "log",
        BinaryOp::Min => "min",
        BinaryOp::Max => "max",
    }
}
