//! Fields of captured data: their types, comparison with a value, and the form in which an event has them.

use std::cmp::Ordering;
use std::fmt::Write as _;

use ebcdic::decimal::{ZonedSign, read_zoned, unpack};

/// The operator of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The field is this value.
    Equals,
    /// It is not.
    DoesNotEqual,
    /// It begins so.
    StartsWith,
    /// It does not.
    DoesNotStart,
    /// It is above.
    GreaterThan,
    /// It is not above.
    IsNotGreater,
    /// It is below.
    LessThan,
    /// It is not below.
    IsNotLess,
    /// It is there.
    Exists,
    /// It is not there.
    DoesNotExist,
    /// A percentage that was not above the value is above it now.
    GoesAbove,
    /// One that was not below is below now.
    GoesBelow,
}

/// Each operator with its words in a file, and its CVDA. OFF, EQ, SW and LT are read in published files; the others are recalled.
const OPERATORS: [(Operator, &[&str], &str); 12] = [
    (Operator::Equals, &["EQ"], "EQUALS"),
    (Operator::DoesNotEqual, &["NE", "NEQ"], "DOESNOTEQUAL"),
    (Operator::StartsWith, &["SW", "STW"], "STARTSWITH"),
    (Operator::DoesNotStart, &["NSW", "DNSW"], "DOESNOTSTART"),
    (Operator::GreaterThan, &["GT"], "GREATERTHAN"),
    (Operator::IsNotGreater, &["NGT", "LE", "LTE"], "ISNOTGREATER"),
    (Operator::LessThan, &["LT"], "LESSTHAN"),
    (Operator::IsNotLess, &["NLT", "GE", "GTE"], "ISNOTLESS"),
    (Operator::Exists, &["EX", "EXISTS"], "EXISTS"),
    (Operator::DoesNotExist, &["NEX", "NE_EXISTS"], "DOESNOTEXIST"),
    (Operator::GoesAbove, &["GHT"], "GOHIGHERTHAN"),
    (Operator::GoesBelow, &["GLT"], "GOLOWERTHAN"),
];

impl Operator {
    /// The one of a word; `None`: it is none.
    pub(crate) fn of(word: &str) -> Option<Self> {
        OPERATORS.iter().find(|(_, words, _)| words.contains(&word)).map(|(operator, ..)| *operator)
    }

    /// Its CVDA.
    pub fn cvda(self) -> &'static str {
        OPERATORS.iter().find(|(operator, ..)| *operator == self).map_or("EQUALS", |(.., cvda)| cvda)
    }

    fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equals => order.is_eq(),
            Self::DoesNotEqual => order.is_ne(),
            Self::GreaterThan => order.is_gt(),
            Self::IsNotGreater => order.is_le(),
            Self::LessThan => order.is_lt(),
            Self::IsNotLess => order.is_ge(),
            Self::StartsWith
            | Self::DoesNotStart
            | Self::Exists
            | Self::DoesNotExist
            | Self::GoesAbove
            | Self::GoesBelow => false,
        }
    }

    /// Returns true if it is about a percentage that passes a threshold.
    pub fn is_of_thresholds(self) -> bool {
        matches!(self, Self::GoesAbove | Self::GoesBelow)
    }

    /// Returns true if a percentage fulfils it that was `from` and is `to`.
    pub fn accepts_change(self, from: usize, to: usize, threshold: usize) -> bool {
        match self {
            Self::GoesAbove => from <= threshold && to > threshold,
            Self::GoesBelow => from >= threshold && to < threshold,
            _ => false,
        }
    }

    /// Returns true if a text fulfils it, where the filter says `value`. `None`: the text is not there. Blanks behind either do not
    /// count.
    pub fn accepts_text(self, text: Option<&str>, value: &str) -> bool {
        let there = text.map(str::trim_end);
        match (self, there) {
            (Self::Exists, there) => there.is_some(),
            (Self::DoesNotExist, there) => there.is_none(),
            (_, None) => false,
            (Self::StartsWith, Some(text)) => text.starts_with(value.trim_end()),
            (Self::DoesNotStart, Some(text)) => !text.starts_with(value.trim_end()),
            (_, Some(text)) => self.holds(text.cmp(value.trim_end())),
        }
    }

    /// The same of a number.
    pub fn accepts_number(self, number: Option<i128>, value: i128) -> bool {
        match (self, number) {
            (Self::Exists, there) => there.is_some(),
            (Self::DoesNotExist, there) => there.is_none(),
            (_, None) => false,
            (_, Some(number)) => self.holds(number.cmp(&value)),
        }
    }
}

