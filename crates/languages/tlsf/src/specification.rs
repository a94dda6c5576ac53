//! A specification, expanded, and the formula it stands for.
//!
//! With θ the conjunction of INITIALLY and PRESET of each side, ψ of REQUIRE and ASSERT, and φ of ASSUME and GUARANTEE, the system `s` has to realize
//!
//! ```text
//! θe → θs ∧ (G ψe ∧ φe → G ψs ∧ φs)                     or, if the semantics is strict,
//! θe → θs ∧ (ψs W ¬ψe) ∧ (G ψe ∧ φe → φs)
//! ```
//!
//! **Mealy and Moore.** SEMANTICS says how the formula is meant, TARGET what machine is wanted. Where they differ, the formula is shifted: what is meant
//! for Moore machines is, for Mealy machines, the formula with every input one step later; and the other way around with every output.
//!
//! **Finite words.** A formula about finite words is one about infinite words with another output, [`ALIVE`], which is true for as long as the word lasts
//! and false ever after: the system decides when it ends (De Giacomo and Vardi, IJCAI 2013).

use crate::deep;
use crate::evaluate::Evaluator;
use crate::parser::parse;
use crate::syntax::File;
use crate::value::{Ltl, Term, Value, and, not, or};
use entail_budget::Budget;
use entail_logic::{Binary, Formula, Unary};
use entail_source::{Diagnostic, Diagnostics, Source};
use std::rc::Rc;

/// The output that says that a finite word has not ended. No signal of a file can have this name.
pub const ALIVE: &str = "alive!";

/// What kind of machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// Outputs may depend on the inputs of the same step.
    Mealy,
    /// Outputs of a step are chosen before its inputs.
    Moore,
}

/// How formulas are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Semantics {
    /// The machine they speak about.
    pub machine: Machine,
    /// The system must keep its invariants until the environment breaks its own.
    pub is_strict: bool,
    /// Words are finite, and the system ends them.
    pub is_finite: bool,
}

/// A specification.
#[derive(Clone, Debug)]
pub struct Specification {
    /// TITLE.
    pub title: String,
    /// DESCRIPTION.
    pub description: String,
    /// SEMANTICS.
    pub semantics: Semantics,
    /// TARGET.
    pub target: Machine,
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// The names of the outputs, [`ALIVE`] not among them.
    pub outputs: Vec<String>,
    /// INITIALLY: what is assumed of the first inputs.
    pub initially: Vec<Formula<String>>,
    /// PRESET: what is guaranteed of the first outputs.
    pub preset: Vec<Formula<String>>,
    /// REQUIRE: what is assumed at every step.
    pub require: Vec<Formula<String>>,
    /// ASSUME: other assumptions.
    pub assume: Vec<Formula<String>>,
    /// ASSERT: what is guaranteed at every step.
    pub assert: Vec<Formula<String>>,
    /// GUARANTEE: other guarantees.
    pub guarantee: Vec<Formula<String>>,
}

/// Reads a specification, some parameters of which may be given other values.
pub fn read(
    source: &Source,
    parameters: &[(String, i64)],
    budget: &Budget,
) -> Result<Specification, Diagnostics> {
    read_text(source, parameters, budget).map_err(|problems| problems.within(source.text()))
}

