//! From a game to its solution: preprocess, fall into components, let a solver do the rest.

use crate::attractor::spread;
use crate::board::{Board, NONE, Outcome};
use crate::components::Components;
use crate::side_by_side::Threads;
use crate::{
    auto, fixpoint_iteration, parys, preprocess, priority_promotion, progress_measures, strategy_improvement,
    tangle_learning, zielonka,
};
use entail_budget::{Budget, Spent};
use entail_game::{ParityGame, Player, Solution, Vertex};

/// An algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// Chosen for each component by its size and number of priorities.
    Auto,
    /// [`zielonka`]
    Zielonka,
    /// [`fixpoint_iteration`]
    FixpointIteration,
    /// [`priority_promotion`]
    PriorityPromotion,
    /// [`tangle_learning`], plain.
    TangleLearning,
    /// [`tangle_learning`], recursive.
    RecursiveTangleLearning,
    /// [`progress_measures`]
    ProgressMeasures,
    /// [`strategy_improvement`]
    StrategyImprovement,
    /// [`parys`]
    Parys,
}

/// The solvers with their names and a line about each. A solver that is added gets a row here.
pub const SOLVERS: [(Solver, &str, &str); 9] = [
    (
        Solver::Auto,
        "auto",
        "the solver that measuring has found fastest for games of such a size",
    ),
    (
        Solver::Zielonka,
        "zielonka",
        "the recursive algorithm of McNaughton and Zielonka",
    ),
    (
        Solver::FixpointIteration,
        "fixpoint-iteration",
        "distraction fixpoint iteration with freezing",
    ),
    (
        Solver::PriorityPromotion,
        "priority-promotion",
        "regions of a player are promoted until one is closed",
    ),
    (
        Solver::TangleLearning,
        "tangle-learning",
        "tangles are learned and attracted",
    ),
    (
        Solver::RecursiveTangleLearning,
        "recursive-tangle-learning",
        "the same, also inside regions that leak",
    ),
    (
        Solver::ProgressMeasures,
        "progress-measures",
        "small progress measures of both players",
    ),
    (
        Solver::StrategyImprovement,
        "strategy-improvement",
        "strategies are improved until they are best",
    ),
    (
        Solver::Parys,
        "parys",
        "the recursive algorithm for dominions of bounded size, in quasi-polynomial time",
    ),
];

impl Solver {
    /// Its name.
    pub fn name(self) -> &'static str {
        SOLVERS
            .iter()
            .find(|(solver, ..)| *solver == self)
            .map_or("", |(_, name, _)| name)
    }

    /// The solver of a name.
    pub fn named(name: &str) -> Option<Solver> {
        SOLVERS
            .iter()
            .find(|(_, known, _)| *known == name)
            .map(|(solver, ..)| *solver)
    }
}

/// What solving took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Vertices that preprocessing solved.
    pub preprocessed: usize,
    /// Components that were given to a solver.
    pub components: usize,
    /// Vertices of the largest of them.
    pub largest: usize,
}

/// Solves a game.
pub fn solve(game: &ParityGame, solver: Solver, budget: &Budget) -> Result<(Solution, Effort), Spent> {
    solve_on(game, solver, Threads::ONE, budget)
}

/// Solves a game on several threads, if the solver can use them: [`fixpoint_iteration`] and [`strategy_improvement`] can.
pub fn solve_on(
    game: &ParityGame,
    solver: Solver,
    threads: Threads,
    budget: &Budget,
) -> Result<(Solution, Effort), Spent> {
    let board = Board::new(game);
    budget.check_now()?;
    let mut outcome = Outcome::open(board.len());
    let mut effort = Effort::default();
    preprocess::preprocess(&board, &mut outcome, budget)?;
    effort.preprocessed = outcome.winner.iter().filter(|&&winner| winner < 2).count();
    if effort.preprocessed < board.len() {
        solve_components(&board, &mut outcome, (solver, threads), &mut effort, budget)?;
    }
    Ok((solution(&board, &outcome), effort))
}

/// Solves a game without preprocessing it and taking it apart: for testing and measuring solvers.
pub fn solve_directly(
    game: &ParityGame,
    solver: Solver,
    threads: Threads,
    budget: &Budget,
) -> Result<Solution, Spent> {
    let board = Board::new(game);
    Ok(solution(&board, &core(&board, (solver, threads), budget)?))
}

