//! How large the memories of a circuit are, told before it is read.

use rustc_hash::FxHashMap;

/// A memory of more bits is not taken apart into them.
const MOST_BITS: u64 = 1 << 16;

/// Whether a circuit, by its beginning, has a memory that is too large for bits.
pub fn has_large_memory(beginning: &[u8]) -> bool {
    let mut widths: FxHashMap<&[u8], u64> = FxHashMap::default();
    for line in beginning.split(|&byte| byte == b'\n') {
        let words: Vec<&[u8]> = (line.split(|byte| byte.is_ascii_whitespace()))
            .filter(|word| !word.is_empty())
            .collect();
        match words.as_slice() {
            [id, b"sort", b"bitvec", width, ..] => {
                let width = std::str::from_utf8(width)
                    .ok()
                    .and_then(|width| width.parse().ok());
                widths.insert(id, width.unwrap_or(0));
            }
            [_, b"sort", b"array", index, element, ..] => {
                let bits = |sort: &[u8]| widths.get(sort).copied().unwrap_or(0);
                let elements = u32::try_from(bits(index))
                    .ok()
                    .and_then(|bits| 1u64.checked_shl(bits));
                let size = elements.and_then(|elements| elements.checked_mul(bits(element)));
                if size.is_none_or(|size| size > MOST_BITS) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}
