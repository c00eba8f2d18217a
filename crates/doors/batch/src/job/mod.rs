//! Jobs: read and checked as a whole, and then run step by step.

mod allocation;
mod building;
mod conditions;
mod copying;
mod library;
mod listing;
mod operating;
mod plan;
mod programs;
mod steps;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use access::{AccessError, Client, Failure, Request};
use diagnostics::{Diagnostic, Source, any_error};
use exci::{Home, Interface};
use exec_sql::Outside;
use jcl::Tokens;
use jcl::stream::{End, Past, Symbols, What};
use repository::Repository;
use toolchain::Toolchain;

use crate::ending::{Ended, StepEnd};
use crate::output::Output;
use crate::program::{Batch, BatchError};
use conditions::Conditions;
use library::Library;
use steps::{StepRun, Steps};

/// The time that a job waits for data sets that another job has.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// The time between two looks at them.
const LOOK: Duration = Duration::from_millis(100);

/// The reason why jobs are not run, or not to their end.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// They say something that is wrong or is not built: nothing of them was run.
    #[error("the job is refused")]
    Refused(Vec<Diagnostic>),
    /// They have no step of the name that was asked for.
    #[error("the job has no step {0}")]
    NoStep(String),
    /// Programs cannot be run at all.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The data sets are not reached.
    #[error(transparent)]
    Access(#[from] AccessError),
}

/// The end of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobEnd {
    /// Its name.
    pub name: String,
    /// The greatest return code; `None` if a step ended abnormally or the job failed.
    pub code: Option<i32>,
}

/// A job stream with the settings of its run.
pub struct Job<'a> {
    /// The jobs, with their tokens replaced.
    pub source: Arc<Source>,
    /// Only this step.
    pub step: Option<&'a str>,
    /// Data sets whose changes are to be backed out whatever their LOG says.
    pub recoverable: Vec<String>,
    /// Changes between two commits.
    pub commit_every: u64,
    /// Folders that are libraries of data sets, by the names of these.
    pub libraries: Vec<(String, PathBuf)>,
    /// Folders with procedures and members that INCLUDE names.
    pub folders: Vec<PathBuf>,
    /// Tokens that are replaced in procedures and members.
    pub tokens: Tokens,
    /// The texts of the application's definitions, for DFHCSDUP.
    pub definitions: Option<Repository>,
    /// Symbols of the system.
    pub symbols: Symbols,
    /// The time that a job waits for data sets that another one has.
    pub patience: Duration,
    /// The way to programs of regions; `None`: there is none.
    pub regions: Option<Home>,
    /// The user on whose behalf programs of regions are run; `None`: the region's default user.
    pub user: Option<String>,
}

