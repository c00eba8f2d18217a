//! Address of a PostgreSQL server, and the user of a session.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A server, a database in it, and who asks.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// Socket folder or host on which the server listens.
    pub place: ListenPlace,
    /// The role.
    pub user: String,
    /// The database.
    pub database: String,
    /// Its password, where the server wants one.
    pub password: Option<String>,
}

/// Kinds of places on which a server can listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenPlace {
    /// A socket in a folder of this machine, by the folder and the number in its name.
    Socket {
        /// The folder.
        folder: PathBuf,
        /// The port that names the socket in it.
        port: u16,
    },
    /// A host on the network.
    Host {
        /// Its name or address.
        host: String,
        /// Its port.
        port: u16,
        /// Protection that a connection needs.
        tls: Tls,
    },
}

/// Protection of a connection over the network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tls {
    /// Encrypted, and the server proves its name with a certificate of an authority that the system knows.
    #[default]
    System,
    /// Encrypted, and the server proves its name with a certificate of an authority in this PEM file.
    Authority(PathBuf),
    /// In clear.
    Off,
}

/// Mistakes in an address.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum BadAddress {
    /// It does not begin as one.
    #[error("the address of a PostgreSQL server is postgresql://USER@HOST:PORT/DATABASE")]
    Scheme,
    /// The role is missing.
    #[error("the address names no user: postgresql://USER@HOST:PORT/DATABASE")]
    NoUser,
    /// The database is missing.
    #[error("the address names no database: postgresql://USER@HOST:PORT/DATABASE")]
    NoDatabase,
    /// The port is no number.
    #[error("the address has `{0}` where a port number goes")]
    Port(String),
    /// A `%` without two hexadecimal digits.
    #[error("the address has a % without two hexadecimal digits behind it")]
    Percent,
    /// An option that is not known.
    #[error(
        "the address has the option `{0}`; known are host, sslmode (disable, verify-full) and sslrootcert"
    )]
    Option(String),
}

/// The port that servers have if the settings name no other one.
const PORT: u16 = 5432;

impl Address {
    /// Reads `postgresql://user:password@host:port/database?sslmode=…`. A socket folder stands as `host=` behind the
    /// question mark, or in the place of the host with each `/` as `%2F`.
    ///
    /// # Errors
    /// See [`BadAddress`].
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        let rest = ["postgresql://", "postgres://"].iter().find_map(|scheme| text.strip_prefix(scheme));
        let rest = rest.ok_or(BadAddress::Scheme)?;
        let (rest, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (server, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (who, server) = server.rsplit_once('@').ok_or(BadAddress::NoUser)?;
        let (user, password) = match who.split_once(':') {
            Some((user, password)) => (user, Some(plain(password)?)),
            None => (who, None),
        };
        if user.is_empty() {
            return Err(BadAddress::NoUser);
        }
        if database.is_empty() {
            return Err(BadAddress::NoDatabase);
        }
        let (host, port) = host_and_port(server)?;
        let (mut host, mut tls) = (plain(host)?, Tls::System);
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("host", folder)) => host = plain(folder)?,
                Some(("sslmode", "disable")) => tls = Tls::Off,
                Some(("sslmode", "verify-full")) => (),
                Some(("sslrootcert", file)) => tls = Tls::Authority(plain(file)?.into()),
                _ => return Err(BadAddress::Option(option.to_owned())),
            }
        }
        let place = if host.starts_with('/') {
            ListenPlace::Socket { folder: host.into(), port }
        } else {
            ListenPlace::Host { host, port, tls }
        };
        Ok(Self { place, user: plain(user)?, database: plain(database)?, password })
    }

    /// The server's socket in a folder of this machine, spoken to without a password.
    pub fn socket(folder: &Path, port: u16, user: &str, database: &str) -> Self {
        let place = ListenPlace::Socket { folder: folder.to_owned(), port };
        Self { place, user: user.to_owned(), database: database.to_owned(), password: None }
    }
}

/// The path of a socket, as PostgreSQL forms it.
pub(crate) fn socket_path(folder: &Path, port: u16) -> PathBuf {
    folder.join(format!(".s.PGSQL.{port}"))
}

fn host_and_port(server: &str) -> Result<(&str, u16), BadAddress> {
    let (host, port) = match server.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, port)) => (host, port.strip_prefix(':')),
        None => match server.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (server, None),
        },
    };
    let Some(port) = port.filter(|port| !port.is_empty()) else { return Ok((host, PORT)) };
    Ok((host, port.parse().map_err(|_| BadAddress::Port(port.to_owned()))?))
}

/// A part of an address with its `%XX` as the bytes that they stand for.
fn plain(text: &str) -> Result<String, BadAddress> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit =
            || rest.next().and_then(|byte| char::from(byte).to_digit(16)).ok_or(BadAddress::Percent);
        let (high, low) = (digit()?, digit()?);
        bytes.push((high << 4 | low) as u8);
    }
    String::from_utf8(bytes).map_err(|_| BadAddress::Percent)
}

/// Everything but the password.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            ListenPlace::Socket { folder, port } => {
                write!(f, "{}@{}/{}", self.user, socket_path(folder, *port).display(), self.database)
            }
            ListenPlace::Host { host, port, .. } => {
                write!(f, "{}@{host}:{port}/{}", self.user, self.database)
            }
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(host: &str, port: u16, tls: Tls) -> ListenPlace {
        ListenPlace::Host { host: host.to_owned(), port, tls }
    }

    #[test]
    fn addresses_are_read() {
        let read = |text| Address::parse(text).map(|address| (address.place, address.user, address.password));
        let of = |place, user: &str, password: Option<&str>| {
            Ok((place, user.to_owned(), password.map(str::to_owned)))
        };
        assert_eq!(
            read("postgresql://app@db.example/bank"),
            of(host("db.example", 5432, Tls::System), "app", None)
        );
        assert_eq!(
            read("postgres://app:s%40cret@[::1]:5433/bank?sslmode=disable"),
            of(host("::1", 5433, Tls::Off), "app", Some("s@cret"))
        );
        assert_eq!(
            read("postgresql://app@:5434/bank?host=/run/pg"),
            of(ListenPlace::Socket { folder: "/run/pg".into(), port: 5434 }, "app", None)
        );
        assert_eq!(
            read("postgresql://app@%2Frun%2Fpg/bank"),
            of(ListenPlace::Socket { folder: "/run/pg".into(), port: 5432 }, "app", None)
        );
        assert_eq!(
            read("postgresql://app@db/bank?sslrootcert=/etc/ca.pem"),
            of(host("db", 5432, Tls::Authority("/etc/ca.pem".into())), "app", None)
        );
    }

    #[test]
    fn what_is_wrong_with_an_address_is_said() {
        let wrong = |text| Address::parse(text).map(|_| ()).unwrap_err();
        assert_eq!(wrong("db2://x"), BadAddress::Scheme);
        assert_eq!(wrong("postgresql://db/bank"), BadAddress::NoUser);
        assert_eq!(wrong("postgresql://app@db"), BadAddress::NoDatabase);
        assert_eq!(wrong("postgresql://app@db:x/bank"), BadAddress::Port("x".to_owned()));
        assert_eq!(wrong("postgresql://app%4@db/bank"), BadAddress::Percent);
        assert_eq!(wrong("postgresql://app@db/bank?a=b"), BadAddress::Option("a=b".to_owned()));
    }

    #[test]
    fn a_password_is_not_shown() {
        let address = Address::parse("postgresql://app:secret@db/bank").unwrap();
        assert_eq!(format!("{address:?}"), "Address(app@db:5432/bank)");
    }
}
