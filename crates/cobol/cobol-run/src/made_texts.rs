//! Texts that intrinsic functions make: joined, replaced, of digits, of moments.

use std::hash::{BuildHasher, Hasher, RandomState};

use cobol_runtime::formats::{Format, Local};
use cobol_runtime::moments;

use super::abend::ProgramFault;
use super::decimal::{Decimal, ten};
use super::machine::Machine;
use cobol_ir::program::{BytePlace, Number, Text};

/// Characters of a function's argument, at most: what is worked on without a look at the flag of the host.
pub const ARGUMENT_MAX: usize = 16 << 20;

/// Comparisons of bytes that one SUBSTITUTE may cost: it is not stopped on its way.
const COMPARISONS_MAX: usize = 1 << 28;
/// Nanoseconds have nine decimals of a second.
const NANOS: i32 = 9;

impl Machine<'_> {
    fn list(&mut self, texts: &[Text]) -> Result<Vec<Vec<u8>>, ProgramFault> {
        let mut list = Vec::with_capacity(texts.len());
        let mut bytes = 0;
        for text in texts {
            let text = self.text(text, 1)?.into_owned();
            bytes += text.len();
            list.push(text);
            if bytes > ARGUMENT_MAX {
                return Err(ProgramFault::Argument);
            }
        }
        Ok(list)
    }

    pub(super) fn joined(&mut self, texts: &[Text]) -> Result<Vec<u8>, ProgramFault> {
        Ok(self.list(texts)?.concat())
    }

    pub(super) fn substituted(&mut self, text: &Text, pairs: &[Text]) -> Result<Vec<u8>, ProgramFault> {
        let text = self.text(text, 1)?.into_owned();
        let pairs = self.list(pairs)?;
        let wanted: usize = pairs.iter().step_by(2).map(Vec::len).sum();
        if text.len().saturating_mul(wanted) > COMPARISONS_MAX {
            return Err(ProgramFault::Argument);
        }
        let mut out = Vec::with_capacity(text.len());
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let pair = pairs.chunks_exact(2).find(|pair| !pair[0].is_empty() && rest.starts_with(&pair[0]));
            match pair {
                Some(pair) => {
                    out.extend_from_slice(&pair[1]);
                    at += pair[0].len();
                }
                None => {
                    out.push(text[at]);
                    at += 1;
                }
            }
            if out.len() > ARGUMENT_MAX {
                return Err(ProgramFault::Argument);
            }
        }
        Ok(out)
    }

    /// The greatest or least of some texts: the first of those that are equal.
    pub(super) fn extreme_text(&mut self, greatest: bool, texts: &[Text]) -> Result<Vec<u8>, ProgramFault> {
        let mut list = self.list(texts)?;
        let at = extreme(&list, greatest).ok_or(ProgramFault::Argument)?;
        Ok(list.swap_remove(at))
    }

    /// The place of the greatest or least of some texts, from 1.
    pub(super) fn place_among(&mut self, greatest: bool, texts: &[Text]) -> Result<Decimal, ProgramFault> {
        let at = extreme(&self.list(texts)?, greatest).ok_or(ProgramFault::Argument)?;
        Ok(Decimal::whole(at as i64 + 1))
    }

    pub(super) fn formatted(
        &mut self,
        format: &Format,
        [day, seconds, offset]: [Option<&Number>; 3],
    ) -> Result<Vec<u8>, ProgramFault> {
        let day = day.map(|day| self.integer(day)).transpose()?.unwrap_or(1);
        let nanos = match seconds {
            Some(seconds) => {
                let (nanos, _) = self.rounded(seconds, NANOS)?.aligned(NANOS, false, 20);
                i64::try_from(nanos).map_err(|_| ProgramFault::Argument)?
            }
            None => 0,
        };
        let offset = offset.map(|offset| self.integer(offset)).transpose()?.unwrap_or(0);
        let text = format.write(Local { day, nanos, offset }).ok_or(ProgramFault::Argument)?;
        Ok(text.into_bytes())
    }

    /// The moment that characters of CURRENT-DATE say, in a format.
    pub(super) fn formatted_now(
        &mut self,
        format: &Format,
        place: &BytePlace,
    ) -> Result<Vec<u8>, ProgramFault> {
        let span = self.span(place)?;
        let local = moments::read_current(&self.read(&span)).ok_or(ProgramFault::Argument)?;
        Ok(format.write(local).ok_or(ProgramFault::Argument)?.into_bytes())
    }

    pub(super) fn plain(&mut self, number: &Number) -> Result<Vec<u8>, ProgramFault> {
        Ok(plain(self.number(number)?).into_bytes())
    }
}

