//! The fingerprint of what turns sources into code: with another compiler, other code.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Crates whose text decides what comes out of a source, and this one's.
const COMPILER: [&str; 20] = [
    "interface/spec",
    "cobol/cobol-source",
    "cobol/cobol-exec",
    "sql/db2",
    "cobol/copybook",
    "screens/bms",
    "cobol/cobol-types",
    "cobol/cobol-syntax",
    "cobol/cobol-data",
    "cobol/cobol-check",
    "cobol/cobol-ir",
    "cobol/cobol-lower",
    "cobol/cobol-run",
    "cobol/cobol-runtime",
    "cobol/cobol-codegen",
    "cobol/native",
    "text/ebcdic",
    "interface/diagnostics",
    "cobol/le",
    "cobol/toolchain/src",
];

fn main() -> std::io::Result<()> {
    let compiler = fingerprint(&COMPILER)?;
    println!("cargo::rustc-env=COMPILER_FINGERPRINT={compiler:016x}");
    Ok(())
}

fn fingerprint(names: &[&str]) -> std::io::Result<u64> {
    let crates = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let mut fingerprint = FNV_OFFSET;
    for name in names {
        let folder = crates.join(name);
        println!("cargo::rerun-if-changed={}", folder.display());
        hash_tree(&folder, &mut fingerprint)?;
    }
    Ok(fingerprint)
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

fn hash_tree(path: &Path, fingerprint: &mut u64) -> std::io::Result<()> {
    if path.is_file() {
        for byte in fs::read(path)? {
            *fingerprint = (*fingerprint ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
        }
        return Ok(());
    }
    if !path.is_dir() {
        return Ok(());
    }
    let mut paths: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    paths.iter().try_for_each(|path| hash_tree(path, fingerprint))
}
