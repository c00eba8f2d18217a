//! Secrets: `region.toml` says where one is, and never what it is.

use std::path::PathBuf;

use diagnostics::{Diagnostic, Source, TextPlace};

use crate::reader::Table;
use crate::{Located, at, codes};

/// The place of a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Secret {
    /// In a file, by its path.
    File(Located<String>),
    /// In an environment variable, by its name.
    Environment(Located<String>),
    /// Among the credentials that the service manager hands over (`LoadCredential=`), by its name.
    Credential(Located<String>),
}

/// The environment variable with the folder of those credentials.
pub const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";

impl Secret {
    /// Returns the place in the file that names it.
    pub fn place(&self) -> Option<&TextPlace> {
        let (Self::File(name) | Self::Environment(name) | Self::Credential(name)) = self;
        name.place.as_ref()
    }

    /// The file of a credential in their folder; `None` if its name is no plain file name.
    pub fn credential(folder: &str, name: &str) -> Option<PathBuf> {
        let plain = !name.is_empty() && !name.contains('/') && name != "." && name != "..";
        plain.then(|| PathBuf::from(folder).join(name))
    }
}

/// The keys of one secret.
pub(crate) struct Keys {
    /// The key that would hold the secret itself: refused.
    pub clear: &'static str,
    /// The key of its file.
    pub file: &'static str,
    /// The key of its environment variable.
    pub variable: &'static str,
    /// The key of its credential.
    pub credential: &'static str,
}

/// Reads the place of a secret: one place only.
pub(crate) fn secret(table: &Table<'_>, keys: &Keys) -> Option<Secret> {
    if let Some(mut clear) = table.string(keys.clear) {
        if let Some(place) = &mut clear.place {
            hide(place);
        }
        let text = format!("`{}` does not stand here in clear", keys.clear);
        let help = format!(
            "whoever reads this file would have it: put it into a file of mode 0600 and write {} = \"…\" (or {}, {})",
            keys.file, keys.variable, keys.credential
        );
        table.report(at(Diagnostic::error(codes::SECRET, text), &clear).help(help));
    }
    let places = [
        table.string(keys.file).map(Secret::File),
        table.string(keys.variable).map(Secret::Environment),
        table.string(keys.credential).map(Secret::Credential),
    ];
    let mut places = places.into_iter().flatten();
    let first = places.next()?;
    if let Some(place) = places.next().as_ref().and_then(Secret::place) {
        let text = format!("`{}` can be in one place only", keys.clear);
        let help = format!("keep one of `{}`, `{}` and `{}`", keys.file, keys.variable, keys.credential);
        table.report(Diagnostic::error(codes::VALUE, text).at(place.clone()).help(help));
    }
    Some(first)
}

/// Cuts the text from a place on out of the text that the message shows.
pub(crate) fn hide(place: &mut TextPlace) {
    let start = place.source.line_start(place.line);
    let line = place.source.text[start..].chars().take(place.column - 1).map(char::len_utf8).sum::<usize>();
    let shown = place.source.text[..start + line].to_owned();
    place.source = Source::new(place.source.name.clone(), shown);
    place.length = 1;
}
