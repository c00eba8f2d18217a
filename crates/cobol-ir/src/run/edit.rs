//! Editing by pictures, and back.

use cobol_data::Picture;

use super::decimal::{Decimal, ten};

/// What stands for decimal points and the like in a program.
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
    let magnitude = value.unsigned_abs() % ten(digits);
    if magnitude == 0 && blank_when_zero {
        out.fill(b' ');
        return;
    }
    let text = format!("{magnitude:0width$}", width = picture.digits);
    let mut editor = Editor::new(picture, marks, text.as_bytes(), value < 0 && magnitude != 0);
    editor.run(magnitude == 0);
    for (to, from) in out.iter_mut().zip(&editor.out) {
        *to = *from;
    }
}

struct Editor<'p> {
    symbols: Vec<char>,
    digits: &'p [u8],
    negative: bool,
    marks: Marks,
    /// The symbol of a floating string.
    floating: Option<char>,
    /// What stands for a suppressed digit.
    fill: u8,
    out: Vec<u8>,
}

impl<'p> Editor<'p> {
    fn new(picture: &Picture, marks: Marks, digits: &'p [u8], negative: bool) -> Self {
        let symbols: Vec<char> =
            picture.symbols.iter().flat_map(|s| std::iter::repeat_n(s.symbol, s.count)).collect();
        let count = |c: char| symbols.iter().filter(|own| **own == c).count();
        let money = symbols.iter().copied().find(|c| is_money(*c));
        let floating = ['+', '-'].into_iter().chain(money).find(|c| count(*c) > 1);
        let fill = if count('*') > 0 { b'*' } else { b' ' };
        Self { symbols, digits, negative, marks, floating, fill, out: Vec::new() }
    }

    fn run(&mut self, zero: bool) {
        let suppressing = |c: &char| matches!(c, 'Z' | '*') || Some(*c) == self.floating;
        if zero && !self.symbols.contains(&'9') && self.symbols.iter().any(suppressing) {
            self.blank();
            return;
        }
        let (mut next, mut suppressed, mut first_of_string) = (0, false, true);
        let mut significant = false;
        for symbol in self.symbols.clone() {
            let floats = Some(symbol) == self.floating;
            match symbol {
                _ if floats && first_of_string => {
                    first_of_string = false;
                    suppressed = true;
                    self.out.push(b' ');
                }
                '9' | 'Z' | '*' | 'X' | 'A' => {
                    self.digit(symbol == '9', &mut next, &mut suppressed, &mut significant);
                }
                _ if floats => self.digit(false, &mut next, &mut suppressed, &mut significant),
                'V' => self.end_suppression(&mut suppressed, &mut significant),
                'P' | 'S' => {}
                c if c == self.marks.point => {
                    self.end_suppression(&mut suppressed, &mut significant);
                    self.out.push(c as u8);
                }
                c if c == self.marks.comma || matches!(c, 'B' | '0' | '/') => {
                    let plain = if c == 'B' { b' ' } else { c as u8 };
                    self.out.push(if suppressed { self.fill } else { plain });
                }
                '+' => self.out.push(if self.negative { b'-' } else { b'+' }),
                '-' => self.out.push(if self.negative { b'-' } else { b' ' }),
                'C' => self.out.extend_from_slice(if self.negative { b"CR" } else { b"  " }),
                'D' => self.out.extend_from_slice(if self.negative { b"DB" } else { b"  " }),
                money => self.out.push(money as u8),
            }
        }
    }

    fn digit(&mut self, always: bool, next: &mut usize, suppressed: &mut bool, significant: &mut bool) {
        let digit = self.digits.get(*next).copied().unwrap_or(b'0');
        *next += 1;
        if !always && digit == b'0' && !*significant {
            *suppressed = true;
            self.out.push(self.fill);
            return;
        }
        self.end_suppression(suppressed, significant);
        self.out.push(digit);
    }

    /// The first character that is shown: the floating symbol goes to its left.
    fn end_suppression(&mut self, suppressed: &mut bool, significant: &mut bool) {
        *significant = true;
        if !std::mem::take(suppressed) {
            return;
        }
        let symbol = match (self.floating, self.negative) {
            (None, _) => return,
            (Some('+'), false) => b'+',
            (Some('-'), false) => b' ',
            (Some('+' | '-'), true) => b'-',
            (Some(money), _) => money as u8,
        };
        if let Some(last) = self.out.last_mut() {
            *last = symbol;
        }
    }

    /// Nothing but suppressed digits: spaces, or asterisks around the point.
    fn blank(&mut self) {
        for symbol in &self.symbols {
            match symbol {
                'V' | 'P' | 'S' => {}
                'C' | 'D' => self.out.extend([self.fill; 2]),
                c if *c == self.marks.point && self.fill == b'*' => self.out.push(*c as u8),
                _ => self.out.push(self.fill),
            }
        }
    }
}

/// Whether a symbol stands for money.
fn is_money(c: char) -> bool {
    !matches!(
        c,
        '9' | 'Z' | '*' | '+' | '-' | 'V' | 'P' | 'S' | 'B' | '0' | '/' | '.' | ',' | 'C' | 'D' | 'X' | 'A'
    )
}

/// The number of an edited item.
pub(crate) fn unedit(bytes: &[u8], picture: &Picture, marks: Marks) -> Decimal {
    let (mut value, mut decimals, mut behind) = (0_i128, 0, false);
    for byte in bytes {
        match byte {
            b'0'..=b'9' if value < 10_i128.pow(36) => {
                value = value * 10 + i128::from(byte - b'0');
                decimals += i32::from(behind);
            }
            byte if char::from(*byte) == marks.point => behind = true,
            _ => {}
        }
    }
    let text = String::from_utf8_lossy(bytes);
    let negative = text.contains('-') || text.contains("CR") || text.contains("DB");
    let scale = if behind { decimals } else { picture.scale };
    Decimal { value: if negative { -value } else { value }, scale }
}

/// Characters through a picture of an alphanumeric-edited item.
pub(crate) fn edit_text(text: &[u8], picture: &Picture, out: &mut [u8]) {
    let symbols = picture.symbols.iter().flat_map(|s| std::iter::repeat_n(s.symbol, s.count));
    let mut text = text.iter().copied();
    for (to, symbol) in out.iter_mut().zip(symbols) {
        *to = match symbol {
            'B' => b' ',
            '0' => b'0',
            '/' => b'/',
            _ => text.next().unwrap_or(b' '),
        };
    }
}

#[cfg(test)]
mod tests {
    use cobol_data::{Money, picture};

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
    fn back() {
        let picture = picture("ZZ,ZZ9.99-", &Money::default()).unwrap();
        assert_eq!(unedit(b" 1,234.56-", &picture, Marks::of(false)), Decimal { value: -123_456, scale: 2 });
    }
}
