//! The steps of a state, by the language's description: internal steps, pairs, broadcasts; committed locations and priorities.

use crate::evaluate::{Cases, all_of, none_of};
use crate::system::Tree;
use crate::value::{Memory, Value};
use entail_clocks::discrete::{ClockConstraint, ClockUpdate, Discrete, Trouble};
use entail_clocks::{Fault, Formula, Meaning, Measure, Measured, Move};
use entail_source::Span;
use entail_uppaal_tree::{Control, Expr, PropertyKind};

/// A model and a query about it.
pub struct Asked<'t, 'm> {
    tree: &'t Tree<'m>,
    property: &'m PropertyKind,
    /// The time within which a game is to be won, or strictly before which.
    limit: Option<(i64, bool)>,
}

/// An edge that can move as far as its own guard is concerned.
#[derive(Clone)]
struct Ready {
    process: usize,
    /// Position among the edges of its process.
    edge: usize,
    guard: Cases,
    channel: Option<(usize, bool)>,
}

/// Edges that move together, and when.
struct Together {
    members: Vec<(usize, usize)>,
    guard: Cases,
    priority: (i32, i32),
    urgent: bool,
}

/// What a step leads to.
struct After {
    updates: Vec<ClockUpdate>,
    cost: i64,
    target: Discrete,
    invariant: Cases,
}

fn at(fault: Fault, span: Span) -> Trouble {
    Trouble { fault, span }
}

impl<'t, 'm> Asked<'t, 'm> {
    /// A query about a model.
    pub fn new(tree: &'t Tree<'m>, property: &'m PropertyKind) -> Asked<'t, 'm> {
        Asked {
            tree,
            property,
            limit: None,
        }
    }

    /// The same, of a game that is to be won within a time, or strictly before it. The time since the start is the value of a clock behind all those of the text.
    pub fn within(self, limit: Option<(i64, bool)>) -> Asked<'t, 'm> {
        Asked { limit, ..self }
    }

    /// What is won at, and what is lost at, when time counts.
    fn in_time(
        &self,
        control: &'m Control,
        [won, lost]: [Cases; 2],
        state: &Discrete,
    ) -> Result<[Cases; 2], Fault> {
        let Some((time, strictly)) = self.limit else {
            return Ok([won, lost]);
        };
        let clock = self.tree.dimension();
        let early = ClockConstraint {
            left: clock,
            right: 0,
            bound: time,
            strict: strictly,
        };
        let mut last = time;
        if let Some(reserve) = (control.soonest.as_ref()).and_then(|limit| limit.reserve.as_ref()) {
            let mut memory = self.tree.memory(state)?;
            match self.tree.value(reserve, &self.tree.global, &mut memory)? {
                Value::Number(number) => last = time.checked_sub(number).ok_or(Fault::Overflow)?,
                _ => return Err(Fault::Overflow),
            }
        }
        let late = ClockConstraint {
            left: 0,
            right: clock,
            bound: -last,
            strict: !strictly,
        };
        let won = all_of(&won, &vec![vec![early]])?;
        let mut lost = lost;
        lost.push(vec![late]);
        let lost = all_of(&lost, &none_of(&won)?)?;
        Ok([won, lost])
    }

    /// What a game is won at, and lost at.
    fn objective(
        &self,
        control: &'m Control,
        evaluate: &dyn Fn(&'m Expr) -> Result<Cases, Fault>,
        state: &Discrete,
    ) -> Result<[Cases; 2], Fault> {
        let won = match &control.goal {
            Some(goal) => evaluate(goal)?,
            None => Vec::new(),
        };
        // Lost is where neither what is to hold until then nor the goal holds.
        let mut lost = Vec::new();
        if let Some(until) = &control.until {
            lost.push(Vec::new());
            for one in [Some(until), control.goal.as_ref()].into_iter().flatten() {
                lost = all_of(&lost, &none_of(&evaluate(one)?)?)?;
            }
        }
        self.in_time(control, [won, lost], state)
    }
}

impl<'m> Tree<'m> {
    /// The memory of a state: its variables, and behind them where its processes are.
    fn memory(&self, state: &Discrete) -> Result<Memory, Fault> {
        let mut memory = self.first.clone();
        let mut numbers = state.integers.iter();
        let is_filled = memory.cells.iter_mut().all(|cell| cell.fill(&mut numbers));
        if !is_filled || numbers.next().is_some() || state.locations.len() != self.processes.len() {
            return Err(Fault::Overflow);
        }
        let location = |&location: &usize| Value::Number(location as i64);
        memory
            .cells
            .push(Value::Array(state.locations.iter().map(location).collect()));
        Ok(memory)
    }

