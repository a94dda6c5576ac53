//! Bytes that are written one after the other and read at any place: in memory while they are few, then in a file without a name.
//!
//! Such a file is gone when it is closed, however the program ends. What goes wrong with one is told with the folder it is in.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// So many bytes are kept in memory, and written to the file together.
const IN_MEMORY: usize = 1 << 20;

/// A folder for files.
#[derive(Clone, Debug)]
pub struct Folder(Arc<PathBuf>);

impl Folder {
    /// The folder with this path, or the one for temporary files.
    pub fn new(path: Option<&Path>) -> Folder {
        Folder(Arc::new(path.map_or_else(std::env::temp_dir, Path::to_owned)))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Whether files can be made there.
    pub fn is_usable(&self) -> io::Result<()> {
        self.file().map(|_| ())
    }

    fn file(&self) -> io::Result<File> {
        tempfile::tempfile_in(&*self.0).map_err(|error| self.named(error))
    }

    /// An error with the path.
    fn named(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.0.display()))
    }
}

/// A list of bytes.
#[derive(Debug)]
pub struct Tape {
    folder: Folder,
    file: Option<File>,
    /// Bytes in the file; the others are in memory.
    written: u64,
    memory: Vec<u8>,
}

impl Tape {
    /// An empty one.
    pub fn new(folder: &Folder) -> Tape {
        Tape {
            folder: folder.clone(),
            file: None,
            written: 0,
            memory: Vec::new(),
        }
    }

    /// Number of bytes.
    pub fn len(&self) -> u64 {
        self.written + self.memory.len() as u64
    }

    /// Adds bytes.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.memory.extend_from_slice(bytes);
        if self.memory.len() >= IN_MEMORY {
            self.write_out()?;
        }
        Ok(())
    }

    /// Nothing will be added for some time: what is in a file already goes there altogether.
    pub fn rest(&mut self) -> io::Result<()> {
        if self.file.is_some() {
            self.write_out()?;
            self.memory = Vec::new();
        }
        self.memory.shrink_to_fit();
        Ok(())
    }

    fn write_out(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(self.folder.file()?),
        };
        // It may have been read in between.
        let mut write = || {
            file.seek(SeekFrom::Start(self.written))?;
            file.write_all(&self.memory)
        };
        write().map_err(|error| self.folder.named(error))?;
        self.written += self.memory.len() as u64;
        self.memory.clear();
        Ok(())
    }

    /// Reads the bytes from a place on. Only one thread may do so at a time.
    pub fn read(&self, at: u64, mut into: &mut [u8]) -> io::Result<()> {
        let in_file = self.written.saturating_sub(at).min(into.len() as u64) as usize;
        if let (Some(mut file), 1..) = (self.file.as_ref(), in_file) {
            let (first, rest) = into.split_at_mut(in_file);
            let read = file
                .seek(SeekFrom::Start(at))
                .and_then(|_| file.read_exact(first));
            read.map_err(|error| self.folder.named(error))?;
            into = rest;
        }
        let begin = (at + in_file as u64).saturating_sub(self.written) as usize;
        let bytes = self.memory.get(begin..).and_then(|rest| rest.get(..into.len()));
        into.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}
