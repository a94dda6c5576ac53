//! Random small timed automata, as PRISM's text and as what the reference walks on.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// `clock one − clock other op bound`; other 0 is none.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    pub one: usize,
    pub other: usize,
    pub op: &'static str,
    pub bound: i64,
    pub negated: bool,
}

/// A share, a target, clocks with what they are set to.
pub type Outcome = (i64, i64, Vec<(usize, i64)>);

/// A command.
#[derive(Clone, Debug)]
pub struct Edge {
    pub from: i64,
    pub guard: Vec<Compared>,
    /// Its outcomes; their shares are of the sum.
    pub branches: Vec<Outcome>,
}

/// An automaton.
#[derive(Clone, Debug)]
pub struct Automaton {
    pub clocks: usize,
    pub locations: i64,
    pub invariants: Vec<Vec<Compared>>,
    pub edges: Vec<Edge>,
}

/// What constraints may look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Closed,
    Strict,
    Differences,
}

/// A question: `stay U goal`, each a set of locations with a condition.
#[derive(Clone, Debug)]
pub struct Question {
    pub least: bool,
    pub avoid: Option<i64>,
    /// What holds until then: one of these, if there are any.
    pub stay: Vec<Compared>,
    pub goal: i64,
    pub condition: Vec<Compared>,
    /// At most, or strictly less than, so much time.
    pub within: Option<(i64, bool)>,
}

const NAMES: [&str; 4] = ["", "x", "y", "z"];

impl Compared {
    pub fn text(&self) -> String {
        let left = match self.other {
            0 => NAMES[self.one].to_owned(),
            other => format!("{}-{}", NAMES[self.one], NAMES[other]),
        };
        let plain = format!("{left}{} {}", self.op, self.bound);
        match self.negated {
            true => format!("!({plain})"),
            false => plain,
        }
    }

    /// Its truth; values are multiples of 1 / unit, that of clock 0 is 0.
    pub fn holds(&self, values: &[i64], unit: i64) -> bool {
        let (left, right) = (values[self.one] - values[self.other], self.bound * unit);
        let plain = match self.op {
            "<" => left < right,
            "<=" => left <= right,
            ">" => left > right,
            ">=" => left >= right,
            _ => left == right,
        };
        plain != self.negated
    }
}

fn all(conditions: &[Compared]) -> String {
    conditions
        .iter()
        .map(|one| format!(" & {}", one.text()))
        .collect()
}

impl Automaton {
    pub fn text(&self) -> String {
        let mut text = format!("pta module m s:[0..{}];", self.locations - 1);
        for name in &NAMES[1..=self.clocks] {
            text += &format!(" {name}:clock;");
        }
        text += " invariant true";
        for (location, invariant) in self.invariants.iter().enumerate() {
            if !invariant.is_empty() {
                text += &format!(" & (s={location} => true{})", all(invariant));
            }
        }
        text += " endinvariant\n";
        for edge in &self.edges {
            let sum: i64 = edge.branches.iter().map(|branch| branch.0).sum();
            let branch = |(share, to, sets): &Outcome| {
                let sets: String = sets
                    .iter()
                    .map(|(clock, value)| format!("&({}'={value})", NAMES[*clock]))
                    .collect();
                format!("{share}/{sum}:(s'={to}){sets}")
            };
            let branches: Vec<String> = edge.branches.iter().map(branch).collect();
            text += &format!(
                "[] s={}{} -> {};\n",
                edge.from,
                all(&edge.guard),
                branches.join(" + ")
            );
        }
        text + "endmodule"
    }
}

impl Question {
    pub fn text(&self) -> String {
        let optimum = if self.least { "min" } else { "max" };
        let within = match self.within {
            None => String::new(),
            Some((time, true)) => format!("<{time}"),
            Some((time, false)) => format!("<={time}"),
        };
        let goal = format!("s={}{}", self.goal, all(&self.condition));
        let mut stay = self
            .avoid
            .map_or("true".to_owned(), |avoid| format!("s!={avoid}"));
        if !self.stay.is_empty() {
            let one_of: Vec<String> = self.stay.iter().map(Compared::text).collect();
            stay += &format!(" & ({})", one_of.join(" | "));
        }
        match stay == "true" {
            true => format!("P{optimum}=? [ F{within} ({goal}) ]"),
            false => format!("P{optimum}=? [ ({stay}) U{within} ({goal}) ]"),
        }
    }
}

