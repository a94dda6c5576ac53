//! Are two circuits equivalent? `entail equiv GOLD GATE`, or `entail check GATE --against GOLD`.
//!
//! Both are read as circuits in BTOR2's terms, whatever their language, and put side by side (`product.rs`): inputs that belong together are one
//! (`ports.rs`, `map.rs`), and the property is that no output ever differs. That is an invariant of a transition system, so engines, schedule, traces, waveforms and
//! saved evidence are those of every other circuit. Only the checker is another: it knows the two circuits as they were read
//! ([`entail_proof::pair`]), and not their product.
//!
//! - Registers that belong together and have no first value in gold begin alike. Other such registers of gold, and sources without a name (an X of Verilog), are X: a
//!   difference counts only if gold's output has a value at that step, by three-valued simulation. Otherwise the answer is unknown, never different.
//! - Gold's constraints are assumed, gate's are not.
//! - What has no partner is listed. An output without one makes the answer unknown.

mod definite;
mod map;
mod masks;
mod names;
mod ports;
mod product;
mod project;
mod side;

use crate::languages::{LANGUAGES, Syntax};
use crate::load::{circuit_of_verilog, read_named};
use crate::model::{Content, Origin, SystemModel, Undecided};
use crate::netlist::{Covers, of_aiger, of_blif};
use crate::reset::Reset;
pub(crate) use definite::random_difference;
use entail_btor2::{Btor2, Btor2Model, LineIndex, Node, lower};
use entail_family::{Input, LoadError, Usage};
use entail_model::{TermId, VarId};
use entail_proof::pair::{ComparedOutput, DontCares, Half, Pair, Place, Tie};
use entail_source::{Diagnostic, Diagnostics, Source, Span, read_file};
use map::NameMap;
use masks::{Sources, add_masks};
use ports::{Bus, Matching, Port, buses, indexed, matched};
use product::{Correspondence, InPlaceOfX, Product, product};
pub(crate) use project::{is_project, read_project};
use side::Side;
pub(crate) use side::{UPKEEP, register_names};
use std::collections::BTreeSet;
use std::path::Path;

/// The option that names gold.
pub(crate) const AGAINST: &str = "against";
/// The option that asks for an answer for each output.
pub(crate) const EACH: &str = "each-output";
/// What stands before each of two circuits that are handed to another process.
const MARK: &str = "; one of two circuits that are compared\n";
/// The property, where one is asked for all outputs.
const EQUIVALENT: &str = "equivalent";

/// Two circuits, and which outputs each property is about.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    pub(crate) pair: Pair,
    pub(crate) questions: Vec<Vec<usize>>,
}

/// Reads two circuits: that of the input, and the one that it should be equivalent to.
pub(crate) fn read(input: &Input<'_>, against: &str) -> Result<SystemModel, LoadError> {
    let map = match input.options.value("map") {
        None => None,
        Some(path) => {
            let source = read_named(Path::new(path))?;
            let map = NameMap::read(&source).map_err(|problems| LoadError::invalid(&source, problems))?;
            Some((source, map))
        }
    };
    let names = (against, input.name);
    let each_output = input.options.has(EACH);
    // Another process is handed both circuits in BTOR2.
    if let Some(rest) = std::str::from_utf8(input.bytes)
        .ok()
        .and_then(|text| text.strip_prefix(MARK))
    {
        let (gold, gate) = handed(input, rest)?;
        return compare(&gold, &gate, map, names, each_output, Vec::new());
    }
    let mut warnings = Vec::new();
    let mut gold = circuit_at(input, against, Covers::TakenApart, &mut warnings)?.circuit;
    if let Some(reset) = input.options.value("reset") {
        let reset = Reset::read(reset).map_err(Usage)?;
        reset.constrain(&mut gold, "").map_err(Usage)?;
    }
    let gate = circuit(input, Covers::TakenApart, &mut warnings)?;
    compare(&gold, &gate, map, names, each_output, warnings)
}

/// Two circuits that another process has read.
fn handed(input: &Input<'_>, text: &str) -> Result<(Btor2, Btor2), LoadError> {
    let (gold, gate) = text.split_once(MARK).unwrap_or((text, ""));
    let read = |text: &str| {
        let source = Source::new(input.name, text);
        entail_btor2::read(&source).map_err(|problems| LoadError::invalid(&source, problems))
    };
    Ok((read(gold)?, read(gate)?))
}

/// A circuit that was read from a file.
pub(crate) struct ReadCircuit {
    pub(crate) circuit: Btor2,
    /// It was an AIGER file, whose signals are numbered.
    pub(crate) is_aiger: bool,
}

