//! Random systems and random watchers: the searches for accepted paths agree with the definition, on one thread and on several; acceptance in known graphs, too.

use entail_budget::{Budget, Silent, Spent};
use entail_search::cycles::components::{MarkedGraph, components_of_any, fair_components};
use entail_search::cycles::linear::{Lasso, Verdict, accepted_path};
use entail_search::cycles::marks::{Acceptance, Branch};
use entail_search::cycles::product::{LinearModel, Watcher};
use entail_search::{Explorer, SearchOptions, Searchable, Steps};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::ops::Range;

/// A system of numbered states and a watcher that sees a number below four in each.
#[derive(Clone, Debug)]
struct Watched {
    initial: Vec<u8>,
    steps: Vec<Vec<u8>>,
    sees: Vec<u64>,
    /// By place and letter: where to, and marks.
    moves: Vec<[Vec<(u16, u64)>; 4]>,
    done: Option<u16>,
    marks: u32,
    repeats: bool,
    /// Whether it is told how many places there are.
    tells_places: bool,
}

impl Watched {
    fn new(seed: u64) -> Watched {
        let random = &mut StdRng::seed_from_u64(seed);
        let states = random.random_range(1..14u8);
        let places = random.random_range(1..5u16);
        let marks = random.random_range(0..4);
        let steps = (0..states)
            .map(|_| {
                let count = random.random_range(0..3);
                (0..count).map(|_| random.random_range(0..states)).collect()
            })
            .collect();
        let mut place = || {
            std::array::from_fn(|_| {
                let count = random.random_range(0..3);
                let one = |_| {
                    (
                        random.random_range(0..places),
                        random.random_range(0..1u64 << marks),
                    )
                };
                (0..count).map(one).collect()
            })
        };
        let moves = (0..places).map(|_| place()).collect();
        Watched {
            steps,
            moves,
            initial: (0..random.random_range(1..3))
                .map(|_| random.random_range(0..states))
                .collect(),
            sees: (0..states).map(|_| random.random_range(0..4)).collect(),
            done: random.random_bool(0.2).then(|| random.random_range(0..places)),
            marks,
            repeats: random.random_bool(0.5),
            tells_places: random.random_bool(0.5),
        }
    }

    fn successors(&self, state: u8) -> Vec<u8> {
        match self.steps[state as usize].is_empty() && self.repeats {
            true => vec![state],
            false => self.steps[state as usize].clone(),
        }
    }

    /// The definition: a reachable cycle of pairs whose edges together meet all marks, or a reachable pair with the watcher at its end.
    fn accepts(&self) -> bool {
        let places = self.moves.len();
        let node = |state: u8, at: u16| state as usize * places + at as usize;
        let count = self.steps.len() * places;
        let mut edges: Vec<Vec<(usize, u64)>> = vec![Vec::new(); count];
        for state in 0..self.steps.len() as u8 {
            for at in 0..places as u16 {
                for &(next, marks) in &self.moves[at as usize][self.sees[state as usize] as usize] {
                    for to in self.successors(state) {
                        edges[node(state, at)].push((node(to, next), marks));
                    }
                }
            }
        }
        let reach = |from: Vec<usize>| {
            let mut seen = vec![false; count];
            let mut waiting = from;
            while let Some(at) = waiting.pop() {
                if !std::mem::replace(&mut seen[at], true) {
                    waiting.extend(edges[at].iter().map(|&(to, _)| to));
                }
            }
            seen
        };
        let reachable = reach(self.initial.iter().map(|&state| node(state, 0)).collect());
        let reached: Vec<Vec<bool>> = (0..count).map(|at| reach(vec![at])).collect();
        let required = (1u64 << self.marks) - 1;
        (0..count).filter(|&at| reachable[at]).any(|at| {
            if self.done.is_some_and(|done| at % places == done as usize) {
                return true;
            }
            let inside = |other: usize| reached[at][other] && reached[other][at];
            let inner: Vec<u64> = (0..count)
                .filter(|&from| inside(from))
                .flat_map(|from| {
                    edges[from]
                        .iter()
                        .filter(|&&(to, _)| inside(to))
                        .map(|&(_, marks)| marks)
                })
                .collect();
            !inner.is_empty() && inner.iter().fold(0, |all, marks| all | marks) & required == required
        })
    }

