//! The programs of a region.

use ebcdic::Characters;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use foldhash::HashMap;
use parking_lot::{Mutex, RwLock};
use spec::cond;
use tokio::sync::OnceCell;

use super::{Images, Library, Module};
use crate::lines::often;
use crate::name::{Name, Name8, TransactionName};
use crate::raise::{Raise, RaiseCondition};
use crate::region::Region;

/// TCBs on which a program may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concurrency {
    /// On the QR TCB only.
    Quasirent,
    /// On any TCB.
    Threadsafe,
    /// On an open TCB only.
    Required,
}

/// A supplied program, as definitions hold it: the dispatcher knows what it is.
pub struct SuppliedCode(pub(crate) Box<dyn Any + Send + Sync>);

/// A program definition and its module.
pub struct Program {
    /// Its name.
    pub name: Name8,
    /// TCBs on which it may run.
    pub concurrency: Concurrency,
    /// Code of the program.
    pub body: Body,
    /// DATALOCATION(BELOW): what it gets of storage counts as below 16 MB.
    pub data_below: bool,
    /// The system that it is on, if that is another one.
    pub remote: Option<RemoteProgram>,
    /// DYNAMIC: a router says where a LINK to it runs.
    pub dynamic: bool,
    /// TRANSID: the transaction of its task in another region, if it is not the usual one.
    pub transaction: Option<TransactionName>,
    /// Place of its class, if it is a Java program.
    pub java: Option<JavaProgram>,
    /// True if it may be used now.
    pub enabled: AtomicBool,
    /// Number of times that it has been started.
    pub uses: AtomicU64,
    /// Uses that take place now.
    pub(crate) running: Running,
    /// Number of new copies.
    pub copies: AtomicU64,
}

/// The number of uses that take place.
#[derive(Default)]
pub(crate) struct Running(AtomicU32);

