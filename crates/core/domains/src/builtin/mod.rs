//! Built-in functions: BIF DEEDIT and BIF DIGEST.

mod digest;

use ebcdic::CodePage;
use spec::{cmd, cond, opt};

use kernel::exec::{Answers, Call, Handler};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;

/// This domain's commands.
pub(crate) const HANDLERS: Answers =
    &[(cmd::BIF_DEEDIT, Handler::Now(deedit)), (cmd::BIF_DIGEST, Handler::Now(digest::digest))];

/// BIF DEEDIT: the digits of an edited field, in the field.
fn deedit(_: &mut Task, call: &Call<'_>) -> Outcome {
    let length = call.number(opt::LENGTH)?.unwrap_or(call.size(opt::FIELD) as i64);
    let length = usize::try_from(length).ok().filter(|n| *n > 0).ok_or_else(|| cond::LENGERR.raise(0))?;
    let field = call.bytes_of(opt::FIELD, length)?.unwrap_or_default();
    call.put_area(opt::FIELD, &deedited(&field))
}

/// The digits, moved to the right and filled with zeros to the same length.
///
/// The last byte stays where it is a digit with a sign, as a letter may be. A minus sign or CR at the end makes the
/// number negative.
fn deedited(field: &[u8]) -> Vec<u8> {
    let negative = field.ends_with(b"-") || field.ends_with(b"CR");
    let signed_end = field.last().copied().filter(|last| !negative && is_zoned(*last));
    let body = &field[..field.len() - usize::from(signed_end.is_some())];
    let mut digits: Vec<u8> = body.iter().copied().filter(u8::is_ascii_digit).chain(signed_end).collect();
    if let (true, Some(last)) = (negative, digits.last_mut()) {
        *last = negative_digit(*last);
    }
    let mut result = vec![b'0'; field.len() - digits.len()];
    result.append(&mut digits);
    result
}

/// Returns true if the EBCDIC byte of a program character is a digit with a zone.
fn is_zoned(byte: u8) -> bool {
    let ebcdic = CodePage::NUMERIC.from_program_table()[usize::from(byte)];
    ebcdic >> 4 >= 0xa && ebcdic & 0x0f <= 9
}

/// A digit with the zone of a negative number.
fn negative_digit(digit: u8) -> u8 {
    CodePage::NUMERIC.to_program_table()[usize::from(0xd0 | (digit - b'0'))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_go_to_the_right_and_signs_into_the_last() {
        let cases = [
            ("14-6704/B", "00146704B"),
            ("$25.68", "002568"),
            ("1,234.56-", "00012345O"),
            ("12.34CR", "000123M"),
            ("  7", "007"),
            ("120-", "012}"),
            ("abc.", "0000"),
            ("-", "0"),
        ];
        for (field, expected) in cases {
            assert_eq!(String::from_utf8_lossy(&deedited(field.as_bytes())), expected, "{field}");
        }
    }
}
