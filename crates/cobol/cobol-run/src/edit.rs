//! Editing by pictures, and back.

use cobol_runtime::national::SPACE;
use cobol_types::Picture;

use super::decimal::{Decimal, LowDigits, remainder};

/// Characters for decimal points and the like in a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marks {
    pub(crate) point: char,
    pub(crate) comma: char,
}

impl Marks {
    pub(crate) fn of(decimal_comma: bool) -> Self {
        if decimal_comma { Self { point: ',', comma: '.' } } else { Self { point: '.', comma: ',' } }
    }
}

/// A number through a picture.
pub(crate) fn edit(
    value: Decimal,
    picture: &Picture,
    blank_when_zero: bool,
    marks: Marks,
    rounded: bool,
    out: &mut [u8],
) {
    let digits = picture.digits as u32;
    let (value, _) = value.aligned(picture.scale, rounded, digits);
    let magnitude = remainder(value.unsigned_abs(), digits);
    if magnitude == 0 && blank_when_zero {
        out.fill(b' ');
        return;
    }
    let mut text = [b'0'; DIGITS_MAX];
    let Some(text) = text.get_mut(..picture.digits) else { return };
    write_digits(magnitude, text);
    let mut editor = Editor::new(picture, marks, text, value < 0 && magnitude != 0, out);
    editor.run(magnitude == 0);
}

/// Digits at the scale of a picture through it.
pub fn edited(digits: i128, picture: &Picture, blank_when_zero: bool, decimal_comma: bool, out: &mut [u8]) {
    let value = Decimal { value: digits, scale: picture.scale };
    edit(value, picture, blank_when_zero, Marks::of(decimal_comma), false, out);
}

/// Digits of a picture, at most: more no number has.
const DIGITS_MAX: usize = 64;

/// The low digits of a number as characters.
fn write_digits(number: u128, text: &mut [u8]) {
    let mut digits = LowDigits::of(number);
    text.iter_mut().rev().for_each(|digit| *digit = b'0' + digits.take());
}

struct Editor<'e> {
    picture: &'e Picture,
    digits: &'e [u8],
    negative: bool,
    marks: Marks,
    /// The symbol of a floating string.
    floating: Option<char>,
    /// Character for a suppressed digit.
    fill: u8,
    out: &'e mut [u8],
    /// The extent of what is written.
    length: usize,
}

impl<'e> Editor<'e> {
    fn new(picture: &'e Picture, marks: Marks, digits: &'e [u8], negative: bool, out: &'e mut [u8]) -> Self {
        let symbols = &picture.symbols;
        let count =
            |c: char| -> usize { symbols.iter().filter(|own| own.symbol == c).map(|own| own.count).sum() };
        let money = picture.money.as_ref().map(|(symbol, _)| *symbol);
        let floating = ['+', '-'].into_iter().chain(money).find(|c| count(*c) > 1);
        let fill = if count('*') > 0 { b'*' } else { b' ' };
        Self { picture, digits, negative, marks, floating, fill, out, length: 0 }
    }

    /// A character; what no longer fits is lost.
    fn put(&mut self, byte: u8) {
        if let Some(to) = self.out.get_mut(self.length) {
            *to = byte;
        }
        self.length += 1;
    }

    /// The sign of money, or blanks of its length.
    fn put_money(&mut self, shown: bool) {
        let sign = self.picture.money.as_ref().map_or(&[][..], |(_, sign)| sign);
        sign.iter().for_each(|byte| self.put(if shown { *byte } else { b' ' }));
    }

    fn is_money(&self, symbol: char) -> bool {
        self.picture.money.as_ref().is_some_and(|(own, _)| *own == symbol)
    }

    fn put_both(&mut self, bytes: [u8; 2]) {
        bytes.into_iter().for_each(|byte| self.put(byte));
    }

    fn run(&mut self, zero: bool) {
        let symbols = &self.picture.symbols;
        let suppressing = |c: char| matches!(c, 'Z' | '*') || Some(c) == self.floating;
        let always = symbols.iter().any(|own| own.symbol == '9');
        if zero && !always && symbols.iter().any(|own| suppressing(own.symbol)) {
            self.blank();
            return;
        }
        let mut state = State { next: 0, suppressed: false, significant: false, first_of_string: true };
        for own in symbols {
            (0..own.count).for_each(|_| self.symbol(own.symbol, &mut state));
        }
    }

