//! Reading model files.

use crate::asked::AskedAssertion;
use crate::assertions::{COVER, Woven, weave};
use crate::languages::Syntax;
use crate::model::{Circuit, Content, Origin, SystemModel};
use crate::project::{DesignText, Gathered, PROPERTIES, Wanted, gathered, in_words};
use crate::reset::Reset;
use crate::show::dress::Dress;
use crate::simulated::Simulated;
use crate::translation::{MARK, Names, enabled_of};
use crate::verilog::{Translated, translate};
use crate::verilog_settings::Settings;
use crate::watch::MATCHED;
use crate::{
    abstraction_map, bit_level, branching, equivalence, netlist, order, project, psl, signals, structure,
};
use entail_btor2::{Btor2, Node};
use entail_family::{Input, LoadError, Model, Usage};
use entail_logic::Property;
use entail_model::{Registers, TermId, TransitionSystem};
use entail_source::{Diagnostic, Diagnostics, Source, Span, decode_lossy, read_file};
use entail_systemverilog::{Design, Timing};
use std::collections::BTreeSet;
use std::path::Path;

/// A line of a translation to which monitors of assertions were added.
const WOVEN: &str = "; with monitors";

/// Reads a model, and the files that its options name.
pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let mut model = match input.options.value(equivalence::AGAINST) {
        Some(against) => equivalence::read(input, against)?,
        None if equivalence::is_project(input) => equivalence::read_project(input)?,
        None => read(input)?,
    };
    // What names mean is known while the model is read: later nothing is added to its terms but properties.
    if let Some(path) = input.options.value("abstract") {
        let settings = abstraction_map::load(&mut model, Path::new(path), input.budget)?;
        model.asked.abstraction = Some(settings);
    }
    if let Some(path) = input.options.value("order") {
        model.asked.order = Some(order::load(&mut model, Path::new(path))?);
    }
    for text in input.options.parts("observe") {
        let observed = structure::observed(&mut model, &text)?;
        model.asked.observed.push(observed);
    }
    Ok(Box::new(model))
}

fn read(input: &Input<'_>) -> Result<SystemModel, LoadError> {
    let Some(syntax) = Syntax::named(input.language.name) else {
        let name = input.language.name;
        return Err(Usage(format!("`{name}` is not a language of transition systems")).into());
    };
    // (In another process, a design arrives in BTOR2 with the options that it was translated with.)
    if matches!(syntax, Syntax::Smv | Syntax::Aiger | Syntax::Blif) && input.options.has("top") {
        return Err(Usage("--top names a module of a Verilog design".to_owned()).into());
    }
    let has_properties = input.options.has(PROPERTIES);
    if has_properties && syntax == Syntax::Smv {
        return read_smv_with_units(input);
    }
    // (Another process is handed the circuit with its monitors.)
    if has_properties && matches!(syntax, Syntax::Btor2 | Syntax::Aiger | Syntax::Blif) {
        return read_with_properties(input, syntax);
    }
    match syntax {
        Syntax::Smv => {
            // Comments may contain any bytes, as in NuSMV.
            let source = input.lossy_text();
            let content = read_smv(&source).map_err(|problems| LoadError::invalid(&source, problems))?;
            Ok(SystemModel::new(source, syntax, content, Origin::Source))
        }
        Syntax::Btor2 => {
            let source = input.text()?;
            let content = Content {
                places: property_lines(&source),
                dress: Dress::btor2(&source),
                ..read_btor2(&source)?
            };
            Ok(SystemModel::new(source, syntax, content, Origin::Source))
        }
        Syntax::Aiger => read_aiger(input),
        Syntax::Blif => {
            let source = input.text()?;
            let blif =
                entail_blif::read(&source).map_err(|problems| LoadError::invalid(&source, problems))?;
            let content = lowered(&source, &netlist::of_blif(&blif, netlist::Covers::AsWritten))?;
            Ok(SystemModel::new(source, syntax, content, Origin::Source))
        }
        Syntax::Verilog | Syntax::Psl | Syntax::FileList | Syntax::Sby | Syntax::Eqy => {
            // Another process is handed the translation.
            if input.bytes.starts_with(MARK.as_bytes()) {
                let text = input.text()?.text().to_owned();
                let source = Source::new(input.name, "");
                return match text.contains(WOVEN) {
                    true => of_woven(source, text),
                    false => of_translation(source, text, Vec::new()),
                };
            }
            read_verilog(input)
        }
    }
}

