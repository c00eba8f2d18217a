//! PICTURE character strings.

mod precedence;

use serde::{Deserialize, Serialize};
use std::fmt;

/// Characters of one PICTURE, at most.
pub const SIZE_MAX: usize = 1 << 27;
/// Symbols of one PICTURE as they are written, at most.
const SYMBOLS_MAX: usize = 200;

/// Categories of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Category {
    /// Only A.
    Alphabetic,
    /// X, or A and 9 mixed.
    Alphanumeric,
    /// X or A with B, 0 or /.
    AlphanumericEdited,
    /// 9, S, V, P.
    Numeric,
    /// Digits with editing symbols.
    NumericEdited,
    /// Floating point as characters.
    FloatEdited,
    /// N.
    National,
    /// N with B, 0 or /.
    NationalEdited,
    /// G.
    DoubleByte,
    /// U.
    Utf8,
}

/// One symbol with how often it stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// The symbol; `C` is CR, `D` is DB, the currency symbol stands for itself.
    pub symbol: char,
    /// Number of times.
    pub count: usize,
}

/// The symbols that stand for money in a program, each with what is written in its place.
#[derive(Clone, Debug)]
pub struct Money {
    /// Symbol and the bytes of its sign.
    pub symbols: Vec<(char, Vec<u8>)>,
    /// DECIMAL-POINT IS COMMA.
    pub decimal_comma: bool,
}

impl Default for Money {
    fn default() -> Self {
        Self { symbols: vec![('$', b"$".to_vec())], decimal_comma: false }
    }
}

/// Meaning of a picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Category of the picture.
    pub category: Category,
    /// The symbols in order.
    pub symbols: Vec<Symbol>,
    /// Characters in storage of USAGE DISPLAY, a separate sign not among them.
    pub size: usize,
    /// Digits of the number, those of P not among them.
    pub digits: usize,
    /// Digits behind the decimal point; negative where P stands for digits before it.
    pub scale: i32,
    /// True if the number may be negative.
    pub signed: bool,
    /// The symbol that stands for money, if there is one, and the bytes that are written for it.
    pub money: Option<(char, Vec<u8>)>,
}

/// Reasons why a text is no picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PictureError {
    /// A character that no picture has.
    Symbol(char),
    /// Parentheses without a number.
    Repetition,
    /// Nothing that has a size.
    Empty,
    /// It is too long.
    Long,
    /// A symbol that may stand there once.
    Twice(char),
    /// Symbols that do not go together.
    Mixed,
    /// S is not the first.
    Sign,
    /// A symbol stands behind one that it may not stand behind.
    Order {
        /// The symbol.
        symbol: char,
        /// The one in front of it.
        behind: char,
    },
    /// Digits that are suppressed behind the decimal point, and others that are not.
    BehindPoint(char),
    /// Symbols of which a picture has one.
    Together(char, char),
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symbol(symbol) => write!(f, "{symbol} is no symbol of a picture"),
            Self::Repetition => write!(f, "parentheses hold how often the symbol before them stands there"),
            Self::Empty => write!(f, "no symbol of it takes a character"),
            Self::Long => write!(f, "it is too long"),
            Self::Twice(symbol) => write!(f, "{symbol} may stand there once"),
            Self::Mixed => write!(f, "these symbols do not go together"),
            Self::Sign => write!(f, "S stands in front of all others"),
            Self::Order { symbol, behind } => {
                write!(f, "{} may not stand behind {}", shown(*symbol), shown(*behind))
            }
            Self::BehindPoint(symbol) => {
                write!(
                    f,
                    "behind the decimal point {symbol} stands for all digits or for none, and then in front of it, too"
                )
            }
            Self::Together(one, other) => {
                write!(f, "{} and {} do not go together", shown(*one), shown(*other))
            }
        }
    }
}

/// A symbol as it is written.
fn shown(symbol: char) -> String {
    match symbol {
        'C' => "CR".into(),
        'D' => "DB".into(),
        symbol => symbol.into(),
    }
}

/// Reads a picture, which is in upper case.
pub fn picture(text: &str, money: &Money) -> Result<Picture, PictureError> {
    let symbols = symbols(text, money)?;
    let count = |wanted: &str| -> usize {
        symbols.iter().filter(|s| wanted.contains(s.symbol)).map(|s| s.count).sum()
    };
    let currency = |c: char| money.symbols.iter().any(|(symbol, _)| *symbol == c);
    for once in ['S', 'V', '.', 'C', 'D', 'E'] {
        let point = if money.decimal_comma && once == '.' { ',' } else { once };
        if !currency(once) && count(&point.to_string()) > 1 && !(once == '.' && count("XAN") > 0) {
            return Err(PictureError::Twice(once));
        }
    }
    if count("S") > 0 && symbols.first().is_some_and(|s| s.symbol != 'S') {
        return Err(PictureError::Sign);
    }
    let category = category(&symbols, &currency)?;
    match category {
        Category::NumericEdited => precedence::check(&symbols, money)?,
        Category::Numeric => precedence::check_plain(&symbols, money)?,
        _ => {}
    }
    let size = size(&symbols, money, &currency);
    if size == 0 {
        return Err(PictureError::Empty);
    }
    if size > SIZE_MAX {
        return Err(PictureError::Long);
    }
    let (digits, scale) = digits(&symbols, money, &currency);
    let signed = count("S+-CD") > 0;
    let sign = symbols.iter().find_map(|own| money.symbols.iter().find(|(symbol, _)| *symbol == own.symbol));
    let sign = sign.filter(|_| category == Category::NumericEdited).cloned();
    Ok(Picture { category, symbols, size, digits, scale, signed, money: sign })
}