    fn symbol(&mut self, symbol: char, state: &mut State) {
        let floats = Some(symbol) == self.floating;
        match symbol {
            _ if floats && state.first_of_string => {
                state.first_of_string = false;
                state.suppressed = true;
                if self.is_money(symbol) { self.put_money(false) } else { self.put(b' ') }
            }
            _ if self.is_money(symbol) && !floats => self.put_money(true),
            '9' | 'Z' | '*' | 'X' | 'A' => self.digit(symbol == '9', state),
            _ if floats => self.digit(false, state),
            'V' => self.end_suppression(state),
            'P' | 'S' => {}
            c if c == self.marks.point => {
                self.end_suppression(state);
                self.put(c as u8);
            }
            c if c == self.marks.comma || matches!(c, 'B' | '0' | '/') => {
                let plain = if c == 'B' { b' ' } else { c as u8 };
                self.put(if state.suppressed { self.fill } else { plain });
            }
            '+' => self.put(if self.negative { b'-' } else { b'+' }),
            '-' => self.put(if self.negative { b'-' } else { b' ' }),
            'C' => self.put_both(if self.negative { *b"CR" } else { *b"  " }),
            'D' => self.put_both(if self.negative { *b"DB" } else { *b"  " }),
            // No picture has another symbol.
            _ => {}
        }
    }

    fn digit(&mut self, always: bool, state: &mut State) {
        let digit = self.digits.get(state.next).copied().unwrap_or(b'0');
        state.next += 1;
        if !always && digit == b'0' && !state.significant {
            state.suppressed = true;
            self.put(self.fill);
            return;
        }
        self.end_suppression(state);
        self.put(digit);
    }

    /// The first character that is shown: the floating symbol goes to its left.
    fn end_suppression(&mut self, state: &mut State) {
        state.significant = true;
        if !std::mem::take(&mut state.suppressed) {
            return;
        }
        let symbol = match (self.floating, self.negative, &self.picture.money) {
            (None, ..) => return,
            (Some(floating), _, Some((money, sign))) if floating == *money => sign.as_slice(),
            (Some('+'), false, _) => b"+",
            (Some('+' | '-'), true, _) => b"-",
            _ => b" ",
        };
        let from = self.length.checked_sub(symbol.len());
        if let Some(last) = from.and_then(|from| self.out.get_mut(from..self.length)) {
            last.copy_from_slice(symbol);
        }
    }

    /// Nothing but suppressed digits: spaces, or asterisks around the point.
    fn blank(&mut self) {
        let symbols = self.picture.symbols.iter();
        let mut money = true;
        for symbol in symbols.flat_map(|own| std::iter::repeat_n(own.symbol, own.count)) {
            match symbol {
                'V' | 'P' | 'S' => {}
                c if self.is_money(c) => {
                    let length = self.picture.money.as_ref().map_or(1, |(_, sign)| sign.len());
                    let length = if std::mem::take(&mut money) { length } else { 1 };
                    (0..length).for_each(|_| self.put(self.fill));
                }
                'C' | 'D' => self.put_both([self.fill; 2]),
                c if c == self.marks.point && self.fill == b'*' => self.put(c as u8),
                _ => self.put(self.fill),
            }
        }
    }
}

/// The progress of editing.
struct State {
    /// The next digit.
    next: usize,
    /// The last character stands for a suppressed digit.
    suppressed: bool,
    /// A digit has been shown.
    significant: bool,
    /// The first symbol of a floating string holds no digit.
    first_of_string: bool,
}

