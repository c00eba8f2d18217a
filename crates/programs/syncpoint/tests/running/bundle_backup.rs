//! Bundles over a kill, a backup and another key: from a folder, from a zip, and deployed over HTTP.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::TempDir;

use crate::deploying::zips::zip;
use crate::deploying::{ANNA, DEFINITIONS, FIELDS, Managed, SECRET, USERS, cemt, form};
use crate::house::{FREE_PORT, application, product};

/// Bundles, transactions and programs: the folder's, the zip's, and that which is deployed.
const BUNDLES: [(&str, &str, &str); 3] =
    [("FOLD", "FOLT", "FOLDP"), ("ZIPPED", "ZIPT", "ZIPP"), ("SHOP", "SHPT", "SHOPP")];
const BUNDLEDIRS: &str = "
DEFINE BUNDLE(FOLD) GROUP(OPS) BUNDLEDIR(fold)
DEFINE BUNDLE(ZIPPED) GROUP(OPS) BUNDLEDIR(zipped.zip)
";

fn program(name: &str) -> String {
    format!(
        "       ID DIVISION.\n       PROGRAM-ID. {name}.\n       PROCEDURE DIVISION.\n           DISPLAY '{name} RUNS'\n           \
         EXEC CICS RETURN END-EXEC.\n"
    )
}

/// The files of a bundle with a transaction and its program.
fn bundle(id: &str, transaction: &str, program: &str) -> Vec<(&'static str, String)> {
    let types = "http://www.ibm.com/xmlns/prod/cics/bundle";
    let namespace = "http://www.ibm.com/xmlns/prod/CICS/smw2int";
    let manifest = format!(
        "<manifest xmlns=\"{types}\" id=\"{id}\" bundleMajorVer=\"1\">\n\
         <define name=\"{program}\" type=\"{types}/PROGRAM\" path=\"one.program\"/>\n\
         <define name=\"{transaction}\" type=\"{types}/TRANSACTION\" path=\"one.transaction\"/>\n</manifest>"
    );
    vec![
        ("META-INF/cics.xml", manifest),
        ("one.program", format!("<cicsdefinitionprogram xmlns=\"{namespace}\" name=\"{program}\"/>")),
        (
            "one.transaction",
            format!(
                "<cicsdefinitiontransaction xmlns=\"{namespace}\" name=\"{transaction}\" program=\"{program}\"/>"
            ),
        ),
    ]
}

fn key(folder: &Path, number: u64) {
    let path = folder.join(format!("{number}.key"));
    fs::write(&path, format!("{number:064x}\n")).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("rights");
}

/// A region.toml that names these keys.
fn configure(folder: &Path, now: u64, former: Option<u64>) {
    let former = former.map_or(String::new(), |key| format!("former-encryption-key-file = \"{key}.key\"\n"));
    let text = format!(
        "applid = \"BANK\"\ngrplist = \"APP\"\ndeploy = \"bundles\"\n{FREE_PORT}[web.services]\nCMCI = \"127.0.0.1:0\"\n\
         [data]\nencryption-key-file = \"{now}.key\"\n{former}"
    );
    fs::write(folder.join("region.toml"), text).expect("written");
}

fn house() -> TempDir {
    let [fold, zipped, _] = BUNDLES.map(|(name, transaction, program)| bundle(name, transaction, program));
    let users = USERS.replace('@', SECRET);
    let definitions = format!("{DEFINITIONS}{BUNDLEDIRS}");
    let programs = BUNDLES.map(|(_, _, name)| (format!("programs/{name}.cbl"), program(name)));
    let fold: Vec<(String, String)> =
        fold.into_iter().map(|(name, text)| (format!("fold/{name}"), text)).collect();
    let mut files = vec![("bank.csd", definitions.as_str()), ("users.toml", users.as_str())];
    files.extend(programs.iter().chain(&fold).map(|(name, text)| (name.as_str(), text.as_str())));
    let folder = application(&files);
    fs::write(folder.path().join("zipped.zip"), zip(&zipped)).expect("written");
    key(folder.path(), 1);
    configure(folder.path(), 1, None);
    folder
}

fn syncpoint(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let output = product().args(arguments).current_dir(folder).output().expect("syncpoint starts");
    (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

fn well(folder: &Path, arguments: &[&str]) {
    let (is_well, said) = syncpoint(folder, arguments);
    assert!(is_well, "{arguments:?}: {said}");
}

/// Checks that the bundles that are enabled serve their transactions, and that the others do not.
fn serves(managed: &Managed, folder: &Path, enabled: [bool; 3]) {
    for ((name, transaction, program), enabled) in BUNDLES.into_iter().zip(enabled) {
        let target = format!("CICSBundle/BANK?CRITERIA=NAME%3D{name}");
        let status = managed.attribute(&target, "enablestatus");
        assert_eq!(status.as_deref(), Some(if enabled { "ENABLED" } else { "DISABLED" }), "{name}");
        let (ran, said) = syncpoint(folder, &["start", ".", transaction]);
        assert_eq!(ran, enabled, "{transaction}: {said}");
        if enabled {
            managed.region.logs(&format!("{program} RUNS"));
        }
    }
}

/// Kills a region.
fn kill(managed: Managed) {
    managed.region.signal("KILL");
    drop(managed);
}

#[test]
fn bundles_are_as_they_were_after_a_kill_a_restore_and_a_change_of_keys() {
    let folder = house();
    let folder = folder.path();
    let set = |name: &str, status: &str| {
        let said = cemt(folder, &format!("SET BUNDLE({name}) {status}"));
        assert!(said.contains("NORMAL"), "{said}");
    };
    let managed = Managed::start(folder);
    let (_, transaction, program) = BUNDLES[2];
    let (status, body) = managed.ask(ANNA, &form(&zip(&bundle("shop", transaction, program)), &FIELDS));
    assert_eq!(status, 200, "{body}");
    set("ZIPPED", "DISABLED");
    serves(&managed, folder, [true, false, true]);
    well(folder, &["backup", ".", "first.backup"]);
    set("ZIPPED", "ENABLED");
    set("FOLD", "DISABLED");
    kill(managed);
    let managed = Managed::start(folder);
    serves(&managed, folder, [false, true, true]);
    kill(managed);
    // The key changes where no region runs.
    key(folder, 2);
    configure(folder, 2, Some(1));
    well(folder, &["key", "rotate"]);
    configure(folder, 2, None);
    let managed = Managed::start(folder);
    serves(&managed, folder, [false, true, true]);
    set("SHOP", "DISABLED");
    well(folder, &["backup", ".", "second.backup"]);
    managed.region.ends_in_order();
    for (backup, now, enabled) in
        [("second.backup", 2, [false, true, false]), ("first.backup", 1, [true, false, true])]
    {
        fs::rename(folder.join(".syncpoint"), folder.join(format!("before-{backup}"))).expect("moved");
        configure(folder, now, None);
        well(folder, &["restore", backup, "."]);
        let managed = Managed::start(folder);
        serves(&managed, folder, enabled);
        kill(managed);
        let managed = Managed::start(folder);
        serves(&managed, folder, enabled);
        managed.region.ends_in_order();
    }
}
