//! One process type: what the steps from each location touch, and what may be touched from there on.

use super::access::{self, Access, Manner, Target, Unbounded};
use super::footprint::{ChannelSet, Footprint};
use super::statics::{Known, Late, Marked, Objects, Operation, Sketch, cells, channels};
use crate::program::steps::code::Compiler;
use crate::program::steps::layout::Layout;
use entail_program::{
    Action, Binary, Edge, Expression, Location, LocationId, Pattern, Probe, ProcessTypeId, Program, Scope,
};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// A set of small numbers.
type Bits = Vec<u64>;

fn insert(bits: &mut Bits, number: usize) {
    bits[number / 64] |= 1 << (number % 64);
}

fn has(bits: &Bits, number: usize) -> bool {
    bits[number / 64] >> (number % 64) & 1 == 1
}

fn members(bits: &Bits) -> impl Iterator<Item = usize> + '_ {
    let filled = bits.iter().enumerate().filter(|(_, word)| **word != 0);
    filled.flat_map(|(index, &word)| {
        let numbers = (0..64).filter(move |bit| word >> bit & 1 == 1);
        numbers.map(move |bit| index * 64 + bit)
    })
}

struct Analysis<'a> {
    program: &'a Program,
    objects: &'a Objects,
    compiler: Compiler<'a>,
    kind: ProcessTypeId,
    locations: &'a [Location],
    /// By location: those that can be reached from it by at least one step.
    reach: Vec<Rc<Bits>>,
    /// By location: the local cells that keep their values from there on as long as they are used.
    settled: Vec<Bits>,
    /// By location: which edge can be executed matters to others there.
    sensitive: Vec<bool>,
    /// By location: a process may pass it without stopping.
    passed: Vec<bool>,
    /// By location: what is done with channels there is never waited for in the middle of a step.
    assured: Vec<bool>,
    /// By location: those that a step from it can pass.
    chains: Vec<Rc<Bits>>,
    used: BTreeSet<u32>,
}

/// The channel that an action sends to or receives from, and whether any message may be received.
fn channel_of(action: &Action) -> (Option<&Expression>, bool) {
    match action {
        Action::Send { channel, .. } => (Some(channel), false),
        Action::Receive {
            channel, anywhere, ..
        } => (Some(channel), *anywhere),
        _ => (None, false),
    }
}

/// What is known of each location, and the local cells that late accesses depend on.
pub fn analyse(
    program: &Program,
    layout: &Layout,
    objects: &Objects,
    kind: ProcessTypeId,
    marked: &Marked,
    wholes: &[Footprint],
) -> Result<(Vec<Known>, Vec<u32>), Unbounded> {
    let process = program.process(kind);
    let locations = &process.locations;
    let count = locations.len();
    let inside = sequences(locations);
    let mut analysis = Analysis {
        program,
        objects,
        compiler: Compiler {
            layout,
            process: Some(kind),
        },
        kind,
        locations,
        reach: reach(count, |at| locations[at].edges.iter().flat_map(next).collect()),
        settled: Vec::new(),
        sensitive: (0..count)
            .map(|at| {
                let edges = &locations[at].edges;
                inside[at]
                    || edges.iter().any(|edge| edge.rank != edges[0].rank)
                    || edges
                        .iter()
                        .any(|edge| matches!(edge.actions.first(), Some(Action::Else)))
            })
            .collect(),
        passed: vec![false; count],
        assured: vec![true; count],
        chains: Vec::new(),
        used: BTreeSet::new(),
    };
    for edge in locations.iter().flat_map(|location| &location.edges) {
        if edge.keeps_control && edge.target != LocationId::DONE {
            analysis.passed[edge.target.index()] = true;
        }
    }
    for at in (0..count).filter(|&at| inside[at]) {
        analysis.passed[at] = true;
    }
    analysis.settled = analysis.settle(process.cells.len());
    analysis.chains = reach(count, |at| {
        let follows = locations[at].edges.iter().flat_map(|edge| {
            let on = edge.keeps_control || inside[at] || may_answer(program, locations, edge);
            next(edge).filter(move |&other| on || other != edge.target.index())
        });
        follows.collect()
    });
    analysis.assure(process.start)?;
    let mut known = Vec::with_capacity(count);
    let mut futures: HashMap<(*const Bits, Bits), Sketch> = HashMap::new();
    for at in 0..count {
        let chain = Rc::clone(&analysis.chains[at]);
        let mut now = analysis.now(at, &chain)?;
        // The future of locations on one loop differs only in which cells are settled.
        let alike = analysis
            .loop_of(at)
            .map(|together| (together, analysis.settled[at].clone()));
        let known_future = alike.as_ref().and_then(|alike| futures.get(alike));
        let is_known = known_future.is_some();
        now.future = match known_future {
            Some(future) => Sketch::clone(future),
            None => analysis.future(at, wholes)?,
        };
        let sketches = [Some(&mut now.now), (!is_known).then_some(&mut now.future)];
        for sketch in sketches.into_iter().flatten() {
            if let Some(provided) = &process.provided {
                let mut found = Vec::new();
                access::of_expression(provided, &mut |access| found.push(access))?;
                for access in &found {
                    analysis.add(at, access, true, sketch);
                }
            }
        }
        let near: Vec<usize> = members(&chain).chain([at]).collect();
        let far: Vec<usize> = match is_known {
            true => Vec::new(),
            false => members(&analysis.reach[at]).chain([at]).collect(),
        };
        let observed = |at: usize| locations[at].is_observed;
        let marks = |at: usize| marked[kind.0 as usize][at];
        let (place, mark) = (objects.locations[kind.0 as usize], objects.marks[kind.0 as usize]);
        for (sketch, from) in [(&mut now.now, &near), (&mut now.future, &far)] {
            if passes(locations, from, observed) {
                sketch.certain.writes.insert(place);
            }
            if passes(locations, from, marks) {
                sketch.certain.writes.insert(mark);
            }
        }
        if let Some(alike) = alike.filter(|_| !is_known) {
            futures.insert(alike, now.future.clone());
        }
        known.push(now);
    }
    Ok((known, analysis.used.into_iter().collect()))
}

