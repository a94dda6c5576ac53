//! Memory that will be needed soon.

/// Asks the processor to bring an element of a slice into its caches. It returns at once, and does nothing for a position outside.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], position: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = slice.get(position) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch changes no memory and never faults, and the address is one of a live element besides.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, position);
}
