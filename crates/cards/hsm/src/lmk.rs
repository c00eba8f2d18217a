//! The local master key, and keys under it and under each other.
//!
//! A key is wrapped half by half. Its *variant* depends on the use of the key: the wrapping key's first byte is changed
//! by the key type and its ninth by the half, so that a cryptogram made for one use opens as garbage for another, and
//! halves cannot be exchanged.

use card::hex;
use card::key::Key;

use crate::error::ErrorCode;

/// The use of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyType {
    /// `000`: encrypts other keys on their way (zone master key, key-encrypting key).
    KeyEncrypting,
    /// `402`: card verification values.
    CardVerification,
    /// `109`: master key of a card portfolio.
    Portfolio,
}

/// The form of a wrapped double-length key: one letter before its 32 digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// `U`: each half under its own variant.
    Variant,
    /// `X`: both halves under the same key; only between two HSMs.
    Plain,
}

/// The local master key.
pub struct Lmk(Key);

/// The bytes that change the wrapping key's ninth byte, for the first and the second half.
const HALF_VARIANTS: [u8; 2] = [0xA6, 0x5A];
const HALF: usize = Key::LENGTH / 2;

impl KeyType {
    /// The type of three digits in a command.
    pub fn of_code(code: &str) -> Option<Self> {
        match code {
            "000" => Some(Self::KeyEncrypting),
            "402" => Some(Self::CardVerification),
            "109" => Some(Self::Portfolio),
            _ => None,
        }
    }

    fn variant(self) -> u8 {
        match self {
            Self::KeyEncrypting => 0x00,
            Self::CardVerification => 0x42,
            Self::Portfolio => 0x19,
        }
    }
}

impl Scheme {
    /// The scheme of a letter.
    pub fn of_letter(letter: char) -> Option<Self> {
        match letter {
            'U' => Some(Self::Variant),
            'X' => Some(Self::Plain),
            _ => None,
        }
    }

    fn letter(self) -> char {
        match self {
            Self::Variant => 'U',
            Self::Plain => 'X',
        }
    }
}

impl Lmk {
    /// The published one: every reader of this file knows it.
    pub fn test() -> Self {
        Self(Key::new(*b"\x20\x20\x20\x20\x20\x20\x20\x20\x31\x31\x31\x31\x31\x31\x31\x31"))
    }

    /// One of your own.
    pub fn new(key: Key) -> Self {
        Self(key)
    }

    /// Its check value.
    pub fn check_value(&self) -> String {
        self.0.check_value()
    }

    /// A key as its cryptogram: `U` and 32 digits.
    pub fn wrap(&self, key: &Key, kind: KeyType) -> String {
        wrap(&self.variant(kind), key, Scheme::Variant)
    }

    /// The key of a cryptogram that was wrapped for this use.
    pub(crate) fn unwrap(&self, cryptogram: &Cryptogram, kind: KeyType) -> Result<Key, ErrorCode> {
        if cryptogram.scheme != Scheme::Variant {
            return Err(ErrorCode::KeyScheme);
        }
        unwrap(&self.variant(kind), cryptogram)
    }

    fn variant(&self, kind: KeyType) -> Key {
        let mut bytes = self.0.bytes();
        bytes[0] ^= kind.variant();
        Key::new(bytes)
    }
}

/// A wrapped key as it is in a command.
pub(crate) struct Cryptogram {
    pub(crate) scheme: Scheme,
    pub(crate) halves: [[u8; HALF]; 2],
}

/// A key under another as letter and digits: the form in which two HSMs exchange it.
pub fn wrap(wrapping: &Key, key: &Key, scheme: Scheme) -> String {
    let bytes = key.bytes();
    let halves = bytes.chunks_exact(HALF).enumerate().map(|(number, half)| {
        let mut block = [0; HALF];
        block.copy_from_slice(half);
        hex::encode(&of_half(wrapping, scheme, number).cipher().encrypt(block))
    });
    format!("{}{}", scheme.letter(), halves.collect::<String>())
}

/// The key of a cryptogram. Every key that is wrapped here has odd parity, so a wrong wrapping key shows.
pub(crate) fn unwrap(wrapping: &Key, cryptogram: &Cryptogram) -> Result<Key, ErrorCode> {
    let mut bytes = [0; Key::LENGTH];
    for (number, half) in cryptogram.halves.into_iter().enumerate() {
        let clear = of_half(wrapping, cryptogram.scheme, number).cipher().decrypt(half);
        bytes[number * HALF..][..HALF].copy_from_slice(&clear);
    }
    let key = Key::new(bytes);
    if key.has_odd_parity() { Ok(key) } else { Err(ErrorCode::KeyParity) }
}

fn of_half(wrapping: &Key, scheme: Scheme, half: usize) -> Key {
    match scheme {
        Scheme::Plain => wrapping.clone(),
        Scheme::Variant => {
            let mut bytes = wrapping.bytes();
            bytes[HALF] ^= HALF_VARIANTS[half];
            Key::new(bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::Fields;

    fn read(text: &str) -> Cryptogram {
        Fields::new(text.as_bytes()).cryptogram().expect("letter and digits")
    }

    #[test]
    fn a_cryptogram_opens_for_its_use_only() {
        let lmk = Lmk::test();
        let key = Key::parse("0123456789ABCDEFFEDCBA9876543210").expect("32 digits");
        let cryptogram = lmk.wrap(&key, KeyType::Portfolio);
        assert_eq!(lmk.unwrap(&read(&cryptogram), KeyType::Portfolio), Ok(key.clone()));
        for kind in [KeyType::KeyEncrypting, KeyType::CardVerification] {
            assert_eq!(lmk.unwrap(&read(&cryptogram), kind), Err(ErrorCode::KeyParity));
        }
        let exchanged = format!("U{}{}", &cryptogram[17..], &cryptogram[1..17]);
        assert_eq!(lmk.unwrap(&read(&exchanged), KeyType::Portfolio), Err(ErrorCode::KeyParity));
        let plain = wrap(&key, &key, Scheme::Plain);
        assert_eq!(lmk.unwrap(&read(&plain), KeyType::Portfolio), Err(ErrorCode::KeyScheme));
        assert_eq!(unwrap(&key, &read(&plain)), Ok(key));
    }
}
