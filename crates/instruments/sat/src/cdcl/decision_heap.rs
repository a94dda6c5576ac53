//! Variables waiting to be decided, the most active first: a binary heap with positions.

use crate::Var;

const ABSENT: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
pub(super) struct DecisionHeap {
    heap: Vec<Var>,
    position: Vec<u32>,
    pub(super) activity: Vec<f64>,
}

impl DecisionHeap {
    pub(super) fn grow(&mut self) {
        self.position.push(ABSENT);
        self.activity.push(0.0);
    }

    pub(super) fn contains(&self, var: Var) -> bool {
        self.position[var.index()] != ABSENT
    }

    pub(super) fn clear(&mut self) {
        for var in self.heap.drain(..) {
            self.position[var.index()] = ABSENT;
        }
    }

    /// Replaces the contents.
    pub(super) fn fill(&mut self, vars: impl Iterator<Item = Var>) {
        self.clear();
        for var in vars {
            if self.position[var.index()] == ABSENT {
                self.position[var.index()] = self.heap.len() as u32;
                self.heap.push(var);
            }
        }
        for at in (0..self.heap.len() / 2).rev() {
            self.sift_down(at);
        }
    }

    pub(super) fn insert(&mut self, var: Var) {
        if !self.contains(var) {
            self.position[var.index()] = self.heap.len() as u32;
            self.heap.push(var);
            self.sift_up(self.heap.len() - 1);
        }
    }

    pub(super) fn pop(&mut self) -> Option<Var> {
        let top = *self.heap.first()?;
        self.position[top.index()] = ABSENT;
        let last = self.heap.pop()?;
        if last != top {
            self.heap[0] = last;
            self.position[last.index()] = 0;
            self.sift_down(0);
        }
        Some(top)
    }

    /// Tells that a variable's activity has grown.
    pub(super) fn raised(&mut self, var: Var) {
        let at = self.position[var.index()];
        if at != ABSENT {
            self.sift_up(at as usize);
        }
    }

    fn before(&self, a: Var, b: Var) -> bool {
        self.activity[a.index()] > self.activity[b.index()]
    }

    fn sift_up(&mut self, mut at: usize) {
        let var = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if !self.before(var, self.heap[parent]) {
                break;
            }
            self.heap[at] = self.heap[parent];
            self.position[self.heap[at].index()] = at as u32;
            at = parent;
        }
        self.heap[at] = var;
        self.position[var.index()] = at as u32;
    }

    fn sift_down(&mut self, mut at: usize) {
        let var = self.heap[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && self.before(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            if !self.before(self.heap[child], var) {
                break;
            }
            self.heap[at] = self.heap[child];
            self.position[self.heap[at].index()] = at as u32;
            at = child;
        }
        self.heap[at] = var;
        self.position[var.index()] = at as u32;
    }
}
