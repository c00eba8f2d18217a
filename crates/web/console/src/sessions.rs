//! Sessions: who has signed on in which browser.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use aws_lc_rs::digest::{SHA256, digest};
use http::RequestHead;
use parking_lot::Mutex;
use ports::Closing;

use crate::limits::{
    SESSION_LIFE, SESSIONS_MAX, SESSIONS_PER_USER_MAX, TERMINALS_PER_SESSION_MAX, TOKEN_LEN,
};

/// The beginning of the name of a session's cookie; with TLS no other host and no page in clear can set one of that name. The
/// port follows: browsers show cookies of one port to others of the host, where other regions may be.
const COOKIE: &str = "syncpoint-";
const SECURE_COOKIE: &str = "__Host-syncpoint-";

/// The digest of a session's name: what is kept opens nothing.
type Key = Vec<u8>;

/// The cookie of a session that has begun, and the sessions that have ended for it.
type Begun<U> = (String, Vec<Arc<Session<U>>>);

/// A request, and the fingerprint of the certificate that its client has shown.
pub(crate) type Asked<'a> = (&'a RequestHead, Option<&'a str>);

/// A session.
pub(crate) struct Session<U> {
    /// Its user.
    pub user: U,
    /// The name under which sessions of the user are counted.
    pub name: String,
    /// The fingerprint of the certificate by which the user has signed on: a client without it does not have the session.
    pub certificate: Option<String>,
    /// Becomes closed when the session ends.
    pub ending: Closing,
    begun: Instant,
    used: Mutex<Instant>,
    terminals: AtomicUsize,
}

/// A terminal of a session, as long as it is there.
pub(crate) struct Sitting<U>(Arc<Session<U>>);

impl<U> Session<U> {
    /// Its user does something.
    pub fn is_used(&self) {
        *self.used.lock() = Instant::now();
    }

    /// Returns true if a client with this certificate has it: a cookie alone opens and ends no session of a certificate.
    pub fn is_of(&self, certificate: Option<&str>) -> bool {
        self.certificate.is_none() || self.certificate.as_deref() == certificate
    }

    /// Begins a terminal; `None`: there are enough.
    pub fn sit(self: &Arc<Self>) -> Option<Sitting<U>> {
        let more = |now| (now < TERMINALS_PER_SESSION_MAX).then_some(now + 1);
        let begun = self.terminals.fetch_update(Ordering::AcqRel, Ordering::Acquire, more);
        begun.is_ok().then(|| Sitting(Arc::clone(self)))
    }

    fn is_over(&self, now: Instant, idle_max: Duration) -> bool {
        self.ending.is_closed()
            || now.duration_since(self.begun) >= SESSION_LIFE
            || now.duration_since(*self.used.lock()) >= idle_max
    }
}

impl<U> Sitting<U> {
    /// Its session.
    pub fn session(&self) -> Arc<Session<U>> {
        Arc::clone(&self.0)
    }
}

impl<U> Drop for Sitting<U> {
    fn drop(&mut self) {
        self.0.terminals.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The reason why no session begins.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoSession {
    /// There are enough, of all users or of this one.
    TooMany,
    /// The system gives no random numbers.
    NoToken,
}

/// The sessions of a console.
pub(crate) struct Sessions<U> {
    idle_max: Duration,
    secure: bool,
    cookie: String,
    open: Mutex<HashMap<Key, Arc<Session<U>>>>,
}

impl<U> Sessions<U> {
    pub fn new(idle_max: Duration, secure: bool, port: u16) -> Self {
        let cookie = format!("{}{port}", if secure { SECURE_COOKIE } else { COOKIE });
        Self { idle_max, secure, cookie, open: Mutex::default() }
    }

    /// The name that a request shows.
    fn shown<'h>(&self, head: &'h RequestHead) -> Option<&'h str> {
        let texts = head.fields().all("Cookie").filter_map(|value| std::str::from_utf8(value).ok());
        let mut pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.cookie).map(|(_, token)| token)
    }

    /// The session of a request.
    pub fn of(&self, head: &RequestHead) -> Option<Arc<Session<U>>> {
        let key = key(self.shown(head)?);
        let mut open = self.open.lock();
        let session = Arc::clone(open.get(&key)?);
        if session.is_over(Instant::now(), self.idle_max) {
            session.ending.close();
            open.remove(&key);
            return None;
        }
        Some(session)
    }

    /// Returns true if a session goes on.
    pub fn goes_on(&self, session: &Session<U>) -> bool {
        !session.is_over(Instant::now(), self.idle_max)
    }

    /// Begins a session under a name that no session has had before, and ends the one that the request shows; `certificate` is the one by
    /// which the user has signed on.
    ///
    /// # Errors
    /// See [`NoSession`].
    pub fn begin(
        &self,
        asked: Asked<'_>,
        user: U,
        (name, is_person): (&str, bool),
        certificate: Option<&str>,
    ) -> Result<Begun<U>, NoSession> {
        let mut token = [0; TOKEN_LEN];
        getrandom::fill(&mut token).map_err(|_| NoSession::NoToken)?;
        let token: String = token.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut ended = Vec::from_iter(self.end(asked));
        let now = Instant::now();
        let mut open = self.open.lock();
        open.retain(|_, session| {
            let goes_on = !session.is_over(now, self.idle_max);
            if !goes_on {
                session.ending.close();
            }
            goes_on
        });
        let own = || open.iter().filter(|(_, session)| session.name == name);
        if own().count() >= SESSIONS_PER_USER_MAX {
            let oldest = own().min_by_key(|(_, session)| *session.used.lock()).map(|(key, _)| key.clone());
            let oldest = oldest.filter(|_| is_person).and_then(|key| open.remove(&key));
            let oldest = oldest.ok_or(NoSession::TooMany)?;
            oldest.ending.close();
            ended.push(oldest);
        }
        if open.len() >= SESSIONS_MAX {
            return Err(NoSession::TooMany);
        }
        let session = Session {
            user,
            name: name.to_owned(),
            certificate: certificate.map(str::to_owned),
            ending: Closing::default(),
            begun: now,
            used: Mutex::new(now),
            terminals: AtomicUsize::new(0),
        };
        open.insert(key(&token), Arc::new(session));
        Ok((self.set_cookie(&token, ""), ended))
    }

    /// Ends the session that a request shows, if its client has it.
    pub fn end(&self, (head, certificate): Asked<'_>) -> Option<Arc<Session<U>>> {
        let key = key(self.shown(head)?);
        let mut open = self.open.lock();
        if !open.get(&key)?.is_of(certificate) {
            return None;
        }
        let ended = open.remove(&key)?;
        ended.ending.close();
        Some(ended)
    }

    /// The cookie that takes the name of a session away.
    pub fn no_cookie(&self) -> String {
        self.set_cookie("", "; Max-Age=0")
    }

    fn set_cookie(&self, token: &str, more: &str) -> String {
        let secure = if self.secure { "; Secure" } else { "" };
        format!("{}={token}; Path=/; HttpOnly; SameSite=Strict{secure}{more}", self.cookie)
    }
}

