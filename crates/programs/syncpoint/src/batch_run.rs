//! `syncpoint batch`: batch COBOL programs and jobs.

use std::path::PathBuf;
use std::process::ExitCode;

use access::{Client, Reply, Request, SequentialKind, ShapeSpec};
use batch::{
    Batch, BatchError, Dd, Dds, Ended, Execution, Job, JobError, Output, PATIENCE, Sequential, StepEnd,
};
use clap::Args;
use command_line::{event_loop, terminal};
use datasets::File;
use diagnostics::{Diagnostic, Source};
use exci::{Home, Interface};
use exec_sql::Outside;
use toolchain::Toolchain;

use crate::application::{Application, ApplicationFolder, Messages, read};
use crate::{codes, data_files, ends, sql_own};

/// The exit status of what ended abnormally or was not run.
const ABNORMAL: u8 = 255;
/// The longest user identifier.
const USER_MAX: usize = 8;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The program to run; or --jcl
    #[arg(value_name = "PROGRAM", required_unless_present = "jcl", conflicts_with = "jcl")]
    program: Option<String>,
    /// The folder that holds region.toml
    #[arg(long = "application", value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Keep data, logs and compiled programs here instead of in the folder that region.toml names
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Assignment of a file of the program: NAME=DATA.SET, NAME=* to print, NAME=FILE with a path, and behind it,
    /// each after a comma, as needed: fixed (as the program says), variable or lines, length=N, code-page=037,
    /// copybook=FILE
    #[arg(long = "dd", value_name = "NAME=…")]
    dds: Vec<String>,
    /// PARM: what the program gets as its parameter
    #[arg(long, value_name = "TEXT")]
    parm: Option<String>,
    /// Commit after so many changes; 0: where the program closes a file, or ends
    #[arg(long, value_name = "N", default_value_t = 1)]
    commit_every: u64,
    /// On whose behalf programs of regions are run; the region's default user if it is left out
    #[arg(long, value_name = "ID")]
    user: Option<String>,
    /// Run the jobs of this file
    #[arg(long, value_name = "FILE")]
    jcl: Option<PathBuf>,
    /// A folder with procedures and members that INCLUDE names; or NAME=DIR: a folder that is the library of this name
    #[arg(long = "library", value_name = "DIR", requires = "jcl")]
    libraries: Vec<String>,
    /// Read and check the jobs, and run nothing
    #[arg(long, requires = "jcl")]
    scan: bool,
    /// Only this step of the job
    #[arg(long, value_name = "NAME", requires = "jcl")]
    step: Option<String>,
}

/// Prints what programs display, and messages beside it.
struct Console;

impl Output for Console {
    fn print(&mut self, line: &str) {
        println!("{line}");
    }

    fn log(&mut self, text: String) {
        eprintln!("{text}");
    }

    fn step(&mut self, _job: &str, step: &str, end: &StepEnd) {
        match end {
            StepEnd::Code(code) => eprintln!("{step:<8} ended with return code {code}"),
            StepEnd::Abend(code, text) => eprintln!("{step:<8} ended with abend {code}: {text}"),
            StepEnd::Bypassed => eprintln!("{step:<8} was bypassed"),
            StepEnd::Failed => eprintln!("{step:<8} was not run: its data sets cannot be had"),
        }
    }
}

/// The exit status of the command: the return code, as far as a status can show it.
pub(crate) fn ended(outcome: Result<Option<i32>, Messages>) -> ExitCode {
    match outcome {
        Ok(Some(code)) => ExitCode::from(u8::try_from(code).unwrap_or(ABNORMAL)),
        Ok(None) => ExitCode::from(ABNORMAL),
        Err(messages) => {
            terminal::tell(&messages);
            ExitCode::from(ABNORMAL)
        }
    }
}

/// Runs a program or a job: its return code, `None` if it ended abnormally.
pub(crate) fn batch(arguments: &Arguments) -> Result<Option<i32>, Messages> {
    let folder = ApplicationFolder {
        folder: arguments.folder.clone(),
        data: arguments.data.clone(),
        settings: Vec::new(),
    };
    let application = folder.load()?;
    let toolchain = application.toolchain()?;
    event_loop::run(async { ends::let_signals_pass() })?;
    let settings = region::sql_settings(&application.root, &application.state, &application.config)?;
    let mut client = sql_own::open(&application, settings, "syncpoint batch")?;
    match (&arguments.jcl, &arguments.program) {
        (Some(jcl), _) => job(arguments, &application, jcl, &toolchain, &mut client),
        (None, Some(program)) => one(arguments, &application, program, &toolchain, &mut client),
        (None, None) => Ok(None),
    }
}

fn one(
    arguments: &Arguments,
    application: &Application,
    program: &str,
    toolchain: &Toolchain,
    client: &mut Client,
) -> Result<Option<i32>, Messages> {
    let mut dds = Dds::default();
    for text in &arguments.dds {
        let (ddname, rest) = data_files::named(text)?;
        dds.add(&ddname, meant(rest, client)?);
    }
    let execution = Execution {
        program,
        parm: arguments.parm.as_deref(),
        dds: &dds,
        commit_every: arguments.commit_every,
        time: None,
    };
    let external = Interface::new(Box::new(regions(application, program)), arguments.user.clone());
    let mut batch = Batch::new(toolchain, Some(sql(application)?)).with_regions(Some(external));
    let ended = batch.run(&execution, client, &mut Console);
    batch.close(&mut Console);
    Ok(match ended.map_err(not_started)? {
        Ended::Returned(code) => {
            eprintln!("{program} ended with return code {code}");
            Some(code)
        }
        Ended::Abend(code, text) => {
            eprintln!("{program} ended with abend {code}: {text}");
            None
        }
    })
}

