//! From terms to literals: clauses for connectives, atoms for theories.
//!
//! Every formula has a literal that is equivalent to it. Terms are met operands first, so nothing recurses over input; new terms made on
//! the way (bounds of a linear form, equations of a conditional) are about operands that are known already.

use crate::differences::{Differences, ZERO};
use crate::linear::{LinearForm, normalize, term_of};
use crate::simplex::{Delta, SimplexVar};
use crate::solver::{BoundAtom, EqualityAtom, Solver};
use entail_first_order::{Atom, Combination, Op, Rational, Rule, Sort, SortId, TermId, Terms};
use entail_sat::Lit;
use rustc_hash::FxHashSet;

/// A single combination of literals.
pub(crate) fn linear(parts: &[(Lit, i64)]) -> Vec<Combination> {
    vec![Combination {
        literals: parts
            .iter()
            .map(|(lit, factor)| (lit.to_dimacs(), Rational::integer(*factor)))
            .collect(),
        earlier: Vec::new(),
    }]
}

impl Solver {
    /// The literal of a formula; the solver is at level 0.
    pub(crate) fn internalize(&mut self, terms: &mut Terms, root: TermId) -> Lit {
        if let Some(&known) = self.lits.get(&root) {
            return known;
        }
        self.theory_head = 0;
        for term in self.new_cone(terms, root) {
            if self.must_stop() {
                break;
            }
            self.meet(terms, term);
        }
        match self.lits.get(&root) {
            Some(&lit) => lit,
            // Only when the budget was spent on the way; then nothing is answered any more.
            None => self.new_var(Atom::Free).lit(true),
        }
    }

    /// Terms below the root that were not met before, operands first. Quantified formulas are not entered.
    fn new_cone(&self, terms: &Terms, root: TermId) -> Vec<TermId> {
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut waiting = vec![root];
        while let Some(term) = waiting.pop() {
            if self.internalized.contains(&term) || !seen.insert(term) {
                continue;
            }
            if !matches!(terms.op(term), Op::Forall(_)) {
                waiting.extend(terms.args(term));
            }
        }
        let mut cone: Vec<TermId> = seen.into_iter().collect();
        cone.sort_unstable();
        cone
    }

    fn meet(&mut self, terms: &mut Terms, term: TermId) {
        if !self.internalized.insert(term) {
            return;
        }
        let node = terms.node(term).clone();
        if node.sort == SortId::BOOL {
            self.meet_formula(terms, term, &node.op, &node.args);
        } else {
            self.meet_value(terms, term, &node.op, &node.args);
        }
    }

    pub(crate) fn atom(&mut self, term: TermId) -> Lit {
        if let Some(&known) = self.lits.get(&term) {
            return known;
        }
        let lit = self.new_var(Atom::Formula(term)).lit(true);
        self.lits.insert(term, lit);
        lit
    }

    fn meet_formula(&mut self, terms: &mut Terms, term: TermId, op: &Op, args: &[TermId]) {
        match op {
            Op::Not => {
                let inner = self.lits[&args[0]];
                // The negation has no variable of its own; the checker reads it as the negated atom.
                self.lits.insert(term, !inner);
            }
            Op::True | Op::False => {
                let lit = self.atom(term);
                let holds = if *op == Op::True { lit } else { !lit };
                self.clause(&[holds], Rule::Connective(term));
            }
            Op::And | Op::Or => {
                let out = self.atom(term);
                let is_and = *op == Op::And;
                let inner: Vec<Lit> = args.iter().map(|arg| self.lits[arg]).collect();
                let signed = |lit: Lit| if is_and { lit } else { !lit };
                let out = signed(out);
                let mut long = vec![out];
                for &lit in &inner {
                    self.clause(&[!out, signed(lit)], Rule::Connective(term));
                    long.push(!signed(lit));
                }
                self.clause(&long, Rule::Connective(term));
            }
            Op::Ite => {
                let out = self.atom(term);
                let [c, a, b] = [self.lits[&args[0]], self.lits[&args[1]], self.lits[&args[2]]];
                for clause in [
                    [!c, !a, out],
                    [!c, a, !out],
                    [c, !b, out],
                    [c, b, !out],
                    [!a, !b, out],
                    [a, b, !out],
                ] {
                    self.clause(&clause, Rule::Connective(term));
                }
            }
            Op::Eq if terms.sort_of(args[0]) == SortId::BOOL => {
                let out = self.atom(term);
                let [a, b] = [self.lits[&args[0]], self.lits[&args[1]]];
                for clause in [[!out, !a, b], [!out, a, !b], [out, a, b], [out, !a, !b]] {
                    self.clause(&clause, Rule::Connective(term));
                }
            }
            Op::Eq => self.meet_equation(terms, term, args[0], args[1]),
            Op::Le => self.meet_inequality(terms, term),
            Op::WordLess | Op::WordLessSigned => self.meet_word_atom(terms, term),
            Op::Apply(_) | Op::Select => {
                let out = self.atom(term);
                if !args.is_empty() {
                    let node = self.node(terms, term);
                    self.watch_predicate(out, node);
                }
            }
            _ => {
                if matches!(op, Op::Forall(_)) {
                    self.universals.push(term);
                }
                self.atom(term);
            }
        }
    }

