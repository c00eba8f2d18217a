//! Bytes and messages as the text of a page.

use diagnostics::Diagnostic;

/// Messages as a text.
pub fn told(messages: &[Diagnostic]) -> String {
    messages.iter().map(|message| message.render(false)).collect::<Vec<_>>().join("\n")
}

/// Bytes as text: what is no printable ASCII by its number, `\xHH`; blanks at the end are left out.
pub fn shown(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        match byte {
            b'\\' => text.push_str("\\x5C"),
            b' '..=b'~' => text.push(char::from(*byte)),
            other => text.push_str(&format!("\\x{other:02X}")),
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// The bytes of such a text.
///
/// # Errors
/// The character that no record can hold, or what follows a backslash and is no number.
pub fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        if letter != '\\' {
            let byte = u8::try_from(letter).map_err(|_| format!("'{letter}' is no character of a record"))?;
            bytes.push(byte);
            continue;
        }
        let digits: String = rest.by_ref().take(3).collect();
        let number = digits.strip_prefix('x').filter(|digits| digits.len() == 2);
        let byte = number.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.ok_or_else(|| format!("\\{digits} is no byte: write \\xHH"))?);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_text_and_back() {
        for (own, text) in [(&b"AB 1"[..], "AB 1"), (b"A\0", "A\\x00"), (b"a\\b", "a\\x5Cb")] {
            assert_eq!((shown(own).as_str(), bytes(text).as_deref()), (text, Ok(own)));
        }
        assert_eq!(shown(b"A  "), "A");
        for wrong in ["\\x4", "\\n", "\\x-1", "\u{20ac}"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