    fn integers(&self, memory: &Memory) -> Vec<i64> {
        let mut found = Vec::new();
        for cell in &memory.cells[..self.first.cells.len()] {
            cell.numbers(&mut found);
        }
        found
    }

    fn location(&self, state: &Discrete, process: usize) -> Result<&'m entail_uppaal_tree::Location, Fault> {
        let own = &self.processes[process];
        let position = state.locations[process].checked_sub(own.first);
        let position = position.ok_or(Fault::Overflow)?;
        own.template.locations.get(position).ok_or(Fault::Overflow)
    }

    /// The invariants of all locations.
    fn invariants(&self, state: &Discrete) -> Result<Cases, Trouble> {
        let mut memory = self.memory(state).map_err(|fault| at(fault, Span::default()))?;
        let mut all: Cases = vec![Vec::new()];
        for (number, process) in self.processes.iter().enumerate() {
            let location = self
                .location(state, number)
                .map_err(|fault| at(fault, Span::default()))?;
            if let Some(invariant) = &location.invariant {
                let tell = |fault| at(fault, location.span);
                let cases = self
                    .evaluate(invariant, &process.scope, &mut memory)
                    .map_err(tell)?;
                all = all_of(&all, &cases.cases().map_err(tell)?).map_err(tell)?;
            }
        }
        Ok(all)
    }

    /// What a unit of time costs in a state, and which clocks stand still: invariants say it, and it is collected while they are evaluated.
    fn rates(&self, state: &Discrete) -> Result<(i64, Vec<usize>), Trouble> {
        let nowhere = |fault| at(fault, Span::default());
        let mut memory = self.memory(state).map_err(nowhere)?;
        for (number, process) in self.processes.iter().enumerate() {
            let location = self.location(state, number).map_err(nowhere)?;
            if let Some(invariant) = &location.invariant {
                self.evaluate(invariant, &process.scope, &mut memory)
                    .map_err(|fault| at(fault, location.span))?;
            }
        }
        Ok((memory.rate, memory.stopped))
    }

    fn ready(&self, state: &Discrete, memory: &mut Memory) -> Result<Vec<Ready>, Trouble> {
        let mut found = Vec::new();
        for (number, process) in self.processes.iter().enumerate() {
            for (position, (_, edge, scope)) in process.edges.iter().enumerate() {
                if process.first + edge.source != state.locations[number] {
                    continue;
                }
                let tell = |fault| at(fault, edge.span);
                let guard = match &edge.guard {
                    Some(guard) => {
                        let cases = self.evaluate(guard, scope, memory).map_err(tell)?;
                        cases.cases().map_err(tell)?
                    }
                    None => vec![Vec::new()],
                };
                if guard.is_empty() {
                    continue;
                }
                let channel = match &edge.sync {
                    Some(sync) => match self.value(&sync.channel, scope, memory).map_err(tell)? {
                        Value::Channel(channel) => Some((channel, sync.sends)),
                        _ => return Err(tell(Fault::Overflow)),
                    },
                    None => None,
                };
                found.push(Ready {
                    process: number,
                    edge: position,
                    guard,
                    channel,
                });
            }
        }
        Ok(found)
    }