    fn meet_value(&mut self, terms: &mut Terms, term: TermId, op: &Op, args: &[TermId]) {
        let sort = terms.sort_of(term);
        if terms.width(term) > 0 {
            self.meet_word(terms, term);
        }
        if *op == Op::Ite && terms.width(term) == 0 {
            let condition = self.lits[&args[0]];
            for (side, guard) in [(args[1], !condition), (args[2], condition)] {
                let equation = terms.equation(term, side);
                let equal = self.internalize(terms, equation);
                self.clause(&[guard, equal], Rule::Conditional(term));
            }
            if sort.is_arithmetic() {
                self.bound_conditional(terms, term, condition, [args[1], args[2]]);
            }
        }
        if sort.is_arithmetic() {
            self.meet_number(terms, term, op, args);
        }
        let is_function = matches!(op, Op::Apply(_) if !args.is_empty())
            || matches!(op, Op::Select | Op::Store | Op::ConstantArray | Op::Difference);
        let is_abstract = matches!(terms.sort(sort), Sort::Uninterpreted(_) | Sort::Array(..));
        if is_function || is_abstract {
            self.node(terms, term);
        }
        if is_abstract || matches!(op, Op::Select) {
            self.array_terms.push(term);
        }
        if let Op::Store = op {
            let read = terms.make(Op::Select, &[term, args[1]], terms.sort_of(args[2]));
            let equation = terms.equation(read, args[2]);
            let equal = self.internalize(terms, equation);
            self.clause(&[equal], Rule::Array(term));
        }
    }

    fn meet_number(&mut self, terms: &mut Terms, term: TermId, op: &Op, args: &[TermId]) {
        match op {
            Op::IntDiv if terms.number(args[1]).is_some_and(|divisor| !divisor.is_zero()) => {
                let divisor = args[1];
                let size = terms.number(divisor).map(Rational::abs).unwrap_or_default();
                let product = terms.mul(&[divisor, term], SortId::INT);
                let most = terms.numeral(&size - &Rational::one(), SortId::INT);
                let top = terms.add(&[product, most], SortId::INT);
                for bound in [terms.le(product, args[0]), terms.le(args[0], top)] {
                    let lit = self.internalize(terms, bound);
                    self.clause(&[lit], Rule::Quotient(term));
                }
            }
            Op::ToInt => {
                let floor = terms.to_real(term);
                let one = terms.numeral(Rational::one(), SortId::REAL);
                let above = terms.add(&[floor, one], SortId::REAL);
                for bound in [terms.le(floor, args[0]), terms.lt(args[0], above)] {
                    let lit = self.internalize(terms, bound);
                    self.clause(&[lit], Rule::Quotient(term));
                }
            }
            Op::Mul if args.len() != 2 || terms.number(args[0]).is_none() => {
                self.meet_product(terms, term, args)
            }
            Op::Divide | Op::IntDiv => self.meet_quotient(terms, term, args[0], args[1]),
            _ => {}
        }
    }

