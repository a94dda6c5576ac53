//! Random programs of what the plain ones leave out: arrays and message fields of all types with values that do not fit, records and arrays of
//! records, escapes in and around atomic and deterministic sequences, jumps into and out of them, `for`, `select`, long deterministic
//! sequences, sorted and random messages, processes that end, and claims that look at them.

use super::Dice;
use std::fmt::Write;

const GLOBALS: &str = "mtype = { red, blue };
typedef R { bit b; byte n; bool f[2]; short w };
byte g; bit h; short s; bool hb[2]; bit bt[2]; short sa[2]; unsigned u : 3; byte a[2];
R rec; R recs[2];
chan q = [2] of { byte };
chan one = [2] of { bit };
chan two = [2] of { bool, short };
chan r = [0] of { byte };
chan rr = [0] of { bit, byte };
chan m = [2] of { R };
chan ms[2] = [2] of { R };
";

/// What a statement stands in.
#[derive(Clone, Copy)]
struct Place {
    depth: u32,
    in_d_step: bool,
    in_atomic: bool,
    /// Jumps lead to labels of this process type.
    labels: u64,
    /// Channels where sender and receiver meet; SPIN does not combine them with priorities.
    meets: bool,
}

/// A random program.
pub fn wild(seed: u64) -> String {
    make(seed, false)
}

/// A random program with a never claim, which is its second requirement.
pub fn claimed(seed: u64) -> String {
    make(seed, true)
}

fn make(seed: u64, claimed: bool) -> String {
    let mut dice = Dice {
        state: seed.wrapping_mul(0xa076_1d64_78bd_642f) ^ 0x2468_ace0,
        spiced: true,
        priorities: false,
    };
    let priorities = !claimed && dice.roll(6) == 0;
    let mut text = String::from(GLOBALS);
    text += "proctype child(bit n; byte k) { byte y = k; y = y + n; g = y; here: y = 0; s = n }\n";
    let processes = 2 + dice.roll(2);
    for number in 0..processes {
        let mut clauses = String::new();
        if priorities {
            let _ = write!(clauses, "priority {} ", 1 + dice.roll(3));
        }
        if dice.roll(6) == 0 {
            let condition = dice.pick(&["g != 1", "h == 0 || s > 0", "len(q) < 2", "hb[1] != 2"]);
            let _ = write!(clauses, "provided ({condition}) ");
        }
        let _ = writeln!(
            text,
            "active proctype p{number}() {clauses}{{\n  byte x; bit z; bool lb[2]; short w; R lr;"
        );
        let length = 1 + dice.roll(3);
        let place = Place {
            depth: 0,
            in_d_step: false,
            in_atomic: false,
            labels: length,
            meets: !priorities,
        };
        for position in 0..length {
            let special = dice.pick(match claimed {
                // With a claim, SPIN looks at the labels of processes at the same time.
                true => &["", "", "", "end_", "progress_"],
                false => &["", "", "", "end_", "progress_", "accept_"],
            });
            let special = match special {
                "" => String::new(),
                kind => format!("{kind}{position}: "),
            };
            let _ = write!(text, "  L{position}: {special}");
            text += &after_label(statement(&mut dice, place));
            text += ";\n";
        }
        text += "  skip\n}\n";
    }
    if claimed {
        text += &claim(&mut dice, processes);
    }
    text
}

/// A claim that looks at globals, at places of processes and at their variables. It does not leave its accepting loop for one that is not:
/// while the processes stand still, SPIN reports a cycle there that is none.
fn claim(dice: &mut Dice, processes: u64) -> String {
    let condition = |dice: &mut Dice| match dice.roll(6) {
        0 => format!("(p{0}[{0}]@L0)", dice.roll(processes)),
        1 => format!("!(p{0}@L0)", dice.roll(processes)),
        2 => format!("(p{0}[{0}]:x != 0)", dice.roll(processes)),
        3 => format!("(p{0}:lb[1] > 1)", dice.roll(processes)),
        4 => dice
            .pick(&["(hb[1] > 1)", "(g != 0)", "!(h == 1)", "(len(q) > 0)", "(s < 2)"])
            .to_owned(),
        _ => "true".to_owned(),
    };
    let mut text = String::from("never {\n  do\n  :: true\n");
    for _ in 0..1 + dice.roll(2) {
        let (when, then) = (condition(dice), dice.pick(&["break", "goto accept_0", "skip"]));
        let _ = writeln!(text, "  :: {when} -> {then}");
    }
    let (when, stay) = (condition(dice), condition(dice));
    let leave = dice.pick(&["", ":: else -> break"]);
    let _ = writeln!(
        text,
        "  od;\n  {when};\naccept_0:\n  do\n  :: {stay}\n  {leave}\n  od\n}}"
    );
    text
}

