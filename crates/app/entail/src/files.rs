//! Writing files, one way for everything.
//!
//! A file is written beside its place and renamed when it is complete: a full disk, a kill or a crash leaves what was there before, and
//! never a part. What is no regular file (a pipe, `/dev/stdout`) is written as it is. (Files are read by [`entail_source::read_file`].)

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes a file: all of it, or nothing.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_file_with(path, |out| out.write_all(bytes))
}

/// The same for what is written piece by piece.
pub fn write_file_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let existing = std::fs::metadata(path).ok();
    if existing.as_ref().is_some_and(|about| !about.is_file()) {
        // A folder is an error that the operating system words; a pipe or a device cannot be replaced.
        let mut out = BufWriter::new(File::options().write(true).open(path)?);
        write(&mut out)?;
        return out.flush();
    }
    // A link stays one: what it leads to is replaced.
    let place = match std::fs::canonicalize(path) {
        Ok(place) => place,
        Err(_) => path.to_owned(),
    };
    let folder = match place.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".entail-").suffix(".part");
    if let Some(permissions) = existing.as_ref().map(|about| about.permissions()).or_else(usual) {
        builder.permissions(permissions);
    }
    let beside = match builder.tempfile_in(&folder) {
        Ok(beside) => beside,
        // Nothing may be made in the folder; the file itself can perhaps be written.
        Err(error) if error.kind() == ErrorKind::PermissionDenied && existing.is_some() => {
            let mut out = BufWriter::new(File::create(&place)?);
            write(&mut out)?;
            return out.flush();
        }
        Err(error) => return Err(bare(error)),
    };
    let mut out = BufWriter::new(beside);
    write(&mut out).map_err(bare)?;
    out.flush().map_err(bare)?;
    let beside = out.into_inner().map_err(|error| bare(error.into_error()))?;
    beside
        .persist(&place)
        .map(drop)
        .map_err(|error| bare(error.error))
}

/// What a new file is usually allowed to be; the user's mask is applied to it.
#[cfg(unix)]
fn usual() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn usual() -> Option<Permissions> {
    None
}

/// The message of the operating system alone: the file beside has no name that a user knows.
fn bare(error: io::Error) -> io::Error {
    let code = |error: &io::Error| error.raw_os_error();
    let inside = error
        .get_ref()
        .and_then(|inner| inner.source()?.downcast_ref::<io::Error>());
    match code(&error).or_else(|| inside.and_then(code)) {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_that_cannot_be_completed_leaves_the_old_one_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.json");
        write_file(&path, b"old").expect("writable");
        let result = write_file_with(&path, |out| {
            out.write_all(&[b'x'; 100_000])?;
            Err(io::Error::from(ErrorKind::StorageFull))
        });
        assert!(result.is_err());
        assert_eq!(std::fs::read(&path).expect("readable"), b"old");
        assert_eq!(names(folder.path()), ["a.json"]);
        write_file(&path, b"new").expect("writable");
        assert_eq!(std::fs::read(&path).expect("readable"), b"new");
        assert_eq!(names(folder.path()), ["a.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_devices_are_written_as_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::write(&real, "old").expect("writable");
        std::os::unix::fs::symlink(&real, &link).expect("a link");
        write_file(&link, b"new").expect("writable");
        assert_eq!(std::fs::read(&real).expect("readable"), b"new");
        assert!(link.is_symlink());
        write_file(Path::new("/dev/null"), b"gone").expect("writable");
    }
}
