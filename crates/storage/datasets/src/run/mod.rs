//! Carrying commands out, one after the other, with their condition codes.

mod alter;
mod copy;
mod define;
mod delete;
mod list;
mod port;
mod print;
mod source;
mod test;

use std::collections::HashMap;
use std::fmt::{Display, Write as _};
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, TextPlace};
use idcams::{Code, Command, FileRef, Statement};

use crate::codes;
use crate::file::{File, FileError, Shape};
use crate::locate::{DataSets, Located};
use crate::sequential::{Generations, no_member};

/// Done.
const DONE: u32 = 0;
/// Done, with something to be told.
const WARNING: u32 = 4;
/// Done in part, or not at all; the next command runs.
const FAILED: u32 = 8;
/// Not carried out.
const NOT_CARRIED_OUT: u32 = 12;

/// The outcome of the commands.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The code of the last command.
    pub last: u32,
    /// The greatest code.
    pub max: u32,
    /// The listing of the utility.
    pub listing: String,
    /// The messages about commands that failed.
    pub messages: Vec<Diagnostic>,
    /// Generations as the commands counted them, for the next step of the job.
    pub generations: Generations,
}

/// Called now and then with what is being done and how many records of it are.
pub type Progress<'a> = &'a mut dyn FnMut(&str, u64);

/// A run of the utility.
pub struct Run<'a> {
    site: &'a DataSets,
    wants_recovery: &'a dyn Fn(&str) -> bool,
    existing_is_done: bool,
    files: HashMap<String, File>,
    /// Data sets of the record engine by ddnames.
    data_sets: HashMap<String, String>,
    source: Option<Arc<Source>>,
    generations: Generations,
    progress: Option<Progress<'a>>,
    outcome: Outcome,
}

/// The object that a command reads or writes.
enum Target {
    /// A data set of the record engine.
    DataSet(vsam::Name),
    /// A file, or a sequential data set.
    File(Box<File>),
}

/// The reason why a command is not carried out, with its code.
enum Refusal {
    /// The data sets refuse.
    DataSet(vsam::Error),
    /// A file refuses.
    File(FileError),
    /// Another reason: its message number and text.
    Other(&'static str, String),
}

impl From<vsam::Error> for Refusal {
    fn from(error: vsam::Error) -> Self {
        Self::DataSet(error)
    }
}

impl From<FileError> for Refusal {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

/// A command's condition code, or why there is none.
type Carried = Result<u32, Refusal>;

impl<'a> Run<'a> {
    /// A run on these data sets. `wants_recovery`: whether a cluster is to be recoverable although its LOG does not
    /// say so (a FILE definition does).
    pub fn new(site: &'a DataSets, wants_recovery: &'a dyn Fn(&str) -> bool) -> Self {
        Self {
            site,
            wants_recovery,
            existing_is_done: false,
            files: HashMap::new(),
            data_sets: HashMap::new(),
            source: None,
            generations: Generations::default(),
            progress: None,
            outcome: Outcome::default(),
        }
    }

    /// The same for a start: what is defined already counts as done, and nothing is deleted or copied over.
    #[must_use]
    pub fn at_start(mut self) -> Self {
        self.existing_is_done = true;
        self
    }

    /// The same with a file outside for a ddname.
    #[must_use]
    pub fn with_file(mut self, ddname: &str, file: File) -> Self {
        self.files.insert(ddname.to_ascii_uppercase(), file);
        self
    }

    /// Adds a data set of the record engine for a ddname.
    #[must_use]
    pub fn with_data_set(mut self, ddname: &str, name: &str) -> Self {
        self.data_sets.insert(ddname.to_ascii_uppercase(), name.to_owned());
        self
    }

    /// The same with the text in which in-stream data are counted.
    #[must_use]
    pub fn with_source(mut self, source: &Arc<Source>) -> Self {
        self.source = Some(Arc::clone(source));
        self
    }

    /// The same in the middle of a job: relative generations count from where its first step found them.
    #[must_use]
    pub fn in_job(mut self, generations: &Generations) -> Self {
        self.generations = generations.clone();
        self
    }

