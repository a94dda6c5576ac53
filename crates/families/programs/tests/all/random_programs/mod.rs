//! Small random Promela programs: two or three processes, a few small variables, channels of all kinds, every control structure.

mod wild;

use std::fmt::Write;
pub use wild::{claimed, wild};

/// How much more than usual is tried: `ENTAIL_EFFORT`, 1 without it.
pub fn effort() -> u64 {
    let effort = std::env::var("ENTAIL_EFFORT").ok();
    effort.and_then(|effort| effort.parse().ok()).unwrap_or(1)
}

/// A random program with a label, a claim or a formula about its infinite runs.
pub fn about_infinite_runs(seed: u64, claims: [&str; 4], formulas: [&str; 14]) -> String {
    let plain = match seed % 5 {
        0 => spiced(seed),
        1 => program(seed),
        _ => loose_program(seed),
    };
    // Labels of a process differ.
    let labelled =
        |label: &str| plain.replacen("  skip\n}", &format!("  {label}: skip; goto {label}\n}}"), 1);
    match seed / 5 % 8 {
        0 => labelled("accept_last"),
        1 => labelled("progress_last"),
        2 | 3 => plain + claims[(seed / 40 % 4) as usize],
        _ => format!("{plain}ltl f {{ {} }}\n", formulas[(seed / 5 % 14) as usize]),
    }
}

/// A generator that needs no crate and gives the same programs everywhere.
struct Dice {
    state: u64,
    /// More than the plain language.
    spiced: bool,
    /// Processes have priorities. SPIN does not combine them with rendezvous.
    priorities: bool,
}

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % sides
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.roll(choices.len() as u64) as usize]
    }
}