/// Whether a step from one of these locations begins or ends at a location of some sort.
fn passes(locations: &[Location], from: &[usize], is_such: impl Fn(usize) -> bool) -> bool {
    let begins = |&from: &usize| is_such(from);
    let ends = |&from: &usize| locations[from].edges.iter().flat_map(next).any(&is_such);
    from.iter().any(|from| begins(from) || ends(from))
}

/// The locations an edge leads to, and the first of a sequence inside it.
fn next(edge: &Edge) -> impl Iterator<Item = usize> + '_ {
    let entries = edge.actions.iter().filter_map(|action| match action {
        Action::Deterministic(entry) => Some(*entry),
        _ => None,
    });
    entries
        .chain([edge.target])
        .filter(|&target| target != LocationId::DONE)
        .map(LocationId::index)
}

/// Whether the step that an edge begins may come back to where the edge leads: a partner is met, who then has control and may send something that is waited for there.
fn may_answer(program: &Program, locations: &[Location], edge: &Edge) -> bool {
    let meets = program.channels.iter().any(|channel| channel.capacity == 0);
    let waits = |edge: &Edge| matches!(edge.actions.first(), Some(Action::Receive { .. }));
    meets
        && edge.target != LocationId::DONE
        && matches!(edge.actions.first(), Some(Action::Send { .. }))
        && locations[edge.target.index()].edges.iter().any(waits)
}

/// What must be so of channels if a condition holds.
fn offered<'a>(condition: &'a Expression, offers: &mut Vec<(&'a Expression, Manner)>) {
    match condition {
        Expression::Binary(Binary::And, left, right) => {
            offered(left, offers);
            offered(right, offers);
        }
        Expression::Probe(Probe::NotEmpty, channel) => offers.push((channel, Manner::Peek)),
        Expression::Probe(Probe::NotFull, channel) => offers.push((channel, Manner::Room)),
        Expression::Poll { channel, .. } => offers.push((channel, Manner::Peek)),
        _ => {}
    }
}

/// By location: whether it is inside a deterministic sequence.
fn sequences(locations: &[Location]) -> Vec<bool> {
    let mut inside = vec![false; locations.len()];
    let entries = locations
        .iter()
        .flat_map(|location| &location.edges)
        .flat_map(|edge| next(edge).filter(|&other| other != edge.target.index()));
    let mut pending: Vec<usize> = entries.collect();
    while let Some(at) = pending.pop() {
        if !std::mem::replace(&mut inside[at], true) {
            pending.extend(locations[at].edges.iter().flat_map(next));
        }
    }
    inside
}

