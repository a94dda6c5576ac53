//! Variables: their domains and how they begin. An array is as many variables as it has elements.

use crate::composite::Tree;
use crate::composition::Element;
use crate::json::{Json, Node, Read};
use crate::locations::Places;
use crate::scope::{Local, Scope};
use entail_markov::digital_clocks::Timing;
use entail_markov::{BinaryOp, Domain, Expr, Initial, Kind, Sort, Value, VarId, Variable};
use entail_source::{Diagnostic, Span};

/// A model while it is lowered.
pub(crate) struct Lowering<'j> {
    pub kind: Kind,
    pub scope: Scope<'j>,
    /// Initial values; nothing: any value.
    pub initial: Vec<(VarId, Option<Expr>)>,
    pub defaults: Local,
    pub timing: Timing,
    /// How many constants were left open: the last variables.
    pub parameters: usize,
}

impl<'j> Lowering<'j> {
    /// Adds a variable.
    pub fn declare(&mut self, variable: Variable) -> VarId {
        let var = VarId(self.scope.variables.len() as u32);
        self.scope.names.insert(variable.name.clone(), var);
        self.scope.variables.push(variable);
        var
    }

    /// The domain of a type, and whether its values are real.
    pub(crate) fn domain(&mut self, sort: &Json, local: &Local) -> Read<(Domain, bool)> {
        let kind = match &sort.node {
            Node::Text(text) => {
                return match text.as_str() {
                    "bool" => Ok((Domain::Bool, false)),
                    "int" => Ok((Domain::Unbounded, false)),
                    "real" => Ok((Domain::Unbounded, true)),
                    other => Err(sort.refused(&format!("variables of type `{other}` are"))),
                };
            }
            _ => sort.need("kind")?.text()?,
        };
        if kind != "bounded" {
            return Err(sort.refused(&format!("types of kind `{kind}` are")));
        }
        let bound = |side: &str| -> Read<Option<i64>> {
            let Some(json) = sort.get(side) else {
                return Ok(None);
            };
            match self.scope.constant(json, local)? {
                Value::Int(number) => Ok(Some(number)),
                _ => Err(json.wrong("an integer")),
            }
        };
        let real = sort.need("base")?.text()? == "real";
        match (bound("lower-bound")?, bound("upper-bound")?) {
            (Some(low), Some(high)) if low <= high => Ok((Domain::Range(low, high), real)),
            (Some(_), Some(_)) => Err(sort.wrong("a range that is not empty")),
            _ => Ok((Domain::Unbounded, real)),
        }
    }

    /// Adds a variable that is written in the model.
    pub fn variable(&mut self, json: &'j Json, owner: &str, local: &mut Local) -> Read<()> {
        let name = json.name()?;
        let sort = json.need("type")?;
        let transient = json
            .get("transient")
            .is_some_and(|json| json.node == Node::Bool(true));
        let kind = sort.get("kind").and_then(|kind| kind.text().ok());
        if matches!(kind, Some("array" | "datatype" | "option")) {
            if transient {
                return Err(json.refused("transient arrays, datatypes and options are"));
            }
            let initial = match json.get("initial-value") {
                Some(value) => self.scope.tree(value, local)?,
                None if kind == Some("option") => Tree::Empty,
                None => return Err(json.refused("arrays and datatypes without an initial value are")),
            };
            let parts = self.composite(name, sort, initial, owner, local)?;
            if !owner.is_empty() {
                local.trees.insert(name.to_owned(), parts.clone());
            }
            // Properties see the variables of automata, too.
            if !self.scope.names.contains_key(name) {
                self.scope.trees.entry(name.to_owned()).or_insert(parts);
            }
            return Ok(());
        }
        let clock = sort.text().is_ok_and(|text| text == "clock");
        let (domain, real) = match clock {
            true => (Domain::Unbounded, false),
            false => self.domain(sort, local)?,
        };
        let initial = match json.get("initial-value") {
            Some(value) => Some(self.scope.expr(value, local)?),
            None if clock => Some(Expr::from(0)),
            None => None,
        };
        if transient {
            let default = initial.unwrap_or_else(|| match domain {
                Domain::Bool => Expr::from(false),
                _ => Expr::from(0),
            });
            self.defaults.insert(name.to_owned(), default.clone());
            self.scope.transients.insert(name.to_owned(), default);
            return Ok(());
        }
        if real {
            return Err(json.refused("real variables that are not transient are"));
        }
        let var = self.keep(name, owner, domain, initial, local);
        if clock {
            self.timing.clocks.push(var);
        }
        Ok(())
    }