    /// All ways to move together, before committed locations and priorities.
    fn together(&self, ready: &[Ready]) -> Result<Vec<Together>, Fault> {
        let mut found = Vec::new();
        for one in ready {
            let Some((channel, true)) = one.channel else {
                if one.channel.is_none() {
                    found.push((vec![(one.process, one.edge)], one.guard.clone(), None));
                }
                continue;
            };
            let hears =
                |other: &&Ready| other.channel == Some((channel, false)) && other.process != one.process;
            if !self.channels[channel].broadcast {
                for other in ready.iter().filter(hears) {
                    let members = vec![(one.process, one.edge), (other.process, other.edge)];
                    found.push((members, all_of(&one.guard, &other.guard)?, Some(channel)));
                }
                continue;
            }
            let mut begun = vec![(vec![(one.process, one.edge)], one.guard.clone())];
            for process in 0..self.processes.len() {
                let own: Vec<&Ready> = ready
                    .iter()
                    .filter(hears)
                    .filter(|one| one.process == process)
                    .collect();
                if own.is_empty() {
                    continue;
                }
                let mut next = Vec::new();
                for (members, guard) in begun {
                    // Nobody of this process hears it: none of its guards holds.
                    let mut silent = guard.clone();
                    for other in &own {
                        silent = all_of(&silent, &none_of(&other.guard)?)?;
                        let longer = [members.as_slice(), &[(process, other.edge)]].concat();
                        next.push((longer, all_of(&guard, &other.guard)?));
                    }
                    if !silent.is_empty() {
                        next.push((members, silent));
                    }
                }
                begun = next;
            }
            found.extend(
                begun
                    .into_iter()
                    .map(|(members, guard)| (members, guard, Some(channel))),
            );
        }
        let with_priority = |(members, guard, channel): (Vec<(usize, usize)>, Cases, Option<usize>)| {
            let level = channel.map_or(self.default_priority, |channel| self.channels[channel].priority);
            let processes = members
                .iter()
                .map(|(process, _)| self.processes[*process].priority);
            Together {
                priority: (level, processes.max().unwrap_or(0)),
                urgent: channel.is_some_and(|channel| self.channels[channel].urgent),
                members,
                guard,
            }
        };
        Ok(found.into_iter().map(with_priority).collect())
    }

    fn is_committed(&self, state: &Discrete, process: usize) -> Result<bool, Fault> {
        Ok(self.location(state, process)?.committed)
    }

    fn candidates(&self, state: &Discrete) -> Result<Vec<Together>, Trouble> {
        let nowhere = |fault| at(fault, Span::default());
        let mut memory = self.memory(state).map_err(nowhere)?;
        let ready = self.ready(state, &mut memory)?;
        let mut found = self.together(&ready).map_err(nowhere)?;
        let mut committed = Vec::new();
        for process in 0..self.processes.len() {
            if self.is_committed(state, process).map_err(nowhere)? {
                committed.push(process);
            }
        }
        if !committed.is_empty() {
            found.retain(|one| one.members.iter().any(|(process, _)| committed.contains(process)));
        }
        Ok(found)
    }

    /// What every step does before its updates, or after them.
    fn run_hooks(&self, before: bool, memory: &mut Memory) -> Result<(), Trouble> {
        for hook in self.hooks.iter().filter(|hook| hook.before == before) {
            for update in &hook.update {
                self.evaluate(update, &self.global, memory)
                    .map_err(|fault| at(fault, hook.span))?;
            }
        }
        Ok(())
    }

    /// Runs the updates of edges that move together; nothing if the integer part of the invariant is false.
    fn after(&self, state: &Discrete, together: &Together) -> Result<Option<After>, Trouble> {
        let mut memory = self.memory(state).map_err(|fault| at(fault, Span::default()))?;
        let mut target = state.clone();
        self.run_hooks(true, &mut memory)?;
        for &(process, position) in &together.members {
            let (_, edge, scope) = &self.processes[process].edges[position];
            for update in &edge.update {
                self.evaluate(update, scope, &mut memory)
                    .map_err(|fault| at(fault, edge.span))?;
            }
            target.locations[process] = self.processes[process].first + edge.target;
        }
        self.run_hooks(false, &mut memory)?;
        target.integers = self.integers(&memory);
        let invariant = self.invariants(&target)?;
        Ok((!invariant.is_empty()).then_some(After {
            updates: memory.updates,
            cost: memory.cost,
            target,
            invariant,
        }))
    }

