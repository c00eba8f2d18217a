//! Whose a state is: a file in it names the region, so that one never takes another's data for its own.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use config::{DEFAULT_APPLID, REGION_FILE, RegionConfig};
use diagnostics::Diagnostic;
use unseal::OWNER_FILE as FILE;

use crate::codes;
use crate::folders::{private_file, unwritable};

/// The same while it is written.
const NEXT_FILE: &str = "region.new";

/// A region as its state knows it.
pub(crate) struct Owner {
    applid: String,
    folder: PathBuf,
}

impl Owner {
    /// The region of an application's folder.
    pub(crate) fn of(root: &Path, config: &RegionConfig) -> Self {
        let folder = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        Self { applid: config.applid.clone(), folder }
    }

    /// Checks that a state is this region's, or no region's yet. It is another's by its APPLID; if neither region has
    /// one, by the folder of an application that is still there.
    ///
    /// # Errors
    /// The state is another region's.
    pub(crate) fn may_open(&self, state: &Path) -> Result<(), Vec<Diagnostic>> {
        let Some(marked) = Self::marked(state)? else { return Ok(()) };
        let help = if marked.applid != self.applid {
            let file = state.join(FILE);
            format!(
                "name another folder with `state` in region.toml or --data DIR; if this region was renamed, write {} into \
                 the first line of {}",
                self.applid,
                file.display()
            )
        } else if self.applid == DEFAULT_APPLID && marked.is_another_application(self) {
            "name another folder with `state` in region.toml or --data DIR, and give each region a name of its own: \
             applid = \"NAME\" in region.toml"
                .to_owned()
        } else {
            return Ok(());
        };
        let text = format!(
            "the state in {} belongs to region {} of {}, and this is region {} of {}",
            state.display(),
            marked.applid,
            marked.folder.display(),
            self.applid,
            self.folder.display()
        );
        Err(vec![Diagnostic::error(codes::OTHER_REGION, text).help(help)])
    }

    fn is_another_application(&self, other: &Self) -> bool {
        self.folder != other.folder && self.folder.join(REGION_FILE).is_file()
    }

    /// Writes this region's name into a state.
    ///
    /// # Errors
    /// The state cannot be written.
    pub(crate) fn mark(&self, state: &Path) -> Result<(), Vec<Diagnostic>> {
        let path = state.join(FILE);
        let text = format!("{}\n{}\n", self.applid, self.folder.display());
        if fs::read_to_string(&path).is_ok_and(|marked| marked == text) {
            return Ok(());
        }
        // As a whole: half a name would be another region's.
        let next = state.join(NEXT_FILE);
        let written = private_file(&next).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&next, &path)
        });
        written.map_err(|error| unwritable(&path, &error))
    }

    /// The region that a state names; `None` for one that no region has used, or none that wrote its name.
    fn marked(state: &Path) -> Result<Option<Self>, Vec<Diagnostic>> {
        let marked = unseal::owner_of(state).map_err(|error| unwritable(&state.join(FILE), &error))?;
        Ok(marked.map(|(applid, folder)| Self { applid, folder }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(applid: &str, folder: &Path) -> Owner {
        Owner { applid: applid.to_owned(), folder: folder.to_owned() }
    }

    #[test]
    fn a_state_belongs_to_its_region_alone() {
        let (state, first, second) = (tempfile::tempdir(), tempfile::tempdir(), tempfile::tempdir());
        let (state, first, second) =
            (state.expect("a folder"), first.expect("a folder"), second.expect("a folder"));
        let bank = owner("BANK", first.path());
        assert!(bank.may_open(state.path()).is_ok(), "nobody's");
        bank.mark(state.path()).expect("marked");
        assert!(bank.may_open(state.path()).is_ok());
        assert!(
            owner("BANK", second.path()).may_open(state.path()).is_ok(),
            "the same region in another folder"
        );
        let refused = owner("SHOP", second.path()).may_open(state.path()).expect_err("another region's");
        assert!(refused[0].message.contains("belongs to region BANK"), "{}", refused[0]);
        assert!(refused[0].help.contains("write SHOP into the first line of"), "{}", refused[0]);
    }

    #[test]
    fn regions_without_names_are_told_apart_by_their_folders() {
        let (state, first, second) = (tempfile::tempdir(), tempfile::tempdir(), tempfile::tempdir());
        let (state, first, second) =
            (state.expect("a folder"), first.expect("a folder"), second.expect("a folder"));
        owner(DEFAULT_APPLID, first.path()).mark(state.path()).expect("marked");
        let other = owner(DEFAULT_APPLID, second.path());
        assert!(other.may_open(state.path()).is_ok(), "the first has moved here");
        fs::write(first.path().join(REGION_FILE), "").expect("written");
        let refused = other.may_open(state.path()).expect_err("another application's");
        assert!(refused[0].help.contains("give each region a name"), "{}", refused[0]);
    }
}
