//! What engines work with under one set of options: the engines themselves, and the parts of the model that properties are asked of.
//!
//! Sessions borrow all of this for as long as they live, and the model outlives its sessions. So the model keeps it: a list that only grows,
//! with an entry for every set of options that a session was opened with (one, as a rule).

use crate::engines::engines;
use crate::model::SystemModel;
use crate::options::{check_options, engine_settings};
use crate::slice::Slices;
use entail_abstraction::Mode;
use entail_evidence::{CheckOptions, DeadEnds, Engine};
use entail_family::{Options, Usage};
use entail_inductive::WhenLarge;
use entail_symbolic::InitialOrder;
use std::fmt;
use std::sync::OnceLock;

/// What engines work with.
pub(crate) struct Workshop {
    pub(crate) engines: Vec<Box<dyn Engine>>,
    pub(crate) options: CheckOptions,
    /// Whether properties are asked of the part of the model that they depend on.
    slicing: bool,
    slices: OnceLock<Slices>,
}

impl Workshop {
    fn new(model: &SystemModel, options: &Options, racing: bool) -> Result<Workshop, Usage> {
        let mut settings = engine_settings(options)?;
        let check = check_options(options)?;
        if let Some(order) = &model.asked.order {
            settings.bdd.order = InitialOrder::Listed(order.clone());
        } else if options.has("order") {
            return Err(read_too_early("order"));
        }
        if let Some(abstraction) = &model.asked.abstraction {
            settings.abstraction = abstraction.clone();
        } else if options.has("abstract") {
            return Err(read_too_early("abstract"));
        }
        if options.has("three-valued") {
            settings.abstraction.mode = Mode::ThreeValued;
            settings.abstraction.refine = true;
        }
        if racing {
            settings.when_large = WhenLarge::GiveUp;
        }
        Ok(Workshop {
            engines: engines(&settings),
            // A repeated dead end is no step: what a part of the model shows cannot be carried back then.
            slicing: !options.has("whole") && check.dead_ends != DeadEnds::Stutter,
            options: check,
            slices: OnceLock::new(),
        })
    }

    /// The parts of the model that properties depend on, found when they are first needed: `first` is asked now.
    pub(crate) fn slices(&self, model: &SystemModel, first: usize) -> &Slices {
        self.slices.get_or_init(|| match self.slicing {
            true => Slices::new(model, first),
            false => Slices::default(),
        })
    }
}

fn read_too_early(option: &str) -> Usage {
    Usage(format!(
        "--{option} names a file that is read together with the model"
    ))
}

/// The workshops of a model: a list that only grows.
#[derive(Default)]
pub(crate) struct Workshops(OnceLock<Box<Entry>>);

struct Entry {
    options: Options,
    racing: bool,
    workshop: Workshop,
    rest: Workshops,
}

impl Workshops {
    /// The workshop for a set of options.
    pub(crate) fn of(
        &self,
        model: &SystemModel,
        options: &Options,
        racing: bool,
    ) -> Result<&Workshop, Usage> {
        let mut list = self;
        loop {
            let entry = match list.0.get() {
                Some(entry) => entry,
                None => {
                    let workshop = Workshop::new(model, options, racing)?;
                    list.0.get_or_init(|| {
                        Box::new(Entry {
                            options: options.clone(),
                            racing,
                            workshop,
                            rest: Workshops::default(),
                        })
                    })
                }
            };
            if entry.options == *options && entry.racing == racing {
                return Ok(&entry.workshop);
            }
            list = &entry.rest;
        }
    }
}

impl fmt::Debug for Workshops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workshops").finish_non_exhaustive()
    }
}
