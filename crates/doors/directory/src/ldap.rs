//! A directory that speaks LDAP.

use std::sync::Arc;
use std::time::Duration;

use ldap3::controls::{Control, RawControl};
use ldap3::{
    LdapConnAsync, LdapConnSettings, LdapError, LdapResult, Scope, SearchEntry, dn_escape, ldap_escape,
};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::rustls::ClientConfig;

use crate::{Answer, Directory, DirectoryEntry, Failure};

/// The settings for asking a directory.
#[derive(Clone, Debug)]
pub struct LdapSettings {
    /// `ldap://` or `ldaps://`, host and port.
    pub url: String,
    /// True if a connection in clear begins TLS before anything else.
    pub starttls: bool,
    /// The authorities that are trusted.
    pub trust: Option<Arc<ClientConfig>>,
    /// The name of a user's entry, with `{user}`.
    pub user_dn: String,
    /// The place of groups; `None`: no user has any.
    pub groups_base: Option<String>,
    /// Which of them are a user's, with `{user}` and `{dn}`.
    pub group_filter: String,
    /// The attribute with a group's name.
    pub group_name: String,
    /// Name and password of the user that looks for other users; `None`: no such search.
    pub bind: Option<(String, String)>,
    /// The limit on a whole question: connection, bind and search.
    pub timeout: Duration,
}

/// Groups of a user that are taken.
const GROUPS_MAX: usize = 1_000;

/// The result code of a wrong name or password.
const INVALID_CREDENTIALS: u32 = 49;
/// The result code for an entry that does not exist.
const NO_SUCH_OBJECT: u32 = 32;
/// The control that says why a bind was refused (draft-behera-ldap-password-policy).
const PASSWORD_POLICY: &str = "1.3.6.1.4.1.42.2.27.8.5.1";

/// A directory that speaks LDAP. Each question has a connection of its own.
pub struct Ldap {
    settings: LdapSettings,
}

/// A connection, driven in the background until it is dropped.
struct Connection {
    ldap: ldap3::Ldap,
    driver: JoinHandle<()>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Ldap {
    /// Asks nothing yet.
    pub fn new(settings: LdapSettings) -> Self {
        Self { settings }
    }

    async fn connect(&self) -> Result<Connection, Failure> {
        let mut settings = LdapConnSettings::new()
            .set_conn_timeout(self.settings.timeout)
            .set_starttls(self.settings.starttls);
        if let Some(trust) = &self.settings.trust {
            settings = settings.set_config(Arc::clone(trust));
        }
        let connected = LdapConnAsync::with_settings(settings, &self.settings.url).await;
        let (connection, ldap) = connected.map_err(silent)?;
        let driver = tokio::spawn(async move {
            // A fault of the connection shows in the question.
            let _ = connection.drive().await;
        });
        Ok(Connection { ldap, driver })
    }

    fn dn(&self, user: &str) -> String {
        self.settings.user_dn.replace("{user}", &dn_escape(user))
    }

    async fn bind_as(&self, user: &str, password: &str) -> Result<DirectoryEntry, Failure> {
        // Without a password a bind succeeds as an anonymous user.
        if password.is_empty() {
            return Err(Failure::Wrong);
        }
        let mut connection = self.connect().await?;
        let dn = self.dn(user);
        let ldap = &mut connection.ldap;
        ldap.with_controls(RawControl { ctype: PASSWORD_POLICY.to_owned(), crit: false, val: None });
        let bound = ldap.simple_bind(&dn, password).await.map_err(silent)?;
        refusal(&bound)?;
        let groups = self.groups(ldap, user, &dn).await?;
        // The entry may not be there for everybody to see.
        let _ = ldap.unbind().await;
        Ok(DirectoryEntry { user: user.to_ascii_uppercase(), groups })
    }

    async fn look_for(&self, user: &str) -> Result<Option<DirectoryEntry>, Failure> {
        let Some((name, password)) = &self.settings.bind else { return Ok(None) };
        let mut connection = self.connect().await?;
        let ldap = &mut connection.ldap;
        let bound = ldap.simple_bind(name, password).await.map_err(silent)?;
        if bound.rc != 0 {
            return Err(Failure::Silent(format!("it refuses {name}: {}", bound.text)));
        }
        let dn = self.dn(user);
        let found = ldap.search(&dn, Scope::Base, "(objectClass=*)", ["1.1"]).await.map_err(silent)?;
        match found.1.rc {
            0 if found.0.is_empty() => return Ok(None),
            0 => {}
            NO_SUCH_OBJECT => return Ok(None),
            _ => return Err(Failure::Silent(found.1.text)),
        }
        let groups = self.groups(ldap, user, &dn).await?;
        let _ = ldap.unbind().await;
        Ok(Some(DirectoryEntry { user: user.to_ascii_uppercase(), groups }))
    }

    async fn groups(&self, ldap: &mut ldap3::Ldap, user: &str, dn: &str) -> Result<Vec<String>, Failure> {
        let Some(base) = &self.settings.groups_base else { return Ok(Vec::new()) };
        let filter = &self.settings.group_filter;
        let filter = filter.replace("{user}", &ldap_escape(user)).replace("{dn}", &ldap_escape(dn));
        let name = &self.settings.group_name;
        let found = ldap.search(base, Scope::Subtree, &filter, [name.as_str()]).await.map_err(silent)?;
        let (entries, result) = (found.0, found.1);
        match result.rc {
            0 => {}
            NO_SUCH_OBJECT => return Ok(Vec::new()),
            _ => return Err(Failure::Silent(result.text)),
        }
        let names = entries.into_iter().map(SearchEntry::construct);
        let names =
            names.filter_map(|entry| entry.attrs.get(name)?.first().map(|name| name.to_ascii_uppercase()));
        Ok(names.take(GROUPS_MAX).collect())
    }

    async fn in_time<T>(&self, question: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        let limit = self.settings.timeout;
        let late = || Failure::Silent(format!("it has not answered within {} s", limit.as_secs_f32()));
        timeout(limit, question).await.map_err(|_| late())?
    }
}

impl Directory for Ldap {
    fn sign_on<'a>(&'a self, user: &'a str, password: &'a str) -> Answer<'a, DirectoryEntry> {
        Box::pin(self.in_time(self.bind_as(user, password)))
    }

    fn find<'a>(&'a self, user: &'a str) -> Answer<'a, Option<DirectoryEntry>> {
        Box::pin(self.in_time(self.look_for(user)))
    }
}