impl Job<'_> {
    /// Runs the jobs, and returns the end of each.
    ///
    /// # Errors
    /// [`JobError::Refused`] and [`JobError::NoStep`] before anything is done; others in the middle.
    pub fn run(
        &self,
        toolchain: &Toolchain,
        sql: Option<Outside>,
        client: &mut Client,
        output: &mut dyn Output,
    ) -> Result<Vec<JobEnd>, JobError> {
        let jobs = self.read(toolchain, client)?;
        for warning in jobs.messages {
            output.log(warning.to_string());
        }
        let external = self.regions.clone().map(|home| Interface::new(Box::new(home), self.user.clone()));
        let mut batch = Batch::new(toolchain, sql).with_regions(external);
        let mut ended = Vec::with_capacity(jobs.jobs.len());
        let mut failure = None;
        for job in &jobs.jobs {
            match self.run_one(job, &mut batch, client, output) {
                Ok(end) => ended.push(end),
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        batch.close(output);
        failure.map_or(Ok(ended), Err)
    }

    /// Reads and checks the jobs.
    ///
    /// # Errors
    /// [`JobError::Refused`], with everything that is wrong, or [`JobError::NoStep`].
    pub fn read(&self, toolchain: &Toolchain, client: &mut Client) -> Result<jcl::stream::Jobs, JobError> {
        let mut library = Library::new(self, client);
        let mut jobs =
            jcl::stream::jobs(&self.source, &self.symbols, &mut |order, name| library.member(order, name));
        let chosen = |step: &jcl::stream::Step| self.is_chosen(step);
        if let Some(name) = self.step
            && !jobs.jobs.iter().flat_map(|job| &job.steps).any(chosen)
            && !any_error(&jobs.messages)
        {
            return Err(JobError::NoStep(name.to_owned()));
        }
        let mut programs = plan::Programs::new(toolchain);
        for job in &jobs.jobs {
            programs.job();
            for step in job.steps.iter().filter(|step| self.is_chosen(step)) {
                plan::check(step, &mut programs, &mut jobs.messages);
            }
        }
        if jobs.jobs.is_empty() && jobs.messages.is_empty() {
            let message = Diagnostic::error(codes::NO_JOB, format!("{} holds no job", self.source.name));
            jobs.messages.push(message.help("a job begins with //NAME JOB"));
        }
        match any_error(&jobs.messages) {
            true => Err(JobError::Refused(jobs.messages)),
            false => Ok(jobs),
        }
    }

    fn is_chosen(&self, step: &jcl::stream::Step) -> bool {
        let is = |own: &str| self.step.is_none_or(|wanted| own.eq_ignore_ascii_case(wanted));
        is(&step.name) || step.procedure_step.as_deref().is_some_and(is) || is(&step.label())
    }

    fn run_one(
        &self,
        job: &jcl::stream::Job,
        batch: &mut Batch<'_>,
        client: &mut Client,
        output: &mut dyn Output,
    ) -> Result<JobEnd, JobError> {
        let name = job.name.clone();
        if job.scan {
            output.log(format!("{name}: TYPRUN=SCAN: the job is read, and nothing of it is run"));
            return Ok(JobEnd { name, code: Some(0) });
        }
        client.done(Request::JobBegins)?;
        batch.job_begins();
        if !self.reserve(job, client, output)? {
            return Ok(JobEnd { name, code: None });
        }
        let mut steps = Steps::new(self, client, job.time)?;
        let mut conditions = Conditions::new(job);
        let mut code = Some(0);
        let mut restarts = job.restart.is_some();
        for step in &job.steps {
            if restarts
                && !job
                    .restart
                    .as_ref()
                    .is_some_and(|from| from.means(&step.name, step.procedure_step.as_deref(), &step.name))
            {
                continue;
            }
            restarts = false;
            if !self.is_chosen(step) {
                continue;
            }
            let end = match conditions.runs(step) {
                false => StepEnd::Bypassed,
                true => match steps.run(step, batch, output)? {
                    StepRun::Ended(Ended::Returned(code)) => StepEnd::Code(code),
                    StepRun::Ended(Ended::Abend(code, text)) => StepEnd::Abend(code, text),
                    StepRun::Failed(messages) => {
                        messages.iter().for_each(|message| output.log(message.to_string()));
                        StepEnd::Failed
                    }
                },
            };
            output.step(&job.name, &step.label(), &end);
            let past = match &end {
                StepEnd::Code(own) => {
                    code = code.map(|code| code.max(*own));
                    End::Code(*own)
                }
                StepEnd::Abend(completion, _) => {
                    code = None;
                    End::Abend(completion.clone())
                }
                StepEnd::Bypassed => End::Bypassed,
                StepEnd::Failed => {
                    steps.end(output);
                    return Ok(JobEnd { name, code: None });
                }
            };
            let (step, procedure_step) = (step.name.clone(), step.procedure_step.clone());
            conditions.past.push(Past { step, procedure_step, end: past });
        }
        steps.end(output);
        Ok(JobEnd { name, code })
    }

    /// Reserves the data sets of a job, as DISP says; waits for those that another job has.
    fn reserve(
        &self,
        job: &jcl::stream::Job,
        client: &mut Client,
        output: &mut dyn Output,
    ) -> Result<bool, JobError> {
        let mut names = Vec::new();
        for step in job.steps.iter().filter(|step| self.is_chosen(step)) {
            for part in step.dds.iter().flat_map(|dd| &dd.parts) {
                if let What::Named(name) = &part.what {
                    let plain = name.split('(').next().unwrap_or_default().to_owned();
                    names.push((plain, part.disposition.status != jcl::stream::Status::Shared));
                }
            }
        }
        let begin = Instant::now();
        let mut told = false;
        loop {
            match client.done(Request::Reserve { names: names.clone() }) {
                Ok(()) => return Ok(true),
                Err(AccessError::Failed(Failure::InUse(name))) if begin.elapsed() < self.patience => {
                    if !std::mem::replace(&mut told, true) {
                        output.log(format!("{} waits for {name}, which another job has", job.name));
                    }
                    std::thread::sleep(LOOK);
                }
                Err(AccessError::Failed(Failure::InUse(name))) => {
                    output.log(format!("{} is not run: another job has {name}", job.name));
                    return Ok(false);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The numbers of messages about the run of jobs.
mod codes {
    /// A program that is known, and not built.
    pub(super) const PROGRAM: &str = "SPJC020";
    /// Control statements that are not understood or not built.
    pub(super) const CONTROL: &str = "SPJC021";
    /// A data set that a step cannot have.
    pub(super) const DATA_SET: &str = "SPJC022";
    /// A file without a job.
    pub(super) const NO_JOB: &str = "SPJC023";
}
