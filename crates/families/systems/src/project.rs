//! Designs of several files: file lists (`-f rtl.f`, `rtl.f`), further files on the command line, properties in PSL, SymbiYosys projects.
//!
//! The files become one text, in order, which is read like any other design: those of the design, then PSL files, then lists and projects, which are there to be pointed at
//! (a joined [`Source`] tells which file a place is in).
//! What a list asked for with `-f` names is relative to where the program was started, with `-F` and in a project relative to the file itself.

use crate::verilog_settings::Settings;
use entail_family::{Input, LoadError, Usage};
use entail_source::{Diagnostic, Diagnostics, Source, Span, read_file};
use entail_systemverilog::project::{
    ListItem, Mode, Passes, Reading, SbyProject, Word, read_file_list, read_sby,
};
use entail_systemverilog::{Check, Design, Directive, Surroundings, read_with};
use std::cell::Cell;
use std::path::{Path, PathBuf};

/// Lists may name others so deep.
const DEEPEST: usize = 32;

/// Most bytes that the files of a design may have together.
const MOST_BYTES: usize = 1 << 28;

/// The options that name file lists, further files, and properties.
pub(crate) const FILE_LIST: &str = "file-list";
pub(crate) const SOURCE: &str = "source";
pub(crate) const PROPERTIES: &str = "properties";

/// Which properties are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) assertions: bool,
    pub(crate) covers: bool,
    /// What instances below the top module assume is asked of what surrounds them.
    pub(crate) is_modular: bool,
}

impl Wanted {
    pub(crate) const ALL: Wanted = Wanted {
        assertions: true,
        covers: true,
        is_modular: false,
    };

    /// What is done with a check of a module: what is assumed below the top module may have to be shown.
    pub(crate) fn directive(self, check: &Check, top: &str) -> Directive {
        match check.directive {
            Directive::Assume if self.is_modular && check.module != top => Directive::Assert,
            other => other,
        }
    }

    /// Whether what stands under a directive is asked; assumptions always are.
    pub(crate) fn asks(self, directive: Directive) -> bool {
        match directive {
            Directive::Assert => self.assertions,
            Directive::Cover => self.covers,
            Directive::Assume => true,
        }
    }
}

/// A design's files.
pub(crate) struct Gathered {
    files: Vec<Source>,
    /// Files in PSL.
    properties: Vec<Source>,
    /// Lists and projects that something was said about, with what was said.
    told: Vec<(Source, Vec<Diagnostic>)>,
    pub(crate) settings: Settings,
    pub(crate) top: Option<String>,
    pub(crate) wanted: Wanted,
    /// There is no design, only signals.
    is_made_up: bool,
}

/// The text of a design.
pub(crate) struct DesignText {
    pub(crate) source: Source,
    /// Where the design itself ends.
    pub(crate) end: usize,
    /// The parts that are properties in PSL.
    pub(crate) properties: Vec<Span>,
    /// What was passed over in lists and projects.
    pub(crate) warnings: Vec<Diagnostic>,
    /// There is no design, only the signals of the properties.
    pub(crate) is_made_up: bool,
}

impl DesignText {
    /// A design of one file.
    pub(crate) fn alone(source: Source) -> DesignText {
        DesignText {
            end: source.text().len(),
            source,
            properties: Vec::new(),
            warnings: Vec::new(),
            is_made_up: false,
        }
    }

    /// The design without its assertions, and those of some parts that are properties in PSL.
    pub(crate) fn read(
        &self,
        properties: &[Span],
        top: Option<&str>,
        settings: &Settings,
    ) -> Result<Design, Diagnostics> {
        // Files beside the one that includes them are put into the text; of those that are named otherwise, the elaborator has copies.
        let is_beside = Cell::new(false);
        let include = |file: &str, from: &str| {
            let (name, text, known) = settings.included(file, from)?;
            is_beside.set(is_beside.get() || !known);
            Some((name, text))
        };
        let around = Surroundings {
            defines: settings.macros(),
            include: &include,
        };
        let mut design = read_with(&self.source, self.end, properties, top, &around)?;
        design.plain &= !is_beside.get();
        Ok(design)
    }
}

