//! The processes of a model: names, variables, edges for each choice of selected values.

use crate::evaluate::{Name, Out, Place, Scope};
use crate::value::{Kind, Memory, Spot, Value, fitted};
use entail_clocks::Fault;
use entail_uppaal_tree::{
    ArraySize, Declaration, Declarator, Edge, Expr, ExprKind, Hook, Initial, Item, Model, Parameter,
    PriorityElement, Template, TypeExpr, TypeKind,
};
use std::rc::Rc;

/// A channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel {
    pub urgent: bool,
    pub broadcast: bool,
    pub priority: i32,
}

/// A process.
pub(crate) struct Process<'m> {
    pub template: &'m Template,
    pub scope: Rc<Scope<'m>>,
    /// The number of its first location.
    pub first: usize,
    pub priority: i32,
    /// Its edges with their numbers and the scopes of what is selected.
    pub edges: Vec<(usize, &'m Edge, Rc<Scope<'m>>)>,
}

/// A model whose names are resolved.
pub struct Tree<'m> {
    pub(crate) processes: Vec<Process<'m>>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) default_priority: i32,
    pub(crate) global: Rc<Scope<'m>>,
    /// The variables of the state, with their first values.
    pub(crate) first: Memory,
    clocks: usize,
    /// What every step does before and after its updates.
    pub(crate) hooks: Vec<&'m Hook>,
}

