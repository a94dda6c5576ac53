//! Variables in the order of their activity: a heap, with activities that grow when a variable takes part in a conflict.

use entail_sat::Var;

/// A heap of variables, the most active one first.
pub(crate) struct ActivityOrder {
    activity: Vec<f64>,
    increment: f64,
    heap: Vec<Var>,
    /// Where a variable is in the heap; the largest number if it is not.
    place: Vec<usize>,
}

impl ActivityOrder {
    pub fn new() -> ActivityOrder {
        ActivityOrder {
            activity: Vec::new(),
            increment: 1.0,
            heap: Vec::new(),
            place: Vec::new(),
        }
    }

    /// A new variable, which is the next one.
    pub fn add(&mut self, var: Var) {
        self.activity.push(0.0);
        self.place.push(usize::MAX);
        self.insert(var);
    }

    /// Older conflicts count less from now on.
    pub fn decay(&mut self) {
        self.increment /= 0.95;
    }

    pub fn bump(&mut self, var: Var) {
        self.activity[var.index()] += self.increment;
        if self.activity[var.index()] > 1e100 {
            self.activity.iter_mut().for_each(|activity| *activity *= 1e-100);
            self.increment *= 1e-100;
        }
        let place = self.place[var.index()];
        if place != usize::MAX {
            self.up(place);
        }
    }

    /// Puts a variable into the heap, if it is not there.
    pub fn insert(&mut self, var: Var) {
        if self.place[var.index()] != usize::MAX {
            return;
        }
        self.place[var.index()] = self.heap.len();
        self.heap.push(var);
        self.up(self.heap.len() - 1);
    }

    fn up(&mut self, mut place: usize) {
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.activity[self.heap[place].index()] <= self.activity[self.heap[parent].index()] {
                break;
            }
            self.swap(place, parent);
            place = parent;
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.heap.swap(a, b);
        self.place[self.heap[a].index()] = a;
        self.place[self.heap[b].index()] = b;
    }

    /// Takes the most active variable out.
    pub fn pop(&mut self) -> Option<Var> {
        let top = *self.heap.first()?;
        let last = self.heap.len() - 1;
        self.swap(0, last);
        self.heap.pop();
        self.place[top.index()] = usize::MAX;
        let mut place = 0;
        loop {
            let mut largest = place;
            for child in [2 * place + 1, 2 * place + 2] {
                if child < self.heap.len()
                    && self.activity[self.heap[child].index()] > self.activity[self.heap[largest].index()]
                {
                    largest = child;
                }
            }
            if largest == place {
                return Some(top);
            }
            self.swap(place, largest);
            place = largest;
        }
    }
}
