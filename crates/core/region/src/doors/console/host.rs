//! A region for its console.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::Instant;

use ::console::{About, Answered, Change, Claim, Host, Look, NotSignedOn, Person, Refused};
use kernel::lines::Site;
use kernel::name::{Name8, TransactionName};
use kernel::region::Region;
use kernel::security::{
    Credentials, Refusal, Secret, Security, SignOnError, User, Users, check, may_attach, may_read,
};
use kernel::transactions::Transactions;
use security::{Class, Level};

use super::errand::{self, Errand, TRANSACTION};
use super::faults;
use super::figures::Reader;
use crate::doors::Inside;
use crate::folders::RECORD_FOLDER;
use crate::users::Users as Certificates;

/// The name in the audit of the place where users of the console sign on.
const PLACE: &str = "console";
/// The command that takes a dump: users who may look at what it has may read dumps, the trace and the log.
const DUMP: &str = "DUMP";

/// A region that is watched and operated.
pub(super) struct Watched {
    region: Weak<Region>,
    users: Arc<Certificates>,
    figures: Arc<Reader>,
    dumps: PathBuf,
    records: PathBuf,
    about: About,
}

impl Watched {
    pub fn new(inside: &Inside<'_>) -> Self {
        let options = &inside.region.options;
        Self {
            region: Arc::downgrade(inside.region),
            users: Arc::clone(inside.users),
            figures: Arc::new(Reader::new()),
            dumps: options.dump_folder.clone(),
            records: inside.state.join(RECORD_FOLDER),
            about: About {
                applid: options.applid.to_string(),
                sysid: options.sysid.to_string(),
                version: String::from(env!("CARGO_PKG_VERSION")),
                unpeopled: false,
            },
        }
    }

    fn region(&self) -> Result<Arc<Region>, Refused> {
        self.region.upgrade().ok_or(Refused::Ended)
    }

    /// Reads files of the state folder, on a thread that serves no clients.
    async fn read(&self, user: &User, read: impl FnOnce() -> Answered + Send + 'static) -> Answered {
        if !may_diagnose(&*self.region()?, user) {
            return Err(Refused::NotPermitted);
        }
        tokio::task::spawn_blocking(read).await.unwrap_or(Err(Refused::Ended))
    }
}

/// Returns true if the user may look at the region.
fn may_inquire(region: &Region, user: &User) -> bool {
    let transaction = Transactions::of(region).get(TransactionName::from(TRANSACTION));
    transaction.is_some_and(|transaction| may_attach(region, user, &transaction))
}

/// Returns true if the user may read what has data of others.
fn may_diagnose(region: &Region, user: &User) -> bool {
    match Security::of(region) {
        None => user.operate && !user.is_default,
        Some(_) => !user.is_default && may_read(region, user, Class::Cmd, DUMP),
    }
}

impl Host for Watched {
    type User = Arc<User>;

    fn about(&self) -> About {
        let unpeopled = self.region.upgrade().is_some_and(|region| Users::of(&region).file.is_empty());
        About { unpeopled, ..self.about.clone() }
    }

    async fn sign_on(&self, claim: Claim) -> Result<Arc<User>, NotSignedOn> {
        static LINES: Site = Site::new();
        let region = self.region.upgrade().ok_or(NotSignedOn::Silent)?;
        let credentials = Credentials {
            user: Name8::from(claim.user.to_ascii_uppercase().as_str()),
            secret: Secret::typed(claim.password),
            new: claim.new_password.filter(|new| !new.is_empty()),
            signs_on: true,
            address: Some(claim.peer.ip()),
            terminal: String::from(PLACE),
        };
        let checked = check(&region, credentials, || LINES.may_write(Instant::now()).0).await;
        let verified = checked.map_err(|_| NotSignedOn::Silent)?.map_err(|why| match why {
            // The same answer, so that it does not help guessing.
            SignOnError::UnknownUser | SignOnError::WrongPassword => NotSignedOn::Wrong,
            SignOnError::Revoked => NotSignedOn::Revoked,
            SignOnError::Expired => NotSignedOn::Expired,
            SignOnError::NewRefused(why) => NotSignedOn::NewRefused(why),
            SignOnError::Silent => NotSignedOn::Silent,
        })?;
        tracing::info!(target: "SN", "{} has signed on at the console", verified.user.id);
        Ok(Arc::new(verified.user))
    }

    fn certified(&self, fingerprint: &str) -> Option<Arc<User>> {
        let (user, _) = self.users.of_certificate(fingerprint)?;
        tracing::info!(target: "SN", "{} has signed on at the console by a certificate", user.id);
        Some(Arc::new(user))
    }

    fn owner(&self, fingerprint: &str) -> Option<Arc<User>> {
        self.users.owner_of_certificate(fingerprint).map(Arc::new)
    }

    fn nobody(&self) -> Option<Arc<User>> {
        Some(Arc::clone(&Users::of(&*self.region.upgrade()?).default))
    }

    fn again(&self, user: &Arc<User>) -> Option<Arc<User>> {
        let region = self.region.upgrade()?;
        let users = Users::of(&region);
        if user.is_default { Some(Arc::clone(&users.default)) } else { users.file.again(user).map(Arc::new) }
    }

    fn signed_off(&self, user: &Arc<User>) {
        if let Some(region) = self.region.upgrade().filter(|_| !user.is_default) {
            Users::of(&region).file.signed_off(user, PLACE);
        }
    }

    fn id(&self, user: &Arc<User>) -> String {
        user.id.to_string()
    }

    fn person(&self, user: &Arc<User>) -> Person {
        let region = self.region.upgrade();
        let may = |may: fn(&Region, &User) -> bool| region.as_ref().is_some_and(|region| may(region, user));
        let inquires = may(may_inquire);
        let secured = region.as_ref().is_some_and(|region| Security::of(region).is_some());
        Person {
            user: self.id(user),
            name: user.name.clone(),
            inquires,
            operates: inquires && !user.is_default && (secured || user.operate),
            diagnoses: may(may_diagnose),
            default: user.is_default,
        }
    }

    fn refused(&self, user: Option<&Arc<User>>, peer: SocketAddr, what: &str) {
        let Some(region) = self.region.upgrade() else { return };
        Users::of(&region).file.refused(&Refusal {
            user: user.map_or_else(String::new, |user| user.id.to_string()),
            transaction: String::from(TRANSACTION),
            terminal: PLACE.to_owned(),
            class: String::new(),
            resource: what.to_owned(),
            wanted: Level::Update,
            why: format!("a page of another origin has asked, from {}", peer.ip()),
        });
    }

    async fn look(&self, user: Arc<User>, look: Look) -> Answered {
        let region = self.region()?;
        let (dumps, records) = (self.dumps.clone(), self.records.clone());
        match look {
            Look::Now => {
                let (figures, read) = (Arc::clone(&self.figures), Arc::clone(&region));
                let figures = tokio::task::spawn_blocking(move || figures.read(&read)).await;
                let figures = figures.map_err(|_| Refused::Ended)?;
                errand::send(&region, user, Errand::Now(figures)).await
            }
            Look::Dumps => self.read(&user, move || faults::dumps(&dumps)).await,
            Look::Dump(name) => self.read(&user, move || faults::dump(&dumps, &name)).await,
            Look::Trace(task) => self.read(&user, move || faults::trace(&records, task)).await,
            other => errand::send(&region, user, Errand::Look(other)).await,
        }
    }

    async fn change(&self, user: Arc<User>, change: Change) -> Answered {
        errand::send(&self.region()?, user, Errand::Change(change)).await
    }
}