fn read_verilog(input: &Input<'_>) -> Result<SystemModel, LoadError> {
    let Some(gathered) = gathered(input)? else {
        let settings = Settings::of(input.options)?;
        let text = DesignText::alone(input.lossy_text());
        return read_design(input, &text, input.options.value("top"), &settings, Wanted::ALL);
    };
    let text = gathered.text(input.name)?;
    let mut model = read_design(
        input,
        &text,
        gathered.top.as_deref(),
        &gathered.settings,
        gathered.wanted,
    )?;
    // Properties that are called by their places have these in their own files.
    let content = &mut model.content;
    let file = input.name.rsplit('/').next().unwrap_or(input.name);
    let called = format!("{file}:");
    for (property, place) in content.properties.iter_mut().zip(&content.places) {
        let is_place = property
            .name
            .as_deref()
            .is_some_and(|name| name.starts_with(&called));
        if is_place {
            let (file, span) = text.source.part(*place);
            let name = file.name().rsplit('/').next().unwrap_or(file.name());
            property.name = Some(format!("{name}:{}", file.place(span.start).line));
        }
    }
    Ok(model)
}

/// Reads a design that is one text.
fn read_design(
    input: &Input<'_>,
    text: &DesignText,
    top: Option<&str>,
    settings: &Settings,
    wanted: Wanted,
) -> Result<SystemModel, LoadError> {
    let source = &text.source;
    let invalid = |problems| LoadError::invalid(source, problems);
    let mut design = text.read(&text.properties, top, settings).map_err(invalid)?;
    let (top, warning) = top_module(&design, top);
    let wanted = Wanted {
        is_modular: input.options.has("modular"),
        ..wanted
    };
    if wanted.is_modular {
        project::modular(&design, top.as_deref()).map_err(|problems| LoadError::invalid(source, problems))?;
    }
    let Translated {
        text: translation,
        warnings: remarks,
        timing,
        misread,
    } = translate(input, text, &design, top.as_deref(), settings, wanted)?;
    for (check, problem) in misread {
        design.checks[check].problem.get_or_insert(problem);
    }
    let mut warnings = text.warnings.clone();
    warnings.extend(remarks);
    warnings.extend(warning);
    let reset = input.options.value("reset");
    let reset = reset.map(Reset::read).transpose().map_err(Usage)?;
    let simulated = input
        .options
        .value("from-run")
        .map(Simulated::read)
        .transpose()
        .map_err(Usage)?;
    let source = source.clone();
    if design.plain && reset.is_none() && simulated.is_none() {
        return of_translation(source, translation, warnings);
    }
    warnings.extend(design.warnings.iter().cloned());
    let mut model = weave_in(
        source,
        &translation,
        warnings,
        &design,
        timing,
        (reset.as_ref(), simulated.as_ref()),
        wanted,
    )?;
    model.content.made_up = text.is_made_up.then_some(design);
    Ok(model)
}

