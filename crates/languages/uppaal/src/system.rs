//! From a syntax tree to a network: declarations get their memory, templates become processes, edges are translated for each choice of selected values.

use crate::compiler::{Compiler, ProcessInfo, Typed, wrong};
use crate::functions::{Cache, Deeds};
use crate::instances::Constancy;
use crate::names::{Entity, Reference, Root, ScopeId, Scopes};
use crate::parser::Read;
use crate::reals::{Moment, RandomRuns, random_only};
use crate::scalars::{Paths, Segment, segment};
use crate::types::{CHANNELS, CLOCKS, INTEGERS, Type};
use entail_clocks::{
    Channel, Clock, ClockName, Expression, Integer, Location, Network, OutOfRange, Process, Reals, to_bits,
};
use entail_source::{Diagnostic, Span};
use entail_uppaal_tree::{
    self as tree, Declaration, Declarator, Initial, Item, Model, Parameter, PriorityElement, Template,
    TypeExpr,
};
use std::collections::HashMap;
use std::sync::Arc;

/// Variables and processes of a model, at most.
const MOST_INTEGERS: usize = 1 << 18;
const MOST_PROCESSES: usize = 4096;

/// Translates a model; the scope of its global names comes first.
pub(crate) fn translate<'m>(
    model: &'m Model,
    name: &str,
    for_random_runs: bool,
) -> Result<Compiler<'m>, Vec<Diagnostic>> {
    let mut compiler = Compiler {
        network: Network {
            name: name.to_owned(),
            events: vec!["τ".to_owned()],
            out_of_range: OutOfRange::Fault,
            ..Network::default()
        },
        scopes: Scopes::default(),
        processes: Vec::new(),
        next_slot: [0, 0],
        constant: false,
        effects: None,
        rates: None,
        clock_rates: Vec::new(),
        functions: Cache::default(),
        does: Deeds::default(),
        scalars: HashMap::new(),
        paths: Paths::default(),
        inside: Vec::new(),
        hooks: Vec::new(),
        random: None,
        left_out: false,
        moment: Moment::Other,
        constancy: Constancy::of(model),
    };
    if for_random_runs {
        compiler.network.integers.push(Integer {
            name: "random numbers".to_owned(),
            low: i64::MIN,
            high: i64::MAX,
            initial: 0,
        });
        compiler.random = Some(RandomRuns::default());
    }
    let global = compiler.scopes.inside(None);
    let mut problems = Vec::new();
    let mut priorities = None;
    for item in &model.items {
        let done = match item {
            Item::Declaration(declaration) => compiler.declaration(declaration, global, ""),
            Item::Template(template) => {
                let entity = Entity::Template(template);
                compiler.enter_name(global, &template.name, template.span, entity)
            }
            Item::Instance(instance) => {
                let entity = Entity::Instance(instance);
                compiler.enter_name(global, &instance.name, instance.span, entity)
            }
            Item::Priorities(_, span) if priorities.is_some() => {
                let message = "channel priorities are declared twice";
                Err(wrong("uppaal::duplicate", message, *span))
            }
            Item::Priorities(list, _) => {
                priorities = Some(list);
                compiler.priorities(list, global)
            }
            // It speaks of processes, which are made below.
            Item::Gantt(_) => Ok(()),
            Item::Hook(hook) => {
                compiler.hooks.push(hook);
                Ok(())
            }
        };
        problems.extend(done.err());
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut bodies = Vec::new();
    for entry in &model.system {
        let expanded = compiler.entry(entry, global);
        match expanded {
            Ok(found) => bodies.extend(found),
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    compiler.next_slot[0] = compiler.network.integers.len();
    for (process, template) in bodies {
        if let Err(problem) = compiler.process_body(process, template) {
            // Processes of one template have the same mistakes.
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }
    for item in &model.items {
        if let Item::Gantt(entries) = item {
            compiler.name_processes();
            let rows = entries.iter().map(|entry| compiler.gantt_rows(entry, global));
            problems.extend(rows.filter_map(Result::err));
        }
    }
    match compiler.random.take() {
        None => compiler.network.scalars = compiler.paths.sets(&compiler.scalar_sizes()),
        Some(mut random) => {
            random.spread();
            random.flowing.resize(random.mirrors.len(), false);
            compiler.network.reals = Some(Reals {
                generator: random.generator,
                mirrors: random.mirrors.clone(),
                flowing: random.flowing.clone(),
            });
            compiler.random = Some(random);
        }
    }
    compiler.network.local_slots = compiler.next_slot[0] - compiler.network.integers.len();
    match problems.is_empty() {
        true => Ok(compiler),
        false => Err(problems),
    }
}

/// Whether it has no memory in this translation: a hybrid clock or a floating-point number, or an array of them.
fn is_left_out(of: &Type) -> bool {
    match of {
        Type::Array(of, ..) => is_left_out(of),
        of => matches!(of, Type::Hybrid | Type::Ignored),
    }
}

impl<'m> Compiler<'m> {
    fn enter_name(&mut self, scope: ScopeId, name: &str, span: Span, entity: Entity<'m>) -> Read<()> {
        match self.scopes.enter(scope, name, entity) {
            true => Ok(()),
            false => Err(wrong(
                "uppaal::duplicate",
                format!("`{name}` is declared twice"),
                span,
            )),
        }
    }

    fn declaration(&mut self, declaration: &'m Declaration, scope: ScopeId, prefix: &str) -> Read<()> {
        match declaration {
            Declaration::Variables(of, declarators) => {
                for declarator in declarators {
                    self.variable(of, declarator, scope, prefix)?;
                }
                Ok(())
            }
            Declaration::Types(of, declarators) => {
                for declarator in declarators {
                    let resolved = self.declared(of, declarator, scope)?;
                    self.enter(scope, declarator, Entity::Type(resolved))?;
                }
                Ok(())
            }
            Declaration::Function(function) => {
                let entity = Entity::Function(function, scope, self.scopes.count(scope) + 1);
                self.enter_name(scope, &function.name, function.span, entity)
            }
        }
    }

    /// Gives a variable its memory.
    fn variable(&mut self, of: &TypeExpr, declarator: &Declarator, scope: ScopeId, prefix: &str) -> Read<()> {
        let resolved = self.declared(of, declarator, scope)?;
        if of.prefix.constant {
            if declarator.initial.is_none() {
                let message = format!("the constant `{}` has no value", declarator.name);
                return Err(wrong("uppaal::constant", message, declarator.span));
            }
            let data = self.initial_constant(&resolved, declarator, scope)?;
            return self.enter(
                scope,
                declarator,
                Entity::Value(resolved, Reference::constant(data)),
            );
        }
        let sizes = resolved.sizes().unwrap_or([0; 3]);
        if resolved == Type::Void {
            return Err(wrong(
                "uppaal::type",
                "a variable of type `void`",
                declarator.span,
            ));
        }
        let name = format!("{prefix}{}", declarator.name);
        let base = [
            self.network.integers.len(),
            self.network.clocks.len() + 1,
            self.network.channels.len(),
        ];
        let (mut ranges, mut names) = (Vec::new(), [Vec::new(), Vec::new(), Vec::new()]);
        resolved.leaves(&mut ranges);
        for kind in [INTEGERS, CLOCKS, CHANNELS] {
            resolved.names(&name, kind, &mut names[kind]);
        }
        let first: Vec<i64> = match &declarator.initial {
            Some(_) if is_left_out(&resolved) => Vec::new(),
            Some(initial) if resolved == Type::Clock => {
                self.first_of_clock(initial, scope)?;
                Vec::new()
            }
            Some(_) if sizes[INTEGERS] == 0 => {
                let message = "channels and arrays of clocks have no first value";
                return Err(wrong("uppaal::type", message, declarator.span));
            }
            Some(_) => self.initial_constant(&resolved, declarator, scope)?.to_vec(),
            None => ranges.iter().map(|&(low, high)| 0i64.clamp(low, high)).collect(),
        };
        let [integer_names, clock_names, channel_names] = names;
        for ((name, (low, high)), initial) in integer_names.into_iter().zip(ranges).zip(first) {
            self.network.integers.push(Integer {
                name,
                low,
                high,
                initial,
            });
        }
        if self.network.integers.len() > MOST_INTEGERS {
            return Err(wrong(
                "uppaal::limit",
                "the model has very many variables",
                declarator.span,
            ));
        }
        self.left_out |= resolved.leaves_out();
        self.mirror_clocks(&clock_names, declarator, scope)?;
        self.network
            .clocks
            .extend(clock_names.into_iter().map(|name| Clock { name }));
        let (urgent, broadcast) = resolved.channel().unwrap_or((false, false));
        self.network
            .channels
            .extend(channel_names.into_iter().map(|name| Channel {
                name,
                broadcast,
                urgent,
                priority: 0,
            }));
        let path = [self.inside.as_slice(), &[Segment::Text(declarator.name.clone())]].concat();
        self.paths.variable(&resolved, &path);
        let reference = Reference::whole(Root::Variable, base, sizes);
        self.enter(scope, declarator, Entity::Value(resolved, reference))
    }

    /// The number that a clock begins with: 0, but in random runs.
    fn first_of_clock(&mut self, initial: &Initial, scope: ScopeId) -> Read<f64> {
        let Initial::Value(value) = initial else {
            let message = "a clock begins with a number";
            return Err(wrong("uppaal::type", message, Span::default()));
        };
        let first = self.constant_real(value, scope)?;
        match first == 0.0 || self.is_random() {
            true => Ok(first),
            false => {
                let message = "clocks that begin with another value than 0 are supported in random runs only";
                Err(random_only(message, value.span))
            }
        }
    }

    /// For random runs each clock has a slot in which code finds its value.
    fn mirror_clocks(&mut self, names: &[String], declarator: &Declarator, scope: ScopeId) -> Read<()> {
        if !self.is_random() || names.is_empty() {
            return Ok(());
        }
        let first = match &declarator.initial {
            Some(initial @ Initial::Value(_)) => self.first_of_clock(initial, scope)?,
            _ => 0.0,
        };
        let clock = self.network.clocks.len() + 1;
        if let Some(random) = &mut self.random {
            for (number, name) in names.iter().enumerate() {
                random.mirrors.push(self.network.integers.len());
                if first != 0.0 {
                    random.flows(&ClockName::one(clock + number));
                }
                self.network.integers.push(Integer {
                    name: name.clone(),
                    low: i64::MIN,
                    high: i64::MAX,
                    initial: to_bits(first),
                });
            }
        }
        Ok(())
    }

    /// The constants that a declared name begins with.
    pub fn initial_constant(
        &mut self,
        of: &Type,
        declarator: &Declarator,
        scope: ScopeId,
    ) -> Read<Arc<[i64]>> {
        let mut data = Vec::new();
        match &declarator.initial {
            Some(initial) => self.flatten(of, initial, scope, &mut data)?,
            None => {
                let mut ranges = Vec::new();
                of.leaves(&mut ranges);
                data.extend(ranges.iter().map(|&(low, high)| 0i64.clamp(low, high)));
            }
        }
        Ok(data.into())
    }

    fn flatten(&mut self, of: &Type, initial: &Initial, scope: ScopeId, data: &mut Vec<i64>) -> Read<()> {
        match (of, initial) {
            (Type::Ignored, Initial::Value(_)) => Ok(()),
            (Type::Double, Initial::Value(value)) => {
                data.push(to_bits(self.constant_real(value, scope)?));
                Ok(())
            }
            (of, Initial::Value(value)) if of.is_integer() => {
                let mut number = self.constant(value, scope)?;
                if *of == Type::Bool {
                    number = i64::from(number != 0);
                }
                let (low, high) = of.range().unwrap_or((0, 0));
                if !(low..=high).contains(&number) {
                    let message = format!("the value {number} is out of [{low}, {high}]");
                    return Err(wrong("uppaal::range", message, value.span));
                }
                data.push(number);
                Ok(())
            }
            (Type::Array(inner, count, ..), Initial::List(list, span)) => {
                if list.len() != *count {
                    let message = format!("{} values for an array of {count}", list.len());
                    return Err(wrong("uppaal::type", message, *span));
                }
                list.iter()
                    .try_for_each(|(_, one)| self.flatten(inner, one, scope, data))
            }
            (Type::Struct(fields), Initial::List(list, span)) => {
                if list.len() != fields.len() {
                    let message = format!("{} values for a record of {} fields", list.len(), fields.len());
                    return Err(wrong("uppaal::type", message, *span));
                }
                for (position, (field, inner)) in fields.iter().enumerate() {
                    let by_name = list.iter().find(|(name, _)| name.as_deref() == Some(field));
                    let (_, one) = by_name.unwrap_or(&list[position]);
                    self.flatten(inner, one, scope, data)?;
                }
                Ok(())
            }
            (_, Initial::Value(value)) => {
                // A constant of the same shape.
                let (given, reference) = self.reference(value, scope)?;
                let Root::Constant(table) = &reference.root else {
                    return Err(wrong("uppaal::constant", "a constant is expected", value.span));
                };
                let count = of.sizes().unwrap_or([0; 3])[INTEGERS];
                let start = reference.offset[INTEGERS].value(&[]).unwrap_or(0) as usize;
                match (given.sizes() == of.sizes()).then(|| table.get(start..start + count)) {
                    Some(Some(values)) => {
                        data.extend_from_slice(values);
                        Ok(())
                    }
                    _ => Err(wrong("uppaal::type", "this value has another shape", value.span)),
                }
            }
            (_, Initial::List(_, span)) => Err(wrong("uppaal::type", "one value is expected", *span)),
        }
    }

    fn priorities(&mut self, list: &'m [(PriorityElement, i32)], scope: ScopeId) -> Read<()> {
        for (element, level) in list {
            if *element == PriorityElement::Default {
                self.network.default_priority = *level;
            }
        }
        let default = self.network.default_priority;
        // The default is what the text says, or the lowest level but its own.
        let has_default = list
            .iter()
            .any(|(element, _)| *element == PriorityElement::Default);
        let base = if has_default { default } else { -1 };
        self.network.default_priority = base;
        self.network
            .channels
            .iter_mut()
            .for_each(|channel| channel.priority = base);
        for (element, level) in list {
            let PriorityElement::Channel(expr) = element else {
                continue;
            };
            let (of, reference) = self.reference(expr, scope)?;
            let count = of.sizes().unwrap_or([0; 3])[CHANNELS];
            let Ok(offset) = reference.offset[CHANNELS].value(&[]) else {
                return Err(wrong("uppaal::constant", "a constant is expected", expr.span));
            };
            if count == 0 {
                return Err(wrong("uppaal::type", format!("this is {}", of.name()), expr.span));
            }
            let start = reference.base[CHANNELS] + offset as usize;
            for channel in &mut self.network.channels[start..start + count] {
                channel.priority = *level;
            }
        }
        Ok(())
    }

    /// The processes of a name on the system line.
    fn entry(&mut self, entry: &tree::SystemEntry, global: ScopeId) -> Read<Vec<(usize, &'m Template)>> {
        let parameters: &'m [Parameter] = match self.scopes.find(global, &entry.name) {
            Some(Entity::Template(template)) => &template.parameters,
            Some(Entity::Instance(instance)) => &instance.parameters,
            Some(Entity::Process(_)) => {
                let message = format!("`{}` stands on the system line twice", entry.name);
                return Err(wrong("uppaal::duplicate", message, entry.span));
            }
            Some(_) => {
                let message = format!("`{}` is no template", entry.name);
                return Err(wrong("uppaal::type", message, entry.span));
            }
            None => {
                let message = format!("there is no template `{}`", entry.name);
                return Err(wrong("uppaal::unknown", message, entry.span));
            }
        };
        if self.processes.iter().any(|process| process.family == entry.name) {
            let message = format!("`{}` stands on the system line twice", entry.name);
            return Err(wrong("uppaal::duplicate", message, entry.span));
        }
        let mut choices: Vec<Vec<i64>> = vec![Vec::new()];
        let mut types = Vec::new();
        for parameter in parameters {
            let of = self.declared(&parameter.of, &parameter.declarator, global)?;
            let range = of.range().filter(|_| !parameter.by_reference);
            let Some((low, high)) = range.filter(|(low, high)| high - low < MOST_PROCESSES as i64) else {
                let message = format!(
                    "`{}` needs an argument for `{}`",
                    entry.name, parameter.declarator.name
                );
                let help = "only parameters of bounded integers and scalars may be left";
                return Err(wrong("uppaal::parameter", message, entry.span).with_help(help));
            };
            let extend = |chosen: &Vec<i64>| {
                let chosen = chosen.clone();
                (low..=high).map(move |value| [chosen.as_slice(), &[value]].concat())
            };
            choices = choices.iter().flat_map(extend).collect();
            if choices.len() + self.processes.len() > MOST_PROCESSES {
                return Err(wrong(
                    "uppaal::limit",
                    "the system has very many processes",
                    entry.span,
                ));
            }
            types.push(of);
        }
        let mut found = Vec::new();
        for values in choices {
            let arguments = (types.iter().cloned().zip(&values))
                .map(|(of, value)| (of, Reference::constant(Arc::new([*value]))))
                .collect();
            let written: Vec<String> = values.iter().map(i64::to_string).collect();
            let name = match values.is_empty() {
                true => entry.name.clone(),
                false => format!("{}({})", entry.name, written.join(",")),
            };
            let (template, scope) = self.instantiate(&entry.name, arguments, global, entry.span, 0)?;
            let own = types.iter().zip(&values).map(|(of, &value)| segment(of, value));
            self.inside = std::iter::once(Segment::Text(entry.name.clone()))
                .chain(own)
                .collect();
            self.paths.processes.push(self.inside.clone());
            let made = self.process(template, scope, name, entry.priority);
            self.inside.clear();
            let (process, locations) = made?;
            self.processes.push(ProcessInfo {
                family: entry.name.clone(),
                values,
                scope,
                locations,
            });
            found.push((process, template));
        }
        Ok(found)
    }

    /// Follows instantiations to the template; gives the scope of its parameters.
    fn instantiate(
        &mut self,
        name: &str,
        arguments: Vec<(Type, Reference)>,
        global: ScopeId,
        span: Span,
        depth: usize,
    ) -> Read<(&'m Template, ScopeId)> {
        let entity = self.scopes.find(global, name).cloned();
        let parameters: &'m [Parameter] = match &entity {
            Some(Entity::Template(template)) => &template.parameters,
            Some(Entity::Instance(instance)) => &instance.parameters,
            _ => {
                let message = format!("there is no template `{name}`");
                return Err(wrong("uppaal::unknown", message, span));
            }
        };
        if parameters.len() != arguments.len() {
            let message = format!(
                "`{name}` has {} parameters, and {} arguments are given",
                parameters.len(),
                arguments.len()
            );
            return Err(wrong("uppaal::parameter", message, span));
        }
        // A template knows what is declared before it.
        let known = self.scopes.position(global, name).unwrap_or(usize::MAX);
        let scope = self.scopes.behind(Some((global, known)));
        for (parameter, (given, reference)) in parameters.iter().zip(arguments) {
            // A later parameter may use an earlier one in its type.
            let mut of = self.declared(&parameter.of, &parameter.declarator, scope)?;
            let (given, mut reference) = (given, reference);
            // A number is given: it is known, whatever the parameter may become.
            if let (Root::Constant(table), false) = (&reference.root, parameter.by_reference)
                && of.is_real()
                && (given.is_integer() || given == Type::Double)
            {
                let offset = reference.offset[INTEGERS].value(&[]).unwrap_or(0) as usize;
                let value = table.get(offset).copied().unwrap_or(0);
                let bits = match given {
                    Type::Double => value,
                    _ => to_bits(value as f64),
                };
                of = Type::Double;
                reference = Reference::constant(Arc::new([bits]));
                self.enter(scope, &parameter.declarator, Entity::Value(of, reference))?;
                continue;
            }
            if given.sizes() != of.sizes() || given.channel().is_some() != of.channel().is_some() {
                let message = format!(
                    "the argument for `{}` is {}",
                    parameter.declarator.name,
                    given.name()
                );
                return Err(wrong("uppaal::parameter", message, span));
            }
            if let (Root::Constant(table), Some((low, high)), false) =
                (&reference.root, of.range(), parameter.by_reference)
                && let Some(value) = table.get(reference.offset[INTEGERS].value(&[]).unwrap_or(0) as usize)
                && !(low..=high).contains(value)
            {
                let message = format!(
                    "the argument {value} is out of the range of `{}`",
                    parameter.declarator.name
                );
                return Err(wrong("uppaal::range", message, span));
            }
            self.enter(scope, &parameter.declarator, Entity::Value(of, reference))?;
        }
        match entity {
            Some(Entity::Template(template)) => Ok((template, scope)),
            Some(Entity::Instance(instance)) if depth < 64 => {
                let target = match self.scopes.find(global, &instance.of) {
                    Some(Entity::Template(template)) => &template.parameters,
                    Some(Entity::Instance(instance)) => &instance.parameters,
                    _ => {
                        let message = format!("there is no template `{}`", instance.of);
                        return Err(wrong("uppaal::unknown", message, instance.of_span));
                    }
                };
                let mut given = Vec::new();
                for (number, argument) in instance.arguments.iter().enumerate() {
                    let by_reference = target.get(number).is_some_and(|one| one.by_reference);
                    if !by_reference {
                        self.refuse_variables(argument, instance)?;
                    }
                    given.push(self.argument(argument, scope, by_reference)?);
                }
                self.instantiate(&instance.of, given, global, instance.of_span, depth + 1)
            }
            _ => Err(wrong("uppaal::recursion", "instantiations in a circle", span)),
        }
    }

    fn argument(&mut self, expr: &tree::Expr, scope: ScopeId, by_reference: bool) -> Read<(Type, Reference)> {
        if by_reference {
            let (of, mut reference) = self.reference(expr, scope)?;
            for offset in &mut reference.offset {
                if !matches!(offset, Expression::Constant(_)) {
                    return Err(wrong(
                        "uppaal::constant",
                        "a constant index is expected",
                        expr.span,
                    ));
                }
                *offset = Expression::Constant(offset.value(&[]).unwrap_or(0));
            }
            return Ok((of, reference));
        }
        // An array or a record of constants, or a number.
        if let tree::ExprKind::Name(_) = &expr.kind
            && let Ok((of, reference)) = self.reference(expr, scope)
            && !of.is_integer()
        {
            return match reference.root {
                Root::Constant(_) => Ok((of, reference)),
                _ => Err(wrong("uppaal::constant", "a constant is expected", expr.span)),
            };
        }
        let (was, effects) = (self.constant, self.effects.take());
        self.constant = true;
        let read = self.value(expr, scope);
        (self.constant, self.effects) = (was, effects);
        if let Ok(Typed::Real(_)) = read {
            let bits = to_bits(self.constant_real(expr, scope)?);
            return Ok((Type::Double, Reference::constant(Arc::new([bits]))));
        }
        let value = self.constant(expr, scope)?;
        let of = Type::Int {
            low: value,
            high: value,
        };
        Ok((of, Reference::constant(Arc::new([value]))))
    }

    /// A process with its variables and locations; its code comes later.
    fn process(
        &mut self,
        template: &'m Template,
        scope: ScopeId,
        name: String,
        priority: i32,
    ) -> Read<(usize, HashMap<String, usize>)> {
        let process = self.network.processes.len();
        let prefix = format!("{name}.");
        for declaration in &template.declarations {
            self.declaration(declaration, scope, &prefix)?;
        }
        let first = self.network.locations.len();
        let mut locations = HashMap::new();
        for (number, location) in template.locations.iter().enumerate() {
            self.network.locations.push(Location {
                name: location.name.clone(),
                process,
                invariant: Vec::new(),
                rate: None,
                committed: location.committed,
                urgent: location.urgent,
                labels: Vec::new(),
                outgoing: Vec::new(),
                span: location.span,
            });
            if location.is_named {
                locations.insert(location.name.clone(), first + number);
            }
        }
        self.network.processes.push(Process {
            name,
            locations: (first..first + template.locations.len()).collect(),
            initial: vec![first + template.initial],
            priority,
        });
        Ok((process, locations))
    }
}
