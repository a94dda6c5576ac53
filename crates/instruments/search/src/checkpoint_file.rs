//! Checkpoints in files: searches saved on the way, to be continued later.
//!
//! ```text
//! entail checkpoint 3
//! version   of Entail: another may number states or lay them out otherwise
//! model     SHA-256 of the model
//! property  SHA-256 of what is asked
//! options   those that change what is searched
//!
//! the search (`saved.rs`)
//! SHA-256 of everything before, 32 bytes
//! ```
//!
//! A file is gone on with only if all of this is right; the checksum is of the whole content, so what was damaged or cut off anywhere is seen before anything of it is used. It
//! finds damage, not forgery: whoever can write the file can write its checksum.
//!
//! A file is written beside the old one and takes its place when it is complete; whatever happens, one of them is there. A search does not end because it cannot be saved: that is
//! said, and it goes on.

use crate::options::Checkpoints;
use sha2::{Digest, Sha256};
use std::fmt::{self, Debug};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const FIRST_WORDS: &str = "entail checkpoint ";
/// The version of the format. The first one had no checksum.
const FORMAT: &str = "3";
/// Bytes of the checksum.
const SUM: usize = 32;
/// A head is shorter than this.
const MOST_HEAD: u64 = 4096;

/// Why a checkpoint cannot be gone on with, or written.
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
    /// It could never be written.
    #[error("cannot write the checkpoint {path}: {reason}")]
    Unwritable {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// It is something else.
    #[error("{0} is not a checkpoint of Entail")]
    Other(String),
    /// It was written by another version.
    #[error("the checkpoint {0} was written by another version of Entail")]
    Version(String),
    /// It is not as it was written.
    #[error("the checkpoint {0} is damaged: its checksum is wrong")]
    Damaged(String),
    /// It was made for something else.
    #[error("the checkpoint {path} was made for {what}")]
    Foreign {
        /// The file.
        path: String,
        /// For what.
        what: &'static str,
    },
}

/// Takes note of what cannot be saved.
type Warn = Box<dyn Fn(&str) + Send + Sync>;

/// Where a search is saved.
pub struct CheckpointFile {
    path: PathBuf,
    /// The search to begin with, checked and opened behind its head.
    from: Mutex<Option<Box<dyn BufRead + Send>>>,
    head: Head,
    every: Duration,
    /// When to save next.
    next: Mutex<Instant>,
    warn: Warn,
    /// Whether it could not be saved the last time, which is said once.
    in_trouble: Mutex<bool>,
}

impl Debug for CheckpointFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckpointFile")
            .field("path", &self.path)
            .field("head", &self.head)
            .field("every", &self.every)
            .finish_non_exhaustive()
    }
}

impl CheckpointFile {
    /// A file for a search of a subject, written again and again after some time. With `from`, the search goes on from there. `warn` is told when it cannot be written.
    pub fn new(
        path: PathBuf,
        from: Option<&Path>,
        every: Duration,
        subject: Subject,
        warn: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<CheckpointFile, CheckpointError> {
        let head = Head::new(subject);
        let from = match from {
            Some(from) => Some(head.open(from)?),
            None => None,
        };
        is_writable(&path)?;
        Ok(CheckpointFile {
            path,
            from: Mutex::new(from),
            head,
            every,
            next: Mutex::new(Instant::now() + every),
            warn: Box::new(warn),
            in_trouble: Mutex::new(false),
        })
    }

    fn write(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let folder = folder_of(&self.path);
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        // Whatever goes wrong from here on, the file is taken away again.
        let file = tempfile::Builder::new()
            .prefix(&format!(".{name}."))
            .suffix(".part")
            .tempfile_in(folder)?;
        let mut file = Summed::new(BufWriter::with_capacity(1 << 20, file));
        file.write_all(self.head.text().as_bytes())?;
        write(&mut file)?;
        let Summed { inner: mut file, sum } = file;
        file.write_all(&sum.finalize())?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        // The folder, too, must know the new name. Where folders cannot be opened, they need not be.
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// What will never be a file is refused at once; a disk that is full now need not be later.
fn is_writable(path: &Path) -> Result<(), CheckpointError> {
    let unwritable = |reason: String| CheckpointError::Unwritable {
        path: path.to_string_lossy().into_owned(),
        reason,
    };
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => return Err(unwritable("it is not a file".into())),
        _ => {}
    }
    match tempfile::tempfile_in(folder_of(path)) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
            ) =>
        {
            Ok(())
        }
        Err(error) => Err(unwritable(error.to_string())),
        Ok(_) => Ok(()),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Checkpoints for CheckpointFile {
    fn is_due(&self) -> bool {
        Instant::now() >= *lock(&self.next)
    }

    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let begun = Instant::now();
        let trouble = self.write(write).err();
        let was_in_trouble = std::mem::replace(&mut *lock(&self.in_trouble), trouble.is_some());
        if let (Some(reason), false) = (trouble, was_in_trouble) {
            let path = self.path.display();
            let left = match self.path.exists() {
                true => "the file is as it was before",
                false => "there is no file",
            };
            (self.warn)(&format!(
                "cannot save the search in {path}: {reason}; it goes on, {left}"
            ));
        }
        // Saving takes at most a tenth of the time.
        *lock(&self.next) = Instant::now() + self.every.max(begun.elapsed() * 9);
    }

    fn saved(&self) -> Option<Box<dyn BufRead + Send>> {
        lock(&self.from).take()
    }
}

/// What a search is of: a saved one is gone on with only if all of it is the same.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The [`digest`] of the model.
    pub model: String,
    /// The [`digest`] of what is asked.
    pub property: String,
    /// The options that change what is searched, on one line.
    pub options: String,
}

