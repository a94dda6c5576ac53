//! A property under a clock says of a word what it says without one of the word's ticks (IEEE 1850-2010, B.4): on random texts and lassos.

use entail_logic::Guard;
use entail_logic::psl::{self, Flavour, Layer};
use entail_source::{Diagnostic, Span};
use entail_systems_checker::{AssertionWord, View};
use rand::{Rng, SeedableRng, rngs::StdRng};

/// The atom that is the clock.
const CLOCK: usize = 2;

/// Atoms `a` and `b`; the clock, if there is one.
struct Letters {
    is_clocked: bool,
}

impl Layer<usize> for Letters {
    fn boolean(&mut self, text: &str, at: usize) -> Result<Guard<usize>, Diagnostic> {
        guard(text).ok_or_else(|| {
            let message = format!("what is `{text}`?");
            Diagnostic::error("test", message, Span::new(at, at + 1), "")
        })
    }

    fn enter_clock(&mut self, _: &str, _: Span) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn has_clock(&self) -> bool {
        self.is_clocked
    }

    fn tick(&mut self) -> Result<Option<Guard<usize>>, Diagnostic> {
        Ok(self.is_clocked.then_some(Guard::Atom(CLOCK)))
    }
}

/// The parts of a text on both sides of a sign outside brackets.
fn parted<'t>(text: &'t str, sign: &str) -> Option<(&'t str, &'t str)> {
    let mut depth = 0;
    let places = text.char_indices().find(|&(at, letter)| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        depth == 0 && text[at..].starts_with(sign)
    });
    places.map(|(at, _)| (&text[..at], &text[at + sign.len()..]))
}

/// An expression of `a` and `b`.
fn guard(text: &str) -> Option<Guard<usize>> {
    let text = text.trim();
    if let Some((left, right)) = parted(text, "->") {
        return Some(guard(left)?.negated().or(&guard(right)?));
    }
    if let Some((left, right)) = parted(text, "||") {
        return Some(guard(left)?.or(&guard(right)?));
    }
    if let Some((left, right)) = parted(text, "&&") {
        return Some(guard(left)?.and(&guard(right)?));
    }
    if let Some(inner) = text.strip_prefix('!') {
        return Some(guard(inner)?.negated());
    }
    match text {
        "a" => Some(Guard::Atom(0)),
        "b" => Some(Guard::Atom(1)),
        _ => guard(text.strip_prefix('(')?.strip_suffix(')')?),
    }
}

fn condition(random: &mut StdRng) -> &'static str {
    ["a", "b", "!a", "(a && b)"][random.random_range(0..4)]
}

fn sequence(random: &mut StdRng, depth: u32) -> String {
    if depth == 0 {
        return condition(random).to_owned();
    }
    let (left, right) = (sequence(random, depth - 1), sequence(random, depth - 1));
    match random.random_range(0..9) {
        0 => format!("{{{left}}} : {{{right}}}"),
        1 => format!("{{{left}}} | {{{right}}}"),
        2 => format!("{{{left}}} & {{{right}}}"),
        3 => format!("{{{left}}} && {{{right}}}"),
        4 => format!("{{{left}}}[*1:2]; {{{right}}}"),
        5 => format!("{{{left}}} within {{{right}}}"),
        6 => format!("{}[->2]; {{{left}}}", condition(random)),
        7 => format!("{{{left}}}[*]; {}[=1]", condition(random)),
        _ => format!("{{{left}}}; {{{right}}}"),
    }
}

fn property(random: &mut StdRng, depth: u32) -> String {
    if depth == 0 {
        let sign = if random.random_bool(0.5) { "!" } else { "" };
        return match random.random_bool(0.5) {
            true => condition(random).to_owned(),
            false => format!("{{{}}}{sign}", sequence(random, 1)),
        };
    }
    let (one, other) = (property(random, depth - 1), property(random, depth - 1));
    let strong = if random.random_bool(0.5) { "!" } else { "" };
    match random.random_range(0..14) {
        0 => format!("!({one})"),
        1 => format!("({one}) && ({other})"),
        2 => format!("({one}) || ({other})"),
        3 => format!("({one}) -> ({other})"),
        4 => format!("{{{}}} |-> ({one})", sequence(random, 2)),
        5 => format!("{{{}}} |=> ({one})", sequence(random, 2)),
        6 => format!("next{strong}[{}] ({one})", random.random_range(0..3)),
        7 => format!("({one}) until{strong} ({other})"),
        8 => format!("({one}) until{strong}_ ({other})"),
        9 => format!("{} before{strong} {}", condition(random), condition(random)),
        10 => format!("always ({one})"),
        11 => format!("next_e{strong}[1:2] ({one})"),
        12 => format!("next_event{strong}({})[2] ({one})", condition(random)),
        _ => format!("({one}) sync_abort {}", condition(random)),
    }
}

#[test]
fn a_clock_is_a_look_at_its_ticks() {
    let effort = std::env::var("ENTAIL_EFFORT").ok();
    let effort: usize = effort.and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut random = StdRng::seed_from_u64(1_850);
    let mut truths = [0; 2];
    for _ in 0..2_000 * effort {
        let depth = random.random_range(0..3);
        let text = property(&mut random, depth);
        let read = |is_clocked: bool, text: &str| {
            psl::read_in(text, Flavour::Verilog, &mut Letters { is_clocked })
                .unwrap_or_else(|problem| panic!("{text}: {problem}"))
        };
        let plain = read(false, &text);
        let clocked = read(true, &text);
        let length = random.random_range(1..7);
        let mut letters: Vec<Vec<bool>> = (0..length)
            .map(|_| (0..3).map(|_| random.random_bool(0.5)).collect())
            .collect();
        let start = random.random_range(0..length);
        // The clock ticks again and again.
        let tick = random.random_range(start..length);
        letters[tick][CLOCK] = true;
        let ticks: Vec<Vec<bool>> = letters.iter().filter(|letter| letter[CLOCK]).cloned().collect();
        let before = letters[..start].iter().filter(|letter| letter[CLOCK]).count();
        let whole = AssertionWord::new(letters.clone(), Some(start)).holds(&clocked, View::Weak);
        let projected = AssertionWord::new(ticks, Some(before)).holds(&plain, View::Weak);
        assert_eq!(whole, projected, "{text} on {letters:?} from {start}");
        truths[usize::from(whole)] += 1;
    }
    assert!(truths.iter().all(|&count| count > 200 * effort), "{truths:?}");
}