fn read_text(
    source: &Source,
    parameters: &[(String, i64)],
    budget: &Budget,
) -> Result<Specification, Diagnostics> {
    let file = parse(source.text())?;
    let semantics = semantics(&file)?;
    let target = target(&file)?;
    let mut evaluator = Evaluator::new(&file, parameters, budget)?;
    // Enumerations without a value for some code say something about signals of their type.
    let mut implied: [Vec<Term>; 2] = [Vec::new(), Vec::new()];
    let mut inputs = 0;
    for (side, signals) in [&file.inputs, &file.outputs].into_iter().enumerate() {
        for signal in signals {
            let value = evaluator.declare(signal, &file.enumerations)?;
            if let crate::syntax::SignalKind::Typed(name) = &signal.kind
                && let Some(enumeration) = file.enumerations.iter().find(|known| known.name == *name)
                && let Value::Bus(first, _) = value
            {
                implied[side].push(one_of(first, enumeration));
            }
        }
        if side == 0 {
            inputs = evaluator.signals.len();
        }
    }
    let mut names = evaluator.signals.clone();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        let signals = file.inputs.iter().chain(&file.outputs);
        let bus = signals
            .clone()
            .find(|signal| pair[0].starts_with(&format!("{}_", signal.name)));
        let span = bus
            .or(signals.clone().next())
            .map(|signal| signal.span)
            .unwrap_or_default();
        let message = format!("two signals are called `{}`", pair[0]);
        let problem = Diagnostic::error("tlsf::twice", message, span, "one is a part of this bus");
        return Err(problem
            .with_help("the signals of a bus `r` are called `r_0`, `r_1` and so on")
            .into());
    }
    let mut sections: [Vec<Term>; 6] = Default::default();
    for (section, formulas) in sections.iter_mut().zip(&file.sections) {
        for formula in formulas {
            section.push(evaluator.formula(formula)?);
        }
    }
    let [environment, system] = implied;
    sections[2].extend(environment);
    sections[4].extend(system);
    let signals = evaluator.signals;
    let shift = match (semantics.machine, target) {
        (Machine::Mealy, Machine::Moore) => Some(Shift::Outputs),
        (Machine::Moore, Machine::Mealy) => Some(Shift::Inputs),
        _ => None,
    };
    if let Some(shift) = shift
        && semantics.is_finite
    {
        let span = file.target.as_ref().map(|(_, span)| *span).unwrap_or_default();
        let message = format!("{shift:?} of finite words cannot be shifted by a step");
        let problem = Diagnostic::error("tlsf::target", message.to_lowercase(), span, "this target");
        return Err(problem.with_help("make SEMANTICS and TARGET the same").into());
    }
    let lower = Lower {
        signals: &signals,
        inputs,
        shift,
        is_finite: semantics.is_finite,
    };
    let mut lowered = sections.map(|section| -> Vec<Formula<String>> {
        let mut conjuncts = Vec::new();
        section.iter().for_each(|formula| split(formula, &mut conjuncts));
        conjuncts.iter().map(|formula| lower.formula(formula)).collect()
    });
    let mut take = |section: usize| std::mem::take(&mut lowered[section]);
    let mut signals = signals;
    let outputs = signals.split_off(inputs);
    Ok(Specification {
        title: file.title.unwrap_or_default(),
        description: file.description.unwrap_or_default(),
        semantics,
        target,
        inputs: signals,
        outputs,
        initially: take(0),
        preset: take(1),
        require: take(2),
        assume: take(3),
        assert: take(4),
        guarantee: take(5),
    })
}

fn semantics(file: &File) -> Result<Semantics, Diagnostics> {
    let Some((words, span)) = &file.semantics else {
        return Err(Diagnostic::error(
            "tlsf::info",
            "there is no SEMANTICS",
            Default::default(),
            "in INFO",
        )
        .into());
    };
    let mut found = Semantics {
        machine: Machine::Mealy,
        is_strict: false,
        is_finite: false,
    };
    let (mut machines, mut others) = (0, 0);
    for word in words {
        match word.as_str() {
            "Mealy" => machines += 1,
            "Moore" => {
                found.machine = Machine::Moore;
                machines += 1;
            }
            "Strict" => {
                found.is_strict = true;
                others += 1;
            }
            "Finite" => {
                found.is_finite = true;
                others += 1;
            }
            _ => machines = 2,
        }
    }
    match (machines, others) {
        (1, 0 | 1) => Ok(found),
        _ => {
            let problem = Diagnostic::error("tlsf::semantics", "there is no such semantics", *span, "here");
            Err(problem
                .with_help("write Mealy or Moore, and perhaps `,Strict` or `,Finite`")
                .into())
        }
    }
}