impl Running {
    pub(super) fn begins(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn ends(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// It, now.
    pub fn now(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A program of another system: REMOTESYSTEM, REMOTENAME.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteProgram {
    /// The system.
    pub system: Name<4>,
    /// The program's name there.
    pub name: Name8,
}

/// A Java program: JVMCLASS, JVMSERVER.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaProgram {
    /// The class that has its main method.
    pub class: String,
    /// The JVM server that runs it.
    pub server: Name8,
}

/// Code of a program.
pub enum Body {
    /// A COBOL program: its module, as soon as a task has used it.
    Cobol(Mutex<Arc<OnceCell<Arc<Module>>>>),
    /// One in Rust: the product's own, or what stands here for a program that runs outside of the process.
    Supplied(SuppliedCode),
}

/// Reasons why a program cannot be used; the RESP2 of PGMIDERR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// There is no definition.
    NotDefined = 1,
    /// It is disabled.
    Disabled = 2,
    /// There is no module, or its text has errors.
    NotLoadable = 3,
    /// It is defined as a program of another system.
    Remote = 9,
}

impl From<LoadError> for Raise {
    fn from(error: LoadError) -> Self {
        cond::PGMIDERR.raise(error as i32)
    }
}

impl Program {
    /// In what it holds its text.
    pub const fn characters(&self) -> Characters {
        Characters::Latin1
    }

    /// A definition with the published defaults.
    pub fn new(name: Name8, concurrency: Concurrency) -> Self {
        Self {
            name,
            concurrency,
            body: Body::Cobol(Mutex::default()),
            data_below: false,
            remote: None,
            dynamic: false,
            transaction: None,
            java: None,
            enabled: AtomicBool::new(true),
            uses: AtomicU64::new(0),
            running: Running::default(),
            copies: AtomicU64::new(0),
        }
    }

    /// Number of levels that run it now.
    pub fn running(&self) -> u32 {
        self.running.now()
    }

    /// Says that it may be used now.
    ///
    /// # Errors
    /// It is disabled, or of another system.
    fn may_be_used(&self) -> Result<(), LoadError> {
        match self.remote {
            Some(_) => Err(LoadError::Remote),
            None if self.enabled.load(Ordering::Relaxed) => Ok(()),
            None => Err(LoadError::Disabled),
        }
    }

    /// Returns true if it is one of the product's own.
    pub fn is_supplied(&self) -> bool {
        matches!(self.body, Body::Supplied(_)) && self.java.is_none()
    }

    /// Returns true if it is one of COBOL, whose module is loaded.
    pub fn is_cobol(&self) -> bool {
        matches!(self.body, Body::Cobol(_))
    }

    /// Forgets the module: the next use loads the present one.
    fn forget(&self) {
        self.replace(OnceCell::new());
    }

    /// From now on the program is this module.
    fn replace(&self, module: OnceCell<Arc<Module>>) {
        if let Body::Cobol(cell) = &self.body {
            *cell.lock() = Arc::new(module);
        }
        self.copies.fetch_add(1, Ordering::Relaxed);
    }

    /// The module, if it is loaded.
    pub fn loaded(&self) -> Option<Arc<Module>> {
        match &self.body {
            Body::Cobol(cell) => cell.lock().get().cloned(),
            Body::Supplied(_) => None,
        }
    }
}

/// The installed programs.
pub struct Programs {
    table: RwLock<HashMap<Name8, Arc<Program>>>,
    called: RwLock<HashMap<Name8, Arc<Program>>>,
    library: Arc<dyn Library>,
    autoinstall: Option<Concurrency>,
    images: Images,
    /// The number of times that a name has come to mean another program, or another copy of it.
    changes: AtomicU64,
}

impl Programs {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Concurrency with which programs without a definition are installed; `None`: not at all.
    pub fn autoinstall(&self) -> Option<Concurrency> {
        self.autoinstall
    }

    /// No programs yet. `autoinstall`: programs without a definition get one like this (PGAIPGM).
    pub fn new(library: Arc<dyn Library>, autoinstall: Option<Concurrency>) -> Self {
        Self {
            table: RwLock::default(),
            called: RwLock::default(),
            library,
            autoinstall,
            images: Images::default(),
            changes: AtomicU64::new(0),
        }
    }

    /// Images of LOAD.
    pub fn images(&self) -> &Images {
        &self.images
    }

    /// Source of modules and maps.
    pub fn library(&self) -> &Arc<dyn Library> {
        &self.library
    }

    /// Installs a definition; one of the same name is replaced.
    pub fn install(&self, program: Program) {
        self.table.write().insert(program.name, Arc::new(program));
        self.have_changed();
    }

    /// The number of times that a name has come to mean another program, or another copy of it, or that a program was enabled or disabled:
    /// as long as it is the same, each name means what it meant.
    #[inline]
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    fn have_changed(&self) {
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// The definition of a name.
    pub fn get(&self, name: Name8) -> Option<Arc<Program>> {
        self.table.read().get(&name).cloned()
    }

    /// Its source has changed: the program's next use loads its present module, or says why it cannot.
    pub fn changed(&self, name: Name8) {
        self.known(name).for_each(|program| program.forget());
        self.have_changed();
    }

    /// NEWCOPY and PHASEIN: the program's present module is made ready now, and the next use takes it. A caller that
    /// stops waiting for it changes nothing.
    ///
    /// # Errors
    /// There is no such module, or its text has errors; the messages go to the region's log, and the module that was in
    /// use stays so.
    pub async fn new_copy(&self, name: Name8) -> Result<(), LoadError> {
        if self.known(name).any(|program| !program.is_cobol()) {
            return Ok(());
        }
        let module = self.load(name).await?;
        self.known(name).for_each(|program| program.replace(OnceCell::new_with(Some(Arc::clone(&module)))));
        self.have_changed();
        Ok(())
    }

    /// Programs of a name: its definition, and one that was made for a COBOL CALL of it before.
    fn known(&self, name: Name8) -> impl Iterator<Item = Arc<Program>> {
        [self.get(name), self.called.read().get(&name).cloned()].into_iter().flatten()
    }

    /// Removes a definition, if there is one.
    pub fn discard(&self, name: Name8) {
        self.table.write().remove(&name);
        self.have_changed();
    }

    /// All definitions, by name.
    pub fn list(&self) -> Vec<Arc<Program>> {
        let mut list: Vec<_> = self.table.read().values().cloned().collect();
        list.sort_by_key(|p| p.name);
        list
    }

    /// The definition under which a program may be used now.
    ///
    /// # Errors
    /// Not defined (and not installed by itself), disabled, or of another system.
    pub fn usable(&self, name: Name8) -> Result<Arc<Program>, LoadError> {
        let program = match (self.get(name), self.autoinstall) {
            (Some(program), _) => program,
            (None, None) => return Err(LoadError::NotDefined),
            (None, Some(concurrency)) => {
                let mut table = self.table.write();
                self.have_changed();
                Arc::clone(table.entry(name).or_insert_with(|| Arc::new(Program::new(name, concurrency))))
            }
        };
        program.may_be_used().map(|()| program)
    }

    /// SET PROGRAM ENABLED, DISABLED.
    pub fn enable(&self, program: &Program, on: bool) {
        program.enabled.store(on, Ordering::Relaxed);
        self.have_changed();
    }

    /// The program of a CALL by an item, which loads it as LOAD does: that of [`Self::called`], if its definition lets it be used.
    ///
    /// # Errors
    /// It is disabled, or of another system.
    pub fn loaded_by_call(&self, name: Name8) -> Result<Arc<Program>, LoadError> {
        let program = self.called(name);
        program.may_be_used().map(|()| program)
    }

    /// The program of a COBOL CALL: its definition, or one made for it, which LINK does not see.
    pub fn called(&self, name: Name8) -> Arc<Program> {
        if let Some(program) = self.get(name) {
            return program;
        }
        let mut called = self.called.write();
        Arc::clone(
            called.entry(name).or_insert_with(|| Arc::new(Program::new(name, Concurrency::Threadsafe))),
        )
    }

    /// The module of the present copy of a program, defined or CALLed; `None` if it has not been used yet.
    pub fn module_now(&self, name: Name8) -> Option<Arc<Module>> {
        let program = self.get(name).or_else(|| self.called.read().get(&name).cloned());
        program?.loaded()
    }

    /// The program's module: loaded by the first who asks, while the others wait for it.
    ///
    /// # Errors
    /// No such program, or its text has errors; the messages go to the region's log.
    pub async fn module(&self, program: &Program) -> Result<Arc<Module>, LoadError> {
        let Body::Cobol(cell) = &program.body else { return Err(LoadError::NotLoadable) };
        let cell = Arc::clone(&cell.lock());
        cell.get_or_try_init(|| self.load(program.name)).await.cloned()
    }

    /// The present module of a name, made ready off the TCBs.
    async fn load(&self, name: Name8) -> Result<Arc<Module>, LoadError> {
        let (library, text) = (Arc::clone(&self.library), name.to_string());
        let found = tokio::task::spawn_blocking(move || library.module(&text)).await;
        match found {
            Ok(Ok(Some(module))) => return Ok(Arc::new(module)),
            Ok(Ok(None)) => {
                often!(error, target: "PG", "program {name}: no source or module in the program folders");
            }
            Ok(Err(messages)) => {
                often!(error, target: "PG", "program {name} cannot be loaded\n{messages}");
            }
            Err(panic) => {
                tracing::error!(target: "PG", "program {name}: the library failed: {panic}");
            }
        }
        Err(LoadError::NotLoadable)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::task::{TaskControl, TaskParts, WaitKind};

    /// Result of a program's text: the entry of its module.
    type Text = Result<Option<&'static str>, String>;

    /// A library that a test writes: a text each time that it is asked for one.
    struct Desk(Mutex<mpsc::Receiver<Text>>);

    impl Library for Desk {
        fn module(&self, _: &str) -> Result<Option<Module>, String> {
            let entry = self.0.lock().recv().unwrap_or(Ok(None))?;
            let module = |entry: &str| Module {
                entry: entry.to_owned(),
                source: entry.into(),
                unit: Arc::new(native::Unit::empty(entry.to_owned())),
                statements: Box::new(|_| None),
            };
            Ok(entry.map(module))
        }

        fn mapset(&self, _: &str) -> Result<Option<bms::Mapset>, String> {
            Ok(None)
        }
    }

    /// Programs with one definition, and the way to write its texts.
    fn programs() -> (Programs, Arc<Program>, mpsc::Sender<Text>) {
        let (texts, library) = mpsc::channel();
        let programs = Programs::new(Arc::new(Desk(Mutex::new(library))), None);
        programs.install(Program::new(name(), Concurrency::Threadsafe));
        let program = programs.get(name()).expect("just installed");
        (programs, program, texts)
    }

    fn name() -> Name8 {
        Name8::from("PAY")
    }

    fn entry(program: &Program) -> Option<String> {
        program.loaded().map(|module| module.entry.clone())
    }

    #[tokio::test]
    async fn a_copy_that_cannot_be_had_leaves_the_one_in_use() {
        let (programs, program, texts) = programs();
        for (text, comes_to, in_use) in [
            (Ok(Some("first")), Ok(()), "first"),
            (Err("line 7: what is MOEV?".to_owned()), Err(LoadError::NotLoadable), "first"),
            (Ok(None), Err(LoadError::NotLoadable), "first"),
            (Ok(Some("second")), Ok(()), "second"),
        ] {
            texts.send(text).expect("the library");
            assert_eq!(programs.new_copy(name()).await, comes_to);
            assert_eq!(entry(&program).as_deref(), Some(in_use));
        }
    }

    #[tokio::test]
    async fn whatever_gives_a_name_another_meaning_is_a_change() {
        let (programs, program, texts) = programs();
        let mut seen = programs.changes();
        let mut is_another = || std::mem::replace(&mut seen, programs.changes()) != programs.changes();
        texts.send(Ok(Some("first"))).expect("the library");
        programs.module(&program).await.expect("a module");
        assert!(!is_another(), "what had no module has one");
        texts.send(Err("line 7: what is MOEV?".to_owned())).expect("the library");
        assert!(programs.new_copy(name()).await.is_err() && !is_another(), "it has the copy that it had");
        texts.send(Ok(Some("second"))).expect("the library");
        assert!(programs.new_copy(name()).await.is_ok() && is_another(), "NEWCOPY");
        programs.changed(name());
        assert!(is_another(), "another source");
        programs.discard(name());
        assert!(is_another(), "DISCARD");
        programs.called(name());
        assert!(!is_another(), "a CALL of what is not defined");
        programs.install(Program::new(name(), Concurrency::Threadsafe));
        assert!(is_another(), "CREATE");
    }

    #[tokio::test]
    async fn who_waits_for_a_copy_may_be_purged() {
        let (programs, program, texts) = programs();
        let task = TaskControl::new(TaskParts::of_a_test(1, "CEMT"));
        let waits = task.wait(WaitKind::PROGRAM, programs.new_copy(name()));
        let (outcome, ()) = tokio::join!(waits, async { task.purge() });
        assert_eq!(outcome, Err(Raise::abend("AKCS")));
        texts.send(Ok(Some("too late"))).expect("the library");
        assert_eq!(entry(&program), None);
    }
}
