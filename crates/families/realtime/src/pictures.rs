//! Pictures that options ask for: of the first run that answers have, of the automata, of what random runs gave.

use crate::model::TimedModel;
use crate::{automata, plane, statistical, trace};
use entail_answer::Answer;
use entail_clocks::evidence::Proof;
use entail_family::{Conclusion, Options};
use entail_show::View;
use std::path::PathBuf;

/// The pictures, or why one of them cannot be drawn; nothing where none is asked for.
pub(crate) fn conclude(
    model: &TimedModel,
    answers: &[(usize, &Answer)],
    options: &Options,
) -> Option<Result<Conclusion, String>> {
    let network = model.setting(options).network;
    let of_run = |answer: &Answer| trace::of_proof(&network, answer.evidence_as::<Proof>()?);
    let mut conclusion = Conclusion::default();
    let pair = options
        .value("plane")
        .map(|_| plane::clocks(&network, options.value("plane-clocks")));
    let pair = match pair.transpose() {
        Ok(pair) => pair,
        Err(reason) => return Some(Err(format!("--plane: {reason}"))),
    };
    for name in ["gantt", "clocks", "drawing", "plane"] {
        let Some(path) = options.value(name) else {
            continue;
        };
        let mut drawn = answers.iter().find_map(|(_, answer)| {
            let (stops, _) = of_run(answer)?;
            match name {
                "gantt" => trace::schedule(&network, &stops).map(View::Schedule),
                "drawing" => automata::drawing(model, Some(&stops)).map(View::Drawing),
                "plane" => plane::drawing(&network, &stops, pair?).map(View::Drawing),
                _ => trace::chart(&network, &stops).map(View::Chart),
            }
        });
        if name == "drawing" && drawn.is_none() {
            drawn = automata::drawing(model, None).map(View::Drawing);
        }
        match drawn {
            Some(view) => conclusion.pictures.push((PathBuf::from(path), view)),
            None => {
                return Some(Err(format!(
                    "--{name} {path}: nothing is drawn, because no answer has a run in which time passes; a proof that something never happens has none"
                )));
            }
        }
    }
    if let Some(path) = options.value("plot") {
        let drawn = answers.iter().find_map(|&(property, answer)| {
            let Proof::Samples { samples } = answer.evidence_as::<Proof>()? else {
                return None;
            };
            let network = model.network_of_runs(property, &network);
            statistical::chart(network, &model.queries[property], samples)
        });
        match drawn {
            Some(chart) => (conclusion.pictures).push((PathBuf::from(path), View::Chart(chart))),
            None => {
                let message = "nothing is drawn, because no answer has values over time; `Pr`, `E[…]` and `simulate` have";
                return Some(Err(format!("--plot {path}: {message}")));
            }
        }
    }
    (!conclusion.pictures.is_empty()).then_some(Ok(conclusion))
}
