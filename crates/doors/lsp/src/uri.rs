//! Names of files as URIs.

use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

const SCHEME: &str = "file://";

/// The path of a `file:` URI; `None` for any other.
pub fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix(SCHEME)?;
    // A host may stand in front of the path; it is this machine's.
    let rest = &rest[rest.find('/')?..];
    let rest = rest.split(['?', '#']).next()?;
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.bytes();
    while let Some(byte) = left.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [left.next()?, left.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    let usable = !bytes.contains(&0);
    usable.then(|| PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

/// The URI of a path.
pub fn of(path: &Path) -> String {
    let mut uri = SCHEME.to_owned();
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_comes_back_from_its_uri() {
        for name in ["/a/B.cbl", "/a b/\u{e9}#1.cpy", "/%41"] {
            assert_eq!(path(&of(Path::new(name))), Some(PathBuf::from(name)), "{name}");
        }
        for other in ["untitled:Untitled-1", "file:///a%4", "file:///a%zz", "file:///a%00", "file://", ""] {
            assert_eq!(path(other), None, "{other}");
        }
    }
}