fn value(dice: &mut Dice, depth: u32) -> String {
    match dice.roll(if depth > 1 { 4 } else { 8 }) {
        0 => dice
            .pick(&["0", "1", "2", "3", "257", "300", "-1", "70000"])
            .into(),
        1 => dice
            .pick(&["x", "z", "lb[1]", "w", "lr.b", "lr.f[1]", "lr.n", "1"])
            .into(),
        2 => dice
            .pick(&[
                "g", "h", "s", "hb[0]", "hb[1]", "bt[z]", "sa[0]", "u", "a[1]", "1",
            ])
            .into(),
        3 => dice
            .pick(&[
                "rec.b",
                "rec.n",
                "rec.f[1]",
                "recs[1].w",
                "recs[z].b",
                "recs[z].f[z]",
                "2",
                "len(q)",
            ])
            .into(),
        4 => format!(
            "({} {} {})",
            value(dice, depth + 1),
            dice.pick(&["+", "-", "*", "&", "|"]),
            value(dice, depth + 1)
        ),
        5 => format!(
            "({} {} {})",
            value(dice, depth + 1),
            dice.pick(&["<", "<=", "==", "!="]),
            value(dice, depth + 1)
        ),
        6 => format!("(({}) % 3)", value(dice, depth + 1)),
        _ => format!(
            "({} -> {} : {})",
            value(dice, depth + 1),
            value(dice, depth + 1),
            value(dice, depth + 1)
        ),
    }
}

fn target(dice: &mut Dice) -> &'static str {
    dice.pick(&[
        "x",
        "z",
        "lb[1]",
        "lb[z]",
        "w",
        "lr.b",
        "lr.f[1]",
        "lr.n",
        "lr.w",
        "g",
        "h",
        "s",
        "hb[0]",
        "hb[1]",
        "bt[z]",
        "sa[0]",
        "u",
        "a[1]",
        "rec.b",
        "rec.f[0]",
        "recs[1].b",
        "recs[z].f[1]",
        "recs[0].w",
    ])
}

fn assignment(dice: &mut Dice) -> String {
    match dice.roll(8) {
        // Without a remainder values do not repeat so soon; a constant cannot grow.
        0..=2 => format!(
            "{} = {}",
            target(dice),
            dice.pick(&["0", "1", "2", "3", "257", "-1", "70000", "256"])
        ),
        3 => format!(
            "{}++",
            dice.pick(&["hb[1]", "bt[0]", "z", "lb[0]", "rec.b", "rec.f[1]", "u"])
        )
        .replace("hb[1]++", "hb[1] = (hb[1] + 1) % 4"),
        _ => format!("{} = ({}) % 4", target(dice), value(dice, 0)),
    }
}

fn message(dice: &mut Dice, place: Place) -> String {
    let kind = dice.roll(if place.in_d_step || !place.meets { 6 } else { 10 });
    match kind {
        0 => dice
            .pick(&["q!2", "q!x", "q!!x", "q!300", "q!!1", "q!!257", "q!hb[1]"])
            .into(),
        1 => dice
            .pick(&[
                "q?x",
                "q?hb[1]",
                "q??1",
                "q?<x>",
                "q?eval(x)",
                "q??eval(x)",
                "q?2",
                "q?_",
                "q?lr.b",
                "q?h",
            ])
            .into(),
        2 => dice
            .pick(&[
                "one!1",
                "one!2",
                "one!x",
                "one!!x",
                "one?x",
                "one?h",
                "one?hb[0]",
                "one??2",
                "one?<x>",
                "one?lb[1]",
            ])
            .into(),
        3 => dice
            .pick(&[
                "two!2,70000",
                "two!1,x",
                "two!!x,s",
                "two?z,s",
                "two?x,w",
                "two?lb[0],sa[1]",
                "two??1,w",
                "two?_,x",
                "two?<hb[0],s>",
            ])
            .into(),
        4 => dice
            .pick(&[
                "m!rec",
                "m!lr",
                "m!!recs[z]",
                "m?lr",
                "m?rec",
                "m?recs[1]",
                "m?<lr>",
            ])
            .into(),
        5 => dice
            .pick(&["ms[z]!lr", "ms[1]!rec", "ms[z]?lr", "ms[0]?recs[0]"])
            .into(),
        6 => dice.pick(&["r!x", "r!257", "r!g", "r!1"]).into(),
        7 => dice
            .pick(&["r?x", "r?1", "r?hb[1]", "r?_", "r?eval(g)", "r?lr.n"])
            .into(),
        8 => dice.pick(&["rr!2,x", "rr!z,1", "rr!1,1"]).into(),
        _ => dice
            .pick(&["rr?z,x", "rr?lb[0],g", "rr?1,x", "rr?_,hb[0]"])
            .into(),
    }
}