/// The type of a field in storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// Characters.
    Char,
    /// Characters up to X'00'.
    CharZ,
    /// Bytes, which an event has as hexadecimal digits.
    Hex,
    /// Bytes up to X'00'.
    HexZ,
    /// Packed decimal.
    Packed,
    /// Zoned decimal.
    Zoned,
    /// A binary number with a sign.
    Signed,
    /// A binary number without one.
    Unsigned,
}

/// Their names.
const TYPES: [(&str, FieldType, usize); 12] = [
    ("CHAR", FieldType::Char, 0),
    ("CHARZ", FieldType::CharZ, 0),
    ("HEX", FieldType::Hex, 0),
    ("HEXZ", FieldType::HexZ, 0),
    ("PACKED", FieldType::Packed, 0),
    ("ZONED", FieldType::Zoned, 0),
    ("SHWORD", FieldType::Signed, 2),
    ("UHWORD", FieldType::Unsigned, 2),
    ("SFWORD", FieldType::Signed, 4),
    ("UFWORD", FieldType::Unsigned, 4),
    ("SDWORD", FieldType::Signed, 8),
    ("UDWORD", FieldType::Unsigned, 8),
];

impl FieldType {
    /// The type of a name, and the bytes that it has; 0: any number of them.
    pub(crate) fn of(name: &str) -> Option<(Self, usize)> {
        TYPES.iter().find(|(known, ..)| *known == name).map(|(_, kind, bytes)| (*kind, *bytes))
    }

    /// Its name, for a field of so many bytes.
    pub fn name(self, bytes: usize) -> &'static str {
        let is_it =
            |(_, kind, length): &&(&str, Self, usize)| *kind == self && (*length == 0 || *length == bytes);
        TYPES.iter().find(is_it).map_or("HEX", |(name, ..)| name)
    }

    /// Returns true if its fields are numbers.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Packed | Self::Zoned | Self::Signed | Self::Unsigned)
    }

    /// The whole number in the bytes of a field, its decimal point not counted; `None`: they are none.
    pub fn number(self, bytes: &[u8]) -> Option<i128> {
        match self {
            Self::Packed => unpack(bytes).ok(),
            Self::Zoned => read_zoned(bytes, ZonedSign::Trailing).ok(),
            Self::Signed | Self::Unsigned => binary(bytes, self == Self::Signed),
            _ => None,
        }
    }

    /// The characters in the bytes of a field that is no number.
    pub fn text(self, bytes: &[u8]) -> String {
        let until = |bytes: &[u8]| bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        match self {
            Self::CharZ => characters(&bytes[..until(bytes)]),
            Self::Hex => digits(bytes),
            Self::HexZ => digits(&bytes[..until(bytes)]),
            _ => characters(bytes),
        }
    }
}

/// Program characters as text.
pub fn characters(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02X}");
        text
    })
}

/// Longest decimal number, in digits.
const DIGITS_MAX: usize = 31;

fn binary(bytes: &[u8], is_signed: bool) -> Option<i128> {
    if bytes.is_empty() || bytes.len() > 8 {
        return None;
    }
    let value = bytes.iter().fold(0, |value, byte| value << 8 | i128::from(*byte));
    let is_negative = is_signed && bytes[0] & 0x80 != 0;
    Some(if is_negative { value - (1 << (bytes.len() * 8)) } else { value })
}

