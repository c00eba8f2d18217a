//! One session: what is open in it, and its unit of work.

use std::collections::BTreeSet;
use std::sync::Arc;

use datasets::{DataSets, DatasetEntry, Generations, Holder, Located, Shape};
use records::{EncryptionKey, Owner, Recovery, UnitOfWork};
use vsam::{Definition, Name};

use crate::data_set::{Answered, DataSet, describe};
use crate::operator::{Operator, Pipe};
use crate::progress::Progress;
use crate::protocol::{
    Failure, KeyText, KindOfEntry, Listed, Opened, Operation, Reply, Request, Sequential, SequentialKind,
    ShapeSpec, SqlAsked, VERSION,
};
use crate::tables::{OpenTables, Statements};
use crate::{backup, temporary, utility};

/// Data sets that one session can have open.
const OPEN_MAX: usize = 256;
/// Records that one answer holds at most.
const RECORDS_MAX: u32 = 10_000;

/// A session, with the operator that does what only a region can do. Dropping it backs out what was not committed.
pub(crate) struct Session {
    site: Arc<DataSets>,
    owner: Owner,
    unit: Option<Box<dyn UnitOfWork>>,
    /// Its statements over the region's own tables, once it has asked for some; until then the way to open them where no region runs.
    statements: Option<Statements>,
    opens_tables: Option<OpenTables>,
    open: Vec<Option<DataSet>>,
    generations: Generations,
    /// The data sets that the job has reserved.
    holder: Holder,
    operator: Option<Arc<dyn Operator>>,
    /// The name of the program outside, and its pipe once it has asked for one.
    program: String,
    pipe: Option<Box<dyn Pipe>>,
    temporary: Option<temporary::Made>,
    /// Data sets that are not recoverable and were written.
    written: BTreeSet<u32>,
    /// One of them was closed: its records are on the disk when the unit of work ends.
    is_unforced: bool,
}

impl From<ShapeSpec> for Shape {
    fn from(spec: ShapeSpec) -> Self {
        match spec {
            ShapeSpec::Fixed(length) => Self::Fixed(length.map(|length| length as usize)),
            ShapeSpec::Variable => Self::Variable,
            ShapeSpec::Lines => Self::Lines,
        }
    }
}

impl From<Shape> for ShapeSpec {
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::Fixed(length) => Self::Fixed(length.map(|length| length as u32)),
            Shape::Variable => Self::Variable,
            Shape::Lines => Self::Lines,
        }
    }
}

impl Session {
    pub fn new(site: Arc<DataSets>, operator: Option<Arc<dyn Operator>>) -> Self {
        let owner = site.vsam.engine().locks().new_owner();
        let (generations, holder) = (Generations::default(), Holder::default());
        Self {
            site,
            owner,
            unit: None,
            statements: None,
            opens_tables: None,
            open: Vec::new(),
            generations,
            holder,
            operator,
            program: String::new(),
            pipe: None,
            temporary: None,
            written: BTreeSet::new(),
            is_unforced: false,
        }
    }

    /// The session opens the region's own tables by this.
    pub fn opens_tables(&mut self, opens: OpenTables) {
        self.opens_tables = Some(opens);
    }

    /// Answers a request.
    pub async fn answer(&mut self, request: Request, progress: Progress<'_>) -> Reply {
        self.try_answer(request, progress).await.unwrap_or_else(Reply::Failed)
    }