/// By location: what can be reached along these steps. A location reaches itself if it is on a cycle; locations that reach each other share one set, so
/// that a loop with thousands of options costs as much as one of its locations.
fn reach(count: usize, follow: impl Fn(usize) -> Vec<usize>) -> Vec<Rc<Bits>> {
    let follows: Vec<Vec<usize>> = (0..count).map(follow).collect();
    let mut precedes: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (at, others) in follows.iter().enumerate() {
        others.iter().for_each(|&other| precedes[other].push(at));
    }
    let along = |steps: &[Vec<usize>], start: usize| {
        let mut seen: Bits = vec![0; count.div_ceil(64)];
        let mut pending = steps[start].clone();
        while let Some(at) = pending.pop() {
            if !has(&seen, at) {
                insert(&mut seen, at);
                pending.extend(&steps[at]);
            }
        }
        seen
    };
    let mut known: Vec<Option<Rc<Bits>>> = vec![None; count];
    for start in 0..count {
        if known[start].is_some() {
            continue;
        }
        let reached = Rc::new(along(&follows, start));
        if has(&reached, start) {
            let back = along(&precedes, start);
            for at in members(&reached).filter(|&at| has(&back, at)) {
                known[at] = Some(Rc::clone(&reached));
            }
        }
        known[start] = Some(reached);
    }
    known.into_iter().flatten().collect()
}

impl<'a> Analysis<'a> {
    /// Settled cells: no assignment can be reached after which the cell is still used.
    fn settle(&self, count: usize) -> Vec<Bits> {
        let words = count.div_ceil(64).max(1);
        let none = vec![0u64; words];
        // By location: cells used by its edges, and cells assigned there.
        let mut uses = vec![none.clone(); self.locations.len()];
        let mut assigns = vec![none.clone(); self.locations.len()];
        for (at, location) in self.locations.iter().enumerate() {
            for action in location.edges.iter().flat_map(|edge| &edge.actions) {
                // Whatever cannot be said of the action was said before.
                let _ = access::of_action(self.program, self.kind, action, &mut |access| {
                    let Target::Place(place) = access.target else {
                        return;
                    };
                    if !matches!(place.scope, Scope::Local) || access.foreign {
                        return;
                    }
                    let noted = match access.manner {
                        Manner::Write => &mut assigns[at],
                        _ => &mut uses[at],
                    };
                    cells(place).for_each(|cell| insert(noted, cell as usize));
                });
            }
        }
        // By location: the union over what can be reached from it and itself.
        let joined = |sets: &[Bits]| -> Vec<Bits> {
            let mut of_loops: HashMap<*const Bits, Bits> = HashMap::new();
            let union = |from: usize| {
                let mut all = none.clone();
                for other in members(&self.reach[from]).chain([from]) {
                    all.iter_mut()
                        .zip(&sets[other])
                        .for_each(|(all, set)| *all |= set);
                }
                all
            };
            let each = (0..self.locations.len()).map(|from| match self.loop_of(from) {
                Some(together) => of_loops.entry(together).or_insert_with(|| union(from)).clone(),
                None => union(from),
            });
            each.collect()
        };
        let later = joined(&uses);
        // An assignment matters if its own edges or anything behind them uses the cell.
        let matters: Vec<Bits> = (0..self.locations.len())
            .map(|at| {
                let mut used = uses[at].clone();
                for target in self.locations[at].edges.iter().flat_map(next) {
                    used.iter_mut()
                        .zip(&later[target])
                        .for_each(|(used, later)| *used |= later);
                }
                used.iter()
                    .zip(&assigns[at])
                    .map(|(used, assigned)| used & assigned)
                    .collect()
            })
            .collect();
        let unsettled = joined(&matters);
        (unsettled.iter())
            .map(|cells| cells.iter().map(|unsettled| !unsettled).collect())
            .collect()
    }

    /// What tells the locations apart that reach each other; nothing for a location that is on no cycle.
    fn loop_of(&self, at: usize) -> Option<*const Bits> {
        has(&self.reach[at], at).then(|| Rc::as_ptr(&self.reach[at]))
    }

    /// Whether an expression has the same value whenever it is evaluated from a location on.
    fn is_settled(&self, at: usize, expression: &Expression) -> bool {
        match expression {
            Expression::Constant(_) | Expression::ProcessNumber => true,
            Expression::Unary(_, operand) => self.is_settled(at, operand),
            Expression::Binary(_, left, right) => self.is_settled(at, left) && self.is_settled(at, right),
            Expression::Conditional(parts) => parts.iter().all(|part| self.is_settled(at, part)),
            Expression::Load(place) => {
                place
                    .indices
                    .iter()
                    .all(|index| self.is_settled(at, &index.value))
                    && match &place.scope {
                        Scope::Local => cells(place).all(|cell| has(&self.settled[at], cell as usize)),
                        Scope::Global => {
                            cells(place).all(|cell| self.objects.globals[cell as usize].is_none())
                        }
                        Scope::Unseen | Scope::Remote(..) => false,
                    }
            }
            _ => false,
        }
    }