fn target(file: &File) -> Result<Machine, Diagnostics> {
    match &file.target {
        Some((word, _)) if word == "Mealy" => Ok(Machine::Mealy),
        Some((word, _)) if word == "Moore" => Ok(Machine::Moore),
        other => {
            let span = other.as_ref().map(|(_, span)| *span).unwrap_or_default();
            let problem = Diagnostic::error("tlsf::target", "there is no such target", span, "here");
            Err(problem.with_help("write Mealy or Moore").into())
        }
    }
}

/// That a bus has a value of an enumeration.
fn one_of(first: u32, enumeration: &crate::syntax::Enumeration) -> Term {
    let code = |code: &Vec<Option<bool>>| {
        let bits = code.iter().zip(first..).filter_map(|(bit, number)| {
            let signal: Term = Rc::new(Ltl::Signal(number));
            Some(if (*bit)? { signal } else { not(&signal) })
        });
        and(bits.collect())
    };
    let codes = enumeration.values.iter().flat_map(|(_, _, codes)| codes);
    or(codes.map(code).collect())
}

/// The conjuncts of a formula.
fn split(formula: &Term, conjuncts: &mut Vec<Term>) {
    match &**formula {
        Ltl::And(parts) => parts.iter().for_each(|part| deep(|| split(part, conjuncts))),
        Ltl::Constant(true) => {}
        _ => conjuncts.push(formula.clone()),
    }
}

/// Which signals are meant one step later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shift {
    Inputs,
    Outputs,
}

/// From the formulas of the file to those over infinite words.
struct Lower<'a> {
    signals: &'a [String],
    inputs: usize,
    shift: Option<Shift>,
    is_finite: bool,
}

impl Lower<'_> {
    fn formula(&self, term: &Term) -> Formula<String> {
        deep(|| self.lowered(term))
    }

    fn lowered(&self, term: &Term) -> Formula<String> {
        let one = |inner: &Term| self.formula(inner);
        let alive = || Formula::atom(ALIVE.to_owned());
        // What must be true at a step that exists, and what may be false at one that does not.
        let there = |inner: &Term| match self.is_finite {
            true => Formula::and([alive(), one(inner)]),
            false => one(inner),
        };
        let if_there = |inner: &Term| match self.is_finite {
            true => Formula::or([alive().not(), one(inner)]),
            false => one(inner),
        };
        match &**term {
            Ltl::Constant(truth) => Formula::constant(*truth),
            Ltl::Signal(number) => {
                let atom = Formula::atom(self.signals[*number as usize].clone());
                let is_input = (*number as usize) < self.inputs;
                match self.shift {
                    Some(Shift::Inputs) if is_input => atom.next(),
                    Some(Shift::Outputs) if !is_input => atom.next(),
                    _ => atom,
                }
            }
            Ltl::Not(inner) => one(inner).not(),
            Ltl::And(parts) => Formula::and(parts.iter().map(one)),
            Ltl::Or(parts) => Formula::or(parts.iter().map(one)),
            Ltl::Implies(left, right) => one(left).implies(&one(right)),
            Ltl::Equiv(left, right) => one(left).iff(&one(right)),
            Ltl::Next(inner) => if_there(inner).next(),
            Ltl::StrongNext(inner) => there(inner).next(),
            Ltl::Previous(inner) => Formula::unary(Unary::Yesterday, &one(inner)),
            Ltl::Globally(inner) => if_there(inner).globally(),
            Ltl::Finally(inner) => there(inner).finally(),
            Ltl::Historically(inner) => Formula::unary(Unary::Historically, &one(inner)),
            Ltl::Once(inner) => Formula::unary(Unary::Once, &one(inner)),
            Ltl::Until(left, right) => one(left).until(&there(right)),
            Ltl::Release(left, right) => {
                // The left side must be at a step that exists to release.
                there(left).release(&if_there(right))
            }
            Ltl::Weak(left, right) => Formula::binary(Binary::WeakUntil, &if_there(left), &there(right)),
            Ltl::Since(left, right) => Formula::binary(Binary::Since, &one(left), &one(right)),
            Ltl::Triggered(left, right) => Formula::binary(Binary::Triggered, &one(left), &one(right)),
        }
    }
}

