//! The files of a bundle: below its folder, or in a zip.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bundle_source::limits::{ARCHIVE_BYTES_MAX, FILE_BYTES_MAX};
use bundle_source::{Archive, Manifest, Variables, Wrong, variables};
use diagnostics::Source;
use kernel::inputs;

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

/// A fault of a bundle or of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContentFault {
    /// The file that has it and its line, from 1; `None` where it is in no text.
    pub at: Option<(String, usize)>,
    /// The reason: a sentence.
    pub why: String,
    /// Nothing is wrong with the text: it asks for what regions do not have.
    pub is_absence: bool,
}

impl ContentFault {
    /// One in a text of a bundle, whose name messages give.
    pub fn in_text(shown: String, wrong: Wrong) -> Self {
        Self { at: Some((shown, wrong.line)), why: wrong.why, is_absence: false }
    }

    /// Something that regions do not have.
    pub fn absence(why: impl Into<String>) -> Self {
        Self { at: None, why: why.into(), is_absence: true }
    }
}

impl From<String> for ContentFault {
    fn from(why: String) -> Self {
        Self { at: None, why, is_absence: false }
    }
}

impl fmt::Display for ContentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            Some((file, line)) => write!(f, "{file}, line {line}: {}", self.why),
            None => f.write_str(&self.why),
        }
    }
}

impl Content {
    /// Those of a BUNDLEDIR below the folder of the application.
    ///
    /// # Errors
    /// The zip, or the values of its variables cannot be read.
    pub fn open(application: &Path, directory: &str) -> Result<Self, ContentFault> {
        let directory = directory.trim_end_matches('/').to_owned();
        let root = application.join(&directory);
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
                .map_err(|wrong| ContentFault::in_text(content.shown(variables::FILE), wrong))?;
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

    /// A file's text as it stands there.
    ///
    /// # Errors
    /// It cannot be read, or is no text in UTF-8.
    pub fn text(&self, name: &str) -> Result<String, String> {
        let no_text = |_| format!("{} is no text in UTF-8", self.shown(name));
        String::from_utf8(self.bytes(name)?.into_owned()).map_err(no_text)
    }

    /// The manifest.
    ///
    /// # Errors
    /// It cannot be read, or is none.
    pub fn manifest(&self) -> Result<Manifest, ContentFault> {
        let wrong = |wrong| ContentFault::in_text(self.shown(MANIFEST), wrong);
        Manifest::read(&self.text(MANIFEST)?).map_err(wrong)
    }

    /// The text of a part, with the values of its variables.
    ///
    /// # Errors
    /// It cannot be read, or a variable has no value.
    pub fn part(&self, name: &str) -> Result<Arc<Source>, ContentFault> {
        let shown = self.shown(name);
        match self.variables.fill(&self.text(name)?) {
            Ok(text) => Ok(Source::new(shown, text)),
            Err(wrong) => Err(ContentFault::in_text(shown, wrong)),
        }
    }

    /// The folder in which a file of the bundle lies.
    ///
    /// # Errors
    /// The bundle is a zip, where nothing else can read it.
    pub fn folder_of(&self, name: &str) -> Result<PathBuf, String> {
        if self.archive.is_some() {
            return Err(format!("{} is a zip, where no JVM can read it: unpack the bundle", self.directory));
        }
        let path = self.root.join(name);
        Ok(path.parent().unwrap_or(&self.root).to_owned())
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
