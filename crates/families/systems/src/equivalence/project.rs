//! Comparisons as eqy projects describe them: `entail equiv design.eqy`.

use super::names::{names, recode, rename};
use super::{EACH, MARK, compare, handed};
use crate::load::circuit_of_gathered;
use crate::model::SystemModel;
use crate::project::{Gathered, in_words};
use crate::reset::Reset;
use entail_btor2::Btor2;
use entail_family::{Input, LoadError, Usage};
use entail_source::{Diagnostic, Source};
use entail_systemverilog::project::{EqyProject, read_eqy};

/// Whether an input is a project, or two circuits of one that another process has read.
pub(crate) fn is_project(input: &Input<'_>) -> bool {
    input.language.name == "eqy" || input.bytes.starts_with(MARK.as_bytes())
}

/// Reads a project and its two designs.
pub(crate) fn read_project(input: &Input<'_>) -> Result<SystemModel, LoadError> {
    let source = input.text()?;
    let each_output = input.options.has(EACH);
    let names_of_sides = ("gold", "gate");
    if let Some(rest) = source.text().strip_prefix(MARK) {
        let (gold, gate) = handed(input, rest)?;
        return compare(&gold, &gate, None, names_of_sides, each_output, Vec::new());
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
    let mut other = circuit_of_gathered(input, &gate, &mut warnings)?;
    warnings.extend(in_words(
        &source,
        &told_names(&source, &project, &mut known, &mut other)?,
    ));
    compare(&known, &other, None, names_of_sides, each_output, warnings)
}

/// Does what a project says about names and codes to the circuits, and says what was passed over.
fn told_names(
    source: &Source,
    project: &EqyProject,
    gold: &mut Btor2,
    gate: &mut Btor2,
) -> Result<Vec<Diagnostic>, LoadError> {
    let invalid = |problem: Diagnostic| LoadError::invalid(source, problem);
    let tops = [&project.gold, &project.gate].map(|reading| reading.top.as_ref());
    let top = tops[0].or(tops[1]).map(|word| word.text.as_str());
    let mut warnings = Vec::new();
    if !project.matches.is_empty() {
        let matched = project
            .matches
            .apply(top, &names(gold), &names(gate))
            .map_err(invalid)?;
        let gold_of = matched.pairs.into_iter().map(|(gold, gate)| (gate, gold));
        rename(gate, &gold_of.collect(), &matched.apart);
        warnings = matched.warnings;
    }
    for table in &project.recodes {
        let found = table.among(top, &names(gold)).map_err(invalid)?;
        let told = |message: &str| Diagnostic::warning("project::recode", message, table.span(), "here");
        match found {
            None => warnings.push(told(
                "the codes of a module below the top are not looked at: what agrees is found",
            )),
            Some(found) if found.is_empty() => {
                warnings.push(told("no register or output is called so: what agrees is found"));
            }
            Some(found) => {
                for name in found {
                    recode(gold, gate, &name, &table.codes).map_err(|reason| {
                        invalid(Diagnostic::error("project::recode", reason, table.span(), "here"))
                    })?;
                }
            }
        }
    }
    Ok(warnings)
}
