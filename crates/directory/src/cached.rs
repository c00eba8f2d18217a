//! The answers of a directory, kept for a while after it falls silent.

use std::time::{Duration, Instant};

use foldhash::{HashMap, HashMapExt};
use parking_lot::Mutex;
use security::password;

use crate::{Answer, Directory, Entry, Failure};

/// The number of users that are remembered.
const KEPT_MAX: usize = 10_000;

/// A directory whose last answers count for a given time once it cannot be asked; after that sign-on fails.
///
/// It is asked each time: remembered answers count only while it is silent. Passwords are remembered as their hashes.
pub struct Cached<D> {
    directory: D,
    lasts: Duration,
    kept: Mutex<HashMap<String, Kept>>,
}

/// The remembered answers about a user.
#[derive(Clone)]
struct Kept {
    entry: Entry,
    /// The hash of the password that was right, if one was.
    hash: Option<String>,
    heard: Instant,
}

impl<D: Directory> Cached<D> {
    /// A directory, and for how long its words count.
    pub fn new(directory: D, lasts: Duration) -> Self {
        Self { directory, lasts, kept: Mutex::new(HashMap::new()) }
    }

    fn keep(&self, entry: &Entry, hash: Option<String>) {
        let mut kept = self.kept.lock();
        let former = kept.remove(&entry.user);
        if kept.len() >= KEPT_MAX {
            kept.retain(|_, kept| kept.heard.elapsed() < self.lasts);
            if kept.len() >= KEPT_MAX {
                kept.clear();
            }
        }
        let hash = hash.or_else(|| former.and_then(|former| former.hash));
        kept.insert(entry.user.clone(), Kept { entry: entry.clone(), hash, heard: Instant::now() });
    }

    fn kept(&self, user: &str) -> Option<Kept> {
        let kept = self.kept.lock().get(&user.to_ascii_uppercase()).cloned();
        kept.filter(|kept| kept.heard.elapsed() < self.lasts)
    }

    async fn ask(&self, user: &str, password: &str) -> Result<Entry, Failure> {
        match self.directory.sign_on(user, password).await {
            Ok(entry) => {
                self.keep(&entry, hashed(password).await);
                Ok(entry)
            }
            Err(Failure::Silent(why)) => {
                let known = self.kept(user).and_then(|kept| Some((kept.entry, kept.hash?)));
                let Some((entry, hash)) = known else { return Err(Failure::Silent(why)) };
                match verified(password, hash).await {
                    true => {
                        tracing::warn!(target: "XS", "{user} is signed on by what the directory said before: {why}");
                        Ok(entry)
                    }
                    false => Err(Failure::Wrong),
                }
            }
            Err(failure) => {
                // A user who is locked, or whose password has expired, must not sign on by the old password later.
                if matches!(failure, Failure::Locked | Failure::Expired) {
                    self.kept.lock().remove(&user.to_ascii_uppercase());
                }
                Err(failure)
            }
        }
    }

    async fn look_for(&self, user: &str) -> Result<Option<Entry>, Failure> {
        match self.directory.find(user).await {
            Ok(Some(entry)) => {
                self.keep(&entry, None);
                Ok(Some(entry))
            }
            Ok(None) => Ok(None),
            Err(failure) => self.kept(user).map(|kept| Some(kept.entry)).ok_or(failure),
        }
    }
}

impl<D: Directory> Directory for Cached<D> {
    fn sign_on<'a>(&'a self, user: &'a str, password: &'a str) -> Answer<'a, Entry> {
        Box::pin(self.ask(user, password))
    }

    fn find<'a>(&'a self, user: &'a str) -> Answer<'a, Option<Entry>> {
        Box::pin(self.look_for(user))
    }
}

/// The hash of a password, made off the caller's thread: it takes a while by design.
async fn hashed(password: &str) -> Option<String> {
    let password = password.to_owned();
    let hash = tokio::task::spawn_blocking(move || {
        let mut salt = [0; password::SALT_LENGTH];
        getrandom::fill(&mut salt).ok()?;
        password::hash(&password, salt)
    });
    hash.await.ok().flatten()
}

async fn verified(password: &str, hash: String) -> bool {
    let password = password.to_owned();
    tokio::task::spawn_blocking(move || password::verify(&password, &hash)).await.unwrap_or(false)
}
