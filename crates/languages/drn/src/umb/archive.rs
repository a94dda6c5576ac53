//! Archives: files by name, as a tar that may be compressed (gzip, xz, bzip2).
//!
//! Everything is kept in memory, and nothing is believed: names must stay inside the archive, no name may come twice, and what is unpacked is counted.

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::Component;

/// More files than any model has.
const MOST_FILES: usize = 100_000;

/// Files by name.
#[derive(Debug, Default)]
pub(super) struct Archive {
    files: BTreeMap<String, Vec<u8>>,
}

/// A buffer that refuses to grow beyond a limit.
struct Bounded {
    bytes: Vec<u8>,
    limit: u64,
}

impl Write for Bounded {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if (self.bytes.len() + more.len()) as u64 > self.limit {
            return Err(too_large(self.limit));
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn too_large(limit: u64) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("unpacked, it has more than {limit} bytes"),
    )
}

/// All that a reader has, if it is at most so much.
fn bounded(reader: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > limit {
        true => Err(too_large(limit)),
        false => Ok(bytes),
    }
}

/// The tar inside, whatever it was compressed with; the first bytes tell.
fn uncompressed(bytes: &[u8], limit: u64) -> io::Result<Vec<u8>> {
    match bytes {
        [0x1f, 0x8b, ..] => bounded(MultiGzDecoder::new(bytes), limit),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            let mut unpacked = Bounded {
                bytes: Vec::new(),
                limit,
            };
            let mut packed = bytes;
            lzma_rs::xz_decompress(&mut packed, &mut unpacked)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
            Ok(unpacked.bytes)
        }
        [b'B', b'Z', b'h', ..] => bounded(bzip2_rs::DecoderReader::new(bytes), limit),
        _ => bounded(bytes, limit),
    }
}

impl Archive {
    /// Unpacks an archive of at most so many bytes.
    pub fn unpack(bytes: &[u8], limit: u64) -> Result<Archive, String> {
        let broken = |error: io::Error| format!("the archive cannot be read: {error}");
        let unpacked = uncompressed(bytes, limit).map_err(broken)?;
        let mut archive = Archive::default();
        let mut left = limit;
        for entry in tar::Archive::new(&unpacked[..]).entries().map_err(broken)? {
            let entry = entry.map_err(broken)?;
            let path = entry.path().map_err(broken)?.into_owned();
            let inside =
                (path.components()).all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
            let name = path.to_string_lossy().trim_start_matches("./").to_owned();
            if !inside {
                return Err(format!("the archive has a file outside of itself: `{name}`"));
            }
            let kind = entry.header().entry_type();
            if kind.is_dir() {
                continue;
            }
            if !kind.is_file() {
                return Err(format!(
                    "`{name}` in the archive is no file: links and devices are refused"
                ));
            }
            let content = bounded(entry, left).map_err(broken)?;
            left -= content.len() as u64;
            if archive.files.insert(name.clone(), content).is_some() {
                return Err(format!("the archive has the file `{name}` twice"));
            }
            if archive.files.len() > MOST_FILES {
                return Err(format!("the archive has more than {MOST_FILES} files"));
            }
        }
        Ok(archive)
    }

    /// A file, if it is there.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(Vec::as_slice)
    }

    /// A file that must be there.
    pub fn needed(&self, name: &str) -> Result<&[u8], String> {
        self.get(name)
            .ok_or_else(|| format!("the archive has no file `{name}`"))
    }

    /// Adds a file.
    pub fn put(&mut self, name: impl Into<String>, content: Vec<u8>) {
        self.files.insert(name.into(), content);
    }

    /// The archive as a compressed tar: the index first, the same bytes every time.
    pub fn pack(&self) -> Result<Vec<u8>, String> {
        let broken = |error: io::Error| format!("the archive cannot be made: {error}");
        let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
        let first = |name: &str| name != "index.json";
        let mut names: Vec<&String> = self.files.keys().collect();
        names.sort_by_key(|name| (first(name), name.as_str()));
        for name in names {
            let content = &self.files[name];
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            tar.append_data(&mut header, name, &content[..]).map_err(broken)?;
        }
        tar.into_inner().and_then(GzEncoder::finish).map_err(broken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tar_with(name: &str, content: &[u8], kind: tar::EntryType) -> Vec<u8> {
        let mut tar = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        // Names that the library would not write.
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        header.set_cksum();
        tar.append(&header, content).expect("memory");
        tar.append(&header, content).expect("memory");
        tar.into_inner().expect("memory")
    }

    #[test]
    fn an_archive_is_what_was_packed_and_nothing_leaves_it() {
        let mut archive = Archive::default();
        archive.put("index.json", b"{}".to_vec());
        archive.put("actions/choices/values.bin", vec![1, 2, 3]);
        let packed = archive.pack().expect("memory");
        assert_eq!(
            packed,
            archive.pack().expect("memory"),
            "the same bytes every time"
        );
        let again = Archive::unpack(&packed, 1 << 20).expect("correct");
        assert_eq!(again.files, archive.files);
        for (name, kind, problem) in [
            ("../index.json", tar::EntryType::Regular, "outside"),
            ("/etc/passwd", tar::EntryType::Regular, "outside"),
            ("a/../../b", tar::EntryType::Regular, "outside"),
            ("link", tar::EntryType::Symlink, "no file"),
            ("device", tar::EntryType::Block, "no file"),
            ("index.json", tar::EntryType::Regular, "twice"),
        ] {
            let hostile = tar_with(name, b"x", kind);
            let refused = Archive::unpack(&hostile, 1 << 20).expect_err(name);
            assert!(refused.contains(problem), "{name}: {refused}");
        }
    }

    #[test]
    fn what_unpacks_to_too_much_is_refused() {
        let zeros = vec![0u8; 1 << 20];
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(&zeros).expect("memory");
        let mut as_xz = Vec::new();
        lzma_rs::xz_compress(&mut &zeros[..], &mut as_xz).expect("memory");
        for packed in [packer.finish().expect("memory"), as_xz] {
            let refused = Archive::unpack(&packed, 1 << 16).expect_err("too large");
            assert!(refused.contains("more than 65536 bytes"), "{refused}");
        }
        // A header that promises more than there is.
        let mut header = tar::Header::new_gnu();
        header.set_path("index.json").expect("a name");
        header.set_size(1 << 40);
        header.set_cksum();
        assert!(Archive::unpack(header.as_bytes(), 1 << 20).is_err());
    }
}