    async fn try_answer(&mut self, request: Request, progress: Progress<'_>) -> Answered<Reply> {
        match request {
            Request::Hello { version, name } if version == VERSION => {
                self.program = name;
                Ok(Reply::Done)
            }
            Request::Hello { version, .. } => Err(Failure::Protocol(format!("version {version}"))),
            Request::List => self.list().await,
            Request::Locate { name } => self.locate(&name).await,
            Request::Create { name, shape, library } => self.create(&name, shape, library).await,
            Request::Reshape { name, shape } => self.reshape(&name.parse()?, shape.into()).await,
            Request::Settle { name } => {
                self.site.sequential.settle(&name.parse()?).await?;
                Ok(Reply::Done)
            }
            Request::JobBegins => {
                (self.generations, self.holder) = (Generations::default(), Holder::default());
                Ok(Reply::Done)
            }
            Request::Temporary => {
                self.temporary = None;
                let state = self.site.sequential.folder().parent();
                let state = state.ok_or_else(|| Failure::Other("the data lie in no state".into()))?;
                let made = temporary::Made::new(state).map_err(|error| Failure::Other(error.to_string()))?;
                let reply = Reply::Temporary { folder: made.path.clone(), key: made.key.clone() };
                self.temporary = Some(made);
                Ok(reply)
            }
            Request::Reserve { names } => {
                self.holder = Holder::default();
                self.holder = self.site.reserve(&names).await?.map_err(Failure::InUse)?;
                Ok(Reply::Done)
            }
            Request::Remove { name } => {
                self.site.sequential.remove(&name.parse()?, true).await?;
                Ok(Reply::Done)
            }
            Request::Open { name } => self.open(&name).await,
            Request::Close { handle } => self.close(handle),
            Request::Commit => self.end(true).await,
            Request::Backout => self.end(false).await,
            Request::Backup { state, file, tables } => {
                let region = self.operator.as_deref();
                backup::write(&self.site, region, (&state, &file), tables, progress).map(|()| Reply::Done)
            }
            Request::RotateKey(KeyText(text)) => {
                let key = EncryptionKey::from_hex(&text);
                let key = key.ok_or_else(|| Failure::Invalid("the encryption key is no key".into()))?;
                self.site.vsam.engine().rotate(&key)?;
                let state = self.site.sequential.folder().parent();
                let rotated = state.map_or(Ok(()), |state| sealed::rotate(state, key.bytes()));
                rotated.map_err(|error| Failure::Other(error.to_string()))?;
                tracing::info!("the encryption key of the data is another one from now on");
                self.operator.iter().for_each(|operator| operator.key_changed());
                Ok(Reply::Done)
            }
            Request::Resealing => Ok(Reply::Resealing(self.site.vsam.engine().resealing())),
            Request::Utility { name, text, files, data_sets, recoverable } => {
                let job = utility::Job { name, text, files, data_sets, recoverable };
                job.run(&self.site, &mut self.generations, progress).await.map(Reply::Utility)
            }
            Request::Convert { name, conversion, keep } => {
                utility::convert(&self.site, &name, &conversion, keep, progress).await
            }
            Request::Sql { now, asked } => self.sql(&now, asked).await,
            Request::Region(Operation::External(asked)) => match &self.operator {
                Some(operator) => {
                    let program = &self.program;
                    self.pipe.get_or_insert_with(|| operator.pipe(program)).ask(asked).await
                }
                None => Err(Failure::Protocol("no region runs".into())),
            },
            Request::Region(operation) => match &self.operator {
                Some(operator) => operator.operate(operation).await,
                None => Err(Failure::Protocol("no region runs".into())),
            },
            records => self.about_records(records).await,
        }
    }

    async fn about_records(&mut self, request: Request) -> Answered<Reply> {
        let handle = match &request {
            Request::Read { handle, .. }
            | Request::Place { handle, .. }
            | Request::Next { handle, .. }
            | Request::Unlock { handle, .. }
            | Request::Write { handle, .. }
            | Request::Rewrite { handle, .. }
            | Request::Delete { handle, .. }
            | Request::Empty { handle }
            | Request::Made { handle } => *handle,
            _ => return Err(Failure::Protocol("an unknown request".into())),
        };
        let engine = self.site.vsam.engine();
        let unit = &mut **self.unit.get_or_insert_with(|| engine.begin(self.owner));
        let data_set = self.open.get_mut(handle as usize).and_then(Option::as_mut);
        let Some(data_set) = data_set else {
            return Err(Failure::Protocol(format!("data set {handle} is not open")));
        };
        let changes = matches!(
            request,
            Request::Write { .. } | Request::Rewrite { .. } | Request::Delete { .. } | Request::Made { .. }
        );
        if changes && data_set.seen().cluster().recovery == Recovery::NonRecoverable {
            self.written.insert(handle);
        }
        let written = |(base, duplicate)| Reply::Written { base, duplicate };
        match request {
            Request::Read { search, update, .. } => {
                data_set.read(unit, &search, update).await.map(Reply::Found)
            }
            Request::Place { search, .. } => data_set.place(unit, &search).await.map(Reply::Found),
            Request::Next { backward, count, update, .. } => {
                let count = count.min(RECORDS_MAX);
                data_set.next(unit, backward, count, update).await.map(Reply::Records)
            }
            Request::Unlock { base, .. } => {
                data_set.unlock(unit, &base);
                Ok(Reply::Done)
            }
            Request::Write { slot, record, .. } => data_set.write(unit, slot, &record).await.map(written),
            Request::Rewrite { base, record, .. } => {
                data_set.rewrite(unit, &base, &record).await.map(written)
            }
            Request::Made { .. } => {
                self.site.vsam.note_loaded(data_set.seen().name()).await?;
                Ok(Reply::Done)
            }
            Request::Delete { base, .. } => data_set.delete(unit, &base).await.map(|()| Reply::Done),
            _ => self.empty(handle).await,
        }
    }

