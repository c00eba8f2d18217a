//! The package over an older one, removed and purged, by dpkg itself in a root of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::{is_installed, packed, said, small};

/// A Linux on which packages are installed: what their scripts need of it, and systemd that notes what it is asked for.
struct Root {
    folder: TempDir,
}

impl Root {
    /// `None` where there is no dpkg, or a user other than root runs the test.
    fn new() -> Option<Self> {
        let is_root = said(Command::new("id").arg("-u")).trim() == "0";
        if !is_installed("dpkg") || !is_installed("python3") || !is_root {
            eprintln!("skipped: dpkg installs as root alone, and python3 packs");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["etc", "srv", "run/systemd/system", "var/lib/dpkg/info", "var/lib/dpkg/updates", "bin"] {
            fs::create_dir_all(folder.path().join(name)).expect("a folder");
        }
        let root = Self { folder };
        for (name, text) in [
            ("etc/passwd", "root:x:0:0:root:/root:/bin/sh\n"),
            ("etc/group", "root:x:0:\n"),
            ("etc/shadow", "root:*:1::::::\n"),
            ("etc/gshadow", "root:*::\n"),
            ("var/lib/dpkg/status", ""),
            ("var/lib/dpkg/available", ""),
        ] {
            fs::write(root.at(name), text).expect("written");
        }
        let systemctl = format!("#!/bin/sh\necho \"$@\" >>{}\n", root.at("asked").display());
        fs::write(root.at("bin/systemctl"), systemctl).expect("written");
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(root.at("bin/systemctl"), executable).expect("executable");
        Some(root)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs dpkg here, and returns what it has said and what systemd was asked for.
    fn dpkg(&self, words: &[&str]) -> (String, Vec<String>) {
        let _ = fs::remove_file(self.at("asked"));
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("dpkg");
        // The libraries are those of this machine; scripts of the package run with DPKG_ROOT instead of within it.
        command.args(["--force-depends", "--force-script-chrootless", "--force-confold"]);
        command.arg(format!("--root={}", self.folder.path().display())).args(words);
        command.env("PATH", format!("{}:{path}", self.at("bin").display()));
        let told = said(&mut command);
        let asked = fs::read_to_string(self.at("asked")).unwrap_or_default();
        (told, asked.lines().map(str::to_owned).collect())
    }

    /// Installs a version.
    fn installs(&self, version: &str) -> (String, Vec<String>) {
        let folder = tempfile::tempdir().expect("a folder");
        let (_out, deb, _) = packed(&small(folder.path(), version));
        self.dpkg(&["--install", deb.to_str().expect("a path")])
    }
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("written");
}

#[test]
fn a_newer_package_keeps_what_is_the_operators_and_restarts_regions_in_order() {
    let Some(root) = Root::new() else { return };
    let (_, asked) = root.installs("1.0.0");
    assert_eq!(asked, ["daemon-reload"], "nothing runs yet");
    assert!(root.read("etc/passwd").contains("\nsyncpoint:x:"));
    assert!(root.at("srv/syncpoint").is_dir());
    put(&root.at("srv/syncpoint/bank/region.toml"), "[listen]\n");
    put(&root.at("var/lib/syncpoint/bank/data/base"), "records");
    let users = root.read("etc/passwd");
    let (_, asked) = root.installs("1.1.0");
    assert_eq!(asked, ["daemon-reload", "try-restart syncpoint@*.service"]);
    assert!(root.read("usr/bin/syncpoint").contains("1.1.0"));
    assert_eq!(root.read("etc/passwd"), users, "the user is there once");
    assert_eq!(root.read("var/lib/syncpoint/bank/data/base"), "records");
    assert_eq!(root.read("srv/syncpoint/bank/region.toml"), "[listen]\n");
    // An operator wants to choose the moment: that is kept, too.
    fs::write(root.at("etc/default/syncpoint"), "RESTART_ON_UPGRADE=no\n").expect("written");
    let (_, asked) = root.installs("1.2.0");
    assert_eq!(asked, ["daemon-reload"]);
    assert_eq!(root.read("etc/default/syncpoint"), "RESTART_ON_UPGRADE=no\n");
}

#[test]
fn a_removal_ends_regions_and_a_purge_leaves_their_data_and_says_so() {
    let Some(root) = Root::new() else { return };
    root.installs("1.0.0");
    put(&root.at("var/lib/syncpoint/bank/data/base"), "records");
    let link = root.at("etc/systemd/system/multi-user.target.wants/syncpoint@bank.service");
    put(&link, "");
    let (_, asked) = root.dpkg(&["--remove", "syncpoint"]);
    assert_eq!(asked, ["stop syncpoint@*.service", "daemon-reload"]);
    assert!(!root.at("usr/bin/syncpoint").exists() && !root.at("usr/share/syncpoint").exists());
    assert!(
        root.at("etc/default/syncpoint").exists() && link.exists(),
        "configuration is there until a purge"
    );
    let (told, _) = root.dpkg(&["--purge", "syncpoint"]);
    assert!(told.contains("/var/lib/syncpoint has applications or data: it stays"), "{told}");
    assert_eq!(root.read("var/lib/syncpoint/bank/data/base"), "records");
    for gone in ["etc/default/syncpoint", "srv/syncpoint"] {
        assert!(!root.at(gone).exists(), "{gone}");
    }
    assert!(!link.exists(), "no unit without its package");
    let known = root.read("var/lib/dpkg/status");
    assert!(!known.contains("Package: syncpoint"), "{known}");
}
