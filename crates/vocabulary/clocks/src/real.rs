//! Floating-point numbers in the code of networks, which only random runs evaluate.
//!
//! A floating-point number lies in an integer slot, as its bits, so that arrays, records, parameters and local variables need nothing new. Operators say by themselves what their arguments and their values are:
//! [`Real`] is the only thing that reads bits as a number. Arithmetic is that of IEEE 754 in double precision; functions come from one library, so that a run of a number is the same on all machines.
//!
//! Pseudo-random numbers are drawn by statements ([`Draw`]). The state of the generator lies in a slot, too: code stays a function of its slots. The generator is SplitMix64 (Steele, Lea, Flood 2014).

use crate::{Comparison, Fault};

/// An operator on floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Real {
    /// The argument, which is a floating-point number already.
    Same,
    /// An integer as a floating-point number.
    Whole,
    /// The number with the other sign.
    Negate,
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient.
    Divide,
    /// The smaller.
    Minimum,
    /// The larger.
    Maximum,
    /// A function, by position in [`FUNCTIONS`].
    Function(usize),
    /// Comparison: the integer 1 or 0.
    Compare(Comparison),
    /// The integer that is left without the places behind the point.
    Truncate,
    /// The binary exponent, an integer.
    Exponent,
    /// The integer 1 if the sign is negative, otherwise 0.
    Sign,
}

/// A function of floating-point numbers.
pub struct RealFunction {
    /// Its name.
    pub name: &'static str,
    /// Number of arguments.
    pub arguments: usize,
    apply: fn(&[f64]) -> f64,
}

impl RealFunction {
    /// Its value.
    pub fn value(&self, arguments: &[f64]) -> f64 {
        (self.apply)(arguments)
    }
}

const fn one(name: &'static str, apply: fn(&[f64]) -> f64) -> RealFunction {
    RealFunction {
        name,
        arguments: 1,
        apply,
    }
}

const fn two(name: &'static str, apply: fn(&[f64]) -> f64) -> RealFunction {
    RealFunction {
        name,
        arguments: 2,
        apply,
    }
}

/// The functions that UPPAAL's manual lists.
pub const FUNCTIONS: &[RealFunction] = &[
    one("fabs", |x| x[0].abs()),
    two("fmod", |x| libm::fmod(x[0], x[1])),
    RealFunction {
        name: "fma",
        arguments: 3,
        apply: |x| libm::fma(x[0], x[1], x[2]),
    },
    two("fmax", |x| x[0].max(x[1])),
    two("fmin", |x| x[0].min(x[1])),
    two("fdim", |x| libm::fdim(x[0], x[1])),
    one("exp", |x| libm::exp(x[0])),
    one("exp2", |x| libm::exp2(x[0])),
    one("expm1", |x| libm::expm1(x[0])),
    one("ln", |x| libm::log(x[0])),
    // To the base of 10, unlike C's.
    one("log", |x| libm::log10(x[0])),
    one("log10", |x| libm::log10(x[0])),
    one("log2", |x| libm::log2(x[0])),
    one("log1p", |x| libm::log1p(x[0])),
    two("pow", |x| libm::pow(x[0], x[1])),
    one("sqrt", |x| libm::sqrt(x[0])),
    one("cbrt", |x| libm::cbrt(x[0])),
    two("hypot", |x| libm::hypot(x[0], x[1])),
    one("sin", |x| libm::sin(x[0])),
    one("cos", |x| libm::cos(x[0])),
    one("tan", |x| libm::tan(x[0])),
    one("asin", |x| libm::asin(x[0])),
    one("acos", |x| libm::acos(x[0])),
    one("atan", |x| libm::atan(x[0])),
    two("atan2", |x| libm::atan2(x[0], x[1])),
    one("sinh", |x| libm::sinh(x[0])),
    one("cosh", |x| libm::cosh(x[0])),
    one("tanh", |x| libm::tanh(x[0])),
    one("asinh", |x| libm::asinh(x[0])),
    one("acosh", |x| libm::acosh(x[0])),
    one("atanh", |x| libm::atanh(x[0])),
    one("erf", |x| libm::erf(x[0])),
    one("erfc", |x| libm::erfc(x[0])),
    one("tgamma", |x| libm::tgamma(x[0])),
    one("lgamma", |x| libm::lgamma(x[0])),
    one("ceil", |x| libm::ceil(x[0])),
    one("floor", |x| libm::floor(x[0])),
    one("trunc", |x| libm::trunc(x[0])),
    one("round", |x| libm::round(x[0])),
    one("logb", |x| f64::from(libm::ilogb(x[0]))),
    two("nextafter", |x| libm::nextafter(x[0], x[1])),
    two("copysign", |x| x[0].copysign(x[1])),
];

