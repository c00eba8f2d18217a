//! Settings from outside the file, each of which counts before what the file says: `--set section.key=value` and
//! variables such as `SYNCPOINT_SIT_MXT`.
//!
//! Each becomes a line of TOML of its own, so that what is wrong with it is shown there and not at a line of the file.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::codes;
use crate::reader::{Reader, VARIABLE};

/// A variable of the proofs, which may be in the environment of a region that they start: by which compiler they run.
const OF_PROOFS: &str = "SYNCPOINT_COMPILER";

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its origin as messages show it: `--set`, or the variable's name.
    origin: String,
    key: Key,
    value: String,
}

/// The key that a setting is for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Key {
    /// As it is written in the file: the names of its sections, outermost first, and the key.
    Written(Vec<String>),
    /// The words of a variable's name. Which of them are the section's is known where the sections are.
    Words(Vec<String>),
}

impl Setting {
    /// A setting as `--set` has it: `section.key=value`, or `key=value` for a key before the first section.
    ///
    /// # Errors
    /// There is no `=` in it, or nothing before that.
    pub fn argument(text: &str) -> Result<Self, Diagnostic> {
        let message = || {
            Diagnostic::error(codes::SETTING, format!("--set {text} sets nothing"))
                .help("write --set section.key=value, such as --set sit.MXT=200 or --set applid=BANK")
        };
        let (key, value) = text.split_once('=').ok_or_else(message)?;
        if key.trim().is_empty() {
            return Err(message());
        }
        Ok(Self::written("--set", key.trim(), value.trim()))
    }

    /// A setting of an option of its own: its name, the key that it is for, and the value.
    pub fn written(origin: &str, key: &str, value: &str) -> Self {
        let key = Key::Written(key.split('.').map(str::to_owned).collect());
        Self { origin: origin.to_owned(), key, value: value.to_owned() }
    }

    /// A setting by a variable of the environment; `None` for one that is not meant for a region, or is empty.
    pub fn variable(name: &str, value: &str) -> Option<Self> {
        let words = name.strip_prefix(VARIABLE).filter(|_| !value.is_empty() && name != OF_PROOFS)?;
        let words = words.split('_').map(str::to_ascii_lowercase).collect();
        Some(Self { origin: name.to_owned(), key: Key::Words(words), value: value.to_owned() })
    }

    /// The setting as a line of TOML, whose places begin at `base`.
    fn line(&self, sections: &[&str], base: usize) -> Line {
        let path = self.key.resolved(sections);
        let value = match DeValue::parse(&self.value) {
            Ok(_) => self.value.clone(),
            // Operators put no quotation marks around a word on a command line.
            Err(_) => toml::Value::String(self.value.clone()).to_string(),
        };
        let name = path.iter().map(|part| bare(part)).collect::<Vec<_>>().join(".");
        let source = Source::new(self.origin.clone(), format!("{name} = {value}"));
        let padded = " ".repeat(base) + &source.text;
        Line { path, source, padded }
    }
}

/// A setting as text.
pub(crate) struct Line {
    /// The names of its sections, outermost first, and the key.
    path: Vec<String>,
    source: Arc<Source>,
    /// Its text after as many blanks as all texts before it have bytes, so that its places follow theirs.
    padded: String,
}

/// The lines of settings over a text of some length; a later one counts before an earlier one.
pub(crate) fn lines(settings: &[Setting], sections: &[&str], length: usize) -> Vec<Line> {
    let mut base = length + 1;
    let mut lines = Vec::with_capacity(settings.len());
    for setting in settings {
        let line = setting.line(sections, base);
        base += line.source.text.len() + 1;
        lines.push(line);
    }
    lines
}

impl Key {
    /// The sections and the key. In a variable a section is one word; parameters of `[sit]` and names of queues are in upper
    /// case, and keys have hyphens, which the name of a variable cannot have.
    fn resolved(&self, sections: &[&str]) -> Vec<String> {
        match self {
            Self::Written(path) => path.clone(),
            Self::Words(words) => match words.split_first() {
                Some((first, rest)) if !rest.is_empty() && sections.contains(&first.as_str()) => {
                    let upper = ["sit", "queues"].contains(&first.as_str());
                    let key = rest.join("-");
                    vec![first.clone(), if upper { key.to_ascii_uppercase() } else { key }]
                }
                _ => vec![words.join("-")],
            },
        }
    }
}

/// A key as TOML has it: in quotation marks where it holds more than letters, digits, hyphens and underscores.
fn bare(key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !key.is_empty() && key.chars().all(plain) {
        key.to_owned()
    } else {
        toml::Value::String(key.to_owned()).to_string()
    }
}

/// Puts settings over the tables of a file.
pub(crate) fn apply<'a>(reader: &mut Reader<'a>, root: &mut Spanned<DeTable<'a>>, lines: &'a [Line]) {
    for line in lines {
        reader.add(line.padded.len() - line.source.text.len(), &line.source);
        if let Ok(parsed) = DeTable::parse(&line.padded) {
            merge(root.as_mut(), parsed.into_inner(), &line.path);
        }
    }
}

/// Takes the one key of a table over, in place of what is there. `path` leads to it, and so does each table in `table`.
fn merge<'a>(root: &mut DeTable<'a>, table: DeTable<'a>, path: &[String]) {
    let Some((first, rest)) = path.split_first() else { return };
    let own = match root.get_mut(first.as_str()).map(AsMut::as_mut) {
        Some(DeValue::Table(own)) if !rest.is_empty() => own,
        _ => {
            root.remove(first.as_str());
            return root.extend(table);
        }
    };
    let given = table.into_iter().next().map(|(_, value)| value.into_inner());
    if let Some(DeValue::Table(given)) = given {
        merge(own, given, rest);
    }
}