/// What is known about a board, in the names of the game it was made from.
fn solution(board: &Board, outcome: &Outcome) -> Solution {
    let mut solution = Solution::open(board.len());
    for vertex in 0..board.len() as u32 {
        let winner = match outcome.winner[vertex as usize] {
            0 => Player::Even,
            _ => Player::Odd,
        };
        let own = board.owner(vertex) == winner as u8;
        let choice = Some(outcome.choice[vertex as usize]).filter(|&to| own && to != NONE);
        let choice = choice.map(|to| Vertex(board.origin(to)));
        solution.claim(Vertex(board.origin(vertex)), winner, choice);
    }
    solution
}

/// Solves the open part of a board, component by component: when the turn of a component comes, every edge out of it leads to what is solved.
fn solve_components(
    board: &Board,
    outcome: &mut Outcome,
    how: (Solver, Threads),
    effort: &mut Effort,
    budget: &Budget,
) -> Result<(), Spent> {
    // All components first: what is open changes while they are solved.
    let mut members: Vec<u32> = Vec::new();
    let mut ends: Vec<usize> = Vec::new();
    {
        let outcome = &*outcome;
        let mut components = Components::new(board.len());
        for root in 0..board.len() as u32 {
            if outcome.is_open(root) {
                components.from(
                    root,
                    &|v| board.successors(v),
                    &|v| outcome.is_open(v),
                    budget,
                    &mut |component| {
                        members.extend_from_slice(component);
                        ends.push(members.len());
                    },
                )?;
            }
        }
    }
    let mut names = vec![NONE; board.len()];
    let mut begin = 0;
    for end in ends {
        let open: Vec<u32> = (members[begin..end].iter().copied())
            .filter(|&v| outcome.is_open(v))
            .collect();
        begin = end;
        if open.is_empty() {
            continue;
        }
        effort.components += 1;
        effort.largest = effort.largest.max(open.len());
        let mut fresh = open.clone();
        let part = board.part(open, &mut names);
        let mut solved = Outcome::open(part.len());
        // Compressing again, and taking solved neighbours away, may have made it easy.
        preprocess::preprocess(&part, &mut solved, budget)?;
        let left: Vec<u32> = (0..part.len() as u32).filter(|&v| solved.is_open(v)).collect();
        if left.len() == part.len() {
            solved = core(&part, how, budget)?;
        } else if !left.is_empty() {
            let rest = part.part(left, &mut vec![NONE; part.len()]);
            take_over(&rest, &core(&rest, how, budget)?, &mut solved);
        }
        take_over(&part, &solved, outcome);
        spread(board, outcome, &mut fresh, budget)?;
    }
    Ok(())
}

/// Takes the solution of a part over to the board that it is a part of.
pub(crate) fn take_over(part: &Board, solved: &Outcome, outcome: &mut Outcome) {
    for vertex in 0..part.len() as u32 {
        let choice = match solved.choice[vertex as usize] {
            NONE => NONE,
            to => part.origin(to),
        };
        outcome.set(part.origin(vertex), solved.winner[vertex as usize], choice);
    }
}

/// Solves a board without further ado.
pub(crate) fn core(
    board: &Board,
    (solver, threads): (Solver, Threads),
    budget: &Budget,
) -> Result<Outcome, Spent> {
    match solver {
        Solver::Auto => auto::solve(board, budget),
        Solver::Zielonka => zielonka::solve(board, budget),
        Solver::FixpointIteration => fixpoint_iteration::solve(board, threads, budget),
        Solver::PriorityPromotion => priority_promotion::solve(board, budget),
        Solver::TangleLearning => tangle_learning::solve(board, tangle_learning::Depth::Plain, budget),
        Solver::RecursiveTangleLearning => {
            tangle_learning::solve(board, tangle_learning::Depth::Recursive, budget)
        }
        Solver::ProgressMeasures => progress_measures::solve(board, budget),
        Solver::StrategyImprovement => strategy_improvement::solve(board, threads, budget),
        Solver::Parys => parys::solve(board, budget),
    }
}
