//! Breadth-first search over all workers: a node belongs to the worker that its hash names.
//!
//! In a round every worker expands its new nodes and sends the successors to whom they belong; what is new there is expanded in the next round. So the first round with a violation
//! is found, and the run to it is a shortest one. A node remembers which worker's node it was first reached from.

use super::links::Links;
use super::nodes::{Nodes, Obstacle, Sight};
use entail_budget::Budget;
use entail_search::{Exact, StateNumber, Store};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Where a node is: a worker and a number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub worker: u32,
    pub number: u32,
}

impl Place {
    pub const SIZE: usize = 8;

    pub fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.worker.to_le_bytes());
        bytes.extend_from_slice(&self.number.to_le_bytes());
    }

    /// The place at the beginning of some bytes.
    pub fn read(bytes: &[u8]) -> Option<Place> {
        let (worker, rest) = bytes.split_first_chunk()?;
        let (number, _) = rest.split_first_chunk()?;
        Some(Place {
            worker: u32::from_le_bytes(*worker),
            number: u32::from_le_bytes(*number),
        })
    }
}

/// The nodes of one worker.
pub struct Share {
    pub store: Exact,
    /// By number: where it was first reached from; none for initial nodes.
    parents: Vec<Option<Place>>,
    /// By number: where it is reached from, if that is asked for.
    pub predecessors: Option<Vec<Vec<Place>>>,
    transitions: u64,
    /// Rounds that were needed.
    pub depth: u64,
    /// Nodes and steps of all workers, as they said after the last round.
    pub all: (u64, u64),
}

/// How an exploration ends, the same for all workers.
pub enum Explored {
    /// All nodes were seen.
    All,
    /// A violation shows at this place.
    Violation(Place),
    /// It could not go on.
    Stopped(String),
}

/// Parcels are sent when they have so many bytes.
const PARCEL: usize = 1 << 16;

impl Share {
    pub fn new(with_predecessors: bool) -> Share {
        Share {
            store: Exact::new(),
            parents: Vec::new(),
            predecessors: with_predecessors.then(Vec::new),
            transitions: 0,
            depth: 0,
            all: (0, 0),
        }
    }

    /// How many nodes there are here.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Explores everything from an initial state on.
    pub fn explore(
        &mut self,
        links: &mut Links<'_>,
        nodes: &mut Nodes<'_, '_>,
        initial: &[u8],
        budget: &Budget,
    ) -> Explored {
        let (own, peers) = (links.index(), links.peers());
        let mut trouble: Option<String> = None;
        for node in nodes.initial(initial) {
            if owner(&node, peers) == own && self.insert(&node, None).is_err() {
                trouble = Some(FULL.into());
            }
        }
        let mut expanded = 0;
        loop {
            let level = expanded..self.len();
            expanded = level.end;
            let mut violation = None;
            let mut parcels: Vec<Vec<u8>> = vec![Vec::new(); peers];
            let mut node = Vec::new();
            let mut pen = self.store.pen(1);
            for number in level {
                if trouble.is_some() || violation.is_some() {
                    break;
                }
                if let Err(spent) = budget.check() {
                    trouble = Some(spent.to_string());
                    break;
                }
                self.store.open(&mut pen, StateNumber(number as u32), &mut node);
                let mut count = 0;
                let sight = nodes.expand(&node, |successor| {
                    let parcel = &mut parcels[owner(successor, peers)];
                    parcel.extend_from_slice(&(successor.len() as u32).to_le_bytes());
                    parcel.extend_from_slice(&(number as u32).to_le_bytes());
                    parcel.extend_from_slice(successor);
                    count += 1;
                });
                self.transitions += count;
                match sight {
                    Ok(Sight::Nothing) => {}
                    Ok(Sight::Violation) => violation = Some(number as u32),
                    Err(Obstacle::Spent(spent)) => trouble = Some(spent.to_string()),
                    Err(Obstacle::Other(reason)) => trouble = Some(reason),
                }
                for (to, parcel) in parcels.iter_mut().enumerate() {
                    if parcel.len() >= PARCEL {
                        links.send(to, std::mem::take(parcel));
                        for (from, parcel) in links.arrived() {
                            trouble = trouble.or(self.receive(from, &parcel).err());
                        }
                    }
                }
            }
            for (to, parcel) in parcels.into_iter().enumerate() {
                if !parcel.is_empty() {
                    links.send(to, parcel);
                }
            }
            for (from, parcel) in links.end_round() {
                trouble = trouble.or(self.receive(from, &parcel).err());
            }
            let said = links.share(&self.report(expanded, violation, trouble.as_deref()));
            let reports: Vec<Report> = said.iter().map(|bytes| Report::read(bytes)).collect();
            let sum = |of: fn(&Report) -> u64| reports.iter().map(of).sum();
            self.all = (sum(|report| report.nodes), sum(|report| report.transitions));
            if let Some(reason) = reports.iter().find_map(|report| report.trouble.clone()) {
                return Explored::Stopped(reason);
            }
            let seen = reports.iter().enumerate().find_map(|(worker, report)| {
                report.violation.map(|number| Place {
                    worker: worker as u32,
                    number,
                })
            });
            if let Some(place) = seen {
                return Explored::Violation(place);
            }
            if reports.iter().all(|report| report.new == 0) {
                return Explored::All;
            }
            self.depth += 1;
        }
    }

