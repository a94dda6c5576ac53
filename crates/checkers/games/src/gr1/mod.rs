//! Judging ranks of GR(1) games by local conditions.
//!
//! The judge reads the formula itself (`contract`) and computes with diagrams of its own (`diagrams`). With `good(T)` for the states from which the system can force a step in `T` that keeps
//! its rules, or one that breaks the environment's (or, where broken promises are forgiven, one that breaks its own and leads where it wins nevertheless), the system's ranks are
//! right if for each goal `g`, with `Z` for the states that it wins:
//!
//! - the layers cover `Z`;
//! - each state of a layer `X` under the assumption `a` that is in no layer before, whose union is `Y`, is in `good((g ∧ Z') ∨ Y' ∨ (¬a ∧ X'))`.
//!
//! Then a play comes to `g` again and again, unless it stays in one layer for ever, where `a` is not met. The environment's ranks are right if, with `Z` for the union of the layers before, for each layer `Y` that
//! avoids `g`, and for each assumption `a`, with `X₀ = Z`:
//!
//! - the last of the sets `X₁ ⊆ X₂ …` contains `Y`;
//! - from each state of `Xᵢ` outside of `Xᵢ₋₁` the environment can force steps that keep its rules and either break the system's or are in `(¬g ∨ Z') ∧ Y' ∧ (a ∨ Xᵢ₋₁')`.
//!
//! Then a play ends up in one layer, never comes to `g` from then on, and meets each assumption again and again. At last the first letter must be one of the winner's.
//!
//! Cost: one relational product for each layer; nothing is iterated.

mod contract;
mod diagrams;

use contract::{Clause, Contract};
use diagrams::{Chosen, Diagrams, Set, Unfinished};
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_game::{
    EnvironmentLayer, FirstMover, Gr1Proof, Gr1Ranks, Player, SystemLayer, WrittenSet, WrittenSets,
};
use entail_logic::{Formula, Node};
use rustc_hash::FxHashMap;

/// What is to be realized.
pub struct Claim<'c> {
    /// The formula.
    pub formula: &'c Formula<String>,
    /// What the environment decides.
    pub inputs: &'c [String],
    /// What the system decides.
    pub outputs: &'c [String],
    /// Who decides first in each step.
    pub first: FirstMover,
    /// Who is said to win: Even is the system.
    pub winner: Player,
}

/// Why a proof is not accepted.
enum Fault {
    Wrong(String),
    Unfinished(Unfinished),
}

impl From<Unfinished> for Fault {
    fn from(unfinished: Unfinished) -> Fault {
        Fault::Unfinished(unfinished)
    }
}

fn wrong<T>(message: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Wrong(message.into()))
}

type Judged<T = ()> = Result<T, Fault>;

/// Whether ranks show who wins.
pub fn check(claim: &Claim<'_>, proof: &Gr1Proof, budget: &Budget) -> CheckReport {
    let Some(contract) = contract::read(claim.formula) else {
        return CheckReport::unchecked("ranks, as the formula is not one of steps and of what recurs");
    };
    match judge(claim, &contract, proof, budget) {
        Ok(()) => CheckReport::Accepted,
        Err(Fault::Wrong(message)) => CheckReport::rejected(message),
        Err(Fault::Unfinished(Unfinished::Spent(spent))) => {
            CheckReport::unchecked(format!("the ranks ({spent})"))
        }
        Err(Fault::Unfinished(Unfinished::TooLarge)) => {
            CheckReport::unchecked("the ranks (the judge's diagrams are too large)")
        }
    }
}

fn judge(claim: &Claim<'_>, contract: &Contract, proof: &Gr1Proof, budget: &Budget) -> Judged {
    if proof.ranks.winner() != claim.winner {
        return wrong("the ranks are not those of the player who is said to win");
    }
    let mut judge = Judge::new(claim, contract, &proof.sets, budget)?;
    let beyond = match (&proof.broken, contract.forgives) {
        (None, false) => None,
        (Some(ranks), true) => {
            if ranks.winner() != claim.winner {
                return wrong("the ranks after broken promises are those of the other player");
            }
            let unbound = Game {
                own: Set::ALL,
                goals: vec![Set::NONE],
                ..judge.game(contract)?
            };
            Some(judge.won(&unbound, ranks)?)
        }
        (None, true) => return wrong("it is not shown what broken promises lead to"),
        (Some(_), false) => return wrong("no promise may be broken"),
    };
    let game = Game {
        beyond,
        ..judge.game(contract)?
    };
    let won = judge.won(&game, &proof.ranks)?;
    judge.begins(contract, won)
}

