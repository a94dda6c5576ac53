//! Sleep sets find all states along fewer steps: small graphs with known answers, and random processes beside searches that take every step.

use entail_budget::{Budget, Silent, Spent};
use entail_search::{
    Cause, Ending, Explorer, GroupSet, Order, SearchOptions, Searchable, Searched, Steps, Storage, search,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A graph whose edges have letters, and which letters are independent wherever both can be taken.
struct Lettered {
    /// From, letter, to.
    edges: &'static [(u8, u8, u8)],
    independent: &'static [(u8, u8)],
}

impl Searchable for Lettered {
    type Flaw = ();
    type Explorer<'m> = &'m Lettered;

    fn explorer<'m>(&'m self, _: &'m Budget) -> &'m Lettered {
        self
    }
}

impl Explorer for &Lettered {
    type Flaw = ();
    type Successors = Steps<()>;

    fn initial(&mut self, out: &mut Steps<()>) -> Result<(), Spent> {
        out.clear();
        out.push(0, &[0]);
        Ok(())
    }

    fn expand(&mut self, state: &[u8], out: &mut Steps<()>) -> Result<(), Spent> {
        out.clear();
        for &(_, letter, to) in self.edges.iter().filter(|(from, ..)| *from == state[0]) {
            out.push(letter, &[to]);
        }
        Ok(())
    }

    fn independence(&mut self, _: &Steps<()>, _: &GroupSet, found: &mut Vec<(u8, GroupSet)>) {
        for letter in 0..4 {
            let mut others = GroupSet::default();
            for &(one, other) in self.independent {
                match letter {
                    _ if letter == one => others.insert(other),
                    _ if letter == other => others.insert(one),
                    _ => {}
                }
            }
            found.push((letter, others));
        }
    }
}

/// A search with sleep sets and without persistent sets.
fn asleep(order: Order, threads: usize) -> SearchOptions {
    SearchOptions {
        reduction: false,
        sleep_sets: true,
        order,
        threads,
        wide_level: 1,
        ..SearchOptions::default()
    }
}

fn counts<M: Searchable>(model: &M, options: &SearchOptions) -> (u64, u64) {
    let searched = search(model, options, &Budget::unlimited(), &Silent);
    assert!(
        matches!(searched.ending, Ending::Finished),
        "{:?}",
        searched.ending
    );
    (searched.counts.states, searched.counts.transitions)
}

/// Handbook of Model Checking, chapter 6, figure 3: two processes of two local steps each.
#[test]
fn two_processes_of_two_steps_need_eight_of_twelve_edges() {
    let grid = Lettered {
        edges: &[
            (0, 0, 1),
            (0, 1, 3),
            (1, 0, 2),
            (1, 1, 4),
            (2, 1, 5),
            (3, 0, 4),
            (3, 1, 6),
            (4, 0, 5),
            (4, 1, 7),
            (5, 1, 8),
            (6, 0, 7),
            (7, 0, 8),
        ],
        independent: &[(0, 1)],
    };
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        assert_eq!(counts(&grid, &asleep(order, 1)), (9, 8), "{order:?}");
        let all = SearchOptions {
            sleep_sets: false,
            ..asleep(order, 1)
        };
        assert_eq!(counts(&grid, &all), (9, 12), "{order:?}");
    }
}

/// Figure 4: sleep sets that are not kept with states miss the last state of this graph.
#[test]
fn states_on_cycles_are_not_missed() {
    let graph = Lettered {
        edges: &[
            (0, 0, 1),
            (0, 2, 5),
            (1, 1, 0),
            (1, 2, 2),
            (2, 0, 3),
            (2, 1, 5),
            (3, 1, 6),
            (3, 3, 4),
            (4, 0, 3),
            (4, 1, 5),
            (5, 0, 6),
        ],
        independent: &[(0, 1), (1, 2)],
    };
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        let (states, edges) = counts(&graph, &asleep(order, 1));
        assert_eq!(states, 7, "{order:?}");
        assert!(edges < 11, "{order:?}: {edges}");
    }
}

/// A step of a process at a location.
struct Edge {
    /// A variable and the value it must have.
    guard: Option<(usize, u8)>,
    /// A variable and what is added to it.
    change: Option<(usize, u8)>,
    target: u8,
    goes_wrong: bool,
}

/// Processes that share a few variables. A state has the locations, then the variables.
struct Processes {
    /// By process and location.
    edges: Vec<Vec<Vec<Edge>>>,
    variables: usize,
    /// Whether there are ends that are wrong: those in which the first variable is zero.
    has_wrong_ends: bool,
    /// Whether it is told which processes suffice.
    tells_choices: bool,
}

const VALUES: u8 = 3;

