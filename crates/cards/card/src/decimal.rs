//! Decimal digits out of a cipher block, as the CVV takes them.

/// Bytes in a cipher block.
const BLOCK: usize = 8;

/// The first `length` digits (at most 16): all nibbles 0–9 from left to right, then all nibbles A–F less ten.
pub(crate) fn decimalised(block: [u8; BLOCK], length: usize) -> String {
    let nibbles = || block.iter().flat_map(|byte| [byte >> 4, byte & 0x0F]);
    let small = nibbles().filter(|nibble| *nibble < 10);
    let large = nibbles().filter(|nibble| *nibble >= 10).map(|nibble| nibble - 10);
    small.chain(large).take(length).map(|digit| char::from(b'0' + digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_first_then_letters() {
        let block = [0xA1, 0xC7, 0x2E, 0x74, 0xEA, 0x3F, 0xA9, 0xB6];
        assert_eq!(decimalised(block, 16), "1727439602440501");
        assert_eq!(decimalised(block, 3), "172");
        assert_eq!(decimalised([0xFF; 8], 4), "5555");
    }
}