    /// The clock values before updates from which a constraint holds after them.
    fn earlier(&self, cases: &Cases, updates: &[ClockUpdate]) -> Cases {
        // Where each clock's value comes from.
        let mut origin: Vec<(usize, i64)> = (0..self.dimension()).map(|clock| (clock, 0)).collect();
        for update in updates {
            let (clock, offset) = origin[update.source];
            origin[update.target] = (clock, offset + update.offset);
        }
        let mut found = Vec::new();
        'cases: for case in cases {
            let mut before = Vec::new();
            for one in case {
                let ((left, more), (right, less)) = (origin[one.left], origin[one.right]);
                let bound = one.bound - more + less;
                if left == right {
                    if bound < 0 || (bound == 0 && one.strict) {
                        continue 'cases;
                    }
                    continue;
                }
                before.push(ClockConstraint {
                    left,
                    right,
                    bound,
                    strict: one.strict,
                });
            }
            found.push(before);
        }
        found
    }

    /// The steps of a state: those that no step of a higher priority keeps from being taken.
    fn steps(&self, state: &Discrete) -> Result<Vec<Move>, Trouble> {
        let candidates = self.candidates(state)?;
        let mut blocks: Vec<((i32, i32), Cases)> = Vec::new();
        let lowest = candidates.iter().map(|one| one.priority).min();
        for one in candidates.iter().filter(|one| Some(one.priority) != lowest) {
            if let Some(after) = self.after(state, one)? {
                let arrives = self.earlier(&after.invariant, &after.updates);
                let enabled = all_of(&one.guard, &arrives).map_err(|fault| at(fault, Span::default()))?;
                blocks.push((one.priority, enabled));
            }
        }
        let mut found = Vec::new();
        for one in &candidates {
            let mut guard = one.guard.clone();
            for (priority, enabled) in &blocks {
                if *priority > one.priority {
                    let free = none_of(enabled).and_then(|free| all_of(&guard, &free));
                    guard = free.map_err(|fault| at(fault, Span::default()))?;
                }
            }
            if guard.is_empty() {
                continue;
            }
            let edges: Vec<usize> = one
                .members
                .iter()
                .map(|&(process, position)| self.processes[process].edges[position].0)
                .collect();
            let mut members = one.members.iter();
            let controllable = members.all(|&(process, at)| self.processes[process].edges[at].1.controllable);
            let after = match self.after(state, one) {
                Ok(None) => continue,
                Ok(Some(after)) => Ok(after),
                Err(trouble) => Err(trouble),
            };
            for case in guard {
                match &after {
                    Ok(after) => found.extend(after.invariant.iter().map(|invariant| Move {
                        edges: edges.clone(),
                        guard: case.clone(),
                        updates: after.updates.clone(),
                        invariant: invariant.clone(),
                        target: Ok(after.target.clone()),
                        controllable,
                        cost: after.cost,
                    })),
                    Err(trouble) => found.push(Move {
                        edges: edges.clone(),
                        guard: case,
                        updates: Vec::new(),
                        invariant: Vec::new(),
                        target: Err(*trouble),
                        controllable,
                        cost: 0,
                    }),
                }
            }
        }
        Ok(found)
    }
}

