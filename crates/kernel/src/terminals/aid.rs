//! Attention identifiers: the keys that send.

/// ENTER.
pub const ENTER: u8 = 0x7d;
/// CLEAR.
pub const CLEAR: u8 = 0x6d;
/// PA1.
pub const PA1: u8 = 0x6c;
/// PA2.
pub const PA2: u8 = 0x6e;
/// PA3.
pub const PA3: u8 = 0x6b;
/// No key: the screen was read by the program.
pub const NONE: u8 = 0x60;

const NAMES: [(&str, u8); 32] = [
    ("ENTER", ENTER),
    ("CLEAR", CLEAR),
    ("PA1", PA1),
    ("PA2", PA2),
    ("PA3", PA3),
    ("PF1", 0xf1),
    ("PF2", 0xf2),
    ("PF3", 0xf3),
    ("PF4", 0xf4),
    ("PF5", 0xf5),
    ("PF6", 0xf6),
    ("PF7", 0xf7),
    ("PF8", 0xf8),
    ("PF9", 0xf9),
    ("PF10", 0x7a),
    ("PF11", 0x7b),
    ("PF12", 0x7c),
    ("PF13", 0xc1),
    ("PF14", 0xc2),
    ("PF15", 0xc3),
    ("PF16", 0xc4),
    ("PF17", 0xc5),
    ("PF18", 0xc6),
    ("PF19", 0xc7),
    ("PF20", 0xc8),
    ("PF21", 0xc9),
    ("PF22", 0x4a),
    ("PF23", 0x4b),
    ("PF24", 0x4c),
    ("OPERID", 0xe6),
    ("LIGHTPEN", 0x7e),
    ("CLRPARTN", 0x6a),
];

/// The identifier (EBCDIC, as on the line) of a key by the name that HANDLE AID knows.
pub fn by_name(name: &str) -> Option<u8> {
    NAMES.iter().find(|(n, _)| *n == name).map(|(_, byte)| *byte)
}

/// The key's name.
pub fn name(aid: u8) -> Option<&'static str> {
    NAMES.iter().find(|(_, byte)| *byte == aid).map(|(n, _)| *n)
}

/// Whether the key sends no data: CLEAR and the PA keys.
pub fn is_short_read(aid: u8) -> bool {
    matches!(aid, CLEAR | PA1 | PA2 | PA3)
}

/// TASKREQ: the key as a transaction's definition names it (PF1 to PF24, PA1 to PA3).
pub fn starts_transactions(aid: u8) -> bool {
    name(aid).is_some_and(|n| n.starts_with('P'))
}
