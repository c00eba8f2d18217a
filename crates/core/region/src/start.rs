//! Starting a region.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use capture::{Capture, Specification};
use config::{RegionConfig, SecuritySit};
use csd::Definition;
use datasets::DataSets;
use diagnostics::Diagnostic;
use domains::files::Files;
use exec_sql::{Attachment, ExecSql, Packages};
use intersystem::{Build, Systems};
use kernel::dispatcher::Dispatcher;
use kernel::exec::{Watcher, Watchers};
use kernel::health::Health;
use kernel::region::Region;
use kernel::resolved::{self, Resumptions};
use kernel::security::UserFile;
use kernel::services::Service;
use management::Surroundings;
use operation::definitions::Shelf;
use operation::program_lists::Authority;
use operation::restart::{self, Recovered, Restart};
use operation::start::RegionParts;
use records::Trust;
use terminal::Tap;
use toolchain::Toolchain;

use crate::auditing::Auditing;
use crate::doors::{Doors, Inside};
use crate::library::Sources;
use crate::options::{asked, options, settings};
use crate::running::{Running, end, expire_queues, give_up};
use crate::services::{self, Services};
use crate::state::open_data;
use crate::templates::Templates;
use crate::unless::{NotStarted, unless};
use crate::users::Users;
use crate::{
    bring_domains, bundle_parts, capturing, codes, definitions, nowhere, profile_file, resources, sharing,
    sql,
};

/// Inputs of a region's start.
pub struct Startup<'a> {
    /// The application's folder.
    pub root: &'a Path,
    /// Folder of data, logs and compiled programs.
    pub state: &'a Path,
    /// Its configuration.
    pub config: &'a RegionConfig,
    /// Its users.
    pub users: config::Users,
    /// The file that they are in: it is read again when it has changed.
    pub users_file: PathBuf,
    /// Its tool chain.
    pub toolchain: Toolchain,
    /// The degree to which a damaged log is believed.
    pub trust: Trust,
    /// Watchers of its commands, from the first one on.
    pub watchers: Vec<Arc<dyn Watcher>>,
    /// Listens to its terminals.
    pub tap: Option<Rc<dyn Tap>>,
    /// A test's: the build of which the region seems to its partners to be.
    #[doc(hidden)]
    pub build: Option<Build>,
}

/// Content of the application's texts.
struct Texts {
    definitions: Vec<Definition>,
    /// The same, and those that bundles bring.
    with_parts: Vec<Definition>,
    doors: Doors,
    templates: Templates,
    services: Services,
    events: Vec<Specification>,
    messages: Vec<Diagnostic>,
}

/// A region that no client can reach yet.
struct Closed {
    region: Arc<Region>,
    users: Arc<Users>,
    audit: Auditing,
    doors: Doors,
    toolchain: Arc<Toolchain>,
    site: Arc<DataSets>,
    recovered: Recovered,
    resumptions: Resumptions,
    messages: Vec<Diagnostic>,
}

/// Gives CMCI what it shows of the configuration.
fn show(region: &Region, config: &RegionConfig) {
    let own = [("APPLID", &config.applid), ("SYSIDNT", &config.sysid)];
    let own = own.map(|(name, value)| (name.to_owned(), value.clone())).into_iter();
    let parameters = own.chain(config.sit.given.iter().cloned()).collect();
    let folders = config.sources.programs.iter().map(|folder| folder.value.clone()).collect();
    let deploys = config.definitions.deploy.as_ref().map(|folder| folder.value.clone());
    Surroundings::put(region, parameters, folders, deploys);
}

