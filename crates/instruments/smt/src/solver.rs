//! The solver: assertions, assumptions, search.

use crate::conditionals::Limit;
use crate::congruence::Congruence;
use crate::core::{ClauseRef, Core};
use crate::differences::{Differences, Node};
use crate::gates::{Bits, Gates};
use crate::host::Host;
use crate::lazy_words::LazyWord;
use crate::linear::Forms;
use crate::queries::QueryLog;
use crate::simplex::{Delta, Simplex, SimplexVar};
use entail_budget::{Budget, Spent};
use entail_first_order::{Atom, Interpretation, Rational, Refutation, Rule, TermId, Terms};
use entail_sat::{Lit, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// The answer of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is a model.
    Satisfiable,
    /// There is none.
    Unsatisfiable,
    /// It could not be decided, for this reason.
    Unknown(String),
}

/// A bound of a variable, when an atom is true or false.
#[derive(Clone, Debug)]
pub(crate) struct BoundAtom {
    pub var: SimplexVar,
    pub positive: (bool, Delta),
    pub negative: (bool, Delta),
}

impl BoundAtom {
    /// An integer is at most a number, or more.
    pub fn at_most_whole(var: SimplexVar, most: Rational) -> BoundAtom {
        let more = &most + &Rational::one();
        BoundAtom {
            var,
            positive: (true, Delta::new(most, 0)),
            negative: (false, Delta::new(more, 0)),
        }
    }
}

/// What the congruence closure learns from an atom.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EqualityAtom {
    /// Two nodes are equal.
    Equation(usize, usize),
    /// A node is true.
    Predicate(usize),
}

/// An incremental solver. All calls are about one [`Terms`].
pub struct Solver {
    pub(crate) core: Core,
    /// What the variables stand for.
    pub(crate) atoms: Vec<Atom>,
    pub(crate) lits: FxHashMap<TermId, Lit>,
    pub(crate) internalized: FxHashSet<TermId>,
    pub(crate) forms: Forms,
    pub(crate) simplex: Simplex,
    /// In place of the simplex as long as all atoms about numbers are about differences.
    pub(crate) differences: Option<Differences>,
    /// For each variable of the tableau, the nodes whose difference it is.
    pub(crate) difference_of: Vec<Option<(Node, Node)>>,
    pub(crate) leaves: FxHashMap<TermId, SimplexVar>,
    /// Whether a variable of the tableau is a leaf, not a sum.
    pub(crate) is_leaf: Vec<bool>,
    /// The term a variable of the tableau stands for.
    pub(crate) simplex_terms: Vec<TermId>,
    pub(crate) sums: FxHashMap<Vec<(TermId, Rational)>, SimplexVar>,
    pub(crate) bound_atoms: Vec<Option<BoundAtom>>,
    /// Atoms about each variable of the tableau.
    pub(crate) atoms_of: Vec<Vec<Lit>>,
    pub(crate) congruence: Congruence,
    pub(crate) equality_atoms: Vec<Option<EqualityAtom>>,
    /// Nodes of equations and negations that are arguments of functions: of the variable itself, or of its negation.
    pub(crate) tied: FxHashMap<Var, Vec<(usize, bool)>>,
    /// Equations by the terms they are about, to be entered when the terms become nodes.
    pub(crate) equations: Vec<(TermId, TermId, Lit)>,
    /// Positions of the equations about a term that is no node yet.
    pub(crate) equations_of: FxHashMap<TermId, Vec<usize>>,
    pub(crate) gates: Option<Gates>,
    pub(crate) bits: FxHashMap<TermId, Bits>,
    /// Words whose circuits are put off.
    pub(crate) lazy_words: Vec<LazyWord>,
    /// The least (`false`) and greatest (`true`) values of conditional numbers.
    pub(crate) limits_of: FxHashMap<(TermId, bool), Limit>,
    pub(crate) products: Vec<TermId>,
    /// Products of two that are monomials, with their factors.
    pub(crate) monomials: FxHashMap<TermId, Vec<TermId>>,
    /// The products of monomials of a sort.
    pub(crate) monomial_terms: FxHashMap<(Vec<TermId>, entail_first_order::SortId), TermId>,
    /// Products introduced for products of inequalities in this call.
    pub(crate) new_monomials: usize,
    /// Rounds of clauses about products in this call.
    pub(crate) product_rounds: usize,
    /// Values of the constants in products at some assignments that got products wrong: near these a model may be.
    pub(crate) nearby: Vec<FxHashMap<TermId, Rational>>,
    /// What was asserted, with its switch if it has one.
    claims: Vec<(Option<TermId>, TermId)>,
    /// The formulas that the present call requires.
    pub(crate) required: Vec<TermId>,
    /// Systems of polynomial conditions in this call that stayed open.
    pub(crate) open_systems: usize,
    /// A model that was found beside the tableau.
    pub(crate) found_model: Option<Interpretation>,
    /// Universal formulas that are atoms, in order.
    pub(crate) universals: Vec<TermId>,
    /// Universal formulas are somebody else's business: assignments that are consistent without them are accepted.
    pub(crate) defers_universals: bool,
    /// Truth values of the universal formulas in the model.
    pub(crate) universal_values: Vec<(TermId, bool)>,
    pub(crate) array_terms: Vec<TermId>,
    pub(crate) array_done: FxHashSet<(TermId, TermId)>,
    pub(crate) theory_head: usize,
    pub(crate) theory_level: usize,
    pub(crate) asserted: usize,
    model: Option<Interpretation>,
    core_of: Vec<TermId>,
    refutation: Option<Refutation>,
    activations: FxHashMap<TermId, Lit>,
    pub(crate) truth_node: Option<(usize, usize)>,
    /// Branches on integers and cuts in this call.
    pub(crate) branches: usize,
    /// Cuts so far.
    pub(crate) cuts: usize,
    /// Proofs are wanted whose formulas do not mix what different formulas speak of: integers are branched upon, not cut.
    pub(crate) is_local: bool,
    /// The search of formulas that are mostly bits.
    pub(crate) host: Option<Host>,
    /// Our conflicts at which it is asked next.
    pub(crate) host_due: Option<u64>,
    /// Looked at while formulas are taken in.
    pub(crate) limits: Budget,
    /// The budget was spent while a formula was taken in: part of it is missing, and no later call is answered.
    pub(crate) stopped: Option<Spent>,
    /// The formulas once more, where questions are shown.
    pub(crate) queries: Option<QueryLog>,
}

