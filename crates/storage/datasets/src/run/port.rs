//! EXPORT and IMPORT: a data set as a portable file.
//!
//! ```text
//! SYNCPOINT COPY 1                      what it is
//!  DEFINE CLUSTER (NAME(…) …)           the definitions as commands: the cluster, its indexes, their paths
//!  …
//! RECORDS                               from here on bytes
//! length, number, record                for each record: 4 + 4 bytes big-endian, and its bytes
//! FFFFFFFF, count, checksum             the end: 4 + 8 + 4 bytes; CRC-32 of everything between RECORDS and here
//! ```
//!
//! The number is that of the slot of an RRDS, and 0 elsewhere.

use std::fmt::Write as _;
use std::fs::File as Handle;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;

use diagnostics::Source;
use idcams::{Command, Export, FileRef, Import, Selection, Statement};
use vsam::{Definition, Name, Organization, Replace, SORT_MEMORY, Sorter};

use super::source::Source as From;
use super::test::PROBLEMS_TOLD;
use super::{Carried, DONE, Refusal, Run, Target, tell};
use crate::codes;
use crate::file::{Content, Shape};

/// The first line of a copy.
const TITLE: &str = "SYNCPOINT COPY 1";
/// The line before the records.
const RECORDS: &str = "RECORDS";
/// Stands where the length of a record would: there are no more.
const END: u32 = u32::MAX;
/// The longest record that a copy can hold.
const RECORD_MAX: u32 = 1 << 26;