/// The number of an edited item.
pub(crate) fn unedit(bytes: &[u8], picture: &Picture, marks: Marks) -> Decimal {
    let (mut value, mut decimals, mut behind) = (0_i128, 0, false);
    let money = picture.money.as_ref().map_or(&[][..], |(_, sign)| sign);
    let sign = bytes.windows(money.len().max(1)).position(|window| window == money);
    let bytes = sign.map_or_else(|| bytes.to_vec(), |at| [&bytes[..at], &bytes[at + money.len()..]].concat());
    for byte in &bytes {
        match byte {
            b'0'..=b'9' if value < 10_i128.pow(36) => {
                value = value * 10 + i128::from(byte - b'0');
                decimals += i32::from(behind);
            }
            byte if char::from(*byte) == marks.point => behind = true,
            _ => {}
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    let negative = text.contains('-') || text.contains("CR") || text.contains("DB");
    let scale = if behind { decimals } else { picture.scale };
    Decimal { value: if negative { -value } else { value }, scale }
}

/// Characters through a picture of an alphanumeric-edited item.
pub(crate) fn edit_text(text: &[u8], picture: &Picture, out: &mut [u8]) {
    let mut text = text.iter();
    for (to, inserted) in out.iter_mut().zip(inserted(picture)) {
        *to = inserted.unwrap_or_else(|| text.next().copied().unwrap_or(b' '));
    }
}

/// National characters through a picture of a national-edited item.
pub(crate) fn edit_national(text: &[u8], picture: &Picture, out: &mut [u8]) {
    let mut text = text.chunks_exact(2);
    for (to, inserted) in out.chunks_exact_mut(2).zip(inserted(picture)) {
        match inserted {
            Some(byte) => to.copy_from_slice(&[0, byte]),
            None => to.copy_from_slice(text.next().unwrap_or(&SPACE)),
        }
    }
}

/// For each character of a picture what is put there; none for one of the text.
fn inserted(picture: &Picture) -> impl Iterator<Item = Option<u8>> {
    let symbols = picture.symbols.iter().flat_map(|s| std::iter::repeat_n(s.symbol, s.count));
    symbols.map(|symbol| match symbol {
        'B' => Some(b' '),
        '0' => Some(b'0'),
        '/' => Some(b'/'),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use cobol_types::{Money, picture};

    use super::*;

    #[track_caller]
    fn check(picture_text: &str, value: i128, scale: i32, expected: &str) {
        let picture = picture(picture_text, &Money::default()).unwrap();
        let mut out = vec![b'?'; picture.size];
        edit(Decimal { value, scale }, &picture, false, Marks::of(false), false, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), expected, "{picture_text}");
    }

    #[test]
    fn numbers() {
        check("ZZZ,ZZ9.99-", -123456, 2, "  1,234.56-");
        check("ZZZ,ZZ9.99-", 0, 2, "      0.00 ");
        check("Z(4)", 0, 0, "    ");
        check("**,**9.99", 12, 1, "*****1.20");
        check("**,***.**", 0, 0, "******.**");
        check("$$,$$9.99", 1234, 2, "   $12.34");
        check("$$,$$9.99", 123456, 2, "$1,234.56");
        check("$ZZ9", 7, 0, "$  7");
        check("+(5)9", 42, 0, "   +42");
        check("-(5)9", -42, 0, "   -42");
        check("+9(3)", 7, 0, "+007");
        check("9(3)-", -7, 0, "007-");
        check("Z9.99CR", -150, 2, " 1.50CR");
        check("99/99/9999", 12_312_024, 0, "12/31/2024");
        check("9B9", 12, 0, "1 2");
        check("ZZZ.ZZ", 5, 2, "   .05");
        check("$$$.99", 5, 2, "  $.05");
        check("--9", 0, 0, "  0");
        check("9(3)", 12345, 0, "345");
    }

    #[test]
    fn a_sign_of_money_has_any_length() {
        let money =
            |sign: &str| Money { symbols: vec![('U', sign.as_bytes().to_vec())], decimal_comma: false };
        for (sign, text, value, expected) in [
            ("EUR", "U9.99", 150, "EUR1.50"),
            ("EUR", "UU,UU9.99", 123_450, "EUR1,234.50"),
            ("EUR", "UU,UU9.99", 150, "    EUR1.50"),
            ("EUR", "UU,UU9.99", 7, "    EUR0.07"),
            ("EUR", "UU,UUU.UU", 0, "           "),
            ("EUR", "UU,UUU.UU", 7, "     EUR.07"),
            ("CRC", "UZZ9.99-", -1234, "CRC 12.34-"),
            ("CRC", "-UZZ9.99", -1234, "-CRC 12.34"),
            ("EUR", "-UUU9.99", -1234, "- EUR12.34"),
            ("F", "UUU9.99", 1234, " F12.34"),
            ("EUR", "U**9.99", 1234, "EUR*12.34"),
        ] {
            let picture = picture(text, &money(sign)).unwrap();
            let mut out = vec![b'?'; picture.size];
            edit(Decimal { value, scale: 2 }, &picture, false, Marks::of(false), false, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected, "{text}");
            let back = unedit(&out, &picture, Marks::of(false));
            assert!(value == 0 || back == Decimal { value, scale: 2 }, "{text}: {back:?}");
        }
    }

    #[test]
    fn back() {
        let picture = picture("ZZ,ZZ9.99-", &Money::default()).unwrap();
        assert_eq!(unedit(b" 1,234.56-", &picture, Marks::of(false)), Decimal { value: -123_456, scale: 2 });
    }
}