impl Startup<'_> {
    /// Starts the region and opens its doors. It must be called within a `LocalSet`, on which the doors run.
    ///
    /// # Errors
    /// Everything that is wrong, as messages for the user.
    pub async fn start(self) -> Result<(Running, Vec<Diagnostic>), Vec<Diagnostic>> {
        let started = self.start_unless(std::future::pending()).await;
        started.map_err(|why| match why {
            NotStarted::Wrong(messages) => messages,
            // It has waited for no end.
            NotStarted::Ended => Vec::new(),
        })
    }

    /// The same, unless the region is to end before it has started: then it is not waited for data sets that are loaded, servers
    /// that are started, programs that are compiled and run. What was changed by then is kept as a whole or not at all, and the next
    /// start begins with it.
    ///
    /// # Errors
    /// See [`NotStarted`].
    pub async fn start_unless(
        self,
        ends: impl Future<Output = ()>,
    ) -> Result<(Running, Vec<Diagnostic>), NotStarted> {
        let mut ends = std::pin::pin!(ends);
        let mut texts = self.texts()?;
        let site = unless(ends.as_mut(), self.site(&mut texts)).await??;
        let (root, state, config, tap) = (self.root, self.state, self.config, self.tap.clone());
        let mut closed = self.region(texts, site, ends).await?;
        let messages = std::mem::take(&mut closed.messages);
        let region = Arc::clone(&closed.region);
        match closed.open(root, state, config, tap).await {
            Ok(running) => Ok((running, messages)),
            Err(messages) => {
                // Only the program list has run: the next start finds what this one has found.
                end(&region).await;
                Err(messages.into())
            }
        }
    }

    /// Reads the texts: their mistakes are reported before anything is touched.
    fn texts(&self) -> Result<Texts, Vec<Diagnostic>> {
        bring_domains();
        let (definitions, mut messages) = definitions::read(self.root, self.config)?;
        messages.extend(self.toolchain.doubts().iter().cloned());
        // Parts of bundles that are wrong have their messages in the log, when they are made.
        let parts = bundle_parts::brought(self.root, &definitions).definitions;
        let with_parts = [definitions.clone(), parts].concat();
        messages.extend(definitions::doubts(&with_parts, &self.toolchain.all_members(), self.config));
        let templates = Templates::new(self.root, self.config)?;
        let (services, told) = services::read(self.root, self.config);
        messages.extend(told);
        let events = capturing::specifications(self.root, self.state, self.config)?;
        let (doors, told) = Doors::read(self.root, self.config)?;
        messages.extend(told);
        Ok(Texts { definitions, with_parts, doors, templates, services, events, messages })
    }

    /// The data sets: opened, defined, loaded.
    async fn site(&self, texts: &mut Texts) -> Result<Arc<DataSets>, Vec<Diagnostic>> {
        sql::check_clear(self.state, self.config)?;
        let site = Arc::new(open_data(self.root, self.state, self.config, self.trust).await?);
        let prepared = resources::prepare(self.root, self.config, &texts.with_parts, &site).await?;
        texts.messages.extend(prepared);
        texts.messages.extend(nowhere::files(&texts.with_parts, &site.vsam));
        Ok(site)
    }

    /// Starts the region, installs its definitions, brings back what it had, and runs its startup list.
    async fn region(
        self,
        mut texts: Texts,
        site: Arc<DataSets>,
        mut ends: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<Closed, NotStarted> {
        let (root, config) = (self.root, self.config);
        let (toolchain, mut doors) = (Arc::new(self.toolchain), texts.doors);
        let restart = Restart::decide(site.vsam.engine(), asked(config)).await.map_err(not_restarted)?;
        let audit = Auditing::open(self.state, config.security.audit)?;
        let users = Users::new(
            self.users,
            self.users_file,
            root,
            &config.security,
            (&config.applid, &config.sit.security.classes),
            audit.clone(),
        )?;
        let users = Arc::new(users);
        let (servers, packages) = (sql::sql_settings(root, self.state, config)?, Arc::<Packages>::default());
        texts.messages.extend(sql::decks(root, config)?.1);
        let parts = RegionParts {
            library: Arc::new(Sources {
                toolchain: Arc::clone(&toolchain),
                templates: texts.templates,
                packages: Arc::clone(&packages),
            }),
            users: Arc::clone(&users) as Arc<dyn UserFile>,
            vsam: Arc::clone(&site.vsam),
            stores: restart.stores,
            services: called(&doors),
            settings: settings(config),
        };
        let region = operation::start::start(options(root, config, self.state), parts)
            .map_err(|error| vec![Diagnostic::error(codes::START, error.to_string())])?;
        Shelf::of(&region).put(definitions::repository(root, config));
        Capture::of(&region).begin(texts.events);
        show(&region, config);
        if let Some(build) = self.build {
            Systems::of(&region).seems_of(build);
        }
        resources::install_supplied(self.state, &region);
        pipelines::install(&region);
        bundles::install(&region);
        capture::install(&region);
        texts.services.install(&region);
        texts.messages.extend(definitions::install(&region, &texts.definitions));
        resources::install_queues(root, config, &region);
        texts.messages.extend(definitions::without_transaction(&region, config));
        doors.install(&region);
        self.watchers.into_iter().for_each(|watcher| Watchers::add(&region, watcher));
        let recovered = restart.recover(&region, config.sit.td_intra_kept).await.map_err(not_restarted)?;
        bundles::settle(&region);
        let resumptions = resolved::watch(&region);
        let attachment = Attachment::of(&region);
        let opened = unless(ends.as_mut(), attachment.open_tables(&region, &servers)).await;
        let wrong = |why| NotStarted::from(vec![Diagnostic::error(codes::TABLES, why)]);
        if let Err(why) = opened.and_then(|opened| opened.map_err(wrong)) {
            give_up(&region, &toolchain).await;
            return Err(why);
        }
        // Units of work may wait there for what was decided.
        attachment.begin(&region, servers, packages);
        if let Err(why) = unless(ends, begun(&region, config)).await.and_then(|begun| Ok(begun?)) {
            give_up(&region, &toolchain).await;
            return Err(why);
        }
        Ok(Closed {
            region,
            users,
            audit,
            doors,
            toolchain,
            site,
            recovered,
            resumptions,
            messages: texts.messages,
        })
    }
}

