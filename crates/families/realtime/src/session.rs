//! The engine at work.

use crate::fastest;
use crate::model::{Setting, TimedModel};
use crate::statistical;
use crate::trace;
use entail_answer::Answer;
use entail_budget::{Budget, Progress};
use entail_clocks::evidence::Proof;
use entail_clocks::{Fault, Network, Query};
use entail_family::{ModelError, Options, Session};
use entail_timed::{Attempts, Bounds, Covering, Engine, ModelTrouble, Order, Settings, Storage, Time};
use entail_zones::Extrapolation;

/// Threads that searching and checking may use; the option's value was looked at before.
pub(crate) fn threads(options: &Options) -> usize {
    let wanted = options.value("threads").and_then(|text| text.parse().ok());
    wanted.unwrap_or(1)
}

/// The size of the table of bits, as a power of 2.
fn bits(options: &Options) -> u32 {
    let wanted = options.value("bits").and_then(|text| text.parse().ok());
    wanted.unwrap_or(USUAL_BITS)
}

/// 64 MiB.
const USUAL_BITS: u32 = 29;

pub(crate) struct TimedSession<'m> {
    model: &'m TimedModel,
    setting: Setting,
    settings: Settings,
    /// Games that were solved for a strategy that is played, with what came out.
    solved: Vec<(Query, Answer<Proof>)>,
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
            symmetry: !options.has("no-symmetry"),
            storage: match options.value("zones") {
                Some("hull") => Storage::Hull,
                Some("bitstate") => Storage::Bits(bits(options)),
                _ => Storage::All,
            },
            time: match options.has("local-time") {
                true => Time::Local,
                false => Time::Global,
            },
            attempts: Attempts::default(),
        };
        TimedSession {
            model,
            setting: model.setting(options),
            settings,
            solved: Vec::new(),
            sampling: statistical::settings(options),
        }
    }

    /// Decides a question under a strategy, which is found once for all questions.
    fn under(
        &mut self,
        game: &Query,
        question: &Query,
        budget: &Budget,
    ) -> Result<Answer<Proof>, Box<ModelTrouble>> {
        let engine = Engine::new(&self.setting.network, self.settings);
        if !self.solved.iter().any(|(known, _)| known == game) {
            let solved = engine.strategy(game, budget)?;
            if solved.evidence.is_none() {
                return Ok(solved);
            }
            self.solved.push((game.clone(), solved));
        }
        let known = self.solved.iter().find(|(known, _)| known == game);
        match known.and_then(|(_, answer)| answer.evidence.as_ref()) {
            Some(Proof::Strategy { strategy }) => engine.under((game, question), strategy, budget),
            _ => Ok(Answer::unknown(
                "the controller does not win the game: there is no such strategy",
            )),
        }
    }

    fn error(&self, network: &Network, trouble: ModelTrouble) -> ModelError {
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
        let model = self.model;
        let query = &model.queries[property];
        match (query, engine == statistical::ENGINE) {
            (Query::Chance(chance), true) => {
                let network = model.network_of_runs(property, &self.setting.network);
                let found = entail_sampling::check(network, chance, self.sampling, budget);
                return found.map(Answer::boxed).map_err(|failure| {
                    let trouble = ModelTrouble {
                        trouble: failure.trouble,
                        run: None,
                        edges: failure.edges,
                    };
                    self.error(network, trouble)
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
        let found = match (self.setting.optimal(query), query) {
            (Some(optimal), _) => engine.check(&optimal, budget).map(fastest::answer),
            (None, Query::Under { game, question }) => self.under(game, question, budget),
            (None, query) => match self.setting.asked(query) {
                Ok(asked) => {
                    Engine::new(&self.setting.network_for(&asked), self.settings).check(&asked, budget)
                }
                Err(reason) => Ok(Answer::unknown(reason)),
            },
        };
        match found {
            Ok(answer) => Ok(answer.boxed()),
            // A limit of the engine, not a mistake of the model.
            Err(trouble) if trouble.trouble.fault == Fault::Cases => Ok(Answer::unknown(
                "which receivers of a broadcast take part, or which steps have priority, depends on clocks in very many ways",
            )),
            Err(trouble) => Err(self.error(&self.setting.network, *trouble)),
        }
    }
}