impl Specification {
    /// The outputs, with [`ALIVE`] where words are finite.
    pub fn all_outputs(&self) -> Vec<String> {
        let mut outputs = self.outputs.clone();
        if self.semantics.is_finite {
            outputs.push(ALIVE.to_owned());
        }
        outputs
    }

    /// What the system has to realize.
    pub fn formula(&self) -> Formula<String> {
        let all = |parts: &[Formula<String>]| and_all(parts.iter().cloned());
        let globally = |parts: &[Formula<String>]| match (parts.is_empty(), self.semantics.is_finite) {
            (true, _) => Formula::constant(true),
            (false, false) => all(parts).globally(),
            (false, true) => and_all(parts.iter().map(|part| {
                let alive = Formula::atom(ALIVE.to_owned());
                Formula::or([alive.not(), part.clone()]).globally()
            })),
        };
        let assumed = and_all([globally(&self.require), all(&self.assume)]);
        let main = match self.semantics.is_strict {
            false => {
                let guaranteed = and_all([globally(&self.assert), all(&self.guarantee)]);
                implies(&assumed, &guaranteed)
            }
            true => {
                let kept = match (self.assert.is_empty(), self.require.is_empty()) {
                    (true, _) => Formula::constant(true),
                    (_, true) => all(&self.assert).globally(),
                    _ => Formula::binary(Binary::WeakUntil, &all(&self.assert), &all(&self.require).not()),
                };
                and_all([kept, implies(&assumed, &all(&self.guarantee))])
            }
        };
        let system = and_all([all(&self.preset), main]);
        let whole = implies(&all(&self.initially), &system);
        match self.semantics.is_finite {
            false => whole,
            true => {
                let alive = Formula::atom(ALIVE.to_owned());
                let ends = alive.until(&alive.not().globally());
                and_all([alive, ends, whole])
            }
        }
    }
}

/// A conjunction without what is true anyway.
fn and_all(parts: impl IntoIterator<Item = Formula<String>>) -> Formula<String> {
    let is_true = |part: &Formula<String>| matches!(part.node(), entail_logic::Node::Constant(true));
    let mut kept: Vec<Formula<String>> = Vec::new();
    for part in parts.into_iter().filter(|part| !is_true(part)) {
        match part.node() {
            entail_logic::Node::And(list) => kept.extend(list.iter().cloned()),
            _ => kept.push(part),
        }
    }
    match kept.len() {
        0 => Formula::constant(true),
        1 => kept.remove(0),
        _ => Formula::and(kept),
    }
}

