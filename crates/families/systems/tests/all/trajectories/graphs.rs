//! Assertion graphs: chapter 25's examples, and random graphs about random netlists beside the paths of their Boolean states.

use super::chapter_25::Bench;
use super::{
    effort, nothing_asked, random_assumption, random_netlist, read, resolved, valuations, variables,
};
use entail_answer::{Answer, Verdict};
use entail_budget::Budget;
use entail_proof::trajectory::{check_fixpoint, check_walk};
use entail_source::Span;
use entail_trajectories::{
    AssertionGraph, Conditions, Drive, Gate, GraphEdge, Netlist, Satisfaction, Specification,
    TrajectoryEvidence, Walk, Wire,
};
use entail_trajectory::{Settings, by_fixpoint};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::{HashMap, HashSet};

fn decided(netlist: &Netlist, specification: &Specification) -> Answer<TrajectoryEvidence> {
    let graph = &specification.graphs[0];
    let budget = Budget::unlimited();
    let answer = by_fixpoint(netlist, specification, graph, Settings::default(), &budget);
    match (answer.verdict, &answer.evidence) {
        (Verdict::Unknown, None) => {}
        (Verdict::Holds, Some(TrajectoryEvidence::Fixpoint(fixpoint))) => {
            let checked = check_fixpoint(netlist, specification, graph, fixpoint, &budget);
            assert_eq!(checked, Ok(()), "{graph:?}");
        }
        (Verdict::Fails, Some(TrajectoryEvidence::Walk(walk))) => {
            let problem = check_walk(netlist, specification, graph, walk).err();
            assert_eq!(problem, None, "{graph:?} {walk:?}");
        }
        other => panic!("{other:?}"),
    }
    answer
}

fn ask(netlist: &Netlist, text: &str) -> Answer<TrajectoryEvidence> {
    decided(netlist, &read(netlist, text))
}

/// `reg' = we ? in : reg`, and what is read is `reg`.
fn cell() -> Netlist {
    let mut bench = Bench::default();
    let (we, input) = (bench.node("we", Gate::Input), bench.node("in", Gate::Input));
    let register = bench.node("reg", Gate::Register(None));
    let written = bench.node("w", Gate::And(we, input));
    let kept = bench.node("k", Gate::And(!we, register));
    let neither = bench.node("n", Gate::And(!written, !kept));
    bench.netlist.set_next(register.node, !neither);
    bench.node("out", Gate::Copy(register));
    bench.netlist
}

#[test]
fn m_a_memory_cell_keeps_what_was_written_for_unbounded_time() {
    let text =
        "var u; graph keeps { start -> kept: we is 1 and in is u; kept -> kept: we is 0 => out is u; }";
    let answer = ask(&cell(), text);
    assert_eq!(answer.verdict, Verdict::Holds, "{:?}", answer.reason);
    assert!(answer.warnings.is_empty(), "{:?}", answer.warnings);
    let wrong = ask(&cell(), &text.replace("out is u", "out is !u"));
    assert_eq!(wrong.verdict, Verdict::Fails);
    // Written again, it may be anything.
    let loose = ask(&cell(), &text.replace("we is 0 =>", "true =>"));
    assert_eq!(loose.verdict, Verdict::Unknown);
    let reason = loose.reason.expect("a reason");
    assert!(reason.contains("weak disagreement"), "{reason}");
}

#[test]
fn a_what_comes_later_tells_about_what_was_before() {
    let mut bench = Bench::default();
    let (a, b) = (bench.node("a", Gate::Input), bench.node("b", Gate::Input));
    let both = bench.node("both", Gate::And(a, b));
    bench.node("c", Gate::Register(Some(both)));
    let text =
        |how: &str| format!("graph back {how} {{ v0 -> v1: true => a is 1 and b is 1; v1 -> v2: c is 1; }}");
    for (how, verdict) in [
        ("strong", Verdict::Unknown),
        ("normal", Verdict::Holds),
        ("terminal", Verdict::Holds),
    ] {
        let answer = ask(&bench.netlist, &text(how));
        assert_eq!(answer.verdict, verdict, "{how}: {:?}", answer.reason);
    }
    // With a way on that takes c as it is, nothing is told.
    let other = text("normal").replace("c is 1;", "c is 1; v1 -> v2: c is 0;");
    assert_eq!(ask(&bench.netlist, &other).verdict, Verdict::Unknown);
    // On fair paths, which cannot stay in v1, c is 1 some time.
    let fair =
        "graph back fair { v0 -> v0: c is 1 => c is 1; v0 -> v1: true => a is 1; fair v1 -> v0: c is 1; }";
    assert_eq!(ask(&bench.netlist, fair).verdict, Verdict::Holds);
}