/// Does what comes before the first client: files are opened, servers that have rows are there, the startup list has run.
async fn begun(region: &Arc<Region>, config: &RegionConfig) -> Result<(), Vec<Diagnostic>> {
    Files::of(region).open_at_startup(region).await;
    let paired = Attachment::of(region).are_pairs().await;
    paired.map_err(|why| vec![Diagnostic::error(codes::NO_PAIR, why).help(sql::NO_PAIR)])?;
    let authority = authority(region, &config.sit.security)?;
    operation::program_lists::run_at_startup(region, &authority).await;
    Ok(())
}

/// Services that programs CALL: those of doors, and EXEC SQL.
fn called(doors: &Doors) -> Vec<Arc<dyn Service>> {
    let attachment: Arc<dyn Service> = Arc::new(ExecSql);
    doors.services().into_iter().chain([attachment]).collect()
}

impl Closed {
    /// Opens the doors, and lets go what was started before.
    async fn open(
        self,
        root: &Path,
        state: &Path,
        config: &RegionConfig,
        tap: Option<Rc<dyn Tap>>,
    ) -> Result<Running, Vec<Diagnostic>> {
        let Self { region, users, audit, mut doors, toolchain, site, recovered, resumptions, .. } = self;
        let sharing = sharing::begin(root, config, &region)?;
        let inside =
            Inside { region: &region, site: &site, users: &users, state, sharing: sharing.as_ref(), tap };
        doors.open(&inside).await?;
        let security_files = [users.profile_file().path().to_owned(), users.path().to_owned()];
        tracing::info!(target: "SI", "{recovered}");
        restart::release(&region);
        Dispatcher::of(&region).started();
        Health::of(&region).begin();
        Ok(Running {
            watches: vec![
                tokio::task::spawn_local(expire_queues(Arc::downgrade(&region))),
                tokio::task::spawn_local(profile_file::watch(Arc::downgrade(&region), security_files)),
                tokio::task::spawn_local(operation::start::watch(Arc::downgrade(&region))),
                tokio::task::spawn_local(resolved::resume(Arc::downgrade(&region), resumptions)),
                tokio::task::spawn_local(kernel::recovery::resynchronise(Arc::downgrade(&region))),
            ],
            region,
            toolchain,
            recovered,
            audit,
            doors,
            sharing,
            cool_down: Duration::from_secs(config.ports.cool_down_s.into()),
        })
    }
}

/// PLTPIUSR and PLTPISEC.
///
/// # Errors
/// The user is not defined.
fn authority(region: &Region, sit: &SecuritySit) -> Result<Authority, Vec<Diagnostic>> {
    let known = |id: &String| {
        let user = kernel::security::Users::of(region).file.user(id).map(Arc::new);
        let text = format!("PLTPIUSR in [sit] names user {id}, who is not defined");
        let help = "programs of the startup list run on that user's behalf: `syncpoint user add` adds it";
        user.ok_or_else(|| vec![Diagnostic::error(codes::NO_USER, text).help(help)])
    };
    let user = sit.pltpiusr.as_ref().map(known).transpose()?;
    Ok(Authority { user, commands: sit.pltpisec.commands, resources: sit.pltpisec.resources })
}

fn not_restarted(error: records::Error) -> Vec<Diagnostic> {
    vec![Diagnostic::error(codes::START, format!("what the last run has left cannot be read: {error}"))]
}
