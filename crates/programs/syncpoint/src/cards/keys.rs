//! Keys in files: never arguments, which everybody on the machine can read.

use std::path::Path;

use card::key::Key;
use diagnostics::Diagnostic;

use crate::codes;
use command_line::messages::{Messages, read as read_text};

/// A key from a file that holds its 32 hexadecimal digits.
pub(crate) fn read(file: &Path) -> Result<Key, Messages> {
    let text = read_text(file)?;
    Key::parse(text.trim()).ok_or_else(|| {
        let message = format!("{} holds no key", file.display());
        vec![Diagnostic::error(codes::NO_KEY, message).help("a key is 32 hexadecimal digits")]
    })
}

/// A published key that wraps others: using it protects nothing.
const TEST_KEY_ENCRYPTING_KEY: u128 = 0xFEDC_BA98_7654_3210_0123_4567_89AB_CDEF;

/// The key of a file, or the published one where no file is named; with odd parity.
pub(crate) fn read_or_test(file: Option<&Path>) -> Result<Key, Messages> {
    read_or(file, Key::test())
}

/// As [`read_or_test`], for a key-encrypting key.
pub(crate) fn read_or_test_kek(file: Option<&Path>) -> Result<Key, Messages> {
    read_or(file, Key::new(TEST_KEY_ENCRYPTING_KEY.to_be_bytes()))
}

fn read_or(file: Option<&Path>, published: Key) -> Result<Key, Messages> {
    let key = match file {
        Some(file) => read(file)?,
        None => published,
    };
    Ok(key.with_odd_parity())
}