    /// Empties a reusable data set: that is a load of nothing, so no other session may have it open.
    async fn empty(&mut self, handle: u32) -> Answered<Reply> {
        let slot = self.open.get_mut(handle as usize);
        let Some(data_set) = slot.and_then(Option::take) else {
            return Err(Failure::Protocol(format!("data set {handle} is not open")));
        };
        let name = data_set.seen().cluster().name.clone();
        let reuse = data_set.seen().cluster().reuse;
        drop(data_set);
        let emptied = match reuse {
            true => {
                let nothing = &mut std::iter::empty();
                self.site.vsam.load(&name, nothing, vsam::Replace::No, &mut |_| {}).await.map(drop)
            }
            false => Err(vsam::Error::NotEmpty(name.clone())),
        };
        self.open[handle as usize] = Some(DataSet::open(&self.site.vsam, &name).await?);
        emptied?;
        Ok(Reply::Done)
    }

    /// A question of the region's own tables.
    async fn sql(&mut self, now: &str, asked: SqlAsked) -> Answered<Reply> {
        if self.statements.is_none() {
            let engine = Arc::clone(self.site.vsam.engine());
            let tables = match (&self.operator, self.opens_tables.take()) {
                (Some(operator), _) => operator.tables(),
                (None, Some(opens)) => opens(Arc::clone(&engine)).await.map_err(Failure::Other)?,
                (None, None) => None,
            };
            let none = || Failure::Invalid("the region has no tables of its own ([sql] engine)".into());
            self.statements = Some(Statements::new(tables.ok_or_else(none)?, engine));
        }
        match &mut self.statements {
            Some(statements) => statements.answer(now, asked).await.map(Reply::Sql),
            None => Err(Failure::Protocol("no tables".into())),
        }
    }

    async fn end(&mut self, commit: bool) -> Answered<Reply> {
        if let Some(unit) = self.unit.take() {
            if commit { unit.commit().await? } else { unit.backout().await? }
        }
        // No backout takes back what stands in data sets that are not recoverable.
        if std::mem::take(&mut self.is_unforced) {
            self.site.vsam.harden().await?;
        }
        Ok(Reply::Done)
    }

    async fn open(&mut self, name: &str) -> Answered<Reply> {
        let name: Name = name.parse()?;
        if self.open.iter().flatten().count() >= OPEN_MAX {
            return Err(Failure::Full(format!("a session has at most {OPEN_MAX} data sets open")));
        }
        let data_set = DataSet::open(&self.site.vsam, &name).await?;
        let engine = self.site.vsam.engine();
        let unit = &mut **self.unit.get_or_insert_with(|| engine.begin(self.owner));
        let empty = data_set.is_empty(unit).await?;
        let free = self.open.iter().position(Option::is_none);
        let handle = free.unwrap_or_else(|| {
            self.open.push(None);
            self.open.len() - 1
        });
        let loaded = !empty || self.site.vsam.was_loaded(&name).await?;
        let opened = Opened { empty, loaded, ..describe(&self.site.vsam, data_set.seen(), handle as u32) };
        self.open[handle] = Some(data_set);
        Ok(Reply::Opened(opened))
    }

    fn close(&mut self, handle: u32) -> Answered<Reply> {
        match self.open.get_mut(handle as usize).and_then(Option::take) {
            Some(_) => {
                self.is_unforced |= self.written.remove(&handle);
                Ok(Reply::Done)
            }
            None => Err(Failure::Protocol(format!("data set {handle} is not open"))),
        }
    }