/// Partners that meet in the middle of atomic sequences, where control goes from one to the other, beside somebody who looks at what they change: 216 programs.
pub fn meeting_program(seed: u64) -> String {
    let pick = |place: u64, choices: &[&'static str]| choices[(seed / place) as usize % choices.len()];
    let first = pick(
        1,
        &[
            "c!1; d?g",
            "c!1; d?x; g = x",
            "atomic { c!1; d?g }",
            "c!1; x = 1; d?g",
        ],
    );
    let second = pick(
        4,
        &[
            "atomic { c?y; d!2 }",
            "c?y; d!2",
            "atomic { c?y; h = 1; d!2; h = 0 }",
        ],
    );
    let third = pick(
        12,
        &[
            "assert(g == 0)",
            "assert(g == 2)",
            "(g == 0); h = 1",
            "assert(h == 0)",
            "z = g; assert(z != 2)",
            "z = g; assert(z == 2)",
        ],
    );
    let local = pick(72, &["", "z = 1; ", "z = 1; z = 2; "]);
    format!(
        "byte g; bit h; byte a[4]; chan c = [0] of {{ byte }}; chan d = [0] of {{ byte }}; chan c1 = [2] of {{ byte }};
active proctype p() {{ byte x; {first} }}
active proctype q() {{ byte y; {second} }}
active proctype r() {{ byte z; {local}{third} }}
"
    )
}

/// A random program whose processes have much to do by themselves: channels as parameters, elements of arrays by their own number, local loops.
pub fn loose_program(seed: u64) -> String {
    let mut dice = Dice {
        state: seed.wrapping_mul(0xd134_2543_de82_ef95) ^ 0x8765_4321,
        spiced: false,
        priorities: false,
    };
    let mut text = String::from(
        "byte g; bit h; byte a[4];\nchan c0 = [1] of { byte };\nchan c1 = [2] of { byte };\nchan c2 = [0] of { byte };\nchan cs[2] = [1] of { byte };\n",
    );
    let statements = |dice: &mut Dice, count: u64, inside: bool| {
        let mut found: Vec<String> = Vec::new();
        for _ in 0..1 + dice.roll(count) {
            found.push(loose_statement(dice, inside));
        }
        found.join("; ")
    };
    let kinds = 1 + dice.roll(2);
    for kind in 0..kinds {
        let _ = writeln!(
            text,
            "proctype p{kind}(chan in; chan out; byte n) {{\n  byte x; byte y; bit z;"
        );
        let body = statements(&mut dice, 3, false);
        match dice.roll(4) {
            0 => {
                let _ = write!(text, "  {}", body);
            }
            1 => {
                let guard = loose_statement(&mut dice, true);
                let _ = write!(
                    text,
                    "  {}do :: {guard} -> {body} :: {} -> break od",
                    dice.pick(&["", "end: ", "accept: ", "progress: "]),
                    dice.pick(&["true", "else", "x == 2", "timeout", "g == 1"])
                );
            }
            2 => {
                let other = statements(&mut dice, 2, false);
                let _ = write!(
                    text,
                    "  if :: {body} :: {other} {} fi",
                    dice.pick(&["", ":: else"])
                );
            }
            _ => {
                let tail = statements(&mut dice, 2, true);
                let _ = write!(
                    text,
                    "  {body}; {}atomic {{ {tail} }}",
                    dice.pick(&["", "accept: ", "progress: "])
                );
            }
        }
        text += ";\n";
        for _ in 0..dice.roll(3) {
            let _ = writeln!(text, "  {};", loose_statement(&mut dice, false));
        }
        text += "  skip\n}\n";
    }
    text += "init { byte x; byte y; bit z;\n";
    let runs = 2 + dice.roll(2);
    let grouped = dice.roll(3) != 0;
    text += if grouped { "atomic { " } else { "" };
    for number in 0..runs {
        let channel = |dice: &mut Dice| dice.pick(&["c0", "c1", "c2", "cs[0]", "cs[1]"]);
        let (one, two) = (channel(&mut dice), channel(&mut dice));
        let _ = write!(text, "run p{}({one}, {two}, {number}); ", dice.roll(kinds));
    }
    text += if grouped { "skip }\n}\n" } else { "skip\n}\n" };
    text
}

fn loose_statement(dice: &mut Dice, inside: bool) -> String {
    let kind = dice.roll(if inside { 14 } else { 17 });
    match kind {
        0..=2 => dice
            .pick(&[
                "x = 1",
                "x = x + 1",
                "y = x",
                "z = 1 - z",
                "y = n",
                "x = (x + 1) % 3",
            ])
            .into(),
        3 => dice
            .pick(&[
                "g = 1",
                "g = x",
                "h = 1",
                "h = 0",
                "g = (g + 1) % 3",
                "a[n] = 1",
                "a[_pid] = x",
            ])
            .into(),
        4 => dice
            .pick(&[
                "a[n] == 0",
                "a[1] == 1",
                "g == 0",
                "h == 0",
                "a[(n + 1) % 3] == 0",
                "x < 2",
                "n == 1",
            ])
            .into(),
        5 | 6 => dice.pick(&["out!1", "out!x", "out!n", "out!!x", "c1!2"]).into(),
        7 | 8 => dice
            .pick(&[
                "in?x",
                "in?1",
                "in?y",
                "in?eval(x)",
                "in??1",
                "in?<x>",
                "c1?y",
                "in?_",
            ])
            .into(),
        9 => dice
            .pick(&[
                "nempty(in) -> in?x",
                "nfull(out) -> out!1",
                "empty(in)",
                "len(out) < 1",
                "x = len(in)",
                "c1?[2]",
                "full(c1)",
            ])
            .into(),
        10 => dice
            .pick(&[
                "assert(x < 3)",
                "assert(g != 2 || h == 0)",
                "assert(a[n] == 0 || x != 1)",
                "assert(y != 2)",
            ])
            .into(),
        11 => "skip".into(),
        12 => dice
            .pick(&["cs[n % 2]!1", "cs[n % 2]?x", "cs[z]!n", "cs[x % 2]?y"])
            .into(),
        13 => dice
            .pick(&[
                "timeout",
                "x = _pid",
                "g == 0 && nempty(in)",
                "h == 1 || x == 1",
                "skip",
            ])
            .into(),
        14 => {
            let parts: Vec<String> = (0..1 + dice.roll(3))
                .map(|_| loose_statement(dice, true))
                .collect();
            format!(
                "{} {{ {} }}",
                dice.pick(&["atomic", "atomic", "{"]).replace('{', ""),
                parts.join("; ")
            )
        }
        15 => format!(
            "d_step {{ skip; {} }}",
            dice.pick(&["x = 1; g = x", "y = x; x = 0", "h = 1 - h; a[n] = h"])
        ),
        _ => format!(
            "if :: {} -> {} :: {} fi",
            loose_statement(dice, true),
            loose_statement(dice, true),
            dice.pick(&["else", "else -> y = 2", "x == 1 -> skip", "g = 2"])
        ),
    }
}

/// A random program.
pub fn program(seed: u64) -> String {
    make(seed, false)
}

/// A random program with nested escapes, priorities, provided clauses, `select`, `for` and event traces.
pub fn spiced(seed: u64) -> String {
    make(seed, true)
}

fn make(seed: u64, spiced: bool) -> String {
    let mut dice = Dice {
        state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678,
        spiced,
        priorities: spiced && seed.is_multiple_of(2),
    };
    let mut text = String::from(
        "mtype = { red, blue };\nbyte g; bit h; short s; byte a[2];\nchan q = [2] of { byte };\nchan r = [0] of { byte };\nchan t = [1] of { mtype, bit };\n",
    );
    if dice.roll(3) == 0 {
        text += "proctype child(byte n) { byte x; g = n; x = n + 1; s = x }\n";
    }
    let has_child = text.contains("child");
    let processes = 2 + dice.roll(2);
    for number in 0..processes {
        let clauses = match spiced {
            true => clauses(&mut dice),
            false => String::new(),
        };
        let _ = writeln!(
            text,
            "active proctype p{number}() {clauses}{{\n  byte x; byte y; bit z;"
        );
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
    if spiced && dice.roll(4) == 0 {
        // Messages that depend on the content of a channel are refused with a trace.
        text = text.replace("len(q)", "2") + &events(&mut dice);
    }
    match dice.priorities {
        true => text.replace("chan r = [0]", "chan r = [1]"),
        false => text,
    }
}

fn clauses(dice: &mut Dice) -> String {
    let mut text = String::new();
    if dice.priorities && dice.roll(2) == 0 {
        let _ = write!(text, "priority {} ", 1 + dice.roll(3));
    }
    if dice.roll(3) == 0 {
        let condition = dice.pick(&["g != 1", "h == 0 || s > 0", "len(q) < 2", "a[0] != 2"]);
        let _ = write!(text, "provided ({condition}) ");
    }
    text
}

/// An event trace over one or two channels.
fn events(dice: &mut Dice) -> String {
    let event = |dice: &mut Dice| {
        dice.pick(&["q!_", "q!1", "q?_", "q?1", "r!_", "r?_", "r!0", "t?red,_"])
            .to_owned()
    };
    let kind = dice.pick(&["trace", "trace", "notrace"]);
    let mut text = format!("{kind} {{ {}; end: do ", event(dice));
    for _ in 0..1 + dice.roll(3) {
        let _ = write!(text, ":: {} ", event(dice));
        if dice.roll(2) == 0 {
            let _ = write!(text, "-> end{}: {} ", dice.roll(1_000_000), event(dice));
        }
        if dice.roll(3) == 0 {
            text += "-> break ";
        }
    }
    text += "od }\n";
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
    if dice.spiced && depth < 3 && !inside_d_step && dice.roll(3) == 0 {
        return spice(dice, text, depth, has_child);
    }
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

fn spice(dice: &mut Dice, text: &mut String, depth: u32, has_child: bool) {
    match dice.roll(8) {
        0..=4 => {
            *text += "{ ";
            block(dice, text, depth, has_child, false);
            *text += " } unless { ";
            // Where a send in one escape finds no partner, SPIN forgets that another one was taken.
            let guard = simple(dice, false).replace("r!", "q!");
            let _ = write!(text, "{guard}; ");
            block(dice, text, depth, has_child, false);
            *text += " }";
        }
        5 => {
            *text += dice.pick(&[
                "select (x : 0 .. 2)",
                "select (y : 1 .. 2)",
                "select (g : 0 .. x)",
            ])
        }
        6 => {
            *text += dice.pick(&["for (x : 0 .. 1) { ", "for (y in a) { "]);
            block(dice, text, depth, has_child, false);
            *text += " }";
        }
        _ if !dice.priorities => *text += "skip",
        _ => {
            *text += dice.pick(&[
                "set_priority(_pid, 2)",
                "y = get_priority(0)",
                "_priority = 1 + z",
            ])
        }
    }
}
