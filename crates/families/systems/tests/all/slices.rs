//! Asking the cone of influence is asking the model: on random models in which properties depend on some of the variables, the
//! verdict is the same either way, and what is carried back to the model is accepted by the checkers.

use crate::asking;
use asking::{answers, load, options};
use entail_answer::{CheckReport, Verdict};

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }

    /// A number made from variables, always 0 to 2.
    fn number(&mut self, variables: &[&str]) -> String {
        let x = self.pick(variables);
        match self.roll(4) {
            0 => self.roll(3).to_string(),
            1 => format!("({x} + 1) mod 3"),
            2 => format!("({x} = 1 ? {} : {})", self.pick(variables), self.roll(3)),
            _ => x.to_owned(),
        }
    }

    fn condition(&mut self, variables: &[&str]) -> String {
        let (x, y) = (self.pick(variables), self.pick(variables));
        match self.roll(3) {
            0 => format!("{x} = {}", self.roll(3)),
            1 => format!("{x} < {}", 1 + self.roll(2)),
            _ => format!("{x} = {y}"),
        }
    }

    /// Variables `a`, `b` on their own; `c`, `d`, `e` follow everything, and `i` is an input of theirs.
    fn model(&mut self) -> String {
        let (inner, all) = (["a", "b"], ["a", "b", "c", "d", "e", "i"]);
        let mut text = String::from(
            "MODULE main\nVAR a : 0..2; b : 0..2; c : 0..2; d : 0..2; e : 0..2;\nIVAR i : 0..2;\nASSIGN\n",
        );
        for name in ["a", "b", "c", "d", "e"] {
            let from: &[&str] = if inner.contains(&name) { &inner } else { &all };
            if self.roll(3) > 0 {
                text += &format!("  init({name}) := {};\n", self.roll(3));
            }
            match self.roll(4) {
                0 => {
                    text += &format!(
                        "  next({name}) := {{{}, {}}};\n",
                        self.number(from),
                        self.number(from)
                    )
                }
                _ => text += &format!("  next({name}) := {};\n", self.number(from)),
            }
        }
        if self.roll(3) == 0 {
            text += &format!("FAIRNESS {};\n", self.condition(&inner));
        }
        if self.roll(6) == 0 {
            // A constraint on an outer variable is kept with what it needs; it may block.
            text += &format!("TRANS {} -> next(c) = 1;\n", self.condition(&inner));
        }
        for _ in 0..3 {
            let (p, q) = (self.condition(&inner), self.condition(&inner));
            text += &match self.roll(9) {
                0 => format!("INVARSPEC {p};\n"),
                1 => format!("CTLSPEC AG ({p} -> AF {q});\n"),
                2 => format!("CTLSPEC EF ({p} & EG {q});\n"),
                3 => format!("CTLSPEC AG EF {p};\n"),
                4 => format!("CTLSPEC AX E [{p} U {q}];\n"),
                5 => format!("LTLSPEC G ({p} -> F {q});\n"),
                6 => format!("LTLSPEC F G {p} | X {q};\n"),
                7 => format!("LTLSPEC G ({p} -> O {q});\n"),
                _ => format!("CTLSPEC AG {p};\n"),
            };
        }
        text
    }
}

#[test]
fn a_property_has_the_same_verdict_in_its_cone_and_in_the_model() {
    let mut dice = Dice(2026);
    let (mut holding, mut failing, mut meaningless) = (0, 0, 0);
    for _ in 0..250 {
        let text = dice.model();
        let model = load(text.as_bytes(), "smv");
        let all = 0..model.properties().len();
        let mut seen: Vec<Option<Vec<Verdict>>> = Vec::new();
        for engine in ["explicit", "bdd"] {
            for given in [options(&[]), options(&[("whole", "")])] {
                let Ok(judged) = answers(&*model, engine, all.clone(), &given) else {
                    seen.push(None);
                    continue;
                };
                for (property, one) in judged.iter().enumerate() {
                    assert_eq!(
                        one.report,
                        CheckReport::Accepted,
                        "{engine}, {given:?}, property {property}\n{text}"
                    );
                }
                seen.push(Some(judged.iter().map(|one| one.answer.verdict).collect()));
            }
        }
        assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{seen:?}\n{text}");
        match &seen[0] {
            None => meaningless += 1,
            Some(verdicts) => {
                let held = verdicts
                    .iter()
                    .filter(|&&verdict| verdict == Verdict::Holds)
                    .count();
                holding += held;
                failing += verdicts.len() - held;
            }
        }
    }
    assert!(
        holding > 100 && failing > 100 && meaningless < 80,
        "{holding} {failing} {meaningless}"
    );
}