/// The circuit of a design, without its assertions.
pub(crate) fn circuit_of_verilog(
    input: &Input<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Btor2, LoadError> {
    match gathered(input)? {
        None => {
            let settings = Settings::of(input.options)?;
            let text = DesignText::alone(input.lossy_text());
            circuit_of_design(input, &text, input.options.value("top"), &settings, warnings)
        }
        Some(gathered) => circuit_of_gathered(input, &gathered, warnings),
    }
}

/// The circuit of a design of several files.
pub(crate) fn circuit_of_gathered(
    input: &Input<'_>,
    gathered: &Gathered,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Btor2, LoadError> {
    if gathered.has_properties() {
        return Err(Usage("--properties is about a design that is checked, not compared".to_owned()).into());
    }
    let text = gathered.text(input.name)?;
    let top = gathered.top.as_deref();
    circuit_of_design(input, &text, top, &gathered.settings, warnings)
}

/// The circuit of a design that is one text.
fn circuit_of_design(
    input: &Input<'_>,
    text: &DesignText,
    top: Option<&str>,
    settings: &Settings,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Btor2, LoadError> {
    let source = &text.source;
    let invalid = |problems| LoadError::invalid(source, problems);
    let design = text.read(&[], top, settings).map_err(invalid)?;
    let (top, warning) = top_module(&design, top);
    let translated = translate(input, text, &design, top.as_deref(), settings, Wanted::ALL)?;
    // (Their places are in a text that is not shown.)
    let told = text.warnings.iter().cloned().chain(translated.warnings);
    let told: Vec<Diagnostic> = told.chain(warning).collect();
    warnings.extend(in_words(source, &told));
    let read = Source::new(source.name(), &translated.text);
    let mut circuit = entail_btor2::read(&read).map_err(|problems| LoadError::invalid(&read, problems))?;
    for (node, symbol) in circuit.nodes.iter_mut().zip(&mut circuit.symbols) {
        if let Node::Bad(argument) = node {
            *node = Node::Output(*argument);
            *symbol = Some(equivalence::UPKEEP.to_owned());
        }
    }
    Ok(circuit)
}

/// The model of a design and its translation to BTOR2.
fn of_translation(source: Source, text: String, warnings: Vec<Diagnostic>) -> Result<SystemModel, LoadError> {
    let mut content = read_btor2(&Source::new(source.name(), &text))?;
    let names = Names::of(&text);
    name_bad_states(&mut content, &names, &source);
    content.dress = Dress::verilog(&content.system, &names, source.text());
    content.warnings = warnings;
    let origin = Origin::Translated(text);
    Ok(SystemModel::new(source, Syntax::Verilog, content, origin))
}

/// What bad states are: the violation of an assertion, or what a cover is about.
fn name_bad_states(content: &mut Content, names: &Names, source: &Source) {
    for (position, stated) in names.stated(source).into_iter().enumerate() {
        if let Some(property) = content.properties.get_mut(position) {
            property.text = stated.text;
            property.name = Some(stated.name);
        }
        content.places.push(stated.place.unwrap_or_default());
        if stated.is_cover {
            content.covers.insert(position);
        }
    }
    content.enabled = enabled(content);
}

/// The conditions under which assertions are checked, by their positions.
fn enabled(content: &Content) -> Vec<(usize, TermId)> {
    (content.system.defines.iter())
        .filter_map(|define| Some((enabled_of(&define.name)?, define.term)))
        .filter(|(position, _)| !content.covers.contains(position))
        .collect()
}

/// The model of a design whose assertions are watched by monitors in its translation.
fn weave_in(
    source: Source,
    text: &str,
    mut warnings: Vec<Diagnostic>,
    design: &Design,
    timing: Timing,
    (reset, simulated): (Option<&Reset>, Option<&Simulated>),
    wanted: Wanted,
) -> Result<SystemModel, LoadError> {
    let read = Source::new(source.name(), text);
    let mut circuit = entail_btor2::read(&read).map_err(|problems| LoadError::invalid(&read, problems))?;
    let top = top_of(text);
    if let Some(simulated) = simulated {
        if timing == Timing::Edges {
            let message = "--from-run is about designs in which all registers have one clock";
            return Err(Usage(message.to_owned()).into());
        }
        let (begun, told) = simulated.begin(&circuit)?;
        circuit = begun;
        warnings.extend(told);
    }
    if let Some(reset) = reset {
        reset.constrain(&mut circuit, top).map_err(Usage)?;
    }
    let woven = weave(design, circuit, top, timing, wanted)
        .map_err(|problems| LoadError::invalid(&source, Diagnostics(problems)))?;
    let (mut content, written) = handed_over(&read, &woven.circuit)?;
    let names = Names::of(text);
    let known: Vec<Option<String>> = content.properties.iter().map(|one| one.name.clone()).collect();
    name_bad_states(&mut content, &names, &source);
    for (property, known) in content.properties.iter_mut().zip(known) {
        if woven
            .asked
            .iter()
            .any(|asked| Some(&asked.name) == known.as_ref())
        {
            property.name = known;
        }
    }
    let handed = branching::written(&woven.branching);
    attach(&mut content, woven)?;
    content.dress = Dress::verilog(&content.system, &names, source.text());
    content.warnings = warnings;
    let origin = Origin::Translated(format!("{MARK}\n{WOVEN}\n{handed}{written}"));
    Ok(SystemModel::new(source, Syntax::Verilog, content, origin))
}

/// A circuit without a source text, and properties in PSL about its signals.
fn read_with_properties(input: &Input<'_>, syntax: Syntax) -> Result<SystemModel, LoadError> {
    let (text, circuit) = match syntax {
        Syntax::Aiger => {
            let circuit = entail_aiger::read(input.name, input.bytes)
                .map_err(|unreadable| LoadError::invalid(&unreadable.source, unreadable.diagnostics))?;
            // (Nothing is said about its text any more.)
            (Source::new(input.name, ""), bit_level::word_circuit(&circuit))
        }
        Syntax::Blif => {
            let text = input.text()?;
            let blif = entail_blif::read(&text).map_err(|problems| LoadError::invalid(&text, problems))?;
            let circuit = netlist::of_blif(&blif, netlist::Covers::AsWritten);
            (text, circuit)
        }
        _ => {
            let text = input.text()?;
            let circuit =
                entail_btor2::read(&text).map_err(|problems| LoadError::invalid(&text, problems))?;
            (text, circuit)
        }
    };
    let own = property_lines(&text);
    let dress = Dress::btor2(&text);
    let signals::Watched {
        woven,
        source,
        warnings,
    } = signals::watched(input, &text, circuit)?;
    let (mut content, written) = handed_over(&source, &woven.circuit)?;
    content.places = own;
    content.dress = dress;
    content.warnings = warnings;
    let handed = branching::written(&woven.branching);
    attach(&mut content, woven)?;
    let origin = Origin::Translated(format!("{MARK}\n{WOVEN}\n{handed}{written}"));
    Ok(SystemModel::new(source, syntax, content, origin))
}

/// A circuit with monitors as it is handed to another process, and what that process reads: signals without a name are called by their lines, which writing numbers anew.
fn handed_over(source: &Source, circuit: &Btor2) -> Result<(Content, String), LoadError> {
    let written = entail_btor2::write(circuit);
    let text = Source::new(source.name(), &written);
    let read = entail_btor2::read(&text).map_err(|problems| LoadError::invalid(&text, problems))?;
    Ok((lowered(&text, &read)?, written))
}

/// What is known of assertions, put beside the bad states and justice properties that they have become.
fn attach(content: &mut Content, woven: Woven) -> Result<(), LoadError> {
    content.places.resize(content.properties.len(), Span::default());
    // What the assertions are called here counts more than the names that bad states have there.
    for (property, place) in content.properties.iter_mut().zip(&mut content.places) {
        let known = |asked: &&AskedAssertion| Some(asked.name.as_str()) == property.name.as_deref();
        if let Some(asked) = woven.asked.iter().find(known) {
            property.text = asked.text.clone();
            *place = asked.place;
        }
    }
    content.asked = woven.asked;
    content.unsupported = woven.unsupported;
    content.premises = premises(content, &woven.premises);
    for (_, _, asked) in &mut content.premises {
        if let Some(asked) = asked {
            asked.resolve(&mut content.system);
        }
    }
    for asked in &mut content.asked {
        asked.resolve(&mut content.system);
    }
    branching::add(content, &woven.branching)
}

/// The module that was translated: a line says which.
fn top_of(text: &str) -> &str {
    (text.lines())
        .find(|line| line.starts_with("; BTOR description"))
        .and_then(|line| line.split_whitespace().last())
        .map_or("top", |word| word.trim_end_matches('.'))
}

/// The signals that say that antecedents of assertions have matched, with the positions of these.
fn premises(content: &Content, known: &[AskedAssertion]) -> Vec<(usize, TermId, Option<AskedAssertion>)> {
    let named = |name: &str| {
        let properties = content.properties.iter();
        let mut properties = properties.map(|property| property.name.as_deref());
        properties.position(|known| known == Some(name))
    };
    let of = |name: &str| known.iter().find(|one| one.name == name).cloned();
    (content.system.defines.iter())
        .filter_map(|define| {
            let position = named(define.name.strip_prefix(MATCHED)?)?;
            Some((position, define.term, of(&define.name)))
        })
        .collect()
}

/// The model of a translation with monitors, in another process: it only searches.
fn of_woven(source: Source, text: String) -> Result<SystemModel, LoadError> {
    let mut content = read_btor2(&Source::new(source.name(), &text))?;
    content.enabled = enabled(&content);
    content.premises = premises(&content, &[]);
    branching::add_written(&mut content, &text)?;
    Ok(SystemModel::new(
        source,
        Syntax::Verilog,
        content,
        Origin::Translated(text),
    ))
}

/// The top module: the one asked for, or, if the text has none of that name, its only root, with a warning.
fn top_module(design: &Design, asked: Option<&str>) -> (Option<String>, Option<Diagnostic>) {
    match (asked, &design.roots[..]) {
        (Some(top), [root]) if !design.modules.iter().any(|module| module == top) => {
            let message = format!(
                "there is no module `{top}` in this file; `{root}` is taken, which no other module contains"
            );
            let warning = Diagnostic::warning("verilog::top", message, Span::new(0, 0), "in this file");
            (Some(root.clone()), Some(warning))
        }
        (Some(top), _) => (Some(top.to_owned()), None),
        (None, [root]) if !design.plain => (Some(root.clone()), None),
        (None, _) => (None, None),
    }
}

/// An SMV model, and verification units in PSL about it.
fn read_smv_with_units(input: &Input<'_>) -> Result<SystemModel, LoadError> {
    let model = input.lossy_text();
    let files = input.options.values(PROPERTIES).iter();
    let files: Vec<Source> = files
        .map(|file| read_named(Path::new(file)))
        .collect::<Result<_, _>>()?;
    let all = std::iter::once(model.clone()).chain(files.iter().cloned());
    let source = Source::joined(input.name, all);
    let begin = source.parts().get(1).map_or(0, |(_, begin)| *begin);
    let mut content = read_smv(&model).map_err(|problems| LoadError::invalid(&source, problems))?;
    let files = Source::joined(input.name, files);
    psl::add_units(&mut content, &files, begin).map_err(|problems| {
        let problems = problems.0.into_iter();
        let moved = problems.map(|problem| signals::moved(problem, begin));
        LoadError::invalid(&source, Diagnostics(moved.collect()))
    })?;
    Ok(SystemModel::new(source, Syntax::Smv, content, Origin::Source))
}

fn read_smv(source: &Source) -> Result<Content, Diagnostics> {
    let model = entail_smv::read(source)?;
    let mut content = Content {
        properties: model.properties,
        places: model.places,
        impossible: model.impossible,
        warnings: model.warnings,
        dress: Dress::smv(&model.system, &model.variable_places, source),
        branches: model.branches,
        scope: Some(model.scope),
        system: model.system,
        ..Content::default()
    };
    psl::add_specifications(&mut content, model.unsupported);
    Ok(content)
}

/// The lines of a BTOR2 text that ask something, in the order of its properties: bad states, then justice.
fn property_lines(source: &Source) -> Vec<Span> {
    let lines_of = |keyword: &'static str| {
        (source.lines())
            .filter(move |(_, line)| line.split_whitespace().nth(1) == Some(keyword))
            .map(|(span, _)| span)
    };
    lines_of("bad").chain(lines_of("justice")).collect()
}

fn read_btor2(source: &Source) -> Result<Content, LoadError> {
    let circuit = entail_btor2::read(source).map_err(|problems| LoadError::invalid(source, problems))?;
    lowered(source, &circuit)
}

/// The system of a circuit.
pub(crate) fn lowered(source: &Source, circuit: &Btor2) -> Result<Content, LoadError> {
    let invalid = |problems: Diagnostics| LoadError::invalid(source, problems);
    let mut model = entail_btor2::lower(circuit).map_err(|error| {
        let problem = Diagnostic::error("btor2::sort", error.to_string(), Span::new(0, 0), "in this file");
        invalid(problem.into())
    })?;
    let mut covers = BTreeSet::new();
    for (position, property) in model.properties.iter_mut().enumerate() {
        if let Some(name) = property.name.as_deref().and_then(|name| name.strip_prefix(COVER)) {
            property.name = Some(name.to_owned());
            covers.insert(position);
        }
    }
    let content = of_circuit(model.system, model.properties, model.registers, model.bad);
    Ok(Content { covers, ..content })
}

fn read_aiger(input: &Input<'_>) -> Result<SystemModel, LoadError> {
    let circuit = entail_aiger::read(input.name, input.bytes)
        .map_err(|unreadable| LoadError::invalid(&unreadable.source, unreadable.diagnostics))?;
    // Nothing is said about the text any more.
    let source = Source::new(input.name, "");
    let model = entail_aiger::lower(&circuit).map_err(|reason| {
        let problem = Diagnostic::error("aiger::too-large", reason, Span::new(0, 0), "");
        LoadError::invalid(&source, problem)
    })?;
    let content = of_circuit(model.system, model.properties, model.registers, model.bad);
    let origin = Origin::Aiger(input.bytes.into());
    Ok(SystemModel::new(source, Syntax::Aiger, content, origin))
}

fn of_circuit(
    system: TransitionSystem,
    properties: Vec<Property<TermId>>,
    registers: Registers,
    bad: usize,
) -> Content {
    let justice = properties.len() - bad;
    Content {
        system,
        properties,
        circuit: Some(Circuit {
            registers,
            bad,
            justice,
        }),
        ..Content::default()
    }
}

/// The text of a file that an option names.
pub(crate) fn read_named(path: &Path) -> Result<Source, LoadError> {
    let unreadable = |reason: String| LoadError::Unreadable {
        path: path.to_owned(),
        reason,
    };
    let bytes = read_file(path).map_err(|error| unreadable(error.to_string()))?;
    Ok(Source::new(path.to_string_lossy(), decode_lossy(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FAMILY;
    use crate::translation::prepared;
    use entail_answer::{Answer, Verdict};
    use entail_budget::{Budget, Silent};
    use entail_family::{Handover, Options};
    use serde_json::json;

    /// A counter of two bits that reaches 3, as yosys writes it.
    const TRANSLATION: &str = "1 sort bitvec 2\n2 sort bitvec 1\n3 zero 1\n4 state 1 n\n5 init 1 4 3\n6 one 1\n7 add 1 4 6\n8 next 1 4 7\n9 ones 1\n10 eq 2 4 9\n11 bad 10 small\n";

    #[test]
    fn another_process_reads_what_is_handed_over_and_answers_in_data() {
        let source = Source::new("design.sv", "module top(); endmodule");
        let model = of_translation(
            source,
            prepared(TRANSLATION, "", Wanted::ALL).expect("BTOR2"),
            Vec::new(),
        )
        .expect("BTOR2");
        assert_eq!(model.properties()[0].text, "assert small");
        let Handover::Text { language, text } = model.handover() else {
            panic!("a design is translated once");
        };
        let mut options = Options::default();
        options.give("top", "top");
        let language = FAMILY
            .languages
            .iter()
            .find(|known| known.name == language)
            .expect("a language of the family");
        let other = load(&Input {
            name: "design.sv",
            path: Path::new("design.sv"),
            bytes: text.as_bytes(),
            language,
            options: &options,
            budget: &Budget::unlimited(),
        })
        .expect("BTOR2");
        let mut session = other.open(&options, true).expect("options");
        let answer = session
            .check("bmc", 0, &Budget::unlimited(), &Silent)
            .expect("a meaning");
        assert_eq!(answer.verdict, Verdict::Fails);
        let theirs = other.checker(&options).expect("options");
        let evidence = answer.evidence.as_deref().expect("a verdict has evidence");
        let line = json!({"evidence": theirs.to_saved_json(0, evidence)}).to_string();
        let mut ours = model.checker(&options).expect("options");
        let document = serde_json::from_str(&line).expect("JSON");
        let mut read: Answer = answer.bare().map(|never| match never {});
        read.evidence = Some(ours.evidence_from_json(0, &document).expect("the same model"));
        assert!(ours.check(0, &read, &Budget::unlimited()).is_accepted());
    }
}
