//! Random models and properties as SMV text: one generator for every comparison of engines with each other, with the naive reference and
//! with NuSMV, and for conversions.
//!
//! Models have few states and everything that makes a difference between engines: assignments and relations, invariants, inputs and frozen
//! variables, states without successors, several initial states, justice and compassion that some paths, all, or none meet. Properties
//! have past operators, bounded operators, constants, and every connective.

// Each test uses a part of it.
use std::fmt::Write;

/// A seeded generator of random numbers (SplitMix64).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 16) as usize % sides
    }

    pub fn percent(&mut self, chance: usize) -> bool {
        self.roll(100) < chance
    }

    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.roll(list.len())].clone()
    }
}

/// How many times the usual number of cases is tried: `ENTAIL_EFFORT`, 1 without it.
pub fn effort() -> u64 {
    number_from("ENTAIL_EFFORT").unwrap_or(1).max(1)
}

/// The seed of the first case: `ENTAIL_SEED`, 0 without it.
pub fn first_seed() -> u64 {
    number_from("ENTAIL_SEED").unwrap_or(0)
}

fn number_from(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// What a random model may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flavour {
    /// Formulas of CTL*, which NuSMV does not have.
    pub branching_paths: bool,
    /// Inputs in formulas of linear time.
    pub inputs_in_formulas: bool,
    /// Fairness that no path meets, always and not only now and then.
    pub unfair: bool,
}

/// The values of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Type {
    Bool,
    Range(i64, i64),
    Symbols,
    Word,
}

impl Type {
    fn declared(&self) -> String {
        match self {
            Type::Bool => "boolean".into(),
            Type::Range(low, high) => format!("{low}..{high}"),
            Type::Symbols => "{red, amber, green}".into(),
            Type::Word => "unsigned word[2]".into(),
        }
    }

    fn value(&self, dice: &mut Dice) -> String {
        match self {
            Type::Bool => dice.pick(&["TRUE", "FALSE"]).into(),
            Type::Range(low, high) => (low + dice.roll((high - low + 1) as usize) as i64).to_string(),
            Type::Symbols => dice.pick(&["red", "amber", "green"]).into(),
            Type::Word => format!("0ud2_{}", dice.roll(4)),
        }
    }
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    of: Type,
}

/// A random model.
pub struct RandomSmv {
    /// Everything but the properties.
    pub model: String,
    /// The specifications, each a line of its own.
    pub specifications: Vec<String>,
    /// Formulas of CTL*, for `--spec`.
    pub formulas: Vec<String>,
}

impl RandomSmv {
    /// The whole text.
    pub fn text(&self) -> String {
        let mut text = self.model.clone();
        for specification in &self.specifications {
            text += specification;
            text += "\n";
        }
        text
    }

    /// The model of a seed, with so many properties.
    pub fn new(dice: &mut Dice, flavour: Flavour, properties: usize) -> RandomSmv {
        let mut draw = Draw::new(dice, flavour);
        let model = draw.model();
        let specifications = (0..properties).map(|_| draw.specification()).collect();
        let mut formulas = Vec::new();
        if flavour.branching_paths {
            formulas.push(draw.ctl_star(3));
        }
        RandomSmv {
            model,
            specifications,
            formulas,
        }
    }
}

struct Draw<'d> {
    dice: &'d mut Dice,
    flavour: Flavour,
    /// Part of the state.
    states: Vec<Variable>,
    inputs: Vec<Variable>,
    frozen: usize,
}

