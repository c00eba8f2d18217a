//! Document templates: files in the folders that `region.toml` names.
//!
//! A template is found by the name of its file, with or without the extension, in any case. Files are read whenever they are wanted, so that a changed one counts at once.

use std::fs;
use std::path::{Path, PathBuf};

use config::RegionConfig;
use diagnostics::Diagnostic;

/// The templates of a region.
pub(crate) struct Templates {
    /// Folders or single files, the first that has a name counts.
    paths: Vec<PathBuf>,
}

impl Templates {
    /// Finds the folders.
    ///
    /// # Errors
    /// A path that was written and is not there.
    pub fn new(root: &Path, config: &RegionConfig) -> Result<Self, Vec<Diagnostic>> {
        let mut paths = Vec::new();
        for pattern in &config.sources.templates {
            paths.extend(toolchain::files(root, pattern).map_err(|message| vec![message])?);
        }
        Ok(Self { paths })
    }

    /// A template's text as program characters.
    ///
    /// # Errors
    /// The reason why its file cannot be read.
    pub fn text(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let Some(path) = self.paths.iter().find_map(|path| find(path, name)) else { return Ok(None) };
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        program_characters(bytes).map(Some).map_err(|what| format!("{}: {what}", path.display()))
    }
}

/// The file of a template in a folder, or the file itself.
fn find(path: &Path, name: &str) -> Option<PathBuf> {
    let is_it = |path: &Path| {
        let names = [path.file_name(), path.file_stem()].into_iter().flatten();
        names.filter_map(|part| part.to_str()).any(|part| part.eq_ignore_ascii_case(name))
    };
    if path.is_file() {
        return is_it(path).then(|| path.to_owned());
    }
    let mut found: Vec<_> = fs::read_dir(path).ok()?.flatten().map(|entry| entry.path()).collect();
    found.retain(|path| path.is_file() && is_it(path));
    found.into_iter().min()
}

/// A file's text: UTF-8 whose characters are all program characters, or program characters already.
fn program_characters(bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let Ok(text) = std::str::from_utf8(&bytes) else { return Ok(bytes) };
    let program =
        |c: char| u8::try_from(u32::from(c)).map_err(|_| format!("'{c}' is no ISO 8859-1 character"));
    text.chars().map(program).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_found_by_the_name_of_its_file_in_the_first_folder_that_has_it() {
        let root = tempfile::tempdir().expect("a folder");
        let folders = ["first", "second"].map(|name| root.path().join(name));
        folders.iter().for_each(|folder| fs::create_dir(folder).expect("made"));
        fs::write(folders[0].join("Page.html"), "für alle").expect("written");
        fs::write(folders[1].join("PAGE.html"), "not this").expect("written");
        fs::write(folders[1].join("foot.txt"), "€").expect("written");
        let templates = Templates { paths: folders.to_vec() };
        for name in ["page", "PAGE.HTML"] {
            assert_eq!(templates.text(name), Ok(Some(b"f\xfcr alle".to_vec())), "{name}");
        }
        assert_eq!(templates.text("nothing"), Ok(None));
        assert!(templates.text("FOOT").is_err_and(|what| what.ends_with("'€' is no ISO 8859-1 character")));
    }
}
