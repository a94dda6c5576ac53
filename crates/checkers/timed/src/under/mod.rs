//! What a strategy leaves of a model, from its definition, and whether evidence about that is right.
//!
//! In a discrete state the rules of the strategy say of every clock value what the controller does. Where something must be reached, the rules of the smallest rank decide: their steps are taken at once, so time does not pass
//! there (*halts*), and elsewhere it does. A line of time that comes to a halt ends at its first moment; if there is none, it ends anywhere before it leaves the states of that rule. Where nothing has to be
//! reached, the states of the strategy are not left: everything else is a halt that is not entered. Where the game is won, and where there is no rule, the controller is free.
//!
//! That the strategy wins its game is judged first, by `game`. Then a run must be one that the strategy leaves (`replay`), or a cover must be closed under what it leaves (`cover`).

mod cover;
mod replay;

use crate::Objection;
use crate::deadlock::everything;
use crate::game::{self, Nodes, below};
use crate::matrix::{FREE, Matrix};
use crate::within::{both, without};
use entail_answer::{CheckReport, Verdict};
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::evidence::{Proof, Strategy};
use entail_clocks::{EdgeId, Meaning, Network, Query};

/// A question about what is left, by what somebody says that the model means.
pub struct Subject<'a> {
    /// The game, with its own meaning.
    pub game: (&'a dyn Meaning, &'a Query),
    /// The question, with its own meaning.
    pub question: (&'a dyn Meaning, &'a Query),
    /// The network, for the constants of its clocks.
    pub network: &'a Network,
}

/// A strategy that is played.
struct Play<'a> {
    subject: &'a Subject<'a>,
    nodes: Nodes<'a>,
    must_win: bool,
    size: usize,
}

/// States in which a step is taken at once: disjoint pieces, and its edges.
struct Taken<'a> {
    pieces: Vec<Matrix>,
    edges: &'a [EdgeId],
}

/// What the strategy says in a discrete state.
struct Place<'a> {
    discrete: Discrete,
    whole: Matrix,
    invariant: Vec<ClockConstraint>,
    may_delay: bool,
    takes: Vec<Taken<'a>>,
    /// Where time does not pass, or where the strategy never gets.
    halts: Vec<Matrix>,
    /// Everything else.
    passes: Vec<Matrix>,
    /// Where the controller is free.
    free: Vec<Matrix>,
    /// What the rules and the condition on winning compare here.
    comparisons: Vec<(usize, usize, i64)>,
}

/// The bounds of a matrix that do not follow from others, those of two clocks left out first.
fn needed(matrix: &Matrix) -> Vec<(usize, usize, i64)> {
    let mut all = Vec::new();
    for row in 0..matrix.size {
        for column in (0..matrix.size).filter(|&column| column != row) {
            let bound = matrix.at(row, column);
            if bound < FREE && (row != 0 || bound < 1) {
                all.push((row, column, bound));
            }
        }
    }
    all.sort_by_key(|&(row, column, _)| row == 0 || column == 0);
    for one in all.clone() {
        let mut rest = everything(matrix.size);
        let others = all.iter().filter(|&&other| other != one);
        let is_left = others
            .clone()
            .all(|&(row, column, bound)| rest.cut(row, column, bound));
        if is_left && rest == *matrix {
            all.retain(|&other| other != one);
        }
    }
    all
}

/// The values after a wait that is not empty.
fn after_some_wait(matrix: &Matrix) -> Matrix {
    let mut later = matrix.clone();
    later.rise();
    for clock in 1..later.size {
        let least = later.at(0, clock) & !1;
        later.cut(0, clock, least);
    }
    later
}

/// Everything at or after some values.
fn behind(matrices: &[Matrix]) -> Vec<Matrix> {
    let mut behind = matrices.to_vec();
    behind.iter_mut().for_each(Matrix::rise);
    behind
}

