//! Users for the kernel: of `users.toml`, which is read again when it has changed, and of a directory beside it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use audit::{Kind, Record};
use config::{ANY_USER, Right, SecurityConfig, Shown, day_number};
use diagnostics::{Diagnostic, Source, any_error};
use directory::{Directory, DirectoryEntry, Failure, PassTickets, TokenError, Tokens, Used};
use kernel::name::Name8;
use kernel::security::{
    Change, Credentials, Refusal, Secret, SignOnError, Standing, StartsAs, User, UserFile, Verified,
    undecided,
};
use parking_lot::Mutex;
use security::rules::{Age, Rules};
use security::{Classes, Profiles, password};
use tokio::runtime::Handle;

use crate::auditing::Auditing;
use crate::profile_file::{ProfileFile, Stamp, stamp};
use crate::users_file::{NotTaken, with_new_password};
use crate::{directories, users_file};

/// Users of the directory that are remembered.
const SEEN_MAX: usize = 10_000;

/// The users as the kernel asks for them.
pub(crate) struct Users {
    path: PathBuf,
    state: Mutex<State>,
    directory: Option<Served>,
    tokens: Option<Taken>,
    tickets: PassTickets,
    /// At which application tickets are good here.
    applid: String,
    profiles: ProfileFile,
    /// Rules of new passwords, and of their age.
    rules: Rules,
    /// When passwords were right last, by user: seconds since 1970.
    last_used: Mutex<HashMap<String, i64>>,
    audit: Auditing,
}

/// The users of the file, and the file that they were read from.
struct State {
    users: Arc<config::Users>,
    stamp: Option<Stamp>,
}

/// Tokens that are taken.
struct Taken {
    tokens: Tokens,
    /// Rights of users that the file does not name.
    rights: Vec<Right>,
    /// Runtime on which the provider is asked.
    runtime: Handle,
}

/// A directory, and whom it has named.
struct Served {
    directory: Arc<dyn Directory>,
    /// Rights of its users that the file does not name.
    rights: Vec<Right>,
    lasts: Duration,
    seen: Mutex<HashMap<String, (DirectoryEntry, Instant)>>,
    /// Runtime on which it is asked: a check of a password waits on a thread of its own.
    runtime: Handle,
}

impl Users {
    /// Users that were just read from this file, which may not be there yet, and those of the directory.
    ///
    /// # Errors
    /// A directory that cannot be asked as the configuration says.
    pub fn new(
        users: config::Users,
        path: PathBuf,
        root: &Path,
        config: &SecurityConfig,
        (applid, classes): (&str, &Classes),
        audit: Auditing,
    ) -> Result<Self, Vec<Diagnostic>> {
        let profiles = ProfileFile::new(root, &config.profiles, classes.clone());
        let stamp = stamp(&path);
        let directory = directories::directory(root, config.ldap.as_ref())?;
        let served = |(directory, ldap): (Arc<dyn Directory>, &config::LdapConfig)| Served {
            directory,
            rights: ldap.rights.clone(),
            lasts: Duration::from_secs(u64::from(ldap.cached_min) * 60),
            seen: Mutex::default(),
            runtime: Handle::current(),
        };
        let directory = directory.zip(config.ldap.as_ref()).map(served);
        let tokens = directories::tokens(root, config.oidc.as_ref())?.zip(config.oidc.as_ref());
        let tokens = tokens.map(|(tokens, oidc)| Taken {
            tokens,
            rights: oidc.rights.clone(),
            runtime: Handle::current(),
        });
        Ok(Self {
            tokens,
            tickets: directories::tickets(root, config.ticket_key.as_ref())?,
            applid: applid.to_owned(),
            path,
            state: Mutex::new(State { users: Arc::new(users), stamp }),
            directory,
            profiles,
            rules: config.passwords.rules.clone(),
            last_used: Mutex::default(),
            audit,
        })
    }

    /// The file of profiles.
    pub fn profile_file(&self) -> &ProfileFile {
        &self.profiles
    }