/// A floating-point number as it lies in a slot.
pub fn to_bits(number: f64) -> i64 {
    i64::from_ne_bytes(number.to_ne_bytes())
}

/// The floating-point number that lies in a slot.
pub fn from_bits(bits: i64) -> f64 {
    f64::from_ne_bytes(bits.to_ne_bytes())
}

/// The largest number that is made an integer.
const MOST_WHOLE: f64 = 9.0e18;

fn whole(number: f64) -> Result<i64, Fault> {
    match number.abs() <= MOST_WHOLE {
        true => Ok(number as i64),
        false => Err(Fault::NoInteger),
    }
}

impl Real {
    /// Whether its value is a floating-point number, not an integer.
    pub fn gives_real(self) -> bool {
        !matches!(
            self,
            Real::Compare(_) | Real::Truncate | Real::Exponent | Real::Sign
        )
    }

    /// Its value for these slots' contents.
    pub(crate) fn apply(self, arguments: &[i64]) -> Result<i64, Fault> {
        let x = |position: usize| from_bits(arguments[position]);
        Ok(match self {
            Real::Same => arguments[0],
            Real::Whole => to_bits(arguments[0] as f64),
            Real::Negate => to_bits(-x(0)),
            Real::Add => to_bits(x(0) + x(1)),
            Real::Subtract => to_bits(x(0) - x(1)),
            Real::Multiply => to_bits(x(0) * x(1)),
            Real::Divide => to_bits(x(0) / x(1)),
            Real::Minimum => to_bits(x(0).min(x(1))),
            Real::Maximum => to_bits(x(0).max(x(1))),
            Real::Function(position) => {
                let mut numbers = [0.0; 3];
                for (number, bits) in numbers.iter_mut().zip(arguments) {
                    *number = from_bits(*bits);
                }
                let function = &FUNCTIONS[position];
                to_bits(function.value(&numbers[..function.arguments]))
            }
            Real::Compare(comparison) => i64::from(comparison.holds_of(x(0), x(1))),
            Real::Truncate => whole(x(0).trunc())?,
            Real::Exponent => whole(f64::from(libm::ilogb(x(0))))?,
            Real::Sign => i64::from(x(0).is_sign_negative()),
        })
    }
}

impl Comparison {
    /// Whether two floating-point numbers are so; a number that is none is different from all.
    pub fn holds_of(self, left: f64, right: f64) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::LessEqual => left <= right,
            Comparison::Equal => left == right,
            Comparison::Different => left != right,
            Comparison::GreaterEqual => left >= right,
            Comparison::Greater => left > right,
        }
    }
}

/// A distribution from which numbers are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Draw {
    /// Uniform, from 0 to the argument.
    Uniform,
    /// Normal: mean and standard deviation.
    Normal,
    /// Poisson: the mean.
    Poisson,
    /// Arcsine: from, to.
    Arcsine,
    /// Beta: both shapes.
    Beta,
    /// Gamma: shape and scale.
    Gamma,
    /// Triangular: from, mode, to.
    Triangular,
    /// Weibull: shape and scale.
    Weibull,
}

/// The names of distributions in UPPAAL's language.
pub const DRAWS: &[(&str, Draw)] = &[
    ("random", Draw::Uniform),
    ("normal", Draw::Normal),
    ("random_normal", Draw::Normal),
    ("random_poisson", Draw::Poisson),
    ("random_arcsine", Draw::Arcsine),
    ("random_beta", Draw::Beta),
    ("random_gamma", Draw::Gamma),
    ("random_tri", Draw::Triangular),
    ("random_weibull", Draw::Weibull),
];

/// A generator of random numbers, with its state.
struct Generator(u64);