    /// The local cells in an expression are part of what tells its value.
    fn use_cells(&mut self, expression: &Expression) {
        expression.visit(&mut |inner| {
            if let Expression::Load(place) = inner
                && matches!(place.scope, Scope::Local)
            {
                self.used.extend(cells(place));
            }
        });
    }

    /// An access whose operand the state tells, if that is so and if it is worth it.
    fn late(&self, access: &Access<'_>) -> Option<Late> {
        match access.target {
            Target::Place(place) if matches!(place.scope, Scope::Global) => {
                let objects = self.objects.of_place(None, place);
                let spot = self.compiler.spot(place).ok()?;
                (objects.len() > 1).then_some(Late::Element(spot, access.manner, objects))
            }
            Target::Channel(channel) => Some(Late::Channel(self.compiler.code(channel).ok()?, access.manner)),
            _ => None,
        }
    }

    /// Adds an access that is made somewhere from a location on.
    fn add(&mut self, at: usize, access: &Access<'a>, sensitive: bool, sketch: &mut Sketch) {
        let operands: Vec<&Expression> = match access.target {
            Target::Place(place) => place.indices.iter().map(|index| &index.value).collect(),
            Target::Channel(channel) => vec![channel],
            _ => Vec::new(),
        };
        let settled = !access.foreign && operands.iter().all(|operand| self.is_settled(at, operand));
        let probed = sensitive && matches!(access.target, Target::Channel(_));
        match self.late(access).filter(|_| settled) {
            Some(late) => {
                operands.iter().for_each(|operand| self.use_cells(operand));
                if let (Late::Channel(code, _), true) = (&late, probed) {
                    sketch.late.push(Late::Channel(code.clone(), Manner::Probe));
                }
                sketch.late.push(late);
            }
            None => {
                self.objects
                    .add(self.program, Some(self.kind), access, &mut sketch.certain);
                if probed {
                    channels(&mut sketch.certain, Manner::Probe).add(&ChannelSet::ALL);
                }
            }
        }
    }