fn guard(dice: &mut Dice, place: Place) -> String {
    match dice.roll(8) {
        0..=2 => message(dice, place),
        3 => format!("({})", value(dice, 0)),
        4 => dice
            .pick(&[
                "nfull(q)",
                "nempty(one)",
                "empty(two)",
                "full(q)",
                "q?[1]",
                "one??[eval(x)]",
                "two?[1,_]",
                "len(m) > 0",
            ])
            .into(),
        5 if !place.in_d_step => "timeout".into(),
        6 => "true".into(),
        _ => assignment(dice),
    }
}

/// What an escape begins with. Where a send in one escape finds no partner, SPIN forgets that another one was taken.
fn escape(dice: &mut Dice, place: Place) -> String {
    guard(
        dice,
        Place {
            meets: false,
            ..place
        },
    )
}

fn simple(dice: &mut Dice, place: Place) -> String {
    match dice.roll(10) {
        0..=3 => assignment(dice),
        4 | 5 if !place.in_d_step => message(dice, place),
        6 if !place.in_d_step => guard(dice, place),
        7 => dice
            .pick(&[
                "assert(hb[1] < 4)",
                "assert(x < 200)",
                "assert(lb[0] != 3)",
                "assert(rec.f[1] < 3)",
                "assert(one?[2] == 0)",
                "assert(h < 2)",
            ])
            .replace("assert(one?[2] == 0)", "assert(s < 5)"),
        8 => "skip".into(),
        _ => "printf(\"%d\\n\", x)".into(),
    }
}

fn block(dice: &mut Dice, place: Place) -> String {
    let inner = Place {
        depth: place.depth + 1,
        ..place
    };
    let parts: Vec<String> = (0..1 + dice.roll(2)).map(|_| statement(dice, inner)).collect();
    parts.join("; ")
}

/// SPIN does not jump to the beginning of a deterministic sequence.
fn after_label(text: String) -> String {
    match text.starts_with("d_step") {
        true => format!("skip; {text}"),
        false => text,
    }
}

/// A sequence in braces; a label may stand inside, behind its first statement.
fn labelled(dice: &mut Dice, place: Place, jumps: &mut Vec<String>) -> String {
    let body = block(dice, place);
    if place.in_d_step || dice.roll(3) != 0 {
        return body;
    }
    let label = format!("M{}", dice.roll(1_000_000_000));
    let rest = after_label(block(dice, place));
    jumps.push(label.clone());
    format!("{body}; {label}: {rest}")
}

fn options(dice: &mut Dice, place: Place, most: u64) -> String {
    let mut text = String::new();
    for _ in 0..1 + dice.roll(most) {
        let guard = guard(dice, place);
        let _ = write!(text, ":: {guard} -> {} ", block(dice, place));
    }
    text
}

fn statement(dice: &mut Dice, place: Place) -> String {
    if place.depth >= 2 {
        return simple(dice, place);
    }
    if place.in_d_step {
        return match dice.roll(8) {
            0 => format!("if {} :: else fi", options(dice, Place { depth: 2, ..place }, 2)),
            1 => format!(
                "x = 0; do :: x < {} -> x++{} :: else -> break od; x = 0",
                dice.pick(&["3", "200", "7"]),
                dice.pick(&["", "; hb[0] = x % 4", "; a[0] = x % 3"])
            ),
            _ => simple(dice, place),
        };
    }
    let mut labels = Vec::new();
    let made = compound(dice, place, &mut labels);
    // A jump to a label inside comes from before, if the loop cannot go on for ever.
    match labels.first() {
        Some(label) => format!(
            "if :: {} -> goto {label} :: else fi; {made}",
            dice.pick(&["(h == 1)", "(x == 2)", "q?x", "(z == 0)"])
        ),
        None => made,
    }
}