/// The symbols with their counts: `X(10)` is ten X.
fn symbols(text: &str, money: &Money) -> Result<Vec<Symbol>, PictureError> {
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let mut symbol = c;
        if let Some(second) = [('C', 'R'), ('D', 'B')].iter().find(|(first, _)| *first == c).map(|(_, s)| *s)
        {
            rest = rest.strip_prefix(second).ok_or(PictureError::Symbol(c))?;
        } else if money.symbols.iter().any(|(m, _)| *m == c) {
            symbol = c;
        } else if !"AX9NGUZSVP*+-,./B0E".contains(c) {
            return Err(PictureError::Symbol(c));
        }
        let mut count = 1;
        if let Some(inner) = rest.strip_prefix('(') {
            let (number, after) = inner.split_once(')').ok_or(PictureError::Repetition)?;
            count = number.trim().parse().ok().filter(|n| *n > 0).ok_or(PictureError::Repetition)?;
            if count > SIZE_MAX {
                return Err(PictureError::Long);
            }
            rest = after;
        }
        match symbols.last_mut() {
            Some(last) if last.symbol == symbol => last.count += count,
            _ => symbols.push(Symbol { symbol, count }),
        }
        if symbols.len() > SYMBOLS_MAX {
            return Err(PictureError::Long);
        }
    }
    Ok(symbols)
}

fn category(symbols: &[Symbol], currency: &impl Fn(char) -> bool) -> Result<Category, PictureError> {
    let has = |wanted: &str| symbols.iter().any(|s| wanted.contains(s.symbol) && !currency(s.symbol));
    let only = |allowed: &str| symbols.iter().all(|s| allowed.contains(s.symbol));
    let money = symbols.iter().any(|s| currency(s.symbol));
    Ok(match () {
        () if money && !has("XANGUS") => Category::NumericEdited,
        () if only("9SVP") => Category::Numeric,
        () if has("E") && only("+-9VE.,") => Category::FloatEdited,
        () if has("N") && only("N") => Category::National,
        () if has("N") && only("NB0/") => Category::NationalEdited,
        () if has("G") && only("GB") => Category::DoubleByte,
        () if has("U") && only("U") => Category::Utf8,
        () if only("A") => Category::Alphabetic,
        () if has("XA") && only("XA9") => Category::Alphanumeric,
        () if has("XA") && only("XA9B0/") => Category::AlphanumericEdited,
        () if has("XANGUSE") => return Err(PictureError::Mixed),
        () => Category::NumericEdited,
    })
}

fn size(symbols: &[Symbol], money: &Money, currency: &impl Fn(char) -> bool) -> usize {
    let mut seen = false;
    let sizes = symbols.iter().map(|s| match s.symbol {
        'S' | 'V' | 'P' => 0,
        'C' | 'D' => 2 * s.count,
        c if currency(c) => {
            // The first is as long as its text, any other of a floating string is one character.
            let length = money.symbols.iter().find(|(m, _)| *m == c).map_or(1, |(_, sign)| sign.len().max(1));
            let extra = if seen { 0 } else { length - 1 };
            seen = true;
            s.count + extra
        }
        _ => s.count,
    });
    sizes.fold(0, usize::saturating_add)
}

