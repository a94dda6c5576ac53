//! Random GR(1) specifications: fixpoints beside a parity game on letters that are listed one by one, beside the routes that make machines, and ranks that are damaged.

use super::*;
use crate::closed;
use entail_automata::ltl::random::Random;
use entail_game::{ArenaBuilder, FirstMover, ParityGame, Priority, Vertex};
use entail_logic::{Binary, Formula, Node};
use entail_parity::{Solver, solve};
use entail_synthesis::{solve_gr1, synthesize};
use std::time::Duration;

const INPUTS: [&str; 2] = ["p0", "p1"];
const SIGNALS: usize = 4;

type Text = Formula<String>;

/// The parts of a specification; pairs are what is assumed and what is guaranteed.
struct Parts {
    begin: [Vec<Text>; 2],
    steps: [Vec<Text>; 2],
    recurs: [Vec<Text>; 2],
    forgives: bool,
    first: FirstMover,
}

fn effort() -> u64 {
    std::env::var("ENTAIL_EFFORT").map_or(1, |text| text.parse().unwrap_or(1))
}

fn propositional(random: &mut Random, ahead: bool) -> Text {
    let mut literal = || {
        let mut atom = Formula::atom(format!("p{}", random.below(SIGNALS)));
        if ahead && random.below(2) == 0 {
            atom = atom.next();
        }
        if random.below(2) == 0 { atom } else { atom.not() }
    };
    let (a, b, c) = (literal(), literal(), literal());
    match random.below(5) {
        0 => Formula::or([a, b]),
        1 => a.implies(&Formula::and([b, c])),
        2 => a.iff(&b),
        3 => Formula::or([a.xor(&b), c]),
        _ => Formula::or([a, b, c]),
    }
}

impl Parts {
    /// With up to so many conditions on steps, and as many on what recurs, for each side.
    fn random(random: &mut Random, most: usize) -> Parts {
        let mut lists = |ahead: bool, most: usize| -> [Vec<Text>; 2] {
            [0, 1].map(|_| {
                let count = random.below(most + 1);
                (0..count).map(|_| propositional(random, ahead)).collect()
            })
        };
        let (begin, mut steps, recurs) = (lists(false, 1), lists(true, most), lists(true, most));
        let forgives = random.below(3) == 0;
        if random.below(3) == 0 {
            steps[0].clear();
        }
        let first = match random.below(4) {
            0 => FirstMover::Machine,
            _ => FirstMover::Environment,
        };
        Parts {
            begin,
            steps,
            recurs,
            forgives,
            first,
        }
    }

    fn problem(&self) -> Problem {
        let all = |list: &[Text]| Formula::and(list.iter().cloned());
        let again = |list: &[Text]| Formula::and(list.iter().map(|one| one.finally().globally()));
        let [assumed, own] = [all(&self.steps[0]), all(&self.steps[1])];
        let given = Formula::and([assumed.globally(), again(&self.recurs[0])]);
        let main = match self.forgives {
            true => given.implies(&Formula::and([own.globally(), again(&self.recurs[1])])),
            false => Formula::and([
                Formula::binary(Binary::WeakUntil, &own, &assumed.not()),
                given.implies(&again(&self.recurs[1])),
            ]),
        };
        let wanted = Formula::and([all(&self.begin[1]), main]);
        Problem {
            goal: Goal::Formula(all(&self.begin[0]).implies(&wanted)),
            inputs: INPUTS.map(str::to_owned).to_vec(),
            outputs: vec!["p2".into(), "p3".into()],
            first: self.first,
        }
    }
}

/// A formula of a letter and the next, by its definition.
fn holds(formula: &Text, now: u32, next: u32) -> bool {
    let of = |one: &Text| holds(one, now, next);
    match formula.node() {
        Node::Constant(truth) => *truth,
        Node::Atom(name) => now >> name[1..].parse::<u32>().expect("a number") & 1 == 1,
        Node::Not(inner) => !of(inner),
        Node::And(list) => list.iter().all(of),
        Node::Or(list) => list.iter().any(of),
        Node::Implies(left, right) => !of(left) || of(right),
        Node::Iff(left, right) => of(left) == of(right),
        Node::Xor(left, right) => of(left) != of(right),
        Node::Unary(_, _, inner) => holds(inner, next, next),
        _ => unreachable!("steps have no other operators"),
    }
}

/// A position of the parity game: after a letter, with what each side waits for; or in the middle of a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    After {
        letter: Option<u32>,
        waits: [usize; 2],
        broken: bool,
        priority: u32,
    },
    Middle {
        letter: Option<u32>,
        waits: [usize; 2],
        broken: bool,
        choice: u32,
    },
    Over(Player),
}

