//! Refutations as text in the Alethe format, for other checkers (Schurr, Fleury, Barbosa, Fontaine 2021; Carcara reads it).
//!
//! An Alethe proof is a list of steps, each a clause with a rule. Clauses that the solver derived are steps of `resolution` from the clauses that
//! their hints name. A clause that is true for a reason of its own becomes tautologies that Alethe has rules for (connectives, `la_generic`,
//! `eq_transitive`, `eq_congruent`, …), or instances of axioms of arrays and quotients, and one step of `resolution` that puts them together; where Alethe has no rule, or only a weaker one, the step is a
//! `hole`, with its reason, and counted.
//!
//! The proof is about formulas as they were read, in normal form and with definitions put in place: they are written beside it as a script.
//!
//! Every compound term is defined once, before the step that needs it first, so the text is as large as the graph of terms.

mod axioms;
mod equality;
mod lemmas;
mod linear;

use entail_first_order::{
    Atom, Literal, Op, Refutation, RefutationStep, Rule, Sort, SymbolNames, TermId, Terms,
};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// A refutation as text.
#[derive(Clone, Debug)]
pub struct AletheProof {
    /// The formulas that are refuted, as a script of SMT-LIB.
    pub problem: String,
    /// The steps.
    pub steps: String,
    /// How many of the steps are claimed only.
    pub holes: usize,
}

/// Writes a refutation of formulas as an Alethe proof.
pub fn alethe(terms: &Terms, formulas: &[TermId], refutation: &Refutation) -> AletheProof {
    let mut printer = Printer {
        terms,
        atoms: &refutation.atoms,
        names: SymbolNames::unique(terms, &all_terms(formulas, refutation)),
        named: FxHashMap::default(),
        asserted: FxHashMap::default(),
        clauses: FxHashMap::default(),
        text: String::new(),
        tautologies: 0,
        axioms: Vec::new(),
        assumptions: String::new(),
        holes: 0,
    };
    let all = all_terms(formulas, refutation);
    let mut problem = "(set-logic ALL)\n".to_owned();
    problem.push_str(&terms.print_declarations(&all, &printer.names));
    problem.push_str(&printer.difference_declarations(&all));
    for (number, &formula) in formulas.iter().enumerate() {
        let _ = writeln!(problem, "(assert {})", terms.print_named(formula, &printer.names));
        let text = printer.term(formula);
        let _ = writeln!(printer.text, "(assume a{number} {text})");
        printer
            .asserted
            .entry(printer.stripped(formula))
            .or_insert(format!("a{number}"));
    }
    for step in &refutation.steps {
        match step {
            RefutationStep::Input { id, clause, rule } => printer.input(*id, clause, rule),
            RefutationStep::Derived { id, clause, hints } => printer.derived(*id, clause, hints),
        }
    }
    problem.push_str(&printer.axiom_assertions());
    problem.push_str("(check-sat)\n");
    AletheProof {
        problem,
        steps: printer.assumptions + &printer.text,
        holes: printer.holes,
    }
}

/// The formulas, and what the proof speaks of beside them.
fn all_terms(formulas: &[TermId], refutation: &Refutation) -> Vec<TermId> {
    let atoms = refutation.atoms.iter().filter_map(|atom| match atom {
        Atom::Formula(term) => Some(*term),
        Atom::Free => None,
    });
    formulas.iter().copied().chain(atoms).collect()
}

/// A text of a negation.
fn not(text: &str) -> String {
    format!("(not {text})")
}

struct Printer<'a> {
    terms: &'a Terms,
    atoms: &'a [Atom],
    names: SymbolNames,
    /// What stands for a compound term that was defined.
    named: FxHashMap<TermId, String>,
    /// The assumptions, by formulas without their negations.
    asserted: FxHashMap<(TermId, bool), String>,
    /// The step of each clause. Those that choose a free atom have none: it is left out everywhere.
    clauses: FxHashMap<u32, String>,
    text: String,
    /// How many tautologies were written.
    tautologies: usize,
    /// Axioms of theories that were used.
    axioms: Vec<String>,
    /// What assumes them, before all steps.
    assumptions: String,
    holes: usize,
}

