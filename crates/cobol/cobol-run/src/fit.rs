//! Characters put into areas: cut or padded with spaces.

use std::ops::Range;

/// Characters into an area: cut or padded with spaces, at the right or at the left.
pub(super) fn fit(text: &[u8], to: &mut [u8], right: bool) {
    let length = text.len().min(to.len());
    if right {
        let (pad, rest) = to.split_at_mut(to.len() - length);
        pad.fill(b' ');
        rest.copy_from_slice(&text[text.len() - length..]);
    } else {
        let (head, pad) = to.split_at_mut(length);
        head.copy_from_slice(&text[..length]);
        pad.fill(b' ');
    }
}

/// The same of characters that lie in the same storage, and may lie over the area.
pub(super) fn fit_within(memory: &mut [u8], from: Range<usize>, to: Range<usize>, right: bool) {
    let length = from.len().min(to.len());
    if right {
        memory.copy_within(from.end - length..from.end, to.end - length);
        memory[to.start..to.end - length].fill(b' ');
    } else {
        memory.copy_within(from.start..from.start + length, to.start);
        memory[to.start + length..to.end].fill(b' ');
    }
}
