//! Users for the kernel, from `users.toml`: read again when the file has changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use config::{ANY_USER, Right, SecurityConfig};
use diagnostics::{Source, any_error};
use kernel::name::Name8;
use kernel::security::{SignOnError, StartsAs, User, UserFile};
use parking_lot::Mutex;

/// The users file as the kernel asks it.
pub(crate) struct Users {
    path: PathBuf,
    state: Mutex<State>,
}

/// The users, and the file that they were read from.
struct State {
    users: Arc<config::Users>,
    stamp: Option<Stamp>,
}

/// By which a file that has changed is known.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    length: u64,
}

impl Users {
    /// Users that were just read from this file; it may not be there yet.
    pub fn new(users: config::Users, path: PathBuf) -> Self {
        let stamp = stamp(&path);
        Self { path, state: Mutex::new(State { users: Arc::new(users), stamp }) }
    }

    /// The user of a client's certificate, with the groups; one that is revoked is none.
    pub fn of_certificate(&self, fingerprint: &str) -> Option<(User, Vec<String>)> {
        let users = self.now();
        let user = users.of_certificate(fingerprint).filter(|user| !user.revoked)?;
        Some((as_user(user), user.groups.clone()))
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

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some(Stamp { modified: metadata.modified().ok()?, length: metadata.len() })
}

impl UserFile for Users {
    fn sign_on(&self, user: &str, password: &str) -> Result<User, SignOnError> {
        let users = self.now();
        match users.sign_on(user, password) {
            Some(user) if user.revoked => Err(SignOnError::Revoked),
            Some(user) => Ok(as_user(user)),
            None if users.find(user).is_none() => Err(SignOnError::UnknownUser),
            None => Err(SignOnError::WrongPassword),
        }
    }

    fn user(&self, user: &str) -> Option<User> {
        self.now().find(user).map(as_user)
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
    }
}

fn starts_as(users: &[String]) -> StartsAs {
    match users.iter().any(|user| user == ANY_USER) {
        true => StartsAs::Anybody,
        false => StartsAs::Users(users.iter().map(|user| Name8::from(user.as_str())).collect()),
    }
}

/// The user of terminals that nobody has signed on at.
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
    }
}
