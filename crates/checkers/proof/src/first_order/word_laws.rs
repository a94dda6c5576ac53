//! Judging the laws of words that were applied when terms were built.
//!
//! Building a term of words may give another one, and formulas are kept in that form alone. Every such pair of what was written and what was
//! built is kept beside them; here each is shown to be equal, in one of two ways that have nothing in common with the laws: as polynomials
//! modulo a power of two (`word_polynomial.rs`), or bit by bit, by this crate's circuits. For the bits, operands beyond a depth are
//! unknowns at first; what is not shown so is tried with more of them opened. Equal circuits are found equal as they are built; for the rest a
//! SAT solver is asked, and its proof checked. A pair with different bits at the greatest depth is a wrong law.

use super::word_polynomial::WordPolynomial;
use super::words::{Translation, cells};
use crate::arithmetic::Bits;
use crate::gates::Gates;
use crate::solver::{Lit, NoAnswer};
use entail_budget::Budget;
use entail_first_order::{Evaluator, Op, SortId, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Depths to which operands are opened, one after the other.
const DEPTHS: [usize; 4] = [2, 4, 10, 60];
/// More cells of quadratic circuits are not translated for a pair.
const MOST_CELLS: u64 = 100_000;
/// Conflicts of one question.
const MOST_CONFLICTS: i32 = 20_000;

/// Pairs that are judged together; those before a pair that is not decided are not judged again.
const AT_ONCE: usize = 256;

/// Why pairs are not believed to be equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LawFault {
    /// A pair differs for some values.
    Wrong(String),
    /// It was not decided whether a pair is equal, for this reason.
    Undecided(String),
}

/// Judges pairs; those that were judged are not looked at again.
#[derive(Default)]
pub struct LawJudge {
    judged: usize,
}

impl LawJudge {
    /// Judges the laws that were applied in building terms, all but those of earlier calls, up to this number.
    pub fn judge(&mut self, terms: &Terms, until: usize, budget: &Budget) -> Result<(), LawFault> {
        let laws = terms.applied_laws();
        let until = until.min(laws.len());
        while self.judged < until {
            let end = until.min(self.judged + AT_ONCE);
            check_laws(terms, &laws[self.judged..end], budget)?;
            self.judged = end;
        }
        Ok(())
    }

    /// Whether both terms of each pair that was not judged, up to this number, have one value under an interpretation.
    pub fn agree_under(&self, terms: &Terms, evaluator: &mut Evaluator<'_>, until: usize) -> bool {
        let laws = terms.applied_laws();
        let pairs = laws.get(self.judged..until.min(laws.len())).unwrap_or_default();
        // What is below a quantifier may have no value; such a pair says nothing about this interpretation.
        pairs.iter().all(
            |&(written, built)| match (evaluator.value(written), evaluator.value(built)) {
                (Ok(before), Ok(after)) => before == after,
                _ => true,
            },
        )
    }
}

/// Whether both terms of each pair are equal for all values of what they are made of.
pub fn check_laws(terms: &Terms, pairs: &[(TermId, TermId)], budget: &Budget) -> Result<(), LawFault> {
    let mut bench = None;
    for &(written, built) in pairs {
        budget
            .check()
            .map_err(|spent| LawFault::Undecided(spent.to_string()))?;
        if terms.sort_of(written) != terms.sort_of(built) {
            return Err(LawFault::Wrong("a term became one of another sort".into()));
        }
        if !are_equal_polynomials(terms, written, built) {
            let bench = bench.get_or_insert_with(|| Bench {
                terms,
                gates: Some(Gates::new()),
                words: FxHashMap::default(),
                formulas: FxHashMap::default(),
            });
            bench.compare(written, built, budget)?;
        }
    }
    Ok(())
}

/// Whether two words, or the differences of the sides of two equations of words, are equal polynomials.
fn are_equal_polynomials(terms: &Terms, written: TermId, built: TermId) -> bool {
    if terms.width(written) > 0 {
        return WordPolynomial::of(terms, written) == WordPolynomial::of(terms, built);
    }
    let sides = |equation: TermId| match (terms.op(equation), terms.args(equation)) {
        (Op::Eq, &[a, b]) if terms.width(a) > 0 => Some((a, b)),
        _ => None,
    };
    let (Some((a, b)), Some((x, y))) = (sides(written), sides(built)) else {
        return false;
    };
    let (before, after) = (
        WordPolynomial::difference(terms, a, b),
        WordPolynomial::difference(terms, x, y),
    );
    before == after || before == after.negated()
}

/// Whether the bits of a term are a function of the bits of its operands.
fn is_transparent(terms: &Terms, term: TermId) -> bool {
    let is_bits = |&arg: &TermId| terms.width(arg) > 0 || terms.sort_of(arg) == SortId::BOOL;
    let has_bits = matches!(
        terms.op(term),
        Op::True
            | Op::False
            | Op::Not
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Eq
            | Op::Ite
            | Op::Word(_)
            | Op::WordNot
            | Op::WordAnd
            | Op::WordOr
            | Op::WordXor
            | Op::WordNeg
            | Op::WordAdd
            | Op::WordMul
            | Op::WordDivide
            | Op::WordRemainder
            | Op::ShiftLeft
            | Op::ShiftRight
            | Op::ShiftRightSigned
            | Op::Concat
            | Op::Extract(..)
            | Op::WordLess
            | Op::WordLessSigned
    );
    has_bits && is_bits(&term) && terms.args(term).iter().all(is_bits)
}

