//! SOUNDEX and DIFFERENCE.

use super::texts::upper;
use super::{Call, Function};
use crate::unfit::Unfit;
use crate::value::Value;

/// The digits of the letters A to Z: of vowels and their like it is 0.
const DIGITS: &[u8; 26] = b"01230120022455012623010202";
const LENGTH: usize = 4;

impl Call<'_> {
    pub(super) fn of_sounds(&self) -> Result<Value, Unfit> {
        let first = soundex(&self.text_at(0)?);
        if self.function == Function::Soundex {
            return Ok(Value::Text(first.to_vec()));
        }
        let second = soundex(&self.text_at(1)?);
        let same = first.iter().zip(&second).filter(|(a, b)| a == b).count();
        Ok(Value::Whole(same as i64))
    }
}

/// The sound of a name: its first letter, and digits of the consonants behind it. H and W do not part two of one digit, vowels do.
fn soundex(text: &[u8]) -> [u8; LENGTH] {
    let text = upper(text);
    let mut letters = text.iter().copied().filter(u8::is_ascii_uppercase);
    let Some(first) = letters.next() else { return [b' '; LENGTH] };
    let digit = |letter: u8| DIGITS[usize::from(letter - b'A')];
    let (mut code, mut at, mut last) = ([b'0'; LENGTH], 1, digit(first));
    code[0] = first;
    for digit in letters.filter(|letter| !matches!(letter, b'H' | b'W')).map(digit) {
        if digit != last && digit != b'0' && at < LENGTH {
            code[at] = digit;
            at += 1;
        }
        last = digit;
    }
    code
}
