//! The packages of a module's programs: what a region needs of their SQL statements.
//!
//! They stand in a file beside the module. A module without them cannot run its statements, so a build is only found
//! again with the very packages that its record names.

use std::path::{Path, PathBuf};
use std::{fs, io};

use db2::package::Package;

use crate::record::write_whole;

/// The end of the file's name, instead of a module's `.so`.
pub(crate) const SUFFIX: &str = ".sql";

/// Keeps packages beside a module; answers what a record says of them.
pub(crate) fn keep(module: &Path, packages: &[Package]) -> io::Result<Vec<String>> {
    for (number, package) in packages.iter().enumerate() {
        write_whole(&path(module, number), &package.to_bytes())?;
    }
    Ok(packages.iter().map(token).collect())
}

/// The packages that a record names; `None` if one of them is not there any more, or another one.
pub(crate) fn read(module: &Path, tokens: &[String]) -> Option<Vec<Package>> {
    let read = |(number, expected): (usize, &String)| {
        let package = Package::from_bytes(&fs::read(path(module, number)).ok()?)?;
        (token(&package) == *expected).then_some(package)
    };
    tokens.iter().enumerate().map(read).collect()
}

/// The file of a module's first package, second …: `NAME-hash.sql`, `NAME-hash.1.sql` …
fn path(module: &Path, number: usize) -> PathBuf {
    match number {
        0 => module.with_extension(&SUFFIX[1..]),
        _ => module.with_extension(format!("{number}{SUFFIX}")),
    }
}

/// The module that a file of this name belongs to.
pub(crate) fn module_of(name: &str) -> Option<String> {
    let stem = name.strip_suffix(SUFFIX)?;
    let numbered = stem.rsplit_once('.').filter(|(_, number)| number.bytes().all(|b| b.is_ascii_digit()));
    Some(format!("{}.so", numbered.map_or(stem, |(stem, _)| stem)))
}

fn token(package: &Package) -> String {
    format!("{:016x}", package.token())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_found_as_they_were_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let module = folder.path().join("BANK-0123.so");
        let packages: Vec<Package> =
            ["BANK", "INNER"].map(|name| Package { program: name.into(), ..Package::default() }).into();
        let tokens = keep(&module, &packages).expect("written");
        assert_eq!(read(&module, &tokens), Some(packages));
        assert_eq!(read(&module, &[tokens[1].clone()]), None);
        fs::remove_file(path(&module, 1)).expect("removed");
        assert_eq!(read(&module, &tokens), None);
    }

    #[test]
    fn a_file_names_its_module() {
        let module = Some("BANK-0123.so".to_string());
        assert_eq!(module_of("BANK-0123.sql"), module);
        assert_eq!(module_of("BANK-0123.1.sql"), module);
        assert_eq!(module_of("BANK-0123.data"), None);
    }
}