/// The circuit in another file than the model's, with the same options.
pub(crate) fn circuit_at(
    input: &Input<'_>,
    name: &str,
    covers: Covers,
    warnings: &mut Vec<Diagnostic>,
) -> Result<ReadCircuit, LoadError> {
    let path = Path::new(name);
    let bytes = read_file(path).map_err(|error| LoadError::Unreadable {
        path: path.to_owned(),
        reason: error.to_string(),
    })?;
    let language = LANGUAGES.iter().find(|language| language.has_extension_of(path));
    let language =
        language.ok_or_else(|| Usage(format!("cannot tell the language of {name} from its name")))?;
    let other = Input {
        name,
        path,
        bytes: &bytes,
        language,
        ..*input
    };
    Ok(ReadCircuit {
        circuit: circuit(&other, covers, warnings)?,
        is_aiger: Syntax::named(language.name) == Some(Syntax::Aiger),
    })
}

/// A circuit of any language that has circuits.
fn circuit(input: &Input<'_>, covers: Covers, warnings: &mut Vec<Diagnostic>) -> Result<Btor2, LoadError> {
    match Syntax::named(input.language.name) {
        Some(Syntax::Aiger) => entail_aiger::read(input.name, input.bytes)
            .map(|circuit| of_aiger(&circuit))
            .map_err(|unreadable| LoadError::invalid(&unreadable.source, unreadable.diagnostics)),
        Some(Syntax::Blif) => {
            let source = input.text()?;
            let netlist = entail_blif::read(&source);
            let netlist = netlist.map_err(|problems| LoadError::invalid(&source, problems))?;
            Ok(of_blif(&netlist, covers))
        }
        Some(Syntax::Btor2) => {
            let source = input.text()?;
            entail_btor2::read(&source).map_err(|problems| LoadError::invalid(&source, problems))
        }
        Some(Syntax::Verilog | Syntax::FileList | Syntax::Sby) => circuit_of_verilog(input, warnings),
        _ => {
            let title = input.language.title;
            Err(Usage(format!(
                "{} is written in {title}: circuits are compared, in AIGER, BLIF, BTOR2 and Verilog",
                input.name
            ))
            .into())
        }
    }
}

/// The model of two circuits.
fn compare(
    gold: &Btor2,
    gate: &Btor2,
    map: Option<(Source, NameMap)>,
    (gold_name, gate_name): (&str, &str),
    each_output: bool,
    mut warnings: Vec<Diagnostic>,
) -> Result<SystemModel, LoadError> {
    let source = Source::new(gate_name, "");
    let known = Side::new(gold, true, str::to_owned);
    let plain = Side::new(gate, false, str::to_owned);
    let side = match &map {
        None => plain,
        Some((source, map)) => {
            let strangers = map.strangers(
                |name| has(&known, name) || has_bit(&known, name),
                |name| has(&plain, name),
            );
            if !strangers.is_empty() {
                return Err(LoadError::invalid(source, Diagnostics(strangers)));
            }
            Side::new(gate, false, |name| map.renamed(name))
        }
    };
    let belongs = Correspondence {
        inputs: matched(&known.input_ports, &side.input_ports, true),
        states: matched(&known.state_ports, &side.state_ports, false),
        outputs: matched(&known.output_ports, &side.output_ports, true),
    };
    refuse_mismatches(&source, &known, &side, &belongs)?;
    tell_unmatched(&known, &side, &belongs, &mut warnings);
    let groups: Vec<(String, Vec<usize>)> = match each_output {
        true => {
            let outputs = belongs.outputs.pairs.iter().enumerate();
            outputs
                .map(|(position, (bus, _))| (bus.name.clone(), vec![position]))
                .collect()
        }
        false => vec![(EQUIVALENT.to_owned(), (0..belongs.outputs.pairs.len()).collect())],
    };
    let (made, mut content, masked) = put_together(&source, &known, &side, &belongs, &groups)?;
    let text = format!(
        "{MARK}{}{MARK}{}",
        entail_btor2::write(gold),
        entail_btor2::write(gate)
    );
    for (property, (name, _)) in content.properties.iter_mut().zip(&groups) {
        property.text = match each_output {
            true => format!("gold.{name} = gate.{name}"),
            false => format!("{} = {}", last(gold_name), last(gate_name)),
        };
        property.name = Some(name.clone());
    }
    content.unsupported = unmatched_outputs(&belongs.outputs);
    let mut pair = pair(&known, &side, &belongs, &made).map_err(|reason| {
        let problem = Diagnostic::error("equiv::sort", reason, Span::new(0, 0), "");
        LoadError::invalid(&source, problem)
    })?;
    if let Some(masked) = masked {
        // (Gold's registers by their numbers in gold.)
        let ids = variables(&known.circuit);
        let held = masked
            .into_iter()
            .filter_map(|(line, mask)| Some((ids[line.index()]?, mask)));
        pair.dont_cares = DontCares::Masked(held.collect());
    }
    content.warnings = warnings;
    content.compared = Some(Compared {
        pair,
        questions: groups.into_iter().map(|(_, positions)| positions).collect(),
    });
    Ok(SystemModel::new(
        source,
        Syntax::Btor2,
        content,
        Origin::Translated(text),
    ))
}

