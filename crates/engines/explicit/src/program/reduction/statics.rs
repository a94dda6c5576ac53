//! What can be said of a program's locations before there is a state: what the steps from a location touch, and what all steps touch that a
//! process may make from there on.
//!
//! Operands of which only the state tells what they mean (the channel in a parameter, the element with the process's own number) stay
//! expressions where the variables in them keep their values; otherwise every element, or every channel, counts.

use super::access::{self, Access, Manner, Target, Unbounded};
use super::analysis::analyse;
use super::footprint::{ChannelSet, Footprint};
use crate::program::steps::action::{Compiled, Working};
use crate::program::steps::code::{Code, Compiler, Spot};
use crate::program::steps::layout::Layout;
use entail_program::{Action, Expression, Place, ProcessTypeId, Program, Scope};
use rustc_hash::{FxHashMap, FxHashSet};

/// Arrays with more elements are one thing.
const MOST_ELEMENTS: u32 = 32;

/// An access whose operand is computed when there is a state.
#[derive(Clone, Debug)]
pub enum Late {
    /// An element of a global array; the objects of all elements if it is none.
    Element(Spot, Manner, Vec<usize>),
    Channel(Code, Manner),
}

/// What is touched: what is certain, and what the state has to tell.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    pub certain: Footprint,
    pub late: Vec<Late>,
}

/// Something a step does with a channel, judged by how many messages are in it.
#[derive(Clone, Debug)]
pub struct Operation {
    pub channel: Code,
    pub manner: Manner,
    /// Any message may be received, not only the first.
    pub anywhere: bool,
}

/// What is known of a location.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// What the steps from here touch, besides the next three.
    pub now: Sketch,
    /// What the first actions do with channels.
    pub firsts: Vec<Operation>,
    /// What later actions of the same steps do with channels, each at most once.
    pub later: Vec<Operation>,
    /// What else the first actions touch. The operands are those of the state, whatever they are later.
    pub immediate: Vec<Late>,
    /// What may be touched from here on.
    pub future: Sketch,
    /// A process here waits until it is the youngest and ends.
    pub ends: bool,
}

/// What is known of a program.
#[derive(Debug)]
pub struct Statics {
    /// For each process type and location.
    pub known: Vec<Vec<Known>>,
    /// For each process type: where the local variables are that late accesses depend on, and how many bytes they have.
    pub keys: Vec<Vec<(usize, usize)>>,
    objects: Objects,
}

/// Numbers of the things that processes share.
#[derive(Debug, Default)]
pub struct Objects {
    /// By global cell; none for what is never written.
    pub globals: Vec<Option<usize>>,
    /// By process type and cell, those that others look at.
    locals: FxHashMap<(u8, u32), usize>,
    /// By process type: where its processes are.
    pub locations: Vec<usize>,
    /// By process type: whether its processes are at marked locations.
    pub marks: Vec<usize>,
    /// By byte of the state.
    bytes: Vec<Option<usize>>,
}

/// Locations that a requirement looks at.
pub type Marked = Vec<Vec<bool>>;

impl Statics {
    /// Analyses a program; `marked` are the locations the requirement looks at.
    pub fn new(program: &Program, layout: &Layout, marked: &Marked) -> Result<Statics, Unbounded> {
        let live = live(program);
        let objects = Objects::new(program, layout, &live)?;
        let wholes = wholes(program, &objects, marked, &live)?;
        let mut known = Vec::new();
        let mut keys = Vec::new();
        for (position, process) in program.processes.iter().enumerate() {
            if !live[position] {
                known.push(Vec::new());
                keys.push(Vec::new());
                continue;
            }
            let kind = ProcessTypeId(position as u8);
            let (locations, used) = analyse(program, layout, &objects, kind, marked, &wholes)?;
            known.push(locations);
            let place = |cell: u32| {
                let cell = cell as usize;
                (layout.cells[position][cell], process.cells[cell].kind.bytes())
            };
            keys.push(used.into_iter().map(place).collect());
        }
        Ok(Statics { known, keys, objects })
    }

    /// What late accesses touch in a state.
    pub fn late(
        &self,
        compiled: &Compiled,
        state: &Working,
        who: (usize, usize),
        accesses: &[Late],
    ) -> Footprint {
        let mut found = Footprint::default();
        for access in accesses {
            match access {
                Late::Element(spot, manner, all) => {
                    match compiled.evaluate(state, who, false, |view| view.locate(spot)) {
                        Ok(Some(byte)) => {
                            if let Some(object) = self.objects.bytes.get(byte).copied().flatten() {
                                touch(&mut found, object, *manner);
                            }
                        }
                        _ => all.iter().for_each(|&object| touch(&mut found, object, *manner)),
                    }
                }
                Late::Channel(code, manner) => {
                    match compiled.evaluate(state, who, false, |view| view.value(code)) {
                        Ok(number) => {
                            if let Ok(number @ 1..) = u8::try_from(number) {
                                channels(&mut found, *manner).insert(number);
                            }
                        }
                        Err(_) => channels(&mut found, *manner).add(&ChannelSet::ALL),
                    }
                }
            }
        }
        found
    }

