//! The encryption key of the data changes: while the region runs, when it is killed meanwhile, and where none runs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use tempfile::TempDir;

use crate::house::{Chance, FREE_PORT, Region, application, asked_for, product};

/// Regions that are killed while their key changes.
const KILLS: u64 = 3;
const RECORDS: usize = 20_000;
const DEFINE: &str = " DEFINE CLUSTER (NAME(KEYS.MANY) INDEXED KEYS(6 0) RECORDSIZE(60 60))\n REPRO INFILE(IN) OUTDATASET(KEYS.MANY)\n";
/// Something that must not be found on the disk.
const SECRET: &str = "NOBODY SHALL READ THIS";

/// A region.toml that names these keys, by the numbers of their files.
fn names(folder: &Path, now: u64, former: Option<u64>) {
    let former = former.map_or(String::new(), |key| format!("former-encryption-key-file = \"{key}.key\"\n"));
    let text = format!("{FREE_PORT}[data]\nencryption-key-file = \"{now}.key\"\n{former}");
    fs::write(folder.join("region.toml"), text).expect("written");
}

/// A key file of this number.
fn make_key(folder: &Path, number: u64) {
    let path = folder.join(format!("{number}.key"));
    fs::write(&path, format!("{number:064x}\n")).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("rights");
}

/// What a command has done.
fn syncpoint(folder: &Path, arguments: &[&str]) -> Output {
    product().args(arguments).current_dir(folder).output().expect("syncpoint starts")
}

fn well(folder: &Path, arguments: &[&str]) -> String {
    let output = syncpoint(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// An application with many records, encrypted with key 1, and no region.
fn house() -> TempDir {
    let folder = application(&[("region.toml", FREE_PORT), ("define.idcams.txt", DEFINE)]);
    let records: String = (0..RECORDS).map(|number| format!("{number:06}{SECRET:*<54}\n")).collect();
    fs::write(folder.path().join("many.txt"), records).expect("written");
    make_key(folder.path(), 1);
    names(folder.path(), 1, None);
    well(folder.path(), &["idcams", "--input", "define.idcams.txt", "--dd", "IN=many.txt,lines"]);
    folder
}

/// Whether all records are there and what they were.
fn all_is_there(folder: &Path) {
    let out = folder.join("out.txt");
    well(folder, &["idcams", "--input", "out.idcams.txt", "--dd", "OUT=out.txt,lines"]);
    let same = fs::read(&out).expect("read") == fs::read(folder.join("many.txt")).expect("read");
    assert!(same, "records are missing, or are not what they were");
    let base = fs::read(folder.join(".syncpoint/data/base/data.mdb")).expect("read");
    assert!(!base.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()));
}

#[test]
fn the_key_changes_while_the_region_runs_and_a_killed_region_goes_on() {
    let folder = house();
    let folder = folder.path();
    fs::write(folder.join("out.idcams.txt"), " REPRO INDATASET(KEYS.MANY) OUTFILE(OUT)\n").expect("written");
    let mut chance = Chance::asked_for();
    let mut key = 1;
    for _ in 0..asked_for("SYNCPOINT_KILLS").unwrap_or(KILLS) {
        let region = Region::start(folder);
        make_key(folder, key + 1);
        names(folder, key + 1, None);
        let refused = syncpoint(folder, &["key", "rotate"]);
        assert!(String::from_utf8_lossy(&refused.stderr).contains("former-encryption-key-file"));
        names(folder, key + 1, Some(key));
        let rotating = product().args(["key", "rotate"]).current_dir(folder).spawn();
        let mut rotating = rotating.expect("syncpoint starts");
        std::thread::sleep(Duration::from_millis(chance.below(600)));
        drop(region);
        let ended = rotating.wait().expect("it ends").success();
        key += 1;
        // In force or not: the region starts, and it is in force and used for all then.
        let region = Region::start(folder);
        well(folder, &["key", "rotate"]);
        println!("the region was killed {} the end", if ended { "after" } else { "before" });
        all_is_there(folder);
        region.signal("INT");
        assert!(region.ended().0.success());
        names(folder, key, None);
        all_is_there(folder);
        names(folder, key - 1, None);
        assert!(Region::refused(folder).contains("the key is not the one that the data were written with"));
        names(folder, key, None);
    }
    let audit = well(folder, &["audit", "export"]);
    assert!(audit.contains("KEY ROTATE"), "{audit}");
    // Where no region runs.
    make_key(folder, key + 1);
    names(folder, key + 1, Some(key));
    let said = well(folder, &["key", "rotate"]);
    assert!(said.contains("take former-encryption-key-… out"), "{said}");
    names(folder, key + 1, None);
    all_is_there(folder);
}