    /// The users file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The user of a client's certificate, with the groups; one that is revoked is none.
    pub fn of_certificate(&self, fingerprint: &str) -> Option<(User, Vec<String>)> {
        let users = self.now();
        let user = users.of_certificate(fingerprint).filter(|user| !user.revoked);
        let record = match user {
            Some(user) => Record::new(Kind::SignedOn).with("user", &user.userid),
            None => Record::new(Kind::NotSignedOn),
        };
        self.audit.record(&record.with("certificate", fingerprint));
        user.map(|user| (as_user(user), user.groups.clone()))
    }

    /// The user of a client's certificate, without a sign-on; one that is revoked is none.
    pub fn owner_of_certificate(&self, fingerprint: &str) -> Option<User> {
        self.now().of_certificate(fingerprint).filter(|user| !user.revoked).map(as_user)
    }

    /// From now on a certificate is that user's, who has proved it by a password. Only users of the file have certificates.
    ///
    /// # Errors
    /// The user is not in the file, or the file cannot be written.
    pub fn register_certificate(&self, fingerprint: &str, user: &str) -> Result<(), String> {
        let mut changed = self.now().find(user).cloned().ok_or("the user is not in the users file")?;
        if changed.certificates.iter().any(|own| own == fingerprint) {
            return Ok(());
        }
        changed.certificates.push(fingerprint.to_owned());
        users_file::keep(&self.path, &changed).map_err(|error| error.to_string())?;
        let record = Record::new(Kind::Security).with("user", user).with("changed", "certificates");
        self.audit.record(&record);
        Ok(())
    }

    /// The users as the file has them now. One that cannot be used leaves them as they are.
    fn now(&self) -> Arc<config::Users> {
        let mut state = self.state.lock();
        let stamp = stamp(&self.path);
        if stamp != state.stamp {
            state.stamp = stamp;
            let path = self.path.display();
            let text = if stamp.is_some() { fs::read_to_string(&self.path) } else { Ok(String::new()) };
            let read = text.map(|text| config::users(&Source::new(path.to_string(), text)));
            match read {
                Ok((users, messages)) if !any_error(&messages) => {
                    tracing::info!(target: "XS", "{path} has changed: its users are in force");
                    state.users = Arc::new(users);
                    self.audit.record(&Record::new(Kind::Security).with("users", &path.to_string()));
                }
                Ok(_) => tracing::error!(
                    target: "XS",
                    "{path} has changed and has errors: the users stay as they were; syncpoint user list says what is wrong"
                ),
                Err(error) => tracing::error!(
                    target: "XS",
                    "{path} has changed and cannot be read: {error}; the users stay as they were"
                ),
            }
        }
        Arc::clone(&state.users)
    }
}

/// Seconds of a day.
const DAY_S: i64 = 24 * 60 * 60;

impl Users {
    /// A user of the file, or of the directory if the file has no password for the user.
    fn checked(&self, credentials: &Credentials) -> Result<Verified, SignOnError> {
        let users = self.now();
        let (id, text) = (credentials.user.to_string(), credentials.secret.text());
        let shown = match credentials.secret {
            Secret::Password(_) => Shown::Password,
            Secret::Phrase(_) => Shown::Phrase,
        };
        let known = users.find(&id);
        if let Some(ticket) = self.of_ticket(&id, credentials) {
            return ticket;
        }
        let of_file = known.is_some_and(|known| known.password.is_some() || known.phrase.is_some());
        if let Some(served) = self.directory.as_ref().filter(|_| !of_file) {
            let user = served.sign_on(&id, text, known)?;
            // Its passwords are changed where they are kept.
            return match credentials.new {
                Some(_) => Err(SignOnError::Silent),
                None => Ok(Verified { user, standing: Standing::default() }),
            };
        }
        match users.verified(&id, text, shown) {
            Some(user) if user.revoked => Err(SignOnError::Revoked),
            Some(user) => self.current(user, shown, credentials.new.as_deref()),
            None if known.is_none() => Err(SignOnError::UnknownUser),
            None => Err(SignOnError::WrongPassword),
        }
    }