    /// What conditions read, from outside of all processes.
    pub fn of_conditions<'a>(
        &self,
        program: &Program,
        compiled: &Compiled,
        conditions: impl IntoIterator<Item = &'a Expression>,
        marks: bool,
    ) -> Result<Footprint, Unbounded> {
        let compiler = Compiler {
            layout: &compiled.layout,
            process: None,
        };
        let initial = compiled.initial().ok();
        let mut read = Footprint::default();
        for condition in conditions {
            access::of_expression(condition, &mut |access| {
                let constant = match access.target {
                    Target::Channel(channel) if self.objects.is_constant(channel) => {
                        compiler.code(channel).ok()
                    }
                    _ => None,
                };
                match (constant, &initial) {
                    (Some(code), Some(initial)) => {
                        let late = [Late::Channel(code, access.manner)];
                        read.add(&self.late(compiled, initial, (0, 0), &late));
                    }
                    _ => self.objects.add(program, None, &access, &mut read),
                }
            })?;
        }
        if marks {
            let marks = &self.objects.marks;
            marks.iter().for_each(|&object| read.reads.insert(object));
        }
        Ok(read)
    }
}

impl Objects {
    fn new(program: &Program, layout: &Layout, live: &[bool]) -> Result<Objects, Unbounded> {
        let mut written: FxHashSet<u32> = FxHashSet::default();
        let mut watched: FxHashSet<(u8, u32)> = FxHashSet::default();
        let mut note = |access: Access<'_>| {
            let Target::Place(place) = access.target else {
                return;
            };
            match &place.scope {
                Scope::Global if access.manner == Manner::Write => written.extend(cells(place)),
                Scope::Remote(kind, _) => watched.extend(cells(place).map(|cell| (kind.0, cell))),
                _ => {}
            }
        };
        for condition in &program.conditions {
            // What this says is asked again for the conditions that matter.
            let _ = access::of_expression(condition, &mut note);
        }
        for (position, process) in program.processes.iter().enumerate() {
            if let Some(provided) = &process.provided {
                access::of_expression(provided, &mut note)?;
            }
            for edge in process.locations.iter().flat_map(|location| &location.edges) {
                for action in &edge.actions {
                    let kind = ProcessTypeId(position as u8);
                    match access::of_action(program, kind, action, &mut note) {
                        Err(unbounded) if live[position] => return Err(unbounded),
                        // What a claim looks at is asked again.
                        _ => {}
                    }
                }
            }
        }
        let mut count = 0;
        let mut fresh = || {
            count += 1;
            count - 1
        };
        let mut large: FxHashMap<&str, usize> = FxHashMap::default();
        let mut sizes: FxHashMap<&str, u32> = FxHashMap::default();
        fn variable(name: &str) -> &str {
            name.split(['[', '.']).next().unwrap_or(name)
        }
        for cell in &program.globals {
            *sizes.entry(variable(&cell.name)).or_default() += 1;
        }
        let mut globals = Vec::new();
        for (number, cell) in program.globals.iter().enumerate() {
            let name = variable(&cell.name);
            globals.push(match written.contains(&(number as u32)) {
                false => None,
                true if sizes[name] > MOST_ELEMENTS => Some(*large.entry(name).or_insert_with(&mut fresh)),
                true => Some(fresh()),
            });
        }
        let mut bytes = vec![None; layout.records];
        for (cell, object) in globals.iter().enumerate() {
            bytes[layout.globals[cell]] = *object;
        }
        let mut watched: Vec<(u8, u32)> = watched.into_iter().collect();
        watched.sort_unstable();
        Ok(Objects {
            globals,
            bytes,
            locals: watched.into_iter().map(|cell| (cell, fresh())).collect(),
            locations: program.processes.iter().map(|_| fresh()).collect(),
            marks: program.processes.iter().map(|_| fresh()).collect(),
        })
    }

    /// Whether an expression outside of all processes has the same value in all states.
    fn is_constant(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Constant(_) => true,
            Expression::Load(place) => {
                matches!(place.scope, Scope::Global)
                    && cells(place).all(|cell| self.globals[cell as usize].is_none())
                    && place.indices.iter().all(|index| self.is_constant(&index.value))
            }
            _ => false,
        }
    }

    /// The objects of all cells a place can be.
    pub fn of_place(&self, owner: Option<ProcessTypeId>, place: &Place) -> Vec<usize> {
        let kind = match (&place.scope, owner) {
            (Scope::Global, _) => {
                let found = cells(place).filter_map(|cell| self.globals[cell as usize]);
                let mut found: Vec<usize> = found.collect();
                found.dedup();
                return found;
            }
            (Scope::Local, Some(owner)) => owner,
            // What is no part of the state concerns nobody.
            (Scope::Unseen, _) | (Scope::Local, None) => return Vec::new(),
            (Scope::Remote(kind, _), _) => *kind,
        };
        cells(place)
            .filter_map(|cell| self.locals.get(&(kind.0, cell)).copied())
            .collect()
    }

    /// Adds an access to a footprint, whatever the state.
    pub fn add(
        &self,
        program: &Program,
        owner: Option<ProcessTypeId>,
        access: &Access<'_>,
        footprint: &mut Footprint,
    ) {
        match &access.target {
            Target::Place(place) => {
                // A process that is being started writes what nobody can have seen.
                let owner = owner.filter(|_| !access.foreign);
                for object in self.of_place(owner, place) {
                    touch(footprint, object, access.manner);
                }
                if let Scope::Remote(kind, _) = &place.scope {
                    footprint.reads.insert(self.locations[kind.0 as usize]);
                }
            }
            Target::Channel(_) => channels(footprint, access.manner).add(&ChannelSet::ALL),
            Target::LocationOf(kind) => touch(footprint, self.locations[kind.0 as usize], access.manner),
            Target::Existence(kind) => {
                footprint.writes.insert(self.locations[kind.0 as usize]);
                for cell in 0..program.process(*kind).cells.len() as u32 {
                    if let Some(&object) = self.locals.get(&(kind.0, cell)) {
                        footprint.writes.insert(object);
                    }
                }
            }
            Target::Starts(_) => footprint.starts = true,
            Target::Ends => footprint.ends = true,
            Target::Count => footprint.counts = true,
        }
    }
}

