//! The retail MAC: ISO/IEC 9797-1 MAC algorithm 3 with DES, also ANSI X9.19.

use crate::key::{Block, Key, exclusive_or};

/// The padding of a text to whole blocks (the padding methods of ISO/IEC 9797-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// Method 1: zeros, as few as needed.
    Zeros,
    /// Method 2: one byte X'80', then zeros, as few as needed.
    OneThenZeros,
}

/// The whole MAC of 8 bytes: a chain of DES with K1, its last block decrypted with K2 and encrypted with K1.
pub fn retail_mac(key: &Key, text: &[u8], padding: Padding) -> Block {
    let first = key.first_half();
    let chained = blocks(text, padding)
        .fold(Block::default(), |chain, block| first.encrypt(exclusive_or(chain, block)));
    first.encrypt(key.second_half().decrypt(chained))
}

fn blocks(text: &[u8], padding: Padding) -> impl Iterator<Item = Block> {
    const LENGTH: usize = size_of::<Block>();
    let marked = padding == Padding::OneThenZeros;
    let count = if marked { text.len() / LENGTH + 1 } else { text.len().div_ceil(LENGTH).max(1) };
    (0..count).map(move |number| {
        std::array::from_fn(|i| match number * LENGTH + i {
            place if place < text.len() => text[place],
            place if marked && place == text.len() => 0x80,
            _ => 0,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    #[test]
    fn the_published_examples() {
        // ANSI X9.19 and ISO/IEC 9797-1 annex B.
        let key = Key::parse("0123456789ABCDEFFEDCBA9876543210").expect("32 digits");
        for (text, padding, mac) in [
            ("Now is the time for all ", Padding::Zeros, "A1C72E74EA3FA9B6"),
            ("Now is the time for it", Padding::Zeros, "2E2B1428CC78254F"),
            ("Now is the time for all ", Padding::OneThenZeros, "E9086230CA3BE796"),
        ] {
            assert_eq!(hex::encode(&retail_mac(&key, text.as_bytes(), padding)), mac, "{text}");
        }
    }

    #[test]
    fn an_empty_text_has_one_block() {
        let key = Key::new([7; 16]);
        assert_eq!(retail_mac(&key, &[], Padding::Zeros), retail_mac(&key, &[0], Padding::Zeros));
        assert_eq!(retail_mac(&key, &[], Padding::OneThenZeros), retail_mac(&key, &[0x80], Padding::Zeros));
    }
}
