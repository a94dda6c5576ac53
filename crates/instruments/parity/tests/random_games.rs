//! Random games: all solvers and brute force agree, the judge believes them, and damaged solutions are rejected. `ENTAIL_EFFORT` times as many as usual.

use entail_budget::Budget;
use entail_fixpoint::{Graph, GraphAlgebra, evaluate};
use entail_game::{ArenaBuilder, ParityGame, Player, Priority, Solution, Vertex};
use entail_games_checker::parity::check;
use entail_logic::mu::parse_mu;
use entail_parity::{SOLVERS, Solver, Threads, solve, solve_directly};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn effort() -> usize {
    let wanted = std::env::var("ENTAIL_EFFORT").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(1)
}

fn random_game(random: &mut StdRng, most: u32, priorities: u32) -> ParityGame {
    let size = random.random_range(1..=most);
    let mut arena = ArenaBuilder::default();
    let degree = random.random_range(1..=4u32);
    for _ in 0..size {
        let owner = Player::BOTH[random.random_range(0..2)];
        let edges = random.random_range(1..=degree.min(size));
        let row: Vec<u32> = (0..edges).map(|_| random.random_range(0..size)).collect();
        arena.vertex(owner, row);
    }
    let colours = (0..size)
        .map(|_| Priority(random.random_range(0..priorities)))
        .collect();
    ParityGame::new(arena.finish().expect("an arena"), colours).expect("a game")
}

/// Who wins from each vertex, by trying all positional strategies of Even and looking for a cycle that Odd wins in what is left. From the definition and
/// positional determinacy alone.
fn brute_force(game: &ParityGame) -> Vec<Player> {
    let arena = game.arena();
    let own: Vec<Vertex> = arena
        .vertices()
        .filter(|&v| arena.owner(v) == Player::Even)
        .collect();
    let mut winners = vec![Player::Odd; arena.vertex_count()];
    let mut choice: Vec<usize> = vec![0; own.len()];
    loop {
        let moves = |v: Vertex| -> Vec<u32> {
            match own.iter().position(|&known| known == v) {
                Some(at) => vec![arena.row(v)[choice[at]]],
                None => arena.row(v).to_vec(),
            }
        };
        for (vertex, safe) in arena.vertices().zip(never_loses(game, &moves)) {
            if safe {
                winners[vertex.index()] = Player::Even;
            }
        }
        // The next strategy.
        let mut at = 0;
        loop {
            if at == own.len() {
                return winners;
            }
            choice[at] += 1;
            if choice[at] < arena.row(own[at]).len() {
                break;
            }
            choice[at] = 0;
            at += 1;
        }
    }
}

/// Which vertices reach no cycle whose highest priority is odd, by transitive closures.
fn never_loses(game: &ParityGame, moves: &dyn Fn(Vertex) -> Vec<u32>) -> Vec<bool> {
    let size = game.arena().vertex_count();
    let closure = |limit: u32| -> Vec<Vec<bool>> {
        let mut reach = vec![vec![false; size]; size];
        for from in game.arena().vertices() {
            for to in moves(from) {
                let low = game.priority(from).0 <= limit && game.priority(Vertex(to)).0 <= limit;
                reach[from.index()][to as usize] = low;
            }
        }
        for middle in 0..size {
            for from in 0..size {
                if reach[from][middle] {
                    let further = reach[middle].clone();
                    for (reached, further) in reach[from].iter_mut().zip(further) {
                        *reached |= further;
                    }
                }
            }
        }
        reach
    };
    let everywhere = closure(u32::MAX);
    let mut bad = vec![false; size];
    for vertex in game.arena().vertices() {
        let priority = game.priority(vertex).0;
        bad[vertex.index()] = priority % 2 == 1 && closure(priority)[vertex.index()][vertex.index()];
    }
    (0..size)
        .map(|from| !bad[from] && !(0..size).any(|to| everywhere[from][to] && bad[to]))
        .collect()
}

fn accepted(game: &ParityGame, solution: &Solution) -> bool {
    check(game, solution, &|v| v.to_string(), &Budget::unlimited()).is_accepted()
}

fn describe(game: &ParityGame) -> String {
    let arena = game.arena();
    let line = |v| format!("{v} {} {} {:?}", game.priority(v), arena.owner(v), arena.row(v));
    arena.vertices().map(line).collect::<Vec<_>>().join("\n")
}