/// The first lines of a file.
#[derive(Debug)]
struct Head {
    /// What is compared, in the order of the file, and what each line says.
    lines: [(&'static str, String); 4],
}

impl Head {
    fn new(subject: Subject) -> Head {
        Head {
            lines: [
                ("version", env!("CARGO_PKG_VERSION").to_owned()),
                ("model", subject.model),
                ("property", subject.property),
                ("options", subject.options),
            ],
        }
    }

    fn text(&self) -> String {
        let mut text = format!("{FIRST_WORDS}{FORMAT}\n");
        for (what, value) in &self.lines {
            text += &format!("{what} {value}\n");
        }
        text + "\n"
    }

    /// A file behind its head, if it is whole and the head is this one.
    fn open(&self, path: &Path) -> Result<Box<dyn BufRead + Send>, CheckpointError> {
        let name = || path.to_string_lossy().into_owned();
        let unreadable = |error| CheckpointError::Unreadable { path: name(), error };
        let mut file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        let mut head = Vec::new();
        if metadata.is_file() {
            (&file)
                .take(MOST_HEAD)
                .read_to_end(&mut head)
                .map_err(unreadable)?;
        }
        // What it is comes first, so that other files and versions are called what they are.
        let mut lines = head.split(|&byte| byte == b'\n');
        let format = lines
            .next()
            .and_then(|line| line.strip_prefix(FIRST_WORDS.as_bytes()));
        match format {
            None => return Err(CheckpointError::Other(name())),
            Some(format) if format != FORMAT.as_bytes() => return Err(CheckpointError::Version(name())),
            Some(_) => {}
        }
        let content = metadata.len().checked_sub(SUM as u64);
        let content = content.ok_or_else(|| CheckpointError::Damaged(name()))?;
        if !has_right_sum(&mut file, content).map_err(unreadable)? {
            return Err(CheckpointError::Damaged(name()));
        }
        for (what, value) in &self.lines {
            if lines.next() != Some(format!("{what} {value}").as_bytes()) {
                let foreign = |what| CheckpointError::Foreign { path: name(), what };
                return Err(match *what {
                    "version" => CheckpointError::Version(name()),
                    "model" => foreign("another model"),
                    "property" => foreign("another property"),
                    _ => foreign("other options"),
                });
            }
        }
        let begin = self.text().len() as u64;
        file.seek(SeekFrom::Start(begin)).map_err(unreadable)?;
        let body = file.take(content.saturating_sub(begin));
        Ok(Box::new(BufReader::with_capacity(1 << 16, body)))
    }
}

/// Whether the checksum behind so many bytes of a file is theirs.
fn has_right_sum(file: &mut File, content: u64) -> io::Result<bool> {
    file.seek(SeekFrom::Start(0))?;
    let mut summed = Summed::new(io::sink());
    io::copy(&mut Read::take(&*file, content), &mut summed)?;
    let mut sum = Vec::new();
    Read::take(&*file, SUM as u64 + 1).read_to_end(&mut sum)?;
    Ok(summed.sum.finalize().as_slice() == sum)
}

/// Computes the checksum of what is written through it.
struct Summed<W> {
    inner: W,
    sum: Sha256,
}

impl<W> Summed<W> {
    fn new(inner: W) -> Summed<W> {
        Summed {
            inner,
            sum: Sha256::new(),
        }
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The digest of everything that a thing shows of itself, in hexadecimal digits.
pub fn digest(thing: &dyn Debug) -> String {
    let mut summed = Summed::new(io::sink());
    // Writing into nothing does not fail.
    let _ = write!(summed, "{thing:?}");
    let digits = summed.sum.finalize();
    digits.iter().map(|byte| format!("{byte:02x}")).collect()
}
