//! Reading files, one way for everything.
//!
//! A device has no end (`/dev/zero`), so it is no file to be read; a pipe or a file that does not end is given up when it is longer than
//! anything we can use.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Read};
use std::path::Path;

/// Files with more bytes are not read.
pub const MOST_BYTES: u64 = 2 << 30;

/// Opens a file to be read.
pub fn open_file(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is a folder"));
    }
    if is_device(&about) && !file.is_terminal() {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is a device, not a file",
        ));
    }
    Ok(file)
}

/// The bytes of a file.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = open_file(path)?;
    let about = file.metadata()?;
    let too_long = || {
        let message = format!("it has more than {} GiB", MOST_BYTES >> 30);
        io::Error::new(ErrorKind::InvalidInput, message)
    };
    if about.len() > MOST_BYTES {
        return Err(too_long());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or(0));
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MOST_BYTES {
        true => Err(too_long()),
        false => Ok(bytes),
    }
}

#[cfg(unix)]
fn is_device(about: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    about.file_type().is_char_device() || about.file_type().is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: &std::fs::Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn devices_are_not_read() {
        assert!(read_file(Path::new("/dev/zero")).is_err());
        assert!(read_file(Path::new("/")).is_err());
    }
}