    /// The node of a term in the congruence closure, with those of its operands.
    pub(crate) fn node(&mut self, terms: &mut Terms, term: TermId) -> usize {
        if let Some(known) = self.congruence.node(term) {
            return known;
        }
        self.give_differences_up();
        if self.truth_node.is_none() {
            let truth = self.congruence.add(terms.truth(), None, true);
            let falsehood = self.congruence.add(terms.falsehood(), None, true);
            self.truth_node = Some((truth, falsehood));
        }
        let data = terms.node(term).clone();
        let function = match &data.op {
            Op::Apply(symbol) if !data.args.is_empty() => Some((symbol.index() as u64) << 3),
            Op::Select => Some(1),
            Op::Store => Some(2),
            Op::ConstantArray => Some((data.sort.index() as u64) << 3 | 3),
            Op::Difference => Some(4),
            _ => None,
        };
        let function = function.map(|function| {
            let args: Vec<usize> = data.args.iter().map(|&arg| self.node(terms, arg)).collect();
            (function, args)
        });
        let is_constant = matches!(data.op, Op::Number(_) | Op::Word(_));
        if data.sort.is_arithmetic() {
            self.leaf_of(terms, term);
        }
        let node = self.congruence.add(term, function, is_constant);
        if data.sort == SortId::BOOL && !matches!(data.op, Op::True | Op::False) {
            let lit = self.internalize(terms, term);
            // An equation says something of its sides, too, and a negation has no variable of its own.
            match data.op {
                Op::Eq | Op::Not => self.tie(lit, node),
                _ => self.watch_predicate(lit, node),
            }
        }
        for position in self.equations_of.remove(&term).unwrap_or_default() {
            let (a, b, lit) = self.equations[position];
            self.enter_equation(a, b, lit);
        }
        node
    }

    /// Ties a formula's literal to its node, both ways.
    fn watch_predicate(&mut self, lit: Lit, node: usize) {
        let place = &mut self.equality_atoms[lit.var().index()];
        if place.is_some() {
            return;
        }
        *place = Some(EqualityAtom::Predicate(node));
        if let Some((truth, _)) = self.truth_node {
            self.congruence.watch(node, truth, lit);
        }
    }

    /// Ties the node of a formula, an argument of a function, to the variable of its literal, both ways.
    fn tie(&mut self, lit: Lit, node: usize) {
        let Some((truth, falsehood)) = self.truth_node else {
            return;
        };
        let variable = lit.var().lit(true);
        let when_true = if lit.is_positive() { truth } else { falsehood };
        self.tied
            .entry(lit.var())
            .or_default()
            .push((node, lit.is_positive()));
        self.congruence.watch(node, when_true, variable);
    }

    /// Tells the congruence closure of an equation once both sides are nodes.
    fn enter_equation(&mut self, a: TermId, b: TermId, lit: Lit) {
        if let (Some(x), Some(y)) = (self.congruence.node(a), self.congruence.node(b))
            && self.equality_atoms[lit.var().index()].is_none()
        {
            self.equality_atoms[lit.var().index()] = Some(EqualityAtom::Equation(x, y));
            self.congruence.watch(x, y, lit);
        }
    }

    fn meet_equation(&mut self, terms: &mut Terms, term: TermId, a: TermId, b: TermId) {
        let equal = self.atom(term);
        let sort = terms.sort_of(a);
        if sort.is_arithmetic() {
            let (below, above) = (terms.le(a, b), terms.le(b, a));
            let (below, above) = (self.internalize(terms, below), self.internalize(terms, above));
            self.clause(&[!equal, below], Rule::Linear(linear(&[(!equal, 1), (below, 1)])));
            self.clause(
                &[!equal, above],
                Rule::Linear(linear(&[(!equal, -1), (above, 1)])),
            );
            let rule = Rule::LinearSplit(
                equal.to_dimacs(),
                linear(&[(equal, 1), (!above, 1)]),
                linear(&[(equal, 1), (!below, 1)]),
            );
            self.clause(&[equal, !below, !above], rule);
        } else if terms.width(a) > 0 {
            self.meet_word_atom(terms, term);
        } else {
            self.node(terms, a);
            self.node(terms, b);
        }
        for side in [a, b] {
            if self.congruence.node(side).is_none() {
                self.equations_of
                    .entry(side)
                    .or_default()
                    .push(self.equations.len());
            }
        }
        self.equations.push((a, b, equal));
        self.enter_equation(a, b, equal);
    }

    /// The tableau's variable of a term that is a leaf of linear forms.
    fn leaf(&mut self, terms: &Terms, leaf: TermId) -> SimplexVar {
        if let Some(&known) = self.leaves.get(&leaf) {
            return known;
        }
        let var = self.simplex.new_var(terms.sort_of(leaf) == SortId::INT);
        let node = self.differences.as_mut().map(Differences::add_node);
        self.difference_of.push(node.map(|node| (node, ZERO)));
        self.leaves.insert(leaf, var);
        self.is_leaf.push(true);
        self.simplex_terms.push(leaf);
        self.atoms_of.push(Vec::new());
        var
    }

