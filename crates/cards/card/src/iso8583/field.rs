//! The fields: the content and the length of each.

/// The content of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Digits.
    N,
    /// Letters and digits.
    An,
    /// Letters, digits and special characters: all of printable ASCII.
    Ans,
    /// The characters of track 2: digits and `=`.
    Z,
    /// Any bytes.
    B,
}

/// The length of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Always this number of bytes.
    Fixed(usize),
    /// At most this number of bytes; two digits before it give the number.
    Ll(usize),
    /// At most this number of bytes; three digits before it give the number.
    Lll(usize),
}

/// One field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldSpec {
    /// Its number and its bit: 2 to 128.
    pub number: u8,
    /// Its name.
    pub name: &'static str,
    /// Its content.
    pub content: Content,
    /// Its length.
    pub length: Length,
}

impl Content {
    pub(crate) fn allows(self, byte: u8) -> bool {
        match self {
            Self::N => byte.is_ascii_digit(),
            Self::An => byte.is_ascii_alphanumeric() || byte == b' ',
            Self::Ans => byte.is_ascii_graphic() || byte == b' ',
            Self::Z => byte.is_ascii_digit() || byte == b'=' || byte == b'D',
            Self::B => true,
        }
    }
}

impl Length {
    /// Digits of the length before the field.
    pub(crate) fn digits(self) -> usize {
        match self {
            Self::Fixed(_) => 0,
            Self::Ll(_) => 2,
            Self::Lll(_) => 3,
        }
    }

    pub(crate) fn max(self) -> usize {
        match self {
            Self::Fixed(length) | Self::Ll(length) | Self::Lll(length) => length,
        }
    }

    pub(crate) fn allows(self, length: usize) -> bool {
        match self {
            Self::Fixed(exact) => length == exact,
            Self::Ll(max) | Self::Lll(max) => length <= max,
        }
    }
}

const fn spec(number: u8, name: &'static str, content: Content, length: Length) -> FieldSpec {
    FieldSpec { number, name, content, length }
}

/// The fields that are known here, in the order of their numbers.
pub const FIELDS: &[FieldSpec] = {
    use Content::*;
    use Length::*;
    &[
        spec(2, "primary account number", N, Ll(19)),
        spec(3, "processing code", N, Fixed(6)),
        spec(4, "amount, transaction", N, Fixed(12)),
        spec(7, "transmission date and time", N, Fixed(10)),
        spec(11, "system trace audit number", N, Fixed(6)),
        spec(12, "time, local transaction", N, Fixed(6)),
        spec(13, "date, local transaction", N, Fixed(4)),
        spec(14, "date, expiration", N, Fixed(4)),
        spec(18, "merchant type", N, Fixed(4)),
        spec(19, "acquiring institution country code", N, Fixed(3)),
        spec(22, "point of service entry mode", N, Fixed(3)),
        spec(23, "card sequence number", N, Fixed(3)),
        spec(25, "point of service condition code", N, Fixed(2)),
        spec(32, "acquiring institution identification code", N, Ll(11)),
        spec(35, "track 2 data", Z, Ll(37)),
        spec(37, "retrieval reference number", An, Fixed(12)),
        spec(38, "authorization identification response", An, Fixed(6)),
        spec(39, "response code", An, Fixed(2)),
        spec(41, "card acceptor terminal identification", Ans, Fixed(8)),
        spec(42, "card acceptor identification code", Ans, Fixed(15)),
        spec(43, "card acceptor name and location", Ans, Fixed(40)),
        spec(44, "additional response data", Ans, Ll(25)),
        spec(48, "additional data, private", Ans, Lll(999)),
        spec(49, "currency code, transaction", N, Fixed(3)),
        spec(52, "personal identification number data", B, Fixed(8)),
        spec(55, "integrated circuit card data", B, Lll(255)),
        spec(60, "reserved, national", Ans, Lll(999)),
        spec(63, "reserved, private", Ans, Lll(999)),
        spec(64, "message authentication code", B, Fixed(8)),
        spec(70, "network management information code", N, Fixed(3)),
        spec(90, "original data elements", N, Fixed(42)),
        spec(102, "account identification 1", Ans, Ll(28)),
        spec(128, "message authentication code, secondary", B, Fixed(8)),
    ]
};

/// The field of a number.
pub fn field(number: u8) -> Option<&'static FieldSpec> {
    FIELDS.binary_search_by_key(&number, |field| field.number).ok().map(|at| &FIELDS[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_found() {
        for spec in FIELDS {
            assert_eq!(field(spec.number), Some(spec));
        }
        assert_eq!(field(1), None, "the bit of the secondary bitmap");
    }
}