impl Solver {
    /// A solver without formulas; `with_record` keeps what refutations are made of.
    pub fn new(with_record: bool) -> Solver {
        Solver {
            core: Core::new(with_record),
            atoms: Vec::new(),
            lits: FxHashMap::default(),
            internalized: FxHashSet::default(),
            forms: Forms::default(),
            simplex: Simplex::default(),
            differences: Some(Differences::new()),
            difference_of: Vec::new(),
            leaves: FxHashMap::default(),
            is_leaf: Vec::new(),
            simplex_terms: Vec::new(),
            sums: FxHashMap::default(),
            bound_atoms: Vec::new(),
            atoms_of: Vec::new(),
            congruence: Congruence::default(),
            equality_atoms: Vec::new(),
            tied: FxHashMap::default(),
            equations: Vec::new(),
            equations_of: FxHashMap::default(),
            gates: None,
            bits: FxHashMap::default(),
            lazy_words: Vec::new(),
            limits_of: FxHashMap::default(),
            products: Vec::new(),
            monomials: FxHashMap::default(),
            monomial_terms: FxHashMap::default(),
            new_monomials: 0,
            product_rounds: 0,
            nearby: Vec::new(),
            claims: Vec::new(),
            required: Vec::new(),
            open_systems: 0,
            found_model: None,
            universals: Vec::new(),
            defers_universals: false,
            universal_values: Vec::new(),
            array_terms: Vec::new(),
            array_done: FxHashSet::default(),
            theory_head: 0,
            theory_level: 0,
            asserted: 0,
            model: None,
            core_of: Vec::new(),
            refutation: None,
            activations: FxHashMap::default(),
            truth_node: None,
            branches: 0,
            cuts: 0,
            is_local: false,
            host: None,
            host_due: None,
            limits: Budget::unlimited(),
            stopped: None,
            queries: None,
        }
    }

    /// Stops taking in formulas when this budget is spent. The solver answers nothing afterwards.
    pub fn watch(&mut self, budget: &Budget) {
        self.limits = budget.same_limits();
    }

    pub(crate) fn must_stop(&mut self) -> bool {
        if self.stopped.is_none() {
            self.stopped = self.limits.check().err();
        }
        self.stopped.is_some()
    }

    pub(crate) fn new_var(&mut self, atom: Atom) -> Var {
        let var = self.core.new_var();
        self.atoms.push(atom);
        self.bound_atoms.push(None);
        self.equality_atoms.push(None);
        var
    }