/// A number as a filter or a program writes it, with so many digits behind its point; `None`: it is none, or has more of them.
pub(crate) fn scaled(text: &str, precision: usize) -> Option<i128> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + part.len() == 0 || whole.len() + precision > DIGITS_MAX || part.len() > precision {
        return None;
    }
    if !is_digits(whole) || !is_digits(part) {
        return None;
    }
    format!("{whole}{part:0<precision$}").parse::<i128>().ok().map(|number| sign * number)
}

/// A number with its decimal point.
fn pointed(number: i128, precision: usize) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", number.unsigned_abs(), width = precision + 1);
    let (whole, part) = digits.split_at(digits.len() - precision);
    if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

/// A number with another number of digits behind its point: those that are too many are cut.
fn rescaled(number: i128, from: usize, to: usize) -> i128 {
    let power =
        |digits: usize| 10_i128.checked_pow(u32::try_from(digits).unwrap_or(u32::MAX)).unwrap_or(i128::MAX);
    if to >= from { number.saturating_mul(power(to - from)) } else { number / power(from - to) }
}

/// The form of an item in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text, at the left.
    Text,
    /// A number, at the right.
    Numeric,
    /// A number in scientific notation, at the left.
    Scientific,
}

/// The format of an item in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Its form.
    pub form: Form,
    /// Its characters; 0: as many as it needs.
    pub length: usize,
    /// Digits behind the point.
    pub precision: usize,
}

/// The captured bytes of a field in their format. A text that does not fit is cut; a number that does not fit becomes asterisks.
pub fn formatted(kind: FieldType, bytes: &[u8], precision: usize, format: Format) -> String {
    let written = match kind.is_number() {
        false => kind.text(bytes),
        true => match kind.number(bytes) {
            Some(number) => number_as(number, precision, format),
            None => "*".repeat(format.length.max(1)),
        },
    };
    laid_out(kind.is_number(), written, format)
}

/// A text of the region itself in a format.
pub fn formatted_text(text: &str, format: Format) -> String {
    laid_out(false, text.to_owned(), format)
}

fn number_as(number: i128, precision: usize, format: Format) -> String {
    match format.form {
        Form::Scientific => {
            let digits = number.unsigned_abs().to_string();
            let exponent = if number == 0 { 0 } else { digits.len() as i64 - 1 - precision as i64 };
            let width = format.precision;
            let mantissa = format!("{:0<width$.width$}", &digits[1..]);
            let point = if mantissa.is_empty() { "" } else { "." };
            let sign = if number < 0 { '-' } else { '+' };
            format!("{sign}{}{point}{mantissa}E{exponent:+04}", &digits[..1])
        }
        Form::Numeric => pointed(rescaled(number, precision, format.precision), format.precision),
        Form::Text => pointed(number, precision),
    }
}

fn laid_out(is_number: bool, written: String, format: Format) -> String {
    let (length, width) = (written.chars().count(), format.length);
    if width == 0 {
        return written.trim_end_matches([' ', '\0']).to_owned();
    }
    match (format.form, length > width) {
        (_, true) if is_number => "*".repeat(width),
        (_, true) => written.chars().take(width).collect(),
        (Form::Numeric, false) if is_number => zeros_before(&written, width),
        (Form::Numeric, false) => format!("{:>width$}", written.trim()),
        (_, false) => format!("{written:<width$}"),
    }
}

/// A number with zeros before it, behind its sign.
fn zeros_before(number: &str, width: usize) -> String {
    match number.strip_prefix('-') {
        Some(digits) => format!("-{digits:0>width$}", width = width - 1),
        None => format!("{number:0>width$}"),
    }
}

