//! The answers of a directory, kept for a while after it falls silent.

use std::time::{Duration, Instant};

use foldhash::{HashMap, HashMapExt};
use parking_lot::Mutex;
use security::password;

use crate::{Answer, Directory, DirectoryEntry, Failure};

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
    entry: DirectoryEntry,
    heard: Instant,
    /// The password that was right, if one was.
    password: Option<Password>,
}

/// A password that the directory has accepted.
#[derive(Clone)]
struct Password {
    hash: String,
    heard: Instant,
}

impl<D: Directory> Cached<D> {
    /// A directory, and for how long its words count.
    pub fn new(directory: D, lasts: Duration) -> Self {
        Self { directory, lasts, kept: Mutex::new(HashMap::new()) }
    }

    fn keep(&self, entry: &DirectoryEntry, hash: Option<String>) {
        let mut kept = self.kept.lock();
        let former = kept.remove(&entry.user);
        if kept.len() >= KEPT_MAX {
            kept.retain(|_, kept| kept.heard.elapsed() < self.lasts);
            if kept.len() >= KEPT_MAX {
                kept.clear();
            }
        }
        let heard = Instant::now();
        let password = hash.map(|hash| Password { hash, heard });
        let password = password.or_else(|| former.and_then(|former| former.password));
        kept.insert(entry.user.clone(), Kept { entry: entry.clone(), heard, password });
    }

    fn kept(&self, user: &str) -> Option<Kept> {
        let kept = self.kept.lock().get(&user.to_ascii_uppercase()).cloned();
        kept.filter(|kept| kept.heard.elapsed() < self.lasts)
    }

    fn forget(&self, user: &str) {
        self.kept.lock().remove(&user.to_ascii_uppercase());
    }

    /// The remembered entry of a user and the hash of the password, if both still count.
    fn known(&self, user: &str) -> Option<(DirectoryEntry, String)> {
        let Kept { entry, password, .. } = self.kept(user)?;
        let password = password.filter(|password| password.heard.elapsed() < self.lasts)?;
        Some((entry, password.hash))
    }

    async fn ask(&self, user: &str, password: &str) -> Result<DirectoryEntry, Failure> {
        match self.directory.sign_on(user, password).await {
            Ok(entry) => {
                self.keep(&entry, hashed(password).await);
                Ok(entry)
            }
            Err(Failure::Silent(why)) => {
                let Some((entry, hash)) = self.known(user) else { return Err(Failure::Silent(why)) };
                match verified(password, hash).await {
                    true => {
                        tracing::warn!(target: "XS", "{user} is signed on by what the directory said before: {why}");
                        Ok(entry)
                    }
                    false => Err(Failure::Wrong),
                }
            }
            // A user who is locked, or whose password has expired, must not sign on by the old password later.
            Err(failure @ (Failure::Locked | Failure::Expired)) => {
                self.forget(user);
                Err(failure)
            }
            // Nor by one that the directory refuses now. A guess that is not the remembered password takes nothing away.
            Err(Failure::Wrong) => {
                if let Some((_, hash)) = self.known(user)
                    && verified(password, hash).await
                {
                    self.forget(user);
                }
                Err(Failure::Wrong)
            }
        }
    }

    async fn look_for(&self, user: &str) -> Result<Option<DirectoryEntry>, Failure> {
        match self.directory.find(user).await {
            Ok(Some(entry)) => {
                self.keep(&entry, None);
                Ok(Some(entry))
            }
            Ok(None) => {
                self.forget(user);
                Ok(None)
            }
            Err(failure) => self.kept(user).map(|kept| Some(kept.entry)).ok_or(failure),
        }
    }
}

impl<D: Directory> Directory for Cached<D> {
    fn sign_on<'a>(&'a self, user: &'a str, password: &'a str) -> Answer<'a, DirectoryEntry> {
        Box::pin(self.ask(user, password))
    }

    fn find<'a>(&'a self, user: &'a str) -> Answer<'a, Option<DirectoryEntry>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory with one user; `password` is the right one, `None` if the user is gone, and a silent directory answers nothing.
    #[derive(Default)]
    struct One {
        password: Mutex<Option<&'static str>>,
        silent: Mutex<bool>,
    }

    impl One {
        fn heard(&self) -> Result<Option<&'static str>, Failure> {
            if *self.silent.lock() {
                Err(Failure::Silent(String::from("cut off")))
            } else {
                Ok(*self.password.lock())
            }
        }

        fn entry() -> DirectoryEntry {
            DirectoryEntry { user: String::from("ANNA"), groups: Vec::new() }
        }
    }

    impl Directory for One {
        fn sign_on<'a>(&'a self, _: &'a str, password: &'a str) -> Answer<'a, DirectoryEntry> {
            let heard = self.heard();
            Box::pin(
                async move { if heard? == Some(password) { Ok(Self::entry()) } else { Err(Failure::Wrong) } },
            )
        }

        fn find<'a>(&'a self, _: &'a str) -> Answer<'a, Option<DirectoryEntry>> {
            let heard = self.heard();
            Box::pin(async move { Ok(heard?.map(|_| Self::entry())) })
        }
    }

    const MINUTE: Duration = Duration::from_secs(60);

    async fn signed_on() -> Cached<One> {
        let cached = Cached::new(One::default(), MINUTE);
        *cached.directory.password.lock() = Some("OLD");
        assert!(cached.sign_on("anna", "OLD").await.is_ok());
        cached
    }

    /// Returns true if the password counts while the directory is silent.
    async fn counts(cached: &Cached<One>, password: &str) -> bool {
        *cached.directory.silent.lock() = true;
        cached.sign_on("anna", password).await.is_ok()
    }

    #[tokio::test]
    async fn a_password_that_the_directory_refuses_now_does_not_count_later() {
        let cached = signed_on().await;
        *cached.directory.password.lock() = Some("NEW");
        assert!(matches!(cached.sign_on("anna", "OLD").await, Err(Failure::Wrong)));
        assert!(!counts(&cached, "OLD").await);
    }

    #[tokio::test]
    async fn a_guess_takes_nothing_away() {
        let cached = signed_on().await;
        assert!(matches!(cached.sign_on("anna", "GUESS").await, Err(Failure::Wrong)));
        assert!(counts(&cached, "OLD").await);
    }

    #[tokio::test]
    async fn a_user_who_is_gone_does_not_sign_on_later() {
        let cached = signed_on().await;
        *cached.directory.password.lock() = None;
        assert!(matches!(cached.find("anna").await, Ok(None)));
        assert!(!counts(&cached, "OLD").await);
    }

    #[tokio::test]
    async fn a_look_at_the_user_does_not_make_the_password_count_longer() {
        let cached = signed_on().await;
        let long_ago = Instant::now().checked_sub(2 * MINUTE).expect("the machine is up for longer");
        for kept in cached.kept.lock().values_mut() {
            kept.password.as_mut().expect("it was right").heard = long_ago;
        }
        assert!(matches!(cached.find("anna").await, Ok(Some(_))));
        assert!(!counts(&cached, "OLD").await);
    }
}
