//! `[services]`: programs that serve JSON by the copybook of their records.
//!
//! A service that cannot be made is refused by itself: the others, and the region, do without it.

use std::path::Path;

use binding::BindingFile;
use binding::file::{Origin, Text};
use config::{Located, RegionConfig, at};
use diagnostics::{Diagnostic, Source};
use kernel::region::Region;

use crate::codes;

/// Extension of a binding file; any other file is a copybook.
const BINDING: &str = ".wsbind";

/// The services of a configuration.
pub(crate) struct Services(Vec<(String, BindingFile)>);

/// Reads what the configuration names, and tries it: the services that can be had, and what is wrong with others.
pub(crate) fn read(root: &Path, config: &RegionConfig) -> (Services, Vec<Diagnostic>) {
    let (mut services, mut messages) = (Vec::new(), Vec::new());
    for (name, files) in &config.services {
        let made = binding(root, name, files).and_then(|binding| binding.make().map(|made| (binding, made)));
        match made {
            Ok((binding, made)) => {
                messages.extend(made.messages);
                services.push((name.value.clone(), binding));
            }
            Err(problems) => {
                messages.extend(problems);
                let what = format!("service {} is not there", name.value);
                messages.push(at(Diagnostic::error(codes::NO_SERVICE, what), files));
            }
        }
    }
    (Services(services), messages)
}

/// The binding of an entry: a binding file, or the copybooks of request and answer, with options of the published tools behind
/// them.
fn binding(
    root: &Path,
    name: &Located<String>,
    files: &Located<String>,
) -> Result<BindingFile, Vec<Diagnostic>> {
    let text = |file: &str| -> Result<Text, Vec<Diagnostic>> {
        let text = std::fs::read_to_string(root.join(file)).map_err(|error| {
            let why = format!("{file} of service {} cannot be read: {error}", name.value);
            vec![
                at(Diagnostic::error(codes::UNREADABLE, why), files)
                    .help("paths are relative to region.toml"),
            ]
        })?;
        Ok(Text { name: file.to_owned(), text })
    };
    if files.value.ends_with(BINDING) {
        let file = text(&files.value)?;
        return BindingFile::read(&Source::new(file.name, file.text));
    }
    let (options, named): (Vec<&str>, Vec<&str>) =
        files.value.split_whitespace().partition(|word| word.contains('='));
    let mut named = named.into_iter().flat_map(|words| words.split(',')).filter(|file| !file.is_empty());
    let request = text(named.next().unwrap_or_default())?;
    let answer = named.next().map(text).transpose()?;
    let program = name.value.to_ascii_uppercase();
    let own = format!("PGMNAME={program}\nURI=/services/{}\n", program.to_ascii_lowercase());
    let options = options.iter().fold(own, |all, option| all + option + "\n");
    Ok(BindingFile::new(Origin::Copybook, options, request, answer))
}

impl Services {
    /// Installs them.
    pub fn install(&self, region: &Region) {
        for (name, binding) in &self.0 {
            // It was made before, of the same texts.
            if pipelines::webservice::install_bare(region, name, binding).is_err() {
                tracing::warn!(target: "PI", "service {name} is not installed");
            }
        }
    }
}