/// For registers of gold (its lines) that may be X, the variables that hold their masks.
type Masked = Vec<(LineIndex, VarId)>;

/// The product of both circuits, with masks where gold has X and they can be had, and as a system.
fn put_together(
    source: &Source,
    gold: &Side,
    gate: &Side,
    belongs: &Correspondence,
    groups: &[(String, Vec<usize>)],
) -> Result<(Product, Content, Option<Masked>), LoadError> {
    let positions: Vec<Vec<usize>> = groups.iter().map(|(_, positions)| positions.clone()).collect();
    let made = product(gold, gate, belongs, groups, InPlaceOfX::Zero);
    let mut content = crate::load::lowered(source, &made.circuit)?;
    if made.unknown.is_empty() && made.unknown_first.is_empty() {
        return Ok((made, content, None));
    }
    let here = variables(&made.circuit);
    let at = |line: &LineIndex| here[made.gold[line.index()]?.index()];
    let sources = Sources {
        registers: gold.states.iter().filter_map(at).collect(),
        always: made.unknown.iter().filter_map(at).collect(),
        first: made.unknown_first.iter().filter_map(at).collect(),
    };
    match add_masks(&mut content, &sources, belongs.outputs.pairs.len(), &positions) {
        Some(masked) => {
            let line = |register: VarId| {
                gold.states
                    .iter()
                    .copied()
                    .find(|state| at(state) == Some(register))
            };
            let masked = masked
                .into_iter()
                .filter_map(|(register, mask)| Some((line(register)?, mask)));
            let masked = masked.collect();
            Ok((made, content, Some(masked)))
        }
        None => {
            let made = product(gold, gate, belongs, groups, InPlaceOfX::AnyValue);
            let content = crate::load::lowered(source, &made.circuit)?;
            Ok((made, content, None))
        }
    }
}

/// A file's name without its folder: where a file lies says nothing about what was compared.
fn last(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Whether a circuit has something of this name: a signal, or a word whose bits are signals.
fn has(side: &Side, name: &str) -> bool {
    let ports = [&side.input_ports, &side.state_ports, &side.output_ports];
    ports.iter().any(|ports| {
        ports.iter().any(|port| port.name == name) || buses(ports).iter().any(|bus| bus.name == name)
    })
}

/// Whether a name is that of a bit of a word: a signal of gate may be called so.
fn has_bit(side: &Side, name: &str) -> bool {
    let Some((base, index)) = indexed(name) else {
        return false;
    };
    let is_it = |port: &Port| base == port.name && index < u64::from(port.width);
    let ports = [&side.input_ports, &side.state_ports, &side.output_ports];
    ports.iter().any(|ports| ports.iter().any(is_it))
}

fn refuse_mismatches(
    source: &Source,
    gold: &Side,
    gate: &Side,
    belongs: &Correspondence,
) -> Result<(), LoadError> {
    let mut problems = Vec::new();
    let only_gold = unmatched(gold, &belongs.inputs.only_gold);
    let only_gate = unmatched(gate, &belongs.inputs.only_gate);
    // Names that fit by accident would make circuits differ that do not.
    if !only_gold.is_empty() && !only_gate.is_empty() {
        let example = format!("{} {}", only_gold[0], only_gate[0]);
        let message = format!(
            "inputs do not belong together: only the first circuit has {}, only the second {}",
            listed(only_gold.into_iter()),
            listed(only_gate.into_iter())
        );
        let problem = Diagnostic::error("equiv::inputs", message, Span::new(0, 0), "");
        problems.push(problem.with_help(format!(
            "--map FILE says which names belong together, a pair on each line: `{example}`, if these do"
        )));
    }
    for (what, matching) in [("input", &belongs.inputs), ("output", &belongs.outputs)] {
        for (ours, theirs) in &matching.mismatched {
            let message = format!(
                "the {what} `{}` has {} bits in the first circuit and {} in the second",
                ours.name,
                ours.bits.len(),
                theirs.bits.len()
            );
            problems.push(Diagnostic::error("equiv::width", message, Span::new(0, 0), ""));
        }
    }
    if belongs.outputs.pairs.is_empty() && problems.is_empty() {
        let message = "the circuits have no output in common: there is nothing to compare";
        let problem = Diagnostic::error("equiv::outputs", message, Span::new(0, 0), "");
        problems.push(problem.with_help("--map FILE says which names belong together, a pair on each line"));
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(LoadError::invalid(source, Diagnostics(problems))),
    }
}

/// Inputs that have no partner and that something reads.
fn unmatched<'b>(side: &Side, buses: &'b [Bus]) -> Vec<&'b str> {
    let used = side.used();
    let is_used = |bus: &&Bus| bus.bits.iter().any(|&(port, _)| used[side.inputs[port].index()]);
    buses
        .iter()
        .filter(is_used)
        .map(|bus| bus.name.as_str())
        .collect()
}

