//! Abstract models as text: one line a state, with where its steps lead.
//!
//! `-> 2` is a step that must be there, `-> 2?` one that only may be; `-> {2, 3}` says that a step leads to one of them at least.

use entail_evidence::ModalModel;
use entail_model::StateId;
use std::fmt::Write;

/// Larger models are not shown.
const MOST_STATES: usize = 32;

pub(super) fn write(model: &ModalModel, indent: &str, out: &mut String) {
    let kmts = &model.kmts;
    let states = kmts.state_count();
    let _ = writeln!(
        out,
        "{indent}abstract model: {states} states, {} may steps, {} must",
        kmts.may_count(),
        kmts.must_count()
    );
    if states > MOST_STATES {
        return;
    }
    for (state, class) in kmts.states().zip(&model.classes) {
        let mark = if kmts.initial().contains(&state) { '*' } else { ' ' };
        let plain = kmts.may(state).iter().map(|&to| match kmts.is_must(state, to) {
            true => format!("{to}"),
            false => format!("{to}?"),
        });
        let hyper = kmts
            .must(state)
            .filter(|targets| targets.len() > 1)
            .map(|targets| {
                let targets: Vec<String> = targets.iter().map(StateId::to_string).collect();
                format!("{{{}}}", targets.join(", "))
            });
        let steps: Vec<String> = plain.chain(hyper).collect();
        let looks = model.abstraction.show(class);
        let _ = writeln!(out, "{indent} {mark}{state}  {looks}  -> {}", steps.join(", "));
    }
}
