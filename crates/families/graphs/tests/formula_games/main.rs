//! Random formulas on random graphs: the game's winner is what the definition says, its strategy is accepted, and damaged strategies are not.
//! `ENTAIL_EFFORT` times as many as usual.

mod other_logics;
mod quotients;
mod satisfiability;

use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_game::{FormulaMove, Player};
use entail_games_checker::formula;
use entail_graphs::naive;
use entail_logic::mu::{Actions, Fixpoint, Modality, Mu, MuNode, MuVar, parse_mu};
use entail_model::{Lts, LtsBuilder, StateId};
use entail_mu::decide;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::sync::Arc;

fn effort() -> usize {
    let wanted = std::env::var("ENTAIL_EFFORT").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(1)
}

fn random_graph(random: &mut StdRng) -> Lts {
    let states = random.random_range(1..6u32);
    let mut builder = LtsBuilder::new(u64::from(states));
    for _ in 0..random.random_range(0..3 * states) {
        let (from, to) = (random.random_range(0..states), random.random_range(0..states));
        let action = builder.action(["a", "b"][random.random_range(0..2)]);
        builder.transition(StateId::new(from), action, StateId::new(to));
    }
    for state in 0..states {
        let names: Vec<Arc<str>> = ["p", "q"]
            .iter()
            .filter(|_| random.random_bool(0.5))
            .map(|&name| Arc::from(name))
            .collect();
        let colour = builder.colour(names);
        builder.paint(StateId::new(state), colour);
    }
    builder.initial(StateId::new(0));
    if states > 1 && random.random_bool(0.3) {
        builder.initial(StateId::new(1));
    }
    builder.build().expect("a graph")
}

fn random_formula(random: &mut StdRng, size: u32, bound: &mut Vec<MuVar>) -> Mu<String> {
    if size == 0 {
        if !bound.is_empty() && random.random_bool(0.6) {
            return Mu::variable(&bound[random.random_range(0..bound.len())]);
        }
        let name = ["p", "q"][random.random_range(0..2)].to_owned();
        return MuNode::Literal(name, random.random_bool(0.5)).into();
    }
    match random.random_range(0..6) {
        0 => Mu::and([
            random_formula(random, size / 2, bound),
            random_formula(random, size / 2, bound),
        ]),
        1 => Mu::or([
            random_formula(random, size / 2, bound),
            random_formula(random, size / 2, bound),
        ]),
        2 | 3 => {
            let modality = if random.random_bool(0.5) {
                Modality::Some
            } else {
                Modality::Every
            };
            let names = ["a", "b", "c"].map(Arc::from);
            let chosen: Vec<Arc<str>> = names.into_iter().filter(|_| random.random_bool(0.4)).collect();
            let actions = match random.random_bool(0.5) {
                true => Actions::of(chosen),
                false => Actions::all_but(chosen),
            };
            MuNode::Modal(modality, actions, random_formula(random, size - 1, bound)).into()
        }
        _ => {
            let kind = if random.random_bool(0.5) {
                Fixpoint::Least
            } else {
                Fixpoint::Greatest
            };
            // Names are used again, so that inner binders hide outer ones.
            let name = MuVar::new(["X", "Y", "Z"][random.random_range(0..3)]);
            bound.push(name.clone());
            let body = random_formula(random, size - 1, bound);
            bound.pop();
            body.fixpoint(kind, &name)
        }
    }
}

#[test]
fn strategies_prove_what_the_definition_says_and_damaged_ones_prove_nothing_false() {
    let budget = Budget::unlimited();
    let mut random = StdRng::seed_from_u64(26);
    let (mut held, mut rejected, mut damaged) = (0, 0, 0);
    let rounds = 1500 * effort();
    for _ in 0..rounds {
        let lts = random_graph(&mut random);
        let size = random.random_range(1..12);
        let formula = random_formula(&mut random, size, &mut Vec::new());
        let decision = decide(&lts, &formula, &budget).expect("small");
        let states = naive::states_where(&lts, &formula, &budget).expect("small");
        let holds = lts.initial().iter().all(|state| states.contains(state.index()));
        assert_eq!(holds, decision.strategy.winner == Player::Even, "{formula}");
        held += usize::from(holds);
        let report = formula::check(&lts, &formula, &decision.strategy, &budget);
        assert_eq!(report, CheckReport::Accepted, "{formula}");
        // The other player's name under the same strategy is a lie.
        let mut other = decision.strategy.clone();
        other.winner = other.winner.other();
        let accepted = formula::check(&lts, &formula, &other, &budget) == CheckReport::Accepted;
        assert!(!accepted, "{formula}");
        // A strategy for the right winner may survive a change; it is never accepted with a position left out.
        let mut missing = decision.strategy.clone();
        let at = random.random_range(0..missing.moves.len());
        missing.moves.remove(at);
        let accepted = formula::check(&lts, &formula, &missing, &budget) == CheckReport::Accepted;
        assert!(!accepted, "{formula} without {at}");
        let mut changed = decision.strategy.clone();
        let one: &mut FormulaMove = &mut changed.moves[at];
        one.choice = one.choice.wrapping_add(1);
        damaged += 1;
        rejected += usize::from(formula::check(&lts, &formula, &changed, &budget) != CheckReport::Accepted);
    }
    assert!(held > rounds / 10 && held < rounds * 9 / 10, "{held}");
    assert!(rejected > damaged / 10, "{rejected} of {damaged}");
}

#[test]
fn the_outer_fixpoint_decides_not_the_deeper_one() {
    // A loop with p: again and again p holds; that p holds only finitely often is false.
    let mut builder = LtsBuilder::new(1);
    let action = builder.action("a");
    builder.transition(StateId::new(0), action, StateId::new(0));
    let colour = builder.colour([Arc::from("p")]);
    builder.paint(StateId::new(0), colour);
    builder.initial(StateId::new(0));
    let lts = builder.build().expect("a graph");
    let budget = Budget::unlimited();
    for (text, truth) in [
        ("nu Y. mu X. <a>((p & Y) | X)", true),
        ("mu Y. nu X. <a>((p & Y) | X)", true),
        ("mu Y. nu X. <a>((p & Y) | (!p & X))", false),
        ("mu X. nu Y. (<a>X & <a>Y)", false),
        ("nu X. mu Y. (<a>X & <a>Y)", false),
        ("nu X. mu Y. (<a>X | <a>Y)", true),
    ] {
        let formula = parse_mu(text).expect("a formula");
        let decision = decide(&lts, &formula, &budget).expect("small");
        let naive = naive::states_where(&lts, &formula, &budget)
            .expect("small")
            .contains(0);
        assert_eq!(decision.strategy.winner == Player::Even, naive, "{text}");
        assert_eq!(naive, truth, "{text}");
    }
}
