//! What is searched: the states of a program, or pairs of a state and a watcher, as byte strings.
//!
//! A watcher wants several marks infinitely often. A pair counts them off: behind the state and the watcher's place there is the number of marks seen in turn, and where all
//! have been seen the pair is accepting and counting begins again (Choueka's construction for generalized acceptance).

use crate::program::search::watch::Watch;
use crate::program::steps::space::{Space, Successors};
use entail_budget::Spent;

/// What the successors of a node show by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    Nothing,
    /// A step goes wrong, the model must not stop here, or the watcher has come to its end.
    Violation,
}

/// Why nodes cannot be expanded.
#[derive(Debug)]
pub enum Obstacle {
    Spent(Spent),
    Other(String),
}

impl From<Spent> for Obstacle {
    fn from(spent: Spent) -> Obstacle {
        Obstacle::Spent(spent)
    }
}

/// Bytes behind the state in a pair: the watcher's place and the count of marks.
const BEHIND: usize = 3;

/// Makes nodes. Without a watcher they are states, and violations of safety are looked for.
pub struct Nodes<'n, 'a> {
    pub space: &'n mut Space<'a>,
    watch: Option<&'n Watch>,
    out: Successors,
    node: Vec<u8>,
    /// An atomic sequence can go on for ever.
    pub diverges: bool,
}

impl<'n, 'a> Nodes<'n, 'a> {
    pub fn new(space: &'n mut Space<'a>, watch: Option<&'n Watch>) -> Nodes<'n, 'a> {
        Nodes {
            space,
            watch,
            out: Successors::default(),
            node: Vec::new(),
            diverges: false,
        }
    }

    /// The nodes of an initial state.
    pub fn initial(&self, state: &[u8]) -> Vec<Vec<u8>> {
        match self.watch {
            None => vec![state.to_vec()],
            Some(watch) => {
                let pair = |at: &u16| [state, &at.to_le_bytes(), &[0]].concat();
                watch.initial.iter().map(pair).collect()
            }
        }
    }

    /// The state of a node.
    pub fn state<'s>(&self, node: &'s [u8]) -> &'s [u8] {
        match self.watch {
            None => node,
            Some(_) => &node[..node.len() - BEHIND],
        }
    }

    /// Whether infinitely many visits of a node are a violation.
    pub fn is_accepting(&self, node: &[u8]) -> bool {
        match (self.watch, node.last()) {
            (Some(watch), Some(&count)) => u32::from(count) == watch.marks,
            _ => false,
        }
    }

    /// Calls `emit` with every successor of a node.
    pub fn expand(&mut self, node: &[u8], mut emit: impl FnMut(&[u8])) -> Result<Sight, Obstacle> {
        let Some(watch) = self.watch else {
            self.space.expand(node, &mut self.out)?;
            self.diverges |= self.out.diverges;
            let fault = self.out.list.iter().any(|successor| successor.fault.is_some());
            let stops = self.out.list.is_empty() && !self.out.diverges;
            if fault || stops && !self.space.is_valid_end(node) {
                return Ok(Sight::Violation);
            }
            (0..self.out.list.len()).for_each(|position| emit(self.out.state(position)));
            return Ok(Sight::Nothing);
        };
        let (state, behind) = node.split_at(node.len() - BEHIND);
        let (at, count) = (u16::from_le_bytes([behind[0], behind[1]]), u32::from(behind[2]));
        if watch.is_done(at) {
            return Ok(Sight::Violation);
        }
        let letter = watch.letter(self.space, state);
        let steps = watch.steps(letter, at).map_err(|unseen| {
            let fault = watch.fault(self.space, state, unseen);
            let fault = fault.map_or(String::new(), |fault| format!(": {fault}"));
            Obstacle::Other(format!(
                "the property cannot be evaluated in a reachable state{fault}"
            ))
        })?;
        if steps.is_empty() {
            return Ok(Sight::Nothing);
        }
        self.space.expand(state, &mut self.out)?;
        self.diverges |= self.out.diverges;
        for (target, marks) in steps {
            let mut seen = if count == watch.marks { 0 } else { count };
            while seen < watch.marks && marks >> seen & 1 == 1 {
                seen += 1;
            }
            let mut pair = |state: &[u8]| {
                self.node.clear();
                self.node.extend_from_slice(state);
                self.node.extend_from_slice(&target.to_le_bytes());
                self.node.push(seen as u8);
                emit(&self.node);
            };
            let whole = |position: &usize| self.out.list[*position].fault.is_none();
            for position in (0..self.out.list.len()).filter(whole) {
                pair(self.out.state(position));
            }
            if self.out.list.is_empty() && watch.stutters && !self.out.diverges {
                pair(state);
            }
        }
        Ok(Sight::Nothing)
    }
}
