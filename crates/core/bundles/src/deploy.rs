//! A bundle put into its folder as a whole: in the place of the one before, which comes back if the new one is not taken.
//!
//! ```text
//! bundles/bank_1.0.0      the bundle that the region has
//! bundles/.incoming       beside it for a moment: first the new one, then the old one
//! ```
//!
//! A process that is killed between two steps leaves the old bundle or the new one, each whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bundle_source::limits::ID_MAX;
use bundle_source::{Archive, Manifest};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::content::MANIFEST;

/// The folder beside the bundles.
const INCOMING: &str = ".incoming";

/// The manifest of a bundle in a zip.
///
/// # Errors
/// The zip has none, or it is damaged, or says neither what the bundle is nor of which version.
pub fn manifest(archive: &Archive) -> Result<Manifest, String> {
    let bytes = archive.file(MANIFEST).ok_or_else(|| format!("the zip has no {MANIFEST}"))?;
    let text = std::str::from_utf8(bytes).map_err(|_| format!("{MANIFEST} is no text in UTF-8"))?;
    let manifest = Manifest::read(text).map_err(|wrong| format!("{MANIFEST}, {wrong}"))?;
    let is_bad = |c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c));
    let id = &manifest.id;
    if id.is_empty() || id.len() > ID_MAX || id.starts_with('.') || id.contains(is_bad) {
        return Err(format!("{MANIFEST}: the id '{id}' is no name of a folder"));
    }
    Ok(manifest)
}

/// The name of the folder of a bundle: its identifier and its version.
pub fn folder_of(manifest: &Manifest) -> String {
    let Manifest { id, version: [major, minor, micro], .. } = manifest;
    format!("{id}_{major}.{minor}.{micro}")
}

/// A bundle that has been put into its place, until it is kept or goes again.
pub struct Placed {
    incoming: PathBuf,
    place: PathBuf,
    had_one: bool,
}

/// Puts the files of a bundle into a folder below `root`, in the place of what stands there. `between` is called after each step.
///
/// # Errors
/// The file system's: what was there is there still.
pub fn place(root: &Path, folder: &str, archive: &Archive, between: &mut dyn FnMut()) -> io::Result<Placed> {
    fs::create_dir_all(root)?;
    let (incoming, place) = (root.join(INCOMING), root.join(folder));
    // What a process that was killed has left.
    clear(&incoming)?;
    let placed = write(&incoming, archive, between).and_then(|()| exchange(&incoming, &place));
    let had_one = match placed {
        Ok(had_one) => had_one,
        Err(error) => {
            clear(&incoming)?;
            return Err(error);
        }
    };
    let placed = Placed { incoming, place, had_one };
    between();
    match force(root) {
        Ok(()) => Ok(placed),
        Err(error) => {
            placed.take_back()?;
            Err(error)
        }
    }
}

impl Placed {
    /// The new bundle stays: the old one goes.
    ///
    /// # Errors
    /// The file system's; the next deployment clears what is left.
    pub fn keep(self) -> io::Result<()> {
        clear(&self.incoming)
    }

    /// The old bundle comes back.
    ///
    /// # Errors
    /// The file system's: the new bundle is there still.
    pub fn take_back(self) -> io::Result<()> {
        match self.had_one {
            true => swap(&self.incoming, &self.place)?,
            false => fs::rename(&self.place, &self.incoming)?,
        }
        clear(&self.incoming)
    }
}

/// Writes the files, and forces them and their folders.
fn write(incoming: &Path, archive: &Archive, between: &mut dyn FnMut()) -> io::Result<()> {
    let mut folders = vec![incoming.to_owned()];
    fs::create_dir(incoming)?;
    between();
    for (name, content) in archive.files() {
        let path = incoming.join(name);
        let within = path.ancestors().skip(1).take_while(|folder| *folder != incoming);
        let new: Vec<PathBuf> = within.filter(|folder| !folder.exists()).map(Path::to_owned).collect();
        for folder in new.into_iter().rev() {
            fs::create_dir(&folder)?;
            folders.push(folder);
        }
        let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        file.write_all(content)?;
        between();
        file.sync_all()?;
    }
    folders.iter().rev().try_for_each(|folder| force(folder))?;
    between();
    Ok(())
}

/// The new folder takes the place of another; false if there was none.
fn exchange(incoming: &Path, place: &Path) -> io::Result<bool> {
    match renameat_with(CWD, incoming, CWD, place, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(false),
        Err(Errno::EXIST | Errno::NOTEMPTY) => swap(incoming, place).map(|()| true),
        Err(error) => Err(error.into()),
    }
}

fn swap(one: &Path, other: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

fn clear(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn force(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
