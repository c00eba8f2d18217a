//! PICTURE character-strings.

/// How many bytes a picture may describe: more is a slip of the pen, and arithmetic on it would overflow.
pub(crate) const MAX_SIZE: usize = 1 << 28;
/// Bytes of a character of UTF-8, at most.
const UTF_8_MAX: usize = 4;
/// How many places P may move a decimal point.
const MAX_SCALING: usize = 38;

/// What a picture says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    pub category: Category,
    /// Characters that the field takes in DISPLAY, without a separate sign.
    pub size: usize,
    /// Digits behind the decimal point; negative where P stands for digits before it.
    pub scale: i32,
    pub signed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Category {
    /// Only 9, S, V and P.
    Numeric,
    /// X, A, and what is edited.
    Text,
    /// N or G: two bytes a character.
    National,
    /// U: the size is one in bytes, four of them for each character.
    Utf8,
}

/// Reads a picture; none if it is not one.
pub(crate) fn picture(text: &str) -> Option<Picture> {
    let symbols = symbols(text)?;
    let count =
        |wanted: &str| symbols.iter().filter(|(c, _)| wanted.contains(*c)).map(|(_, n)| n).sum::<usize>();
    let total = count("AX9NGUZ*+-,./B0$CDRE");
    if total == 0 || total > MAX_SIZE || count("P") > MAX_SCALING || count("SV") > 2 {
        return None;
    }
    let numeric = symbols.iter().all(|(c, _)| "9SVP".contains(*c));
    let category = match () {
        () if numeric => Category::Numeric,
        () if count("NG") > 0 => Category::National,
        () if count("U") == total => Category::Utf8,
        () if count("U") > 0 => return None,
        () => Category::Text,
    };
    let size = if category == Category::Utf8 { UTF_8_MAX * total } else { total };
    Some(Picture { category, size, scale: scale(&symbols), signed: numeric && count("S") > 0 })
}

/// The symbols with their counts, `X(10)` being ten X.
fn symbols(text: &str) -> Option<Vec<(char, usize)>> {
    let mut symbols = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if !"AX9NGUZSVP*+-,./B0$CDRE".contains(c) {
            return None;
        }
        let mut count = 1;
        if let Some(inner) = rest.strip_prefix('(') {
            let (number, after) = inner.split_once(')')?;
            count = number.trim().parse().ok().filter(|n| (1..=MAX_SIZE).contains(n))?;
            rest = after;
        }
        symbols.push((c, count));
        if symbols.len() > MAX_SIZE {
            return None;
        }
    }
    Some(symbols)
}

fn scale(symbols: &[(char, usize)]) -> i32 {
    let is_digit = |c: char| c == '9';
    let places = |part: &[(char, usize)]| {
        let digits = part.iter().filter(|(c, _)| is_digit(*c) || *c == 'P').map(|(_, n)| *n).sum::<usize>();
        i32::try_from(digits).unwrap_or(i32::MAX)
    };
    if let Some(point) = symbols.iter().position(|(c, _)| *c == 'V') {
        let right = &symbols[point + 1..];
        if places(right) > 0 {
            return places(right);
        }
    }
    let scaled = symbols.iter().position(|(c, _)| *c == 'P');
    let first_digit = symbols.iter().position(|(c, _)| is_digit(*c));
    match (scaled, first_digit) {
        (Some(p), Some(digit)) if p < digit => places(symbols),
        (Some(p), _) => -places(&symbols[p..]),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures() {
        use Category::{National, Numeric, Text};
        let cases = [
            ("X(10)", Some((Text, 10, 0, false))),
            ("XX", Some((Text, 2, 0, false))),
            ("9(03)", Some((Numeric, 3, 0, false))),
            ("S9(10)V99", Some((Numeric, 12, 2, true))),
            ("S9(4)V9(2)", Some((Numeric, 6, 2, true))),
            ("9(3)PPP", Some((Numeric, 3, -3, false))),
            ("VPP99", Some((Numeric, 2, 4, false))),
            ("PP99", Some((Numeric, 2, 4, false))),
            ("-ZZ9.99", Some((Text, 7, 0, false))),
            ("ZZ9CR", Some((Text, 5, 0, false))),
            ("99/99/9999", Some((Text, 10, 0, false))),
            ("N(3)", Some((National, 3, 0, false))),
            ("X(0)", None),
            ("X(", None),
            ("X(99999999999)", None),
            ("S", None),
            ("HELLO", None),
        ];
        for (text, expected) in cases {
            let found = picture(text).map(|p| (p.category, p.size, p.scale, p.signed));
            assert_eq!(found, expected, "{text}");
        }
    }
}