/// The generator of one case.
pub struct Cases {
    random: StdRng,
    shape: Shape,
}

impl Cases {
    pub fn new(seed: u64, shape: Shape) -> Cases {
        Cases {
            random: StdRng::seed_from_u64(seed),
            shape,
        }
    }

    fn compared(&mut self, clocks: usize) -> Compared {
        let one = self.random.random_range(1..=clocks);
        let differs = self.shape == Shape::Differences && clocks > 1 && self.random.random_bool(0.5);
        let other = match differs {
            true => {
                if one == 1 {
                    2
                } else {
                    1
                }
            }
            false => 0,
        };
        let closed = ["<=", ">=", "="];
        let any = ["<", "<=", ">", ">=", "="];
        let negated = self.random.random_bool(0.15);
        let op = match (self.shape, negated) {
            (Shape::Closed, false) => closed[self.random.random_range(0..3)],
            (Shape::Closed, true) => ["<", ">"][self.random.random_range(0..2)],
            // Two ways to say `not equal` at once would be a union, which is tried elsewhere.
            (_, true) => any[self.random.random_range(0..4)],
            _ => any[self.random.random_range(0..5)],
        };
        let bound = match differs {
            true => self.random.random_range(-2..=2),
            false => self.random.random_range(0..=3),
        };
        Compared {
            one,
            other,
            op,
            bound,
            negated,
        }
    }

    pub fn automaton(&mut self) -> Automaton {
        let clocks = self.random.random_range(1..=2);
        let locations = self.random.random_range(2..=4);
        let mut invariants = Vec::new();
        for _ in 0..locations {
            let mut own = Vec::new();
            if self.random.random_bool(0.4) {
                let strict = self.shape != Shape::Closed && self.random.random_bool(0.4);
                own.push(Compared {
                    one: self.random.random_range(1..=clocks),
                    other: 0,
                    op: if strict { "<" } else { "<=" },
                    bound: self.random.random_range(1..=3),
                    negated: false,
                });
            }
            invariants.push(own);
        }
        let mut edges = Vec::new();
        for from in 0..locations {
            for _ in 0..self.random.random_range(1..=2) {
                let guard = (0..self.random.random_range(0..=2))
                    .map(|_| self.compared(clocks))
                    .collect();
                let mut branches = Vec::new();
                for _ in 0..self.random.random_range(1..=2) {
                    let to: i64 = self.random.random_range(0..locations);
                    let mut sets = Vec::new();
                    for clock in 1..=clocks {
                        // Where an invariant waits the clock is mostly set, so that it holds there.
                        let awaited = invariants[to as usize]
                            .iter()
                            .any(|one: &Compared| one.one == clock);
                        if self.random.random_bool(if awaited { 0.95 } else { 0.3 }) {
                            let value = if self.random.random_bool(0.85) { 0 } else { 1 };
                            sets.push((clock, if awaited { 0 } else { value }));
                        }
                    }
                    branches.push((self.random.random_range(1..=3), to, sets));
                }
                edges.push(Edge {
                    from,
                    guard,
                    branches,
                });
            }
        }
        Automaton {
            clocks,
            locations,
            invariants,
            edges,
        }
    }

    /// A question; with differences of clocks always within some time, so that the reference comes to an end.
    pub fn question(&mut self, automaton: &Automaton) -> Question {
        let condition = match self.random.random_bool(0.4) {
            true => vec![self.compared(automaton.clocks)],
            false => Vec::new(),
        };
        let bounded = self.shape == Shape::Differences || self.random.random_bool(0.3);
        let strict = self.shape != Shape::Closed && self.random.random_bool(0.5);
        // A pulse, a time and two clocks make many regions.
        let least = self.shape != Shape::Differences
            && (automaton.clocks == 1 || !bounded)
            && self.random.random_bool(0.35);
        Question {
            least,
            avoid: self
                .random
                .random_bool(0.3)
                .then(|| self.random.random_range(0..automaton.locations)),
            stay: match self.random.random_range(0..10) {
                0 | 1 => vec![self.compared(automaton.clocks)],
                2 => (0..2).map(|_| self.compared(automaton.clocks)).collect(),
                _ => Vec::new(),
            },
            goal: self.random.random_range(0..automaton.locations),
            condition,
            within: bounded.then(|| (self.random.random_range(1..=3), strict)),
        }
    }
}
