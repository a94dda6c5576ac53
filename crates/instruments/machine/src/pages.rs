//! Memory in large pages.
//!
//! A table of visited states is read at random places. With pages of 4 KiB the processor looks up most of their addresses in memory first; with pages of 2 MiB it knows them.

/// Asks the system to let this memory lie in large pages where it can. It is best called before the memory is first touched, and never changes what is in it.
pub fn prefer_large_pages<T>(memory: &[T]) {
    #[cfg(target_os = "linux")]
    {
        const LARGE: usize = 2 << 20;
        let all = memory.as_ptr_range();
        let begin = all.start.addr().next_multiple_of(LARGE);
        let end = all.end.addr() / LARGE * LARGE;
        if begin < end {
            let address = all.start.cast_mut().with_addr(begin).cast();
            // SAFETY: the range is inside of the slice, and this advice only says how its pages are to be kept, not what is in them. If the system does not
            // take it, nothing happens.
            unsafe { libc::madvise(address, end - begin, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}
