//! Percent escapes: once in, once out.

use crate::refusal::Refusal;

/// Undoes the escapes of a text, once.
///
/// # Errors
/// A percent sign without two hexadecimal digits after it.
pub fn decode(text: &[u8]) -> Result<Vec<u8>, Refusal> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        let value =
            if byte == b'%' { escape(bytes.next(), bytes.next()).ok_or(Refusal::Path)? } else { byte };
        decoded.push(value);
    }
    Ok(decoded)
}

/// Undoes the escapes of a form: `+` is a blank, and a percent sign that begins no escape is itself, as browsers and
/// servers have agreed.
pub fn decode_form(text: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let escaped = escape(text.get(at + 1).copied(), text.get(at + 2).copied());
        match (byte, escaped) {
            (b'+', _) => decoded.push(b' '),
            (b'%', Some(value)) => {
                decoded.push(value);
                at += 2;
            }
            _ => decoded.push(*byte),
        }
        at += 1;
    }
    decoded
}

/// Escapes all but letters, digits and `-._~`.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            text.push(char::from(*byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

/// A path as it is matched and opened: unescaped once.
///
/// # Errors
/// [`Refusal::Path`]: dot segments are not resolved, and no honest path has an escaped slash or NUL.
pub fn decode_path(path: &str) -> Result<Vec<u8>, Refusal> {
    let has_dots = |path: &[u8]| path.split(|byte| *byte == b'/').any(|part| part == b"." || part == b"..");
    let escapes = path.as_bytes().windows(3);
    let hidden = |escape: &[u8]| matches!(escape, [b'%', b'2', b'f' | b'F'] | [b'%', b'0', b'0']);
    if escapes.into_iter().any(hidden) || has_dots(path.as_bytes()) {
        return Err(Refusal::Path);
    }
    let decoded = decode(path.as_bytes())?;
    if has_dots(&decoded) { Err(Refusal::Path) } else { Ok(decoded) }
}

fn escape(high: Option<u8>, low: Option<u8>) -> Option<u8> {
    let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_once() {
        let cases: [(&str, Option<&str>); 5] = [
            ("a%20b", Some("a b")),
            ("%2520", Some("%20")),
            ("a+b", Some("a+b")),
            ("%4", None),
            ("%zz", None),
        ];
        for (text, expected) in cases {
            assert_eq!(decode(text.as_bytes()).ok().as_deref(), expected.map(str::as_bytes), "{text}");
        }
        assert_eq!(decode_form(b"a+b%21%4%zz%"), b"a b!%4%zz%");
        assert_eq!(encode("a b/é~".as_bytes()), "a%20b%2F%C3%A9~");
    }

    #[test]
    fn no_path_leaves_its_root() {
        for path in
            ["/../x", "/a/..", "/a/%2e%2E/b", "/a/./b", "/a%2fb", "/a%2Fb", "/a%00", "/%", "/.%2e", "/a/%2e"]
        {
            assert_eq!(decode_path(path), Err(Refusal::Path), "{path}");
        }
        assert_eq!(decode_path("/a/...%20/.b").as_deref(), Ok(b"/a/... /.b".as_slice()));
    }
}
