//! Every operator means what BTOR2 says, at widths 1 to 8: against a naive evaluator on integers.

use entail_btor2::{Operator, lower, read};
use entail_model::{Sort, TermId, TransitionSystem, Valuation, Value, Word, evaluate};
use entail_source::Source;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn mask(width: u32) -> u128 {
    (1 << width) - 1
}

fn signed(value: u128, width: u32) -> i128 {
    if value >> (width - 1) & 1 == 1 {
        value as i128 - (1 << width)
    } else {
        value as i128
    }
}

/// Whether a number is one of the signed numbers of a width.
fn fits(number: i128, width: u32) -> bool {
    (-(1i128 << (width - 1))..1i128 << (width - 1)).contains(&number)
}

/// The reference: two operands of one width.
fn naive(operator: Operator, a: u128, b: u128, width: u32) -> u128 {
    use Operator::*;
    let (m, n) = (mask(width), u128::from(width));
    let (sa, sb) = (signed(a, width), signed(b, width));
    let truth = u128::from;
    match operator {
        Not => !a & m,
        Inc => (a + 1) & m,
        Dec => a.wrapping_sub(1) & m,
        Neg => a.wrapping_neg() & m,
        Redand => truth(a == m),
        Redor => truth(a != 0),
        Redxor => u128::from(a.count_ones() % 2),
        Iff | Eq => truth(a == b),
        Implies => truth(a == 0 || b == 1),
        Neq => truth(a != b),
        Sgt => truth(sa > sb),
        Ugt => truth(a > b),
        Sgte => truth(sa >= sb),
        Ugte => truth(a >= b),
        Slt => truth(sa < sb),
        Ult => truth(a < b),
        Slte => truth(sa <= sb),
        Ulte => truth(a <= b),
        And => a & b,
        Nand => !(a & b) & m,
        Nor => !(a | b) & m,
        Or => a | b,
        Xnor => !(a ^ b) & m,
        Xor => a ^ b,
        Rol => (0..b % n).fold(a, |x, _| (x << 1 | x >> (n - 1)) & m),
        Ror => (0..b % n).fold(a, |x, _| (x >> 1 | (x & 1) << (n - 1)) & m),
        Sll => (0..b.min(n)).fold(a, |x, _| x << 1 & m),
        Srl => (0..b.min(n)).fold(a, |x, _| x >> 1),
        Sra => (0..b.min(n)).fold(a, |x, _| x >> 1 | (x & 1 << (n - 1))),
        Add => (a + b) & m,
        Mul => (a * b) & m,
        Sub => a.wrapping_sub(b) & m,
        Udiv => a.checked_div(b).unwrap_or(m),
        Urem => a.checked_rem(b).unwrap_or(a),
        Sdiv if b == 0 => {
            if sa < 0 {
                1
            } else {
                m
            }
        }
        Sdiv => (sa / sb) as u128 & m,
        Srem if b == 0 => a,
        Srem => (sa % sb) as u128 & m,
        Smod if b == 0 => a,
        Smod => (((sa % sb) + sb) % sb) as u128 & m,
        Saddo => truth(!fits(sa + sb, width)),
        Uaddo => truth(a + b > m),
        Sdivo => truth(sb != 0 && !fits(sa / sb, width)),
        Smulo => truth(!fits(sa * sb, width)),
        Umulo => truth(a * b > m),
        Ssubo => truth(!fits(sa - sb, width)),
        Usubo => truth(a < b),
        Concat => a << n | b,
        Slice | Sext | Uext | Read | Write | Ite => unreachable!("tested on their own"),
    }
}

/// A value of the sort that has these bits.
fn of_bits(sort: &Sort, bits: u128) -> Value {
    match sort {
        Sort::Bool => Value::Bool(bits == 1),
        Sort::Word { width, .. } => Value::Word(Word::new(*width, false, bits.into())),
        other => panic!("{other}"),
    }
}

fn to_bits(value: &Value) -> u128 {
    match value {
        Value::Bool(truth) => u128::from(*truth),
        Value::Word(word) => u128::from(word.to_u64().expect("narrow")),
        other => panic!("{other}"),
    }
}

/// A circuit whose only output is to be evaluated.
struct Function {
    system: TransitionSystem,
    output: TermId,
}

impl Function {
    fn new(text: &str) -> Function {
        let circuit = read(&Source::new("test", text)).unwrap_or_else(|error| panic!("{text}: {error}"));
        let model = lower(&circuit).expect("sorts were checked");
        let output = model.system.defines.last().expect("there is an output").term;
        Function {
            system: model.system,
            output,
        }
    }

    fn at(&self, inputs: &[u128]) -> u128 {
        let values: Vec<Option<Value>> = self
            .system
            .variables()
            .iter()
            .zip(inputs)
            .map(|(variable, &bits)| Some(of_bits(&variable.sort, bits)))
            .collect();
        let value = evaluate(&self.system.terms, self.output, Valuation::state(&values));
        to_bits(&value.expect("all inputs are given"))
    }
}

