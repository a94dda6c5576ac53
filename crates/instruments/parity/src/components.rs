//! Strongly connected components (Tarjan 1972, without recursion), those without a way into others first.

use crate::board::NONE;
use entail_budget::{Budget, Spent};

/// A search for components, and which vertices it has visited.
pub struct Components {
    number: Vec<u32>,
    low: Vec<u32>,
    next: Vec<u32>,
    stack: Vec<u32>,
    path: Vec<u32>,
    count: u32,
}

/// The number of a vertex whose component is complete.
const COMPLETE: u32 = NONE - 1;

impl Components {
    /// Nothing is visited.
    pub fn new(vertices: usize) -> Components {
        Components {
            number: vec![NONE; vertices],
            low: vec![0; vertices],
            next: vec![0; vertices],
            stack: Vec::new(),
            path: Vec::new(),
            count: 0,
        }
    }

    /// Forgets that a vertex was visited.
    pub fn forget(&mut self, vertex: u32) {
        self.number[vertex as usize] = NONE;
    }

    fn visit(&mut self, vertex: u32) {
        let at = vertex as usize;
        self.number[at] = self.count;
        self.low[at] = self.count;
        self.next[at] = 0;
        self.count += 1;
        self.stack.push(vertex);
        self.path.push(vertex);
    }

    /// Hands out the components that can be reached from a vertex on vertices for which `inside` says so, and that were not handed out before.
    pub fn from<'a>(
        &mut self,
        root: u32,
        successors: &dyn Fn(u32) -> &'a [u32],
        inside: &dyn Fn(u32) -> bool,
        budget: &Budget,
        found: &mut dyn FnMut(&[u32]),
    ) -> Result<(), Spent> {
        if self.number[root as usize] != NONE {
            return Ok(());
        }
        self.count = 0;
        self.visit(root);
        while let Some(&vertex) = self.path.last() {
            budget.check()?;
            let at = vertex as usize;
            if let Some(&to) = successors(vertex).get(self.next[at] as usize) {
                self.next[at] += 1;
                if inside(to) {
                    match self.number[to as usize] {
                        NONE => self.visit(to),
                        COMPLETE => {}
                        seen => self.low[at] = self.low[at].min(seen),
                    }
                }
                continue;
            }
            self.path.pop();
            if let Some(&above) = self.path.last() {
                self.low[above as usize] = self.low[above as usize].min(self.low[at]);
            }
            if self.low[at] == self.number[at] {
                let begin = self.stack.iter().rposition(|&v| v == vertex).unwrap_or(0);
                for &member in &self.stack[begin..] {
                    self.number[member as usize] = COMPLETE;
                }
                found(&self.stack[begin..]);
                self.stack.truncate(begin);
            }
        }
        Ok(())
    }
}