impl Processes {
    fn new(seed: u64) -> Processes {
        let random = &mut StdRng::seed_from_u64(seed);
        let variables = random.random_range(1..5);
        let wrong = random.random_bool(0.4);
        let locations = random.random_range(2..5u8);
        let is_cyclic = random.random_bool(0.5);
        let edges = (0..random.random_range(2..5)).map(|_| {
            let of_location = |from: u8, random: &mut StdRng| -> Vec<Edge> {
                let count = random.random_range(0..3);
                let edge = |random: &mut StdRng| Edge {
                    guard: random
                        .random_bool(0.4)
                        .then(|| (random.random_range(0..variables), random.random_range(0..VALUES))),
                    change: random
                        .random_bool(0.5)
                        .then(|| (random.random_range(0..variables), random.random_range(1..VALUES))),
                    target: match is_cyclic {
                        true => random.random_range(0..locations),
                        false => random
                            .random_range(from..locations)
                            .max((from + 1).min(locations - 1)),
                    },
                    goes_wrong: wrong && random.random_bool(0.05),
                };
                (0..count).map(|_| edge(random)).collect()
            };
            (0..locations).map(|from| of_location(from, random)).collect()
        });
        Processes {
            edges: edges.collect(),
            variables,
            has_wrong_ends: random.random_bool(0.3),
            tells_choices: false,
        }
    }

    /// The variables that edges read, and those that they write, one bit each.
    fn touched<'e>(edges: impl IntoIterator<Item = &'e Edge>) -> (u32, u32) {
        let (mut reads, mut writes) = (0, 0);
        for edge in edges {
            reads |= edge.guard.map_or(0, |(variable, _)| 1 << variable);
            // Additions need not be independent of each other here.
            writes |= edge.change.map_or(0, |(variable, _)| 1 << variable);
        }
        (reads, writes)
    }

    fn next(&self, state: &[u8], process: usize) -> &[Edge] {
        &self.edges[process][usize::from(state[process])]
    }
}

fn are_independent((reads, writes): (u32, u32), (other_reads, other_writes): (u32, u32)) -> bool {
    writes & (other_reads | other_writes) == 0 && other_writes & reads == 0
}

impl Searchable for Processes {
    type Flaw = &'static str;
    type Explorer<'m> = ProcessesExplorer<'m>;

    fn explorer<'m>(&'m self, _: &'m Budget) -> ProcessesExplorer<'m> {
        ProcessesExplorer {
            of: self,
            state: Vec::new(),
            choices: Vec::new(),
        }
    }
}

struct ProcessesExplorer<'m> {
    of: &'m Processes,
    state: Vec<u8>,
    choices: Vec<(usize, GroupSet)>,
}

impl Explorer for ProcessesExplorer<'_> {
    type Flaw = &'static str;
    type Successors = Steps<&'static str>;

    fn initial(&mut self, out: &mut Steps<&'static str>) -> Result<(), Spent> {
        out.clear();
        out.push(0, &vec![0; self.of.edges.len() + self.of.variables]);
        Ok(())
    }

    fn expand(&mut self, state: &[u8], out: &mut Steps<&'static str>) -> Result<(), Spent> {
        out.clear();
        self.state.clear();
        self.state.extend_from_slice(state);
        let processes = self.of.edges.len();
        self.choices.clear();
        for process in 0..processes {
            let mut count = 0;
            for edge in self.of.next(state, process) {
                if (edge.guard).is_some_and(|(variable, value)| state[processes + variable] != value) {
                    continue;
                }
                count += 1;
                if edge.goes_wrong {
                    out.push_flaw(process as u8, "wrong");
                    continue;
                }
                let mut next = state.to_vec();
                next[process] = edge.target;
                if let Some((variable, more)) = edge.change {
                    next[processes + variable] = (next[processes + variable] + more) % VALUES;
                }
                out.push(process as u8, &next);
            }
            let own = Processes::touched(self.of.next(state, process));
            let others = (0..processes).filter(|&other| other != process);
            let mut all = others.map(|other| Processes::touched(self.of.edges[other].iter().flatten()));
            if self.of.tells_choices && count > 0 && all.all(|other| are_independent(own, other)) {
                let mut set = GroupSet::default();
                set.insert(process as u8);
                self.choices.push((count, set));
            }
        }
        Ok(())
    }

    fn independence(&mut self, _: &Steps<&'static str>, _: &GroupSet, found: &mut Vec<(u8, GroupSet)>) {
        let processes = 0..self.of.edges.len();
        for process in processes.clone() {
            let own = Processes::touched(self.of.next(&self.state, process));
            let mut independent = GroupSet::default();
            for other in processes.clone().filter(|&other| other != process) {
                if are_independent(own, Processes::touched(self.of.next(&self.state, other))) {
                    independent.insert(other as u8);
                }
            }
            found.push((process as u8, independent));
        }
    }

    fn choices(&mut self, _: &Steps<&'static str>) -> &[(usize, GroupSet)] {
        &self.choices
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        !self.of.has_wrong_ends || state[self.of.edges.len()] != 0
    }
}

fn effort() -> u64 {
    let wanted = std::env::var("ENTAIL_EFFORT").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(1)
}