/// Adds an object.
pub fn touch(footprint: &mut Footprint, object: usize, manner: Manner) {
    match manner {
        Manner::Write => footprint.writes.insert(object),
        _ => footprint.reads.insert(object),
    }
}

/// The channels of a footprint that are touched like this.
pub fn channels(footprint: &mut Footprint, manner: Manner) -> &mut ChannelSet {
    match manner {
        Manner::Send => &mut footprint.sends,
        Manner::Sort => &mut footprint.sorts,
        Manner::Receive => &mut footprint.receives,
        Manner::Peek => &mut footprint.peeks,
        Manner::Room => &mut footprint.rooms,
        Manner::Probe | Manner::Read | Manner::Write => &mut footprint.probes,
    }
}

/// The cells a place can be.
pub fn cells(place: &Place) -> std::ops::Range<u32> {
    let (mut first, mut reach) = (place.base, 0);
    for index in &place.indices {
        match index.value {
            Expression::Constant(value) if (value as u32) < index.length => {
                first += value as u32 * index.stride
            }
            _ => reach += index.length.saturating_sub(1) * index.stride,
        }
    }
    first..first + reach + 1
}

/// The process types of which there can be processes.
fn live(program: &Program) -> Vec<bool> {
    let mut live = vec![false; program.processes.len()];
    let mut pending: Vec<ProcessTypeId> = program.initial.clone();
    while let Some(kind) = pending.pop() {
        if std::mem::replace(&mut live[kind.0 as usize], true) {
            continue;
        }
        let edges = program
            .process(kind)
            .locations
            .iter()
            .flat_map(|location| &location.edges);
        for action in edges.flat_map(|edge| &edge.actions) {
            if let Action::Start { process, .. } = action {
                pending.push(*process);
            }
        }
    }
    live
}

/// Footprints of whole process types, with the processes they start.
fn wholes(
    program: &Program,
    objects: &Objects,
    marked: &Marked,
    live: &[bool],
) -> Result<Vec<Footprint>, Unbounded> {
    let mut starts: Vec<Vec<usize>> = vec![Vec::new(); program.processes.len()];
    let mut wholes = vec![Footprint::default(); program.processes.len()];
    for (position, process) in program
        .processes
        .iter()
        .enumerate()
        .filter(|(position, _)| live[*position])
    {
        let owner = Some(ProcessTypeId(position as u8));
        let (whole, started) = (&mut wholes[position], &mut starts[position]);
        if let Some(provided) = &process.provided {
            access::of_expression(provided, &mut |access| {
                objects.add(program, owner, &access, whole)
            })?;
        }
        let edges = process.locations.iter().flat_map(|location| &location.edges);
        for action in edges.flat_map(|edge| &edge.actions) {
            access::of_action(program, ProcessTypeId(position as u8), action, &mut |access| {
                objects.add(program, owner, &access, whole);
                match access.target {
                    Target::Starts(kind) => started.push(kind.0 as usize),
                    Target::Channel(_) => whole.probes.add(&ChannelSet::ALL),
                    _ => {}
                }
            })?;
        }
        whole.writes.insert(objects.locations[position]);
        if marked[position].iter().any(|&marked| marked) {
            whole.writes.insert(objects.marks[position]);
        }
    }
    // As often as there are types: so far what is started can be from what starts it.
    for _ in 0..program.processes.len() {
        let before = wholes.clone();
        for (position, started) in starts.iter().enumerate() {
            started
                .iter()
                .for_each(|&other| wholes[position].add(&before[other]));
        }
        if wholes == before {
            break;
        }
    }
    Ok(wholes)
}
