//! A naive evaluator of path formulas on ultimately periodic words, straight from the definitions.
//!
//! A formula with past operators does not have the same value at the same place of every round through the loop. Each
//! past operator delays the point from which values repeat by at most one round (a bounded one by as many as it looks
//! back), so the word is unrolled by so many rounds first.
use entail_logic::{Binary, Formula, Interval, Node, Unary};

/// Letters as sets of atoms, and where the word goes on after the last one.
#[derive(Clone, Debug)]
pub struct Lasso {
    pub letters: Vec<Vec<&'static str>>,
    pub loop_start: usize,
}

impl Lasso {
    pub fn new(prefix: &[&[&'static str]], period: &[&[&'static str]]) -> Lasso {
        Lasso {
            letters: prefix
                .iter()
                .chain(period)
                .map(|letter| letter.to_vec())
                .collect(),
            loop_start: prefix.len(),
        }
    }

    fn unrolled(&self, rounds: usize) -> Lasso {
        let period = self.letters[self.loop_start..].to_vec();
        let mut letters = self.letters.clone();
        for _ in 0..rounds {
            letters.extend(period.iter().cloned());
        }
        Lasso {
            loop_start: letters.len() - period.len(),
            letters,
        }
    }

    fn successor(&self, position: usize) -> usize {
        if position + 1 < self.letters.len() {
            position + 1
        } else {
            self.loop_start
        }
    }
}

fn delay(formula: &Formula<String>) -> usize {
    let below = formula.operands().into_iter().map(delay).max().unwrap_or(0);
    let look_back = |interval: &Interval| 1 + interval.last_step() as usize;
    below
        + match formula.node() {
            Node::Unary(op, interval, _) if op.is_past() => look_back(interval),
            Node::Binary(op, interval, ..) if op.is_past() => look_back(interval),
            _ => 0,
        }
}

/// Whether the formula is true at a position of the word (counted in the unrolled word).
pub fn holds_at(formula: &Formula<String>, word: &Lasso, position: usize) -> bool {
    let word = word.unrolled(delay(formula) + position);
    truth(formula, &word)[position]
}

/// Whether the formula is true at the beginning.
pub fn holds(formula: &Formula<String>, word: &Lasso) -> bool {
    holds_at(formula, word, 0)
}

fn truth(formula: &Formula<String>, word: &Lasso) -> Vec<bool> {
    let operands: Vec<Vec<bool>> = formula
        .operands()
        .into_iter()
        .map(|operand| truth(operand, word))
        .collect();
    (0..word.letters.len())
        .map(|position| {
            let now = |operand: usize| operands[operand][position];
            match formula.node() {
                Node::Constant(truth) => *truth,
                Node::Atom(name) => word.letters[position].contains(&name.as_str()),
                Node::Not(_) => !now(0),
                Node::And(_) => (0..operands.len()).all(now),
                Node::Or(_) => (0..operands.len()).any(now),
                Node::Implies(..) => !now(0) || now(1),
                Node::Iff(..) => now(0) == now(1),
                Node::Xor(..) => now(0) != now(1),
                // On one word, "all paths" and "some path" are that word.
                Node::Quantified(..) => panic!("the evaluator is for path formulas"),
                Node::Unary(op, interval, _) => {
                    let path = walk(word, position, op.is_past(), *interval);
                    let a = |at: usize| operands[0][at];
                    match op {
                        Unary::Next => a(word.successor(position)),
                        Unary::Yesterday => position > 0 && a(position - 1),
                        Unary::WeakYesterday => position == 0 || a(position - 1),
                        Unary::Finally | Unary::Once => some(&path, *interval, a, |_| true),
                        Unary::Globally | Unary::Historically => {
                            !some(&path, *interval, |at| !a(at), |_| true)
                        }
                    }
                }
                Node::Binary(op, interval, ..) => {
                    let path = walk(word, position, op.is_past(), *interval);
                    let a = |at: usize| operands[0][at];
                    let b = |at: usize| operands[1][at];
                    match op {
                        Binary::Until | Binary::Since => some(&path, *interval, b, a),
                        Binary::Release | Binary::Triggered => {
                            !some(&path, *interval, |at| !b(at), |at| !a(at))
                        }
                        Binary::StrongRelease => some(&path, *interval, |at| a(at) && b(at), b),
                        Binary::WeakUntil => !some(&path, *interval, |at| !a(at) && !b(at), |at| !b(at)),
                    }
                }
            }
        })
        .collect()
}

/// The positions from here on (or back), long enough to have seen every continuation.
fn walk(word: &Lasso, position: usize, past: bool, interval: Interval) -> Vec<usize> {
    if past {
        return (0..=position).rev().collect();
    }
    let length = interval.last_step() as usize + 2 * word.letters.len();
    std::iter::successors(Some(position), |&at| Some(word.successor(at)))
        .take(length)
        .collect()
}

/// Whether `goal` is met at some step of the interval with `aside` true at all steps before.
fn some(
    path: &[usize],
    interval: Interval,
    goal: impl Fn(usize) -> bool,
    aside: impl Fn(usize) -> bool,
) -> bool {
    for (step, &at) in path.iter().enumerate() {
        if interval.to.is_some_and(|to| step > to as usize) {
            return false;
        }
        if step >= interval.from as usize && goal(at) {
            return true;
        }
        if !aside(at) {
            return false;
        }
    }
    false
}

/// All words with so few letters over subsets of the atoms: every prefix and every loop.
pub fn short_lassos(atoms: &[&'static str], letters: usize) -> Vec<Lasso> {
    let subsets: Vec<Vec<&'static str>> = (0..1usize << atoms.len())
        .map(|mask| {
            (0..atoms.len())
                .filter(|bit| mask >> bit & 1 == 1)
                .map(|bit| atoms[bit])
                .collect()
        })
        .collect();
    let mut lassos = Vec::new();
    let mut words: Vec<Vec<Vec<&'static str>>> = vec![vec![]];
    for length in 1..=letters {
        words = words
            .iter()
            .flat_map(|word| {
                subsets.iter().map(move |letter| {
                    let mut word = word.clone();
                    word.push(letter.clone());
                    word
                })
            })
            .collect();
        for word in &words {
            for loop_start in 0..length {
                lassos.push(Lasso {
                    letters: word.clone(),
                    loop_start,
                });
            }
        }
    }
    lassos
}