    fn accesses(&self, action: &'a Action) -> Result<Vec<Access<'a>>, Unbounded> {
        let mut found = Vec::new();
        access::of_action(self.program, self.kind, action, &mut |access| found.push(access))?;
        Ok(found)
    }

    /// What the steps from a location touch; `chain` are the locations they can pass.
    fn now(&mut self, at: usize, chain: &Bits) -> Result<Known, Unbounded> {
        let mut known = Known::default();
        let mut later: Vec<(usize, &Action)> = Vec::new();
        for edge in &self.locations[at].edges {
            for (position, action) in edge.actions.iter().enumerate() {
                match position {
                    0 => self.first(at, action, &mut known)?,
                    _ => later.push((at, action)),
                }
            }
        }
        for other in members(chain) {
            let actions = self.locations[other].edges.iter().flat_map(|edge| &edge.actions);
            later.extend(actions.map(|action| (other, action)));
        }
        for (place, action) in later {
            let (own, anywhere) = channel_of(action);
            for access in self.accesses(action)? {
                match access.target {
                    Target::Channel(channel)
                        if !self.is_repeated(place)
                            && own.is_some_and(|own| std::ptr::eq(own, channel))
                            && self.is_settled(at, channel) =>
                    {
                        let code = self.compiler.code(channel);
                        let code = code.map_err(|_| Unbounded("an unusual channel"))?;
                        known.later.push(Operation {
                            channel: code,
                            manner: access.manner,
                            anywhere,
                        });
                    }
                    _ => self.add(at, &access, true, &mut known.now),
                }
            }
        }
        Ok(known)
    }

    /// What the first action of an edge touches: its operands have the values they have in the state.
    fn first(&mut self, at: usize, action: &'a Action, known: &mut Known) -> Result<(), Unbounded> {
        let (own, anywhere) = channel_of(action);
        known.ends |= matches!(action, Action::End);
        // Fields are bound one after the other, so a later one may see an earlier one.
        let binds = matches!(action, Action::Receive { patterns, .. }
            if patterns.iter().any(|pattern| matches!(pattern, Pattern::Bind(_))));
        for access in self.accesses(action)? {
            let late = self.late(&access).filter(|_| !access.foreign);
            match (&access.target, late) {
                (Target::Channel(channel), Some(Late::Channel(code, manner)))
                    if own.is_some_and(|own| std::ptr::eq(own, *channel))
                        || matches!(manner, Manner::Peek | Manner::Room) =>
                {
                    known.firsts.push(Operation {
                        channel: code,
                        manner,
                        anywhere,
                    });
                }
                (_, Some(late)) if !(binds && access.manner == Manner::Write) => known.immediate.push(late),
                _ => self.add(at, &access, true, &mut known.now),
            }
        }
        Ok(())
    }

    /// Whether a step can pass a location more than once.
    fn is_repeated(&self, at: usize) -> bool {
        has(&self.chains[at], at)
    }

    /// Finds out where nobody ever waits for a channel in the middle of a step, because the step began with a look at it: the largest set of
    /// such locations, by leaving out more and more.
    fn assure(&mut self, start: Option<LocationId>) -> Result<(), Unbounded> {
        let locations = self.locations;
        loop {
            let mut rests = vec![false; locations.len()];
            rests.iter_mut().enumerate().for_each(|(at, rests)| {
                let waits = |edge: &Edge| match edge.actions.first() {
                    Some(Action::Send { .. } | Action::Receive { .. }) => !self.assured[at],
                    Some(Action::Assign(..) | Action::Skip | Action::Print(..)) | None => false,
                    Some(_) => true,
                };
                *rests = start == Some(LocationId(at as u16)) || locations[at].edges.iter().any(waits);
            });
            for edge in locations.iter().flat_map(|location| &location.edges) {
                if !edge.keeps_control && edge.target != LocationId::DONE {
                    rests[edge.target.index()] = true;
                }
            }
            let mut changed = false;
            for head in (0..locations.len()).filter(|&head| rests[head]) {
                for edge in locations[head].edges.iter().filter(|edge| edge.keeps_control) {
                    for at in self.unassured(head, edge)? {
                        changed |= std::mem::replace(&mut self.assured[at], false);
                    }
                }
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// The locations behind an edge at which a step that begins with it may have to wait for a channel.
    fn unassured(&self, head: usize, edge: &'a Edge) -> Result<Vec<usize>, Unbounded> {
        let target = edge.target.index();
        let mut region: Vec<usize> = members(&self.chains[target]).collect();
        if !region.contains(&target) {
            region.push(target);
        }
        let mut offers: Vec<(&Expression, Manner)> = Vec::new();
        if let Some(Action::Guard(condition)) = edge.actions.first() {
            offered(condition, &mut offers);
        }
        let mut operations: Vec<(usize, &Expression, Manner, bool)> = Vec::new();
        for &at in &region {
            for action in self.locations[at].edges.iter().flat_map(|edge| &edge.actions) {
                let (own, anywhere) = channel_of(action);
                for access in self.accesses(action)? {
                    if let Target::Channel(channel) = access.target {
                        let is_own = own.is_some_and(|own| std::ptr::eq(own, channel));
                        operations.push((at, channel, access.manner, is_own && !anywhere));
                    }
                }
            }
        }
        let assured = |&(at, channel, manner, simple): &(usize, &Expression, Manner, bool)| {
            let wanted = match manner {
                Manner::Send => Manner::Room,
                Manner::Receive => Manner::Peek,
                _ => return false,
            };
            let alike = operations
                .iter()
                .filter(|(_, other, how, _)| *how == manner && *other == channel);
            simple
                && !self.is_repeated(at)
                && self.is_settled(head, channel)
                && offers.contains(&(channel, wanted))
                && alike.count() == 1
        };
        let doubtful = operations.iter().filter(|operation| !assured(operation));
        Ok(doubtful.map(|(at, ..)| *at).collect())
    }

    /// What may be touched from a location on.
    fn future(&mut self, at: usize, wholes: &[Footprint]) -> Result<Sketch, Unbounded> {
        let mut sketch = Sketch::default();
        let mut seen: Vec<(Access<'a>, bool)> = Vec::new();
        let mut locations: Vec<usize> = members(&self.reach[at]).collect();
        if !has(&self.reach[at], at) {
            locations.push(at);
        }
        for other in locations {
            let sensitive = self.sensitive[other] || self.passed[other] && !self.assured[other];
            for action in self.locations[other].edges.iter().flat_map(|edge| &edge.actions) {
                for access in self.accesses(action)? {
                    if let Target::Starts(kind) = access.target {
                        sketch.certain.add(&wholes[kind.0 as usize]);
                    }
                    let entry = (access, sensitive);
                    if !seen.contains(&entry) {
                        self.add(at, &entry.0, sensitive, &mut sketch);
                        seen.push(entry);
                    }
                }
            }
        }
        Ok(sketch)
    }
}