impl Run<'_> {
    pub(super) async fn export(&mut self, command: &Export) -> Carried {
        let name: Name = command.entry.text.parse()?;
        let entry = self.site.vsam.entry(&name)?;
        if !matches!(entry.definition, Definition::Cluster(_)) {
            return Err(vsam::Error::WrongKind { name, expected: "a cluster" }.into());
        }
        self.refuse_damaged(&name)?;
        let path = self.copy_path(&command.to, true).await?;
        let count = self.write_copy(&name, &path).await.map_err(|refusal| named(refusal, &path))?;
        self.say(codes::PROCESSED, format_args!("records processed: {count}"));
        self.say(codes::EXPORTED, format_args!("copy of {name} written"));
        if !command.temporary {
            for gone in self.site.vsam.delete(&name).await? {
                self.site.attributes.put(&gone, None).await?;
                self.say(codes::DELETED, format_args!("entry {gone} deleted"));
            }
        }
        Ok(DONE)
    }

    /// A copy that lacks records would be taken for the whole.
    fn refuse_damaged(&mut self, name: &Name) -> Result<(), Refusal> {
        let damage = self.site.vsam.damage(name)?;
        for line in damage.iter().take(PROBLEMS_TOLD) {
            self.say(codes::UNSOUND, line);
        }
        if damage.is_empty() {
            return Ok(());
        }
        Err(Refusal::Other(codes::UNSOUND, format!("{name} is damaged: nothing was exported")))
    }

    /// The file of a copy.
    async fn copy_path(&mut self, file: &FileRef, create: bool) -> Result<PathBuf, Refusal> {
        let content = match self.target(file, create.then_some(Shape::Variable)).await? {
            Target::File(file) => file.content,
            Target::DataSet(_) => Content::Nothing,
        };
        match content {
            Content::Path(path) => Ok(path),
            _ => Err(Refusal::Other(codes::NO_COPY, "a copy is a file or a sequential data set".into())),
        }
    }

    async fn write_copy(&mut self, name: &Name, path: &PathBuf) -> Result<u64, Refusal> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(system)?;
        }
        let mut out = BufWriter::new(Handle::create(path).map_err(system)?);
        let commands = self.commands(name)?;
        write!(out, "{TITLE}\n{commands}{RECORDS}\n").map_err(system)?;
        let (mut check, mut count) = (crc32fast::Hasher::new(), 0_u64);
        let From::DataSet(mut records) =
            self.open(Target::DataSet(name.clone()), &Selection::default()).await?
        else {
            return Ok(0);
        };
        let numbered = records.dataset.cluster().organization == Organization::Relative;
        let mut record = Vec::new();
        while let Some(key) = records.next(&mut record).await? {
            let number = if numbered { key.to_vec() } else { vec![0; size_of::<u32>()] };
            let head = [(record.len() as u32).to_be_bytes().to_vec(), number].concat();
            for bytes in [&head, &record] {
                check.update(bytes);
                out.write_all(bytes).map_err(system)?;
            }
            count += 1;
            tell(&mut self.progress, "records written", count);
        }
        let end = [&END.to_be_bytes()[..], &count.to_be_bytes(), &check.finalize().to_be_bytes()].concat();
        out.write_all(&end).and_then(|()| out.flush()).map_err(system)?;
        Ok(count)
    }

    /// The commands that define a cluster and what belongs to it.
    fn commands(&self, name: &Name) -> Result<String, Refusal> {
        let mut text = String::new();
        let entries = self.site.vsam.entries();
        let mut defined = vec![name.clone()];
        text.push_str(&command_of(&self.site.vsam.entry(name)?.definition));
        for entry in &entries {
            if let Definition::AlternateIndex(index) = &entry.definition
                && index.relate == *name
            {
                defined.push(index.name.clone());
                text.push_str(&command_of(&entry.definition));
            }
        }
        for entry in &entries {
            if let Definition::Path(path) = &entry.definition
                && defined.contains(&path.entry)
            {
                text.push_str(&command_of(&entry.definition));
            }
        }
        Ok(text)
    }

    pub(super) async fn import(&mut self, command: &Import) -> Carried {
        let path = self.copy_path(&command.from, false).await?;
        let count = self.read_copy(command, &path).await.map_err(|refusal| named(refusal, &path))?;
        self.say(codes::PROCESSED, format_args!("records processed: {count}"));
        Ok(DONE)
    }

    async fn read_copy(&mut self, command: &Import, path: &PathBuf) -> Result<u64, Refusal> {
        let mut input = BufReader::new(Handle::open(path).map_err(system)?);
        let mut statements = read_commands(&mut input)?;
        let original = cluster_name(&statements).ok_or_else(no_copy)?;
        let mut names: Vec<(String, String)> =
            command.renamed.iter().map(|(old, new)| (old.text.clone(), new.text.clone())).collect();
        if let Some(to) = &command.to.data_set {
            names.push((original.clone(), to.clone()));
        }
        for statement in &mut statements {
            rename(statement, &names);
        }
        let name: Name = cluster_name(&statements).unwrap_or_default().parse()?;
        // What is wrong with the copy is found before anything is defined.
        let records = self.read_records(&mut input)?;
        let count = if command.into_empty {
            if self.site.vsam.statistics(&name).await?.records > 0 {
                return Err(vsam::Error::NotEmpty(name).into());
            }
            self.fill_copy(&name, records).await?
        } else {
            self.define_and_fill(&name, &statements, records).await?
        };
        self.say(codes::IMPORTED, format_args!("{name} imported; it was exported as {original}"));
        Ok(count)
    }

    /// Defines a cluster and what belongs to it, and fills it; of what fails nothing stays.
    async fn define_and_fill(
        &mut self,
        name: &Name,
        statements: &[Statement],
        records: Sorter,
    ) -> Result<u64, Refusal> {
        let (cluster, rest) = statements.split_at(1);
        // If this fails, what has the name is another's.
        self.define_all(cluster).await?;
        let filled = match self.define_all(rest).await {
            Ok(()) => self.fill_copy(name, records).await,
            Err(refusal) => Err(refusal),
        };
        if filled.is_err() {
            self.site.vsam.delete(name).await?;
        }
        filled
    }

    async fn define_all(&mut self, statements: &[Statement]) -> Result<(), Refusal> {
        for statement in statements {
            let Statement::Command(command) = statement else { continue };
            match &**command {
                Command::DefineCluster(cluster) => self.define_cluster(cluster).await?,
                Command::DefineAlternateIndex(index) => self.define_index(index).await?,
                Command::DefinePath(path) => self.define_path(path).await?,
                _ => DONE,
            };
        }
        Ok(())
    }

    /// The records of a copy, by their place in it, once the whole copy is known to be sound.
    fn read_records(&mut self, input: &mut dyn BufRead) -> Result<Sorter, Refusal> {
        let mut spool = Sorter::new(SORT_MEMORY);
        let (mut check, mut count) = (crc32fast::Hasher::new(), 0_u64);
        loop {
            let length = read_array::<4>(input)?;
            if u32::from_be_bytes(length) == END {
                break;
            }
            if u32::from_be_bytes(length) > RECORD_MAX {
                return Err(no_copy());
            }
            let mut item = vec![0; size_of::<u32>() + u32::from_be_bytes(length) as usize];
            input.read_exact(&mut item).map_err(system)?;
            check.update(&length);
            check.update(&item);
            count += 1;
            spool.push(count.to_be_bytes().to_vec(), item)?;
            tell(&mut self.progress, "records read", count);
        }
        let counted = u64::from_be_bytes(read_array(input)?);
        let sum = u32::from_be_bytes(read_array(input)?);
        if (counted, sum) == (count, check.finalize()) { Ok(spool) } else { Err(no_copy()) }
    }

    async fn fill_copy(&mut self, name: &Name, records: Sorter) -> Result<u64, Refusal> {
        let dataset = self.site.vsam.dataset(name).await?;
        let mut items = records.sorted()?;
        if dataset.cluster().organization == Organization::Relative {
            let mut filling = self.site.vsam.fill(&dataset);
            let mut count = 0;
            for item in items {
                let (_, item) = item?;
                let (number, record) = item.split_at(size_of::<u32>());
                filling.put(number, record, Replace::No).await?;
                count += 1;
            }
            filling.finish().await?;
            return Ok(count);
        }
        drop(dataset);
        let mut records = items.by_ref().map(|item| item.map(|(_, item)| item[size_of::<u32>()..].to_vec()));
        let progress = &mut self.progress;
        let mut told = |count| tell(progress, "records loaded", count);
        Ok(self.site.vsam.load(name, &mut records, Replace::No, &mut told).await?.written)
    }
}

