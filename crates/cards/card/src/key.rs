//! Double-length keys for the triple DES: two halves of 8 bytes, K1 and K2.

use std::fmt;

use des::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use des::{Des, TdesEde2};

use crate::hex;

/// A cipher block.
pub type Block = [u8; 8];

/// A double-length key. It prints as its check value; [`Key::bytes`] gives it away.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; Key::LENGTH]);

impl Key {
    /// Bytes in a key.
    pub const LENGTH: usize = 16;
    /// Hexadecimal digits of a short check value.
    pub const CHECK_VALUE_LENGTH: usize = 6;

    /// A key of these bytes, whatever their parity.
    pub fn new(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }

    /// A key of 32 hexadecimal digits, whatever their parity.
    pub fn parse(text: &str) -> Option<Self> {
        hex::decode(text).map(Self)
    }

    /// The key of published test vectors: using it protects nothing.
    pub fn test() -> Self {
        Self(0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210_u128.to_be_bytes())
    }

    /// The key in clear.
    pub fn bytes(&self) -> [u8; Self::LENGTH] {
        self.0
    }

    /// The same key with the lowest bit of every byte set so that each has an odd number of ones; the cipher does not
    /// look at these bits.
    #[must_use]
    pub fn with_odd_parity(&self) -> Self {
        Self(self.0.map(|byte| byte & 0xFE | u8::from((byte & 0xFE).count_ones() % 2 == 0)))
    }

    /// Returns true if every byte has an odd number of ones.
    pub fn has_odd_parity(&self) -> bool {
        self.0.iter().all(|byte| byte.count_ones() % 2 == 1)
    }

    /// A cipher that is ready for many blocks.
    pub fn cipher(&self) -> Cipher {
        Cipher(TdesEde2::new(&self.0.into()))
    }

    /// The single-length cipher of the first half.
    pub(crate) fn first_half(&self) -> SingleCipher {
        SingleCipher::new(&self.0[..8])
    }

    /// The single-length cipher of the second half.
    pub(crate) fn second_half(&self) -> SingleCipher {
        SingleCipher::new(&self.0[8..])
    }

    /// The key check value: a block of zeros encrypted. Usually its first six digits are shown.
    pub fn check_value(&self) -> String {
        let mut digits = hex::encode(&self.cipher().encrypt([0; 8]));
        digits.truncate(Self::CHECK_VALUE_LENGTH);
        digits
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key(check value {})", self.check_value())
    }
}

/// Triple DES with a double-length key: encrypt with K1, decrypt with K2, encrypt with K1.
pub struct Cipher(TdesEde2);

impl Cipher {
    /// One block encrypted.
    pub fn encrypt(&self, block: Block) -> Block {
        let mut block = block.into();
        self.0.encrypt_block(&mut block);
        block.into()
    }

    /// One block decrypted.
    pub fn decrypt(&self, block: Block) -> Block {
        let mut block = block.into();
        self.0.decrypt_block(&mut block);
        block.into()
    }
}

/// DES with a half of a key.
pub(crate) struct SingleCipher(Des);

impl SingleCipher {
    fn new(half: &[u8]) -> Self {
        let mut key = Block::default();
        key.copy_from_slice(half);
        Self(Des::new(&key.into()))
    }

    pub(crate) fn encrypt(&self, block: Block) -> Block {
        let mut block = block.into();
        self.0.encrypt_block(&mut block);
        block.into()
    }

    pub(crate) fn decrypt(&self, block: Block) -> Block {
        let mut block = block.into();
        self.0.decrypt_block(&mut block);
        block.into()
    }
}

/// Two blocks, bit by bit.
pub(crate) fn exclusive_or(left: Block, right: Block) -> Block {
    std::array::from_fn(|i| left[i] ^ right[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_prints_as_its_check_value() {
        // The check value of this key is in many vendors' manuals.
        let key = Key::parse("0123456789ABCDEFFEDCBA9876543210").expect("32 digits");
        assert_eq!(key.check_value(), "08D7B4");
        assert_eq!(format!("{key:?}"), "Key(check value 08D7B4)");
        assert_eq!(Key::parse("0123"), None);
    }

    #[test]
    fn parity() {
        let key = Key::new([0; 16]);
        assert!(!key.has_odd_parity());
        assert!(key.with_odd_parity().has_odd_parity());
        assert_eq!(key.with_odd_parity().check_value(), key.check_value());
    }

    #[test]
    fn a_block_comes_back() {
        let cipher = Key::new(*b"sixteen bytes ..").cipher();
        assert_eq!(cipher.decrypt(cipher.encrypt(*b"a block.")), *b"a block.");
    }
}