impl Parts {
    /// What a whole next letter leads to.
    fn step(&self, letter: Option<u32>, waits: [usize; 2], broken: bool, next: u32) -> Place {
        let all = |list: &[Text], now: u32, next: u32| list.iter().all(|one| holds(one, now, next));
        let after = |waits, broken, priority| Place::After {
            letter: Some(next),
            waits,
            broken,
            priority,
        };
        let Some(now) = letter else {
            return match (all(&self.begin[0], next, next), all(&self.begin[1], next, next)) {
                (false, _) => Place::Over(Player::Even),
                (true, false) => Place::Over(Player::Odd),
                (true, true) => after(waits, broken, 0),
            };
        };
        if !all(&self.steps[0], now, next) {
            return Place::Over(Player::Even);
        }
        let mut broken = broken;
        if !all(&self.steps[1], now, next) {
            if !self.forgives {
                return Place::Over(Player::Odd);
            }
            broken = true;
        }
        let mut waits = waits;
        let mut priority = 0;
        for side in [0, 1] {
            if side == 1 && broken {
                continue;
            }
            let list = &self.recurs[side];
            if list.get(waits[side]).is_none_or(|one| holds(one, now, next)) {
                waits[side] += 1;
            }
            if waits[side] >= list.len() {
                waits[side] = 0;
                priority = side as u32 + 1;
            }
        }
        after(waits, broken, priority)
    }

    /// Who wins, by a parity game.
    fn winner(&self) -> Player {
        let begin = Place::After {
            letter: None,
            waits: [0, 0],
            broken: false,
            priority: 0,
        };
        let mut numbers = std::collections::HashMap::from([(begin, 0u32)]);
        let mut places = vec![begin];
        let mut rows: Vec<(Player, u32, Vec<u32>)> = Vec::new();
        let first = match self.first {
            FirstMover::Environment => Player::Odd,
            FirstMover::Machine => Player::Even,
        };
        let bits = |player: Player, values: u32| match player {
            Player::Odd => values,
            Player::Even => values << INPUTS.len(),
        };
        while let Some(&place) = places.get(rows.len()) {
            let (owner, priority, targets) = match place {
                Place::Over(winner) => (Player::Even, winner.index() as u32, vec![place]),
                Place::After {
                    letter,
                    waits,
                    broken,
                    priority,
                } => {
                    let middle = |choice| Place::Middle {
                        letter,
                        waits,
                        broken,
                        choice: bits(first, choice),
                    };
                    (first, priority, (0..4).map(middle).collect())
                }
                Place::Middle {
                    letter,
                    waits,
                    broken,
                    choice,
                } => {
                    let second = first.other();
                    let whole = |values| self.step(letter, waits, broken, choice | bits(second, values));
                    (second, 0, (0..4).map(whole).collect())
                }
            };
            let mut row = Vec::new();
            for target in targets {
                let fresh = numbers.len() as u32;
                row.push(*numbers.entry(target).or_insert_with(|| {
                    places.push(target);
                    fresh
                }));
            }
            rows.push((owner, priority, row));
        }
        let mut arena = ArenaBuilder::with_capacity(rows.len(), rows.len() * 4);
        let mut priorities = Vec::new();
        for (owner, priority, row) in rows {
            arena.vertex(owner, row);
            priorities.push(Priority(priority));
        }
        let game = ParityGame::new(arena.finish().expect("every place has a successor"), priorities);
        let game = game.expect("a priority for each vertex");
        let (solution, _) = solve(&game, Solver::Auto, &Budget::unlimited()).expect("no limit");
        solution.winner(Vertex(0)).expect("all are solved")
    }
}

fn verdict(winner: Player) -> Verdict {
    match winner {
        Player::Even => Verdict::Holds,
        Player::Odd => Verdict::Fails,
    }
}

#[test]
fn ranks_agree_with_listed_games_and_are_accepted() {
    let budget = Budget::unlimited();
    let mut random = Random::new(2026);
    let mut seen = [[0; 2]; 2];
    for round in 0..600 * effort() {
        let parts = Parts::random(&mut random, 2);
        let problem = parts.problem();
        let form = problem.gr1().expect("it is made so");
        let outcome = solve_gr1(&form, &budget).expect("small");
        let Goal::Formula(formula) = &problem.goal else {
            unreachable!("it is made so");
        };
        assert_eq!(
            outcome.winner,
            parts.winner(),
            "{round}: {formula} {:?}",
            parts.first
        );
        seen[usize::from(form.is_forgiving)][outcome.winner.index()] += 1;
        let ranks = Ranks(outcome.proof);
        let verdict = verdict(outcome.winner);
        let said = ranks.judged(&problem, verdict, &budget);
        assert_eq!(said, CheckReport::Accepted, "{round}: {formula}");
        let other = match verdict {
            Verdict::Holds => Verdict::Fails,
            _ => Verdict::Holds,
        };
        assert!(matches!(
            ranks.judged(&problem, other, &budget),
            CheckReport::Rejected { .. }
        ));
        let mut saved = Map::new();
        ranks.save(&mut saved);
        let read = Ranks::from_json(&Json::Object(saved)).expect("what was saved is read");
        assert_eq!(read.0, ranks.0);
    }
    assert!(seen.iter().flatten().all(|&count| count > 20), "{seen:?}");
}