    pub(crate) fn backtrack(&mut self, level: usize) {
        self.core.backtrack(level);
        if self.theory_level > level {
            self.simplex.pop_to(level);
            if let Some(differences) = &mut self.differences {
                differences.pop_to(level);
            }
            self.congruence.pop_to(level);
            self.theory_level = level;
        }
        self.theory_head = self.theory_head.min(self.core.trail.len());
    }

    pub(crate) fn clause(&mut self, lits: &[Lit], rule: Rule) {
        self.core.add_clause(lits, rule);
    }

    /// Requires a formula from now on. Its number in refutations counts assertions from 0.
    pub fn assert(&mut self, terms: &mut Terms, formula: TermId) {
        self.backtrack(0);
        if let Some(log) = &mut self.queries {
            log.assert(None, formula);
        }
        self.claims.push((None, formula));
        let lit = self.internalize(terms, formula);
        let number = self.asserted;
        self.asserted += 1;
        self.clause(&[lit], Rule::Asserted(number));
    }

    /// Requires a formula in calls that assume the switch; the switch is any term, used for nothing else.
    pub fn assert_under(&mut self, terms: &mut Terms, switch: TermId, formula: TermId) {
        self.backtrack(0);
        if let Some(log) = &mut self.queries {
            log.assert(Some(switch), formula);
        }
        self.claims.push((Some(switch), formula));
        let lit = self.internalize(terms, formula);
        let switch = match self.activations.get(&switch) {
            Some(&known) => known,
            None => {
                let fresh = self.new_var(Atom::Free).lit(true);
                self.core.undecided[fresh.var().index()] = true;
                self.activations.insert(switch, fresh);
                fresh
            }
        };
        let number = self.asserted;
        self.asserted += 1;
        self.clause(&[!switch, lit], Rule::Asserted(number));
    }