/// An implication, unless one side is a constant.
fn implies(left: &Formula<String>, right: &Formula<String>) -> Formula<String> {
    use entail_logic::Node;
    match (left.node(), right.node()) {
        (Node::Constant(true), _) => right.clone(),
        (Node::Constant(false), _) | (_, Node::Constant(true)) => Formula::constant(true),
        _ => left.implies(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print_ltl;

    fn wrapped(global: &str, main: &str) -> String {
        format!(
            "INFO {{ TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: Mealy TARGET: Mealy }}\nGLOBAL {{ {global} }}\nMAIN {{ {main} }}"
        )
    }

    fn spec(text: &str, parameters: &[(&str, i64)]) -> Result<Specification, Diagnostics> {
        let parameters: Vec<(String, i64)> = parameters.iter().map(|(n, v)| (n.to_string(), *v)).collect();
        read(&Source::new("t.tlsf", text), &parameters, &Budget::unlimited())
    }

    fn ltl(global: &str, main: &str, parameters: &[(&str, i64)]) -> String {
        match spec(&wrapped(global, main), parameters) {
            Ok(specification) => print_ltl(&specification.formula()),
            Err(Diagnostics(problems)) => panic!("{}: {}", problems[0].code, problems[0].message),
        }
    }

    #[test]
    fn operators_bind_as_in_syfco() {
        let guarantee = |formula: &str| {
            let main = format!("INPUTS {{ a; b; }} OUTPUTS {{ c; }} GUARANTEE {{ {formula}; }}");
            ltl("", &main, &[])
        };
        // Until binds more loosely than implication, and weak until less so.
        assert_eq!(guarantee("a -> b U c"), guarantee("(a -> b) U c"));
        assert_eq!(guarantee("a U b W c"), guarantee("a U (b W c)"));
        assert_eq!(guarantee("!a && b || c"), guarantee("((!a) && b) || c"));
        assert_eq!(guarantee("a -> b -> c"), guarantee("a -> (b -> c)"));
        assert_eq!(guarantee("G F a && X ! b"), guarantee("(G (F a)) && (X (!b))"));
        assert_eq!(guarantee("a R b R c"), guarantee("(a R b) R c"));
    }

    #[test]
    fn parameters_buses_and_big_operators_are_expanded() {
        let global = "PARAMETERS { n = 2; } DEFINITIONS { one(b) = ||[0 <= i < SIZEOF b] b[i]; }";
        let main = "INPUTS { r[n]; } OUTPUTS { g[n]; } GUARANTEE { &&[i IN {0, 1 .. n - 1}] G (r[i] -> F g[i]); G one(g); }";
        assert_eq!(
            ltl(global, main, &[]),
            "G (r_0 -> F g_0) && G (r_1 -> F g_1) && G (g_0 || g_1)"
        );
        assert!(ltl(global, main, &[("n", 3)]).contains("r_2 -> F g_2"));
        assert_eq!(
            spec(&wrapped(global, main), &[("n", 3)]).expect("correct").inputs,
            ["r_0", "r_1", "r_2"]
        );
    }

    #[test]
    fn functions_have_guards_patterns_and_recursion() {
        let global = "DEFINITIONS {
            wait(k, f) = k == 0 : f   k > 0 : f || X wait(k - 1, f);
            flip(f) = f ~ a U b : b U a   otherwise : !f;
            sum(set) = +[i IN set] i; }";
        let main = |formula: &str| format!("INPUTS {{ p; }} OUTPUTS {{ q; }} GUARANTEE {{ {formula}; }}");
        assert_eq!(ltl(global, &main("wait(2, p)"), &[]), "p || X (p || X p)");
        assert_eq!(ltl(global, &main("flip(p U q)"), &[]), "q U p");
        assert_eq!(ltl(global, &main("flip(p)"), &[]), "!p");
        assert_eq!(ltl(global, &main("X[sum({1, 2})] q"), &[]), "X X X q");
        assert_eq!(ltl(global, &main("sum({1, 2 .. 4}) == 10 && q"), &[]), "q");
        assert_eq!(ltl(global, &main("F[1:2] q"), &[]), "X (q || X q)");
        assert_eq!(ltl(global, &main("G[0:1] q"), &[]), "q && X q");
    }

    #[test]
    fn enumerations_name_values_of_buses_and_exclude_the_others() {
        let global = "DEFINITIONS { enum mode = Off: 00 On: 01, 11; }";
        let main = "INPUTS { mode m; } OUTPUTS { q; } GUARANTEE { G (m == On -> q); }";
        assert_eq!(
            ltl(global, main, &[]),
            "G (!m_0 && !m_1 || !m_0 && m_1 || m_0 && m_1) -> G (!m_0 && m_1 || m_0 && m_1 -> q)"
        );
    }

    #[test]
    fn sections_are_put_together_as_the_format_says() {
        let main = "INPUTS { a; } OUTPUTS { b; } INITIALLY { a; } PRESET { b; } REQUIREMENTS { !a; } ASSUMPTIONS { G F a; } INVARIANTS { !b; } GUARANTEES { G F b; }";
        assert_eq!(ltl("", main, &[]), "a -> b && (G !a && G F a -> G !b && G F b)");
        let strict = wrapped("", main).replace("SEMANTICS: Mealy", "SEMANTICS: Mealy, Strict");
        let strict = spec(&strict, &[]).expect("correct");
        assert_eq!(
            print_ltl(&strict.formula()),
            "a -> b && (!b W a) && (G !a && G F a -> G F b)"
        );
        let moore = wrapped("", main).replace("SEMANTICS: Mealy", "SEMANTICS: Moore");
        let moore = spec(&moore, &[]).expect("correct");
        assert_eq!(
            print_ltl(&moore.formula()),
            "X a -> b && (G !X a && G F X a -> G !b && G F b)"
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let main = "INPUTS { a; } OUTPUTS { b[2]; } GUARANTEE { FORMULA; }";
        let with = |formula: &str| main.replace("FORMULA", formula);
        let cases = [
            ("DEFINITIONS { f(x) = f(x); }", with("f(a)"), "tlsf::recursion"),
            ("DEFINITIONS { c = d; d = c; }", with("c"), "tlsf::circular"),
            ("DEFINITIONS { f(x) = x; }", with("f(a, a)"), "tlsf::arguments"),
            ("DEFINITIONS { f(x) = x; }", with("f"), "tlsf::arguments"),
            (
                "DEFINITIONS { f(x) = x == 1 : a; }",
                with("f(2)"),
                "tlsf::no-case",
            ),
            ("DEFINITIONS { f(x) = x : a; }", with("f(a)"), "tlsf::guard"),
            ("", with("c"), "tlsf::unknown"),
            ("", with("b[2]"), "tlsf::bounds"),
            ("", with("G 1"), "tlsf::type"),
            ("", with("b && a"), "tlsf::type"),
            ("", with("a && "), "tlsf::syntax"),
            ("", with("1 / 0 == 1"), "tlsf::zero"),
            ("", with("MIN {} == 1"), "tlsf::empty"),
            ("PARAMETERS { a = 1; }", with("a"), "tlsf::twice"),
            ("", with("X[0 - 1] a"), "tlsf::bound"),
            (
                "",
                main.replace("INPUTS { a; }", "INPUTS { a; b_1; }")
                    .replace("FORMULA", "a"),
                "tlsf::twice",
            ),
            (
                "",
                main.replace("INPUTS { a; }", "INPUTS { a U; }")
                    .replace("FORMULA", "a"),
                "tlsf::syntax",
            ),
            (
                "",
                main.replace("INPUTS { a; }", "INPUTS { t a; }")
                    .replace("FORMULA", "a"),
                "tlsf::enumeration",
            ),
        ];
        for (global, main, code) in cases {
            match spec(&wrapped(global, &main), &[]) {
                Err(Diagnostics(found)) => assert_eq!(found[0].code, code, "{main}: {}", found[0].message),
                Ok(_) => panic!("{main} was accepted"),
            }
        }
        assert!(spec(&wrapped("", &with("a")), &[("n", 1)]).is_err());
        assert!(spec("MAIN {}", &[]).is_err());
        assert!(spec("INFO { TITLE: \"\" }", &[]).is_err());
    }

    #[test]
    fn no_cut_and_no_changed_byte_makes_the_reader_panic() {
        let text = wrapped(
            "PARAMETERS { n = 2; } DEFINITIONS { f(x) = x ~ a U _ : a  otherwise : {1, 2 .. n} == {}; enum e = A: 0* B: 1*; }",
            "INPUTS { r[n]; e x; } OUTPUTS { g; } ASSERT { &&[0 <= i < n] G[0:i] (r[i] -> X[!] g); |{1}| == 1; }",
        );
        for end in 0..text.len() {
            let _ = spec(&text[..end], &[]);
        }
        for at in 0..text.len() {
            for byte in ["", "(", "}", "9", "[", "&&", "X", "\"", "~"] {
                let changed = format!("{}{byte}{}", &text[..at], &text[at + 1..]);
                let _ = spec(&changed, &[]);
            }
        }
    }
}
