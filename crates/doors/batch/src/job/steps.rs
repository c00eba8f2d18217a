//! One step: its data sets, its program or utility, and what becomes of the data sets.

use std::time::Duration;

use access::{AccessError, Client, FileBytes, FileSpec, Reply, Request, TemporaryFolder};
use datasets::{Content, File, Shape};
use diagnostics::{Diagnostic, Source};
use ebcdic::Characters;
use jcl::stream::{Step, What};
use repository::utility;

use super::allocation::{Passed, Refused, Site, Temporary};
use super::listing::Listing;
use super::operating::NOT_RUN;
use super::programs::{Utility, utility};
use super::{Job, JobError, building, copying, operating};
use crate::clock;
use crate::dd::{Dd, Dds};
use crate::ending::Ended;
use crate::output::Output;
use crate::program::{Batch, Execution};
use crate::sort;
use crate::tool;
use crate::tso;
use crate::utility_records as records;

/// The return code of a compiler whose program does not build.
const NOT_BUILT: i32 = 12;

/// The steps of a job while it runs.
pub(super) struct Steps<'a> {
    settings: &'a Job<'a>,
    client: &'a mut Client,
    /// The folder of temporary data sets.
    folder: TemporaryFolder,
    temporary: Temporary,
    passed: Passed,
    /// The processor time at which the job's is used up.
    job_end: Option<Duration>,
    /// The processor time that the step may use.
    time: Option<Duration>,
}

/// The outcome of a step.
pub(super) enum StepRun {
    Ended(Ended),
    /// It was not run: its data sets cannot be had.
    Failed(Vec<Diagnostic>),
}

/// The reason why a program or utility has not come to its end.
enum Unfinished {
    /// The utility cannot do its work: the step ends with [`NOT_RUN`].
    Utility(records::Failed),
    /// The job cannot go on.
    Job(JobError),
}

impl From<records::Failed> for Unfinished {
    fn from(error: records::Failed) -> Self {
        Self::Utility(error)
    }
}

impl From<crate::BatchError> for Unfinished {
    fn from(error: crate::BatchError) -> Self {
        Self::Job(error.into())
    }
}

impl From<AccessError> for Unfinished {
    fn from(error: AccessError) -> Self {
        Self::Job(error.into())
    }
}

impl<'a> Steps<'a> {
    /// Makes them for a job that may use `time` seconds of processor time.
    pub fn new(settings: &'a Job<'a>, client: &'a mut Client, time: Option<u64>) -> Result<Self, JobError> {
        let folder = client.temporary()?;
        let (temporary, passed) = (Temporary::new(), Passed::default());
        let job_end = time.map(|seconds| clock::used().saturating_add(Duration::from_secs(seconds)));
        Ok(Self { settings, client, folder, temporary, passed, job_end, time: None })
    }

    /// Runs one step.
    pub fn run(
        &mut self,
        step: &Step,
        batch: &mut Batch<'_>,
        output: &mut dyn Output,
    ) -> Result<StepRun, JobError> {
        let of_job = self.job_end.map(|end| end.saturating_sub(clock::used()).max(Duration::from_millis(1)));
        let of_step = step.time.map(Duration::from_secs);
        self.time = [of_job, of_step].into_iter().flatten().min();
        let mut site = Site {
            client: self.client,
            folder: self.folder.path(),
            temporary: &mut self.temporary,
            libraries: &self.settings.libraries,
        };
        let of_libraries = matches!(utility(&step.program), Some(Utility::Compile | Utility::Link));
        let allocated = match of_libraries {
            true => site.allocate(&building::without_libraries(step)),
            false => site.allocate(step),
        };
        let allocated = match allocated {
            Ok(allocated) => allocated,
            Err(Refused::Job(messages)) => return Ok(StepRun::Failed(messages)),
            Err(Refused::Access(AccessError::Failed(failure))) => {
                let message = Diagnostic::error(super::codes::DATA_SET, failure.to_string());
                return Ok(StepRun::Failed(vec![message.at(step.place.clone())]));
            }
            Err(Refused::Access(error)) => return Err(error.into()),
        };
        let ended = self.listed(step, &allocated.dds, batch, output)?;
        let well = matches!(ended, Ended::Returned(_));
        allocated.dispose(well, &mut self.temporary, &mut self.passed, self.client)?;
        Ok(StepRun::Ended(ended))
    }

