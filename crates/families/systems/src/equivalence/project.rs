//! Comparisons as eqy projects describe them: `entail equiv design.eqy`.

use super::map::NameMap;
use super::{EACH, MARK, compare, handed};
use crate::load::circuit_of_gathered;
use crate::model::SystemModel;
use crate::project::Gathered;
use crate::reset::Reset;
use entail_family::{Input, LoadError, Usage};
use entail_source::Source;
use entail_systemverilog::project::read_eqy;

/// Whether an input is a project, or two circuits of one that another process has read.
pub(crate) fn is_project(input: &Input<'_>) -> bool {
    input.language.name == "eqy" || input.bytes.starts_with(MARK.as_bytes())
}

/// Reads a project and its two designs.
pub(crate) fn read_project(input: &Input<'_>) -> Result<SystemModel, LoadError> {
    let source = input.text()?;
    let each_output = input.options.has(EACH);
    let names = ("gold", "gate");
    if let Some(rest) = source.text().strip_prefix(MARK) {
        let (gold, gate) = handed(input, rest)?;
        return compare(&gold, &gate, None, names, each_output, Vec::new());
    }
    let project = read_eqy(&source).map_err(|problems| LoadError::invalid(&source, problems))?;
    let mut warnings = Vec::new();
    let mut gold = Gathered::by_script(input, &source, &project.gold)?;
    gold.tell(&source, &project.warnings);
    let gate = Gathered::by_script(input, &source, &project.gate)?;
    let mut known = circuit_of_gathered(input, &gold, &mut warnings)?;
    if let Some(reset) = input.options.value("reset") {
        let reset = Reset::read(reset).map_err(Usage)?;
        reset.constrain(&mut known, "").map_err(Usage)?;
    }
    let other = circuit_of_gathered(input, &gate, &mut warnings)?;
    let pairs = project.matches.iter();
    let pairs: String = pairs
        .map(|(gold, gate)| format!("{} {}\n", gold.text, gate.text))
        .collect();
    let pairs = Source::new(input.name, pairs);
    let map = NameMap::read(&pairs).map_err(|problems| LoadError::invalid(&pairs, problems))?;
    compare(&known, &other, Some((pairs, map)), names, each_output, warnings)
}