impl<'m> Meaning for Asked<'_, 'm> {
    fn starts(&self) -> Result<Vec<Discrete>, Trouble> {
        let processes = self.tree.processes.iter();
        Ok(vec![Discrete {
            locations: processes.map(|one| one.first + one.template.initial).collect(),
            integers: self.tree.integers(&self.tree.first),
        }])
    }

    fn invariant(&self, state: &Discrete) -> Result<Option<Vec<ClockConstraint>>, Trouble> {
        let mut cases = self.tree.invariants(state)?;
        match cases.len() {
            0 => Ok(None),
            1 => Ok(cases.pop()),
            _ => Err(at(Fault::Cases, Span::default())),
        }
    }

    fn may_delay(&self, state: &Discrete) -> Result<bool, Trouble> {
        for process in 0..self.tree.processes.len() {
            let location = self.tree.location(state, process);
            let location = location.map_err(|fault| at(fault, Span::default()))?;
            if location.committed || location.urgent {
                return Ok(false);
            }
        }
        // A pair or a broadcast over an urgent channel that can move now does not wait.
        let candidates = self.tree.candidates(state)?;
        Ok(!candidates.iter().any(|one| one.urgent && !one.guard.is_empty()))
    }

    fn stopped(&self, state: &Discrete) -> Result<Vec<usize>, Trouble> {
        Ok(self.tree.rates(state)?.1)
    }

    fn rate(&self, state: &Discrete) -> Result<i64, Trouble> {
        Ok(self.tree.rates(state)?.0)
    }

    fn moves(&self, state: &Discrete) -> Result<Vec<Move>, Trouble> {
        self.tree.steps(state)
    }

    fn satisfying(&self, _: &[Formula], position: usize, state: &Discrete) -> Result<Cases, Trouble> {
        let tell = |fault| at(fault, Span::default());
        let evaluate = |expr: &'m Expr| {
            let mut memory = self.tree.memory(state)?;
            self.tree.evaluate(expr, &self.tree.global, &mut memory)?.cases()
        };
        let cases = match (self.property, position) {
            (PropertyKind::Possibly(goal), 0) => evaluate(goal),
            (PropertyKind::Invariantly(goal), 0) => evaluate(goal).and_then(|cases| none_of(&cases)),
            (PropertyKind::PotentiallyAlways(condition), 0) => evaluate(condition),
            (PropertyKind::Eventually(goal) | PropertyKind::LeadsTo(_, goal), 0) => {
                evaluate(goal).and_then(|cases| none_of(&cases))
            }
            (PropertyKind::LeadsTo(condition, _), 1) => evaluate(condition),
            (PropertyKind::Control(control), 0 | 1) => {
                let objective = self.objective(control, &evaluate, state);
                objective.map(|[won, lost]| if position == 0 { won } else { lost })
            }
            (PropertyKind::Supremum(condition, _) | PropertyKind::Infimum(condition, _), 0) => {
                match condition {
                    Some(condition) => evaluate(condition),
                    None => Ok(vec![Vec::new()]),
                }
            }
            _ => Err(Fault::Overflow),
        };
        cases.map_err(tell)
    }

    fn measure(&self, _: &Measure, state: &Discrete) -> Result<Measured, Trouble> {
        let tell = |fault| at(fault, Span::default());
        // How soon something is possible is the value of a clock behind all those of the text.
        let looks_for_states = match self.property {
            PropertyKind::Possibly(_) => true,
            PropertyKind::Control(control) => control.cooperative,
            _ => false,
        };
        if looks_for_states {
            return Ok(Measured::Clock(self.tree.dimension()));
        }
        let (PropertyKind::Supremum(_, all) | PropertyKind::Infimum(_, all)) = self.property else {
            return Err(tell(Fault::Overflow));
        };
        let [one] = all.as_slice() else {
            return Err(tell(Fault::Overflow));
        };
        let mut memory = self.tree.memory(state).map_err(tell)?;
        match self
            .tree
            .value(one, &self.tree.global, &mut memory)
            .map_err(tell)?
        {
            Value::Number(number) => Ok(Measured::Number(number)),
            Value::Clock(clock) => Ok(Measured::Clock(clock)),
            _ => Err(tell(Fault::Overflow)),
        }
    }
}