/// What is gathered for an input; nothing if it is a design of one file.
pub(crate) fn gathered(input: &Input<'_>) -> Result<Option<Gathered>, LoadError> {
    let mut gathered = Gathered::new(input)?;
    let has_task = input.options.has("task");
    match input.language.name {
        "sby" => {
            let source = input.text()?;
            let project = read_sby(&source, input.options.value("task"))
                .map_err(|problems| LoadError::invalid(&source, problems))?;
            gathered.project(&source, input.path, project)?;
            gathered.add_properties(input)?;
            return Ok(Some(gathered));
        }
        _ if has_task => {
            return Err(Usage("--task names a task of a SymbiYosys project".to_owned()).into());
        }
        "psl" => {
            gathered.properties.push(input.lossy_text());
            for file in input.options.values(SOURCE) {
                gathered.add_named(Path::new(file))?;
            }
        }
        "filelist" => {
            let source = input.text()?;
            let folder = input.path.parent().unwrap_or(Path::new(""));
            gathered.list(&source, folder, 0)?;
        }
        _ => {
            let (sources, lists) = (input.options.values(SOURCE), input.options.values(FILE_LIST));
            let properties = input.options.values(PROPERTIES);
            if sources.is_empty() && lists.is_empty() && properties.is_empty() {
                return Ok(None);
            }
            gathered.add(input.lossy_text())?;
            for file in sources {
                gathered.add_named(Path::new(file))?;
            }
        }
    }
    for list in input.options.values(FILE_LIST) {
        let source = read(Path::new(list), None)?;
        gathered.list(&source, Path::new(""), 0)?;
    }
    gathered.add_properties(input)?;
    if gathered.files.is_empty() && input.language.name == "psl" {
        gathered.make_up()?;
    }
    match gathered.files.is_empty() {
        false => Ok(Some(gathered)),
        true => {
            let source = input.text()?;
            let problem = Diagnostic::error(
                "project::empty",
                "no file of a design is named",
                Span::new(0, 0),
                "here",
            );
            Err(LoadError::invalid(&source, problem))
        }
    }
}

/// Reads a file that something names.
fn read(path: &Path, named: Option<(&Source, &Word)>) -> Result<Source, LoadError> {
    match read_file(path) {
        Ok(bytes) => Ok(Source::new(
            path.display().to_string(),
            String::from_utf8_lossy(&bytes),
        )),
        Err(error) => Err(match named {
            None => LoadError::Unreadable {
                path: path.to_owned(),
                reason: error.to_string(),
            },
            Some((source, word)) => {
                let message = format!("cannot read {}: {error}", path.display());
                LoadError::invalid(
                    source,
                    Diagnostic::error("project::file", message, word.span, "named here"),
                )
            }
        }),
    }
}

impl Gathered {
    /// Adds a file; one that is there already is not read again.
    fn add(&mut self, part: Source) -> Result<(), LoadError> {
        if self.files.iter().any(|known| known.name() == part.name()) {
            return Ok(());
        }
        let length: usize = self.files.iter().map(|file| file.text().len()).sum();
        if length + part.text().len() > MOST_BYTES {
            return Err(LoadError::Unreadable {
                path: PathBuf::from(part.name()),
                reason: "the files of the design are too large".to_owned(),
            });
        }
        self.files.push(part);
        Ok(())
    }

    /// Adds a further file: one of the design, or properties in PSL.
    fn add_named(&mut self, path: &Path) -> Result<(), LoadError> {
        let part = read(path, None)?;
        match path.extension().is_some_and(|ending| ending == "psl") {
            true => self.properties.push(part),
            false => self.add(part)?,
        }
        Ok(())
    }

    /// Adds the files in PSL that the options name.
    fn add_properties(&mut self, input: &Input<'_>) -> Result<(), LoadError> {
        for file in input.options.values(PROPERTIES) {
            self.properties.push(read(Path::new(file), None)?);
        }
        Ok(())
    }

    /// A design of nothing but the signals that the properties are about.
    fn make_up(&mut self) -> Result<(), LoadError> {
        let [properties] = &self.properties[..] else {
            return Err(Usage("a design is needed: --source names its files".to_owned()).into());
        };
        let text = entail_systemverilog::signals(properties)
            .map_err(|problems| LoadError::invalid(properties, problems))?;
        let name = format!("signals of {}", properties.name());
        self.files.push(Source::new(name, text));
        self.is_made_up = true;
        Ok(())
    }

