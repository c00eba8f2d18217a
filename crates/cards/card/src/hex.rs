//! Bytes as pairs of hexadecimal digits.

use std::fmt::Write;

/// Bytes as upper-case digits.
pub fn encode(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02X}");
        text
    })
}

/// Exactly `N` bytes from `2 * N` digits of either case; `None` for anything else.
pub fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
    }
    Some(bytes)
}

fn nibble(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        assert_eq!(encode(&[0x00, 0xAB, 0x7F]), "00AB7F");
        assert_eq!(decode::<3>("00ab7F"), Some([0x00, 0xAB, 0x7F]));
        for wrong in ["", "00AB7", "00AB7F00", "00AB7G", "00A€"] {
            assert_eq!(decode::<3>(wrong), None, "{wrong}");
        }
    }
}
