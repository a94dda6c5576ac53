//! Which processes of a network depend on each other beyond the steps that they take together.
//!
//! Processes that use the same clock, or an integer that some edge changes, read what others did at a moment: time must pass in them together. So must it where a step depends on what
//! processes are doing that do not take part in it: those that may hear a broadcast, and partners of a synchronisation of which one is weak. All others meet in joint steps only; then
//! independent steps can be taken in any order, as in Bengtsson, Jonsson, Lilius, Yi (1998).

use entail_clocks::{ClockName, Condition, Edge, Expression, Function, Network, Place, Statement};

/// The finest division of the processes in which parts meet in joint steps only.
#[derive(Debug)]
pub(crate) struct Components {
    of_process: Vec<usize>,
    /// By clock, with the reference clock first; clocks that no process uses belong to the first component.
    of_clock: Vec<usize>,
    count: usize,
}

/// What a process uses.
struct Uses<'n> {
    network: &'n Network,
    integers: Vec<bool>,
    /// Of the integers, those that it changes.
    changes: Vec<bool>,
    clocks: Vec<bool>,
}

impl Uses<'_> {
    fn of(network: &Network, process: usize) -> Uses<'_> {
        let mut uses = Uses {
            network,
            integers: vec![false; network.integers.len()],
            changes: vec![false; network.integers.len()],
            clocks: vec![false; network.dimension()],
        };
        for &location in &network.processes[process].locations {
            let location = &network.locations[location];
            uses.conditions(&location.invariant);
            location.rate.iter().for_each(|rate| uses.expression(rate));
            for &edge in &location.outgoing {
                uses.edge(&network.edges[edge]);
            }
        }
        uses
    }

    fn edge(&mut self, edge: &Edge) {
        self.conditions(&edge.guard);
        self.statements(&edge.action);
        let index = edge.signal.as_ref().and_then(|signal| signal.index.as_ref());
        index.iter().for_each(|index| self.expression(index));
    }

    fn conditions(&mut self, conditions: &[Condition]) {
        for condition in conditions {
            match condition {
                Condition::Integer(expression) => self.expression(expression),
                Condition::Clock {
                    left, right, bound, ..
                } => {
                    self.clock(left);
                    self.clock(right);
                    self.expression(bound);
                }
                Condition::When(expression, inner) => {
                    self.expression(expression);
                    self.conditions(inner);
                }
            }
        }
    }

    fn clock(&mut self, name: &ClockName) {
        name.candidates().for_each(|clock| self.clocks[clock] = true);
        name.index.iter().for_each(|index| self.expression(index));
    }

    fn place(&mut self, place: &Place, is_changed: bool) {
        for slot in place.base..place.base + place.size.max(1) {
            // Slots behind the integers are local.
            if slot < self.network.integers.len() {
                self.integers[slot] = true;
                self.changes[slot] |= is_changed;
            }
        }
        place.index.iter().for_each(|index| self.expression(index));
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Constant(_) => {}
            Expression::Read(place) => self.place(place, false),
            Expression::Negate(inner)
            | Expression::Not(inner)
            | Expression::Index(inner, _)
            | Expression::Ranged(inner, ..)
            | Expression::Table(_, inner) => self.expression(inner),
            Expression::Binary(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            Expression::Choice(parts) => parts.iter().for_each(|part| self.expression(part)),
            Expression::Call(function, arguments) => self.call(function, arguments),
            Expression::Real(_, arguments) => arguments.iter().for_each(|argument| self.expression(argument)),
        }
    }

    fn call(&mut self, function: &Function, arguments: &[Expression]) {
        arguments.iter().for_each(|argument| self.expression(argument));
        self.statements(&function.body);
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Assign { target, value, .. } => {
                    self.place(target, true);
                    self.expression(value);
                }
                Statement::Clock {
                    target,
                    source,
                    offset,
                    ..
                } => {
                    self.clock(target);
                    self.clock(source);
                    self.expression(offset);
                }
                Statement::If(condition, then, otherwise) => {
                    self.expression(condition);
                    self.statements(then);
                    self.statements(otherwise);
                }
                Statement::While(condition, body) => {
                    self.expression(condition);
                    self.statements(body);
                }
                Statement::Clear(..) => {}
                Statement::Return(value) => value.iter().for_each(|value| self.expression(value)),
                Statement::Call {
                    function,
                    arguments,
                    result,
                    ..
                } => {
                    self.call(function, arguments);
                    result.iter().for_each(|place| self.place(place, true));
                }
                Statement::Assert(expression, _) | Statement::Cost(expression, _) => {
                    self.expression(expression);
                }
                Statement::Draw {
                    target, parameters, ..
                } => {
                    self.place(target, true);
                    parameters.iter().for_each(|parameter| self.expression(parameter));
                }
            }
        }
    }
}