#[test]
fn an_edge_that_no_path_takes_is_told() {
    let text = "graph g { a -> b: we is 1; b -> c: we is 0 and we is 1 => out is 1; }";
    let answer = ask(&cell(), text);
    assert_eq!(answer.verdict, Verdict::Holds);
    assert!(
        answer.warnings[0]
            .text
            .contains("no path takes the edge `b -> c`"),
        "{:?}",
        answer.warnings
    );
}

#[test]
fn what_is_wrong_with_a_graph_is_told_with_its_place() {
    for (text, code) in [
        ("graph g { }", "ste::graph"),
        ("graph g { a -> b: we is 1 => N (out is 1); }", "ste::graph"),
        ("graph g fair { a -> b: we is 1; }", "ste::graph"),
        ("graph g { fair a -> b: we is 1; }", "ste::graph"),
        ("graph g { a -> b: nobody is 1; }", "ste::node"),
        ("graph g { a b: we is 1; }", "ste::syntax"),
        ("graph g { a -> b: we is 1", "ste::syntax"),
        (
            "graph g { a -> b: we is 1; } g: we is 1 => we is 1;",
            "ste::twice",
        ),
        ("graph g sometimes { a -> b: we is 1; }", "ste::syntax"),
    ] {
        let problems = resolved(&cell(), text).expect_err(text);
        assert_eq!(problems.0[0].code, code, "{text}");
        assert!(problems.0[0].help.is_some() || code == "ste::node", "{text}");
    }
}

fn random_drives(
    random: &mut StdRng,
    netlist: &Netlist,
    conditions: &mut Conditions,
    most: usize,
) -> Vec<Drive> {
    let mut drives = super::random_drives(random, netlist, conditions, most);
    drives.iter_mut().for_each(|drive| drive.time = 0);
    drives
}

fn random_specification(random: &mut StdRng, netlist: &Netlist) -> Specification {
    let mut conditions = variables();
    let count = random.random_range(1..5_u32);
    let satisfaction = Satisfaction::ALL[random.random_range(0..4)].1;
    // (The first edge begins in the first vertex.)
    let edges: Vec<GraphEdge> = (0..random.random_range(1..7))
        .map(|number| GraphEdge {
            from: if number == 0 {
                0
            } else {
                random.random_range(0..count)
            },
            to: random.random_range(0..count),
            antecedent: random_drives(random, netlist, &mut conditions, 3),
            consequent: match random.random_bool(0.4) {
                true => random_drives(random, netlist, &mut conditions, 2),
                false => Vec::new(),
            },
            is_fair: satisfaction == Satisfaction::Fair && random.random_bool(0.5),
        })
        .collect();
    let assumption = random_assumption(random, &mut conditions);
    Specification {
        graphs: vec![AssertionGraph {
            name: "g".to_owned(),
            text: "g".to_owned(),
            place: Span::new(0, 0),
            assumption,
            vertices: (0..count).map(|vertex| format!("v{vertex}")).collect(),
            edges,
            satisfaction,
        }],
        ..nothing_asked(conditions)
    }
}

type Registers = Vec<bool>;

/// A vertex, and Boolean registers.
type Place = (u32, Registers);

/// A step along an edge, to a place, and whether something that is demanded is not so.
type Taken = (usize, Place, bool);

/// The Boolean steps of a circuit along the edges of a graph, under one valuation.
struct Paths<'p> {
    netlist: &'p Netlist,
    graph: &'p AssertionGraph,
    truths: Vec<bool>,
    steps: HashMap<Place, Vec<Taken>>,
}

