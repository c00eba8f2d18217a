//! NUMVAL and NUMVAL-C: numbers that people have written.

/// The form of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
    /// The character between whole digits and decimals.
    pub point: u8,
    /// NUMVAL-C: the currency sign, which may be left out. Without one there are no separators of thousands, either.
    pub currency: Option<&'a [u8]>,
    /// Digits, at most.
    pub digits_max: u32,
}

/// A number: `value` × 10 to the power −`scale`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Its digits, with its sign.
    pub value: i128,
    /// The number of decimals among them.
    pub scale: u32,
}

/// Digits that `value` has room for.
const DIGITS_MAX: u32 = 38;

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn spaces(&mut self) {
        while self.text.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
    }

    /// Takes a word in capitals or small letters, if it is here.
    fn take(&mut self, word: &[u8]) -> bool {
        let here = self.text.get(self.at..self.at + word.len());
        let stands = here.is_some_and(|here| here.eq_ignore_ascii_case(word));
        self.at += if stands { word.len() } else { 0 };
        stands
    }

    /// A sign; whether it is that of a negative number.
    fn sign(&mut self) -> Option<bool> {
        match self.text.get(self.at) {
            Some(b'+') => Some(false),
            Some(b'-') => Some(true),
            _ => None,
        }
        .inspect(|_| self.at += 1)
    }
}

/// Reads a number from a text.
///
/// # Errors
/// The place of the first character that is wrong, from 1; one after the text if something is missing.
pub fn read(text: &[u8], style: Style<'_>) -> Result<Written, usize> {
    let mut scan = Scan { text, at: 0 };
    scan.spaces();
    let leading = scan.sign();
    scan.spaces();
    if let Some(currency) = style.currency.filter(|currency| !currency.is_empty()) {
        scan.take(currency);
        scan.spaces();
    }
    let mut written = digits(&mut scan, style)?;
    scan.spaces();
    let mut negative = leading == Some(true);
    if leading.is_none() {
        negative = match scan.sign() {
            Some(negative) => negative,
            None => scan.take(b"CR") || scan.take(b"DB"),
        };
        scan.spaces();
    }
    if scan.at < text.len() {
        return Err(scan.at + 1);
    }
    if negative {
        written.value = -written.value;
    }
    Ok(written)
}

/// A number of NUMVAL-F: `value` × 10 to the power −`scale`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Floating {
    /// Its digits, with its sign.
    pub value: i128,
    /// The number of decimals among them; negative if zeros follow.
    pub scale: i32,
}

/// Digits of the exponent of a number of NUMVAL-F, at most.
const EXPONENT_DIGITS: usize = 3;

/// The number that a text is, which may have an exponent.
///
/// # Errors
/// As of [`read`].
pub fn read_floating(text: &[u8], point: u8) -> Result<Floating, usize> {
    let mut scan = Scan { text, at: 0 };
    scan.spaces();
    let negative = scan.sign() == Some(true);
    scan.spaces();
    let written = digits(&mut scan, Style { point, currency: None, digits_max: DIGITS_MAX })?;
    scan.spaces();
    let mut exponent = 0;
    if scan.take(b"E") {
        scan.spaces();
        let below = scan.sign() == Some(true);
        scan.spaces();
        let start = scan.at;
        while let Some(digit) = text.get(scan.at).filter(|byte| byte.is_ascii_digit()) {
            if scan.at - start == EXPONENT_DIGITS {
                return Err(scan.at + 1);
            }
            exponent = exponent * 10 + i32::from(digit - b'0');
            scan.at += 1;
        }
        if scan.at == start {
            return Err(scan.at + 1);
        }
        exponent = if below { -exponent } else { exponent };
        scan.spaces();
    }
    if scan.at < text.len() {
        return Err(scan.at + 1);
    }
    let value = if negative { -written.value } else { written.value };
    Ok(Floating { value, scale: written.scale as i32 - exponent })
}

fn digits(scan: &mut Scan<'_>, style: Style<'_>) -> Result<Written, usize> {
    let separator = if style.point == b',' { b'.' } else { b',' };
    let limit = style.digits_max.min(DIGITS_MAX);
    let (mut written, mut count, mut behind_point) = (Written::default(), 0, false);
    while let Some(byte) = scan.text.get(scan.at).copied() {
        match byte {
            b'0'..=b'9' if count == limit => return Err(scan.at + 1),
            b'0'..=b'9' => {
                written.value = written.value * 10 + i128::from(byte - b'0');
                written.scale += u32::from(behind_point);
                count += 1;
            }
            _ if byte == style.point && !behind_point => behind_point = true,
            _ if byte == separator && style.currency.is_some() && count > 0 && !behind_point => {}
            _ => break,
        }
        scan.at += 1;
    }
    if count == 0 { Err(scan.at + 1) } else { Ok(written) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style<'static> = Style { point: b'.', currency: None, digits_max: 18 };
    const MONEY: Style<'static> = Style { point: b'.', currency: Some(b"$"), digits_max: 18 };

    fn of(value: i128, scale: u32) -> Result<Written, usize> {
        Ok(Written { value, scale })
    }

    #[test]
    fn numbers_with_signs_at_either_end() {
        let check = |text: &str, expected| assert_eq!(read(text.as_bytes(), PLAIN), expected, "{text}");
        check("  12.50 ", of(1250, 2));
        check(" - 7", of(-7, 0));
        check("7 -", of(-7, 0));
        check("7CR", of(-7, 0));
        check("7 db ", of(-7, 0));
        check("+.5", of(5, 1));
        check("5.", of(5, 0));
        check("-5-", Err(3));
        check("1,000", Err(2));
        check("1 2", Err(3));
        check("ABC", Err(1));
        check("   ", Err(4));
        check("", Err(1));
        check("1234567890123456789", Err(19));
    }

    #[test]
    fn floating() {
        let check = |text: &str, expected| {
            let found = read_floating(text.as_bytes(), b'.').map(|number| (number.value, number.scale));
            assert_eq!(found, expected, "{text}");
        };
        check(" 12.5E2 ", Ok((125, -1)));
        check("-1e-03", Ok((-1, 3)));
        check("- 7 E + 1", Ok((-7, -1)));
        check("5", Ok((5, 0)));
        check("5E", Err(3));
        check("5E1234", Err(6));
        check("5E1 X", Err(5));
        check("E1", Err(1));
        check("7-", Err(2));
    }

    #[test]
    fn money() {
        let check = |text: &str, expected| assert_eq!(read(text.as_bytes(), MONEY), expected, "{text}");
        check("$1,234.56", of(123_456, 2));
        check("- $ 12", of(-12, 0));
        check("1,000 CR", of(-1000, 0));
        check(",1", Err(1));
        check("1.2,3", Err(4));
        let comma = Style { point: b',', currency: Some(b"EUR"), digits_max: 18 };
        assert_eq!(read(b"eur 1.234,5", comma), of(12_345, 1));
    }
}
