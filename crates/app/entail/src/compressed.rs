//! Models in compressed files: `.gz`, `.bz2` and `.xz` are unpacked on the way in, whatever the language; the name without that ending tells it.

use entail_budget::Budget;
use entail_family::LoadError;
use entail_source::MOST_BYTES;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes that are unpacked between two looks at the budget.
const CHUNK: usize = 1 << 20;

/// How a file is compressed, as its name tells it.
fn packing(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    ["gz", "bz2", "xz"].into_iter().find(|known| *known == extension)
}

/// The name that a file had before it was compressed.
pub(crate) fn unpacked_name(path: &Path) -> PathBuf {
    match packing(path) {
        Some(_) => path.with_extension(""),
        None => path.to_owned(),
    }
}

/// The bytes of a file as they were before it was compressed.
pub(crate) fn unpacked(bytes: Vec<u8>, path: &Path, budget: &Budget) -> Result<Vec<u8>, LoadError> {
    match packing(path) {
        Some("gz") => read_all(flate2::read::MultiGzDecoder::new(&bytes[..]), path, budget),
        Some("xz") => {
            let mut room = Room {
                bytes: Vec::new(),
                budget,
            };
            match lzma_rs::xz_decompress(&mut &bytes[..], &mut room) {
                Ok(()) => Ok(room.bytes),
                Err(error) => {
                    budget.check_now()?;
                    Err(unreadable(path, format!("it cannot be unpacked: {error}")))
                }
            }
        }
        Some(_) => read_all(bzip2_rs::DecoderReader::new(&bytes[..]), path, budget),
        None => Ok(bytes),
    }
}

/// Room for what a library writes while it unpacks: as much as a file may have, while the budget lasts.
struct Room<'b> {
    bytes: Vec<u8>,
    budget: &'b Budget,
}

impl Write for Room<'_> {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        self.budget.check_now().map_err(io::Error::other)?;
        if (self.bytes.len() + more.len()) as u64 > MOST_BYTES {
            return Err(io::Error::other(too_long()));
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn unreadable(path: &Path, reason: String) -> LoadError {
    LoadError::Unreadable {
        path: path.to_owned(),
        reason,
    }
}

fn too_long() -> String {
    format!("unpacked, it has more than {} GiB", MOST_BYTES >> 30)
}

fn read_all(mut reader: impl Read, path: &Path, budget: &Budget) -> Result<Vec<u8>, LoadError> {
    let mut bytes = Vec::new();
    loop {
        budget.check_now()?;
        let read = (&mut reader).take(CHUNK as u64).read_to_end(&mut bytes);
        match read {
            Ok(0) => return Ok(bytes),
            Ok(_) if bytes.len() as u64 > MOST_BYTES => {
                return Err(unreadable(path, too_long()));
            }
            Ok(_) => {}
            Err(error) => return Err(unreadable(path, format!("it cannot be unpacked: {error}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compressed_file_is_what_was_packed_and_a_broken_one_is_said_to_be() {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(b"parity 1;").expect("memory");
        let packed = packer.finish().expect("memory");
        let budget = Budget::unlimited();
        let bytes = unpacked(packed.clone(), Path::new("a.pg.gz"), &budget).expect("correct");
        assert_eq!(bytes, b"parity 1;");
        assert_eq!(unpacked_name(Path::new("a.pg.gz")), PathBuf::from("a.pg"));
        assert!(unpacked(packed[..9].to_vec(), Path::new("a.pg.gz"), &budget).is_err());
        assert!(unpacked(packed, Path::new("a.pg.bz2"), &budget).is_err());
        let mut packed = Vec::new();
        lzma_rs::xz_compress(&mut &b"parity 1;"[..], &mut packed).expect("memory");
        let bytes = unpacked(packed.clone(), Path::new("a.pg.xz"), &budget).expect("correct");
        assert_eq!(bytes, b"parity 1;");
        assert!(unpacked(packed[..9].to_vec(), Path::new("a.pg.xz"), &budget).is_err());
        let plain = unpacked(b"x".to_vec(), Path::new("a.pg"), &budget).expect("plain");
        assert_eq!(plain, b"x");
    }
}