impl<'d> Draw<'d> {
    fn new(dice: &'d mut Dice, flavour: Flavour) -> Draw<'d> {
        let types = [
            Type::Bool,
            Type::Bool,
            Type::Bool,
            Type::Range(0, 2),
            Type::Range(-2, 0),
            Type::Symbols,
            Type::Word,
        ];
        let states: Vec<Variable> = (0..1 + dice.roll(3))
            .map(|number| Variable {
                name: format!("x{number}"),
                of: dice.pick(&types),
            })
            .collect();
        let inputs = (0..usize::from(dice.percent(25)))
            .map(|number| Variable {
                name: format!("i{number}"),
                of: dice.pick(&types[..4]),
            })
            .collect();
        let frozen = usize::from(states.len() > 1 && dice.percent(12));
        Draw {
            dice,
            flavour,
            states,
            inputs,
            frozen,
        }
    }

    fn model(&mut self) -> String {
        let mut text = String::from("MODULE main\n");
        let moving = self.states.len() - self.frozen;
        for (number, Variable { name, of }) in self.states.iter().enumerate() {
            let section = if number < moving { "VAR" } else { "FROZENVAR" };
            let _ = writeln!(text, "{section} {name} : {};", of.declared());
        }
        for Variable { name, of } in &self.inputs {
            let _ = writeln!(text, "IVAR {name} : {};", of.declared());
        }
        for (number, variable) in self.states.clone().iter().enumerate() {
            if self.dice.percent(65) {
                let value = self.choice(variable, false);
                let _ = writeln!(text, "ASSIGN init({}) := {value};", variable.name);
            }
            if number < moving && self.dice.percent(75) {
                let value = self.choice(variable, true);
                let _ = writeln!(text, "ASSIGN next({}) := {value};", variable.name);
            }
        }
        if self.dice.percent(10) {
            let _ = writeln!(text, "INIT {};", self.condition(1));
        }
        if self.dice.percent(25) {
            let (now, later) = (self.step_condition(1), self.next_atom());
            let _ = writeln!(text, "TRANS {now} -> {later};");
        }
        if self.dice.percent(12) {
            let (now, later) = (self.step_condition(1), self.next_atom());
            let _ = writeln!(text, "TRANS {now} | {later};");
        }
        if self.dice.percent(15) {
            let _ = writeln!(text, "INVAR {};", self.condition(1));
        }
        // Fairness that nothing meets is a model of its own kind.
        if self.flavour.unfair || self.dice.percent(4) {
            text += self
                .dice
                .pick(&["FAIRNESS FALSE;\n", "COMPASSION (TRUE, FALSE);\n"]);
        }
        while self.dice.percent(22) {
            let _ = match self.dice.roll(3) {
                0 => writeln!(text, "COMPASSION ({}, {});", self.condition(1), self.condition(1)),
                1 => writeln!(text, "JUSTICE {};", self.condition(1)),
                _ => writeln!(text, "FAIRNESS {};", self.condition(1)),
            };
        }
        text
    }

    /// The right side of an assignment.
    fn choice(&mut self, variable: &Variable, of_step: bool) -> String {
        let value = |draw: &mut Self| -> String {
            let alike: Vec<String> = (draw.states.iter())
                .chain(draw.inputs.iter().filter(|_| of_step))
                .filter(|other| other.of == variable.of && (of_step || other.name != variable.name))
                .map(|other| other.name.clone())
                .collect();
            // In an initial value another variable may come round to this one: only constants there.
            match of_step && !alike.is_empty() && draw.dice.percent(60) {
                true => {
                    let name = draw.dice.pick(&alike);
                    match variable.of {
                        Type::Bool if draw.dice.percent(40) => format!("!{name}"),
                        Type::Word if draw.dice.percent(50) => format!("{name} + 0ud2_1"),
                        _ => name,
                    }
                }
                false => variable.of.value(draw.dice),
            }
        };
        match self.dice.roll(4) {
            // There are no sets of words.
            0 if variable.of != Type::Word => format!("{{{}, {}}}", value(self), value(self)),
            1 if of_step => {
                let condition = self.step_condition(1);
                format!("case {condition} : {}; TRUE : {}; esac", value(self), value(self))
            }
            _ => value(self),
        }
    }

    fn atom_of(&mut self, variables: &[Variable]) -> String {
        let variable = self.dice.pick(variables);
        let Variable { name, of } = &variable;
        if *of == Type::Bool {
            return name.clone();
        }
        let others: Vec<&Variable> = (variables.iter())
            .filter(|other| other.of == *of && other.name != *name)
            .collect();
        if !others.is_empty() && self.dice.percent(25) {
            return format!("{name} = {}", self.dice.pick(&others).name);
        }
        let value = of.value(self.dice);
        let relation = match of {
            Type::Symbols => "=",
            _ => self.dice.pick(&["=", "=", "!=", "<", "<="]),
        };
        format!("{name} {relation} {value}")
    }

    fn combined(&mut self, depth: usize, atom: &mut dyn FnMut(&mut Self) -> String) -> String {
        if depth == 0 || self.dice.percent(40) {
            let atom = atom(self);
            return if self.dice.percent(30) {
                format!("!({atom})")
            } else {
                format!("({atom})")
            };
        }
        let (a, b) = (self.combined(depth - 1, atom), self.combined(depth - 1, atom));
        let operator = self.dice.pick(&["&", "|", "->", "<->", "xor"]);
        format!("({a} {operator} {b})")
    }

    /// A condition on states.
    fn condition(&mut self, depth: usize) -> String {
        let states = self.states.clone();
        self.combined(depth, &mut |draw| draw.atom_of(&states))
    }

    /// A condition on states and inputs.
    fn step_condition(&mut self, depth: usize) -> String {
        let all: Vec<Variable> = self.states.iter().chain(&self.inputs).cloned().collect();
        self.combined(depth, &mut |draw| draw.atom_of(&all))
    }

    fn next_atom(&mut self) -> String {
        let moving = self.states[..self.states.len() - self.frozen].to_vec();
        let variable = self.dice.pick(&moving);
        let value = variable.of.value(self.dice);
        format!("next({}) = {value}", variable.name)
    }

    fn bounds(&mut self) -> (usize, usize) {
        let low = self.dice.roll(3);
        (low, low + self.dice.roll(3))
    }

    fn leaf(&mut self) -> String {
        if self.dice.percent(8) {
            return self.dice.pick(&["TRUE", "FALSE"]).to_owned();
        }
        self.condition(0)
    }

    fn connective(&mut self, a: &str, b: &str) -> String {
        match self.dice.roll(6) {
            0 => format!("({a} & {b})"),
            1 => format!("({a} | {b})"),
            2 => format!("({a} -> {b})"),
            3 => format!("({a} <-> {b})"),
            4 => format!("({a} xor {b})"),
            _ => format!("!({a})"),
        }
    }

    fn ctl(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let (a, b) = (self.ctl(depth - 1), self.leaf());
        let (a, b) = if self.dice.percent(50) { (a, b) } else { (b, a) };
        let (low, high) = self.bounds();
        match self.dice.roll(5) {
            0 => self.connective(&a, &b),
            1 => {
                let operator = self.dice.pick(&["AX", "EX", "AF", "EF", "AG", "EG", "AG", "EF"]);
                format!("{operator} ({a})")
            }
            2 => {
                let operator = self.dice.pick(&["ABF", "EBF", "ABG", "EBG"]);
                format!("{operator} {low}..{high} ({a})")
            }
            3 => format!("{} [({a}) U ({b})]", self.dice.pick(&["A", "E"])),
            _ => format!("{} [({a}) BU {low}..{high} ({b})]", self.dice.pick(&["A", "E"])),
        }
    }

    fn ltl(&mut self, depth: usize) -> String {
        if depth == 0 {
            if self.flavour.inputs_in_formulas && !self.inputs.is_empty() && self.dice.percent(25) {
                return self.step_condition(0);
            }
            return self.leaf();
        }
        let shallower = self.dice.roll(depth);
        let (a, b) = (self.ltl(depth - 1), self.ltl(shallower));
        let (a, b) = if self.dice.percent(50) { (a, b) } else { (b, a) };
        let (low, high) = self.bounds();
        match self.dice.roll(7) {
            0 => self.connective(&a, &b),
            1 | 2 => format!("{} ({a})", self.dice.pick(&["X", "F", "G"])),
            3 => format!("{} ({a})", self.dice.pick(&["Y", "Z", "H", "O"])),
            4 => format!("{} [{low},{high}] ({a})", self.dice.pick(&["F", "G", "H", "O"])),
            5 => format!("(({a}) {} ({b}))", self.dice.pick(&["U", "V"])),
            _ => format!("(({a}) {} ({b}))", self.dice.pick(&["S", "T"])),
        }
    }

    fn ctl_star(&mut self, depth: usize) -> String {
        let quantifier = self.dice.pick(&["A", "E"]);
        let path = self.path(depth);
        format!("{quantifier} ({path})")
    }

    fn path(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        if depth > 1 && self.dice.percent(25) {
            return self.ctl_star(depth - 1);
        }
        let shallower = self.dice.roll(depth);
        let (a, b) = (self.path(depth - 1), self.path(shallower));
        match self.dice.roll(4) {
            0 => self.connective(&a, &b),
            1 => format!("{} ({a})", self.dice.pick(&["X", "F", "G", "Y", "H", "O", "Z"])),
            2 => format!("(({a}) {} ({b}))", self.dice.pick(&["U", "V", "S"])),
            _ => {
                let (low, high) = self.bounds();
                format!("{} [{low},{high}] ({a})", self.dice.pick(&["F", "G", "H", "O"]))
            }
        }
    }

    fn specification(&mut self) -> String {
        let depth = 1 + self.dice.roll(3);
        match self.dice.roll(10) {
            // The only questions that abstraction answers under every policy about dead ends.
            0 | 9 => format!("INVARSPEC {};", self.condition(1)),
            1..=3 => format!("CTLSPEC {};", self.ctl(depth)),
            4 => format!(
                "COMPUTE {} [{}, {}];",
                self.dice.pick(&["MIN", "MAX"]),
                self.condition(0),
                self.condition(0)
            ),
            _ => format!("LTLSPEC {};", self.ltl(depth)),
        }
    }
}
