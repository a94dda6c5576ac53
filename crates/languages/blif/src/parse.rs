//! From lines to models: each construct is read by itself; how they hang together is `flatten.rs`'s business.

use crate::lines::{Word, lines};
use crate::netlist::Initially;
use entail_source::{Diagnostic, Source, Span, nearest};

/// An edge, and the signal whose edge it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock<'a> {
    pub(crate) rises: bool,
    /// `NIL` stands for the one clock of the network.
    pub(crate) signal: Option<Word<'a>>,
}

/// Something that drives a signal, or an instance.
#[derive(Clone, Debug)]
pub(crate) enum Item<'a> {
    Cover {
        inputs: Vec<Word<'a>>,
        output: Word<'a>,
        rows: Vec<Vec<Option<bool>>>,
        value: bool,
    },
    Latch {
        input: Word<'a>,
        output: Word<'a>,
        clock: Option<Clock<'a>>,
        initially: Initially,
    },
    Instance {
        model: Word<'a>,
        /// Formal and actual names.
        ports: Vec<(&'a str, Word<'a>)>,
        /// It was written as `.gate`, a cell of a library.
        is_cell: bool,
    },
}

/// A model as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Model<'a> {
    pub(crate) name: Word<'a>,
    pub(crate) inputs: Vec<Word<'a>>,
    pub(crate) outputs: Vec<Word<'a>>,
    pub(crate) items: Vec<Item<'a>>,
    /// It says that it has no body.
    pub(crate) is_black_box: bool,
}

/// Constructs that say nothing about what a netlist computes.
const PASSED_OVER: &[&str] = &[
    ".attr",
    ".param",
    ".cname",
    ".area",
    ".delay",
    ".wire",
    ".wire_load_slope",
    ".input_arrival",
    ".output_required",
    ".default_input_arrival",
    ".default_output_required",
    ".default_input_drive",
    ".default_output_load",
    ".default_max_input_load",
    ".input_drive",
    ".output_load",
    ".max_input_load",
    ".gateinit",
    ".clock_event",
    ".cycle",
];

/// Constructs that are read.
const READ: &[&str] = &[
    ".model",
    ".inputs",
    ".input",
    ".outputs",
    ".output",
    ".clock",
    ".names",
    ".latch",
    ".subckt",
    ".gate",
    ".conn",
    ".end",
    ".blackbox",
];

/// Constructs that are known and refused, with the reason.
const REFUSED: &[(&str, &str)] = &[
    (".exdc", "external don't-cares are not read"),
    (
        ".search",
        "other files are not looked for: put all models into one file",
    ),
    (".start_kiss", "state tables are not read"),
    (
        ".mlatch",
        "what a latch of a library does is not in the file; write the netlist with `.latch`",
    ),
];

fn wrong(code: &'static str, message: impl Into<String>, place: Span, label: &str) -> Vec<Diagnostic> {
    vec![Diagnostic::error(code, message, place, label)]
}

/// The models of a text, in order.
pub(crate) fn models(source: &Source) -> Result<Vec<Model<'_>>, Vec<Diagnostic>> {
    let mut parser = Parser::default();
    let mut problems = Vec::new();
    for line in lines(source) {
        if let Err(found) = parser.line(&line) {
            problems.extend(found);
        }
    }
    if parser.models.is_empty() && problems.is_empty() {
        let message = "there is no `.model` in this file";
        problems = wrong("blif::model", message, Span::new(0, 0), "in this file");
    }
    match problems.is_empty() {
        true => Ok(parser.models),
        false => Err(problems),
    }
}

#[derive(Default)]
struct Parser<'a> {
    models: Vec<Model<'a>>,
    /// The last model goes on.
    is_open: bool,
    /// The last item is a cover whose rows may follow.
    in_cover: bool,
    /// Whether a row of it was read.
    has_rows: bool,
}