/// Classes of processes that grow together (union, find).
struct Classes(Vec<usize>);

impl Classes {
    fn find(&self, process: usize) -> usize {
        match self.0[process] {
            parent if parent == process => process,
            parent => self.find(parent),
        }
    }

    fn join(&mut self, processes: impl IntoIterator<Item = usize>) {
        let mut processes = processes.into_iter();
        let Some(first) = processes.next() else { return };
        for process in processes {
            let (one, other) = (self.find(first), self.find(process));
            self.0[one.max(other)] = one.min(other);
        }
    }
}

impl Components {
    /// Divides the processes of a network; the error says why time cannot pass in some of them alone.
    pub fn of(network: &Network) -> Result<Components, String> {
        let refused = |what: &str| {
            Err(format!(
                "time cannot pass in each process on its own where there are {what}"
            ))
        };
        if network.has_priorities() {
            return refused("priorities");
        }
        if network.channels.iter().any(|channel| channel.urgent) {
            return refused("urgent channels");
        }
        if !network.stopwatches.is_empty() {
            return refused("stopwatches");
        }
        let all = 0..network.processes.len();
        let uses: Vec<Uses<'_>> = all.clone().map(|process| Uses::of(network, process)).collect();
        let mut classes = Classes(all.clone().collect());
        for clock in 1..network.dimension() {
            classes.join(all.clone().filter(|&process| uses[process].clocks[clock]));
        }
        for integer in 0..network.integers.len() {
            if uses.iter().any(|one| one.changes[integer]) {
                classes.join(all.clone().filter(|&process| uses[process].integers[integer]));
            }
        }
        for synchronisation in &network.synchronisations {
            if synchronisation.partners.iter().any(|partner| partner.weak) {
                classes.join(synchronisation.partners.iter().map(|partner| partner.process));
            }
        }
        for (number, channel) in network.channels.iter().enumerate() {
            let uses_it = |edge: &&Edge| {
                let signal = edge.signal.as_ref();
                signal.is_some_and(|signal| (signal.base..signal.base + signal.size).contains(&number))
            };
            if channel.broadcast {
                classes.join(network.edges.iter().filter(uses_it).map(|edge| edge.process));
            }
        }
        let roots: Vec<usize> = all
            .clone()
            .filter(|&process| classes.find(process) == process)
            .collect();
        let number = |process: usize| {
            let root = classes.find(process);
            roots.iter().position(|&one| one == root).unwrap_or(0)
        };
        let user = |clock: usize| all.clone().find(|&process| uses[process].clocks[clock]);
        Ok(Components {
            of_clock: (0..network.dimension())
                .map(|clock| user(clock).map_or(0, number))
                .collect(),
            of_process: all.clone().map(number).collect(),
            count: roots.len(),
        })
    }

    /// Their number.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The component of a process.
    pub fn of_process(&self, process: usize) -> usize {
        self.of_process[process]
    }

    /// The component of a clock; of the reference clock no one in particular.
    pub fn of_clock(&self, clock: usize) -> usize {
        self.of_clock[clock]
    }
}