/// Digits and scale. In a floating string of n symbols stand n − 1 digits.
fn digits(symbols: &[Symbol], money: &Money, currency: &impl Fn(char) -> bool) -> (usize, i32) {
    let point = if money.decimal_comma { ',' } else { '.' };
    let floats = |c: char| {
        let total: usize = symbols.iter().filter(|s| s.symbol == c).map(|s| s.count).sum();
        total > 1
    };
    let (mut digits, mut behind, mut seen_point) = (0_usize, 0_usize, false);
    let (mut scaled_before, mut scaled_behind) = (0_usize, 0_usize);
    let mut floated = false;
    for s in symbols {
        let c = s.symbol;
        let floating = (currency(c) || matches!(c, '+' | '-')) && floats(c);
        let here = match c {
            '9' | 'Z' | '*' => s.count,
            _ if floating => {
                let first = usize::from(!floated);
                floated = true;
                s.count - first
            }
            'V' => {
                seen_point = true;
                0
            }
            _ if c == point => {
                seen_point = true;
                0
            }
            'P' if digits == 0 => {
                scaled_before += s.count;
                0
            }
            'P' => {
                scaled_behind += s.count;
                0
            }
            'E' if !currency('E') => break,
            _ => 0,
        };
        digits += here;
        behind += if seen_point { here } else { 0 };
    }
    let scale = match (scaled_before, scaled_behind) {
        (0, 0) => behind as i64,
        (before, 0) => (before + digits) as i64,
        (_, after) => -(after as i64),
    };
    (digits, i32::try_from(scale).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = match picture(text, &Money::default()) {
            Ok(p) => format!(
                "{:?} size {} digits {} scale {}{}",
                p.category,
                p.size,
                p.digits,
                p.scale,
                if p.signed { " signed" } else { "" }
            ),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn pictures() {
        check("X(10)", "Alphanumeric size 10 digits 0 scale 0");
        check("A(5)", "Alphabetic size 5 digits 0 scale 0");
        check("AX9", "Alphanumeric size 3 digits 1 scale 0");
        check("XXBXX", "AlphanumericEdited size 5 digits 0 scale 0");
        check("9(03)", "Numeric size 3 digits 3 scale 0");
        check("S9(7)V99", "Numeric size 9 digits 9 scale 2 signed");
        check("9(3)PPP", "Numeric size 3 digits 3 scale -3");
        check("VPP99", "Numeric size 2 digits 2 scale 4");
        check("PP99", "Numeric size 2 digits 2 scale 4");
        check("ZZ,ZZ9.99-", "NumericEdited size 10 digits 7 scale 2 signed");
        check("$$,$$9.99CR", "NumericEdited size 11 digits 6 scale 2 signed");
        check("+(5)9", "NumericEdited size 6 digits 5 scale 0 signed");
        check("$ZZ9", "NumericEdited size 4 digits 3 scale 0");
        check("**9", "NumericEdited size 3 digits 3 scale 0");
        check("99/99/9999", "NumericEdited size 10 digits 8 scale 0");
        check("N(3)", "National size 3 digits 0 scale 0");
        check("G(3)", "DoubleByte size 3 digits 0 scale 0");
        check("U(3)", "Utf8 size 3 digits 0 scale 0");
        check("+9.9(4)E+99", "FloatEdited size 11 digits 5 scale 4 signed");
    }

    #[test]
    fn what_is_no_picture() {
        check("X(0)", "parentheses hold how often the symbol before them stands there");
        check("X(", "parentheses hold how often the symbol before them stands there");
        check("HELLO", "H is no symbol of a picture");
        check("S", "no symbol of it takes a character");
        check("9S9", "S stands in front of all others");
        check("9V9V9", "V may stand there once");
        check("X9Z", "these symbols do not go together");
        check("X(999999999999)", "it is too long");
        check("ZZ9Z", "Z may not stand behind 9");
        check("9$$", "$ may not stand behind 9");
        check("Z*9", "Z and * do not go together");
        check("$$Z9", "Z and $ do not go together");
        check("+9-", "+ and - do not go together");
        check("-9CR", "- and CR do not go together");
        check("9CR9", "9 may not stand behind CR");
        check("9P9", "9 may not stand behind P");
        let behind = |symbol: char| {
            format!(
                "behind the decimal point {symbol} stands for all digits or for none, and then in front of it, too"
            )
        };
        check("Z.ZZZZ9", &behind('Z'));
        check("ZZ9.Z9", &behind('Z'));
        check("ZZ9.ZZ", &behind('Z'));
        check("$$9.$$", &behind('$'));
        check("**V9*", &behind('*'));
    }

    #[test]
    fn pictures_of_every_kind() {
        for text in [
            "ZZZ.ZZ",
            "ZZ,ZZZ.99",
            "**.**",
            "$$$.$$",
            "$$,$$$.99-",
            "+++.++",
            "--,--9.99",
            "-$$$9.99",
            "+$ZZ9",
            "$+99",
            "ZZ9.99+",
            "ZZ9.99CR",
            "$ZZ9DB",
            "Z(4)PP",
            "PPZZ",
            "VPP99",
            "99/99/9999",
            "0009",
            "B9B9",
            ".99",
            "Z,ZZZ,ZZ9B-",
            "$**,**9.99",
            "9(3)V99-",
            "ZZV99",
            "ZZVZZ",
            "+(5).99",
            "Z(5)BCR",
            "99V.99",
        ] {
            let found = picture(text, &Money::default());
            // A point and V are two decimal points.
            assert_eq!(found.is_ok(), text != "99V.99", "{text}: {found:?}");
        }
    }

    #[test]
    fn money_and_comma() {
        let money = Money { symbols: vec![('E', b"EUR".to_vec())], decimal_comma: true };
        let p = picture("EE.EE9,99", &money).unwrap();
        assert_eq!((p.size, p.digits, p.scale), (11, 6, 2));
    }
}