    /// Runs the program of a step; what it lists goes where its DD statement says.
    fn listed(
        &mut self,
        step: &Step,
        dds: &Dds,
        batch: &mut Batch<'_>,
        output: &mut dyn Output,
    ) -> Result<Ended, JobError> {
        let ddname = match utility(&step.program) {
            Some(Utility::Idcams | Utility::Copy | Utility::Compile | Utility::Link | Utility::Define) => {
                "SYSPRINT"
            }
            Some(Utility::Operate) => "ISFOUT",
            Some(Utility::Tool) => "TOOLMSG",
            Some(Utility::Nothing | Utility::Sort | Utility::Terminal) | None => "SYSOUT",
        };
        let mut listing = Listing::new(ddname, dds, output);
        let ended = self.program(step, dds, batch, &mut listing)?;
        match (ended, listing.finish(ddname, dds, self.client)) {
            (Ended::Returned(_), Err(error)) => Ok(Ended::Abend("S001".into(), format!("{ddname}: {error}"))),
            (ended, _) => Ok(ended),
        }
    }

    fn program(
        &mut self,
        step: &Step,
        dds: &Dds,
        batch: &mut Batch<'_>,
        output: &mut dyn Output,
    ) -> Result<Ended, JobError> {
        let ended = match utility(&step.program) {
            Some(utility) => self.utility(utility, step, dds, batch, output),
            None => self.own_program(&step.program, step.parm.as_deref(), dds, batch, output),
        };
        match ended {
            Ok(ended) => Ok(ended),
            Err(Unfinished::Utility(error)) => {
                output.log(error.to_string());
                Ok(Ended::Returned(NOT_RUN))
            }
            Err(Unfinished::Job(error)) => Err(error),
        }
    }

    fn utility(
        &mut self,
        utility: Utility,
        step: &Step,
        dds: &Dds,
        batch: &mut Batch<'_>,
        output: &mut dyn Output,
    ) -> Result<Ended, Unfinished> {
        Ok(match utility {
            Utility::Nothing => Ended::Returned(0),
            Utility::Idcams => self.idcams(step, dds, output)?,
            Utility::Copy => {
                let control = self.control(step, "SYSIN", dds)?;
                Ended::Returned(copying::run(&control, dds, self.client, output)?)
            }
            Utility::Sort => {
                let control = self.control(step, "SYSIN", dds)?;
                let symbols = self.control(step, "SYMNAMES", dds)?;
                let parm = step.parm.as_deref();
                Ended::Returned(sort::run(&control, &symbols, parm, dds, self.client, output)?)
            }
            Utility::Tool => {
                let text = self.control(step, "TOOLIN", dds)?;
                let symbols = self.control(step, "SYMNAMES", dds)?.1;
                let mut control = |client: &mut Client, ddname: &str| control(client, step, ddname, dds);
                Ended::Returned(tool::run(&text, &symbols, &mut control, dds, self.client, output)?)
            }
            Utility::Terminal => self.terminal(step, dds, batch, output)?,
            Utility::Compile => match building::compiled(step) {
                Some((name, _)) if !batch.builds(&name, output) => Ended::Returned(NOT_BUILT),
                _ => Ended::Returned(0),
            },
            Utility::Link => Ended::Returned(0),
            Utility::Operate => {
                let control = self.control(step, "ISFIN", dds)?;
                Ended::Returned(operating::run(&control, self.client, output)?)
            }
            Utility::Define => self.definitions(step, dds, output)?,
        })
    }

    /// Ends the job.
    pub fn end(self, output: &mut dyn Output) {
        if let Err(error) = self.passed.end(self.client) {
            output.log(format!("data sets that were passed on are not deleted: {error}"));
        }
    }

