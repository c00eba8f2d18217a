//! The steps of a job: their DD statements, and the programs that are ours to be.

use std::path::PathBuf;

use access::{AccessError, Client, Failure, FileBytes, FileSpec, Reply, Request, Sequential, ShapeSpec};
use datasets::{Content, File, Shape};

use crate::dd::{Dd, Dds};
use crate::job::{Job, JobError};
use crate::program::{Batch, Ended, Execution, Output};
use crate::tso;

/// ddnames of libraries, which mean nothing here.
const LIBRARIES: [&str; 4] = ["STEPLIB", "JOBLIB", "SYSEXEC", "DBRMLIB"];

/// A job's steps while it runs.
pub(crate) struct Steps<'a> {
    job: &'a jcl::Job,
    settings: &'a Job<'a>,
    client: &'a mut Client,
    /// Temporary data sets.
    folder: tempfile::TempDir,
}

/// What a step has allocated.
#[derive(Default)]
struct Allocated {
    dds: Dds,
    /// Sequential data sets that go when the step ends well, and when it does not.
    deleted: (Vec<String>, Vec<String>),
}

impl<'a> Steps<'a> {
    pub fn new(job: &'a jcl::Job, settings: &'a Job<'a>, client: &'a mut Client) -> Result<Self, JobError> {
        let folder = tempfile::tempdir().map_err(crate::BatchError::Folder)?;
        sealed::protect_for_now(folder.path()).map_err(crate::BatchError::Folder)?;
        Ok(Self { job, settings, client, folder })
    }

    /// Runs one step.
    pub fn run(
        &mut self,
        number: usize,
        batch: &mut Batch<'_>,
        output: &mut dyn Output,
    ) -> Result<Ended, JobError> {
        let step = &self.job.steps[number];
        let Some(program) = &step.program else {
            let text = "procedures are not expanded: name the program by EXEC PGM=";
            return Err(JobError::Statement(step.line, text.into()));
        };
        let allocated = self.allocate(step)?;
        let ended = match program.as_str() {
            "IEFBR14" => Ended::Returned(0),
            "IDCAMS" => self.utility(&self.text_of(number), &allocated.dds, output)?,
            "IEBGENER" => self.utility(&copy_command(&allocated.dds), &allocated.dds, output)?,
            "IKJEFT01" | "IKJEFT1A" | "IKJEFT1B" => {
                let Some((program, parm)) = tso::run_command(&self.text_of(number)) else {
                    let text =
                        "no RUN PROGRAM(…) for DSN in SYSTSIN: other commands of TSO are not carried out";
                    return Err(JobError::Statement(step.line, text.into()));
                };
                if exec_sql::PROCESSORS.contains(&program.as_str()) {
                    return Ok(Ended::Returned(batch.statements(&allocated.dds, output)?));
                }
                let execution = Execution {
                    program: &program,
                    parm: parm.as_deref(),
                    dds: &allocated.dds,
                    commit_every: self.settings.commit_every,
                };
                self.own_program(&execution, batch, output)?
            }
            program => {
                let execution = Execution {
                    program,
                    parm: step.parm.as_deref(),
                    dds: &allocated.dds,
                    commit_every: self.settings.commit_every,
                };
                self.own_program(&execution, batch, output)?
            }
        };
        let (well, not_well) = allocated.deleted;
        for name in if matches!(ended, Ended::Returned(_)) { well } else { not_well } {
            self.client.done(Request::Remove { name })?;
        }
        Ok(ended)
    }