/// Most names in one sentence.
const MOST_NAMES: usize = 8;

fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    let shown: Vec<String> = names
        .iter()
        .take(MOST_NAMES)
        .map(|name| format!("`{name}`"))
        .collect();
    match names.len() > MOST_NAMES {
        true => format!("{} and {} more", shown.join(", "), names.len() - MOST_NAMES),
        false => shown.join(", "),
    }
}

/// Warnings about what has no partner, and about what was matched without names.
fn tell_unmatched(gold: &Side, gate: &Side, belongs: &Correspondence, warnings: &mut Vec<Diagnostic>) {
    let mut warn = |message: String| {
        warnings.push(Diagnostic::warning(
            "equiv::unmatched",
            message,
            Span::new(0, 0),
            "",
        ));
    };
    for (what, matching) in [("inputs", &belongs.inputs), ("outputs", &belongs.outputs)] {
        if matching.by_order {
            warn(format!(
                "the names of {what} do not tell which belong together: they are matched in their order"
            ));
        }
    }
    for (names, which) in [
        (unmatched(gold, &belongs.inputs.only_gold), "first"),
        (unmatched(gate, &belongs.inputs.only_gate), "second"),
    ] {
        if !names.is_empty() {
            let names = listed(names.into_iter());
            warn(format!(
                "only the {which} circuit has the inputs {names}: they may have any value there"
            ));
        }
    }
    let states = &belongs.states;
    let tied = states
        .pairs
        .iter()
        .flat_map(|(bus, _)| bus.bits.iter().map(|&(port, _)| port));
    let tied: BTreeSet<usize> = tied.collect();
    let unknown = (gold.state_ports.iter().zip(&gold.states).enumerate())
        .filter(|(position, (_, line))| !tied.contains(position) && !gold.initialised.contains(line))
        .map(|(_, (port, _))| match port.name.as_str() {
            "" => "(no name)",
            name => name,
        });
    let unknown: Vec<&str> = unknown.collect();
    if !unknown.is_empty() {
        let names = listed(unknown.into_iter());
        warn(format!(
            "registers of the first circuit have no first value and no partner by name: {names}; they are X at first"
        ));
    }
    if gate.dropped_constraints > 0 {
        warn("the second circuit has constraints: they are not assumed".to_owned());
    }
}

/// An output without a partner cannot be compared: nothing is known about it.
fn unmatched_outputs(outputs: &Matching) -> Vec<Undecided> {
    let sides = [(&outputs.only_gold, "second"), (&outputs.only_gate, "first")];
    let undecided = |bus: &Bus, missing: &str| Undecided {
        name: Some(bus.name.clone()),
        text: format!("output {}", bus.name),
        place: None,
        reason: format!("the {missing} circuit has no such output"),
    };
    sides
        .into_iter()
        .flat_map(|(buses, missing)| buses.iter().map(move |bus| undecided(bus, missing)))
        .collect()
}

/// The variable that a line of a circuit becomes: they are numbered in the order of inputs and registers.
fn variables(circuit: &Btor2) -> Vec<Option<VarId>> {
    let mut next = 0;
    let number = |node: &Node| {
        matches!(node, Node::Input(_) | Node::State(_)).then(|| {
            next += 1;
            VarId::new(next - 1)
        })
    };
    circuit.nodes.iter().map(number).collect()
}