    /// Decides the formulas with assumptions: switches or formulas.
    pub fn check(
        &mut self,
        terms: &mut Terms,
        assumptions: &[TermId],
        budget: &Budget,
    ) -> Result<Answer, Spent> {
        self.backtrack(0);
        self.model = None;
        self.core_of.clear();
        self.branches = 0;
        self.product_rounds = 0;
        self.new_monomials = 0;
        self.open_systems = 0;
        self.found_model = None;
        self.refutation = None;
        let limits = std::mem::replace(&mut self.limits, budget.same_limits());
        let mut literals = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            let literal = match self.activations.get(&assumption) {
                Some(&switch) => switch,
                None => self.internalize(terms, assumption),
            };
            literals.push(literal);
        }
        self.required = self.required_by(assumptions);
        let answer = self.search(terms, assumptions, &literals, budget);
        self.backtrack(0);
        self.limits = limits;
        if let (Some(log), Ok(answer)) = (&self.queries, &answer) {
            let is_switch = |assumption| self.activations.contains_key(&assumption);
            log.ask(terms, assumptions, is_switch, answer);
        }
        answer
    }

    /// The formulas that hold in every model of a call.
    fn required_by(&self, assumptions: &[TermId]) -> Vec<TermId> {
        if self.products.is_empty() {
            return Vec::new();
        }
        let is_switch = |term: &TermId| self.activations.contains_key(term);
        let active = (self.claims.iter())
            .filter(|(switch, _)| switch.is_none_or(|switch| assumptions.contains(&switch)))
            .map(|&(_, formula)| formula);
        active
            .chain(assumptions.iter().copied().filter(|one| !is_switch(one)))
            .collect()
    }

    fn search(
        &mut self,
        terms: &mut Terms,
        assumptions: &[TermId],
        literals: &[Lit],
        budget: &Budget,
    ) -> Result<Answer, Spent> {
        let mut restart = 0u32;
        let mut limit = 100;
        let mut since_restart = 0;
        loop {
            budget.check()?;
            if let Some(spent) = self.stopped {
                return Err(spent);
            }
            if self.core.is_refuted {
                self.conclude(assumptions, &[], None);
                return Ok(Answer::Unsatisfiable);
            }
            let mut conflict = self.core.propagate();
            if conflict.is_none() {
                let before = self.core.trail.len();
                conflict = self.propagate_theories(terms, budget)?;
                if conflict.is_none() && self.core.trail.len() > before {
                    continue;
                }
            }
            if let Some(conflict) = conflict {
                since_restart += 1;
                self.handle_conflict(conflict);
                continue;
            }
            if self.core.level() == 0
                && self.is_host_due()
                && let Some((core, id)) = self.ask_host(literals, budget)?
            {
                let failed = (!core.is_empty()).then_some((core, id));
                self.conclude(assumptions, literals, failed);
                return Ok(Answer::Unsatisfiable);
            }
            if since_restart >= limit {
                restart += 1;
                limit = luby(restart) * 100;
                since_restart = 0;
                self.backtrack(0);
                self.core.reduce();
                continue;
            }
            if self.core.level() < literals.len() {
                let next = literals[self.core.level()];
                match self.core.value(next) {
                    1 => self.core.new_level(),
                    -1 => {
                        self.fail(assumptions, literals, next);
                        return Ok(Answer::Unsatisfiable);
                    }
                    _ => self.core.decide(next),
                }
                continue;
            }
            if let Some(next) = self.core.pick() {
                self.core.decide(next);
                continue;
            }
            match self.final_check(terms, budget)? {
                FinalCheck::Consistent => {
                    let found = self.found_model.take();
                    self.model = Some(found.unwrap_or_else(|| self.build_model(terms)));
                    self.note_universals();
                    return Ok(Answer::Satisfiable);
                }
                FinalCheck::Unknown(reason) => {
                    self.model = Some(self.build_model(terms));
                    return Ok(Answer::Unknown(reason));
                }
                FinalCheck::Again => self.expect_host(),
            }
        }
    }

    pub(crate) fn handle_conflict(&mut self, conflict: ClauseRef) {
        let level = self.core.conflict_level(conflict);
        self.backtrack(level);
        if let Some(back) = self.core.resolve(conflict) {
            // The learned literal is new to the theories.
            self.theory_head = self.theory_head.min(self.core.trail.len() - 1);
            self.backtrack(back);
        }
    }

    /// An assumption is false: notes the core and completes the refutation.
    fn fail(&mut self, assumptions: &[TermId], literals: &[Lit], failed: Lit) {
        let (core, id) = self.core.analyze_final(failed);
        self.conclude(assumptions, literals, Some((core, id)));
    }

    fn conclude(&mut self, assumptions: &[TermId], literals: &[Lit], failed: Option<(Vec<Lit>, u32)>) {
        let Some((core, id)) = failed else {
            self.keep_refutation();
            return;
        };
        let mut needed = Vec::new();
        for (&assumption, &literal) in assumptions.iter().zip(literals) {
            if core.contains(&literal) && !self.core_of.contains(&assumption) {
                self.core_of.push(assumption);
                needed.push((assumption, literal));
            }
        }
        if self.core.record.is_some() {
            let mut tail = Vec::new();
            for (assumption, literal) in needed {
                let rule = match self.activations.contains_key(&assumption) {
                    true => Rule::Chosen,
                    false => Rule::Asserted(usize::MAX),
                };
                tail.push((literal, rule));
            }
            self.keep_refutation_with(&tail, id);
        }
    }

    fn keep_refutation(&mut self) {
        if let Some(record) = &self.core.record {
            self.refutation = Some(Refutation {
                atoms: self.atoms.clone(),
                steps: record.steps.clone(),
            });
        }
    }

    fn keep_refutation_with(&mut self, tail: &[(Lit, Rule)], id: u32) {
        let Some(record) = &self.core.record else { return };
        let mut copy = crate::record::Record {
            steps: record.steps.clone(),
            count: record.count,
        };
        let mut hints = Vec::new();
        for (literal, rule) in tail {
            hints.push(copy.input(&[*literal], rule.clone()));
        }
        hints.push(id);
        copy.derive(&[], hints);
        self.refutation = Some(Refutation {
            atoms: self.atoms.clone(),
            steps: copy.steps,
        });
    }

    /// The model after [`Answer::Satisfiable`]; a candidate after [`Answer::Unknown`].
    pub fn model(&self) -> Option<&Interpretation> {
        self.model.as_ref()
    }

    /// Assumptions that were needed for [`Answer::Unsatisfiable`].
    pub fn unsat_core(&self) -> &[TermId] {
        &self.core_of
    }

    /// The proof after [`Answer::Unsatisfiable`], if a record is kept.
    pub fn refutation(&self) -> Option<&Refutation> {
        self.refutation.as_ref()
    }

    /// Conflicts so far.
    pub fn conflicts(&self) -> u64 {
        self.core.conflicts
    }
}

/// What a complete assignment turned out to be.
pub(crate) enum FinalCheck {
    Consistent,
    /// New atoms or clauses: search on.
    Again,
    Unknown(String),
}

/// Luby's sequence, counted from 1.
fn luby(index: u32) -> u32 {
    let mut index = index.max(1);
    loop {
        let size = 32 - index.leading_zeros();
        if index == (1u64 << size) as u32 - 1 {
            return 1 << (size - 1);
        }
        index -= (1 << (size - 1)) - 1;
    }
}