    fn own_program(
        &mut self,
        execution: &Execution<'_>,
        batch: &mut Batch<'_>,
        output: &mut dyn Output,
    ) -> Result<Ended, JobError> {
        match batch.run(execution, self.client, output) {
            Ok(ended) => Ok(ended),
            Err(crate::BatchError::Program(messages)) => {
                messages.iter().for_each(|message| output.log(message.to_string()));
                Ok(Ended::Abend("S806".into(), format!("{} cannot be run", execution.program)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The statements of one step, as a job of its own.
    fn text_of(&self, number: usize) -> String {
        let first = self.job.steps[number].line;
        let end = self.job.steps.get(number + 1).map_or(usize::MAX, |step| step.line);
        let lines = self.job.source.text.lines().skip(first - 1).take(end - first);
        lines.map(|line| format!("{line}\n")).collect()
    }

    /// Commands of IDCAMS, as a step of the job.
    fn utility(&mut self, text: &str, dds: &Dds, output: &mut dyn Output) -> Result<Ended, JobError> {
        let files = dds.iter().filter_map(|(ddname, dd)| match dd {
            Dd::Files(files) => Some((ddname.clone(), spec(files.first()?)?)),
            Dd::DataSet(_) | Dd::Printed => None,
        });
        let request = Request::Utility {
            name: self.settings.source.name.clone(),
            text: text.to_owned(),
            files: files.filter(|(ddname, _)| ddname != "SYSIN").collect(),
            recoverable: self.settings.recoverable.clone(),
        };
        let Reply::Utility(outcome) = self.client.ask(request)? else { return Ok(Ended::Returned(0)) };
        outcome.listing.lines().for_each(|line| output.print(line));
        outcome.messages.into_iter().for_each(|(_, message)| output.log(message));
        Ok(Ended::Returned(i32::try_from(outcome.max).unwrap_or(i32::MAX)))
    }

    fn allocate(&mut self, step: &jcl::Step) -> Result<Allocated, JobError> {
        let mut allocated = Allocated::default();
        let mut names: Vec<&str> = Vec::new();
        for dd in &step.dds {
            if !names.contains(&dd.name.as_str()) && !LIBRARIES.contains(&dd.name.as_str()) {
                names.push(&dd.name);
            }
        }
        for name in names {
            let concatenated: Vec<&jcl::Dd> = step.dds.iter().filter(|dd| dd.name == name).collect();
            let mut files = Vec::new();
            for dd in concatenated {
                match self.allocate_one(dd, &mut allocated)? {
                    Some(Dd::Files(more)) => files.extend(more),
                    Some(other) => allocated.dds.add(name, other),
                    None => {}
                }
            }
            if !files.is_empty() {
                allocated.dds.add(name, Dd::Files(files));
            }
        }
        Ok(allocated)
    }

    fn allocate_one(&mut self, dd: &jcl::Dd, allocated: &mut Allocated) -> Result<Option<Dd>, JobError> {
        if let Some(lines) = &dd.in_stream {
            let lines = self.job.source.text.lines().skip(lines.start - 1).take(lines.len());
            let text: String = lines.map(|line| format!("{line}\n")).collect();
            return Ok(Some(Dd::Files(vec![File::lines(text.into_bytes())])));
        }
        if dd.dummy {
            return Ok(Some(Dd::Files(vec![File::dummy()])));
        }
        if dd.sysout {
            return Ok(Some(Dd::Printed));
        }
        let Some(name) = &dd.data_set else { return Ok(None) };
        if name.starts_with("&&") {
            let path = self.folder.path().join(name.trim_start_matches('&'));
            return Ok(Some(Dd::Files(vec![File::plain(path, shape(dd).into())])));
        }
        self.allocate_named(dd, name, allocated).map(Some)
    }

    fn allocate_named(
        &mut self,
        dd: &jcl::Dd,
        name: &str,
        allocated: &mut Allocated,
    ) -> Result<Dd, JobError> {
        let said = |number: usize| dd.disposition.get(number).map_or("", String::as_str);
        let located = self.client.ask(Request::Locate { name: name.to_owned() });
        let (status, found) = match located {
            Err(AccessError::Failed(Failure::NoEntry(_))) => (said(0), None),
            located => (said(0), Some(located?)),
        };
        let reply = match (found, status) {
            (Some(_), "NEW" | "") => {
                let text = format!("{name} is there already: DISP says that it is new");
                return Err(JobError::Statement(dd.line, text));
            }
            (Some(found), _) => found,
            (None, "OLD" | "SHR") => {
                return Err(JobError::Statement(dd.line, format!("{name} is not in the catalogue")));
            }
            (None, _) => self.client.ask(Request::Create { name: name.to_owned(), shape: shape(dd) })?,
        };
        let Reply::Sequential(Sequential { name: own, path, shape }) = reply else {
            return Ok(Dd::DataSet(name.to_owned()));
        };
        let normal = match said(1) {
            "" => {
                if matches!(status, "NEW" | "") {
                    "DELETE"
                } else {
                    "KEEP"
                }
            }
            given => given,
        };
        let abnormal = if said(2).is_empty() { normal } else { said(2) };
        for (list, disposition) in [(&mut allocated.deleted.0, normal), (&mut allocated.deleted.1, abnormal)]
        {
            if disposition == "DELETE" {
                list.push(own.clone());
            }
        }
        Ok(Dd::Files(vec![File::plain(path, shape.into())]))
    }
}

/// How a DD statement says that a file is cut: without RECFM and LRECL, as the program has its records.
fn shape(dd: &jcl::Dd) -> ShapeSpec {
    match dd.record_format.as_deref() {
        Some(format) if format.starts_with('V') => ShapeSpec::Variable,
        _ => ShapeSpec::Fixed(dd.record_length),
    }
}

/// IEBGENER as a command of IDCAMS.
fn copy_command(dds: &Dds) -> String {
    let side =
        |ddname: &str, by_ddname: &str, by_name: &str| match dds.iter().find(|(name, _)| *name == ddname) {
            Some((_, Dd::DataSet(name))) => format!("{by_name}({name})"),
            _ => format!("{by_ddname}({ddname})"),
        };
    let (from, to) = (side("SYSUT1", "INFILE", "INDATASET"), side("SYSUT2", "OUTFILE", "OUTDATASET"));
    format!(" REPRO {from} {to}\n")
}

/// A file for the other side.
fn spec(file: &File) -> Option<FileSpec> {
    let bytes = match &file.content {
        Content::Path(path) => {
            FileBytes::Path(std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path)))
        }
        Content::Given(bytes) => FileBytes::Given(bytes.clone()),
        Content::Nothing => FileBytes::Nothing,
    };
    let code_page = file.code_page.map(|page| page.number());
    let shape: Shape = file.shape;
    Some(FileSpec { bytes, shape: shape.into(), code_page, copybook: None })
}