impl Paths<'_> {
    fn all_registers(&self) -> impl Iterator<Item = Registers> + use<> {
        let gates = self.netlist.gates();
        let count = gates
            .filter(|(_, gate)| matches!(gate, Gate::Register(Some(_))))
            .count();
        (0..1_u32 << count).map(move |bits| (0..count).map(|at| bits >> at & 1 == 1).collect())
    }

    fn says(&self, drives: &[Drive], frame: &[bool]) -> bool {
        let mut active = drives.iter().filter(|drive| self.truths[drive.guard.index()]);
        active.all(|drive| frame[drive.node.index()] == self.truths[drive.value.index()])
    }

    /// The steps from a place.
    fn from(&mut self, place: &Place) -> Vec<Taken> {
        if let Some(known) = self.steps.get(place) {
            return known.clone();
        }
        let inputs = self
            .netlist
            .gates()
            .filter(|(_, gate)| matches!(gate, Gate::Input | Gate::Register(None)));
        let inputs = inputs.count();
        let mut found = Vec::new();
        for choice in 0..1_u32 << inputs {
            let (mut chosen, mut registers) = (0, place.1.iter());
            let mut frame: Vec<bool> = Vec::new();
            for (_, gate) in self.netlist.gates() {
                let read = |wire: Wire| frame[wire.node.index()] != wire.negated;
                let value = match gate {
                    Gate::Zero => false,
                    Gate::Input | Gate::Register(None) => {
                        chosen += 1;
                        choice >> (chosen - 1) & 1 == 1
                    }
                    Gate::Register(Some(_)) => *registers.next().expect("as many as there are"),
                    Gate::Copy(a) => read(a),
                    Gate::And(a, b) => read(a) && read(b),
                };
                frame.push(value);
            }
            let after: Registers = (self.netlist.gates())
                .filter_map(|(_, gate)| match gate {
                    Gate::Register(Some(next)) => Some(frame[next.node.index()] != next.negated),
                    _ => None,
                })
                .collect();
            for (number, edge) in self.graph.edges.iter().enumerate() {
                if edge.from == place.0 && self.says(&edge.antecedent, &frame) {
                    let wrong = !self.says(&edge.consequent, &frame);
                    found.push((number, (edge.to, after.clone()), wrong));
                }
            }
        }
        self.steps.insert(place.clone(), found.clone());
        found
    }

    fn reachable(&mut self, from: Vec<Place>) -> HashSet<Place> {
        let mut seen: HashSet<Place> = HashSet::from_iter(from.iter().cloned());
        let mut open = from;
        while let Some(place) = open.pop() {
            for (_, to, _) in self.from(&place) {
                if seen.insert(to.clone()) {
                    open.push(to);
                }
            }
        }
        seen
    }

    /// Whether a path goes on from a place as the graph asks.
    fn goes_on(&mut self, place: &Place) -> bool {
        let ahead = self.reachable(vec![place.clone()]);
        let satisfaction = self.graph.satisfaction;
        let ends = ahead.iter().any(|(vertex, _)| self.graph.is_terminal(*vertex));
        let mut cycles = |fair: bool| {
            ahead.iter().any(|begin| {
                self.from(begin).into_iter().any(|(edge, to, _)| {
                    (!fair || self.graph.edges[edge].is_fair) && self.reachable(vec![to]).contains(begin)
                })
            })
        };
        match satisfaction {
            Satisfaction::Strong => true,
            Satisfaction::Normal => ends || cycles(false),
            Satisfaction::Terminal => ends,
            Satisfaction::Fair => cycles(true),
        }
    }

    fn is_violated(&mut self) -> bool {
        let first: Vec<Place> = self.all_registers().map(|registers| (0, registers)).collect();
        let reached = self.reachable(first);
        reached.iter().any(|place| {
            let steps = self.from(place);
            steps.iter().any(|(_, to, wrong)| *wrong && self.goes_on(to))
        })
    }
}

fn is_violated(netlist: &Netlist, specification: &Specification) -> bool {
    let graph = &specification.graphs[0];
    valuations().any(|values| {
        let truths = specification.conditions.evaluate(&values);
        let mut paths = Paths {
            netlist,
            graph,
            truths,
            steps: HashMap::new(),
        };
        paths.truths[graph.assumption.index()] && paths.is_violated()
    })
}

/// Whether some Boolean run takes the edges of a walk, its loop many times.
fn has_run(netlist: &Netlist, specification: &Specification, walk: &Walk) -> bool {
    let graph = &specification.graphs[0];
    let mut paths = Paths {
        netlist,
        graph,
        truths: specification.conditions.evaluate(&walk.values),
        steps: HashMap::new(),
    };
    let mut now: HashSet<Place> = paths.all_registers().map(|registers| (0, registers)).collect();
    let round = walk.back_to.map_or(&[][..], |to| &walk.edges[to as usize..]);
    let rounds = std::iter::repeat_n(round, 20).flatten();
    for &taken in walk.edges.iter().chain(rounds) {
        let steps = now.iter().flat_map(|place| paths.from(place)).collect::<Vec<_>>();
        let steps = steps.into_iter().filter(|(edge, ..)| *edge == taken as usize);
        now = steps.map(|(_, to, _)| to).collect();
    }
    !now.is_empty()
}