    /// The files as one text.
    pub(crate) fn text(&self, name: &str) -> Result<DesignText, LoadError> {
        let files = self.files.iter().chain(&self.properties);
        let files = files.chain(self.told.iter().map(|(source, _)| source));
        let source = Source::joined(name, files.cloned());
        let begin = |file: usize| match source.parts().get(file) {
            Some((_, begin)) => *begin,
            None => source.text().len(),
        };
        let (first, last) = (self.files.len(), self.files.len() + self.properties.len());
        let properties = (first..last).map(|file| Span::new(begin(file), begin(file + 1)));
        let mut warnings = Vec::new();
        for (place, (_, told)) in self.told.iter().enumerate() {
            let begin = begin(last + place);
            warnings.extend(told.iter().cloned().map(|mut one| {
                for label in &mut one.labels {
                    label.span = Span::new(label.span.start + begin, label.span.end + begin);
                }
                one
            }));
        }
        Ok(DesignText {
            end: begin(first),
            properties: properties.collect(),
            warnings,
            is_made_up: self.is_made_up,
            source,
        })
    }

    /// Whether properties in PSL are given.
    pub(crate) fn has_properties(&self) -> bool {
        !self.properties.is_empty()
    }

    fn list(&mut self, source: &Source, folder: &Path, depth: usize) -> Result<(), LoadError> {
        let invalid = |problem: Diagnostic| LoadError::invalid(source, problem);
        let list = read_file_list(source).map_err(|problems| LoadError::invalid(source, problems))?;
        self.tell(source, &list.warnings);
        for item in &list.items {
            match item {
                ListItem::File(word) => {
                    let part = read(&folder.join(&word.text), Some((source, word)))?;
                    self.add(part)?;
                }
                ListItem::Include(word) => self.settings.include(folder.join(&word.text)),
                ListItem::Define(word) => self.define(source, word)?,
                ListItem::Top(word) => {
                    self.top.get_or_insert_with(|| word.text.clone());
                }
                ListItem::List { file, beside } => {
                    if depth >= DEEPEST {
                        let message = format!("lists name each other more than {DEEPEST} deep");
                        return Err(invalid(Diagnostic::error(
                            "project::deep",
                            message,
                            file.span,
                            "here",
                        )));
                    }
                    let path = folder.join(&file.text);
                    let inner = read(&path, Some((source, file)))?;
                    let below = match beside {
                        true => path.parent().unwrap_or(Path::new("")).to_owned(),
                        false => folder.to_owned(),
                    };
                    self.list(&inner, &below, depth + 1)?;
                }
            }
        }
        Ok(())
    }

    fn define(&mut self, source: &Source, word: &Word) -> Result<(), LoadError> {
        self.settings.define(&word.text).map_err(|reason| {
            LoadError::invalid(
                source,
                Diagnostic::error("project::define", reason, word.span, "here"),
            )
        })
    }

    /// Notes what was passed over in a list or a project.
    pub(crate) fn tell(&mut self, source: &Source, warnings: &[Diagnostic]) {
        if warnings.is_empty() {
            return;
        }
        match self
            .told
            .iter_mut()
            .find(|(known, _)| known.name() == source.name())
        {
            Some((_, told)) => told.extend_from_slice(warnings),
            None => self.told.push((source.clone(), warnings.to_vec())),
        }
    }