impl<'a> Parser<'a> {
    fn line(&mut self, words: &[Word<'a>]) -> Result<(), Vec<Diagnostic>> {
        let [first, rest @ ..] = words else {
            return Ok(());
        };
        if !first.text.starts_with('.') {
            return self.row(words);
        }
        self.in_cover = false;
        match first.text {
            ".model" => return self.model(*first, rest),
            ".end" => {
                self.is_open = false;
                return Ok(());
            }
            keyword if PASSED_OVER.contains(&keyword) => return Ok(()),
            keyword => {
                if let Some((_, reason)) = REFUSED.iter().find(|(known, _)| *known == keyword) {
                    return Err(wrong(
                        "blif::refused",
                        format!("`{keyword}`: {reason}"),
                        first.place,
                        "here",
                    ));
                }
            }
        }
        if !READ.contains(&first.text) {
            let mut problem = Diagnostic::error(
                "blif::construct",
                format!("`{}` is no construct of BLIF", first.text),
                first.place,
                "here",
            );
            if let Some(meant) = nearest(first.text, READ.iter().copied()) {
                problem = problem.with_help(format!("did you mean `{meant}`?"));
            }
            return Err(vec![problem]);
        }
        if !self.is_open {
            // SIS takes what stands before the first `.model` for a model without a name; after `.end` nothing may stand.
            let message = format!("`{}` stands outside of a model", first.text);
            return Err(wrong(
                "blif::outside",
                message,
                first.place,
                "no `.model` is open here",
            ));
        }
        let Some(model) = self.models.last_mut() else {
            return Ok(());
        };
        match first.text {
            ".inputs" | ".input" => model.inputs.extend_from_slice(rest),
            ".outputs" | ".output" => model.outputs.extend_from_slice(rest),
            // (A clock is an input that only latches read.)
            ".clock" => {
                let new = rest
                    .iter()
                    .filter(|word| !model.inputs.iter().any(|known| known.text == word.text));
                let new: Vec<Word<'a>> = new.copied().collect();
                model.inputs.extend(new);
            }
            ".blackbox" => model.is_black_box = true,
            ".names" => {
                let [inputs @ .., output] = rest else {
                    return Err(wrong(
                        "blif::names",
                        "`.names` needs the signal that it drives",
                        first.place,
                        "here",
                    ));
                };
                model.items.push(Item::Cover {
                    inputs: inputs.to_vec(),
                    output: *output,
                    rows: Vec::new(),
                    value: true,
                });
                (self.in_cover, self.has_rows) = (true, false);
            }
            ".conn" => {
                let [from, to] = rest else {
                    return Err(wrong(
                        "blif::conn",
                        "`.conn` joins two signals",
                        first.place,
                        "here",
                    ));
                };
                model.items.push(Item::Cover {
                    inputs: vec![*from],
                    output: *to,
                    rows: vec![vec![Some(true)]],
                    value: true,
                });
            }
            ".latch" => model.items.push(latch(*first, rest)?),
            _ => model.items.push(instance(*first, rest)?),
        }
        Ok(())
    }

    fn model(&mut self, keyword: Word<'a>, rest: &[Word<'a>]) -> Result<(), Vec<Diagnostic>> {
        let name = rest.first().copied().unwrap_or(Word {
            text: "",
            place: keyword.place,
        });
        if let Some(before) = self.models.iter().find(|model| model.name.text == name.text) {
            let problem = Diagnostic::error(
                "blif::model",
                format!("there are two models `{}`", name.text),
                name.place,
                "the second",
            );
            return Err(vec![problem.with_label(before.name.place, "the first")]);
        }
        self.models.push(Model {
            name,
            inputs: Vec::new(),
            outputs: Vec::new(),
            items: Vec::new(),
            is_black_box: false,
        });
        self.is_open = true;
        Ok(())
    }