    /// Verdict on a PassTicket; `None` if the credentials are not a PassTicket.
    fn of_ticket(&self, id: &str, credentials: &Credentials) -> Option<Result<Verified, SignOnError>> {
        let Secret::Password(text) = &credentials.secret else { return None };
        match self.tickets.take(id, &self.applid, text, SystemTime::now()) {
            Used::None => None,
            Used::Before => Some(Err(SignOnError::WrongPassword)),
            // A ticket changes no password.
            Used::Now if credentials.new.is_some() => Some(Err(SignOnError::WrongPassword)),
            Used::Now => Some(match self.user(id) {
                Some(_) if self.now().find(id).is_some_and(|user| user.revoked) => Err(SignOnError::Revoked),
                Some(user) => Ok(Verified { user, standing: Standing::default() }),
                None => Err(SignOnError::UnknownUser),
            }),
        }
    }

    /// A user whose password was right: it is changed where a new one is given, and must be where it has expired.
    fn current(&self, user: &config::User, shown: Shown, new: Option<&str>) -> Result<Verified, SignOnError> {
        let changed = match new {
            Some(new) => Some(self.with_new(user, shown, new)?),
            None => None,
        };
        let user = changed.as_ref().unwrap_or(user);
        let standing = self.standing(user).ok_or(SignOnError::Expired)?;
        Ok(Verified { user: as_user(user), standing })
    }

    fn with_new(&self, user: &config::User, shown: Shown, new: &str) -> Result<config::User, SignOnError> {
        if user.hash(shown).is_some_and(|hash| password::verify(new, hash)) {
            return Err(SignOnError::NewRefused(String::from("it is the present one")));
        }
        let changed = with_new_password(user, shown, new, &self.rules).map_err(|why| match why {
            NotTaken::Rules(complaint) => SignOnError::NewRefused(complaint),
            NotTaken::Randomness(_) => SignOnError::Silent,
        })?;
        users_file::keep(&self.path, &changed).map_err(|error| {
            tracing::error!(target: "XS", "{} cannot be changed: {error}", self.path.display());
            SignOnError::Silent
        })?;
        self.audit
            .record(&Record::new(Kind::Security).with("user", &user.userid).with("changed", "password"));
        Ok(changed)
    }

    /// State of a user's password; `None` if it has expired. One of unknown age has, wherever passwords do.
    fn standing(&self, user: &config::User) -> Option<Standing> {
        let now = users_file::now();
        let today = u32::try_from(now / DAY_S).unwrap_or_default();
        let set = user.changed.as_deref().and_then(day_number);
        let days_left = match self.rules.age(set.unwrap_or_default(), today) {
            Age::Good(days_left) => days_left,
            Age::Expired => return None,
        };
        let second = |day: u32| i64::from(day) * DAY_S;
        let mut last_used = self.last_used.lock();
        let before = last_used.get(&user.userid).copied();
        if before.is_some() || last_used.len() < SEEN_MAX {
            last_used.insert(user.userid.clone(), now);
        }
        Some(Standing {
            changed: set.map(second),
            expires: days_left.map(|days| second(today + days)),
            days_left,
            last_used: before,
            wrong: 0,
        })
    }
}

impl UserFile for Users {
    fn certificates_again(&self) -> Result<usize, Vec<String>> {
        ports::read_certificates_again()
    }

    fn sign_on(&self, credentials: &Credentials) -> Result<Verified, SignOnError> {
        let checked = self.checked(credentials);
        let kind = match &checked {
            Ok(_) if !credentials.signs_on => return checked,
            Ok(_) => Kind::SignedOn,
            Err(_) => Kind::NotSignedOn,
        };
        self.audit.record(&attempt(kind, credentials));
        checked
    }

    fn token(&self, token: &str, signs_on: Option<&str>) -> Result<User, SignOnError> {
        let checked = self.of_token(token);
        let record = match &checked {
            Ok(_) if signs_on.is_none() => return checked,
            Ok(user) => Record::new(Kind::SignedOn).with("user", &user.id.to_string()),
            Err(why) => Record::new(Kind::NotSignedOn).with("why", &format!("a token: {why:?}")),
        };
        self.audit.record(&record.with("terminal", signs_on.unwrap_or_default()));
        checked
    }