    fn project(&mut self, source: &Source, path: &Path, project: SbyProject) -> Result<(), LoadError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        self.tell(source, &project.warnings);
        self.reading(source, folder, &project.reading, Some(&project))?;
        self.wanted = match project.mode {
            Mode::Bmc | Mode::Prove | Mode::Live => Wanted {
                assertions: true,
                covers: false,
                is_modular: false,
            },
            Mode::Cover => Wanted {
                assertions: false,
                covers: true,
                is_modular: false,
            },
        };
        if matches!(project.mode, Mode::Bmc | Mode::Cover) {
            let message = format!(
                "answers are not only about the first {} steps; --bound {} limits them to these",
                project.depth,
                project.depth - 1
            );
            let warning = Diagnostic::warning("project::depth", message, Span::new(0, 0), "in this project");
            self.tell(source, &[warning]);
        }
        Ok(())
    }

    /// What a script reads: of the files that a project lists, or of all.
    fn reading(
        &mut self,
        source: &Source,
        folder: &Path,
        reading: &Reading,
        project: Option<&SbyProject>,
    ) -> Result<(), LoadError> {
        let invalid = |message: String, span: Span| {
            LoadError::invalid(source, Diagnostic::error("project::file", message, span, "here"))
        };
        for define in &reading.defines {
            self.define(source, define)?;
        }
        for (name, value) in &reading.parameters {
            self.settings
                .parameter(&name.text, &value.text)
                .map_err(|reason| invalid(reason, name.span))?;
        }
        for include in &reading.includes {
            self.settings.include(folder.join(&include.text));
        }
        self.settings.multiclock |= reading.multiclock;
        if let Passes::Run(passes) = &reading.passes {
            self.settings.passes.extend_from_slice(passes);
        }
        if let Some(top) = &reading.top {
            self.top.get_or_insert_with(|| top.text.clone());
        }
        let (inline, files) = project.map_or((&[][..], &[][..]), |project| {
            (&project.inline[..], &project.files[..])
        });
        for (name, text) in inline {
            self.settings.beside(&name.text, text.as_bytes().to_vec());
        }
        for (name, file) in files {
            let part = read(&folder.join(&file.text), Some((source, file)))?;
            self.settings.beside(&name.text, part.text().as_bytes().to_vec());
        }
        for word in &reading.files {
            let inline = inline.iter().find(|(name, _)| name.text == word.text);
            let file = files.iter().find(|(name, _)| name.text == word.text);
            let part = match (inline, file) {
                (None, None) if project.is_none() => read(&folder.join(&word.text), Some((source, word)))?,
                (Some((_, text)), _) => Source::new(format!("{}[{}]", source.name(), word.text), text),
                (None, Some((_, file))) => read(&folder.join(&file.text), Some((source, file)))?,
                (None, None) => {
                    let message = format!("`{}` is none of the files of the project", word.text);
                    return Err(invalid(message, word.span));
                }
            };
            self.add(part)?;
        }
        match self.files.is_empty() {
            false => Ok(()),
            true => Err(invalid("the script reads no file".to_owned(), Span::new(0, 0))),
        }
    }

    /// What a script of an eqy project reads.
    pub(crate) fn by_script(
        input: &Input<'_>,
        source: &Source,
        reading: &Reading,
    ) -> Result<Gathered, LoadError> {
        let mut gathered = Gathered::new(input)?;
        let folder = input.path.parent().unwrap_or(Path::new(""));
        gathered.reading(source, folder, reading, None)?;
        Ok(gathered)
    }

    fn new(input: &Input<'_>) -> Result<Gathered, LoadError> {
        Ok(Gathered {
            files: Vec::new(),
            properties: Vec::new(),
            told: Vec::new(),
            settings: Settings::of(input.options)?,
            top: input.options.value("top").map(str::to_owned),
            wanted: Wanted::ALL,
            is_made_up: false,
        })
    }
}

/// Warnings about a text with file and line in words, for where the text is not shown.
pub(crate) fn in_words(source: &Source, warnings: &[Diagnostic]) -> Vec<Diagnostic> {
    let said = |one: &Diagnostic| {
        let (file, span) = source.part(one.span());
        let message = match one.span().is_empty() {
            true => one.message.clone(),
            false => format!("{}:{}: {}", file.name(), file.place(span.start).line, one.message),
        };
        Diagnostic::warning(one.code, message, Span::new(0, 0), "")
    };
    warnings.iter().map(said).collect()
}

/// What prevents that assumptions of instances are asked of what surrounds them: those that the elaborator reads itself.
pub(crate) fn modular(design: &Design, top: Option<&str>) -> Result<(), Diagnostics> {
    let top = top.or(match &design.roots[..] {
        [root] => Some(root.as_str()),
        _ => None,
    });
    let below = design
        .assumed
        .iter()
        .filter(|(module, _)| Some(module.as_str()) != top);
    let problems: Vec<Diagnostic> = below
        .map(|(_, span)| {
            let message = "--modular is about assumed properties; this is an immediate assumption";
            let problem = Diagnostic::error("verilog::modular", message, *span, "in this module");
            problem.with_help("write `assume property (@(posedge clk) …)`")
        })
        .collect();
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Diagnostics(problems)),
    }
}
