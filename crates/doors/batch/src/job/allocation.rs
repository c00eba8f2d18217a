//! The DD statements of a step: what they lead to is looked up first; nothing is made before all of them can be had.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use access::{AccessError, Client, Failure, Reply, Request, SequentialKind, ShapeSpec};
use datasets::{Content, File, Shape, Writer};
use diagnostics::Diagnostic;
use jcl::stream::{Disposition, Fate, Format, Part, Status, Step, What};

use super::codes;
use super::library::file_of;
use crate::dd::{Dd, Dds, Sequential};

/// Temporary data sets of a job, by name.
pub(super) type Temporary = BTreeMap<String, TemporaryFile>;

/// A temporary data set.
#[derive(Clone, Debug)]
pub(super) struct TemporaryFile {
    path: PathBuf,
    shape: Shape,
    library: bool,
}

/// The data sets that a step has allocated.
#[derive(Default)]
pub(super) struct Allocated {
    pub dds: Dds,
    /// Data sets with what becomes of each.
    fates: Vec<(Owned, Disposition)>,
    /// Data sets that the step has made.
    made: Vec<String>,
}

/// A data set whose fate a step decides.
enum Owned {
    Sequential(String),
    Vsam(String),
    Temporary(String),
}

/// A data set before it is made.
struct Planned<'p> {
    ddname: &'p str,
    part: &'p Part,
    found: Found,
}

/// The target of a part of a DD statement.
enum Found {
    Ready(Dd),
    /// In the catalogue.
    There(Vec<access::Sequential>),
    Vsam(String),
    /// Not there yet, and to be made.
    New(String),
    Temporary(String, Option<String>),
}

/// The places of data sets.
pub(super) struct Site<'a> {
    pub client: &'a mut Client,
    /// The folder of temporary data sets.
    pub folder: &'a Path,
    pub temporary: &'a mut Temporary,
    /// Folders that are libraries.
    pub libraries: &'a [(String, PathBuf)],
}

/// The reason why a step has not got its data sets.
pub(super) enum Refused {
    /// The job says something that cannot be.
    Job(Vec<Diagnostic>),
    Access(AccessError),
}

impl From<AccessError> for Refused {
    fn from(error: AccessError) -> Self {
        Self::Access(error)
    }
}

fn wrong(part: &Part, text: String, help: &str) -> Diagnostic {
    Diagnostic::error(codes::DATA_SET, text).at(part.place.clone()).help(help)
}