fn key(token: &str) -> Key {
    digest(&SHA256, token.as_bytes()).as_ref().to_vec()
}

#[cfg(test)]
mod tests {
    use http::url::Scheme;

    use super::*;

    fn head(cookie: &str) -> RequestHead {
        let fields = [("Cookie", cookie)];
        RequestHead::make("GET", Scheme::Http, "localhost", "/", fields).expect("a request")
    }

    fn shown(cookie: &str) -> RequestHead {
        head(cookie.split(';').next().expect("the pair"))
    }

    #[test]
    fn a_sign_on_has_a_new_name_and_ends_the_session_that_was_shown() {
        let sessions = Sessions::new(Duration::from_secs(60), false, 9480);
        let chosen = head("syncpoint-9480=0000");
        let (cookie, _) = sessions.begin((&chosen, None), 1, ("ANNA", true), None).expect("a session");
        assert!(!cookie.contains("=0000;") && cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"));
        assert!(sessions.of(&chosen).is_none(), "a name that somebody has chosen opens nothing");
        let first = sessions.of(&shown(&cookie)).expect("it is open");
        let (second, ended) =
            sessions.begin((&shown(&cookie), None), 2, ("BERT", true), None).expect("a session");
        assert_eq!(ended.len(), 1);
        assert!(first.ending.is_closed() && sessions.of(&shown(&cookie)).is_none());
        assert_eq!(sessions.of(&shown(&second)).expect("it is open").user, 2);
        sessions.end((&shown(&second), None));
        assert!(sessions.of(&shown(&second)).is_none());
    }

    #[test]
    fn sessions_have_limits_and_end_by_themselves() {
        let sessions = Sessions::new(Duration::from_secs(60), true, 9480);
        let (nothing, nobody) = (head("x=y"), ("CICSUSER", false));
        for _ in 0..SESSIONS_PER_USER_MAX {
            let (cookie, _) = sessions.begin((&nothing, None), (), nobody, None).expect("a session");
            assert!(cookie.starts_with("__Host-") && cookie.contains("; Secure"), "{cookie}");
        }
        assert_eq!(sessions.begin((&nothing, None), (), nobody, None).err(), Some(NoSession::TooMany));
        for _ in 0..=SESSIONS_PER_USER_MAX {
            sessions.begin((&nothing, None), (), ("ANNA", true), None).expect("a person's oldest one ends");
        }
        assert_eq!(sessions.open.lock().len(), 2 * SESSIONS_PER_USER_MAX);
        let short = Sessions::new(Duration::ZERO, false, 9480);
        let (cookie, _) = short.begin((&nothing, None), (), ("ANNA", true), None).expect("a session");
        assert!(short.of(&shown(&cookie)).is_none(), "it was not used in time");
        assert!(short.open.lock().is_empty());
    }

    #[test]
    fn a_session_has_so_many_terminals() {
        let sessions = Sessions::new(Duration::from_secs(60), false, 9480);
        let (cookie, _) = sessions.begin((&head("x=y"), None), (), ("ANNA", true), None).expect("a session");
        let session = sessions.of(&shown(&cookie)).expect("it is open");
        let sittings: Vec<_> = (0..TERMINALS_PER_SESSION_MAX).map(|_| session.sit()).collect();
        assert!(sittings.iter().all(Option::is_some) && session.sit().is_none());
        drop(sittings);
        assert!(session.sit().is_some());
    }
}