/// The terms below two roots to a depth: those that are opened, operands first, and those that are unknowns.
fn opened(terms: &Terms, roots: [TermId; 2], depth: usize) -> (Vec<TermId>, Vec<TermId>) {
    let mut seen: FxHashSet<TermId> = roots.into_iter().collect();
    let mut level: Vec<TermId> = roots.to_vec();
    let (mut open, mut leaves) = (Vec::new(), Vec::new());
    for below in 0.. {
        if level.is_empty() {
            break;
        }
        let mut next = Vec::new();
        for term in level {
            let is_open = terms.args(term).is_empty() || below < depth;
            if !is_open || !is_transparent(terms, term) {
                leaves.push(term);
                continue;
            }
            open.push(term);
            next.extend(terms.args(term).iter().filter(|&&arg| seen.insert(arg)));
        }
        level = next;
    }
    open.sort_unstable();
    (open, leaves)
}

/// Gates for all pairs, and the unknowns in them.
struct Bench<'a> {
    terms: &'a Terms,
    /// Lent to a translation now and then.
    gates: Option<Gates>,
    words: FxHashMap<TermId, Bits>,
    formulas: FxHashMap<TermId, Lit>,
}

impl Bench<'_> {
    fn compare(&mut self, written: TermId, built: TermId, budget: &Budget) -> Result<(), LawFault> {
        let shown = || format!("{} became {}", self.terms.print(written), self.terms.print(built));
        let mut last = None;
        for depth in DEPTHS {
            let (open, leaves) = opened(self.terms, [written, built], depth);
            if last == Some((open.len(), leaves.len())) {
                continue;
            }
            last = Some((open.len(), leaves.len()));
            let size: u64 = open.iter().map(|&term| cells(self.terms, term)).sum();
            if size > MOST_CELLS {
                return Err(LawFault::Undecided(format!("too many bits: {}", shown())));
            }
            let is_everything = leaves.iter().all(|&leaf| !is_transparent(self.terms, leaf));
            match self.are_equal(written, built, &open, &leaves, budget)? {
                Some(true) => return Ok(()),
                Some(false) if is_everything => return Err(LawFault::Wrong(shown())),
                _ => {}
            }
        }
        Err(LawFault::Undecided(format!("not shown: {}", shown())))
    }

    /// Whether the bits of two terms are equal; nothing if a solver gives up.
    fn are_equal(
        &mut self,
        written: TermId,
        built: TermId,
        open: &[TermId],
        leaves: &[TermId],
        budget: &Budget,
    ) -> Result<Option<bool>, LawFault> {
        let undecided = |reason: String| LawFault::Undecided(reason);
        let mut gates = self.gates.take().unwrap_or_else(Gates::new);
        for &leaf in leaves {
            let width = self.terms.width(leaf);
            match self.terms.sort_of(leaf) == SortId::BOOL {
                true => drop(self.formulas.entry(leaf).or_insert_with(|| gates.fresh())),
                false => {
                    let bits = || (0..width).map(|_| gates.fresh()).collect();
                    self.words.entry(leaf).or_insert_with(bits);
                }
            }
        }
        let formulas = leaves
            .iter()
            .filter_map(|leaf| Some((*leaf, *self.formulas.get(leaf)?)));
        let words = leaves
            .iter()
            .filter_map(|leaf| Some((*leaf, self.words.get(leaf)?.clone())));
        let mut translation = Translation {
            terms: self.terms,
            formulas: formulas.collect(),
            words: words.collect(),
            gates,
        };
        for &term in open {
            translation
                .meet(term)
                .map_err(|reason| undecided(reason.into()))?;
        }
        let Translation {
            formulas,
            words,
            mut gates,
            ..
        } = translation;
        let same = match (words.get(&written), words.get(&built)) {
            (Some(a), Some(b)) => gates.equal_bits(a, b),
            _ => {
                let [a, b] = [written, built].map(|side| formulas.get(&side).copied());
                let (Some(a), Some(b)) = (a, b) else {
                    return Err(undecided("a term has no bits".into()));
                };
                !gates.xor(a, b)
            }
        };
        let answer = match same == gates.constant(true) {
            true => Ok(Some(false)),
            false => gates.try_for(MOST_CONFLICTS, &[!same], budget),
        };
        self.gates = Some(gates);
        match answer {
            Ok(differs) => Ok(differs.map(|differs| !differs)),
            Err(NoAnswer::Spent(spent)) => Err(undecided(spent.to_string())),
            Err(NoAnswer::BadProof(rejected)) => Err(undecided(rejected.to_string())),
            Err(NoAnswer::TooLarge) => Err(undecided("decision diagrams are too large".into())),
        }
    }
}
