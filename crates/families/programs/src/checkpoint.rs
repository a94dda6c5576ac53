//! Checkpoints: searches of programs saved in files on the way, to be continued later.
//!
//! A file begins with a line that says for what model, requirement and options it was made, so that no other search continues from it. It is
//! written beside the old one and takes its place when it is complete; whatever happens, one of them is there.

use crate::model::ProgramModel;
use entail_explicit::{Checkpoints, SearchOptions};
use entail_program::Program;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const FIRST_LINE: &str = "entail checkpoint";

/// Why a search cannot continue from a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// It cannot be read.
    #[error("cannot read the checkpoint {path}: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// It is something else.
    #[error("{0} is not a checkpoint of this version of Entail")]
    Other(String),
    /// It was made for something else.
    #[error("the checkpoint {0} was made for another model, property or options")]
    Foreign(String),
}

/// Where a search is saved.
#[derive(Debug)]
pub struct CheckpointFile {
    path: PathBuf,
    /// The file to begin with.
    from: Option<PathBuf>,
    first_line: String,
    every: Duration,
    /// When to save next.
    next: Mutex<Instant>,
}

impl CheckpointFile {
    /// A file for a search of one requirement, written again and again after some time. With `from`, the search goes on from there.
    pub fn new(
        path: PathBuf,
        from: Option<PathBuf>,
        every: Duration,
        model: &ProgramModel,
        requirement: usize,
        options: &SearchOptions,
    ) -> Result<CheckpointFile, CheckpointError> {
        let mut hasher = DefaultHasher::new();
        // A file may be given another name.
        let program = Program {
            sources: Vec::new(),
            ..model.program().clone()
        };
        format!("{program:?}").hash(&mut hasher);
        format!("{:?}", model.requirements().get(requirement)).hash(&mut hasher);
        options.reduction.hash(&mut hasher);
        let first_line = format!(
            "{FIRST_LINE} {} {:016x}\n",
            env!("CARGO_PKG_VERSION"),
            hasher.finish()
        );
        let file = CheckpointFile {
            path,
            from,
            first_line,
            every,
            next: Mutex::new(Instant::now() + every),
        };
        if let Some(from) = &file.from {
            file.open(from)?;
        }
        Ok(file)
    }

    /// The file behind its first line, if that is right.
    fn open(&self, path: &Path) -> Result<BufReader<File>, CheckpointError> {
        let name = || path.to_string_lossy().into_owned();
        let unreadable = |error| CheckpointError::Unreadable { path: name(), error };
        let mut file = BufReader::with_capacity(1 << 16, File::open(path).map_err(unreadable)?);
        let mut line = Vec::new();
        let mut start = io::Read::take(&mut file, 200);
        start.read_until(b'\n', &mut line).map_err(unreadable)?;
        let version = format!("{FIRST_LINE} {} ", env!("CARGO_PKG_VERSION"));
        if line == self.first_line.as_bytes() {
            Ok(file)
        } else if line.starts_with(version.as_bytes()) {
            Err(CheckpointError::Foreign(name()))
        } else {
            Err(CheckpointError::Other(name()))
        }
    }

    fn next(&self) -> std::sync::MutexGuard<'_, Instant> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Checkpoints for CheckpointFile {
    fn is_due(&self) -> bool {
        Instant::now() >= *self.next()
    }

    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let begun = Instant::now();
        let folder = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut file = BufWriter::with_capacity(1 << 20, tempfile::NamedTempFile::new_in(folder)?);
        file.write_all(self.first_line.as_bytes())?;
        write(&mut file)?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        // The folder, too, must know the new name. Where folders cannot be opened, they need not be.
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
        // Saving takes at most a tenth of the time.
        *self.next() = Instant::now() + self.every.max(begun.elapsed() * 9);
        Ok(())
    }

    fn saved(&self) -> io::Result<Option<Box<dyn BufRead>>> {
        match &self.from {
            None => Ok(None),
            Some(from) => match self.open(from) {
                Ok(file) => Ok(Some(Box::new(file))),
                Err(error) => Err(io::Error::other(error.to_string())),
            },
        }
    }
}
