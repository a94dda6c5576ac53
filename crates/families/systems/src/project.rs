//! Designs of several files: file lists (`-f rtl.f`, `rtl.f`), further files on the command line, SymbiYosys projects.
//!
//! The files become one text, in order, which is read like any other design; [`Gathered::located`] finds the file and the line again that a message is about.
//! What a list asked for with `-f` names is relative to where the program was started, with `-F` and in a project relative to the file itself.

use crate::verilog_settings::Settings;
use entail_family::{Input, LoadError, Usage};
use entail_source::{Diagnostic, Diagnostics, Source, Span, read_file};
use entail_systemverilog::Directive;
use entail_systemverilog::project::{ListItem, Mode, Reading, SbyProject, Word, read_file_list, read_sby};
use std::path::{Path, PathBuf};

/// Lists may name others so deep.
const DEEPEST: usize = 32;

/// Most bytes that the files of a design may have together.
const MOST_BYTES: usize = 1 << 28;

/// The option that names file lists, and the one that names further files.
pub(crate) const FILE_LIST: &str = "file-list";
pub(crate) const SOURCE: &str = "source";

/// Which properties are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) assertions: bool,
    pub(crate) covers: bool,
}

impl Wanted {
    pub(crate) const ALL: Wanted = Wanted {
        assertions: true,
        covers: true,
    };

    /// Whether what stands under a directive is asked; assumptions always are.
    pub(crate) fn asks(self, directive: Directive) -> bool {
        match directive {
            Directive::Assert => self.assertions,
            Directive::Cover => self.covers,
            Directive::Assume => true,
        }
    }
}

/// A design's files as one text.
pub(crate) struct Gathered {
    pub(crate) text: String,
    /// The files, and where each begins in the text.
    parts: Vec<(Source, usize)>,
    pub(crate) settings: Settings,
    pub(crate) top: Option<String>,
    pub(crate) wanted: Wanted,
    pub(crate) warnings: Vec<Diagnostic>,
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
            return Ok(Some(gathered));
        }
        _ if has_task => {
            return Err(Usage("--task names a task of a SymbiYosys project".to_owned()).into());
        }
        "filelist" => {
            let source = input.text()?;
            let folder = input.path.parent().unwrap_or(Path::new(""));
            gathered.list(&source, folder, 0)?;
        }
        _ => {
            let (sources, lists) = (input.options.values(SOURCE), input.options.values(FILE_LIST));
            if sources.is_empty() && lists.is_empty() {
                return Ok(None);
            }
            gathered.add(input.lossy_text())?;
            for file in sources {
                gathered.add(read(Path::new(file), None)?)?;
            }
        }
    }
    for list in input.options.values(FILE_LIST) {
        let source = read(Path::new(list), None)?;
        gathered.list(&source, Path::new(""), 0)?;
    }
    match gathered.parts.is_empty() {
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
        if self.parts.iter().any(|(known, _)| known.name() == part.name()) {
            return Ok(());
        }
        if self.text.len() + part.text().len() > MOST_BYTES {
            return Err(LoadError::Unreadable {
                path: PathBuf::from(part.name()),
                reason: "the files of the design are too large".to_owned(),
            });
        }
        self.parts.push((part.clone(), self.text.len()));
        self.text.push_str(part.text());
        if !part.text().ends_with('\n') {
            self.text.push('\n');
        }
        Ok(())
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

    /// What was passed over in a project file, said in one line each.
    pub(crate) fn tell(&mut self, source: &Source, warnings: &[Diagnostic]) {
        for warning in warnings {
            let line = source.place(warning.span().start).line;
            let message = format!("{}:{line}: {}", source.name(), warning.message);
            self.warnings
                .push(Diagnostic::warning(warning.code, message, Span::new(0, 0), ""));
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
            },
            Mode::Cover => Wanted {
                assertions: false,
                covers: true,
            },
        };
        if matches!(project.mode, Mode::Bmc | Mode::Cover) {
            let message = format!(
                "{}: answers are not only about the first {} steps; --bound {} limits them to these",
                source.name(),
                project.depth,
                project.depth - 1
            );
            self.warnings.push(Diagnostic::warning(
                "project::depth",
                message,
                Span::new(0, 0),
                "",
            ));
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
        match self.parts.is_empty() {
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
            text: String::new(),
            parts: Vec::new(),
            settings: Settings::of(input.options)?,
            top: input.options.value("top").map(str::to_owned),
            wanted: Wanted::ALL,
            warnings: Vec::new(),
        })
    }

    /// The file that a place of the text is in, and the place there.
    fn part(&self, span: Span) -> Option<(&Source, Span)> {
        let (source, begin) = self.parts.iter().rev().find(|(_, begin)| *begin <= span.start)?;
        let moved = Span::new(span.start - begin, span.end.saturating_sub(*begin));
        Some((source, moved.within(source.text())))
    }

    /// An error of the whole text as one of the file that it is about.
    pub(crate) fn located(&self, error: LoadError) -> LoadError {
        let LoadError::Invalid {
            source_text,
            diagnostics,
        } = error
        else {
            return error;
        };
        let first = diagnostics.0.first().and_then(|one| self.part(one.span()));
        let Some((source, _)) = first.filter(|_| source_text.text() == self.text) else {
            return LoadError::Invalid {
                source_text,
                diagnostics,
            };
        };
        let of_file = diagnostics.0.iter().filter_map(|one| {
            let (file, span) = self.part(one.span())?;
            let mut moved = one.clone();
            for label in &mut moved.labels {
                label.span = self.part(label.span).map_or(span, |(_, span)| span);
            }
            (file.name() == source.name()).then_some(moved)
        });
        let of_file: Vec<Diagnostic> = of_file.collect();
        LoadError::invalid(source, Diagnostics(of_file))
    }

    /// Warnings about the whole text, with file and line in words.
    pub(crate) fn in_words(&self, warnings: &[Diagnostic]) -> Vec<Diagnostic> {
        let said = |one: &Diagnostic| {
            let message = match self.part(one.span()).filter(|_| !one.span().is_empty()) {
                None => one.message.clone(),
                Some((file, span)) => {
                    format!("{}:{}: {}", file.name(), file.place(span.start).line, one.message)
                }
            };
            Diagnostic::warning(one.code, message, Span::new(0, 0), "")
        };
        warnings.iter().map(said).collect()
    }

    /// The name of a property that is called by its place, `design:LINE` of the whole text, by file and line.
    pub(crate) fn place_name(&self, span: Span) -> Option<String> {
        let (file, span) = self.part(span)?;
        let name = file.name().rsplit('/').next().unwrap_or(file.name());
        Some(format!("{name}:{}", file.place(span.start).line))
    }
}
