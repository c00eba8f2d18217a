//! The folder of compiled programs: made when the tool chain begins, and swept.

use std::fs;
use std::path::Path;
use std::time::Duration;

use diagnostics::Diagnostic;

use crate::inputs::unwritable;
use crate::record::TEMPORARY;

/// Files that are being written are kept this long: another process may be about to rename them.
const UNFINISHED: Duration = Duration::from_secs(3600);
/// Endings of files that former versions have left, behind a hash.
const FORMER: [&str; 3] = ["so", "data", "sql"];
/// Characters of that hash.
const HASH_LENGTH: usize = 16;

/// Makes the folder if it is not there, and removes old files that nothing refers to.
///
/// # Errors
/// The folder cannot be made: what to tell the user.
pub(crate) fn open(folder: &Path) -> Result<(), Diagnostic> {
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if is_swept(&path) && is_old(&path) {
            // A file that cannot be removed stays for the next sweep.
            let _ = fs::remove_file(&path);
        }
    }
    Ok(())
}

/// Returns true if a file is one that was never finished, or a module of a former version.
fn is_swept(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let hash = stem.rsplit_once('-').map_or("", |(_, hash)| hash);
    let is_hash = hash.len() == HASH_LENGTH && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    ending == TEMPORARY || FORMER.contains(&ending) && is_hash
}

fn is_old(path: &Path) -> bool {
    let changed = fs::metadata(path).and_then(|metadata| metadata.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > UNFINISHED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unfinished_files_and_modules_of_former_versions_are_swept() {
        for (name, swept) in [
            ("PAY.123.new", true),
            ("PAY-0123456789abcdef.so", true),
            ("PAY-0123456789abcdef.data", true),
            ("PAY.native", false),
            ("PAY.sql", false),
            ("REPORT-2026.sql", false),
            ("notes.so", false),
        ] {
            assert_eq!(is_swept(Path::new(name)), swept, "{name}");
        }
    }
}