/// A statement with others inside, or a simple one; `labels` gets those inside to which a jump may go.
fn compound(dice: &mut Dice, place: Place, labels: &mut Vec<String>) -> String {
    let atomic = Place {
        in_atomic: true,
        ..place
    };
    match dice.roll(24) {
        0 | 1 => format!(
            "if {}{} fi",
            options(dice, place, 3),
            dice.pick(&["", ":: else", ":: else -> skip"])
        ),
        2 | 3 => format!(
            "do {}{} od",
            options(dice, place, 2),
            dice.pick(&[":: break", ":: else -> break", ":: timeout -> break"])
        ),
        4 if place.depth > 0 => format!(
            "if :: {} -> goto L{} :: else fi",
            guard(dice, place),
            dice.roll(place.labels)
        ),
        5 if !place.in_atomic => format!("atomic {{ {} }}", labelled(dice, atomic, labels)),
        6 | 7 => format!("atomic {{ {} }}", labelled(dice, atomic, labels)),
        8 => format!(
            "d_step {{ {}; {} }}",
            dice.pick(&["skip", "(h == 0)", "q?x", "x = 1"]),
            block(
                dice,
                Place {
                    in_d_step: true,
                    ..place
                }
            )
        ),
        9 | 10 => format!(
            "{{ {{ {} }} unless {{ {}; {} }} }}",
            labelled(dice, place, labels),
            escape(dice, place),
            block(dice, place)
        ),
        11 => format!(
            "{{ atomic {{ {} }} unless {{ {{ {}; {} }} unless {{ {}; {} }} }} }}",
            block(dice, atomic),
            escape(dice, place),
            block(dice, place),
            escape(dice, place),
            simple(dice, place)
        ),
        12 => format!(
            "atomic {{ {}; {{ {} }} unless {{ {}; {} }} }}",
            simple(dice, atomic),
            block(dice, atomic),
            escape(dice, atomic),
            simple(dice, atomic)
        ),
        13 => format!(
            "{{ {{ {{ {} }} unless {{ {}; {} }} }} unless {{ {}; {} }} }}",
            block(dice, place),
            escape(dice, place),
            simple(dice, place),
            escape(dice, place),
            simple(dice, place)
        ),
        14 => format!(
            "{{ d_step {{ x = 1; {} }} unless {{ {} }} }}",
            simple(
                dice,
                Place {
                    in_d_step: true,
                    ..place
                }
            ),
            escape(dice, place)
        ),
        15 => format!(
            "{{ atomic {{ {} }} unless {{ atomic {{ {}; {} }} }} }}",
            block(dice, atomic),
            escape(dice, place),
            simple(dice, place)
        ),
        16 => dice
            .pick(&[
                "select (x : 0 .. 2)",
                "select (g : 1 .. 2)",
                "select (x : z .. 2)",
                "select (s : 0 .. 40)",
            ])
            .into(),
        17 => format!(
            "for (x : 0 .. {}) {{ {} }}",
            dice.pick(&["1", "2", "z"]),
            block(dice, place)
        ),
        18 => format!(
            "for (x in {}) {{ {} }}",
            dice.pick(&["hb", "lb", "recs", "ms"]),
            block(dice, place)
        ),
        19 => format!(
            "for (lr in {}) {{ {} }}",
            dice.pick(&["m", "ms[1]", "ms[z]", "ms"]),
            block(dice, place)
        ),
        20 => dice
            .pick(&["run child(1, 2)", "x = run child(2, 300)", "run child(h, x)"])
            .into(),
        21 if place.meets => format!(
            "atomic {{ {}; {} }}",
            dice.pick(&["r!1", "r?x", "rr?z,x", "rr!1,2", "x = 1; r!x"]),
            block(dice, atomic)
        ),
        22 => format!(
            "if :: {} -> {} :: else -> {} fi",
            message(dice, place),
            simple(dice, place),
            simple(dice, place)
        ),
        _ => simple(dice, place),
    }
}
