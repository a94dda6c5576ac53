//! Small random Promela programs: two or three processes, a few small variables, channels of all kinds, every control structure.

use std::fmt::Write;

/// A generator that needs no crate and gives the same programs everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.roll(choices.len() as u64) as usize]
    }
}

/// A random program.
pub fn program(seed: u64) -> String {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678);
    let mut text = String::from(
        "mtype = { red, blue };\nbyte g; bit h; short s; byte a[2];\nchan q = [2] of { byte };\nchan r = [0] of { byte };\nchan t = [1] of { mtype, bit };\n",
    );
    if dice.roll(3) == 0 {
        text += "proctype child(byte n) { byte x; g = n; x = n + 1; s = x }\n";
    }
    let has_child = text.contains("child");
    let processes = 2 + dice.roll(2);
    for number in 0..processes {
        let _ = writeln!(text, "active proctype p{number}() {{\n  byte x; byte y; bit z;");
        let length = 1 + dice.roll(4);
        for position in 0..length {
            if dice.roll(12) == 0 {
                let _ = write!(
                    text,
                    "  {}{position}:",
                    dice.pick(&["end_", "here_", "progress_"])
                );
            }
            statement(&mut dice, &mut text, 0, has_child, false);
            text += ";\n";
        }
        text += "  skip\n}\n";
    }
    text
}

fn expression(dice: &mut Dice, depth: u32) -> String {
    match dice.roll(if depth > 1 { 4 } else { 9 }) {
        0 => dice.roll(3).to_string(),
        1 => dice.pick(&["x", "y", "z", "x"]).into(),
        2 => dice.pick(&["g", "h", "s", "a[0]", "a[x % 2]", "_pid"]).into(),
        3 => dice.pick(&["len(q)", "x", "y"]).into(),
        4 => format!(
            "({} {} {})",
            expression(dice, depth + 1),
            dice.pick(&["+", "-", "*", "&", "|"]),
            expression(dice, depth + 1)
        ),
        5 => format!(
            "({} {} {})",
            expression(dice, depth + 1),
            dice.pick(&["<", "<=", "==", "!=", ">"]),
            expression(dice, depth + 1)
        ),
        6 => format!(
            "({} {} {})",
            expression(dice, depth + 1),
            dice.pick(&["&&", "||"]),
            expression(dice, depth + 1)
        ),
        7 => format!("!({})", expression(dice, depth + 1)),
        _ => format!("({} % 3)", expression(dice, depth + 1)),
    }
}

fn target(dice: &mut Dice) -> &'static str {
    dice.pick(&["x", "y", "z", "x", "g", "h", "s", "a[0]", "a[x % 2]"])
}

fn simple(dice: &mut Dice, inside_d_step: bool) -> String {
    match dice.roll(if inside_d_step { 3 } else { 14 }) {
        0..=2 => format!("{} = {} % 3", target(dice), expression(dice, 0)),
        3 => format!("({})", expression(dice, 0)),
        4 => "skip".into(),
        5 => format!("q!{}", expression(dice, 1)),
        6 => dice
            .pick(&[
                "q?x",
                "q?y",
                "q?g",
                "q?1",
                "q?eval(x)",
                "q??1",
                "q?<y>",
                "q??<x>",
                "q!!y",
            ])
            .into(),
        7 => dice.pick(&["r!x", "r!1", "r!g"]).into(),
        8 => dice.pick(&["r?x", "r?1", "r?y", "r?_"]).into(),
        9 => dice
            .pick(&["t!red,z", "t!blue(1)", "t?red,z", "t?_,z", "t?blue(h)"])
            .into(),
        10 => dice
            .pick(&[
                "nfull(q)",
                "nempty(q)",
                "empty(t)",
                "full(t)",
                "q?[1]",
                "q??[eval(y)]",
                "timeout",
            ])
            .into(),
        11 => format!("assert({} != 7)", expression(dice, 1)),
        12 => format!(
            "assert({})",
            dice.pick(&["x < 3", "g != 2 || x != 1", "a[0] + a[1] < 4", "true"])
        ),
        _ => "printf(\"%d\\n\", x)".into(),
    }
}

fn block(dice: &mut Dice, text: &mut String, depth: u32, has_child: bool, inside_d_step: bool) {
    for position in 0..1 + dice.roll(3) {
        if position > 0 {
            *text += "; ";
        }
        statement(dice, text, depth + 1, has_child, inside_d_step);
    }
}

fn statement(dice: &mut Dice, text: &mut String, depth: u32, has_child: bool, inside_d_step: bool) {
    let kinds = if depth >= 2 || inside_d_step { 8 } else { 16 };
    match dice.roll(kinds) {
        8 | 9 => {
            *text += "if ";
            for _ in 0..1 + dice.roll(3) {
                let guard = simple(dice, false);
                let _ = write!(text, ":: {guard} -> ");
                block(dice, text, depth, has_child, false);
                *text += " ";
            }
            if dice.roll(2) == 0 {
                *text += ":: else -> skip ";
            }
            *text += "fi";
        }
        10 | 11 => {
            *text += "do ";
            for _ in 0..1 + dice.roll(2) {
                let guard = simple(dice, false);
                let _ = write!(text, ":: {guard} -> ");
                block(dice, text, depth, has_child, false);
                *text += " ";
            }
            *text += dice.pick(&[
                ":: break od",
                ":: else -> break od",
                ":: goto over od",
                ":: x == 1 -> break od",
            ]);
            if text.ends_with("goto over od") {
                // A label of its own, so that jumps stay unique.
                let label = format!("over{}", text.len());
                let cut = text.len() - "over od".len();
                text.truncate(cut);
                let _ = write!(text, "{label} od; {label}: skip");
            }
        }
        12 => {
            *text += "atomic { ";
            block(dice, text, depth, has_child, false);
            *text += " }";
        }
        13 => {
            *text += "d_step { skip; ";
            block(dice, text, depth, has_child, true);
            *text += " }";
        }
        14 if has_child => *text += dice.pick(&["run child(1)", "x = run child(2)"]),
        15 => {
            *text += "{ ";
            block(dice, text, depth, has_child, false);
            let _ = write!(text, " }} unless {{ {} }}", simple(dice, false));
        }
        _ => *text += &simple(dice, inside_d_step),
    }
}