fn extreme(list: &[Vec<u8>], greatest: bool) -> Option<usize> {
    let mut best = 0;
    list.first()?;
    for (at, text) in list.iter().enumerate() {
        let order = super::compare::padded(text, &list[best], b' ');
        if if greatest { order.is_gt() } else { order.is_lt() } {
            best = at;
        }
    }
    Some(best)
}

/// A number as people write it.
fn plain(number: Decimal) -> String {
    let sign = if number.value < 0 { "-" } else { "" };
    let magnitude = number.value.unsigned_abs();
    match u32::try_from(number.scale) {
        Ok(scale) if scale > 0 && scale <= 38 => {
            let (whole, decimals) = (magnitude / ten(scale), magnitude % ten(scale));
            format!("{sign}{whole}.{decimals:0width$}", width = scale as usize)
        }
        Ok(_) => format!("{sign}{magnitude}"),
        Err(_) => format!("{sign}{magnitude}{}", "0".repeat(number.scale.unsigned_abs() as usize)),
    }
}

pub(super) fn hexadecimal(bytes: &[u8]) -> Vec<u8> {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 0x0F].map(|half| b"0123456789ABCDEF"[usize::from(half)]))
        .collect()
}

pub(super) fn bits(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| b'0' + (byte >> bit & 1))).collect()
}

/// Bytes of characters that are digits of a base of two to so many bits.
pub(super) fn bytes_of(text: &[u8], bits: u32) -> Result<Vec<u8>, ProgramFault> {
    let count = (8 / bits) as usize;
    if text.is_empty() || !text.len().is_multiple_of(count) {
        return Err(ProgramFault::Argument);
    }
    let digit = |byte: &u8| char::from(*byte).to_digit(1 << bits).map(|digit| digit as u8);
    let byte = |digits: &[u8]| {
        digits
            .iter()
            .try_fold(0_u8, |sum, byte| Some(sum << bits | digit(byte)?))
            .ok_or(ProgramFault::Argument)
    };
    text.chunks(count).map(byte).collect()
}

/// A random identifier of version 4. Its bits are those of hashes with keys that the operating system gives.
pub(super) fn unique() -> Vec<u8> {
    let half = || RandomState::new().build_hasher().finish();
    let (high, low) = (half() & !0xF000 | 0x4000, half() & (u64::MAX >> 2) | 1 << 63);
    let (a, b, c) = (high >> 32, high >> 16 & 0xFFFF, high & 0xFFFF);
    let (d, e) = (low >> 48, low & 0xFFFF_FFFF_FFFF);
    format!("{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        assert_eq!(plain(Decimal { value: -1250, scale: 2 }), "-12.50");
        assert_eq!(plain(Decimal { value: 5, scale: 3 }), "0.005");
        assert_eq!(plain(Decimal { value: 5, scale: -2 }), "500");
        assert_eq!(plain(Decimal::whole(0)), "0");
    }

    #[test]
    fn identifiers_differ() {
        let (one, other) = (unique(), unique());
        assert_ne!(one, other);
        assert_eq!((one.len(), one[14]), (36, b'4'));
        assert!(b"89ab".contains(&one[19]));
    }
}
