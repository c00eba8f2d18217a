//! Buffer addresses and screen sizes.

/// The six-bit codes of 12-bit addresses: each value as a byte that is a graphic in every code page.
const SIX_BITS: [u8; 64] = [
    0x40, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F, //
    0x50, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0x5A, 0x5B, 0x5C, 0x5D, 0x5E, 0x5F, //
    0x60, 0x61, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, //
    0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0x7A, 0x7B, 0x7C, 0x7D, 0x7E, 0x7F,
];

/// The graphic byte of a six-bit value: WCCs and field attributes are sent so too.
pub(super) fn graphic(six_bits: u8) -> u8 {
    SIX_BITS[usize::from(six_bits & 0x3F)]
}

/// Rows and columns: of a screen, or of a map on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub columns: u16,
}

impl Size {
    /// The default size of all models: 24 × 80.
    pub const MODEL_2: Size = Size { rows: 24, columns: 80 };
    /// The most positions a screen may have: an address has 14 bits.
    pub const POSITIONS_MAX: usize = 16_384;

    /// A size.
    pub const fn new(rows: u16, columns: u16) -> Self {
        Self { rows, columns }
    }

    /// Rows × columns; `None` for an empty screen and for one of more than [`Size::POSITIONS_MAX`].
    pub fn checked(rows: u16, columns: u16) -> Option<Size> {
        Some(Self::new(rows, columns)).filter(|size| size.is_addressable())
    }

    /// The number of positions of the screen.
    pub const fn positions(self) -> usize {
        self.rows as usize * self.columns as usize
    }

    /// The number of positions that an address reaches: all, on any valid screen.
    pub fn addresses(self) -> u16 {
        self.positions().min(Self::POSITIONS_MAX) as u16
    }

    /// Returns true if the screen has a position and an address reaches each.
    pub fn is_addressable(self) -> bool {
        (1..=Self::POSITIONS_MAX).contains(&self.positions())
    }
}

/// A position on a screen: row × columns + column, both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u16);

impl Address {
    /// The position in a row and a column, both from 1 as users count.
    pub fn at(size: Size, row: u16, column: u16) -> Self {
        Self(row.saturating_sub(1).saturating_mul(size.columns).saturating_add(column.saturating_sub(1)))
    }

    /// Its bytes: in 12 bits where they do, else in 14. A receiver tells them apart by the first two bits.
    pub fn encode(self) -> [u8; 2] {
        let [high, low] = self.0.to_be_bytes();
        match self.0 {
            0..0x1000 => [graphic((self.0 >> 6) as u8), graphic(low)],
            _ => [high & 0x3F, low],
        }
    }

    /// The address of two bytes.
    pub fn decode(bytes: [u8; 2]) -> Self {
        match bytes[0] & 0xC0 {
            0 => Self(u16::from_be_bytes(bytes)),
            _ => Self(u16::from(bytes[0] & 0x3F) << 6 | u16::from(bytes[1] & 0x3F)),
        }
    }
}
