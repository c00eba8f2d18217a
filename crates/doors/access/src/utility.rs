//! IDCAMS commands of a session.

use copybook::{Form, Layout, Recast, Wishes};
use datasets::{Content, ConvertError, DataSets, File, Generations, Run};
use diagnostics::{Diagnostic, Severity, Source, any_error};
use ebcdic::CodePage;

use crate::progress::Progress;
use crate::protocol::{Conversion, Failure, FileBytes, FileSpec, Reply, UtilityOutcome};

/// The code of commands that are not understood.
const NOT_UNDERSTOOD: u32 = 16;

/// The code of commands with parameters that do not exist: none is carried out.
const NOT_CARRIED_OUT: u32 = 12;
/// The message about such a parameter.
const UNKNOWN_PARAMETER: &str = "SPID013";

/// Commands and what they need.
pub(crate) struct Job {
    pub name: String,
    pub text: String,
    pub files: Vec<(String, FileSpec)>,
    pub data_sets: Vec<(String, String)>,
    pub recoverable: Vec<String>,
}

impl Job {
    pub async fn run(
        self,
        site: &DataSets,
        generations: &mut Generations,
        progress: Progress<'_>,
    ) -> Result<UtilityOutcome, Failure> {
        let source = Source::new(self.name, self.text);
        let parsed = idcams::parse(&source, &jcl::Tokens::default());
        let mut total = UtilityOutcome::default();
        total.messages.extend(parsed.messages.iter().map(told));
        if any_error(&parsed.messages) {
            (total.last, total.max) = (NOT_UNDERSTOOD, NOT_UNDERSTOOD);
            return Ok(total);
        }
        if parsed.messages.iter().any(|message| message.code == UNKNOWN_PARAMETER) {
            (total.last, total.max) = (NOT_CARRIED_OUT, NOT_CARRIED_OUT);
            return Ok(total);
        }
        let files = self.files.iter().map(|(ddname, spec)| Ok((ddname, File::try_from(spec)?)));
        let files: Vec<(&String, File)> = files.collect::<Result<_, Failure>>()?;
        let recoverable = |name: &str| self.recoverable.iter().any(|wanted| wanted == name);
        for step in &parsed.steps {
            let mut run = Run::new(site, &recoverable)
                .with_source(&parsed.source)
                .in_job(generations)
                .telling(&mut *progress);
            for (ddname, file) in &files {
                run = run.with_file(ddname, file.clone());
            }
            for (ddname, name) in &self.data_sets {
                run = run.with_data_set(ddname, name);
            }
            let outcome = run.statements(&step.statements).await;
            *generations = outcome.generations;
            total.last = outcome.last;
            total.max = total.max.max(outcome.max);
            total.listing.push_str(&outcome.listing);
            total.messages.extend(outcome.messages.iter().map(told));
        }
        // REPRO writes data sets that are not recoverable, too.
        site.vsam.harden().await?;
        Ok(total)
    }
}

fn told(message: &Diagnostic) -> (bool, String) {
    (message.severity == Severity::Error, message.render(false))
}

impl TryFrom<&FileSpec> for File {
    type Error = Failure;

    fn try_from(spec: &FileSpec) -> Result<Self, Failure> {
        let content = match &spec.bytes {
            FileBytes::Path(path) => Content::Path(path.clone()),
            FileBytes::Given(bytes) => Content::Given(bytes.clone()),
            FileBytes::Nothing => Content::Nothing,
            FileBytes::Several(specs) => {
                Content::Several(specs.iter().map(Self::try_from).collect::<Result<_, _>>()?)
            }
        };
        let code_page = match spec.code_page {
            Some(number) => Some(
                CodePage::parse(&number.to_string())
                    .ok_or_else(|| Failure::Invalid(format!("there is no code page {number}")))?,
            ),
            None => None,
        };
        let layout = spec.copybook.as_deref().map(layout).transpose()?;
        Ok(Self { content, shape: spec.shape.into(), code_page, layout, extends: spec.extends })
    }
}

/// Reads the first record of a copybook.
fn layout(text: &str) -> Result<Layout, Failure> {
    let parsed = copybook::parse(&Source::new("copybook", text));
    if let Some(wrong) = parsed.messages.iter().find(|message| message.severity == Severity::Error) {
        return Err(Failure::Invalid(wrong.render(false)));
    }
    let first = parsed.layouts.into_iter().next();
    first.ok_or_else(|| Failure::Invalid("the copybook describes no record".to_owned()))
}

/// Converts the records of a data set.
pub(crate) async fn convert(
    site: &DataSets,
    name: &str,
    conversion: &Conversion,
    keep: bool,
    progress: Progress<'_>,
) -> Result<Reply, Failure> {
    let wishes = Wishes {
        record: conversion.record.clone(),
        redefined: conversion.redefined.clone(),
        to: if conversion.native { Form::Zos } else { Form::Gnucobol },
        null_addresses: conversion.null_addresses,
    };
    let (copybook, text) = &conversion.copybook;
    let recast = Recast::new(&Source::new(copybook, text.as_str()), &wishes).map_err(|messages| {
        let all: Vec<String> = messages.iter().map(|message| message.render(false)).collect();
        Failure::Invalid(all.join("\n"))
    })?;
    if !recast.has_effect() {
        let text = format!("records of {copybook} are the same for programs by both compilers");
        return Err(Failure::Invalid(text));
    }
    let into = conversion.into.as_deref();
    let done =
        datasets::convert(site, name, into, &recast, keep, progress).await.map_err(|error| match error {
            ConvertError::DataSet(error @ vsam::Error::Record { .. }) => Failure::Invalid(error.to_string()),
            ConvertError::DataSet(error) => error.into(),
            ConvertError::NoEntry(name) => Failure::NoEntry(name),
            ConvertError::InUse(name) => Failure::InUse(name),
            other => Failure::Invalid(other.to_string()),
        })?;
    Ok(Reply::Converted { read: done.read, changed: done.changed })
}