/// A number of an event without the zeros that are there for its width.
pub fn without_zeros(number: &str) -> String {
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", number),
    };
    if !digits.starts_with('0') {
        return number.to_owned();
    }
    let rest = digits.trim_start_matches('0');
    let is_whole = rest.starts_with(|first: char| first.is_ascii_digit());
    if is_whole { format!("{sign}{rest}") } else { format!("{sign}0{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_their_fields() {
        for (kind, bytes, expected) in [
            (FieldType::Packed, &[0x12, 0x34, 0x5d][..], Some(-12345)),
            (FieldType::Packed, &[0x00, 0x0c], Some(0)),
            (FieldType::Packed, &[0x1a, 0x0c], None),
            (FieldType::Packed, &[0x12], None),
            (FieldType::Packed, &[], None),
            (FieldType::Zoned, b"0042", Some(42)),
            (FieldType::Zoned, b"004K", Some(-42)),
            (FieldType::Zoned, b"4 ", None),
            (FieldType::Signed, &[0xff, 0xfe], Some(-2)),
            (FieldType::Unsigned, &[0xff, 0xfe], Some(65534)),
            (FieldType::Signed, &[0; 9], None),
            (FieldType::Packed, &[0x99; 40], None),
        ] {
            assert_eq!(kind.number(bytes), expected, "{kind:?} {bytes:02x?}");
        }
    }

    #[test]
    fn values_of_filters_are_scaled() {
        for (text, precision, expected) in [
            ("10.5", 2, Some(1050)),
            ("-3", 1, Some(-30)),
            ("0024", 0, Some(24)),
            ("1.234", 2, None),
            ("", 0, None),
            ("1x", 0, None),
            (".5", 1, Some(5)),
        ] {
            assert_eq!(scaled(text, precision), expected, "{text}");
        }
    }

    #[test]
    fn items_have_their_format() {
        let format = |form, length, precision| Format { form, length, precision };
        let packed = [0x12, 0x34, 0x5d];
        for (given, expected) in [
            (formatted(FieldType::Char, b"AB  ", 0, format(Form::Text, 0, 0)), "AB"),
            (formatted(FieldType::Char, b"ABC", 0, format(Form::Text, 2, 0)), "AB"),
            (formatted(FieldType::Char, b"AB", 0, format(Form::Text, 4, 0)), "AB  "),
            (formatted(FieldType::Packed, &packed, 2, format(Form::Numeric, 9, 1)), "-000123.4"),
            (formatted(FieldType::Zoned, b"0042", 0, format(Form::Numeric, 6, 0)), "000042"),
            (formatted(FieldType::Zoned, b"0000", 0, format(Form::Scientific, 0, 0)), "+0E+000"),
            (formatted(FieldType::Zoned, b"0012", 2, format(Form::Scientific, 0, 2)), "+1.20E-001"),
            (formatted(FieldType::Packed, &packed, 2, format(Form::Numeric, 4, 2)), "****"),
            (formatted(FieldType::Packed, &[0xff], 0, format(Form::Numeric, 3, 0)), "***"),
            (formatted(FieldType::Packed, &packed, 2, format(Form::Scientific, 0, 3)), "-1.234E+002"),
            (formatted(FieldType::Hex, &[0x0a, 0xff], 0, format(Form::Text, 0, 0)), "0AFF"),
            (formatted(FieldType::CharZ, b"AB\0X", 0, format(Form::Text, 0, 0)), "AB"),
        ] {
            assert_eq!(given, expected);
        }
    }

    #[test]
    fn zeros_before_a_number_are_for_its_width_alone() {
        for (text, expected) in
            [("000042", "42"), ("-000.50", "-0.50"), ("0000", "0"), ("***", "***"), ("1.5", "1.5")]
        {
            assert_eq!(without_zeros(text), expected);
        }
    }

    #[test]
    fn operators_say_what_they_accept() {
        use Operator::*;
        for (operator, text, expected) in [
            (Equals, Some("AB  "), true),
            (DoesNotEqual, Some("AB"), false),
            (StartsWith, Some("ABC"), true),
            (DoesNotStart, Some("ABC"), false),
            (GreaterThan, Some("AC"), true),
            (IsNotLess, Some("AB"), true),
            (IsNotGreater, Some("AC"), false),
            (LessThan, Some("AA"), true),
            (Equals, None, false),
            (Exists, None, false),
            (DoesNotExist, None, true),
        ] {
            assert_eq!(operator.accepts_text(text, "AB"), expected, "{operator:?} {text:?}");
        }
        assert!(GreaterThan.accepts_number(Some(3), 2) && !GreaterThan.accepts_number(None, 2));
    }
}