    fn own_program(
        &mut self,
        program: &str,
        parm: Option<&str>,
        dds: &Dds,
        batch: &mut Batch<'_>,
        output: &mut dyn Output,
    ) -> Result<Ended, Unfinished> {
        let commit_every = self.settings.commit_every;
        let execution = Execution { program, parm, dds, commit_every, time: self.time };
        match batch.run(&execution, self.client, output) {
            Ok(ended) => Ok(ended),
            Err(crate::BatchError::Program(messages)) => {
                messages.iter().for_each(|message| output.log(message.to_string()));
                Ok(Ended::Abend("S806".into(), format!("{program} cannot be run")))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn terminal(
        &mut self,
        step: &Step,
        dds: &Dds,
        batch: &mut Batch<'_>,
        output: &mut dyn Output,
    ) -> Result<Ended, Unfinished> {
        let (name, text) = self.control(step, "SYSTSIN", dds)?;
        // Commands that stand in the job were checked before its first step.
        if let Err((line, what, help)) = tso::check(&text) {
            output.log(format!("{name}:{line}: {what}: {help}"));
            return Ok(Ended::Returned(NOT_RUN));
        }
        let Some(run) = tso::run_command(&text) else {
            output.log("SYSTSIN has no RUN PROGRAM(…) for DSN: nothing was run".into());
            return Ok(Ended::Returned(NOT_RUN));
        };
        if exec_sql::PROCESSORS.contains(&run.program.as_str()) {
            return Ok(batch.statements(dds, self.client, output)?);
        }
        self.own_program(&run.program, run.parm.as_deref(), dds, batch, output)
    }

    /// Reads the control statements behind a ddname.
    fn control(&mut self, step: &Step, ddname: &str, dds: &Dds) -> Result<(String, String), records::Failed> {
        control(self.client, step, ddname, dds)
    }

    /// Commands of DFHCSDUP.
    fn definitions(&mut self, step: &Step, dds: &Dds, output: &mut dyn Output) -> Result<Ended, Unfinished> {
        let (name, text) = self.control(step, "SYSIN", dds)?;
        let Some(repository) = &self.settings.definitions else {
            output.log("the job runs without an application: there are no definitions".into());
            return Ok(Ended::Returned(NOT_RUN));
        };
        let reads = step.parm.as_deref().is_some_and(|parm| parm.to_ascii_uppercase().contains("READONLY"));
        let repository = if reads { &repository.clone().read_only() } else { repository };
        let by = self.settings.user.as_deref().unwrap_or_default();
        let ended = utility::run(repository, &Source::new(name, text), by);
        ended.listing.lines().for_each(|line| output.display(line));
        ended.messages.iter().for_each(|message| output.log(message.to_string()));
        Ok(Ended::Returned(i32::try_from(ended.code).unwrap_or(i32::MAX)))
    }

    /// Commands of IDCAMS.
    fn idcams(&mut self, step: &Step, dds: &Dds, output: &mut dyn Output) -> Result<Ended, Unfinished> {
        let (name, text) = self.control(step, "SYSIN", dds)?;
        let mut files = Vec::new();
        let mut data_sets = Vec::new();
        let mut papers = Vec::new();
        for (ddname, dd) in dds.iter().filter(|(ddname, _)| *ddname != "SYSIN") {
            match dd {
                Dd::DataSet(name) => data_sets.push((ddname.clone(), name.clone())),
                Dd::Printed => {
                    let paper = File::plain(self.folder.path().join(format!("+{ddname}")), Shape::Lines);
                    files.push((ddname.clone(), spec(&paper)));
                    papers.push(paper);
                }
                dd => files.extend(dd.files().map(|files| (ddname.clone(), spec(&File::several(files))))),
            }
        }
        let recoverable = self.settings.recoverable.clone();
        let request = Request::Utility { name, text, files, data_sets, recoverable };
        let Reply::Utility(outcome) = self.client.ask(request)? else { return Ok(Ended::Returned(0)) };
        for paper in papers {
            print(&paper, output)?;
        }
        outcome.listing.lines().for_each(|line| output.display(line));
        outcome.messages.into_iter().for_each(|(_, message)| output.log(message));
        Ok(Ended::Returned(i32::try_from(outcome.max).unwrap_or(i32::MAX)))
    }
}

/// Reads the control statements behind a ddname: the name of their text, and the text with the user's line numbers.
fn control(
    client: &mut Client,
    step: &Step,
    ddname: &str,
    dds: &Dds,
) -> Result<(String, String), records::Failed> {
    if let Some(text) = super::plan::in_stream(step, ddname) {
        return Ok(text);
    }
    let Some(dd) = dds.get(ddname) else { return Ok((ddname.to_owned(), String::new())) };
    let mut text = String::new();
    records::read(dd, client, &mut |_, record| {
        text.push_str(Characters::default().text(&record).trim_end());
        text.push('\n');
        Ok(true)
    })?;
    let part = step.dd(ddname).and_then(|dd| dd.parts.first());
    let name = match part.map(|part| &part.what) {
        Some(What::Named(name)) => name.clone(),
        _ => ddname.to_owned(),
    };
    Ok((name, text))
}

/// Prints what a utility has written to SYSOUT, and removes it.
fn print(paper: &File, output: &mut dyn Output) -> Result<(), records::Failed> {
    let Content::Path(path) = &paper.content else { return Ok(()) };
    if !path.exists() {
        return Ok(());
    }
    for record in paper.read(0)? {
        output.print(Characters::default().text(&record?).trim_end());
    }
    // What is left goes with the folder.
    drop(std::fs::remove_file(path));
    Ok(())
}

/// Describes a file for the other side.
fn spec(file: &File) -> FileSpec {
    let bytes = match &file.content {
        Content::Path(path) => FileBytes::Path(std::path::absolute(path).unwrap_or_else(|_| path.clone())),
        Content::Given(bytes) => FileBytes::Given(bytes.clone()),
        Content::Nothing => FileBytes::Nothing,
        Content::Several(files) => FileBytes::Several(files.iter().map(spec).collect()),
    };
    let code_page = file.code_page.map(|page| page.number());
    FileSpec { bytes, shape: file.shape.into(), code_page, copybook: None, extends: file.extends }
}