/// What of some matrices is in another.
fn inside(matrices: &[Matrix], whole: &Matrix) -> Vec<Matrix> {
    matrices.iter().filter_map(|one| both(one, whole)).collect()
}

impl<'a> Play<'a> {
    fn new(subject: &'a Subject<'a>, strategy: &'a Strategy, budget: &Budget) -> Result<Play<'a>, Objection> {
        let Query::Control { must_win, .. } = subject.game.1 else {
            return Err("the strategy is not one of a game".into());
        };
        let choices = Some(strategy.choices.as_slice());
        Ok(Play {
            nodes: game::read(subject.network, &strategy.winning, choices, budget)?,
            must_win: *must_win,
            size: subject.network.dimension(),
            subject,
        })
    }

    /// What all rules compare.
    fn compared(&self) -> Vec<(usize, usize, i64)> {
        let nodes = self.nodes.values().flatten();
        let mut all: Vec<_> = nodes.flat_map(|node| needed(&node.zone)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Where time passes in a discrete state; nowhere if its invariant is false.
    fn passes(&'a self, discrete: &Discrete) -> Result<Vec<Matrix>, Objection> {
        let mut whole = everything(self.size);
        match self.subject.game.0.invariant(discrete)? {
            Some(invariant) if whole.cut_all(&invariant) => Ok(self.place(discrete)?.passes),
            _ => Ok(Vec::new()),
        }
    }

    /// What the strategy says in a discrete state.
    fn place(&'a self, discrete: &Discrete) -> Result<Place<'a>, Objection> {
        let (meaning, game) = self.subject.game;
        let invariant = meaning.invariant(discrete)?.ok_or("an invariant is false")?;
        let mut whole = everything(self.size);
        if !whole.cut_all(&invariant) {
            return Err("an invariant is false".into());
        }
        let mut comparisons = Vec::new();
        let mut won = Vec::new();
        for conjunction in meaning.satisfying(game.formulas(), 0, discrete)? {
            let compared =
                |one: &ClockConstraint| (one.left, one.right, 2 * one.bound + i64::from(!one.strict));
            comparisons.extend(conjunction.iter().map(compared));
            let mut part = whole.clone();
            if part.cut_all(&conjunction) {
                won.push(part);
            }
        }
        let nodes = self.nodes.get(discrete);
        comparisons.extend(nodes.into_iter().flatten().flat_map(|node| needed(&node.zone)));
        let ruled: Vec<Matrix> = below(nodes, u64::MAX).into_iter().cloned().collect();
        let mut free = without(vec![whole.clone()], &ruled)?;
        free.extend(won.iter().cloned());
        let mut takes = Vec::new();
        let halts = match self.must_win {
            true => {
                for node in nodes.into_iter().flatten().filter(|node| !node.takes.is_empty()) {
                    let earlier = below(nodes, u64::from(node.rank)).into_iter().cloned();
                    let others: Vec<Matrix> = earlier.chain(won.iter().cloned()).collect();
                    let pieces = without(both(&node.zone, &whole).into_iter().collect(), &others)?;
                    takes.push(Taken {
                        pieces,
                        edges: node.takes,
                    });
                }
                takes
                    .iter()
                    .flat_map(|one: &Taken<'_>| one.pieces.clone())
                    .collect()
            }
            false if won.is_empty() => without(vec![whole.clone()], &ruled)?,
            false => {
                let what = "what a strategy leaves after a game that need not be won was won";
                return Err(Objection::Unchecked(what.to_owned()));
            }
        };
        Ok(Place {
            discrete: discrete.clone(),
            may_delay: meaning.may_delay(discrete)?,
            passes: without(vec![whole.clone()], &halts)?,
            whole,
            invariant,
            takes,
            halts,
            free: if self.must_win { free } else { Vec::new() },
            comparisons,
        })
    }
}

impl Place<'_> {
    /// All that time leads to from values, as the strategy leaves it, without coming into other values.
    fn later(&self, values: &Matrix, outside: &[Matrix], must_win: bool) -> Result<Vec<Matrix>, Objection> {
        let mut found = Vec::new();
        if must_win {
            found = without(inside(&self.halts, values), outside)?;
        }
        for start in without(inside(&self.passes, values), outside)? {
            if !self.may_delay {
                found.push(start);
                continue;
            }
            let mut up = start;
            up.rise();
            let Some(up) = both(&up, &self.whole) else {
                continue;
            };
            let closed = behind(&inside(outside, &up));
            let halts = inside(&self.halts, &up);
            let past: Vec<Matrix> = match must_win {
                true => halts.iter().map(after_some_wait).collect(),
                false => behind(&halts),
            };
            found.extend(without(without(vec![up.clone()], &closed)?, &past)?);
            for taken in &self.takes {
                found.extend(self.without_first_moment(taken, &up, outside)?);
            }
        }
        Ok(found)
    }

    /// The values at which a step may be taken on lines of time that have no first moment in its states.
    fn without_first_moment(
        &self,
        taken: &Taken<'_>,
        up: &Matrix,
        outside: &[Matrix],
    ) -> Result<Vec<Matrix>, Objection> {
        let mut found = Vec::new();
        for piece in &taken.pieces {
            let first = without(vec![piece.clone()], &[after_some_wait(piece)])?;
            let entered: Vec<Matrix> = both(piece, up).into_iter().collect();
            let open = without(entered, &behind(&first))?;
            if open.is_empty() {
                continue;
            }
            let mut before = without(inside(&self.halts, up), std::slice::from_ref(piece))?;
            before.extend(inside(outside, up));
            for begun in without(open, &behind(&before))? {
                let mut later = begun;
                later.rise();
                let Some(later) = both(&later, &self.whole) else {
                    continue;
                };
                let mut obstacles = without(vec![later.clone()], &taken.pieces)?;
                obstacles.extend(inside(outside, &later));
                found.extend(without(vec![later], &behind(&obstacles))?);
            }
        }
        Ok(found)
    }

    /// Where the controller may take a step of its own, as far as that depends on where it is.
    fn allows(&self, edges: &[EdgeId]) -> Vec<Matrix> {
        let of_rules = self.takes.iter().filter(|taken| taken.edges == edges);
        let mut found: Vec<Matrix> = of_rules.flat_map(|taken| taken.pieces.iter().cloned()).collect();
        found.extend(self.free.iter().cloned());
        found
    }
}

/// Whether evidence about what a strategy leaves supports a verdict.
pub fn judge_under(subject: &Subject<'_>, verdict: Verdict, proof: &Proof, budget: &Budget) -> CheckReport {
    let wants = subject.question.1.wants_it();
    let claimed = if proof.shows_existence() == wants {
        Verdict::Holds
    } else {
        Verdict::Fails
    };
    if verdict != claimed {
        return CheckReport::rejected("the evidence shows the opposite of the verdict");
    }
    crate::reported(is_right(subject, proof, budget))
}

pub(crate) fn is_right(subject: &Subject<'_>, proof: &Proof, budget: &Budget) -> Result<(), Objection> {
    let Proof::Under { strategy, proof } = proof else {
        return Err("the evidence is not about what a strategy leaves".into());
    };
    let (meaning, game) = subject.game;
    let Query::Control { must_win, .. } = game else {
        return Err("the strategy is not one of a game".into());
    };
    game::is_won(meaning, subject.network, game, *must_win, strategy, budget)?;
    let play = Play::new(subject, strategy, budget)?;
    match (subject.question.1, &**proof) {
        (Query::Reach(..), Proof::Run { run }) => play.reaches(run),
        (Query::Reach(..), Proof::Cover { cover }) => play.never_reaches(cover, budget),
        (Query::Stay(..), Proof::Stay { stay }) => play.stays(stay),
        (Query::Stay(..), Proof::Cover { cover }) => play.never_stays(cover, budget),
        _ => Err("the evidence is of another kind than the question needs".into()),
    }
}