impl Site<'_> {
    /// Allocates the data sets of a step.
    pub fn allocate(&mut self, step: &Step) -> Result<Allocated, Refused> {
        let mut planned = Vec::new();
        let mut messages = Vec::new();
        let mut making: Vec<String> = Vec::new();
        for dd in &step.dds {
            for part in &dd.parts {
                match self.look(part, &mut making) {
                    Ok(found) => planned.push(Planned { ddname: &dd.name, part, found }),
                    Err(Refused::Job(more)) => messages.extend(more),
                    Err(error) => return Err(error),
                }
            }
        }
        if !messages.is_empty() {
            return Err(Refused::Job(messages));
        }
        let mut allocated = Allocated::default();
        let mut parts: Vec<(&str, Vec<Dd>)> = Vec::new();
        for planned in planned {
            let ddname = planned.ddname;
            match self.make(planned, &mut allocated) {
                Ok(dd) => match parts.last_mut().filter(|(name, _)| *name == ddname) {
                    Some((_, all)) => all.push(dd),
                    None => parts.push((ddname, vec![dd])),
                },
                Err(error) => {
                    self.undo(&allocated);
                    return Err(error);
                }
            }
        }
        for (name, mut all) in parts {
            let dd = match all.len() {
                1 => all.remove(0),
                _ => match all.iter().map(Dd::files).collect::<Option<Vec<_>>>() {
                    Some(files) => Dd::Files(files.concat()),
                    None => {
                        self.undo(&allocated);
                        let place = step.dds.iter().find(|dd| dd.name == name).and_then(|dd| dd.parts.last());
                        let text = format!("{name} concatenates what is no sequential data set");
                        return Err(Refused::Job(
                            place
                                .map(|part| {
                                    wrong(
                                        part,
                                        text,
                                        "sequential data sets and members are read one after the other",
                                    )
                                })
                                .into_iter()
                                .collect(),
                        ));
                    }
                },
            };
            allocated.dds.add(name, dd);
        }
        Ok(allocated)
    }

    /// Removes what a step has made before it was refused.
    fn undo(&mut self, allocated: &Allocated) {
        for name in &allocated.made {
            // The step is refused already.
            let _ = self.client.done(Request::Remove { name: name.clone() });
        }
    }

    fn look(&mut self, part: &Part, making: &mut Vec<String>) -> Result<Found, Refused> {
        let name = match &part.what {
            What::Lines(data) => {
                return Ok(Found::Ready(Dd::Files(vec![File::lines(data.text().into_bytes())])));
            }
            What::Printed => return Ok(Found::Ready(Dd::Printed)),
            What::Dummy | What::Later(_) => return Ok(Found::Ready(Dd::Files(vec![File::dummy()]))),
            What::Temporary(name) => return self.look_temporary(part, name),
            What::Named(name) => name,
        };
        let refuse = |text: String, help: &str| Err(Refused::Job(vec![wrong(part, text, help)]));
        if let Some(found) = self.in_folder(part, name) {
            return found;
        }
        let status = part.disposition.status;
        match self.client.ask(Request::Locate { name: name.clone() }) {
            Ok(_) if status == Status::New => refuse(
                format!("{name} is there already: DISP says that it is new"),
                "OLD, SHR or MOD, or delete it first",
            ),
            Ok(Reply::Sequential(found)) => Ok(Found::There(vec![found])),
            Ok(Reply::Several(mut found)) => {
                if part.oldest_first {
                    found.reverse();
                }
                Ok(Found::There(found))
            }
            Ok(_) => Ok(Found::Vsam(name.clone())),
            Err(AccessError::Failed(Failure::NoEntry(_))) if making.contains(name) => {
                Ok(Found::New(name.clone()))
            }
            Err(AccessError::Failed(Failure::NoEntry(_))) => match status {
                Status::New | Status::Mod => {
                    making.push(name.clone());
                    Ok(Found::New(name.clone()))
                }
                Status::Old | Status::Shared => refuse(
                    format!("{name} is not in the catalogue"),
                    "an earlier job or step makes it, or IDCAMS DEFINE",
                ),
            },
            Err(AccessError::Failed(failure)) => refuse(failure.to_string(), ""),
            Err(error) => Err(error.into()),
        }
    }

    /// Finds a member of a folder that is a library, or the folder as a whole; `None` if no such folder has the name.
    fn in_folder(&self, part: &Part, name: &str) -> Option<Result<Found, Refused>> {
        let (library, member) = match name.split_once('(') {
            Some((library, rest)) => (library, Some(rest.trim_end_matches(')'))),
            None => (name, None),
        };
        let (_, folder) = self.libraries.iter().find(|(known, _)| known == library)?;
        let refuse = |text: String, help: &str| Some(Err(Refused::Job(vec![wrong(part, text, help)])));
        let Some(member) = member else { return Some(Ok(Found::Ready(Dd::Library(name.to_owned())))) };
        match (file_of(folder, member), part.disposition.status) {
            (Some(path), Status::Shared | Status::Old) if part.disposition.normal != Fate::Delete => {
                Some(Ok(Found::Ready(Dd::Files(vec![File::plain(path, Shape::Lines)]))))
            }
            (Some(_), _) => {
                refuse(format!("{name} is a file of a folder, which a job reads only"), "DISP=SHR")
            }
            (None, _) => refuse(format!("{name} is not there: {} has no such file", folder.display()), ""),
        }
    }

    fn look_temporary(&mut self, part: &Part, name: &str) -> Result<Found, Refused> {
        let (plain, member) = match name.split_once('(') {
            Some((plain, rest)) => (plain, Some(rest.trim_end_matches(')').to_owned())),
            None => (name, None),
        };
        let plain = plain.to_owned();
        let there = self.temporary.contains_key(&plain);
        match part.disposition.status {
            Status::Old | Status::Shared if !there => {
                let text = format!("&&{plain} is not there: no earlier step has made and passed it");
                let help = "DISP=(NEW,PASS) in the step that makes it";
                Err(Refused::Job(vec![wrong(part, text, help)]))
            }
            _ => Ok(Found::Temporary(plain, member)),
        }
    }

    fn make(&mut self, planned: Planned<'_>, allocated: &mut Allocated) -> Result<Dd, Refused> {
        let Planned { part, found, .. } = planned;
        match found {
            Found::Ready(dd) => Ok(dd),
            Found::Vsam(name) => {
                allocated.fates.push((Owned::Vsam(name.clone()), part.disposition));
                Ok(Dd::DataSet(name))
            }
            Found::There(found) => Ok(self.there(part, &found, part.disposition, allocated)),
            Found::New(name) => {
                let reply = match self.client.ask(Request::Locate { name: name.clone() }) {
                    Err(AccessError::Failed(Failure::NoEntry(_))) => {
                        let shape = self.shape(&part.format);
                        let reply =
                            self.client.ask(Request::Create { name, shape, library: part.library })?;
                        if let Reply::Sequential(made) = &reply {
                            allocated.made.push(made.name.clone());
                        }
                        reply
                    }
                    // An earlier DD statement of the step has made it.
                    reply => reply?,
                };
                let Reply::Sequential(made) = reply else { return Ok(Dd::Library(String::new())) };
                // What is made by MOD is new.
                let mut disposition = part.disposition;
                if disposition.status == Status::Mod && disposition.normal == Fate::Keep {
                    disposition.normal = Fate::Catalogue;
                }
                Ok(self.there(part, &[made], disposition, allocated))
            }
            Found::Temporary(name, member) => Ok(self.temporary(part, name, member, allocated)),
        }
    }

    fn there(
        &mut self,
        part: &Part,
        found: &[access::Sequential],
        disposition: Disposition,
        allocated: &mut Allocated,
    ) -> Dd {
        let mut files = Vec::with_capacity(found.len());
        for own in found {
            allocated.fates.push((Owned::Sequential(own.name.clone()), disposition));
            let shape = Shape::from(own.shape);
            let extends = part.disposition.status == Status::Mod;
            files.push(File { extends, ..File::plain(&own.path, shape) });
        }
        let [own] = found else { return Dd::Files(files) };
        if own.kind == SequentialKind::Library {
            return Dd::Library(own.name.clone());
        }
        let member = (own.kind == SequentialKind::Member).then(|| {
            let member = own.path.file_name().unwrap_or_default().to_string_lossy();
            format!("{}({member})", own.name)
        });
        Dd::Sequential(Box::new(Sequential {
            name: Some(own.name.clone()),
            file: files.remove(0),
            control: has_control(&part.format),
            absent_member: member,
            said: Some(self.shape(&part.format).into()).filter(|said| *said != Shape::Fixed(None)),
            settled: Arc::default(),
        }))
    }

    fn temporary(
        &mut self,
        part: &Part,
        name: String,
        member: Option<String>,
        allocated: &mut Allocated,
    ) -> Dd {
        let said: Shape = self.shape(&part.format).into();
        let known = self.temporary.entry(name.clone()).or_insert_with(|| TemporaryFile {
            path: self.folder.join(&name),
            shape: said,
            library: part.library,
        });
        if known.shape == Shape::Fixed(None) {
            known.shape = said;
        }
        let (shape, library, path) = (known.shape, known.library, known.path.clone());
        if !library && !path.exists() {
            // It has no records yet. If that cannot be written, its first user says so.
            let _ = File::plain(path.clone(), shape).write(0, false).and_then(Writer::finish);
        }
        allocated.fates.push((Owned::Temporary(name.clone()), part.disposition));
        if library && member.is_none() {
            return Dd::Library(format!("&&{name}"));
        }
        let path = member.as_ref().map_or(path.clone(), |member| path.join(member));
        Dd::Sequential(Box::new(Sequential {
            name: None,
            file: File { extends: part.disposition.status == Status::Mod, ..File::plain(path, shape) },
            control: has_control(&part.format),
            absent_member: member.map(|member| format!("&&{name}({member})")),
            said: None,
            settled: Arc::default(),
        }))
    }

    /// Returns the shape of a new data set by its DD statement.
    fn shape(&mut self, format: &Format) -> ShapeSpec {
        let like = format
            .like
            .as_ref()
            .and_then(|name| self.client.ask(Request::Locate { name: name.clone() }).ok());
        let like = match like {
            Some(Reply::Sequential(found)) => Some(found.shape),
            Some(Reply::Opened(found)) if found.lengths.0 != found.lengths.1 => Some(ShapeSpec::Variable),
            Some(Reply::Opened(found)) => Some(ShapeSpec::Fixed(Some(found.lengths.1))),
            _ => None,
        };
        match (format.form.as_deref(), format.length) {
            (Some(form), _) if form.starts_with('V') => ShapeSpec::Variable,
            (Some(_), Some(length)) | (None, Some(length)) => ShapeSpec::Fixed(Some(length)),
            (Some(_), None) => match like {
                Some(ShapeSpec::Fixed(length)) => ShapeSpec::Fixed(length),
                _ => ShapeSpec::Fixed(None),
            },
            (None, None) => like.unwrap_or(ShapeSpec::Fixed(None)),
        }
    }
}

