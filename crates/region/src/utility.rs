//! Utilities on the data sets of an application whose region does not run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::RegionConfig;
use datasets::{Content, File, Outcome, Run, Shape};
use diagnostics::{Diagnostic, Source, any_error};
use ebcdic::CodePage;

use crate::{definitions, resources, start};

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
    let site = start::open_site(state).await?;
    let wants_recovery = |name: &str| resources::is_recoverable(&definitions, name);
    let mut outside = Vec::new();
    for file in files {
        outside.push((&file.ddname, file.open(root)?));
    }
    let mut total = Outcome { messages: parsed.messages, ..Outcome::default() };
    for step in &parsed.steps {
        let mut run = Run::new(&site, &wants_recovery).with_source(&parsed.source);
        for (ddname, file) in &outside {
            run = run.with_file(ddname, file.clone());
        }
        let outcome = run.statements(&step.statements).await;
        total.last = outcome.last;
        total.max = total.max.max(outcome.max);
        total.listing.push_str(&outcome.listing);
        total.messages.extend(outcome.messages);
    }
    Ok(total)
}

impl Outside {
    fn open(&self, root: &Path) -> Result<File, Vec<Diagnostic>> {
        let layout = match &self.copybook {
            Some(path) => copybook::parse(&definitions::source(root, path)?).layouts.into_iter().next(),
            None => None,
        };
        let content = Content::Path(self.path.clone());
        Ok(File { content, shape: self.shape, code_page: self.code_page, layout })
    }
}
