//! Procedures and members that INCLUDE names: in the libraries of JCLLIB, in folders, and beside the job.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use access::{Client, Reply, Request, SequentialKind};
use datasets::{File, Shape};
use diagnostics::Source;
use ebcdic::Characters;

use super::Job;

/// The extensions that the file of a member may have.
const ENDINGS: [&str; 11] = ["", "jcl", "prc", "proc", "inc", "cntl", "ctl", "txt", "jcllib", "mac", "dat"];
/// Folders beside a job in which procedures are looked for.
const BESIDE: [&str; 7] = ["proc", "procs", "proclib", "prc", "include", "cntl", "jcl"];

/// The places where members are looked for.
pub(super) struct Library<'a> {
    job: &'a Job<'a>,
    client: &'a mut Client,
}

impl<'a> Library<'a> {
    pub fn new(job: &'a Job<'a>, client: &'a mut Client) -> Self {
        Self { job, client }
    }

    /// Finds a member, by the libraries of JCLLIB and its name.
    pub fn member(&mut self, order: &[String], name: &str) -> Option<Arc<Source>> {
        for library in order {
            let folder =
                self.job.libraries.iter().find(|(known, _)| known == library).map(|(_, folder)| folder);
            let found = match folder {
                Some(folder) => file_of(folder, name).and_then(|path| self.read(&path)),
                None => self.of_data_set(library, name),
            };
            if found.is_some() {
                return found;
            }
        }
        let mut folders = self.job.folders.clone();
        folders.extend(beside(&self.job.source.name));
        folders.iter().find_map(|folder| file_of(folder, name)).and_then(|path| self.read(&path))
    }

    fn of_data_set(&mut self, library: &str, name: &str) -> Option<Arc<Source>> {
        let member = format!("{library}({name})");
        let located = self.client.ask(Request::Locate { name: member.clone() });
        let Ok(Reply::Sequential(found)) = located else { return None };
        if found.kind != SequentialKind::Member || !found.path.exists() {
            return None;
        }
        let shape = match Shape::from(found.shape) {
            Shape::Fixed(None) => Shape::Fixed(Some(crate::utility_records::CARD)),
            shape => shape,
        };
        let records = File::plain(found.path, shape).read(0).ok()?;
        let lines = records
            .map(|record| record.map(|record| Characters::default().text(record.trim_ascii_end()) + "\n"));
        let text: String = lines.collect::<Result<_, _>>().ok()?;
        Some(Source::new(member, jcl::substitute(&text, &self.job.tokens)))
    }

    fn read(&self, path: &Path) -> Option<Arc<Source>> {
        let bytes = std::fs::read(path).ok()?;
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => Characters::default().text(error.as_bytes()),
        };
        Some(Source::new(path.display().to_string(), jcl::substitute(&text, &self.job.tokens)))
    }
}

/// Returns the folder of a job, and those in it and beside it that have the name of a library.
fn beside(job: &str) -> Vec<PathBuf> {
    let own = Path::new(job).parent().unwrap_or(Path::new("")).to_owned();
    let own = if own.as_os_str().is_empty() { PathBuf::from(".") } else { own };
    let above = own.join("..");
    let mut folders = vec![own.clone()];
    for folder in [own, above] {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut named: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
                BESIDE.contains(&name.as_str()) && path.is_dir()
            })
            .collect();
        named.sort();
        folders.extend(named);
    }
    folders
}

/// Finds the file of a member in a folder, whatever the case of its name.
pub(super) fn file_of(folder: &Path, member: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            let part = |part: Option<&std::ffi::OsStr>| {
                part.unwrap_or_default().to_string_lossy().to_ascii_lowercase()
            };
            let (stem, ending) = (part(path.file_stem()), part(path.extension()));
            stem.eq_ignore_ascii_case(member) && ENDINGS.contains(&ending.as_str()) && path.is_file()
        })
        .collect();
    found.sort();
    found.into_iter().next()
}