fn searched(system: &Processes, options: &SearchOptions) -> Searched<&'static str> {
    search(system, options, &Budget::unlimited(), &Silent)
}

/// What is wrong at the end of a path; nothing if nothing is.
fn cause<'s>(searched: &'s Searched<&'static str>, about: &str) -> Option<(&'s Cause<&'static str>, usize)> {
    match &searched.ending {
        Ending::Finished => None,
        Ending::Violation(violation) => Some((&violation.cause, violation.path.len())),
        other => panic!("{about}: {other:?}"),
    }
}

#[test]
fn all_states_and_ends_are_found_along_fewer_steps() {
    let (mut wrong, mut all_steps, mut fewer_steps) = (0, 0, 0);
    for seed in 0..1000 * effort() {
        let system = Processes::new(seed);
        let full = SearchOptions {
            sleep_sets: false,
            ..asleep(Order::BreadthFirst, 1)
        };
        let full = searched(&system, &full);
        let expected = cause(&full, "in full");
        wrong += u64::from(expected.is_some());
        let mut taken = None;
        for (order, threads, storage) in [
            (Order::BreadthFirst, 1, Storage::Exact),
            (Order::BreadthFirst, 3, Storage::Tree),
            (Order::BreadthFirst, 2, Storage::Auto),
            (Order::DepthFirst, 1, Storage::Exact),
            (Order::DepthFirst, 1, Storage::Tree),
        ] {
            let options = SearchOptions {
                storage,
                ..asleep(order, threads)
            };
            let reduced = searched(&system, &options);
            let about = format!("seed {seed}, {order:?}, {threads} threads, {storage:?}");
            let found = cause(&reduced, &about);
            assert_eq!(found.is_some(), expected.is_some(), "{about}");
            if order == Order::BreadthFirst {
                let length = |found: Option<(&Cause<&str>, usize)>| found.map(|(_, length)| length);
                assert_eq!(length(found), length(expected), "{about}");
            }
            if found.is_none() {
                assert_eq!(reduced.counts.states, full.counts.states, "{about}");
                assert_eq!(reduced.dead_end.is_some(), full.dead_end.is_some(), "{about}");
                assert!(reduced.counts.transitions <= full.counts.transitions, "{about}");
                if order == Order::BreadthFirst {
                    assert_eq!(reduced.counts.depth, full.counts.depth, "{about}");
                    let taken = *taken.get_or_insert(reduced.counts.transitions);
                    assert_eq!(reduced.counts.transitions, taken, "{about}");
                    all_steps += full.counts.transitions;
                    fewer_steps += reduced.counts.transitions;
                }
            }
        }
    }
    assert!(wrong > 100 * effort());
    assert!(fewer_steps * 10 < all_steps * 9, "{fewer_steps} of {all_steps}");
}

#[test]
fn with_persistent_sets_what_goes_wrong_is_found_along_fewer_steps_still() {
    let (mut wrong, mut persistent_steps, mut both_steps) = (0, 0, 0);
    for seed in 0..3000 * effort() {
        let mut system = Processes::new(seed);
        let full = SearchOptions {
            sleep_sets: false,
            ..asleep(Order::BreadthFirst, 1)
        };
        let full = searched(&system, &full);
        system.tells_choices = true;
        let [alone, both] = [false, true].map(|sleep_sets| {
            let options = SearchOptions {
                reduction: true,
                sleep_sets,
                ..asleep(Order::DepthFirst, 1)
            };
            searched(&system, &options)
        });
        let about = format!("seed {seed}");
        let expected = cause(&full, &about).is_some();
        wrong += u64::from(expected);
        assert_eq!(cause(&alone, &about).is_some(), expected, "{about}");
        assert_eq!(cause(&both, &about).is_some(), expected, "{about}");
        if !expected {
            assert_eq!(both.dead_end.is_some(), full.dead_end.is_some(), "{about}");
            assert!(both.counts.states <= full.counts.states, "{about}");
            persistent_steps += alone.counts.transitions;
            both_steps += both.counts.transitions;
        }
    }
    assert!(wrong > 300 * effort());
    assert!(
        both_steps < persistent_steps,
        "{both_steps} of {persistent_steps}"
    );
}

#[test]
fn what_sleep_sets_do_not_go_with_is_refused() {
    let system = Processes::new(0);
    let plain = asleep(Order::BreadthFirst, 1);
    for options in [
        SearchOptions {
            reduction: true,
            ..plain.clone()
        },
        SearchOptions {
            storage: Storage::Disk,
            ..plain.clone()
        },
        SearchOptions {
            storage: Storage::Bitstate(1 << 20),
            ..plain.clone()
        },
        SearchOptions {
            context_bound: Some(2),
            ..plain.clone()
        },
        SearchOptions {
            order: Order::DepthFirst,
            cycle_threads: 2,
            ..plain.clone()
        },
    ] {
        assert!(matches!(searched(&system, &options).ending, Ending::Refused(_)));
    }
}