    /// Whether a path is one of the system, and the watcher accepts it.
    fn is_right(&self, lasso: &Lasso) -> bool {
        let path: Vec<u8> = lasso
            .stem
            .iter()
            .chain(&lasso.round)
            .map(|state| state[0])
            .collect();
        let follows = path
            .windows(2)
            .all(|pair| self.successors(pair[0]).contains(&pair[1]));
        let closes = lasso
            .round
            .last()
            .is_none_or(|last| Some(last) == lasso.stem.last());
        // The path alone as a system: positions are states.
        let last = path.len() as u8 - 1;
        let begin = lasso.stem.len() as u8 - 1;
        let alone = Watched {
            initial: vec![0],
            steps: (0..last)
                .map(|at| match at + 1 == last && !lasso.round.is_empty() {
                    true => vec![begin],
                    false => vec![at + 1],
                })
                .chain([Vec::new()])
                .collect(),
            sees: path.iter().map(|&state| self.sees[state as usize]).collect(),
            repeats: false,
            ..self.clone()
        };
        self.initial.contains(&path[0]) && follows && closes && alone.accepts()
    }
}

impl Searchable for Watched {
    type Flaw = ();
    type Explorer<'m> = &'m Watched;

    fn explorer<'m>(&'m self, _: &'m Budget) -> &'m Watched {
        self
    }
}

impl Explorer for &Watched {
    type Flaw = ();
    type Successors = Steps<()>;

    fn initial(&mut self, out: &mut Steps<()>) -> Result<(), Spent> {
        out.clear();
        self.initial.iter().for_each(|&state| out.push(0, &[state]));
        Ok(())
    }

    fn expand(&mut self, state: &[u8], out: &mut Steps<()>) -> Result<(), Spent> {
        out.clear();
        self.steps[state[0] as usize]
            .iter()
            .for_each(|&next| out.push(0, &[next]));
        Ok(())
    }
}

impl LinearModel for Watched {
    type Watcher<'m> = &'m Watched;

    fn watcher<'m>(&'m self, _: &'m Budget) -> &'m Watched {
        self
    }

    fn repeats_ends(&self) -> bool {
        self.repeats
    }
}

impl Watcher for &Watched {
    fn initial(&self) -> Vec<u16> {
        vec![0]
    }

    fn marks(&self) -> u32 {
        self.marks
    }

    fn letter(&mut self, state: &[u8]) -> Result<u64, String> {
        Ok(self.sees[state[0] as usize])
    }

    fn moves(&mut self, at: u16, letter: u64, out: &mut Vec<(u16, u64)>) -> Result<(), String> {
        out.extend_from_slice(&self.moves[at as usize][letter as usize]);
        Ok(())
    }

    fn places(&self) -> Option<u32> {
        self.tells_places.then_some(self.moves.len() as u32)
    }

    fn is_done(&self, at: u16) -> bool {
        self.done == Some(at)
    }
}

fn effort() -> u64 {
    let wanted = std::env::var("ENTAIL_EFFORT").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(1)
}

#[test]
fn accepted_paths_are_found_exactly_where_there_are_some_on_any_number_of_threads() {
    let mut accepted = 0;
    for seed in 0..4000 * effort() {
        let system = Watched::new(seed);
        let expected = system.accepts();
        accepted += u64::from(expected);
        for threads in [1, 2, 3] {
            // Threads cost more than these systems.
            if threads > 1 && seed % 8 != 0 {
                continue;
            }
            let options = SearchOptions {
                cycle_threads: threads,
                ..SearchOptions::default()
            };
            match accepted_path(&system, &options, &Budget::unlimited(), &Silent).verdict {
                Verdict::Nothing => assert!(!expected, "seed {seed}, {threads} threads"),
                Verdict::Accepted(lasso) => {
                    assert!(expected, "seed {seed}, {threads} threads");
                    assert!(
                        system.is_right(&lasso),
                        "seed {seed}, {threads} threads: {lasso:?} in {system:?}"
                    );
                }
                other => panic!("seed {seed}: {other:?}"),
            }
        }
    }
    assert!(
        accepted > 1000 * effort() && accepted < 3800 * effort(),
        "{accepted}"
    );
}