    /// Makes leaves of all that a number depends on.
    fn leaf_of(&mut self, terms: &Terms, term: TermId) {
        for (leaf, _) in self.forms.of(terms, term).parts {
            self.leaf(terms, leaf);
        }
    }

    /// The tableau's variable of a normalized form, and the form's term.
    pub(crate) fn sum(&mut self, terms: &mut Terms, form: &LinearForm, sort: SortId) -> (SimplexVar, TermId) {
        if let [(leaf, factor)] = form.parts.as_slice()
            && factor.is_one()
        {
            let var = self.leaf(terms, *leaf);
            let term = if sort == SortId::REAL {
                terms.to_real(*leaf)
            } else {
                *leaf
            };
            return (var, term);
        }
        let term = term_of(terms, form, sort);
        if let Some(&known) = self.sums.get(&form.parts) {
            return (known, term);
        }
        let mut parts = Vec::with_capacity(form.parts.len());
        let mut is_integer = true;
        for (leaf, factor) in &form.parts {
            let var = self.leaf(terms, *leaf);
            is_integer &= self.simplex.is_integer[var] && factor.is_integer();
            parts.push((var, factor.clone()));
        }
        let difference = match parts.as_slice() {
            [(a, one), (b, other)] if one.is_one() && -other == Rational::one() => {
                let nodes = (self.difference_of[*a], self.difference_of[*b]);
                nodes.0.zip(nodes.1).map(|((a, _), (b, _))| (a, b))
            }
            _ => None,
        };
        self.difference_of.push(difference);
        let var = self.simplex.define(&parts, is_integer);
        self.is_leaf.push(false);
        self.simplex_terms.push(term);
        self.atoms_of.push(Vec::new());
        self.sums.insert(form.parts.clone(), var);
        (var, term)
    }

    fn meet_inequality(&mut self, terms: &mut Terms, term: TermId) {
        let atom = self.atom(term);
        let [a, b] = [terms.args(term)[0], terms.args(term)[1]];
        let mut form = self.forms.of(terms, a);
        let right = self.forms.of(terms, b);
        form.add(&right, &Rational::integer(-1));
        if form.parts.is_empty() {
            let holds = if form.constant.signum() <= 0 { atom } else { !atom };
            self.clause(&[holds], Rule::Linear(linear(&[(holds, 1)])));
            return;
        }
        let scale = normalize(&mut form);
        let limit = -&form.constant;
        form.constant = Rational::zero();
        // Terms keep the sort of the atom; a form over integers alone is about integers.
        let sort = terms.sort_of(a);
        let is_integer = form
            .parts
            .iter()
            .all(|(leaf, _)| terms.sort_of(*leaf) == SortId::INT);
        let (var, form_term) = self.sum(terms, &form, sort);
        let is_upper = scale.is_positive();
        let main = if is_integer {
            let most = if is_upper {
                limit.floor()
            } else {
                &limit.ceil() - &Rational::one()
            };
            let lit = self.integer_bound(terms, var, form_term, most, sort);
            if is_upper { lit } else { !lit }
        } else {
            let number = terms.numeral(limit.clone(), sort);
            let sides = if is_upper {
                [form_term, number]
            } else {
                [number, form_term]
            };
            let canonical = terms.make(Op::Le, &sides, SortId::BOOL);
            self.internalized.insert(canonical);
            let lit = self.atom(canonical);
            let bound = BoundAtom {
                var,
                positive: (is_upper, Delta::new(limit.clone(), 0)),
                negative: (!is_upper, Delta::new(limit, if is_upper { 1 } else { -1 })),
            };
            self.set_bound(lit, bound);
            lit
        };
        if main != atom {
            self.clause(&[!atom, main], Rule::Linear(linear(&[(!atom, 1), (main, 1)])));
            self.clause(&[atom, !main], Rule::Linear(linear(&[(atom, 1), (!main, 1)])));
        }
    }

    /// Ties an atom to a bound, once.
    pub(crate) fn set_bound(&mut self, lit: Lit, bound: BoundAtom) {
        let place = &mut self.bound_atoms[lit.var().index()];
        if place.is_none() {
            self.atoms_of[bound.var].push(lit);
            let (var, sides) = (bound.var, [&bound.positive, &bound.negative].map(Clone::clone));
            *place = Some(bound);
            self.enter_difference(lit, var, sides);
        }
    }
}