/// Rules, as sets of steps, and what recurs.
#[derive(Clone)]
struct Game {
    /// Steps of the environment, and of the system.
    others: Set,
    own: Set,
    /// Assumptions and goals, at least one of each.
    assumptions: Vec<Set>,
    goals: Vec<Set>,
    /// The letters after broken promises that are won by the player whose ranks are judged.
    beyond: Option<Set>,
}

struct Judge<'c> {
    diagrams: Diagrams<'c>,
    claim: &'c Claim<'c>,
    places: FxHashMap<&'c str, usize>,
    /// The sets of the proof.
    sets: Vec<Set>,
    /// The steps of formulas, by address and by how far ahead they are looked at.
    values: FxHashMap<(usize, bool), Set>,
}

impl<'c> Judge<'c> {
    fn new(
        claim: &'c Claim<'c>,
        contract: &Contract,
        written: &'c WrittenSets,
        budget: &'c Budget,
    ) -> Judged<Judge<'c>> {
        let mut by_system = Vec::with_capacity(written.order.len());
        let mut places = FxHashMap::default();
        for (place, name) in written.order.iter().enumerate() {
            by_system.push(
                match (claim.inputs.contains(name), claim.outputs.contains(name)) {
                    (true, false) => false,
                    (false, true) => true,
                    _ => return wrong(format!("`{name}` is not a signal")),
                },
            );
            if places.insert(name.as_str(), place).is_some() {
                return wrong(format!("`{name}` stands twice in the order"));
            }
        }
        let mut judge = Judge {
            diagrams: Diagrams::new(by_system, budget),
            claim,
            places,
            sets: vec![Set::NONE, Set::ALL],
            values: FxHashMap::default(),
        };
        // The rules come first, so that they are still there when nodes are thrown away.
        judge.game(contract)?;
        for &[place, low, high] in &written.nodes {
            let (Some(&low), Some(&high)) = (judge.sets.get(low as usize), judge.sets.get(high as usize))
            else {
                return wrong("a node leads to one that comes after it");
            };
            let in_order = judge.diagrams.is_below(place, low) && judge.diagrams.is_below(place, high);
            if place as usize >= written.order.len() || !in_order {
                return wrong("a node is not in the order of the signals");
            }
            let made = judge.diagrams.letter_node(place, low, high)?;
            judge.sets.push(made);
        }
        Ok(judge)
    }

    fn set(&self, written: WrittenSet) -> Judged<Set> {
        match self.sets.get(written.0 as usize) {
            Some(&set) => Ok(set),
            None => wrong("a set has no node"),
        }
    }

    /// The game of a contract.
    fn game(&mut self, contract: &Contract) -> Judged<Game> {
        let mut each = |list: &[Clause]| -> Judged<Vec<Set>> {
            let sets: Judged<Vec<Set>> = list.iter().map(|one| self.value(one, false)).collect();
            Ok(match sets? {
                none if none.is_empty() => vec![Set::ALL],
                some => some,
            })
        };
        // Where nothing recurring is promised, and no broken promise forgiven, it does not matter what is assumed to recur.
        let is_needed = contract.forgives || !contract.promised_again.is_empty();
        let assumed = if is_needed {
            &contract.assumed_again[..]
        } else {
            &[]
        };
        let (assumptions, goals) = (each(assumed)?, each(&contract.promised_again)?);
        Ok(Game {
            others: self.all(&contract.assumed_steps)?,
            own: self.all(&contract.promised_steps)?,
            assumptions,
            goals,
            beyond: None,
        })
    }

    fn all(&mut self, clauses: &[Clause]) -> Judged<Set> {
        let mut all = Set::ALL;
        for one in clauses {
            let one = self.value(one, false)?;
            all = self.diagrams.and(all, one)?;
        }
        Ok(all)
    }

    /// The steps of which a formula is true; of its next letter, if so.
    fn value(&mut self, formula: &Clause, next: bool) -> Judged<Set> {
        let key = (formula.address(), next);
        if let Some(&known) = self.values.get(&key) {
            return Ok(known);
        }
        let value = stacker::maybe_grow(64 << 10, 1 << 20, || self.evaluated(formula, next))?;
        self.values.insert(key, value);
        Ok(value)
    }

    fn evaluated(&mut self, formula: &Clause, next: bool) -> Judged<Set> {
        let operands = formula.operands();
        Ok(match formula.node() {
            Node::Constant(true) => Set::ALL,
            Node::Constant(false) => Set::NONE,
            Node::Atom(name) => match self.places.get(name.as_str()) {
                Some(&place) => self.diagrams.signal(place, next)?,
                None => return wrong(format!("`{name}` is not in the order of the signals")),
            },
            Node::And(_) | Node::Or(_) | Node::Not(_) => {
                // A disjunction is where not all are false; a negation is a disjunction of nothing but what is false.
                let is_and = matches!(formula.node(), Node::And(_));
                let mut all = Set::ALL;
                for operand in operands {
                    let mut one = self.value(operand, next)?;
                    if !is_and {
                        one = self.diagrams.not(one)?;
                    }
                    all = self.diagrams.and(all, one)?;
                }
                match matches!(formula.node(), Node::Or(_)) {
                    true => self.diagrams.not(all)?,
                    false => all,
                }
            }
            Node::Implies(left, right) => {
                let (left, right) = (self.value(left, next)?, self.value(right, next)?);
                self.diagrams.choose(left, right, Set::ALL)?
            }
            Node::Iff(left, right) | Node::Xor(left, right) => {
                let (left, right) = (self.value(left, next)?, self.value(right, next)?);
                let differs = self.diagrams.not(right)?;
                match matches!(formula.node(), Node::Iff(..)) {
                    true => self.diagrams.choose(left, right, differs)?,
                    false => self.diagrams.choose(left, differs, right)?,
                }
            }
            // The contract has made sure that nothing else is left than the next letter, once.
            _ => match operands.as_slice() {
                [inner] if !next => self.value(inner, true)?,
                _ => return wrong("the formula looks further than one letter ahead"),
            },
        })
    }

    /// The states from which the ranks show that their player wins.
    fn won(&mut self, game: &Game, ranks: &Gr1Ranks) -> Judged<Set> {
        match ranks {
            Gr1Ranks::System { wins, goals } => self.system_wins(game, *wins, goals),
            Gr1Ranks::Environment { layers } => self.environment_wins(game, layers),
        }
    }

    fn system_wins(&mut self, game: &Game, wins: WrittenSet, goals: &[Vec<SystemLayer>]) -> Judged<Set> {
        let wins = self.set(wins)?;
        if goals.len() != game.goals.len() {
            return wrong("there are not as many lists of layers as goals");
        }
        for (layers, &goal) in goals.iter().zip(&game.goals) {
            let mut before = Set::NONE;
            for layer in layers {
                let states = self.set(layer.states)?;
                let Some(&assumption) = game.assumptions.get(layer.assumption as usize) else {
                    return wrong("a layer is about an assumption that there is not");
                };
                let mark = self.diagrams.mark();
                let [to_wins, to_before, to_states] = self.shifted([wins, before, states])?;
                let diagrams = &mut self.diagrams;
                let meets = diagrams.and(goal, to_wins)?;
                let stays = diagrams.choose(assumption, Set::NONE, to_states)?;
                let wanted = diagrams.or(meets, to_before)?;
                let wanted = diagrams.or(wanted, stays)?;
                let forced = self.system_forces(game, wanted)?;
                let fresh = self.diagrams.choose(before, Set::NONE, states)?;
                if self.diagrams.choose(forced, Set::NONE, fresh)? != Set::NONE {
                    return wrong("from a state of a layer the system cannot come nearer to the goal");
                }
                self.diagrams.forget_since(&mark);
                before = self.diagrams.or(before, states)?;
            }
            if self.diagrams.choose(before, Set::NONE, wins)? != Set::NONE {
                return wrong("a state that is said to be won is in no layer of a goal");
            }
        }
        Ok(wins)
    }

    /// The states from which the system can force a step in a set.
    fn system_forces(&mut self, game: &Game, wanted: Set) -> Judged<Set> {
        let (inputs, outputs) = (chosen(false, true), chosen(true, true));
        let otherwise = match game.beyond {
            Some(beyond) => self.diagrams.shifted(beyond)?,
            None => Set::NONE,
        };
        let diagrams = &mut self.diagrams;
        if self.claim.first == FirstMover::Machine {
            let good = diagrams.choose(game.own, wanted, otherwise)?;
            let good = diagrams.choose(game.others, good, Set::ALL)?;
            let good = diagrams.every(inputs, good)?;
            return Ok(diagrams.some(outputs, good, Set::ALL)?);
        }
        let broken = diagrams.not(game.others)?;
        let mut good = diagrams.some(outputs, broken, Set::ALL)?;
        let keeping = diagrams.some(outputs, game.own, wanted)?;
        good = diagrams.or(good, keeping)?;
        if game.beyond.is_some() {
            let breaking = diagrams.not(game.own)?;
            let breaking = diagrams.some(outputs, breaking, otherwise)?;
            good = diagrams.or(good, breaking)?;
        }
        Ok(diagrams.every(inputs, good)?)
    }

    fn environment_wins(&mut self, game: &Game, layers: &[EnvironmentLayer]) -> Judged<Set> {
        let mut won = Set::NONE;
        for layer in layers {
            let states = self.set(layer.states)?;
            let Some(&goal) = game.goals.get(layer.goal as usize) else {
                return wrong("a layer is about a goal that there is not");
            };
            if layer.hunts.len() != game.assumptions.len() {
                return wrong("a layer has not as many lists of sets as there are assumptions");
            }
            for (hunt, &assumption) in layer.hunts.iter().zip(&game.assumptions) {
                let mark = self.diagrams.mark();
                let mut nearer = won;
                for &set in hunt {
                    let set = self.set(set)?;
                    let [to_won, to_states, to_nearer] = self.shifted([won, states, nearer])?;
                    let diagrams = &mut self.diagrams;
                    let avoids = diagrams.choose(goal, to_won, Set::ALL)?;
                    let meets = diagrams.or(assumption, to_nearer)?;
                    let wanted = diagrams.and(avoids, meets)?;
                    let wanted = diagrams.and(wanted, to_states)?;
                    let forced = self.environment_forces(game, wanted)?;
                    let fresh = self.diagrams.choose(nearer, Set::NONE, set)?;
                    if self.diagrams.choose(forced, Set::NONE, fresh)? != Set::NONE {
                        return wrong(
                            "from a state of a layer the environment cannot come nearer to an assumption",
                        );
                    }
                    nearer = self.diagrams.or(nearer, set)?;
                }
                if self.diagrams.choose(nearer, Set::NONE, states)? != Set::NONE {
                    return wrong("a state of a layer is not on the way to an assumption");
                }
                self.diagrams.forget_since(&mark);
            }
            won = self.diagrams.or(won, states)?;
        }
        Ok(won)
    }

    /// The states from which the environment can force a step in a set that keeps its rules, or one that breaks the system's.
    fn environment_forces(&mut self, game: &Game, wanted: Set) -> Judged<Set> {
        let (inputs, outputs) = (chosen(false, true), chosen(true, true));
        let otherwise = match game.beyond {
            Some(beyond) => self.diagrams.shifted(beyond)?,
            None => Set::ALL,
        };
        let diagrams = &mut self.diagrams;
        let good = diagrams.choose(game.own, wanted, otherwise)?;
        let good = diagrams.and(game.others, good)?;
        Ok(match self.claim.first {
            FirstMover::Environment => {
                let good = diagrams.every(outputs, good)?;
                diagrams.some(inputs, good, Set::ALL)?
            }
            FirstMover::Machine => {
                let good = diagrams.some(inputs, good, Set::ALL)?;
                diagrams.every(outputs, good)?
            }
        })
    }

    fn shifted<const N: usize>(&mut self, sets: [Set; N]) -> Judged<[Set; N]> {
        let mut shifted = sets;
        for set in &mut shifted {
            *set = self.diagrams.shifted(*set)?;
        }
        Ok(shifted)
    }

    /// Whether the first letter is won.
    fn begins(&mut self, contract: &Contract, won: Set) -> Judged {
        let assumed = self.all(&contract.assumed_first)?;
        let promised = self.all(&contract.promised_first)?;
        let diagrams = &mut self.diagrams;
        let (inputs, outputs) = (chosen(false, false), chosen(true, false));
        let of_system = match self.claim.winner {
            Player::Even => won,
            Player::Odd => diagrams.not(won)?,
        };
        let good = diagrams.and(promised, of_system)?;
        let good = diagrams.choose(assumed, good, Set::ALL)?;
        let system_begins = match self.claim.first {
            FirstMover::Environment => {
                let good = diagrams.some(outputs, good, Set::ALL)?;
                diagrams.every(inputs, good)?
            }
            FirstMover::Machine => {
                let good = diagrams.every(inputs, good)?;
                diagrams.some(outputs, good, Set::ALL)?
            }
        };
        match (self.claim.winner, system_begins) {
            (Player::Even, Set::ALL) | (Player::Odd, Set::NONE) => Ok(()),
            _ => wrong("the first letter need not be one that is won"),
        }
    }
}

fn chosen(by_system: bool, next: bool) -> Chosen {
    Chosen { by_system, next }
}