/// A system with components of many sizes: states lead to near ones, sometimes back. Marks are rare, so that components of all sizes have some and lack others.
fn large(seed: u64) -> Watched {
    let random = &mut StdRng::seed_from_u64(seed);
    let states = random.random_range(60..250u8);
    let (forward, marks) = (random.random_range(2..6), random.random_range(1..4));
    let rarity = random.random_range(1..40);
    let step = |from: u8, random: &mut StdRng| match random.random_range(0..forward) {
        0 => from.saturating_sub(random.random_range(0..12)),
        _ => (from + random.random_range(0..5.min(states - from))).min(states - 1),
    };
    let steps = (0..states).map(|from| {
        (0..random.random_range(1..4))
            .map(|_| step(from, random))
            .collect()
    });
    let steps = steps.collect();
    let mut mark = || match random.random_range(0..rarity) {
        0 => 1 << random.random_range(0..marks),
        _ => 0u64,
    };
    let moves = vec![
        std::array::from_fn(|_| vec![(0, mark()), (1, 0)]),
        std::array::from_fn(|_| vec![(1, mark())]),
    ];
    Watched {
        initial: vec![0],
        steps,
        sees: (0..states).map(|state| u64::from(state) * 7 / 3 % 4).collect(),
        moves,
        done: None,
        marks,
        repeats: true,
        tells_places: seed.is_multiple_of(2),
    }
}

#[test]
fn threads_find_the_components_that_one_finds() {
    let mut accepted = 0;
    for seed in 0..400 * effort() {
        let system = large(seed);
        let found = [1, 2, 4, 3].map(|threads| {
            let options = SearchOptions {
                cycle_threads: threads,
                ..SearchOptions::default()
            };
            let judged = accepted_path(&system, &options, &Budget::unlimited(), &Silent);
            match judged.verdict {
                Verdict::Nothing => Err(judged.counts.states),
                Verdict::Accepted(lasso) => {
                    assert!(!lasso.round.is_empty() && lasso.round.last() == lasso.stem.last());
                    let path: Vec<u8> = lasso
                        .stem
                        .iter()
                        .chain(&lasso.round)
                        .map(|state| state[0])
                        .collect();
                    let mut pairs = path.windows(2);
                    assert!(
                        pairs.all(|pair| system.successors(pair[0]).contains(&pair[1])),
                        "seed {seed}"
                    );
                    Ok(())
                }
                other => panic!("seed {seed}: {other:?}"),
            }
        });
        accepted += u64::from(found[0].is_ok());
        // What is counted where nothing is accepted is the same, too.
        assert!(found.iter().all(|one| *one == found[0]), "seed {seed}: {found:?}");
    }
    assert!(
        accepted > 40 * effort() && accepted < 360 * effort(),
        "{accepted}"
    );
}

/// A system of many states, so that stores grow while threads are inside: a counter of three digits, with a cycle that is accepted or not.
struct Counters {
    side: u8,
    accepted: bool,
}

impl Searchable for Counters {
    type Flaw = ();
    type Explorer<'m> = &'m Counters;

    fn explorer<'m>(&'m self, _: &'m Budget) -> &'m Counters {
        self
    }
}

impl Explorer for &Counters {
    type Flaw = ();
    type Successors = Steps<()>;

    fn initial(&mut self, out: &mut Steps<()>) -> Result<(), Spent> {
        out.clear();
        out.push(0, &[0, 0, 0]);
        Ok(())
    }

    fn expand(&mut self, state: &[u8], out: &mut Steps<()>) -> Result<(), Spent> {
        out.clear();
        for digit in 0..3 {
            let mut next = [state[0], state[1], state[2]];
            next[digit] = (next[digit] + 1) % self.side;
            out.push(digit as u8, &next);
        }
        Ok(())
    }
}

impl LinearModel for Counters {
    type Watcher<'m> = &'m Counters;

    fn watcher<'m>(&'m self, _: &'m Budget) -> &'m Counters {
        self
    }
}

impl Watcher for &Counters {
    fn initial(&self) -> Vec<u16> {
        vec![0]
    }

    fn marks(&self) -> u32 {
        2
    }

    fn letter(&mut self, state: &[u8]) -> Result<u64, String> {
        let last = self.side - 1;
        Ok(u64::from(state[0] == last) | u64::from(state[1] == last && self.accepted) << 1)
    }

    fn moves(&mut self, _: u16, letter: u64, out: &mut Vec<(u16, u64)>) -> Result<(), String> {
        out.push((0, letter));
        Ok(())
    }
}