    /// Adds a variable of the state, under a name of its own.
    pub(crate) fn keep(
        &mut self,
        name: &str,
        owner: &str,
        domain: Domain,
        initial: Option<Expr>,
        local: &mut Local,
    ) -> VarId {
        let full = if owner.is_empty() || !self.scope.names.contains_key(name) {
            name.to_owned()
        } else {
            format!("{owner}.{name}")
        };
        let var = self.declare(Variable {
            name: full,
            domain,
            hidden: false,
        });
        if !owner.is_empty() {
            local.insert(name.to_owned(), Expr::Var(var));
        }
        self.initial.push((var, initial));
        var
    }
}

/// The initial states: values where all are given, otherwise a condition.
pub(crate) fn initial(
    model: &Json,
    lowering: &Lowering<'_>,
    elements: &[Element<'_>],
    locals: &[Local],
    locations: &[Places],
) -> Read<Initial> {
    let mut predicate = Expr::truth();
    let mut restrict = |holder: &Json, local: &Local| -> Read<()> {
        if let Some(restriction) = holder.get("restrict-initial") {
            let expr = lowering
                .scope
                .expr_of(restriction.need("exp")?, local, Sort::Bool)?;
            predicate = std::mem::replace(&mut predicate, Expr::truth()).and(expr);
        }
        Ok(())
    };
    restrict(model, &Local::new())?;
    for (element, local) in elements.iter().zip(locals) {
        restrict(element.automaton, local)?;
    }
    let mut values = vec![None; lowering.scope.variables.len()];
    for (var, value) in &lowering.initial {
        if let Some(value) = value {
            let stored = value.constant().and_then(Value::stored);
            let stored = stored.ok_or_else(|| model.wrong("a constant initial value"))?;
            let variable = &lowering.scope.variables[var.index()];
            if !variable.domain.contains(stored) {
                let message = format!("{} cannot begin with {stored}", variable.name);
                return Err(Diagnostic::error(
                    "jani::range",
                    message,
                    Span::new(0, 0),
                    "in this model",
                ));
            }
            values[var.index()] = Some(stored);
        }
    }
    if predicate == Expr::truth()
        && let Some(values) = values.iter().copied().collect::<Option<Vec<i64>>>()
    {
        return Ok(Initial::Values(values));
    }
    let own = values.len() - lowering.parameters;
    for (at, value) in values.iter().enumerate().take(own) {
        if let Some(value) = value {
            let value = match lowering.scope.variables[at].domain {
                Domain::Bool => Expr::from(*value != 0),
                _ => Expr::from(*value),
            };
            predicate = predicate.and(Expr::binary(BinaryOp::Eq, Expr::Var(VarId(at as u32)), value));
        }
    }
    for (element, (var, numbers)) in elements.iter().zip(locations) {
        let starts = element.automaton.need("initial-locations")?.list()?;
        if let (Some(var), true) = (var, starts.len() > 1) {
            let mut any = Expr::from(false);
            for start in starts {
                any = any.or(Expr::binary(
                    BinaryOp::Eq,
                    Expr::Var(*var),
                    Expr::from(numbers[start.text()?]),
                ));
            }
            predicate = predicate.and(any);
        }
    }
    Ok(Initial::Predicate(predicate, Span::new(0, 0)))
}
