//! Texts that definitions name by a path, read as a whole with a limit.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Reads a text in UTF-8 of at most so many bytes. `shown` names the file in messages.
///
/// # Errors
/// A message: as of [`bytes`], or it is no UTF-8.
pub fn text(path: &Path, shown: &str, most: usize) -> Result<String, String> {
    String::from_utf8(bytes(path, shown, most)?).map_err(|_| format!("{shown} is no text in UTF-8"))
}

/// Reads a file of at most so many bytes. `shown` names it in messages.
///
/// Only a plain file is read: a pipe would hold its thread until a writer comes, and a device may have no end.
///
/// # Errors
/// A message: the file cannot be read, is no plain file, or is too long.
pub fn bytes(path: &Path, shown: &str, most: usize) -> Result<Vec<u8>, String> {
    let cannot = |error: std::io::Error| format!("{shown} cannot be read: {error}");
    if !path.metadata().map_err(cannot)?.is_file() {
        return Err(format!("{shown} cannot be read: it is no plain file"));
    }
    let mut bytes = Vec::new();
    let limit = most as u64 + 1;
    File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)).map_err(cannot)?;
    if bytes.len() > most {
        return Err(format!("{shown} is longer than {most} bytes"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_text_within_its_limit_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("text");
        std::fs::write(&path, "four").expect("written");
        assert_eq!(text(&path, "T", 4), Ok("four".to_owned()));
        assert_eq!(text(&path, "T", 3), Err("T is longer than 3 bytes".to_owned()));
        std::fs::write(&path, b"\xFF").expect("written");
        assert_eq!(text(&path, "T", 4), Err("T is no text in UTF-8".to_owned()));
    }

    #[test]
    fn a_device_and_a_folder_are_not_read() {
        for path in ["/dev/zero", "/"] {
            assert_eq!(
                text(Path::new(path), "T", 4),
                Err("T cannot be read: it is no plain file".to_owned())
            );
        }
        assert!(text(Path::new("/nowhere/at/all"), "T", 4).is_err());
    }
}