    async fn locate(&mut self, name: &str) -> Answered<Reply> {
        match self.site.locate(name, &mut self.generations).await? {
            Located::Vsam(name) => {
                let dataset = self.site.vsam.dataset(&name).await?;
                Ok(Reply::Opened(describe(&self.site.vsam, &dataset, 0)))
            }
            Located::Sequential(name, shape) => Ok(Reply::Sequential(self.sequential(&name, shape))),
            Located::Library(name, shape) => {
                let found = self.sequential(&name, shape);
                Ok(Reply::Sequential(Sequential { kind: SequentialKind::Library, ..found }))
            }
            Located::Member(name, member, shape) => {
                let found = self.sequential(&name, shape);
                let path = found.path.join(member);
                Ok(Reply::Sequential(Sequential { path, kind: SequentialKind::Member, ..found }))
            }
            Located::Generations(_, all) if !all.is_empty() => {
                Ok(Reply::Several(all.iter().map(|(name, shape)| self.sequential(name, *shape)).collect()))
            }
            Located::Unknown(_)
            | Located::NewGeneration(..)
            | Located::NoLibrary(..)
            | Located::Generations(..) => Err(Failure::NoEntry(name.to_owned())),
        }
    }

    async fn create(&mut self, name: &str, shape: ShapeSpec, library: bool) -> Answered<Reply> {
        let located = self.site.locate(name, &mut self.generations).await?;
        self.site.create(&located, shape.into(), library).await?;
        self.locate(name).await
    }

    /// Gives an entry another shape: that of its first writer, where nothing else has set one.
    async fn reshape(&mut self, name: &Name, shape: Shape) -> Answered<Reply> {
        let entry = match self.site.sequential.entry(name).await? {
            Some(DatasetEntry::Sequential(_)) => DatasetEntry::Sequential(shape),
            Some(DatasetEntry::Library(_)) => DatasetEntry::Library(shape),
            _ => return Err(Failure::NoEntry(name.to_string())),
        };
        self.site.sequential.put(name, &entry).await?;
        Ok(Reply::Done)
    }

    fn sequential(&self, name: &Name, shape: Shape) -> Sequential {
        let path = self.site.sequential.path(name);
        // The other side may run in another folder.
        let path = std::path::absolute(&path).unwrap_or(path);
        Sequential { name: name.to_string(), path, shape: shape.into(), kind: SequentialKind::DataSet }
    }

    async fn list(&self) -> Answered<Reply> {
        let mut all = Vec::new();
        for entry in self.site.vsam.entries() {
            let (kind, longest, of) = match &entry.definition {
                Definition::Cluster(cluster) => {
                    let kind = match cluster.organization {
                        vsam::Organization::Keyed(_) => KindOfEntry::Ksds,
                        vsam::Organization::EntrySequenced => KindOfEntry::Esds,
                        vsam::Organization::Relative => KindOfEntry::Rrds,
                    };
                    (kind, Some(cluster.maximum as u32), None)
                }
                Definition::AlternateIndex(index) => {
                    (KindOfEntry::Index, None, Some(index.relate.to_string()))
                }
                Definition::Path(path) => (KindOfEntry::Path, None, Some(path.entry.to_string())),
            };
            let records = match kind {
                KindOfEntry::Path => None,
                _ => Some(self.site.vsam.statistics(entry.name()).await?.records),
            };
            all.push(Listed { name: entry.name().to_string(), kind, records, longest, of });
        }
        for (name, entry) in self.site.sequential.entries().await? {
            let mut records = None;
            let (kind, of) = match entry {
                DatasetEntry::Sequential(_) => (KindOfEntry::Sequential, None),
                DatasetEntry::Library(_) => {
                    records = Some(self.site.sequential.members(&name)?.len() as u64);
                    (KindOfEntry::Library, None)
                }
                DatasetEntry::Group(_) => (KindOfEntry::Group, None),
                DatasetEntry::Alias(real) => (KindOfEntry::Alias, Some(real.to_string())),
            };
            all.push(Listed { name: name.to_string(), kind, records, longest: None, of });
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Reply::List(all))
    }
}