    /// A row of the cover that was begun: an entry for each input, and the output's value.
    fn row(&mut self, words: &[Word<'a>]) -> Result<(), Vec<Diagnostic>> {
        let place = words[0].place.to(words[words.len() - 1].place);
        let item = match self.in_cover {
            true => self.models.last_mut().and_then(|model| model.items.last_mut()),
            false => None,
        };
        let Some(Item::Cover {
            inputs, rows, value, ..
        }) = item
        else {
            return Err(wrong(
                "blif::row",
                format!("`{}` is neither a construct nor a row of a cover", words[0].text),
                place,
                "no `.names` goes before",
            ));
        };
        let (entries, output) = match (words, inputs.is_empty()) {
            ([output], true) => ("", *output),
            ([entries, output], false) => (entries.text, *output),
            _ => {
                let message = match inputs.len() {
                    0 => "a row of a constant is its value alone".to_owned(),
                    number => format!(
                        "a row of this cover has {number} entries, a space, and the value of the output"
                    ),
                };
                return Err(wrong("blif::row", message, place, "here"));
            }
        };
        if entries.chars().count() != inputs.len() {
            let message = format!("{} entries for {} inputs", entries.chars().count(), inputs.len());
            return Err(wrong("blif::row", message, words[0].place, "here"));
        }
        let entry = |c: char| match c {
            '0' => Some(Some(false)),
            '1' => Some(Some(true)),
            '-' => Some(None),
            _ => None,
        };
        let Some(row) = entries.chars().map(entry).collect::<Option<Vec<_>>>() else {
            let message = "the entries of a row are `0`, `1` and `-`";
            return Err(wrong("blif::row", message, words[0].place, "here"));
        };
        let truth = match output.text {
            "0" => false,
            "1" => true,
            _ => {
                let message = "the value of the output is `0` or `1`";
                return Err(wrong("blif::row", message, output.place, "here"));
            }
        };
        if self.has_rows && truth != *value {
            let message = "the rows of one cover are all about 1 or all about 0";
            return Err(wrong(
                "blif::row",
                message,
                output.place,
                "the rows before say the other value",
            ));
        }
        (*value, self.has_rows) = (truth, true);
        rows.push(row);
        Ok(())
    }
}

/// `.latch INPUT OUTPUT [TYPE CONTROL] [INIT]`
fn latch<'a>(keyword: Word<'a>, rest: &[Word<'a>]) -> Result<Item<'a>, Vec<Diagnostic>> {
    let (input, output, clock, init) = match *rest {
        [input, output] => (input, output, None, None),
        [input, output, init] => (input, output, None, Some(init)),
        [input, output, kind, control] => (input, output, Some((kind, control)), None),
        [input, output, kind, control, init] => (input, output, Some((kind, control)), Some(init)),
        _ => {
            let message = "`.latch` is followed by its input and output, by type and control if there are, and by the initial value if there is one";
            return Err(wrong("blif::latch", message, keyword.place, "here"));
        }
    };
    let clock = match clock {
        None => None,
        Some((kind, control)) => {
            let rises = match kind.text {
                "re" => true,
                "fe" => false,
                "ah" | "al" | "as" => {
                    let message = format!(
                        "a latch of type `{}` does not change at an edge of a clock alone",
                        kind.text
                    );
                    let problem = Diagnostic::error("blif::latch", message, kind.place, "here");
                    return Err(vec![problem.with_help(
                        "`re` and `fe` are read: all latches take their inputs at one edge of one clock",
                    )]);
                }
                _ => {
                    let message = format!(
                        "`{}` is no type of latch: there are fe, re, ah, al, as",
                        kind.text
                    );
                    return Err(wrong("blif::latch", message, kind.place, "here"));
                }
            };
            let signal = (control.text != "NIL").then_some(control);
            Some(Clock { rises, signal })
        }
    };
    let initially = match init.map(|word| (word.text, word.place)) {
        None | Some(("2" | "3", _)) => Initially::Unknown,
        Some(("0", _)) => Initially::Value(false),
        Some(("1", _)) => Initially::Value(true),
        Some((_, place)) => {
            let message = "the initial value of a latch is 0, 1, 2 (any) or 3 (unknown)";
            return Err(wrong("blif::latch", message, place, "here"));
        }
    };
    Ok(Item::Latch {
        input,
        output,
        clock,
        initially,
    })
}

/// `.subckt MODEL FORMAL=ACTUAL …`
fn instance<'a>(keyword: Word<'a>, rest: &[Word<'a>]) -> Result<Item<'a>, Vec<Diagnostic>> {
    let [model, ports @ ..] = rest else {
        let message = format!("`{}` needs the name of a model", keyword.text);
        return Err(wrong("blif::instance", message, keyword.place, "here"));
    };
    let mut read: Vec<(&'a str, Word<'a>)> = Vec::with_capacity(ports.len());
    for port in ports {
        let Some((formal, actual)) = port.text.split_once('=').filter(|(formal, _)| !formal.is_empty())
        else {
            let message = format!(
                "`{}` does not say which signal a port is: FORMAL=ACTUAL",
                port.text
            );
            return Err(wrong("blif::instance", message, port.place, "here"));
        };
        // (A port that nothing is connected to is written without a signal.)
        if actual.is_empty() {
            continue;
        }
        let start = port.place.end - actual.len();
        let actual = Word {
            text: actual,
            place: Span::new(start, port.place.end),
        };
        read.push((formal, actual));
    }
    Ok(Item::Instance {
        model: *model,
        ports: read,
        is_cell: keyword.text == ".gate",
    })
}
