//! `scripts/package`: the package and the tarball have what they promise, made of this binary.

mod installed;
mod libraries;
mod shells;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// The output of a command that must go well.
fn said(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// A folder with the package and the tarball of a binary, and their paths.
fn packed(binary: &Path) -> (tempfile::TempDir, PathBuf, PathBuf) {
    let out = tempfile::tempdir().expect("a folder");
    let mut package = Command::new(root().join("scripts/package"));
    said(package.arg("--plain").arg("--binary").arg(binary).arg("--out").arg(out.path()));
    let made = |ending: &str| {
        let entries = fs::read_dir(out.path()).expect("there").flatten().map(|entry| entry.path());
        let found = entries.into_iter().find(|path| path.to_string_lossy().ends_with(ending));
        found.unwrap_or_else(|| panic!("there is no {ending}"))
    };
    let (deb, tarball) = (made(".deb"), made(".tar.gz"));
    (out, deb, tarball)
}

/// The words that follow `syncpoint`, by its own help.
fn commands(binary: &Path) -> Vec<String> {
    let help = said(Command::new(binary).arg("--help"));
    let listed = help.split("Commands:\n").nth(1).expect("a list").split("\n\n").next().expect("its lines");
    let names = listed.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn the_package_and_the_tarball_have_pages_completions_samples_and_sums() {
    if !is_installed("python3") || !is_installed("dpkg-deb") {
        eprintln!("skipped: there is no python3, or no dpkg-deb");
        return;
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_syncpoint"));
    let (out, deb, tarball) = packed(binary);
    let listed = said(Command::new("dpkg-deb").arg("--contents").arg(&deb));
    let paths: BTreeSet<&str> = listed.lines().filter_map(|line| line.split_whitespace().nth(5)).collect();
    for path in [
        "./etc/default/syncpoint",
        "./usr/bin/syncpoint",
        "./usr/bin/syncpoint-cards",
        "./usr/lib/systemd/system/syncpoint@.service",
        "./usr/share/bash-completion/completions/syncpoint",
        "./usr/share/zsh/vendor-completions/_syncpoint",
        "./usr/share/fish/vendor_completions.d/syncpoint.fish",
        "./usr/share/doc/syncpoint/copyright",
        "./usr/share/doc/syncpoint/first-hour.md",
        "./usr/share/doc/syncpoint/operators-hour.md",
        "./usr/share/syncpoint/samples/bank/region.toml",
        "./usr/share/syncpoint/samples/contacts/region.toml",
        "./usr/share/man/man1/syncpoint.1.gz",
        "./usr/share/man/man1/syncpoint-cards.1.gz",
    ] {
        assert!(paths.contains(path), "{path} is not in the package");
    }
    assert!(!listed.contains("/.syncpoint"), "what a region has left is no sample");
    let about = said(Command::new("dpkg-deb").arg("--field").arg(&deb));
    assert!(about.contains("Package: syncpoint") && about.contains("Depends: libc6 (>= 2."), "{about}");
    let of_tarball = said(Command::new("tar").arg("-tzf").arg(&tarball));
    let sums = said(Command::new("sha256sum").arg("--check").arg("SHA256SUMS").current_dir(out.path()));
    assert_eq!(sums.lines().filter(|line| line.ends_with(": OK")).count(), 2, "{sums}");

    // It is unpacked, and what is in it is right.
    let place = tempfile::tempdir().expect("a folder");
    said(Command::new("dpkg-deb").arg("--extract").arg(&deb).arg(place.path()));
    let installed = place.path().join("usr/bin/syncpoint");
    let completions = |path: &str| fs::read_to_string(place.path().join(path)).expect("completions");
    let bash = completions("usr/share/bash-completion/completions/syncpoint");
    let zsh = completions("usr/share/zsh/vendor-completions/_syncpoint");
    let fish = completions("usr/share/fish/vendor_completions.d/syncpoint.fish");
    let names = commands(&installed);
    assert!(names.len() > 30, "{names:?}");
    for name in &names {
        let page = format!("./usr/share/man/man1/syncpoint-{name}.1.gz");
        assert!(paths.contains(page.as_str()), "{name} has no page");
        assert!(of_tarball.contains(&format!("/share/man/man1/syncpoint-{name}.1.gz")), "{name} has no page");
        assert!([&bash, &zsh, &fish].iter().all(|script| script.contains(name)), "{name} is not completed");
    }
    let unit = fs::read_to_string(place.path().join("usr/lib/systemd/system/syncpoint@.service"));
    assert!(unit.expect("a unit").contains("ExecStart=/usr/bin/syncpoint run "));
    let shell = Command::new("bash")
        .arg("-n")
        .arg(place.path().join("usr/share/bash-completion/completions/syncpoint"))
        .status();
    assert!(shell.expect("bash").success());
    said(
        Command::new(&installed).arg("check").arg(place.path().join("usr/share/syncpoint/samples/contacts")),
    );
}

/// Any program that knows these words will do as a binary: bytes of its own, and nothing that takes long.
fn small(folder: &Path, version: &str) -> PathBuf {
    let path = folder.join("syncpoint");
    let script = format!(
        "#!/bin/sh\ncase $1 in --version) echo syncpoint {version};; man) echo page > $2/syncpoint.1;; *) echo $@;; esac\n"
    );
    fs::write(&path, script).expect("written");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&path, executable).expect("executable");
    path
}

#[test]
fn the_same_binary_gives_the_same_bytes() {
    if !is_installed("python3") {
        eprintln!("skipped: there is no python3");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let small = small(folder.path(), "1.2.3-dev");
    let (_one, deb, tarball) = packed(&small);
    let (_other, deb_again, tarball_again) = packed(&small);
    assert!(deb.ends_with(format!(
        "syncpoint_1.2.3~dev_{}.deb",
        if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" }
    )));
    let bytes = |path: &Path| fs::read(path).expect("read");
    assert!(bytes(&deb) == bytes(&deb_again) && bytes(&tarball) == bytes(&tarball_again));
}
