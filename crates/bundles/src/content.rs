//! The files of a bundle: below its folder, or in a zip.

use std::borrow::Cow;
use std::path::PathBuf;

use bundle_source::limits::{ARCHIVE_BYTES_MAX, FILE_BYTES_MAX};
use bundle_source::{Archive, Manifest, Variables, variables};
use kernel::inputs;
use kernel::region::Region;

/// The file that every bundle has.
pub(crate) const MANIFEST: &str = "META-INF/cics.xml";

/// The files of a bundle.
pub(crate) struct Content {
    /// The folder or the zip as the definition names it.
    directory: String,
    root: PathBuf,
    /// The content of the zip, if it is one.
    archive: Option<Archive>,
    variables: Variables,
}

impl Content {
    /// Those of a BUNDLEDIR.
    ///
    /// # Errors
    /// The zip, or the values of its variables cannot be read.
    pub fn open(region: &Region, directory: &str) -> Result<Self, String> {
        let directory = directory.trim_end_matches('/').to_owned();
        let root = region.options.application_folder.join(&directory);
        let archive = match root.is_file() {
            true => {
                let bytes = inputs::bytes(&root, &directory, ARCHIVE_BYTES_MAX)?;
                Some(Archive::read(&bytes).map_err(|why| format!("{directory}: {why}"))?)
            }
            false => None,
        };
        let mut content = Self { directory, root, archive, variables: Variables::default() };
        if content.has(variables::FILE) {
            let bytes = content.bytes(variables::FILE)?;
            content.variables = Variables::read(&bytes)
                .map_err(|wrong| format!("{}, {wrong}", content.shown(variables::FILE)))?;
        }
        Ok(content)
    }

    /// A file's name in messages.
    pub fn shown(&self, name: &str) -> String {
        format!("{}/{name}", self.directory)
    }

    fn has(&self, name: &str) -> bool {
        match &self.archive {
            Some(archive) => archive.file(name).is_some(),
            None => self.root.join(name).exists(),
        }
    }

    fn bytes(&self, name: &str) -> Result<Cow<'_, [u8]>, String> {
        let shown = self.shown(name);
        let Some(archive) = &self.archive else {
            return inputs::bytes(&self.root.join(name), &shown, FILE_BYTES_MAX).map(Cow::Owned);
        };
        let bytes = archive.file(name).ok_or_else(|| format!("{shown} is not in the zip"))?;
        match bytes.len() > FILE_BYTES_MAX {
            true => Err(format!("{shown} is longer than {FILE_BYTES_MAX} bytes")),
            false => Ok(Cow::Borrowed(bytes)),
        }
    }

    fn text(&self, name: &str) -> Result<String, String> {
        let no_text = |_| format!("{} is no text in UTF-8", self.shown(name));
        String::from_utf8(self.bytes(name)?.into_owned()).map_err(no_text)
    }

    /// The manifest.
    ///
    /// # Errors
    /// It cannot be read, or is none.
    pub fn manifest(&self) -> Result<Manifest, String> {
        let wrong = |wrong| format!("{}, {wrong}", self.shown(MANIFEST));
        Manifest::read(&self.text(MANIFEST)?).map_err(wrong)
    }

    /// The text of a part, with the values of its variables.
    ///
    /// # Errors
    /// It cannot be read, or a variable has no value.
    pub fn part(&self, name: &str) -> Result<String, String> {
        let wrong = |wrong| format!("{}, {wrong}", self.shown(name));
        self.variables.fill(&self.text(name)?).map_err(wrong)
    }

    /// The path of a file of the bundle as a definition names it: relative to the folder of the application.
    ///
    /// # Errors
    /// It leads out of the bundle, or into a zip.
    pub fn path(&self, name: &str) -> Result<String, String> {
        if self.archive.is_some() {
            return Err(format!(
                "'{name}' is within a zip, where no resource can read it: unpack the bundle"
            ));
        }
        match name.split('/').any(|step| step == "..") {
            true => Err(format!("the path '{name}' leads out of the bundle")),
            false => Ok(self.shown(name)),
        }
    }
}