/// The way to programs of regions.
fn regions(application: &Application, name: &str) -> Home {
    let links = application.config.links.folder.as_ref();
    Home {
        state: application.state.clone(),
        links: links.map(|folder| application.root.join(&folder.value)),
        name: name.to_owned(),
    }
}

/// The database of the programs' EXEC SQL, which is opened when a statement comes.
fn sql(application: &Application) -> Result<Outside, Messages> {
    let settings = region::sql_settings(&application.root, &application.state, &application.config)?;
    Outside::new(settings).map_err(|error| {
        vec![Diagnostic::error(codes::NO_RUNTIME, format!("the event loop cannot be started: {error}"))]
    })
}

/// Returns the object of a ddname: a file if the text looks like a path, otherwise a data set.
fn meant(text: &str, client: &mut Client) -> Result<Dd, Messages> {
    match text {
        "*" => return Ok(Dd::Printed),
        "DUMMY" => return Ok(Dd::Files(vec![File::dummy()])),
        _ => {}
    }
    let name = text.split(',').next().unwrap_or_default();
    let is_path = name.contains('/') || name.chars().any(|c| c.is_ascii_lowercase());
    if !is_path {
        let located = client.ask(Request::Locate { name: name.to_owned() });
        return match located.map_err(data_files::failed)? {
            Reply::Sequential(found) => Ok(sequential(found)),
            Reply::Several(found) => {
                let files = found.into_iter().map(|found| File::plain(found.path, found.shape.into()));
                Ok(Dd::Files(files.collect()))
            }
            _ => Ok(Dd::DataSet(name.to_owned())),
        };
    }
    let spec = data_files::file(text, ShapeSpec::Fixed(None))?;
    let file = File::try_from(&spec).map_err(|failure| data_files::failed(failure.into()))?;
    Ok(Dd::Files(vec![file]))
}

/// A sequential data set, a member, or a library as a whole.
fn sequential(found: access::Sequential) -> Dd {
    if found.kind == SequentialKind::Library {
        return Dd::Library(found.name);
    }
    let member = found.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let absent_member = (found.kind == SequentialKind::Member).then(|| format!("{}({member})", found.name));
    let file = File::plain(found.path, found.shape.into());
    Dd::Sequential(Box::new(Sequential {
        name: Some(found.name),
        absent_member,
        ..Sequential::unnamed(file)
    }))
}

fn job(
    arguments: &Arguments,
    application: &Application,
    path: &std::path::Path,
    toolchain: &Toolchain,
    client: &mut Client,
) -> Result<Option<i32>, Messages> {
    let tokens = region::tokens(&application.config);
    let text = jcl::substitute(&read(path)?, &tokens);
    let (mut libraries, mut folders) = (Vec::new(), Vec::new());
    for library in &arguments.libraries {
        match library.split_once('=') {
            Some((name, folder)) => libraries.push((name.to_ascii_uppercase(), PathBuf::from(folder))),
            None => folders.push(PathBuf::from(library)),
        }
    }
    let user = std::env::var("USER").unwrap_or_default().to_ascii_uppercase();
    let user: String = user.chars().filter(char::is_ascii_alphanumeric).take(USER_MAX).collect();
    let user = if user.starts_with(|c: char| c.is_ascii_alphabetic()) { user } else { "SYNCPT".into() };
    let job = Job {
        source: Source::new(path.display().to_string(), text),
        step: arguments.step.as_deref(),
        recoverable: region::recoverable_data_sets(&application.root, &application.config)?,
        commit_every: arguments.commit_every,
        libraries,
        folders,
        tokens,
        definitions: Some(region::repository(&application.root, &application.config)),
        symbols: [("SYSUID".to_owned(), user)].into(),
        patience: PATIENCE,
        regions: Some(regions(application, &path.display().to_string())),
        user: arguments.user.clone(),
    };
    let refused = |error| match error {
        JobError::Batch(error) => not_started(error),
        JobError::Access(error) => data_files::failed(error),
        JobError::Refused(messages) => messages,
        error => vec![Diagnostic::error(codes::NOT_WELL, format!("{}: {error}", path.display()))],
    };
    if arguments.scan {
        let read = job.read(toolchain, client).map_err(refused)?;
        let steps: usize = read.jobs.iter().map(|job| job.steps.len()).sum();
        terminal::tell(&read.messages);
        eprintln!("{} jobs with {steps} steps are understood; nothing was run", read.jobs.len());
        return Ok(Some(0));
    }
    let ended = job.run(toolchain, Some(sql(application)?), client, &mut Console).map_err(refused)?;
    if ended.len() > 1 {
        for job in &ended {
            match job.code {
                Some(code) => eprintln!("job {:<8} ended with return code {code}", job.name),
                None => eprintln!("job {:<8} ended abnormally", job.name),
            }
        }
    }
    Ok(ended.iter().map(|job| job.code).try_fold(0, |greatest, code| Some(greatest.max(code?))))
}

fn not_started(error: BatchError) -> Messages {
    match error {
        BatchError::Program(messages) => messages,
        error => vec![Diagnostic::error(codes::NOT_WELL, error.to_string())],
    }
}