    fn insert(&mut self, node: &[u8], from: Option<Place>) -> Result<(), String> {
        let mut pen = self.store.pen(1);
        self.insert_with(&mut pen, node, from)
    }

    fn insert_with(
        &mut self,
        pen: &mut <Exact as Store>::Pen,
        node: &[u8],
        from: Option<Place>,
    ) -> Result<(), String> {
        let (number, new) = self.store.insert(pen, node, None).map_err(|_| FULL)?;
        if new {
            self.parents.push(from);
            if let Some(predecessors) = &mut self.predecessors {
                predecessors.push(Vec::new());
            }
        }
        if let (Some(predecessors), Some(from)) = (&mut self.predecessors, from) {
            predecessors[number.index()].push(from);
        }
        Ok(())
    }

    fn receive(&mut self, from: usize, parcel: &[u8]) -> Result<(), String> {
        let mut pen = self.store.pen(1);
        let mut rest = parcel;
        while let Some((length, tail)) = rest.split_first_chunk() {
            let length = u32::from_le_bytes(*length) as usize;
            let (number, tail) = tail.split_first_chunk().ok_or("a parcel is damaged")?;
            let (node, tail) = tail.split_at_checked(length).ok_or("a parcel is damaged")?;
            let place = Place {
                worker: from as u32,
                number: u32::from_le_bytes(*number),
            };
            self.insert_with(&mut pen, node, Some(place))?;
            rest = tail;
        }
        Ok(())
    }

    fn report(&self, expanded: usize, violation: Option<u32>, trouble: Option<&str>) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&((self.len() - expanded) as u64).to_le_bytes());
        bytes.extend_from_slice(&(self.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&self.transitions.to_le_bytes());
        bytes.extend_from_slice(&violation.map_or(u64::MAX, u64::from).to_le_bytes());
        bytes.extend_from_slice(trouble.unwrap_or_default().as_bytes());
        bytes
    }

    /// The nodes from an initial one to a place, the same for all workers.
    pub fn path_to(&self, links: &mut Links<'_>, goal: Place) -> Vec<Vec<u8>> {
        let mut path = Vec::new();
        let mut at = Some(goal);
        while let Some(place) = at {
            let mut said = Vec::new();
            if place.worker as usize == links.index() {
                // As far as it stays here, in one round.
                let mut here = Some(place);
                while let Some(local) = here.filter(|local| local.worker == place.worker) {
                    let node = self.store.copy(StateNumber(local.number));
                    said.extend_from_slice(&(node.len() as u16).to_le_bytes());
                    said.extend_from_slice(&node);
                    here = self.parents[local.number as usize];
                }
                let mut head = vec![u8::from(here.is_some())];
                here.unwrap_or(place).write(&mut head);
                said = [head, said].concat();
            }
            let all = links.share(&said);
            let told = &all[place.worker as usize];
            at = Place::read(&told[1..]).filter(|_| told[0] == 1);
            let mut rest = &told[1 + Place::SIZE..];
            while let Some((length, tail)) = rest.split_first_chunk() {
                let length = usize::from(u16::from_le_bytes(*length));
                let Some((node, tail)) = tail.split_at_checked(length) else {
                    break;
                };
                path.push(node.to_vec());
                rest = tail;
            }
        }
        path.reverse();
        path
    }
}

const FULL: &str = "there are more states than can be numbered";

/// What a worker says after a round.
struct Report {
    new: u64,
    nodes: u64,
    transitions: u64,
    violation: Option<u32>,
    trouble: Option<String>,
}

impl Report {
    fn read(bytes: &[u8]) -> Report {
        let number = |at: usize| {
            let bytes = bytes.get(8 * at..).and_then(|rest| rest.first_chunk());
            bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
        };
        let trouble = String::from_utf8_lossy(bytes.get(32..).unwrap_or_default()).into_owned();
        Report {
            new: number(0),
            nodes: number(1),
            transitions: number(2),
            violation: u32::try_from(number(3)).ok(),
            trouble: Some(trouble).filter(|trouble| !trouble.is_empty()),
        }
    }
}

/// The worker to whom a node belongs.
fn owner(node: &[u8], peers: usize) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(node);
    // The store uses other bits of another hash.
    (hasher.finish() >> 7) as usize % peers
}
