//! The symbolic states that a covering search has still to expand, in the order asked for.

use crate::cover_search::NodeId;
use crate::settings::Order;
use entail_zones::Zone;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::{BinaryHeap, VecDeque};

/// Symbolic states that are still to be expanded.
pub(crate) enum Waiting {
    Queue(VecDeque<NodeId>),
    Stack(Vec<NodeId>),
    Random(Vec<NodeId>, Box<StdRng>),
    Ranked(BinaryHeap<(u64, std::cmp::Reverse<NodeId>)>),
}

impl Waiting {
    pub fn new(order: Order) -> Waiting {
        match order {
            Order::Breadth => Waiting::Queue(VecDeque::new()),
            Order::Depth => Waiting::Stack(Vec::new()),
            Order::Random(seed) => Waiting::Random(Vec::new(), Box::new(StdRng::seed_from_u64(seed))),
            Order::Rank => Waiting::Ranked(BinaryHeap::new()),
        }
    }

    pub fn push(&mut self, node: NodeId, zone: &Zone) {
        match self {
            Waiting::Queue(queue) => queue.push_back(node),
            Waiting::Stack(stack) => stack.push(node),
            Waiting::Random(bag, _) => bag.push(node),
            Waiting::Ranked(heap) => {
                // Zones without bounds cover most: they go first.
                let free = zone.cells().iter().filter(|bound| bound.is_none()).count();
                heap.push((free as u64, std::cmp::Reverse(node)));
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Waiting::Queue(queue) => queue.is_empty(),
            Waiting::Stack(list) | Waiting::Random(list, _) => list.is_empty(),
            Waiting::Ranked(heap) => heap.is_empty(),
        }
    }

    pub fn pop(&mut self) -> Option<NodeId> {
        match self {
            Waiting::Queue(queue) => queue.pop_front(),
            Waiting::Stack(stack) => stack.pop(),
            Waiting::Random(bag, random) => match bag.len() {
                0 => None,
                count => Some(bag.swap_remove(random.random_range(0..count))),
            },
            Waiting::Ranked(heap) => heap.pop().map(|(_, node)| node.0),
        }
    }
}