/// A run that does something else than its walk is rejected.
fn reject_other_runs(netlist: &Netlist, specification: &Specification, walk: &Walk) {
    let graph = &specification.graphs[0];
    let Some(run) = &walk.run else {
        return;
    };
    let mut others = vec![run.clone(), run.clone(), run.clone()];
    others[0].edges.pop();
    others[1].inputs.pop();
    others[2].registers.push(true);
    for other in others {
        let damaged = Walk {
            run: Some(other),
            ..walk.clone()
        };
        assert!(check_walk(netlist, specification, graph, &damaged).is_err());
    }
}

#[test]
fn verdicts_about_graphs_are_those_of_their_boolean_paths() {
    let mut seen: HashMap<(bool, Verdict), usize> = HashMap::new();
    let mut runs = [0usize; 2];
    for seed in 0..500 * effort() {
        let mut random = StdRng::seed_from_u64(seed);
        let netlist = random_netlist(&mut random);
        let specification = random_specification(&mut random, &netlist);
        let violated = is_violated(&netlist, &specification);
        let answer = decided(&netlist, &specification);
        *seen.entry((violated, answer.verdict)).or_default() += 1;
        match answer.verdict {
            Verdict::Holds => assert!(!violated, "seed {seed}"),
            Verdict::Fails => {
                let Some(TrajectoryEvidence::Walk(walk)) = &answer.evidence else {
                    panic!("a walk is the evidence");
                };
                let takes = has_run(&netlist, &specification, walk);
                assert!(violated || !takes, "seed {seed}");
                // A run with Boolean values is found wherever the path ends, and is one.
                assert!(takes || walk.run.is_none(), "seed {seed}");
                assert!(
                    !takes || walk.run.is_some() || walk.back_to.is_some(),
                    "seed {seed}"
                );
                runs[usize::from(walk.run.is_some())] += 1;
                reject_other_runs(&netlist, &specification, walk);
            }
            Verdict::Unknown => {}
        }
        if !violated {
            continue;
        }
        // The sets that prove what demands nothing, or asks less, prove nothing here.
        for other in [
            Satisfaction::Normal,
            Satisfaction::Fair,
            specification.graphs[0].satisfaction,
        ] {
            let mut less = specification.clone();
            less.graphs[0].satisfaction = other;
            less.graphs[0]
                .edges
                .iter_mut()
                .for_each(|edge| edge.consequent.clear());
            let proof = decided(&netlist, &less).evidence;
            let Some(TrajectoryEvidence::Fixpoint(fixpoint)) = proof else {
                continue;
            };
            let graph = &specification.graphs[0];
            let budget = Budget::unlimited();
            let told = check_fixpoint(&netlist, &specification, graph, &fixpoint, &budget);
            assert!(told.is_err(), "seed {seed}");
        }
    }
    assert!(runs[0] > 0 && runs[1] > 20, "{runs:?}");
    let count = |violated: bool, verdict: Verdict| seen.get(&(violated, verdict)).copied().unwrap_or(0);
    assert!(
        count(false, Verdict::Holds) > 80 && count(true, Verdict::Fails) > 20,
        "{seen:?}"
    );
}

#[test]
fn changed_sets_are_rejected_or_prove_something_true() {
    let mut rejected = 0;
    for seed in 0..150 * effort() {
        let mut random = StdRng::seed_from_u64(9_000 + seed);
        let netlist = random_netlist(&mut random);
        let mut specification = random_specification(&mut random, &netlist);
        let Some(TrajectoryEvidence::Fixpoint(mut fixpoint)) = decided(&netlist, &specification).evidence
        else {
            continue;
        };
        let graph = &mut specification.graphs[0];
        // Something else is demanded, or a set is another one.
        match random.random_range(0..3) {
            0 => {
                let edge = random.random_range(0..graph.edges.len());
                let drives = random_drives(&mut random, &netlist, &mut specification.conditions, 2);
                graph.edges[edge].consequent.extend(drives);
            }
            1 => {
                let vertex = random.random_range(0..fixpoint.reached.len());
                fixpoint.reached[vertex].alive = random.random_range(0..fixpoint.functions.len() as u32 + 3);
            }
            _ => {
                let sets = fixpoint.futures.last_mut().unwrap_or(&mut fixpoint.reached);
                let vertex = random.random_range(0..sets.len());
                sets[vertex]
                    .registers
                    .push((random.random_range(0..netlist.len() as u32), 0, 1));
            }
        }
        let graph = &specification.graphs[0];
        let told = check_fixpoint(&netlist, &specification, graph, &fixpoint, &Budget::unlimited());
        match told {
            Ok(()) => assert!(!is_violated(&netlist, &specification), "seed {seed}"),
            Err(_) => rejected += 1,
        }
    }
    assert!(rejected > 20, "{rejected}");
}
