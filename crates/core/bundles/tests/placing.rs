//! Bundles put into their folder: whole or not at all, wherever the process is killed.

mod zips;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use bundle_source::Archive;
use bundles::deploy::{folder_of, manifest, place};
use rustix::process::{Signal, getpid, kill_process};
use zips::zip;

/// The number of the step behind which a child process ends, and the folder.
const CHILD: &str = "BUNDLES_TEST_CHILD";
const FOLDER: &str = "bank_1.2.3";
const OLD: [(&str, &str); 3] =
    [("META-INF/cics.xml", "old"), ("a/b/one.program", "old one"), ("gone", "old")];

fn new() -> [(&'static str, String); 3] {
    let manifest = "<manifest xmlns=\"http://www.ibm.com/xmlns/prod/cics/bundle\" id=\"bank\" bundleMajorVer=\"1\" \
                    bundleMinorVer=\"2\" bundleMicroVer=\"3\"/>";
    [
        ("META-INF/cics.xml", manifest.to_owned()),
        ("a/b/one.program", "new one".to_owned()),
        ("c/two", "n".repeat(9_000)),
    ]
}

fn archive() -> Archive {
    Archive::read(&zip(&new())).expect("a zip")
}

/// The files of a folder, with their contents.
fn files(folder: &Path) -> Vec<(String, String)> {
    fn collect(root: &Path, folder: &Path, into: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(root, &path, into);
            } else {
                let name = path.strip_prefix(root).expect("below").to_string_lossy().into_owned();
                into.push((name, fs::read_to_string(&path).expect("a text")));
            }
        }
    }
    let mut all = Vec::new();
    collect(folder, folder, &mut all);
    all.sort();
    all
}

fn expected(of: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut all: Vec<_> = of.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    all.sort();
    all
}

fn put_old(root: &Path) {
    for (name, text) in OLD {
        let path = root.join(FOLDER).join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
}

fn is_new(folder: &Path) -> bool {
    let new = new();
    let new: Vec<(&str, &str)> = new.iter().map(|(name, text)| (*name, text.as_str())).collect();
    files(folder) == expected(&new)
}

/// The process that ends itself behind a step.
#[test]
fn ends_behind_a_step() {
    let Ok(given) = std::env::var(CHILD) else { return };
    let (step, root) = given.split_once(' ').expect("two words");
    let mut left: usize = step.parse().expect("a number");
    let mut ends = || {
        if left == 0 {
            kill_process(getpid(), Signal::KILL).expect("killed");
        }
        left -= 1;
    };
    place(Path::new(root), FOLDER, &archive(), &mut ends).expect("a file system").keep().expect("cleared");
}

/// Has a process put the new bundle there, and kills it behind a step; false if it has not come so far.
fn killed_behind(step: usize, root: &Path) -> bool {
    let mut process = Command::new(std::env::current_exe().expect("this program"));
    process.args(["--exact", "ends_behind_a_step", "--nocapture"]);
    process.env(CHILD, format!("{step} {}", root.display())).stdout(Stdio::null()).stderr(Stdio::null());
    !process.status().expect("ran").success()
}

#[test]
fn a_process_killed_between_two_steps_leaves_the_old_bundle_or_the_new_one() {
    let (mut was_old, mut was_new) = (0, 0);
    for step in 0.. {
        let root = tempfile::tempdir().expect("a folder");
        put_old(root.path());
        let killed = killed_behind(step, root.path());
        let folder = root.path().join(FOLDER);
        if files(&folder) == expected(&OLD) {
            was_old += 1;
        } else {
            assert!(is_new(&folder), "step {step}: {:?}", files(&folder));
            was_new += 1;
        }
        // The next deployment clears what is left.
        place(root.path(), FOLDER, &archive(), &mut || {}).expect("placed").keep().expect("cleared");
        assert!(is_new(&folder));
        assert_eq!(fs::read_dir(root.path()).expect("a folder").count(), 1, "step {step}");
        if !killed {
            break;
        }
    }
    assert!(was_old >= 5 && was_new >= 2, "{was_old} times the old one, {was_new} times the new one");
}

#[test]
fn a_first_bundle_comes_and_a_refused_one_goes() {
    let root = tempfile::tempdir().expect("a folder");
    let bundles = root.path().join("bundles");
    place(&bundles, FOLDER, &archive(), &mut || {}).expect("placed").take_back().expect("gone");
    assert_eq!(fs::read_dir(&bundles).expect("a folder").count(), 0);
    place(&bundles, FOLDER, &archive(), &mut || {}).expect("placed").keep().expect("kept");
    assert!(is_new(&bundles.join(FOLDER)));
    put_old(root.path());
    let placed = place(root.path(), FOLDER, &archive(), &mut || {}).expect("placed");
    assert!(is_new(&root.path().join(FOLDER)));
    placed.take_back().expect("back");
    assert_eq!(files(&root.path().join(FOLDER)), expected(&OLD));
}

#[test]
fn a_link_in_the_place_of_a_bundle_leads_nowhere() {
    let root = tempfile::tempdir().expect("a folder");
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("kept"), "kept").expect("written");
    for name in [FOLDER, ".incoming"] {
        let _ = fs::remove_dir_all(root.path().join(FOLDER));
        std::os::unix::fs::symlink(outside.path(), root.path().join(name)).expect("a link");
        // A link beside is no folder to be cleared, and the folder is not opened through the link in its place.
        if let Ok(placed) = place(root.path(), FOLDER, &archive(), &mut || {}) {
            placed.keep().unwrap_or_else(|_| fs::remove_file(root.path().join(".incoming")).expect("a link"));
            assert!(is_new(&root.path().join(FOLDER)));
        }
        assert_eq!(files(outside.path()), [("kept".to_owned(), "kept".to_owned())], "{name}");
    }
}

#[test]
fn a_bundle_says_what_it_is() {
    let read = manifest(&archive()).expect("a manifest");
    assert_eq!(folder_of(&read), FOLDER);
    for (files, why) in [
        (vec![("other", String::new())], "the zip has no META-INF/cics.xml"),
        (
            vec![("META-INF/cics.xml", "<a/>".to_owned())],
            "META-INF/cics.xml, line 1: <a> is no manifest of a bundle",
        ),
        (
            vec![("META-INF/cics.xml", new()[0].1.replace("\"bank\"", "\"../bank\""))],
            "META-INF/cics.xml: the id '../bank' is no name of a folder",
        ),
        (
            vec![("META-INF/cics.xml", new()[0].1.replace("id=\"bank\"", ""))],
            "META-INF/cics.xml: the id '' is no name of a folder",
        ),
    ] {
        let archive = Archive::read(&zip(&files)).expect("a zip");
        assert_eq!(manifest(&archive).map(|_| ()), Err(why.to_owned()));
    }
}