fn has_control(format: &Format) -> bool {
    format.form.as_ref().is_some_and(|form| form.contains('A'))
}

/// Data sets that steps have passed: what becomes of each when the job ends.
#[derive(Default)]
pub(super) struct Passed {
    /// Those that the job has made, and that no step has kept yet.
    made: Vec<String>,
}

impl Allocated {
    /// Keeps, deletes or passes each data set of a step that has ended, by its DD statement.
    pub fn dispose(
        self,
        well: bool,
        temporary: &mut Temporary,
        passed: &mut Passed,
        client: &mut Client,
    ) -> Result<(), AccessError> {
        for (owned, disposition) in &self.fates {
            let fate = if well { disposition.normal } else { disposition.abnormal };
            match owned {
                Owned::Temporary(name) => self.dispose_temporary(name, fate, temporary),
                Owned::Sequential(name) => {
                    if fate != Fate::Delete && self.made.contains(name) {
                        client.done(Request::Settle { name: name.clone() })?;
                    }
                    match fate {
                        Fate::Delete => remove(name, client)?,
                        Fate::Pass if self.made.contains(name) => passed.made.push(name.clone()),
                        Fate::Pass => {}
                        Fate::Keep | Fate::Catalogue => passed.made.retain(|made| made != name),
                    }
                }
                Owned::Vsam(name) if fate == Fate::Delete => {
                    client.done(Request::Utility {
                        name: "DISP".into(),
                        text: format!(" DELETE {name} CLUSTER\n"),
                        files: Vec::new(),
                        data_sets: Vec::new(),
                        recoverable: Vec::new(),
                    })?;
                }
                Owned::Vsam(_) => {}
            }
        }
        Ok(())
    }

    fn dispose_temporary(&self, name: &str, fate: Fate, temporary: &mut Temporary) {
        let Some(known) = temporary.get_mut(name) else { return };
        let settled = self.dds.iter().find_map(|(_, dd)| match dd {
            Dd::Sequential(own) => match &own.file.content {
                Content::Path(path) if path.starts_with(&known.path) => own.settled.get().copied(),
                _ => None,
            },
            _ => None,
        });
        known.shape = settled.unwrap_or(known.shape);
        if fate == Fate::Delete {
            let removed = if known.library {
                std::fs::remove_dir_all(&known.path)
            } else {
                std::fs::remove_file(&known.path)
            };
            // What is left goes with the folder when the job ends.
            drop(removed);
            temporary.remove(name);
        }
    }
}

impl Passed {
    /// Ends the job: removes the data sets that were passed on and never kept.
    pub fn end(self, client: &mut Client) -> Result<(), AccessError> {
        self.made.iter().try_for_each(|name| remove(name, client))
    }
}

fn remove(name: &str, client: &mut Client) -> Result<(), AccessError> {
    client.done(Request::Remove { name: name.to_owned() })
}
