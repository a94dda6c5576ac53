//! Ordered states beside a search that leaves nothing out, and random walks.

use entail_budget::{Budget, Silent, Spent};
use entail_search::{
    Cause, Ending, Explorer, Order, Ordered, Searchable, Steps, WalkOptions, random_walks, search_covering,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeSet;

/// A net with a location and two bounded counters: a transition needs and takes some of each, then adds some; what is too much is lost. More can do all that less can.
struct Net {
    transitions: Vec<(u8, [u8; 2], [u8; 2], u8)>,
    /// Having so much of both is wrong.
    bad: [u8; 2],
}

const MOST: u8 = 6;

impl Net {
    fn new(seed: u64) -> Net {
        let random = &mut StdRng::seed_from_u64(seed);
        let pair = |random: &mut StdRng| [random.random_range(0..3), random.random_range(0..3)];
        Net {
            transitions: (0..random.random_range(1..8))
                .map(|_| {
                    let (from, to) = (random.random_range(0..4), random.random_range(0..4));
                    (from, pair(random), pair(random), to)
                })
                .collect(),
            bad: [random.random_range(1..=MOST), random.random_range(0..=MOST)],
        }
    }

    fn steps(&self, state: &[u8]) -> Vec<[u8; 3]> {
        (self.transitions.iter())
            .filter(|(from, needs, ..)| *from == state[0] && state[1] >= needs[0] && state[2] >= needs[1])
            .map(|(_, needs, adds, to)| {
                let after = |at: usize| (state[at + 1] - needs[at] + adds[at]).min(MOST);
                [*to, after(0), after(1)]
            })
            .collect()
    }

    fn is_bad(&self, state: &[u8]) -> bool {
        state[1] >= self.bad[0] && state[2] >= self.bad[1]
    }

    /// Everything that can be reached, one by one.
    fn all(&self) -> BTreeSet<[u8; 3]> {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![[0, 1, 1]];
        while let Some(state) = waiting.pop() {
            if seen.insert(state) {
                waiting.extend(self.steps(&state));
            }
        }
        seen
    }
}

impl Searchable for Net {
    type Flaw = ();
    type Explorer<'m> = &'m Net;

    fn explorer<'m>(&'m self, _: &'m Budget) -> &'m Net {
        self
    }
}

impl Explorer for &Net {
    type Flaw = ();
    type Successors = Steps<()>;

    fn initial(&mut self, out: &mut Steps<()>) -> Result<(), Spent> {
        out.clear();
        out.push(0, &[0, 1, 1]);
        Ok(())
    }

    fn expand(&mut self, state: &[u8], out: &mut Steps<()>) -> Result<(), Spent> {
        out.clear();
        for (group, next) in self.steps(state).iter().enumerate() {
            out.push(group as u8, next);
        }
        Ok(())
    }

    fn inspect(&mut self, state: &[u8]) -> Option<()> {
        self.is_bad(state).then_some(())
    }
}

impl Ordered for &Net {
    fn discrete(&self, _: &[u8]) -> usize {
        1
    }

    fn covers(&mut self, large: &[u8], small: &[u8]) -> bool {
        large[1] >= small[1] && large[2] >= small[2]
    }
}

fn replay(net: &Net, path: &[Vec<u8>]) {
    assert_eq!(path[0], [0, 1, 1]);
    for pair in path.windows(2) {
        assert!(net.steps(&pair[0]).iter().any(|next| next[..] == pair[1]));
    }
}

#[test]
fn leaving_out_what_is_covered_changes_no_answer() {
    let (mut fewer, mut bad) = (0, 0);
    for seed in 0..2000 {
        let net = Net::new(seed);
        let all = net.all();
        let expected = all.iter().any(|state| net.is_bad(state));
        for order in [Order::BreadthFirst, Order::DepthFirst] {
            let found = search_covering(&net, order, &Budget::unlimited(), &Silent);
            match found.ending {
                Ending::Finished => {
                    assert!(!expected, "seed {seed}");
                    // As many as states that no other one covers.
                    let maximal = all.iter().filter(|small| {
                        let covers = |large: &&[u8; 3]| {
                            large != small
                                && large[0] == small[0]
                                && large[1] >= small[1]
                                && large[2] >= small[2]
                        };
                        !all.iter().any(|large| covers(&large))
                    });
                    assert_eq!(found.maximal, maximal.count() as u64, "seed {seed}");
                    fewer += u64::from(found.counts.states < all.len() as u64);
                }
                Ending::Violation(violation) => {
                    assert!(expected, "seed {seed}");
                    assert_eq!(violation.cause, Cause::State(()));
                    assert!(net.is_bad(violation.path.last().expect("a state")));
                    replay(&net, &violation.path);
                    bad += 1;
                }
                other => panic!("seed {seed}: {other:?}"),
            }
        }
    }
    assert!(fewer > 100 && bad > 500, "{fewer}, {bad}");
}

#[test]
fn random_walks_find_only_what_is_there_and_most_of_it() {
    let (mut there, mut found) = (0, 0);
    for seed in 0..500 {
        let net = Net::new(seed);
        let expected = net.all().iter().any(|state| net.is_bad(state));
        let walks = WalkOptions {
            count: 200,
            length: 30,
            seed,
        };
        let threads = 1 + (seed % 2) as usize;
        there += u64::from(expected);
        match random_walks(&net, walks, threads, &Budget::unlimited(), &Silent).0 {
            Ending::Violation(violation) => {
                assert!(expected, "seed {seed}");
                assert!(net.is_bad(violation.path.last().expect("a state")));
                replay(&net, &violation.path);
                found += 1;
            }
            Ending::Walked(taken) => assert_eq!(taken, walks),
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(there > 50 && found * 10 > there * 8, "{found} of {there}");
}
