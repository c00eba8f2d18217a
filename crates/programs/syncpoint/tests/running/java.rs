//! JVM servers of a region that is killed, or whose state is encrypted.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::house::{FREE_PORT, Region, application};

const DEFINITIONS: &str = "DEFINE JVMSERVER(JVM1) GROUP(J) JVMPROFILE(PLAIN)\n";
const PROFILE: &str =
    "CLASSPATH_SUFFIX=none\n-Xmx32m\n-XX:+UseSerialGC\n-XX:TieredStopAtLevel=1\n-showversion\n";

/// The time in which a JVM has gone whose region was killed.
const GONE_IN: Duration = Duration::from_secs(5);

#[test]
fn a_region_that_is_killed_leaves_no_jvm() {
    let folder = application(&[
        ("region.toml", FREE_PORT),
        ("java.csd", DEFINITIONS),
        ("jvmprofiles/PLAIN.jvmprofile", PROFILE),
    ]);
    let region = Region::start(folder.path());
    let pid = region.logged("JVMSERVER JVM1 is enabled, process ");
    let process = format!("/proc/{}", pid.trim_end_matches(|c: char| !c.is_ascii_digit()));
    assert!(Path::new(&process).exists());
    region.signal("KILL");
    let killed = Instant::now();
    let lives = || fs::read_to_string(format!("{process}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    while lives() {
        assert!(killed.elapsed() < GONE_IN, "the JVM goes on without its region");
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn what_a_jvm_writes_is_encrypted_where_the_state_is() {
    let config = format!("{FREE_PORT}[data]\nencryption-key-file = \"own.key\"\n");
    let folder = application(&[
        ("region.toml", &config),
        ("own.key", &"ab".repeat(32)),
        ("java.csd", DEFINITIONS),
        ("jvmprofiles/PLAIN.jvmprofile", PROFILE),
    ]);
    fs::set_permissions(folder.path().join("own.key"), fs::Permissions::from_mode(0o600)).expect("rights");
    let region = Region::start(folder.path());
    region.logged("JVMSERVER JVM1 is enabled, process ");
    region.ends_in_order();
    // -showversion writes to the error output.
    let path = folder.path().join(".syncpoint/java/output/JVM1.stderr");
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(!bytes.is_empty() && !String::from_utf8_lossy(&bytes).contains("penJDK"), "it stands in clear");
    let shown = crate::house::product().args(["key", "show"]).arg(&path).current_dir(folder.path()).output();
    let shown = String::from_utf8(shown.expect("it runs").stdout).expect("text");
    assert!(shown.contains("OpenJDK"), "{shown}");
}
