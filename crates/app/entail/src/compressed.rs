//! Models in compressed files: `.gz` and `.bz2` are unpacked on the way in, whatever the language; the name without that ending tells it.

use entail_budget::Budget;
use entail_family::LoadError;
use entail_source::MOST_BYTES;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Bytes that are unpacked between two looks at the budget.
const CHUNK: usize = 1 << 20;

/// How a file is compressed, as its name tells it.
fn packing(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    ["gz", "bz2"].into_iter().find(|known| *known == extension)
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
        Some(_) => read_all(bzip2_rs::DecoderReader::new(&bytes[..]), path, budget),
        None => Ok(bytes),
    }
}

fn read_all(mut reader: impl Read, path: &Path, budget: &Budget) -> Result<Vec<u8>, LoadError> {
    let unreadable = |reason: String| LoadError::Unreadable {
        path: path.to_owned(),
        reason,
    };
    let mut bytes = Vec::new();
    loop {
        budget.check_now()?;
        let read = (&mut reader).take(CHUNK as u64).read_to_end(&mut bytes);
        match read {
            Ok(0) => return Ok(bytes),
            Ok(_) if bytes.len() as u64 > MOST_BYTES => {
                return Err(unreadable(format!(
                    "unpacked, it has more than {} GiB",
                    MOST_BYTES >> 30
                )));
            }
            Ok(_) => {}
            Err(error) => return Err(unreadable(format!("it cannot be unpacked: {error}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

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
        let plain = unpacked(b"x".to_vec(), Path::new("a.pg"), &budget).expect("plain");
        assert_eq!(plain, b"x");
    }
}
