//! The gates that operators become compute what the operators mean.

use super::blast::netlist;
use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node, Operator, lower};
use entail_model::{Valuation, Value, Word, evaluate};
use entail_proof::trajectory::replay;
use entail_source::Span;
use entail_trajectories::{Assertion, ConditionId, Drive, Netlist, Specification};

/// A circuit with words as inputs, and `o`, made of them.
struct Drawn {
    circuit: Btor2,
    widths: Vec<u32>,
}

impl Drawn {
    fn new(widths: &[u32]) -> (Drawn, Vec<LineIndex>) {
        let mut circuit = Btor2::default();
        let input = |(position, width): (usize, &u32)| {
            circuit.add(Node::Input(BitSort::Bits(*width)), Some(format!("i{position}")))
        };
        let inputs = widths.iter().enumerate().map(input).collect();
        let widths = widths.to_vec();
        (Drawn { circuit, widths }, inputs)
    }

    fn operation(
        &mut self,
        operator: Operator,
        sort: BitSort,
        arguments: &[LineIndex],
        numbers: &[u32],
        name: Option<&str>,
    ) -> LineIndex {
        let arguments = arguments.iter().map(|line| Argument::plain(*line)).collect();
        let node = Node::Operation {
            sort,
            operator,
            arguments,
            numbers: numbers.to_vec(),
        };
        self.circuit.add(node, name.map(str::to_owned))
    }

    /// All values of the inputs.
    fn cases(&self) -> Vec<Vec<u64>> {
        let bits: u32 = self.widths.iter().sum();
        let case = |mut all: u64| {
            let part = |width: &u32| {
                let value = all & ((1 << width) - 1);
                all >>= width;
                value
            };
            self.widths.iter().map(part).collect()
        };
        (0..1 << bits).map(case).collect()
    }

    /// What the gates say with these inputs.
    fn simulated(&self, netlist: &Netlist, values: &[u64]) -> Vec<char> {
        let nodes = |name: &str| netlist.signal(name).expect("a signal").elements[0].clone();
        let mut antecedent = Vec::new();
        for (position, value) in values.iter().enumerate() {
            for (bit, node) in nodes(&format!("i{position}")).into_iter().enumerate() {
                antecedent.push(Drive {
                    node,
                    time: 0,
                    guard: ConditionId::TRUE,
                    value: ConditionId::constant(value >> bit & 1 == 1),
                });
            }
        }
        let assertion = Assertion {
            name: String::new(),
            text: String::new(),
            place: Span::new(0, 0),
            assumption: ConditionId::TRUE,
            antecedent,
            consequent: Vec::new(),
            is_indexed: false,
            relation: None,
            method: Default::default(),
        };
        let run = replay(netlist, &Specification::default(), &assertion, &[]);
        nodes("o").into_iter().map(|node| run.letter(0, node)).collect()
    }

    /// What the reference evaluator says.
    fn meant(&self, values: &[u64]) -> Vec<char> {
        let model = lower(&self.circuit).expect("sorts that fit");
        let values: Vec<Option<Value>> = (values.iter().zip(&self.widths))
            .map(|(&value, &width)| match width {
                1 => Some(Value::Bool(value == 1)),
                width => Some(Value::Word(Word::from_u64(width, false, value))),
            })
            .collect();
        let define = model
            .system
            .defines
            .iter()
            .find(|define| &*define.name == "o")
            .expect("o");
        let letter = |bit: bool| if bit { '1' } else { '0' };
        match evaluate(&model.system.terms, define.term, Valuation::state(&values)) {
            Ok(Value::Bool(truth)) => vec![letter(truth)],
            Ok(Value::Word(word)) => (0..word.width()).map(|bit| letter(word.bit(bit))).collect(),
            other => panic!("{other:?}"),
        }
    }

    fn compare(&self, what: &str) {
        let netlist = netlist(&self.circuit, |_, _, _| String::new()).expect("gates");
        for values in self.cases() {
            assert_eq!(
                self.simulated(&netlist, &values),
                self.meant(&values),
                "{what} of {values:?}"
            );
        }
    }
}

/// Operators that are refused, at this width.
fn is_refused(operator: Operator, width: u32) -> bool {
    use Operator::*;
    let signed = matches!(
        operator,
        Sdiv | Srem | Smod | Sdivo | Saddo | Ssubo | Smulo | Umulo
    );
    signed || matches!(operator, Rol | Ror) && !width.is_power_of_two()
}