fn solved(game: &ParityGame, solver: Solver) -> Solution {
    solve(game, solver, &Budget::unlimited()).expect("no limit").0
}

#[test]
fn all_solvers_agree_with_brute_force_on_small_games() {
    let mut random = StdRng::seed_from_u64(18);
    for _ in 0..10_000 * effort() {
        let game = random_game(&mut random, 7, 8);
        let truth = brute_force(&game);
        for (solver, name, _) in SOLVERS {
            let solution = solved(&game, solver);
            for vertex in game.arena().vertices() {
                let winner = solution.winner(vertex);
                assert_eq!(
                    winner,
                    Some(truth[vertex.index()]),
                    "{name} at {vertex} of\n{}",
                    describe(&game)
                );
            }
            assert!(accepted(&game, &solution), "{name} on\n{}", describe(&game));
            let direct = solve_directly(&game, solver, Threads::ONE, &Budget::unlimited()).expect("no limit");
            assert!(accepted(&game, &direct), "{name} alone on\n{}", describe(&game));
        }
    }
}

/// Tangle learning wins something for one player here and, in a lower region of the same partition, found a tangle of the other that ran through it. Part of Oink's `counter_m`.
#[test]
fn what_one_player_has_won_is_in_no_tangle_of_the_other() {
    let rows: [(u32, Player, &[u32]); 8] = [
        (1, Player::Even, &[1, 2]),
        (1, Player::Odd, &[0]),
        (9, Player::Odd, &[3]),
        (0, Player::Odd, &[4, 5]),
        (0, Player::Even, &[3, 1]),
        (10, Player::Even, &[6]),
        (1, Player::Even, &[7]),
        (1, Player::Odd, &[6, 4]),
    ];
    let mut arena = ArenaBuilder::default();
    let mut priorities = Vec::new();
    for (priority, owner, row) in rows {
        arena.vertex(owner, row.iter().copied());
        priorities.push(Priority(priority));
    }
    let game = ParityGame::new(arena.finish().expect("an arena"), priorities).expect("a game");
    let winners = brute_force(&game);
    for (solver, name, _) in SOLVERS {
        let solution = solved(&game, solver);
        assert!(accepted(&game, &solution), "{name}");
        for (vertex, winner) in game.arena().vertices().zip(&winners) {
            assert_eq!(solution.winner(vertex), Some(*winner), "{name} at {vertex}");
        }
    }
}

#[test]
fn several_threads_find_the_same_winners_and_moves_that_are_accepted() {
    let mut random = StdRng::seed_from_u64(20);
    for round in 0..40 * effort() {
        let priorities = random.random_range(2..12);
        let game = random_game(&mut random, 60, priorities);
        let truth = solved(&game, Solver::Zielonka);
        for solver in [Solver::FixpointIteration, Solver::StrategyImprovement] {
            let threads = Threads::always(2 + round % 3);
            let direct = solve_directly(&game, solver, threads, &Budget::unlimited()).expect("no limit");
            assert!(accepted(&game, &direct), "{solver:?} on\n{}", describe(&game));
            let differs = |&vertex: &Vertex| direct.winner(vertex) != truth.winner(vertex);
            assert_eq!(game.arena().vertices().find(differs), None, "{solver:?}");
        }
    }
}

#[test]
fn all_solvers_agree_on_larger_games() {
    let mut random = StdRng::seed_from_u64(19);
    for round in 0..400 * effort() {
        let most = if round % 4 == 0 { 400 } else { 60 };
        let priorities = random.random_range(2..20);
        let game = random_game(&mut random, most, priorities);
        let first = solved(&game, Solver::Zielonka);
        for (solver, name, _) in SOLVERS {
            // Small progress measures are exponential in the number of odd priorities, in the size of the game.
            let few = if most > 60 { 6 } else { 10 };
            if solver == Solver::ProgressMeasures && priorities > few {
                continue;
            }
            let direct = solve_directly(&game, solver, Threads::ONE, &Budget::unlimited()).expect("no limit");
            assert!(accepted(&game, &direct), "{name} alone on\n{}", describe(&game));
            let solution = solved(&game, solver);
            let report = check(&game, &solution, &|v| v.to_string(), &Budget::unlimited());
            assert!(report.is_accepted(), "{name}: {report} on\n{}", describe(&game));
            for vertex in game.arena().vertices() {
                assert_eq!(
                    solution.winner(vertex),
                    first.winner(vertex),
                    "{name} on\n{}",
                    describe(&game)
                );
            }
        }
    }
}