fn silent(error: LdapError) -> Failure {
    Failure::Silent(error.to_string())
}

/// Returns the reason why a bind was refused, if it was; the directory's policy may give a closer one.
fn refusal(bound: &LdapResult) -> Result<(), Failure> {
    let of_policy = bound.ctrls.iter().find_map(|Control(_, raw)| {
        (raw.ctype == PASSWORD_POLICY).then(|| policy_error(raw.val.as_deref().unwrap_or_default())).flatten()
    });
    match (bound.rc, of_policy) {
        (_, Some(PolicyError::Locked)) => Err(Failure::Locked),
        (_, Some(PolicyError::Expired)) => Err(Failure::Expired),
        (0, None) => Ok(()),
        (INVALID_CREDENTIALS, None) => Err(Failure::Wrong),
        (code, None) => Err(Failure::Silent(format!("code {code}: {}", bound.text))),
    }
}

enum PolicyError {
    Locked,
    Expired,
}

/// The error of the policy's control: `SEQUENCE { warning [0] …, error [1] ENUMERATED }`.
fn policy_error(value: &[u8]) -> Option<PolicyError> {
    let [0x30, length, rest @ ..] = value else { return None };
    let mut rest = rest.get(..usize::from(*length))?;
    while let [tag, length, inner @ ..] = rest {
        let (inner, behind) = inner.split_at_checked(usize::from(*length))?;
        match (tag, inner) {
            (0x81, [1]) => return Some(PolicyError::Locked),
            // Expired, and to be changed after it was reset.
            (0x81, [0 | 2]) => return Some(PolicyError::Expired),
            _ => rest = behind,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policys_control_is_read_and_nonsense_is_none() {
        for (value, locked) in [
            (&[0x30, 3, 0x81, 1, 1][..], Some(true)),
            (&[0x30, 3, 0x81, 1, 0], Some(false)),
            (&[0x30, 8, 0xa0, 3, 0x80, 1, 5, 0x81, 1, 2], Some(false)),
            (&[0x30, 0], None),
            (&[0x30, 9, 0x81], None),
            (&[], None),
        ] {
            let found = policy_error(value).map(|error| matches!(error, PolicyError::Locked));
            assert_eq!(found, locked, "{value:?}");
        }
    }
}