#[test]
fn operators_on_one_width_agree_with_the_reference() {
    use Operator::*;
    let mut random = StdRng::seed_from_u64(2);
    let mut tested = 0;
    for operator in Operator::all() {
        if matches!(operator, Slice | Sext | Uext | Read | Write | Ite) {
            continue;
        }
        for width in 1..=8u32 {
            let unary = matches!(operator, Not | Inc | Dec | Neg | Redand | Redor | Redxor);
            let one_bit = matches!(operator, Iff | Implies);
            if one_bit && width > 1 {
                continue;
            }
            let probe = "1 sort bitvec 1\n";
            let result = match operator {
                Concat => 2 * width,
                Not | Inc | Dec | Neg | And | Nand | Nor | Or | Xnor | Xor | Rol | Ror | Sll | Sra | Srl
                | Add | Mul | Sdiv | Udiv | Smod | Srem | Urem | Sub => width,
                _ => 1,
            };
            let second = if unary { "" } else { " 5" };
            let text = format!(
                "{probe}2 sort bitvec {width}\n3 sort bitvec {result}\n4 input 2\n5 input 2\n6 {} 3 4{second}\n7 output 6\n",
                operator.name()
            );
            let function = Function::new(&text);
            let pairs: Vec<(u128, u128)> = if width <= 5 {
                (0..=mask(width))
                    .flat_map(|a| (0..=mask(width)).map(move |b| (a, b)))
                    .collect()
            } else {
                let corners = [0, 1, mask(width), 1 << (width - 1), (1 << (width - 1)) - 1];
                let mut pairs: Vec<(u128, u128)> =
                    corners.iter().flat_map(|&a| corners.map(|b| (a, b))).collect();
                let mut any = || random.random_range(0..=mask(width));
                pairs.extend((0..500).map(|_| (any(), any())));
                pairs
            };
            for (a, b) in pairs {
                let expected = naive(operator, a, b, width);
                assert_eq!(
                    function.at(&[a, b]),
                    expected,
                    "{} {a} {b} at {width}",
                    operator.name()
                );
                tested += 1;
            }
        }
    }
    assert!(tested > 100_000);
}

#[test]
fn slices_extensions_and_choices_agree_with_the_reference() {
    for width in 1..=6u32 {
        for upper in 0..width {
            for lower in 0..=upper {
                let result = upper - lower + 1;
                let function = Function::new(&format!(
                    "2 sort bitvec {width}\n3 sort bitvec {result}\n4 input 2\n6 slice 3 4 {upper} {lower}\n7 output 6\n"
                ));
                for a in 0..=mask(width) {
                    assert_eq!(function.at(&[a]), a >> lower & mask(result));
                }
            }
        }
        for by in 0..3 {
            let wide = width + by;
            for (name, is_signed) in [("uext", false), ("sext", true)] {
                let function = Function::new(&format!(
                    "2 sort bitvec {width}\n3 sort bitvec {wide}\n4 input 2\n6 {name} 3 4 {by}\n7 output 6\n"
                ));
                for a in 0..=mask(width) {
                    let expected = if is_signed {
                        signed(a, width) as u128 & mask(wide)
                    } else {
                        a
                    };
                    assert_eq!(function.at(&[a]), expected);
                }
            }
        }
        let function = Function::new(&format!(
            "1 sort bitvec 1\n2 sort bitvec {width}\n3 input 1\n4 input 2\n5 input 2\n6 ite 2 -3 4 -5\n7 output 6\n"
        ));
        for a in 0..=mask(width) {
            assert_eq!(function.at(&[0, a, 0]), a);
            assert_eq!(function.at(&[1, 0, a]), !a & mask(width));
        }
    }
}

#[test]
fn arrays_are_read_written_chosen_and_compared() {
    let text = "
1 sort bitvec 1
2 sort bitvec 2
3 sort bitvec 4
4 sort array 2 3
5 input 2 i
6 input 3 v
7 input 2 j
8 zero 3
9 state 4 mem
10 init 4 9 8
11 write 4 9 5 6
12 read 3 11 7
13 input 1 c
14 ite 4 13 11 9
15 eq 1 14 9
16 neq 1 14 9
17 read 3 14 7
18 concat 3 15 16
19 next 4 9 14
";
    // The sorts of line 18 do not fit: two bits are not four.
    let error = read(&Source::new("test", text)).expect_err("line 18");
    assert!(error.to_string().contains("gives 2 bits here"), "{error}");
    let text = text.replace("18 concat 3 15 16", "18 concat 2 15 16");
    let circuit = read(&Source::new("test", &text)).expect("right");
    let model = lower(&circuit).expect("sorts were checked");
    let system = &model.system;
    let find = |name: &str| system.find_variable(name).expect(name).index();
    let memory: Vec<u128> = vec![3, 7, 0, 15];
    let array = |elements: &[u128]| {
        Value::Array(
            elements
                .iter()
                .map(|&bits| of_bits(&Sort::word(4), bits))
                .collect(),
        )
    };
    let next = model.registers.registers[0].next.expect("it has one");
    for (i, v, c) in [(0usize, 9u128, true), (2, 0, true), (1, 8, false), (3, 15, true)] {
        let mut values = system.blank();
        values[find("i")] = Some(of_bits(&Sort::word(2), i as u128));
        values[find("v")] = Some(of_bits(&Sort::word(4), v));
        values[find("j")] = Some(of_bits(&Sort::word(2), 2));
        values[find("c")] = Some(Value::Bool(c));
        values[find("mem")] = Some(array(&memory));
        let mut expected = memory.clone();
        if c {
            expected[i] = v;
        }
        let found = evaluate(&system.terms, next, Valuation::state(&values));
        assert_eq!(found, Ok(array(&expected)));
    }
    let first = model.registers.registers[0].init.expect("it has one");
    let found = evaluate(&system.terms, first, Valuation::state(&system.blank()));
    assert_eq!(found, Ok(array(&[0; 4])));
}