#[test]
fn damaged_solutions_are_rejected_unless_they_are_right_by_chance() {
    let mut random = StdRng::seed_from_u64(20);
    let (mut rejected, mut chance) = (0, 0);
    for _ in 0..2_000 * effort() {
        let game = random_game(&mut random, 7, 6);
        let truth = brute_force(&game);
        let mut solution = solved(&game, Solver::Auto);
        let size = game.arena().vertex_count() as u32;
        let vertex = Vertex(random.random_range(0..size));
        let (Some(winner), choice) = (solution.winner(vertex), solution.choice(vertex)) else {
            panic!("an open vertex");
        };
        match random.random_range(0..3) {
            0 => solution.claim(vertex, winner.other(), choice),
            1 => solution.claim(vertex, winner, Some(Vertex(random.random_range(0..size + 1)))),
            _ => solution.claim(vertex, winner, None),
        }
        if accepted(&game, &solution) {
            // Then the regions are right, and so must the strategies be: played out, they never lose.
            chance += 1;
            let right = |v: Vertex| solution.winner(v) == Some(truth[v.index()]);
            assert!(game.arena().vertices().all(right), "{}", describe(&game));
            let moves = |v: Vertex| match solution.choice(v) {
                Some(to)
                    if solution.winner(v) == Some(game.arena().owner(v))
                        && truth[v.index()] == Player::Even =>
                {
                    vec![to.0]
                }
                _ => game.arena().row(v).to_vec(),
            };
            let safe = never_loses(&game, &moves);
            for v in game
                .arena()
                .vertices()
                .filter(|v| truth[v.index()] == Player::Even)
            {
                assert!(safe[v.index()], "{}", describe(&game));
            }
        } else {
            rejected += 1;
        }
    }
    assert!(
        rejected > 3 * chance,
        "{rejected} rejected, {chance} right by chance"
    );
}

/// The handbook's equation (1) of chapter 26: the formula of parity games, the highest priority outermost.
fn formula_of_games(priorities: u32) -> String {
    let part = |p: u32| format!("(p{p} & ((eve & <> Z{p}) | (adam & [] Z{p})))");
    let parts: Vec<String> = (0..priorities).map(part).collect();
    let binders = (0..priorities)
        .rev()
        .map(|p| format!("{} Z{p}. ", if p % 2 == 0 { "nu" } else { "mu" }));
    binders.collect::<String>() + "(" + &parts.join(" | ") + ")"
}

#[test]
fn solving_is_evaluating_the_formula_of_games() {
    let mut random = StdRng::seed_from_u64(26);
    for _ in 0..1_000 * effort() {
        let priorities = random.random_range(1..6);
        let game = random_game(&mut random, 8, priorities);
        let arena = game.arena();
        let steps = arena
            .vertices()
            .flat_map(|from| arena.successors(from).map(move |to| (from.0, "step", to.0)));
        let of = |wanted: &dyn Fn(Vertex) -> bool| -> Vec<usize> {
            arena
                .vertices()
                .filter(|&v| wanted(v))
                .map(Vertex::index)
                .collect()
        };
        let mut algebra = GraphAlgebra::new(Graph::labelled(arena.vertex_count(), steps))
            .with_atom("eve", of(&|v| arena.owner(v) == Player::Even))
            .with_atom("adam", of(&|v| arena.owner(v) == Player::Odd));
        for priority in 0..priorities {
            algebra = algebra.with_atom(format!("p{priority}"), of(&|v| game.priority(v).0 == priority));
        }
        let formula = parse_mu(&formula_of_games(priorities)).expect("a formula");
        let region = evaluate(&mut algebra, &formula)
            .expect("no unknown action")
            .region;
        let solution = solved(&game, Solver::Auto);
        for vertex in arena.vertices() {
            let wins = solution.winner(vertex) == Some(Player::Even);
            assert_eq!(
                region.contains(vertex.index()),
                wins,
                "at {vertex} of\n{}",
                describe(&game)
            );
        }
    }
}