    fn pass_ticket(&self, user: Name8, application: &str) -> Option<String> {
        let user = user.to_string();
        let ticket = self.tickets.issue(&user, application, SystemTime::now())?;
        let record = Record::new(Kind::Security).with("user", &user);
        self.audit.record(&record.with("passticket-for", application));
        Some(ticket)
    }

    fn not_signed_on(&self, credentials: &Credentials, why: &str) {
        self.audit.record(&attempt(Kind::NotSignedOn, credentials).with("why", why));
    }

    fn signed_off(&self, user: &User, terminal: &str) {
        let record = Record::new(Kind::SignedOff).with("user", &user.id.to_string());
        self.audit.record(&record.with("terminal", terminal));
    }

    fn is_empty(&self) -> bool {
        self.directory.is_none() && self.tokens.is_none() && self.now().iter().next().is_none()
    }

    fn user(&self, user: &str) -> Option<User> {
        match self.now().find(user) {
            Some(known) => {
                let seen = self.directory.as_ref().and_then(|served| served.seen(user, Some(known)));
                Some(seen.unwrap_or_else(|| as_user(known)))
            }
            None => self.directory.as_ref()?.seen(user, None),
        }
    }

    fn again(&self, user: &User) -> Option<User> {
        let users = self.now();
        let is_asked = self.directory.is_some() || self.tokens.is_some();
        let id = user.id.to_string();
        match users.find(&id) {
            Some(known) if known.revoked => None,
            Some(known) => {
                let seen = self.directory.as_ref().and_then(|served| served.seen(&id, Some(known)));
                let mut again = seen.unwrap_or_else(|| as_user(known));
                if known.password.is_none() && known.phrase.is_none() && is_asked {
                    // What a server has said at the sign-on stays.
                    again.groups.extend(user.groups.iter().cloned());
                }
                Some(again)
            }
            // A user that only a server knows stays until the next sign-on.
            None => is_asked.then(|| User { decisions: undecided(), ..user.clone() }),
        }
    }

    fn profiles(&self) -> Result<Arc<Profiles>, String> {
        let read = self.profiles.read();
        let said = match &read {
            Ok(profiles) => format!("{} profiles are in force", profiles.count()),
            Err(_) => String::from("the profiles cannot be used"),
        };
        self.audit.record(&Record::new(Kind::Security).with("profiles", &said));
        read.map(Arc::new)
    }

    fn changed(&self, change: &Change) {
        let Change { user, transaction, command, resource, given } = change;
        let record = Record::new(Kind::Definition)
            .with("user", user)
            .with("transaction", transaction)
            .with("command", command)
            .with("resource", resource)
            .with("given", given);
        self.audit.record(&record);
    }

    fn refused(&self, refusal: &Refusal) {
        let Refusal { user, transaction, terminal, class, resource, wanted, why } = refusal;
        let record = Record::new(Kind::Refused)
            .with("user", user)
            .with("transaction", transaction)
            .with("terminal", terminal)
            .with("class", class)
            .with("resource", resource)
            .with("wanted", &wanted.to_string())
            .with("why", why);
        self.audit.record(&record);
    }
}

impl Users {
    /// The user whom a token names: with the rights of the file, or those of users of tokens, and the groups of both.
    fn of_token(&self, token: &str) -> Result<User, SignOnError> {
        let Some(Taken { tokens, rights, runtime }) = &self.tokens else { return Err(SignOnError::Silent) };
        let entry = runtime.block_on(tokens.verify(token, SystemTime::now())).map_err(|why| {
            tracing::warn!(target: "XS", "a token is refused: {why}");
            match why {
                TokenError::Silent(_) => SignOnError::Silent,
                TokenError::NotNow => SignOnError::Expired,
                TokenError::Bad(_) | TokenError::Elsewhere => SignOnError::WrongPassword,
                TokenError::NoUser(_) => SignOnError::UnknownUser,
            }
        })?;
        let users = self.now();
        let known = users.find(&entry.user);
        if known.is_some_and(|known| known.revoked) {
            return Err(SignOnError::Revoked);
        }
        Ok(named(&entry, known, rights))
    }
}