impl Printer<'_> {
    /// A formula without its negations, and whether their number is even.
    fn stripped(&self, mut formula: TermId) -> (TermId, bool) {
        let mut is_positive = true;
        while *self.terms.op(formula) == Op::Not {
            formula = self.terms.args(formula)[0];
            is_positive = !is_positive;
        }
        (formula, is_positive)
    }

    /// What a literal says: a formula that is no negation, and whether it is true; nothing for a free atom.
    fn meaning(&self, literal: Literal) -> Option<(TermId, bool)> {
        match self.atoms.get(literal.unsigned_abs() as usize - 1)? {
            Atom::Formula(term) => {
                let (term, is_positive) = self.stripped(*term);
                Some((term, is_positive == (literal > 0)))
            }
            Atom::Free => None,
        }
    }

    /// What stands for a term: its name, defined now if it is compound and has none. Terms under a quantifier have no names.
    fn term(&mut self, root: TermId) -> String {
        let mut open = vec![root];
        while let Some(&term) = open.last() {
            let args = match self.terms.op(term) {
                Op::Forall(_) => &[],
                _ => self.terms.args(term),
            };
            let unnamed = args.iter().find(|arg| !self.named.contains_key(arg));
            match unnamed {
                _ if self.named.contains_key(&term) => {
                    open.pop();
                }
                Some(&arg) => open.push(arg),
                None => {
                    let text = self.defined(term);
                    self.named.insert(term, text);
                    open.pop();
                }
            }
        }
        self.named[&root].clone()
    }

    /// The name of a term whose parts have theirs.
    fn defined(&mut self, term: TermId) -> String {
        let args = self.terms.args(term);
        let text = match self.terms.op(term) {
            Op::Forall(_) => self.terms.print_named(term, &self.names),
            _ if args.is_empty() => return self.terms.operator_text(term, &self.names),
            Op::Not => return not(&self.named[&args[0]]),
            op => {
                let operator = match op {
                    Op::Difference => self.difference(term),
                    _ => self.terms.operator_text(term, &self.names),
                };
                let mut text = format!("({operator}");
                for arg in args {
                    let _ = write!(text, " {}", self.named[arg]);
                }
                text + ")"
            }
        };
        let name = format!("@t{}", self.named.len());
        let sort = self.terms.print_sort(self.terms.sort_of(term));
        let _ = writeln!(self.text, "(define-fun {name} () {sort} {text})");
        name
    }

    /// The function that gives an index at which arrays of a sort differ. SMT-LIB has none.
    fn difference(&self, term: TermId) -> String {
        let sort = self.terms.sort_of(self.terms.args(term)[0]);
        format!(
            "|difference of {}|",
            self.terms.print_sort(sort).replace('|', "'")
        )
    }

    fn difference_declarations(&self, all: &[TermId]) -> String {
        let mut declared: Vec<String> = (self.terms.cone(all).into_iter())
            .filter(|&term| *self.terms.op(term) == Op::Difference)
            .map(|term| {
                let array = self
                    .terms
                    .print_sort(self.terms.sort_of(self.terms.args(term)[0]));
                let index = self.terms.print_sort(self.terms.sort_of(term));
                let name = self.difference(term);
                format!("(declare-fun {name} ({array} {array}) {index})\n")
            })
            .collect();
        declared.sort_unstable();
        declared.dedup();
        declared.concat()
    }

    fn literal(&mut self, (term, is_true): (TermId, bool)) -> String {
        let text = self.term(term);
        match is_true {
            true => text,
            false => not(&text),
        }
    }

    /// The texts of a clause's literals but free atoms.
    fn literals(&mut self, clause: &[Literal]) -> Vec<String> {
        let meanings: Vec<_> = clause.iter().filter_map(|&one| self.meaning(one)).collect();
        meanings.into_iter().map(|one| self.literal(one)).collect()
    }

    fn step(&mut self, name: &str, clause: &[String], rule: &str, premises: &[String], args: &[String]) {
        let spaced = |words: &[String]| words.iter().fold(String::new(), |text, word| text + " " + word);
        let list = |keyword: &str, words: &[String]| match words {
            [] => String::new(),
            words => format!(" {keyword} ({})", words.join(" ")),
        };
        let _ = writeln!(
            self.text,
            "(step {name} (cl{}) :rule {rule}{}{})",
            spaced(clause),
            list(":premises", premises),
            list(":args", args),
        );
    }

    /// Writes a clause that needs no premises; its name.
    fn tautology(&mut self, clause: &[String], rule: &str, args: &[String]) -> String {
        self.further(clause, rule, &[], args)
    }

    /// Writes a clause that others lead to; its name.
    fn further(&mut self, clause: &[String], rule: &str, premises: &[String], args: &[String]) -> String {
        let name = format!("l{}", self.tautologies);
        self.tautologies += 1;
        self.step(&name, clause, rule, premises, args);
        name
    }

    /// Writes a clause that is claimed only.
    fn hole(&mut self, clause: &[Literal], reason: &str) -> String {
        self.holes += 1;
        let clause = self.literals(clause);
        self.further(&clause, "hole", &[], &[format!("\"{reason}\"")])
    }

    fn input(&mut self, id: u32, clause: &[Literal], rule: &Rule) {
        let meanings: Vec<(TermId, bool)> = clause.iter().filter_map(|&one| self.meaning(one)).collect();
        let parts = match rule {
            Rule::Asserted(_) => {
                let name = meanings.first().and_then(|one| self.asserted.get(one)).cloned();
                name.map(|name| vec![name])
            }
            Rule::Chosen => return,
            Rule::Connective(term) => self.connective(*term, &meanings),
            Rule::Conditional(term) => self.conditional(*term, &meanings),
            Rule::Congruence => self.congruence(&meanings),
            Rule::Linear(combinations) => self.linear(clause, combinations),
            Rule::LinearSplit(equation, below, above) => self.split(clause, *equation, below, above),
            Rule::Instance(universal, values) => self.instance(*universal, values, &meanings),
            Rule::Quotient(term) => self.quotient(*term, &meanings),
            Rule::Array(term) => self.array(*term, &meanings),
            Rule::Product(..) | Rule::Cells(_) | Rule::Skolem(..) | Rule::Claimed(_) => None,
        };
        let name = match parts {
            None => self.hole(clause, hole_of(rule)),
            Some(mut parts) if parts.len() == 1 => parts.remove(0),
            Some(parts) => {
                let clause = self.literals(clause);
                self.further(&clause, "resolution", &parts, &[])
            }
        };
        self.clauses.insert(id, name);
    }

    fn derived(&mut self, id: u32, clause: &[Literal], hints: &[u32]) {
        // The last clause is the one in conflict: resolution begins there.
        let premises: Vec<String> = (hints.iter().rev())
            .filter_map(|hint| self.clauses.get(hint).cloned())
            .collect();
        let name = match premises.as_slice() {
            [one] => one.clone(),
            premises => {
                let (name, clause) = (format!("c{id}"), self.literals(clause));
                self.step(&name, &clause, "resolution", premises, &[]);
                name
            }
        };
        self.clauses.insert(id, name);
    }

    fn is_boolean(&self, term: TermId) -> bool {
        *self.terms.sort(self.terms.sort_of(term)) == Sort::Bool
    }
}

/// Why there is no rule for a clause.
fn hole_of(rule: &Rule) -> &'static str {
    match rule {
        Rule::Quotient(_) => "quotient",
        Rule::Array(_) => "arrays",
        Rule::Product(..) => "product",
        Rule::Cells(_) => "polynomial conditions",
        Rule::Skolem(..) => "skolem constant",
        Rule::Linear(_) | Rule::LinearSplit(..) => "rounding",
        Rule::Claimed(reason) => reason,
        _ => "normal form",
    }
}