#[test]
fn large_products_are_searched_completely_while_stores_grow() {
    for threads in [1, 2, 4] {
        for accepted in [false, true] {
            let model = Counters { side: 30, accepted };
            let options = SearchOptions {
                cycle_threads: threads,
                ..SearchOptions::default()
            };
            let judged = accepted_path(&model, &options, &Budget::unlimited(), &Silent);
            match judged.verdict {
                Verdict::Nothing => {
                    assert!(!accepted);
                    assert_eq!(judged.system_states, 27_000);
                }
                Verdict::Accepted(lasso) => {
                    assert!(accepted);
                    let has = |digit: usize| lasso.round.iter().any(|state| state[digit] == 29);
                    assert!(has(0) && has(1) && lasso.round.last() == lasso.stem.last());
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// A known graph with marks on its edges.
struct Known(Vec<Vec<(u32, u64)>>);

impl Known {
    fn place(&self, edge: usize) -> (u32, u64) {
        let mut left = edge;
        for row in &self.0 {
            match row.get(left) {
                Some(&found) => return found,
                None => left -= row.len(),
            }
        }
        panic!("no such edge")
    }
}

impl MarkedGraph for Known {
    fn node_count(&self) -> usize {
        self.0.len()
    }

    fn edges(&self, node: u32) -> Range<usize> {
        let begin: usize = self.0[..node as usize].iter().map(Vec::len).sum();
        begin..begin + self.0[node as usize].len()
    }

    fn target(&self, edge: usize) -> u32 {
        self.place(edge).0
    }

    fn add_marks(&self, _: u32, edge: usize, mark: &mut [u64]) {
        mark[0] |= self.place(edge).1;
    }
}

/// Whether a set of edges, by number, that is strongly connected meets marks that satisfy a condition: the definition of a graph with an accepted cycle.
fn some_cycle(graph: &Known, accepts: impl Fn(u64) -> bool) -> bool {
    let edges: Vec<(u32, u32, u64)> = (graph.0.iter().enumerate())
        .flat_map(|(from, row)| row.iter().map(move |&(to, marks)| (from as u32, to, marks)))
        .collect();
    (1u32..1 << edges.len()).any(|set| {
        let chosen: Vec<_> = (0..edges.len())
            .filter(|at| set >> at & 1 == 1)
            .map(|at| edges[at])
            .collect();
        let nodes: std::collections::BTreeSet<u32> =
            chosen.iter().flat_map(|&(from, to, _)| [from, to]).collect();
        let connected = nodes.iter().all(|&start| {
            let mut seen = std::collections::BTreeSet::from([start]);
            let mut waiting = vec![start];
            while let Some(at) = waiting.pop() {
                for &(_, to, _) in chosen.iter().filter(|&&(from, _, _)| from == at) {
                    if seen.insert(to) {
                        waiting.push(to);
                    }
                }
            }
            seen == nodes
        });
        connected && accepts(chosen.iter().fold(0, |all, &(_, _, marks)| all | marks))
    })
}

#[test]
fn streett_rabin_and_parity_acceptance_agree_with_their_definitions() {
    for seed in 0..400 * effort() {
        let random = &mut StdRng::seed_from_u64(seed);
        let nodes = random.random_range(1..5u32);
        let mut graph = Known(vec![Vec::new(); nodes as usize]);
        for _ in 0..random.random_range(1..9) {
            let from = random.random_range(0..nodes) as usize;
            graph.0[from].push((random.random_range(0..nodes), random.random_range(0..16)));
        }
        let bit = |set: u64, bit: usize| set >> bit & 1 == 1;
        let budget = Budget::unlimited();
        let streett = Acceptance {
            words: 1,
            required: vec![0],
            pairs: vec![(1, 2), (3, 0)],
        };
        let found = fair_components(&graph, &streett, |_| true, &budget).expect("no limit");
        let expected = some_cycle(&graph, |set| {
            bit(set, 0) && (!bit(set, 1) || bit(set, 2)) && (!bit(set, 3) || bit(set, 0))
        });
        assert_eq!(!found.is_empty(), expected, "seed {seed}");
        let rabin = Branch::rabin(1, &[(0, 1), (2, 3)]);
        let found = components_of_any(&graph, &rabin, |_| true, &budget).expect("no limit");
        let expected = some_cycle(&graph, |set| {
            !bit(set, 0) && bit(set, 1) || !bit(set, 2) && bit(set, 3)
        });
        assert_eq!(!found.is_empty(), expected, "seed {seed}");
        let parity = Branch::parity(1, 4);
        let found = components_of_any(&graph, &parity, |_| true, &budget).expect("no limit");
        let expected = some_cycle(&graph, |set| set != 0 && (63 - set.leading_zeros()) % 2 == 0);
        assert_eq!(!found.is_empty(), expected, "seed {seed}");
    }
}
