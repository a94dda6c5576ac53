//! What need not be in memory: queues of states and where states came from, in temporary files once they are large.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

/// So many bytes are kept in memory.
const IN_MEMORY: usize = 64 << 20;

/// The states of one level of a search, written one after the other, then read in the same order.
#[derive(Debug, Default)]
struct Level {
    memory: Vec<u8>,
    file: Option<BufWriter<File>>,
}

impl Level {
    fn push(&mut self, state: &[u8]) -> io::Result<()> {
        if self.memory.len() > IN_MEMORY {
            let file = match &mut self.file {
                Some(file) => file,
                None => self.file.insert(BufWriter::new(tempfile::tempfile()?)),
            };
            file.write_all(&self.memory)?;
            self.memory.clear();
        }
        self.memory.extend_from_slice(&(state.len() as u32).to_le_bytes());
        self.memory.extend_from_slice(state);
        Ok(())
    }
}

/// A queue of states in levels: what is pushed while one level is read is the next.
#[derive(Debug, Default)]
pub struct Queue {
    next: Level,
    pushed: u64,
    /// What is read first: the file, then the memory from a place on.
    file: Option<BufReader<File>>,
    memory: Vec<u8>,
    at: usize,
    left: u64,
}

impl Queue {
    pub fn push(&mut self, state: &[u8]) -> io::Result<()> {
        self.pushed += 1;
        self.next.push(state)
    }

    /// How many states wait in the next level.
    pub fn pushed(&self) -> u64 {
        self.pushed
    }

    /// Begins to read what was pushed.
    pub fn turn(&mut self) -> io::Result<()> {
        let level = std::mem::take(&mut self.next);
        self.file = match level.file {
            None => None,
            Some(writer) => {
                let mut file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.seek(SeekFrom::Start(0))?;
                Some(BufReader::with_capacity(1 << 16, file))
            }
        };
        self.memory = level.memory;
        self.at = 0;
        self.left = std::mem::take(&mut self.pushed);
        Ok(())
    }

    /// Reads the next state of the level; false at its end.
    pub fn pop(&mut self, state: &mut Vec<u8>) -> io::Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        let mut length = [0; 4];
        if let Some(file) = &mut self.file {
            match file.read_exact(&mut length) {
                Ok(()) => {
                    state.resize(u32::from_le_bytes(length) as usize, 0);
                    file.read_exact(state)?;
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => self.file = None,
                Err(error) => return Err(error),
            }
        }
        let mut rest = &self.memory[self.at..];
        rest.read_exact(&mut length)?;
        state.resize(u32::from_le_bytes(length) as usize, 0);
        rest.read_exact(state)?;
        self.at += 4 + state.len();
        Ok(true)
    }
}

/// Numbers in the order in which they were pushed.
#[derive(Debug, Default)]
pub struct Log {
    memory: Vec<u64>,
    file: Option<File>,
    written: u64,
}

impl Log {
    pub fn push(&mut self, number: u64) -> io::Result<()> {
        if self.memory.len() * 8 >= IN_MEMORY {
            let file = match &mut self.file {
                Some(file) => file,
                None => self.file.insert(tempfile::tempfile()?),
            };
            file.seek(SeekFrom::End(0))?;
            file.write_all(bytemuck::cast_slice(&self.memory))?;
            self.written += self.memory.len() as u64;
            self.memory.clear();
        }
        self.memory.push(number);
        Ok(())
    }

    pub fn get(&mut self, at: u64) -> io::Result<u64> {
        match (at.checked_sub(self.written), &mut self.file) {
            (None, Some(file)) => {
                let mut bytes = [0; 8];
                file.seek(SeekFrom::Start(8 * at))?;
                file.read_exact(&mut bytes)?;
                Ok(u64::from_ne_bytes(bytes))
            }
            (at, _) => {
                let number = self.memory.get(at.unwrap_or(u64::MAX) as usize);
                number.copied().ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_and_logs_give_back_what_was_put_into_files() {
        let mut queue = Queue::default();
        let mut log = Log::default();
        let state = |at: u64| vec![at as u8; 200 + (at % 300) as usize];
        for level in 0..2 {
            for at in 0..500_000u64 {
                queue.push(&state(at + level)).expect("room");
                log.push(at).expect("room");
            }
            for at in 0..9_000_000 * level {
                log.push(at).expect("room");
            }
            queue.turn().expect("it can be read");
            let mut found = Vec::new();
            for at in 0..500_000 {
                assert!(queue.pop(&mut found).expect("it can be read"));
                assert!(found == state(at + level));
            }
            assert!(!queue.pop(&mut found).expect("it can be read"));
        }
        for at in [0, 1, 499_999, 600_000, 1_000_000, 9_999_999] {
            let expected = if at < 1_000_000 {
                at % 500_000
            } else {
                at - 1_000_000
            };
            assert_eq!(log.get(at).expect("it can be read"), expected);
        }
        assert!(log.get(10_000_000).is_err());
    }
}
