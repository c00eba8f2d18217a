//! Keys in files: never arguments, which everybody on the machine can read.

use std::path::Path;

use card::key::Key;
use diagnostics::Diagnostic;

use crate::application::{Messages, read as read_text};
use crate::codes;

/// The key of published test vectors: whoever uses it protects nothing.
const TEST_KEY: &str = "0123456789ABCDEFFEDCBA9876543210";

/// A key from a file that holds its 32 hexadecimal digits.
pub(crate) fn read(file: &Path) -> Result<Key, Messages> {
    let text = read_text(file)?;
    Key::parse(text.trim()).ok_or_else(|| {
        let message = format!("{} holds no key", file.display());
        vec![Diagnostic::error(codes::NO_KEY, message).help("a key is 32 hexadecimal digits")]
    })
}

/// The same, for a key that wraps others.
const TEST_KEY_ENCRYPTING_KEY: &str = "FEDCBA98765432100123456789ABCDEF";

/// The key of a file, or the published one where no file is named; with odd parity.
pub(crate) fn read_or_test(file: Option<&Path>) -> Result<Key, Messages> {
    read_or(file, TEST_KEY)
}

/// As [`read_or_test`], for a key-encrypting key.
pub(crate) fn read_or_test_kek(file: Option<&Path>) -> Result<Key, Messages> {
    read_or(file, TEST_KEY_ENCRYPTING_KEY)
}

fn read_or(file: Option<&Path>, published: &str) -> Result<Key, Messages> {
    let key = match file {
        Some(file) => read(file)?,
        None => Key::parse(published).unwrap_or_else(|| Key::new([1; Key::LENGTH])),
    };
    Ok(key.with_odd_parity())
}
