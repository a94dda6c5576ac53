//! Craig interpolants from refutations (McMillan 2003, 2005).
//!
//! Groups of formulas that have no model together are cut after each group: an interpolant of a cut follows from the groups before it,
//! contradicts those after it, and uses symbols of both sides alone. The refutation is brought into the form of resolution steps
//! ([`chain`]) and read once a cut: an input clause of the left side gives its literals that the right side can speak of, one of the right
//! side gives truth, a lemma of a theory the interpolant of its own negation ([`lemma`]); a step on a literal that only the left side has
//! joins by `or`, any other by `and`. Cost: linear in the proof for each cut.
//!
//! The search for such a proof makes no cuts of the integers, which mix both sides. Where a literal mixes them all the same, or a lemma
//! has no certificate, that cut has no interpolant from the proof, with the reason; [`projected_interpolant`] makes one without a proof. Nothing here is
//! believed: callers have each interpolant refuted.

mod chain;
mod equality;
mod lemma;
mod projected;

pub use projected::projected_interpolant;

use crate::{Answer, Solver};
use chain::{Chain, Proof, resolution_proof};
use entail_budget::{Budget, Spent};
use entail_first_order::{Atom, Interpretation, Literal, Op, Refutation, Rule, TermId, Terms};
use lemma::Lemmas;
use rustc_hash::FxHashMap;

/// What the groups came to.
#[derive(Clone, Debug)]
pub enum Interpolated {
    /// They have a model.
    Satisfiable(Interpretation),
    /// For each cut, its interpolant or why there is none.
    Interpolants(Vec<Result<TermId, String>>),
    /// It could not be decided, for this reason.
    Unknown(String),
}

/// Which of the interpolants that a proof gives is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Near to what the groups before the cut say (McMillan's system).
    Strong,
    /// Near to what contradicts the groups after it: the negation of the strong interpolant with the sides exchanged.
    Weak,
}

/// Decides groups of formulas; if they have no model, the interpolants after each group but the last.
pub fn interpolate(
    terms: &mut Terms,
    groups: &[Vec<TermId>],
    strength: Strength,
    budget: &Budget,
) -> Result<Interpolated, Spent> {
    let mut solver = Solver::new(true);
    solver.is_local = true;
    solver.watch(budget);
    let mut group_of = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        for &formula in group {
            solver.assert(terms, formula);
            group_of.push(number);
        }
    }
    match solver.check(terms, &[], budget)? {
        Answer::Satisfiable => {
            let model = solver.model().cloned().unwrap_or_default();
            return Ok(Interpolated::Satisfiable(model));
        }
        Answer::Unknown(reason) => return Ok(Interpolated::Unknown(reason)),
        Answer::Unsatisfiable => {}
    }
    let Some(refutation) = solver.refutation() else {
        return Ok(Interpolated::Unknown("there is no proof".into()));
    };
    let Some(proof) = resolution_proof(refutation, budget)? else {
        return Ok(Interpolated::Unknown("the proof cannot be replayed".into()));
    };
    let vocabulary = Vocabulary::new(terms, groups);
    let mut found = Vec::new();
    for cut in 1..groups.len() {
        let mut reader = CutReader {
            cut,
            strength,
            refutation,
            group_of: &group_of,
            vocabulary: &vocabulary,
            lemmas: Lemmas::default(),
        };
        let read = reader.read(terms, &proof, budget)?;
        found.push(read.map(|interpolant| match strength {
            Strength::Strong => interpolant,
            Strength::Weak => terms.not(interpolant),
        }));
    }
    Ok(Interpolated::Interpolants(found))
}

/// In which groups symbols occur.
struct Vocabulary {
    /// For each symbol, its first and last group.
    ranges: FxHashMap<u32, (usize, usize)>,
}

/// Which side of a cut can speak of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Both,
    Neither,
}

impl Side {
    fn has_left(self) -> bool {
        matches!(self, Side::Left | Side::Both)
    }

    fn has_right(self) -> bool {
        matches!(self, Side::Right | Side::Both)
    }

    fn exchanged(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
            side => side,
        }
    }
}

impl Vocabulary {
    fn new(terms: &Terms, groups: &[Vec<TermId>]) -> Vocabulary {
        let mut ranges: FxHashMap<u32, (usize, usize)> = FxHashMap::default();
        for (number, group) in groups.iter().enumerate() {
            for term in terms.cone(group) {
                if let Op::Apply(symbol) = terms.op(term) {
                    let range = ranges.entry(symbol.index() as u32).or_insert((number, number));
                    range.1 = number;
                }
            }
        }
        Vocabulary { ranges }
    }