impl Generator {
    /// Uniform from 0, included, to 1, excluded.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform from 0, excluded, to 1, included: it has a logarithm.
    fn positive(&mut self) -> f64 {
        1.0 - self.uniform()
    }

    /// The normal distribution with mean 0 and deviation 1 (Box, Muller 1958).
    fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(self.positive()));
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    /// The gamma distribution with scale 1 (Marsaglia, Tsang 2000).
    fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            let smaller = libm::pow(self.positive(), 1.0 / shape);
            return self.gamma(shape + 1.0) * smaller;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / libm::sqrt(9.0 * d);
        loop {
            let x = self.normal();
            let v = 1.0 + c * x;
            if v > 0.0 {
                let v = v * v * v;
                if libm::log(self.positive()) < 0.5 * x * x + d - d * v + d * libm::log(v) {
                    return d * v;
                }
            }
        }
    }

    /// The Poisson distribution: parts of a small mean, each by products of uniform numbers (Knuth).
    fn poisson(&mut self, mean: f64) -> f64 {
        let (mut left, mut count) = (mean, 0.0);
        while left > 0.0 {
            let part = left.min(16.0);
            left -= part;
            let least = libm::exp(-part);
            let mut product = self.positive();
            while product > least {
                product *= self.positive();
                count += 1.0;
            }
        }
        count
    }
}

/// The largest mean of a Poisson distribution.
const MOST_MEAN: f64 = 1e6;

impl Draw {
    /// Number of arguments.
    pub fn arguments(self) -> usize {
        match self {
            Draw::Uniform | Draw::Poisson => 1,
            Draw::Triangular => 3,
            _ => 2,
        }
    }

    /// Draws a number, and moves the generator on.
    pub fn draw(self, parameters: &[f64], generator: &mut i64) -> Result<f64, Fault> {
        let x = |position: usize| parameters[position];
        let is_one = match self {
            Draw::Uniform => x(0) >= 0.0,
            Draw::Normal => x(1) >= 0.0,
            Draw::Poisson => (0.0..=MOST_MEAN).contains(&x(0)),
            Draw::Arcsine => x(0) <= x(1),
            Draw::Beta | Draw::Gamma | Draw::Weibull => x(0) > 0.0 && x(1) > 0.0,
            Draw::Triangular => x(0) <= x(1) && x(1) <= x(2),
        };
        if !is_one || parameters.iter().any(|parameter| !parameter.is_finite()) {
            return Err(Fault::NoDistribution);
        }
        let mut random = Generator(u64::from_ne_bytes(generator.to_ne_bytes()));
        let number = match self {
            Draw::Uniform => x(0) * random.uniform(),
            Draw::Normal => x(0) + x(1) * random.normal(),
            Draw::Poisson => random.poisson(x(0)),
            Draw::Arcsine => {
                let sine = libm::sin(std::f64::consts::FRAC_PI_2 * random.uniform());
                x(0) + (x(1) - x(0)) * sine * sine
            }
            Draw::Beta => {
                let (one, other) = (random.gamma(x(0)), random.gamma(x(1)));
                one / (one + other)
            }
            Draw::Gamma => x(1) * random.gamma(x(0)),
            Draw::Triangular => {
                let (width, left) = (x(2) - x(0), x(1) - x(0));
                let part = random.uniform();
                match part * width <= left {
                    true => x(0) + libm::sqrt(part * width * left),
                    false => x(2) - libm::sqrt((1.0 - part) * width * (x(2) - x(1))),
                }
            }
            Draw::Weibull => x(1) * libm::pow(-libm::log(random.positive()), 1.0 / x(0)),
        };
        *generator = i64::from_ne_bytes(random.0.to_ne_bytes());
        Ok(number)
    }
}

/// What a network with floating-point numbers says beside its integers; it means something in random runs only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reals {
    /// The slot in which the state of the generator of random numbers lies.
    pub generator: usize,
    /// For each clock (the first at position 0) the slot in which code finds its value, as a floating-point number.
    pub mirrors: Vec<usize>,
    /// For each clock whether it flows: it runs at any rate, and has whatever value code puts into its slot. The others run at the rates 0 and 1, and are set as clocks are.
    pub flowing: Vec<bool>,
}
