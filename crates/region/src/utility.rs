//! Utilities on the data sets of an application whose region does not run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::RegionConfig;
use datasets::{Load, Outcome, Run, Shape};
use diagnostics::{Diagnostic, Source, any_error};
use ebcdic::CodePage;

use crate::{codes, definitions, resources, start};

/// A file that a command knows by a ddname.
pub struct Outside {
    /// The ddname.
    pub ddname: String,
    /// The file.
    pub path: PathBuf,
    /// How it is cut into records.
    pub shape: Shape,
    /// Its code page; `None`: program characters.
    pub code_page: Option<CodePage>,
    /// The copybook that says which bytes are characters.
    pub copybook: Option<PathBuf>,
}

/// Carries IDCAMS commands out.
///
/// # Errors
/// What is wrong with the input, or with the files.
pub async fn idcams(
    root: &Path,
    state: &Path,
    config: &RegionConfig,
    input: &Arc<Source>,
    files: &[Outside],
) -> Result<Outcome, Vec<Diagnostic>> {
    let parsed = idcams::parse(input, &definitions::tokens(config));
    if any_error(&parsed.messages) {
        return Err(parsed.messages);
    }
    let (definitions, _) = definitions::read(root, config)?;
    let vsam = start::open_data_sets(root, state, &config.data).await?;
    let wants_recovery = |name: &str| resources::is_recoverable(&definitions, name);
    let read: Vec<_> = files.iter().map(|file| Read::new(root, file)).collect::<Result<_, _>>()?;
    let mut total = Outcome { messages: parsed.messages, ..Outcome::default() };
    for step in &parsed.steps {
        let mut run = Run::new(&vsam, &wants_recovery);
        for file in &read {
            run = run.with_file(&file.outside.ddname, file.as_load());
        }
        let outcome = run.statements(&step.statements).await;
        total.last = outcome.last;
        total.max = total.max.max(outcome.max);
        total.listing.push_str(&outcome.listing);
        total.messages.extend(outcome.messages);
    }
    Ok(total)
}

/// A file's bytes and the description of its records.
struct Read<'a> {
    outside: &'a Outside,
    bytes: Vec<u8>,
    layouts: Vec<copybook::Layout>,
}

impl<'a> Read<'a> {
    fn new(root: &Path, outside: &'a Outside) -> Result<Self, Vec<Diagnostic>> {
        let bytes = std::fs::read(&outside.path).map_err(|error| {
            let message = format!("{} cannot be read: {error}", outside.path.display());
            vec![Diagnostic::error(codes::UNREADABLE, message)]
        })?;
        let layouts = match &outside.copybook {
            Some(path) => copybook::parse(&definitions::source(root, path)?).layouts,
            None => Vec::new(),
        };
        Ok(Self { outside, bytes, layouts })
    }

    fn as_load(&self) -> Load<'_> {
        Load {
            bytes: &self.bytes,
            shape: self.outside.shape,
            code_page: self.outside.code_page,
            layout: self.layouts.first(),
        }
    }
}
