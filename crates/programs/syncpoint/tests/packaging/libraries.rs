//! The machines on which the binary runs: the shared libraries that it names, and the oldest glibc that has all it asks for.

use std::path::Path;
use std::process::Command;

use crate::{is_installed, said};

/// Every Linux with glibc has these; `libgcc_s` comes with it everywhere.
const LIBRARIES: &[&str] =
    &["libc.so", "libm.so", "libgcc_s.so", "ld-linux-x86-64.so", "ld-linux-aarch64.so"];
/// The glibc of RHEL 9 and Ubuntu 22.04: what docs/operator.md promises of a binary that was linked on Debian 12.
const FLOOR: (u32, u32) = (2, 34);
/// The glibc of Debian 12: a newer one may give the binary symbols of its own.
const BUILT_ON: (u32, u32) = (2, 36);

fn version(text: &str) -> Option<(u32, u32)> {
    let (first, second) = text.split_once('.')?;
    Some((first.parse().ok()?, second.split('.').next()?.parse().ok()?))
}

#[test]
fn the_binary_needs_glibc_of_rhel_9_and_nothing_else() {
    if !is_installed("readelf") {
        eprintln!("skipped: there is no readelf");
        return;
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_syncpoint"));
    let dynamic = said(Command::new("readelf").arg("--dynamic").arg(binary));
    let named: Vec<&str> = dynamic
        .lines()
        .filter(|line| line.contains("(NEEDED)"))
        .filter_map(|line| line.split_once('[')?.1.split_once(']').map(|(name, _)| name))
        .collect();
    for library in &named {
        assert!(LIBRARIES.iter().any(|known| library.starts_with(known)), "{library}: {named:?}");
    }
    let asked = said(Command::new("readelf").arg("--version-info").arg("--wide").arg(binary));
    let asked =
        asked.split("Name: GLIBC_").skip(1).filter_map(|rest| version(rest.split_whitespace().next()?));
    let newest = asked.max().expect("versions of glibc");
    let here = said(Command::new("getconf").arg("GNU_LIBC_VERSION"));
    let here = here.split_whitespace().nth(1).and_then(version).expect("glibc and its version");
    if here > BUILT_ON {
        eprintln!("skipped: the floor is that of Debian 12; linked here, the binary needs {newest:?}");
        return;
    }
    assert!(newest <= FLOOR, "glibc {newest:?}");
}
