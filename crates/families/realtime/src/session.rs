//! The engine at work.

use crate::fastest;
use crate::model::{Setting, TimedModel};
use crate::statistical;
use crate::trace;
use entail_answer::Answer;
use entail_budget::{Budget, Progress};
use entail_clocks::Query;
use entail_family::{ModelError, Options, Session};
use entail_timed::{Bounds, Covering, Engine, ModelTrouble, Order, Settings};
use entail_zones::Extrapolation;

/// Threads that searching and checking may use; the option's value was looked at before.
pub(crate) fn threads(options: &Options) -> usize {
    let wanted = options.value("threads").and_then(|text| text.parse().ok());
    wanted.unwrap_or(1)
}

pub(crate) struct TimedSession<'m> {
    model: &'m TimedModel,
    setting: Setting,
    settings: Settings,
    sampling: entail_sampling::Settings,
}

impl<'m> TimedSession<'m> {
    pub fn new(model: &'m TimedModel, options: &Options) -> TimedSession<'m> {
        let settings = Settings {
            extrapolation: match options.value("extrapolation") {
                Some("m") => Some(Extrapolation::M),
                Some("m+") => Some(Extrapolation::MPlus),
                Some("lu") => Some(Extrapolation::Lu),
                Some("lu+") => Some(Extrapolation::LuPlus),
                _ => None,
            },
            bounds: match options.value("bounds") {
                Some("global") => Bounds::Global,
                _ => Bounds::Local,
            },
            covering: match options.value("cover") {
                Some("inclusion") => Covering::Inclusion,
                Some("am") => Covering::Am,
                _ => Covering::Alu,
            },
            order: match options.value("order") {
                Some("dfs") => Order::Depth,
                Some("random") => Order::Random(1),
                Some("rank") => Order::Rank,
                _ => Order::Breadth,
            },
            threads: threads(options),
        };
        TimedSession {
            model,
            setting: model.setting(options),
            settings,
            sampling: statistical::settings(options),
        }
    }

    fn error(&self, trouble: ModelTrouble) -> ModelError {
        let network = &self.setting.network;
        let edges: Vec<String> = trouble
            .edges
            .iter()
            .map(|&edge| trace::edge_text(network, edge))
            .collect();
        let place = match edges.is_empty() {
            true => "in the initial state".to_owned(),
            false => format!("by {}", edges.join(", ")),
        };
        let timeline = trouble.run.as_ref().and_then(|run| trace::of_run(network, run));
        let span = trouble.trouble.span;
        ModelError {
            message: format!("{}, {place}", trace::fault_text(network, trouble.trouble.fault)),
            place: (!span.is_empty()).then_some(span),
            timeline: timeline.map(|states| Box::new(trace::timeline(network, &self.model.source, &states))),
            help: Some(
                "with --out-of-range disable, a step that would take an integer out of its range cannot be taken"
                    .to_owned(),
            ),
        }
    }
}

impl Session for TimedSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        _progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        let query = &self.model.queries[property];
        match (query, engine == statistical::ENGINE) {
            (Query::Chance(chance), true) => {
                let found = entail_sampling::check(&self.setting.network, chance, self.sampling, budget);
                return found.map(Answer::boxed).map_err(|failure| {
                    self.error(ModelTrouble {
                        trouble: failure.trouble,
                        run: None,
                        edges: failure.edges,
                    })
                });
            }
            (Query::Chance(_), false) => {
                return Ok(Answer::unknown(
                    "random runs are asked for: use --engine statistical",
                ));
            }
            (_, true) => return Ok(Answer::unknown("random runs prove nothing: use --engine zones")),
            (_, false) => {}
        }
        let engine = Engine::new(&self.setting.network, self.settings);
        let found = match self.setting.optimal(query) {
            Some(optimal) => engine.check(&optimal, budget).map(fastest::answer),
            None => engine.check(query, budget),
        };
        match found {
            Ok(answer) => Ok(answer.boxed()),
            Err(trouble) => Err(self.error(*trouble)),
        }
    }
}