/// The commands at the start of a copy.
fn read_commands(input: &mut BufReader<Handle>) -> Result<Vec<Statement>, Refusal> {
    let mut line = || {
        let mut bytes = Vec::new();
        input.by_ref().take(u64::from(RECORD_MAX)).read_until(b'\n', &mut bytes).map_err(system)?;
        let text = String::from_utf8(bytes).map_err(|_| no_copy())?;
        text.strip_suffix('\n').map(str::to_owned).ok_or_else(no_copy)
    };
    if line()? != TITLE {
        return Err(no_copy());
    }
    let mut text = String::new();
    loop {
        match line()? {
            end if end == RECORDS => break,
            more => text.push_str(&format!("{more}\n")),
        }
    }
    let mut parsed = idcams::parse(&Source::new("copy", text), &jcl::Tokens::default());
    if diagnostics::any_error(&parsed.messages) {
        return Err(no_copy());
    }
    Ok(parsed.steps.pop().map(|step| step.statements).unwrap_or_default())
}

/// The cluster that the commands of a copy define: the first thing that they do.
fn cluster_name(statements: &[Statement]) -> Option<String> {
    match statements.first()? {
        Statement::Command(command) => match &**command {
            Command::DefineCluster(cluster) => Some(cluster.name.text.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Gives the names of a definition, and those that it depends on, their new form.
fn rename(statement: &mut Statement, names: &[(String, String)]) {
    let Statement::Command(command) = statement else { return };
    let change = |name: &mut idcams::Name| {
        if let Some((_, new)) = names.iter().find(|(old, _)| *old == name.text) {
            name.text.clone_from(new);
        }
    };
    match &mut **command {
        Command::DefineCluster(cluster) => change(&mut cluster.name),
        Command::DefineAlternateIndex(index) => {
            change(&mut index.name);
            change(&mut index.relate);
        }
        Command::DefinePath(path) => {
            change(&mut path.name);
            change(&mut path.entry);
        }
        _ => {}
    }
}

/// A definition as the command that makes it.
fn command_of(definition: &Definition) -> String {
    let mut text = String::new();
    let _ = match definition {
        Definition::Cluster(cluster) => {
            let organization = match cluster.organization {
                Organization::Keyed(key) => format!("INDEXED KEYS({} {})", key.length, key.offset),
                Organization::EntrySequenced => "NONINDEXED".into(),
                Organization::Relative => "NUMBERED".into(),
            };
            let reuse = if cluster.reuse { "REUSE" } else { "NOREUSE" };
            let log = if cluster.recovery == records::Recovery::Recoverable { "UNDO" } else { "NONE" };
            let (name, average, maximum) = (&cluster.name, cluster.average, cluster.maximum);
            let rest = format!("RECORDSIZE({average} {maximum}) {reuse} LOG({log}))");
            writeln!(text, " DEFINE CLUSTER (NAME({name}) {organization} -\n  {rest}")
        }
        Definition::AlternateIndex(index) => {
            let unique = if index.unique { "UNIQUEKEY" } else { "NONUNIQUEKEY" };
            let upgrade = if index.upgrade { "UPGRADE" } else { "NOUPGRADE" };
            let (name, relate, key) = (&index.name, &index.relate, index.key);
            let rest = format!("KEYS({} {}) {unique} {upgrade})", key.length, key.offset);
            writeln!(text, " DEFINE ALTERNATEINDEX (NAME({name}) -\n  RELATE({relate}) -\n  {rest}")
        }
        Definition::Path(path) => {
            writeln!(text, " DEFINE PATH (NAME({}) -\n  PATHENTRY({}))", path.name, path.entry)
        }
    };
    text
}

fn read_array<const SIZE: usize>(input: &mut dyn BufRead) -> Result<[u8; SIZE], Refusal> {
    let mut bytes = [0; SIZE];
    input.read_exact(&mut bytes).map_err(system)?;
    Ok(bytes)
}

fn no_copy() -> Refusal {
    Refusal::Other(codes::NO_COPY, "the file is no copy that EXPORT wrote, or it is damaged".into())
}

/// Maps a system error on a copy.
fn system(error: io::Error) -> Refusal {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => no_copy(),
        _ => Refusal::Other(codes::FILE, error.to_string()),
    }
}

/// The same with the file's name where there is none.
fn named(refusal: Refusal, path: &std::path::Path) -> Refusal {
    match refusal {
        Refusal::Other(codes::FILE, text) => {
            Refusal::Other(codes::FILE, format!("{}: {text}", path.display()))
        }
        other => other,
    }
}