/// What the checker is told: each circuit as it is, and what of both is compared.
fn pair(gold: &Side, gate: &Side, belongs: &Correspondence, made: &Product) -> Result<Pair, String> {
    let here = variables(&made.circuit);
    let missing = || "a signal of the circuits is not in their product".to_owned();
    let at = |line: LineIndex| here[line.index()].ok_or_else(missing);
    let [in_gold, in_gate] = [gold, gate].map(with_outputs);
    let read = |circuit: &Btor2| lower(circuit).map_err(|error| error.to_string());
    let (gold_model, gate_model) = (read(&in_gold)?, read(&in_gate)?);
    let (gold_ids, gate_ids) = (variables(&in_gold), variables(&in_gate));
    let mut gold_places = Vec::new();
    for (line, _) in gold
        .circuit
        .lines()
        .filter(|(line, _)| gold_ids[line.index()].is_some())
    {
        gold_places.push(Place::Whole(at(made.gold[line.index()].ok_or_else(missing)?)?));
    }
    let mut gate_places = Vec::new();
    for (line, _) in gate
        .circuit
        .lines()
        .filter(|(line, _)| gate_ids[line.index()].is_some())
    {
        gate_places.push(match made.made_of.get(&line) {
            None => Place::Whole(at(made.gate[line.index()].ok_or_else(missing)?)?),
            Some(bits) => {
                let mut sources = Vec::with_capacity(bits.len());
                for &(from, bit) in bits {
                    sources.push((at(made.gold[from.index()].ok_or_else(missing)?)?, bit));
                }
                let (first, _) = bits[0];
                let in_order = bits.iter().zip(0..).all(|(&from, bit)| from == (first, bit));
                match in_order && gold.circuit.sort(first) == gate.circuit.sort(line) {
                    true => Place::Whole(sources[0].0),
                    false => Place::Bits(sources),
                }
            }
        });
    }
    let mut ties = Vec::new();
    for (register, partners) in &made.ties {
        let id = |ids: &[Option<VarId>], line: LineIndex| ids[line.index()].ok_or_else(missing);
        let is_whole =
            partners.len() == 1 && gold.circuit.sort(*register) == gate.circuit.sort(partners[0].0);
        ties.push(Tie {
            gold: id(&gold_ids, *register)?,
            gate: match is_whole {
                true => Place::Whole(id(&gate_ids, partners[0].0)?),
                false => {
                    let bits = partners
                        .iter()
                        .map(|&(line, bit)| Ok((id(&gate_ids, line)?, bit)));
                    Place::Bits(bits.collect::<Result<_, String>>()?)
                }
            },
        });
    }
    let tied = |line: &LineIndex| made.ties.iter().any(|(register, _)| register == line);
    let unset = (gold.states.iter()).filter(|line| !gold.initialised.contains(line) && !tied(line));
    let alone = belongs.inputs.only_gold.iter().flat_map(|bus| &bus.bits);
    let alone = alone.map(|&(port, _)| &gold.inputs[port]);
    let unknown = gold.anonymous.iter().chain(unset).chain(alone);
    let unknown = unknown.filter_map(|line| gold_ids[line.index()]).collect();
    let outputs = (belongs.outputs.pairs.iter())
        .map(|(ours, theirs)| ComparedOutput {
            name: ours.name.clone(),
            gold: bits(&gold_model, gold.outputs.len(), ours),
            gate: bits(&gate_model, gate.outputs.len(), theirs),
        })
        .collect();
    Ok(Pair {
        gold: half(gold_model, gold_places),
        gate: half(gate_model, gate_places),
        ties,
        unknown,
        dont_cares: DontCares::AnyValue,
        outputs,
    })
}

/// The circuit with its outputs, which are the last of its defines when it is lowered.
fn with_outputs(side: &Side) -> Btor2 {
    let mut circuit = side.circuit.clone();
    for (argument, port) in side.outputs.iter().zip(&side.output_ports) {
        circuit.add(Node::Output(*argument), Some(port.name.clone()));
    }
    circuit
}

fn half(model: Btor2Model, places: Vec<Place>) -> Half {
    Half {
        system: model.system,
        registers: model.registers,
        places,
    }
}

/// The bits of an output, given how many outputs there are: these are the last defines.
fn bits(model: &Btor2Model, outputs: usize, bus: &Bus) -> Vec<(TermId, u32)> {
    let defines = &model.system.defines;
    let first = defines.len().saturating_sub(outputs);
    let bit = |&(port, bit): &(usize, u32)| Some((defines.get(first + port)?.term, bit));
    bus.bits.iter().filter_map(bit).collect()
}
