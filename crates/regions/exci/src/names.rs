//! Names that programs give: padded with blanks, and nothing behind their end.

/// The name that begins with these bytes.
pub(crate) fn name<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut name = [b' '; N];
    for (into, byte) in name.iter_mut().zip(bytes) {
        // Low values are blanks to a region.
        *into = if *byte == 0 { b' ' } else { *byte };
    }
    name
}

/// Returns true if there is nothing in a name.
pub(crate) fn is_blank(name: &[u8]) -> bool {
    name.iter().all(|byte| *byte == b' ')
}