#[test]
fn ranks_agree_with_the_machines_of_another_route() {
    let budget = Budget::unlimited();
    let mut random = Random::new(7);
    let (mut compared, mut won) = (0, [0; 2]);
    let rounds = 300 * effort();
    for round in 0..rounds {
        // One condition of a kind: the formulas' automata, which this route needs, stay small.
        let problem = Parts::random(&mut random, 1).problem();
        let form = problem.gr1().expect("it is made so");
        let outcome = solve_gr1(&form, &budget).expect("small");
        let short = budget.part(Duration::from_millis(100));
        let Ok(made) = synthesize(&problem, &short) else {
            continue;
        };
        assert_eq!(outcome.winner, made.winner, "{round}");
        won[made.winner.index()] += 1;
        let Goal::Formula(formula) = &problem.goal else {
            unreachable!("it is made so");
        };
        let wanted = match made.winner {
            Player::Even => formula.clone(),
            Player::Odd => formula.not(),
        };
        let circuit = crate::circuit::circuit(&made.machine);
        let said = closed::check(&circuit, &wanted, &short);
        assert!(!matches!(said, CheckReport::Rejected { .. }), "{round}: {said}");
        compared += u64::from(said == CheckReport::Accepted);
    }
    assert!(2 * compared > rounds, "{compared} of {rounds}");
    assert!(won.iter().all(|&count| count > 5), "{won:?}");
}

/// Ranks with one thing changed.
fn damaged(proof: &Gr1Proof, random: &mut Random) -> Gr1Proof {
    let mut damaged = proof.clone();
    let count = damaged.sets.nodes.len() + 2;
    let other = WrittenSet(random.below(count) as u32);
    match &mut damaged.ranks {
        Gr1Ranks::System { wins, goals } => match random.below(4) {
            0 => *wins = other,
            1 => {
                let goal = random.below(goals.len());
                goals[goal].pop();
            }
            which => {
                let goal = random.below(goals.len());
                let layers = &mut goals[goal];
                if !layers.is_empty() {
                    let at = random.below(layers.len());
                    match which {
                        2 => layers[at].states = other,
                        _ => layers[at].assumption ^= 1,
                    }
                }
            }
        },
        Gr1Ranks::Environment { layers } if !layers.is_empty() => {
            let at = random.below(layers.len());
            let hunt = random.below(layers[at].hunts.len());
            match random.below(4) {
                0 => layers[at].states = other,
                1 => layers[at].goal ^= 1,
                2 => drop(layers.remove(at)),
                _ => drop(layers[at].hunts[hunt].pop()),
            }
        }
        Gr1Ranks::Environment { .. } => {}
    }
    damaged
}

#[test]
fn ranks_that_are_accepted_show_who_wins_however_they_were_damaged() {
    let budget = Budget::unlimited();
    let mut random = Random::new(99);
    let (mut rejected, mut accepted) = (0, 0);
    for _ in 0..200 * effort() {
        let parts = Parts::random(&mut random, 2);
        let problem = parts.problem();
        let outcome = solve_gr1(&problem.gr1().expect("it is made so"), &budget).expect("small");
        let loser = outcome.winner.other();
        for _ in 0..4 {
            let ranks = Ranks(damaged(&outcome.proof, &mut random));
            match ranks.judged(&problem, verdict(outcome.winner), &budget) {
                CheckReport::Rejected { .. } => rejected += 1,
                // A change may be for the better, or about states that are not met.
                _ => accepted += 1,
            }
        }
        // Whatever sets are written down, the loser's ranks are never accepted.
        let nodes = outcome.proof.sets.nodes.len() + 2;
        let mut any = || WrittenSet([0, 1, random.below(nodes) as u32][random.below(3)]);
        let again = parts.recurs.each_ref().map(|list| list.len().max(1));
        let ranks = match loser {
            Player::Even => Gr1Ranks::System {
                wins: any(),
                goals: (0..again[1])
                    .map(|_| {
                        let layer = |assumption| SystemLayer {
                            assumption: assumption as u32,
                            states: WrittenSet::NONE,
                        };
                        let mut layers: Vec<SystemLayer> = (0..again[0]).map(layer).collect();
                        layers.iter_mut().for_each(|layer| layer.states = any());
                        layers
                    })
                    .collect(),
            },
            Player::Odd => Gr1Ranks::Environment {
                layers: (0..again[1])
                    .map(|goal| EnvironmentLayer {
                        goal: goal as u32,
                        states: any(),
                        hunts: (0..again[0]).map(|_| vec![any(), any()]).collect(),
                    })
                    .collect(),
            },
        };
        let broken = outcome.proof.broken.is_some().then(|| ranks.clone());
        let proof = Gr1Proof {
            sets: outcome.proof.sets.clone(),
            ranks,
            broken,
        };
        let said = Ranks(proof).judged(&problem, verdict(loser), &budget);
        assert!(matches!(said, CheckReport::Rejected { .. }), "{said}");
    }
    assert!(rejected > accepted, "{rejected} {accepted}");
}