impl<'m> Tree<'m> {
    /// Resolves a model. The reader has accepted it; what does not fit is an error here all the same.
    pub fn new(model: &'m Model) -> Result<Tree<'m>, String> {
        let mut tree = Tree {
            processes: Vec::new(),
            channels: Vec::new(),
            default_priority: 0,
            global: Scope::root(),
            first: Memory::default(),
            clocks: 0,
            hooks: Vec::new(),
        };
        let fault = |fault: Fault| format!("the declarations cannot be evaluated: {fault}");
        let global = Rc::clone(&tree.global);
        for item in &model.items {
            match item {
                Item::Declaration(one) => tree.declare(one, &global).map_err(fault)?,
                Item::Template(template) => global.set(&template.name, Name::Template(template)),
                Item::Instance(instance) => global.set(&instance.name, Name::Instance(instance)),
                Item::Priorities(list, _) => tree.prioritise(list).map_err(fault)?,
                Item::Hook(hook) => tree.hooks.push(hook),
                // What is drawn has no meaning.
                Item::Gantt(_) => {}
            }
        }
        let (mut locations, mut edges) = (0, 0);
        for entry in &model.system {
            let parameters = match global.get(&entry.name) {
                Some(Name::Template(template)) => &template.parameters,
                Some(Name::Instance(instance)) => &instance.parameters,
                _ => return Err(format!("`{}` is no template", entry.name)),
            };
            let mut choices: Vec<Vec<i64>> = vec![Vec::new()];
            for parameter in parameters {
                let kind = tree
                    .kind(&parameter.of, &parameter.declarator, &global)
                    .map_err(fault)?;
                let (low, high) = kind.bounds().ok_or("a parameter without an argument")?;
                let mut longer = Vec::new();
                for choice in &choices {
                    for value in low..=high {
                        let mut next = choice.clone();
                        next.push(value);
                        longer.push(next);
                    }
                }
                choices = longer;
            }
            let mut members = Vec::new();
            for choice in choices {
                let given = choice
                    .iter()
                    .map(|&value| Place::Constant(Value::Number(value)))
                    .collect();
                let (template, scope) = tree.instantiate(&entry.name, given).map_err(fault)?;
                for declaration in &template.declarations {
                    tree.declare(declaration, &scope).map_err(fault)?;
                }
                members.push((choice, tree.processes.len()));
                tree.processes.push(Process {
                    template,
                    scope,
                    first: locations,
                    priority: entry.priority,
                    edges: Vec::new(),
                });
                locations += template.locations.len();
            }
            global.set(&format!(" {}", entry.name), Name::Processes(members));
        }
        for number in 0..tree.processes.len() {
            let (template, scope) = (
                tree.processes[number].template,
                Rc::clone(&tree.processes[number].scope),
            );
            for edge in &template.edges {
                for inner in tree.selections(edge, &scope).map_err(fault)? {
                    tree.processes[number].edges.push((edges, edge, inner));
                    edges += 1;
                }
            }
        }
        Ok(tree)
    }

    /// Number of clocks, with the reference clock.
    pub fn dimension(&self) -> usize {
        self.clocks + 1
    }

    fn prioritise(&mut self, list: &'m [(PriorityElement, i32)]) -> Result<(), Fault> {
        let default = list
            .iter()
            .find(|(element, _)| *element == PriorityElement::Default);
        self.default_priority = default.map_or(-1, |(_, level)| *level);
        for channel in &mut self.channels {
            channel.priority = self.default_priority;
        }
        let global = Rc::clone(&self.global);
        for (element, level) in list {
            if let PriorityElement::Channel(expr) = element {
                let mut memory = self.first.clone();
                let value = self.value(expr, &global, &mut memory)?;
                let mut waiting = vec![value];
                while let Some(value) = waiting.pop() {
                    match value {
                        Value::Channel(channel) => self.channels[channel].priority = *level,
                        Value::Array(all) => waiting.extend(all),
                        Value::Record(all) => waiting.extend(all.into_iter().map(|(_, one)| one)),
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }

    fn instantiate(&self, name: &str, given: Vec<Place>) -> Result<(&'m Template, Rc<Scope<'m>>), Fault> {
        let known = self.global.before(name).unwrap_or(usize::MAX);
        let bind = |parameters: &'m [Parameter], given: Vec<Place>| {
            let scope = Scope::after(&self.global, known);
            for (parameter, place) in parameters.iter().zip(given) {
                let kind = self.kind(&parameter.of, &parameter.declarator, &scope)?;
                // A number that is given for a floating-point parameter is one.
                let place = match (&kind, place) {
                    (Kind::Real | Kind::Nothing, Place::Constant(Value::Number(number))) => {
                        Place::Constant(Value::Real(number as f64))
                    }
                    (_, place) => place,
                };
                scope.set(&parameter.declarator.name, Name::Variable(kind, place));
            }
            Ok::<_, Fault>(scope)
        };
        match self.global.get(name) {
            Some(Name::Template(template)) => Ok((template, bind(&template.parameters, given)?)),
            Some(Name::Instance(instance)) => {
                let scope = bind(&instance.parameters, given)?;
                let mut memory = self.first.clone();
                let mut passed = Vec::new();
                for argument in &instance.arguments {
                    passed.push(match self.place(argument, &scope, &mut memory) {
                        Ok(Some((_, place))) => place,
                        _ => Place::Constant(self.value(argument, &scope, &mut memory)?),
                    });
                }
                self.instantiate(&instance.of, passed)
            }
            _ => Err(Fault::Overflow),
        }
    }

    /// Enters declared names; variables become cells of the state.
    fn declare(&mut self, declaration: &'m Declaration, scope: &Rc<Scope<'m>>) -> Result<(), Fault> {
        match declaration {
            Declaration::Function(function) => {
                // It knows what is declared before it.
                let known = Scope::after(scope, scope.count());
                scope.set(&function.name, Name::Function(function, known))
            }
            Declaration::Types(of, declarators) => {
                for declarator in declarators {
                    let kind = self.kind(of, declarator, scope)?;
                    scope.set(&declarator.name, Name::Type(kind));
                }
            }
            Declaration::Variables(of, declarators) => {
                for declarator in declarators {
                    let kind = self.kind(of, declarator, scope)?;
                    let (mut clocks, mut channels) = (self.clocks, self.channels.len());
                    let mut value = Value::first(&kind, &mut clocks, &mut channels);
                    // Clocks begin with 0, whether that is said or not.
                    let begins = kind != Kind::Clock && !of.prefix.hybrid;
                    if let Some(initial) = declarator.initial.as_ref().filter(|_| begins) {
                        let mut memory = Memory::default();
                        value = self.initial(&kind, initial, scope, &mut memory)?;
                    }
                    self.clocks = clocks;
                    if let Some((urgent, broadcast)) = channel_of(&kind) {
                        let channel = Channel {
                            urgent,
                            broadcast,
                            priority: self.default_priority,
                        };
                        self.channels.resize(channels, channel);
                    }
                    let place = match of.prefix.constant {
                        true => Place::Constant(value),
                        false => {
                            self.first.cells.push(value);
                            Place::Spot(Spot {
                                cell: self.first.cells.len() - 1,
                                way: Vec::new(),
                            })
                        }
                    };
                    scope.set(&declarator.name, Name::Variable(kind, place));
                }
            }
        }
        Ok(())
    }

    /// The value of an initialiser.
    pub(crate) fn initial(
        &self,
        kind: &Kind,
        initial: &'m Initial,
        scope: &Rc<Scope<'m>>,
        memory: &mut Memory,
    ) -> Result<Value, Fault> {
        match (kind, initial) {
            (_, Initial::Value(expr)) => fitted(kind, self.value(expr, scope, memory)?),
            (Kind::Array(of, ..), Initial::List(list, _)) => {
                let mut all = Vec::new();
                for (_, one) in list {
                    all.push(self.initial(of, one, scope, memory)?);
                }
                Ok(Value::Array(all))
            }
            (Kind::Record(fields), Initial::List(list, _)) => {
                let mut all = Vec::new();
                for (at, (name, kind)) in fields.iter().enumerate() {
                    let named = list.iter().find(|(given, _)| given.as_ref() == Some(name));
                    let (_, one) = named.or(list.get(at)).ok_or(Fault::Overflow)?;
                    all.push((name.clone(), self.initial(kind, one, scope, memory)?));
                }
                Ok(Value::Record(all))
            }
            _ => Err(Fault::Overflow),
        }
    }

    /// The type of a declared name.
    pub(crate) fn kind(
        &self,
        of: &'m TypeExpr,
        declarator: &'m Declarator,
        scope: &Rc<Scope<'m>>,
    ) -> Result<Kind, Fault> {
        let mut kind = self.base_kind(of, scope)?;
        for size in declarator.sizes.iter().rev() {
            let by_type = match size {
                ArraySize::Type(of) => self.base_kind(of, scope)?.bounds(),
                ArraySize::Expr(expr) => match &expr.kind {
                    ExprKind::Name(name) => match scope.get(name) {
                        Some(Name::Type(kind)) => kind.bounds(),
                        _ => None,
                    },
                    _ => None,
                },
            };
            let (low, high) = match (by_type, size) {
                (Some(bounds), _) => bounds,
                (None, ArraySize::Expr(expr)) => (0, self.number(expr, scope)? - 1),
                (None, ArraySize::Type(_)) => return Err(Fault::Overflow),
            };
            kind = Kind::Array(Box::new(kind), (high - low + 1).max(0) as usize, low);
        }
        Ok(kind)
    }

    pub(crate) fn base_kind(&self, of: &'m TypeExpr, scope: &Rc<Scope<'m>>) -> Result<Kind, Fault> {
        Ok(match &of.kind {
            // Nothing depends on it.
            TypeKind::Clock if of.prefix.hybrid => Kind::Nothing,
            TypeKind::Int if of.prefix.constant => Kind::Whole(i64::from(i32::MIN), i64::from(i32::MAX)),
            TypeKind::Int => Kind::Whole(-32768, 32767),
            TypeKind::Range(low, high) => Kind::Whole(self.number(low, scope)?, self.number(high, scope)?),
            TypeKind::Bool => Kind::Truth,
            TypeKind::Clock => Kind::Clock,
            TypeKind::Channel => Kind::Channel {
                urgent: of.prefix.urgent,
                broadcast: of.prefix.broadcast,
            },
            TypeKind::Scalar(size) => Kind::Whole(0, self.number(size, scope)? - 1),
            TypeKind::Struct(fields) => {
                let mut all = Vec::new();
                for (of, declarator) in fields {
                    all.push((declarator.name.clone(), self.kind(of, declarator, scope)?));
                }
                Kind::Record(all)
            }
            TypeKind::Named(name) => match scope.get(name) {
                Some(Name::Type(kind)) => kind,
                _ => return Err(Fault::Overflow),
            },
            TypeKind::Double if of.prefix.constant => Kind::Real,
            TypeKind::Void | TypeKind::Double | TypeKind::Text => Kind::Nothing,
        })
    }

    /// A constant number.
    fn number(&self, expr: &'m Expr, scope: &Rc<Scope<'m>>) -> Result<i64, Fault> {
        match self.evaluate(expr, scope, &mut Memory::default())? {
            Out::Value(Value::Number(number)) => Ok(number),
            _ => Err(Fault::Overflow),
        }
    }

    /// The scopes of all choices of an edge.
    fn selections(&self, edge: &'m Edge, scope: &Rc<Scope<'m>>) -> Result<Vec<Rc<Scope<'m>>>, Fault> {
        let mut all = vec![Rc::clone(scope)];
        for select in &edge.selects {
            let mut next = Vec::new();
            for outer in &all {
                let kind = self.base_kind(&select.of, outer)?;
                let (low, high) = kind.bounds().ok_or(Fault::Overflow)?;
                for value in low..=high {
                    let inner = Scope::inside(outer);
                    inner.set(
                        &select.name,
                        Name::Variable(kind.clone(), Place::Constant(Value::Number(value))),
                    );
                    next.push(inner);
                }
            }
            all = next;
        }
        Ok(all)
    }
}

fn channel_of(kind: &Kind) -> Option<(bool, bool)> {
    match kind {
        Kind::Channel { urgent, broadcast } => Some((*urgent, *broadcast)),
        Kind::Array(of, ..) => channel_of(of),
        Kind::Record(fields) => fields.iter().find_map(|(_, kind)| channel_of(kind)),
        _ => None,
    }
}