    /// Which side can speak of a term; symbols that no group has belong to neither.
    fn side(&self, terms: &Terms, term: TermId, cut: usize) -> Side {
        let (mut left, mut right) = (true, true);
        for inner in terms.cone(&[term]) {
            if let Op::Apply(symbol) = terms.op(inner) {
                let range = self.ranges.get(&(symbol.index() as u32));
                let &(first, last) = range.unwrap_or(&(usize::MAX, 0));
                left &= first < cut;
                right &= last >= cut;
            }
        }
        match (left, right) {
            (true, true) => Side::Both,
            (true, false) => Side::Left,
            (false, true) => Side::Right,
            (false, false) => Side::Neither,
        }
    }
}

/// Reads the proof for one cut.
struct CutReader<'a> {
    cut: usize,
    strength: Strength,
    refutation: &'a Refutation,
    group_of: &'a [usize],
    vocabulary: &'a Vocabulary,
    lemmas: Lemmas,
}

impl CutReader<'_> {
    fn read(
        &mut self,
        terms: &mut Terms,
        proof: &Proof<'_>,
        budget: &Budget,
    ) -> Result<Result<TermId, String>, Spent> {
        let mut sides: Vec<Option<Side>> = vec![None; self.refutation.atoms.len()];
        let mut partial: FxHashMap<u32, TermId> = FxHashMap::default();
        for (id, chain) in &proof.steps {
            budget.check()?;
            let made = match chain {
                Chain::Input(clause, rule) => self.input(terms, clause, rule, &mut sides),
                Chain::Resolved(first, steps) => {
                    let mut sum = partial[first];
                    let mut result = Ok(());
                    for &(pivot, other) in steps {
                        let side = self.side_of(terms, pivot, &mut sides);
                        let parts = [sum, partial[&other]];
                        sum = match side {
                            Ok(Side::Left) => terms.or(&parts),
                            Ok(_) => terms.and(&parts),
                            Err(why) => {
                                result = Err(why);
                                break;
                            }
                        };
                    }
                    result.map(|()| sum)
                }
            };
            match made {
                Ok(term) => drop(partial.insert(*id, term)),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(partial
            .get(&proof.last)
            .copied()
            .ok_or_else(|| "the proof has no end".into()))
    }

    /// Which side can speak of a term; the sides are exchanged for weak interpolants.
    fn side(&self, terms: &Terms, term: TermId) -> Side {
        let side = self.vocabulary.side(terms, term, self.cut);
        match self.strength {
            Strength::Strong => side,
            Strength::Weak => side.exchanged(),
        }
    }

    /// The formula of a literal's atom.
    fn formula(&self, literal: Literal) -> Result<TermId, String> {
        match self.refutation.atoms[literal.unsigned_abs() as usize - 1] {
            Atom::Formula(term) => Ok(term),
            Atom::Free => Err("the proof has an atom that stands for no formula".into()),
        }
    }

    fn side_of(&self, terms: &Terms, literal: Literal, sides: &mut [Option<Side>]) -> Result<Side, String> {
        let place = literal.unsigned_abs() as usize - 1;
        let side = match sides[place] {
            Some(known) => known,
            None => {
                let side = self.side(terms, self.formula(literal)?);
                sides[place] = Some(side);
                side
            }
        };
        match side {
            Side::Neither => Err(format!(
                "the proof has a formula over both sides: {}",
                terms.print(self.formula(literal)?)
            )),
            side => Ok(side),
        }
    }

    /// The interpolant of an input clause.
    fn input(
        &mut self,
        terms: &mut Terms,
        clause: &[Literal],
        rule: &Rule,
        sides: &mut [Option<Side>],
    ) -> Result<TermId, String> {
        let mut literals = Vec::with_capacity(clause.len());
        for &literal in clause {
            let side = self.side_of(terms, literal, sides)?;
            literals.push((literal, self.formula(literal)?, side));
        }
        let is_left = match rule {
            Rule::Asserted(number) => {
                let is_before = self.group_of.get(*number).is_some_and(|&group| group < self.cut);
                is_before == (self.strength == Strength::Strong)
            }
            _ if literals.iter().all(|(_, _, side)| side.has_right()) => false,
            Rule::Linear(combinations) => return self.lemmas.linear(terms, &literals, combinations),
            Rule::LinearSplit(equation, below, above) => {
                return self.lemmas.split(terms, &literals, *equation, (below, above));
            }
            Rule::Claimed(why) => return Err(format!("the proof has a step without a certificate: {why}")),
            _ if literals.iter().all(|(_, _, side)| side.has_left()) => true,
            Rule::Congruence => {
                return equality::interpolant(terms, &literals, &|terms, term| self.side(terms, term));
            }
            _ => return Err("an axiom is about both sides".into()),
        };
        if !is_left {
            return Ok(terms.truth());
        }
        let mut shared = Vec::new();
        for &(literal, term, side) in &literals {
            if side.has_right() {
                shared.push(if literal > 0 { term } else { terms.not(term) });
            }
        }
        Ok(terms.or(&shared))
    }
}
