//! A parity game as a labelled graph with a formula of the mu-calculus (chapter 26, equation 1): Even wins from the states in which it is true. The other direction is the game of a formula on a graph.

use entail_game::{Player, Priority};
use entail_model::{Lts, LtsBuilder, StateId};
use entail_pgsolver::PgGame;
use std::sync::Arc;

/// The graph, and the formula. States have the propositions `eve` or `adam`, and `p` with the number of their priority.
pub(crate) fn graph_and_formula(file: &PgGame) -> Result<(Lts, String), String> {
    let (game, arena) = (&file.game, file.game.arena());
    let mut builder = LtsBuilder::new(arena.vertex_count() as u64);
    let step = builder.action("step");
    builder.initial(StateId::new(file.start.map_or(0, |start| start.0)));
    let mut priorities: Vec<Priority> = game.priorities().to_vec();
    priorities.sort_unstable();
    priorities.dedup();
    for vertex in arena.vertices() {
        let state = StateId::new(vertex.0);
        let owner = owner_name(arena.owner(vertex));
        let priority = format!("p{}", game.priority(vertex));
        let colour = builder.colour([Arc::from(owner), Arc::from(priority)]);
        builder.paint(state, colour);
        for to in arena.successors(vertex) {
            builder.transition(state, step, StateId::new(to.0));
        }
    }
    let graph = builder.build().map_err(|error| error.to_string())?;
    Ok((graph, formula(&priorities)))
}

fn owner_name(player: Player) -> &'static str {
    match player {
        Player::Even => "eve",
        Player::Odd => "adam",
    }
}

/// Nested fixpoints, the highest priority outermost; at a state of priority `i` the play goes on to `Z` of `i`.
fn formula(priorities: &[Priority]) -> String {
    let binder = |priority: &Priority| {
        let mark = match priority.player() {
            Player::Even => "nu",
            Player::Odd => "mu",
        };
        format!("{mark} Z{priority}. ")
    };
    let part = |p: &Priority| format!("p{p} & (eve & <>Z{p} | adam & []Z{p})");
    let binders: String = priorities.iter().rev().map(binder).collect();
    let parts: Vec<String> = priorities.iter().map(part).collect();
    format!("{binders}({})", parts.join(" | "))
}
