//! A fingerprint of what turns sources into what is compiled: with another translator, another module.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Crates whose text decides what comes out of a source, and a text of this one.
const FRONT_ENDS: [&str; 7] =
    ["spec", "cobol-source", "translator", "db2", "copybook", "bms", "toolchain/src/prelude.h"];

fn main() -> std::io::Result<()> {
    let crates = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("..");
    let mut fingerprint = FNV_OFFSET;
    for name in FRONT_ENDS {
        let folder = crates.join(name);
        println!("cargo::rerun-if-changed={}", folder.display());
        hash_tree(&folder, &mut fingerprint)?;
    }
    println!("cargo::rustc-env=FRONT_END_FINGERPRINT={fingerprint:016x}");
    Ok(())
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