/// A user whom a server names: with the rights that the file gives, or these, and the groups of both.
fn named(entry: &DirectoryEntry, known: Option<&config::User>, rights: &[Right]) -> User {
    let of_server =
        || config::User { userid: entry.user.clone(), rights: rights.to_vec(), ..config::User::default() };
    let mut user = known.cloned().unwrap_or_else(of_server);
    user.groups.extend(entry.groups.iter().cloned());
    as_user(&user)
}

/// A record of an attempt to sign on.
fn attempt(kind: Kind, credentials: &Credentials) -> Record {
    let address = credentials.address.map_or_else(String::new, |address| address.to_string());
    Record::new(kind)
        .with("user", &credentials.user.to_string())
        .with("terminal", &credentials.terminal)
        .with("address", &address)
}

impl Served {
    /// Asks the directory: this waits, for as long as the directory's own limit. `known`: what the file says of the user.
    fn sign_on(&self, user: &str, password: &str, known: Option<&config::User>) -> Result<User, SignOnError> {
        if known.is_some_and(|known| known.revoked) {
            return Err(SignOnError::Revoked);
        }
        match self.runtime.block_on(self.directory.sign_on(user, password)) {
            Ok(entry) => {
                let user = self.as_user(&entry, known);
                self.remember(entry);
                Ok(user)
            }
            Err(Failure::Wrong) => Err(SignOnError::WrongPassword),
            Err(failure @ Failure::Silent(_)) => {
                tracing::error!(target: "XS", "{user} is not signed on: {failure}");
                Err(SignOnError::Silent)
            }
            Err(failure @ (Failure::Locked | Failure::Expired)) => {
                tracing::warn!(target: "XS", "{user} is not signed on: {failure}");
                Err(SignOnError::Revoked)
            }
        }
    }

    /// A user who has signed on before: no task waits for a directory to hear of a user.
    fn seen(&self, user: &str, known: Option<&config::User>) -> Option<User> {
        let seen = self.seen.lock();
        let (entry, at) = seen.get(&user.to_ascii_uppercase())?;
        (at.elapsed() < self.lasts).then(|| self.as_user(entry, known))
    }

    fn remember(&self, entry: DirectoryEntry) {
        let mut seen = self.seen.lock();
        if seen.len() >= SEEN_MAX {
            seen.retain(|_, (_, at)| at.elapsed() < self.lasts);
        }
        if seen.len() < SEEN_MAX {
            seen.insert(entry.user.clone(), (entry, Instant::now()));
        }
    }

    /// A user of the directory.
    fn as_user(&self, entry: &DirectoryEntry, known: Option<&config::User>) -> User {
        named(entry, known, &self.rights)
    }
}

fn as_user(user: &config::User) -> User {
    User {
        id: Name8::from(user.userid.as_str()),
        name: user.name.clone(),
        run: user.may(Right::Run),
        inquire: user.may(Right::Inquire),
        operate: user.may(Right::Operate),
        starts_as: starts_as(&user.starts_as),
        is_default: false,
        groups: user.groups.clone(),
        unchecked: false,
        decisions: undecided(),
        within: None,
    }
}

fn starts_as(users: &[String]) -> StartsAs {
    match users.iter().any(|user| user == ANY_USER) {
        true => StartsAs::Anybody,
        false => StartsAs::Users(users.iter().map(|user| Name8::from(user.as_str())).collect()),
    }
}

/// The user of terminals without a signed-on user.
pub(crate) fn default_user(id: &str, security: &SecurityConfig) -> User {
    let rights = &security.default_rights;
    User {
        id: Name8::from(id),
        name: String::new(),
        run: rights.contains(&Right::Run),
        inquire: rights.contains(&Right::Inquire),
        operate: rights.contains(&Right::Operate),
        starts_as: starts_as(&security.default_starts_as),
        is_default: true,
        groups: Vec::new(),
        unchecked: false,
        decisions: undecided(),
        within: None,
    }
}