#[test]
fn the_gates_of_every_operator_compute_what_it_means() {
    use Operator::*;
    for operator in Operator::all() {
        for width in [1, 2, 3] {
            let bits = BitSort::Bits(width);
            let (widths, sort, numbers): (&[u32], BitSort, &[u32]) = match operator {
                Read | Write => continue,
                Not | Inc | Dec | Neg => (&[width], bits, &[]),
                Redand | Redor | Redxor => (&[width], BitSort::Bits(1), &[]),
                Iff | Implies => (&[1, 1], BitSort::Bits(1), &[]),
                Eq | Neq | Sgt | Ugt | Sgte | Ugte | Slt | Ult | Slte | Ulte | Saddo | Uaddo | Sdivo
                | Smulo | Umulo | Ssubo | Usubo => (&[width, width], BitSort::Bits(1), &[]),
                Concat => (&[width, 2], BitSort::Bits(width + 2), &[]),
                Slice => (&[width], BitSort::Bits(1), &[width - 1, width - 1]),
                Sext | Uext => (&[width], BitSort::Bits(width + 2), &[2]),
                Ite => (&[1, width, width], bits, &[]),
                _ => (&[width, width], bits, &[]),
            };
            let (mut drawn, inputs) = Drawn::new(widths);
            drawn.operation(operator, sort, &inputs, numbers, Some("o"));
            match is_refused(operator, width) {
                true => assert!(
                    netlist(&drawn.circuit, |_, _, _| String::new()).is_err(),
                    "{}",
                    operator.name()
                ),
                false => drawn.compare(operator.name()),
            }
        }
    }
}

#[test]
fn what_is_written_into_a_memory_is_read_from_it() {
    let (mut drawn, inputs) = Drawn::new(&[2, 2, 2]);
    let memory = BitSort::Array { index: 2, element: 2 };
    let state = drawn.circuit.add(Node::State(memory), Some("mem".to_owned()));
    let written = drawn.operation(Operator::Write, memory, &[state, inputs[0], inputs[1]], &[], None);
    drawn.operation(
        Operator::Read,
        BitSort::Bits(2),
        &[written, inputs[2]],
        &[],
        Some("o"),
    );
    let netlist = netlist(&drawn.circuit, |_, _, _| String::new()).expect("gates");
    assert_eq!(netlist.signal("mem").expect("a memory").elements.len(), 4);
    for values in drawn.cases() {
        let [at, word, from] = values[..] else { panic!() };
        let letter = |bit: u64| if word >> bit & 1 == 1 { '1' } else { '0' };
        let expected = if at == from {
            vec![letter(0), letter(1)]
        } else {
            vec!['X', 'X']
        };
        assert_eq!(drawn.simulated(&netlist, &values), expected, "{values:?}");
    }
}

#[test]
fn who_drives_an_inner_net_behind_an_inverter_drives_what_reads_it() {
    // `n` is NAND(i0, i1), whose last gate is an inverter; `o` is its complement.
    let (mut drawn, inputs) = Drawn::new(&[1, 1]);
    let bit = BitSort::Bits(1);
    let inner = drawn.operation(Operator::Nand, bit, &inputs, &[], Some("n"));
    drawn.operation(Operator::Not, bit, &[inner], &[], Some("o"));
    let gates = netlist(&drawn.circuit, |_, _, _| String::new()).expect("gates");
    let node = |name: &str| gates.signal(name).expect("a signal").elements[0][0];
    let drive = |name: &str, value: bool| Drive {
        node: node(name),
        time: 0,
        guard: ConditionId::TRUE,
        value: ConditionId::constant(value),
    };
    for value in [false, true] {
        let assertion = Assertion {
            name: "p".to_owned(),
            text: "p".to_owned(),
            place: Span::new(0, 0),
            assumption: ConditionId::TRUE,
            antecedent: vec![drive("n", value)],
            consequent: vec![drive("o", !value)],
            is_indexed: false,
            relation: None,
            method: Default::default(),
        };
        let run = replay(&gates, &Specification::default(), &assertion, &[]);
        assert_eq!(run.letter(0, node("o")), if value { '0' } else { '1' });
        assert!(run.conflicts.is_empty() && run.unknown.is_empty());
    }
}