    /// The same with a listener for the progress of a long command.
    #[must_use]
    pub fn telling(mut self, progress: Progress<'a>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Carries statements out, in order. This blocks the thread where data is moved.
    pub async fn statements(mut self, statements: &[Statement]) -> Outcome {
        self.all(statements).await;
        Outcome { generations: self.generations, ..self.outcome }
    }

    async fn all(&mut self, statements: &[Statement]) -> bool {
        for statement in statements {
            match statement {
                Statement::Command(command) => self.command(command).await,
                Statement::If { condition, then, otherwise, .. } => {
                    let holds = condition.holds(self.outcome.last, self.outcome.max);
                    let branch = if holds { then } else { otherwise };
                    if !Box::pin(self.all(branch)).await {
                        return false;
                    }
                }
                Statement::Set { code: Code::Last, value, .. } => self.outcome.last = *value,
                Statement::Set { code: Code::Max, value, .. } => self.outcome.max = *value,
                Statement::Cancel(_) => return false,
            }
        }
        true
    }

    async fn command(&mut self, command: &Command) {
        if self.existing_is_done && !matches!(verb(command), "DEFINE" | "BLDINDEX") {
            return;
        }
        let place = place(command).clone();
        let code = match self.carry_out(command).await {
            Ok(code) => code,
            Err(refusal) => {
                self.refused(refusal, &place);
                code_of_refusal(command)
            }
        };
        self.outcome.last = code;
        self.outcome.max = self.outcome.max.max(code);
        if !self.existing_is_done {
            self.say(codes::DONE, format_args!("{} ended, condition code {code}", verb(command)));
        }
    }

    async fn carry_out(&mut self, command: &Command) -> Carried {
        match command {
            Command::DefineCluster(cluster) => self.define_cluster(cluster).await,
            Command::DefineAlternateIndex(index) => self.define_index(index).await,
            Command::DefinePath(path) => self.define_path(path).await,
            Command::DefineGdg(gdg) => self.define_group(gdg).await,
            Command::DefineNonvsam(nonvsam) => self.define_sequential(nonvsam).await,
            Command::DefineAlias(alias) => self.define_alias(alias).await,
            Command::Delete(delete) => self.delete(delete).await,
            Command::Alter(alter) => self.alter(alter).await,
            Command::BuildIndex(build) => self.build(build).await,
            Command::Repro(repro) => self.repro(repro).await,
            Command::Print(print) => self.print(print).await,
            Command::ListCatalog(list) => self.list(list).await,
            Command::Verify(verify) => self.verify(verify).await,
            Command::Examine(examine) => self.examine(examine).await,
            Command::Export(export) => self.export(export).await,
            Command::Import(import) => self.import(import).await,
        }
    }

    /// Finds the target that a command names by a ddname or a name; with `create`, a missing sequential data set is
    /// created in this shape.
    async fn target(&mut self, file: &FileRef, create: Option<Shape>) -> Result<Target, Refusal> {
        let given = file.ddname.as_ref().and_then(|ddname| self.files.get(ddname));
        if let Some(file) = given {
            return Ok(Target::File(Box::new(file.clone())));
        }
        if let (Some(lines), Some(source)) = (&file.in_stream, &self.source) {
            let lines = source.text.lines().skip(lines.start.saturating_sub(1)).take(lines.len());
            let text: String = lines.map(|line| format!("{line}\n")).collect();
            return Ok(Target::File(Box::new(File::lines(text.into_bytes()))));
        }
        let unknown = |what: &str| {
            let text = format!("{what} leads to no data set here");
            Refusal::Other(codes::NO_DATA_SET, text)
        };
        let of_ddname = file.ddname.as_ref().and_then(|ddname| self.data_sets.get(ddname)).cloned();
        let Some(name) = file.data_set.as_ref().or(of_ddname.as_ref()) else {
            return Err(unknown(file.ddname.as_deref().unwrap_or("the data set")));
        };
        let located = self.site.locate(name, &mut self.generations).await?;
        match (&located, create) {
            (Located::Vsam(name), _) => Ok(Target::DataSet(name.clone())),
            (Located::Sequential(name, shape), _) => {
                Ok(Target::File(Box::new(self.site.sequential.file(name, *shape))))
            }
            (Located::Member(library, member, shape), create) => {
                let path = self.site.sequential.member_path(library, member);
                if create.is_none() && !path.exists() {
                    return Err(no_member(library, member).into());
                }
                Ok(Target::File(Box::new(File::plain(path, *shape))))
            }
            (Located::Generations(_, all), None) if !all.is_empty() => {
                let files = all.iter().map(|(name, shape)| self.site.sequential.file(name, *shape));
                Ok(Target::File(Box::new(File::several(files.collect()))))
            }
            (Located::Library(library, _), _) => {
                let text = format!("{library} is a library: a member of it is read and written");
                Err(Refusal::Other(codes::NO_DATA_SET, text))
            }
            (Located::Unknown(_) | Located::NewGeneration(..), Some(shape)) => {
                let name = self.site.create(&located, shape, false).await?;
                self.site.sequential.settle(&name).await?;
                Ok(Target::File(Box::new(self.site.sequential.file(&name, shape))))
            }
            _ => Err(unknown(name)),
        }
    }

    /// A line of the listing.
    fn say(&mut self, code: &str, text: impl Display) {
        let _ = writeln!(self.outcome.listing, "{code} {text}");
    }

    fn refused(&mut self, refusal: Refusal, place: &TextPlace) {
        let (code, text) = match refusal {
            Refusal::DataSet(error) => (codes::of(&error), error.to_string()),
            Refusal::File(error) => (codes::FILE, error.to_string()),
            Refusal::Other(code, text) => (code, text),
        };
        let message = Diagnostic::error(code, text).at(place.clone());
        self.outcome.messages.push(match code {
            codes::NO_DATA_SET => {
                message.help("name it by INDATASET or OUTDATASET, or give the ddname a file or a data set")
            }
            _ => message,
        });
    }

    /// Says something about a command that is done nevertheless.
    fn warn(&mut self, code: &'static str, text: String, place: &TextPlace) {
        self.outcome.messages.push(Diagnostic::warning(code, text).at(place.clone()));
    }
}

/// Tells how far a command is, if anybody listens.
fn tell(progress: &mut Option<Progress<'_>>, what: &str, count: u64) {
    if let Some(progress) = progress {
        progress(what, count);
    }
}

/// The condition code of a command that is not carried out.
fn code_of_refusal(command: &Command) -> u32 {
    match command {
        Command::ListCatalog(_) => WARNING,
        Command::Delete(_) | Command::Alter(_) => FAILED,
        _ => NOT_CARRIED_OUT,
    }
}

/// The first word of a command.
fn verb(command: &Command) -> &'static str {
    match command {
        Command::DefineCluster(_)
        | Command::DefineAlternateIndex(_)
        | Command::DefinePath(_)
        | Command::DefineGdg(_)
        | Command::DefineNonvsam(_)
        | Command::DefineAlias(_) => "DEFINE",
        Command::Delete(_) => "DELETE",
        Command::Alter(_) => "ALTER",
        Command::BuildIndex(_) => "BLDINDEX",
        Command::Repro(_) => "REPRO",
        Command::Print(_) => "PRINT",
        Command::ListCatalog(_) => "LISTCAT",
        Command::Verify(_) => "VERIFY",
        Command::Export(_) => "EXPORT",
        Command::Import(_) => "IMPORT",
        Command::Examine(_) => "EXAMINE",
    }
}

/// Returns the place of a command, or of the name in it that it is about.
fn place(command: &Command) -> &TextPlace {
    match command {
        Command::DefineCluster(cluster) => &cluster.name.place,
        Command::DefineAlternateIndex(index) => &index.name.place,
        Command::DefinePath(path) => &path.name.place,
        Command::DefineGdg(gdg) => &gdg.name.place,
        Command::DefineNonvsam(nonvsam) => &nonvsam.name.place,
        Command::DefineAlias(alias) => &alias.name.place,
        Command::Delete(delete) => &delete.place,
        Command::Alter(alter) => &alter.entry.place,
        Command::BuildIndex(build) => &build.place,
        Command::Repro(repro) => &repro.place,
        Command::Print(print) => &print.place,
        Command::ListCatalog(list) => &list.place,
        Command::Verify(verify) => &verify.place,
        Command::Export(export) => &export.entry.place,
        Command::Import(import) => &import.place,
        Command::Examine(examine) => &examine.name.place,
    }
}
