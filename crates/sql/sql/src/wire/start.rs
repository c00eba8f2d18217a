//! A connection's beginning: who asks, with which settings; and the request to cancel.

use std::io;

use postgres_protocol::authentication::{md5_hash, sasl};
use thiserror::Error;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use super::connection::Connection;
use super::fault::ServerFault;
use super::receive::{Body, invalid};
use super::send::Outgoing;
use super::stream::Stream;
use crate::address::{Address, ListenPlace};
use crate::limits;

/// Settings that every session begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The encoding of texts. Programs' characters go as UTF-8 ([`crate::value::receive`]).
    pub encoding: String,
    /// Schemas in which names without a schema are looked for: the programs' own first, since new objects go there;
    /// then `db2`, then `pg_catalog`.
    pub search_path: String,
    /// The zone of CURRENT TIMESTAMP; empty: the server's.
    pub time_zone: String,
    /// Milliseconds that a statement waits for a lock; 0: for ever.
    pub lock_timeout: u32,
    /// The name that the server shows.
    pub application: String,
    /// True if the server refuses changes.
    pub is_read_only: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            encoding: "UTF8".to_owned(),
            search_path: "public, db2, pg_catalog".to_owned(),
            time_zone: String::new(),
            lock_timeout: 0,
            application: "syncpoint".to_owned(),
            is_read_only: false,
        }
    }
}

/// Key that names a session when its statement is cancelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) backend: u32,
    pub(crate) secret: u32,
}

/// Reasons why there is no session.
#[derive(Debug, Error)]
pub enum CannotConnect {
    /// The server cannot be reached, or the connection ended.
    #[error("{address}: {error}")]
    Unreachable {
        /// Address that was tried.
        address: String,
        /// The system's error.
        error: io::Error,
    },
    /// The server says no.
    #[error("{address}: {}", fault.message)]
    Refused {
        /// Address of the server.
        address: String,
        /// Its words.
        fault: Box<ServerFault>,
    },
    /// It did not answer in time.
    #[error("{address}: no answer within {} s", limits::CONNECT.as_secs())]
    TooSlow {
        /// Address of the server.
        address: String,
    },
    /// It wants a password, and there is none.
    #[error("{address}: the server wants a password for {user}")]
    NoPassword {
        /// Address of the server.
        address: String,
        /// For whom.
        user: String,
    },
    /// It wants to know who asks in a way that is not supported.
    #[error(
        "{address}: the server wants a proof of {user} that is not supported; SCRAM-SHA-256 is, and so are MD5 and plain passwords over TLS"
    )]
    Authentication {
        /// Address of the server.
        address: String,
        /// Of whom.
        user: String,
    },
}

/// Connects, and begins a session.
pub(crate) async fn start(
    address: &Address,
    settings: &Settings,
) -> Result<(Connection, Key), CannotConnect> {
    match timeout(limits::CONNECT, begin(address, settings)).await {
        Ok(begun) => begun,
        Err(_) => Err(CannotConnect::TooSlow { address: address.to_string() }),
    }
}

async fn begin(address: &Address, settings: &Settings) -> Result<(Connection, Key), CannotConnect> {
    let unreachable = |error| CannotConnect::Unreachable { address: address.to_string(), error };
    let stream = Stream::open(&address.place).await.map_err(unreachable)?;
    let mut connection = Connection::new(stream);
    let lock_timeout = settings.lock_timeout.to_string();
    let mut all = vec![
        ("user", address.user.as_str()),
        ("database", &address.database),
        ("client_encoding", &settings.encoding),
        ("search_path", &settings.search_path),
        ("lock_timeout", &lock_timeout),
        ("application_name", &settings.application),
        ("DateStyle", "ISO"),
        ("bytea_output", "hex"),
        ("extra_float_digits", "1"),
        ("standard_conforming_strings", "on"),
    ];
    if !settings.time_zone.is_empty() {
        all.push(("TimeZone", &settings.time_zone));
    }
    if settings.is_read_only {
        all.push(("default_transaction_read_only", "on"));
    }
    connection.out.start_up(&all);
    let mut proof = Proof { address, scram: None };
    let mut key = Key::default();
    loop {
        let step = match connection.message().map_err(unreachable)? {
            None => Step::Wait,
            Some(message) => match message.tag {
                b'R' => Step::Prove(message.body.to_vec()),
                b'K' => {
                    key = read_key(message.body).map_err(unreachable)?;
                    Step::Next
                }
                b'E' => {
                    let fault = Box::new(ServerFault::read(message.body));
                    return Err(CannotConnect::Refused { address: address.to_string(), fault });
                }
                b'Z' => return Ok((connection, key)),
                // Notices, and settings as they have become.
                _ => Step::Next,
            },
        };
        match step {
            Step::Next => (),
            Step::Wait => connection.turn().await.map_err(unreachable)?,
            Step::Prove(body) => proof.answer(&body, &mut connection.out)?,
        }
    }
}

enum Step {
    Next,
    Wait,
    Prove(Vec<u8>),
}

fn read_key(body: &[u8]) -> io::Result<Key> {
    let mut body = Body(body);
    Ok(Key { backend: body.u32()?, secret: body.u32()? })
}

/// The user's name, and the state of the proof.
struct Proof<'a> {
    address: &'a Address,
    scram: Option<sasl::ScramSha256>,
}

impl Proof<'_> {
    fn answer(&mut self, body: &[u8], out: &mut Outgoing) -> Result<(), CannotConnect> {
        let unreachable = |error| CannotConnect::Unreachable { address: self.address.to_string(), error };
        let mut body = Body(body);
        let kind = body.u32().map_err(unreachable)?;
        match kind {
            0 => Ok(()),
            // A password in clear goes nowhere that others could listen.
            3 if !self.is_in_clear() => {
                let mut password = self.password()?.as_bytes().to_vec();
                password.push(0);
                out.password(&password);
                Ok(())
            }
            5 => {
                let salt = body.take(4).map_err(unreachable)?;
                let salt = [salt[0], salt[1], salt[2], salt[3]];
                let hash = md5_hash(self.address.user.as_bytes(), self.password()?.as_bytes(), salt);
                out.password(format!("{hash}\0").as_bytes());
                Ok(())
            }
            10 => {
                let mechanisms: Vec<&[u8]> = body.0.split(|&byte| byte == 0).collect();
                if !mechanisms.contains(&sasl::SCRAM_SHA_256.as_bytes()) {
                    return Err(self.unsupported());
                }
                let password = self.password()?.as_bytes();
                let scram = sasl::ScramSha256::new(password, sasl::ChannelBinding::unsupported());
                out.sasl_initial(sasl::SCRAM_SHA_256, scram.message());
                self.scram = Some(scram);
                Ok(())
            }
            11 | 12 => {
                let Some(scram) = &mut self.scram else {
                    return Err(unreachable(invalid("an answer to nothing")));
                };
                if kind == 11 {
                    scram.update(body.0).map_err(unreachable)?;
                    out.password(scram.message());
                    Ok(())
                } else {
                    scram.finish(body.0).map_err(unreachable)
                }
            }
            _ => Err(self.unsupported()),
        }
    }

    fn is_in_clear(&self) -> bool {
        matches!(self.address.place, ListenPlace::Host { tls: crate::address::Tls::Off, .. })
    }

    fn password(&self) -> Result<&str, CannotConnect> {
        self.address.password.as_deref().ok_or_else(|| CannotConnect::NoPassword {
            address: self.address.to_string(),
            user: self.address.user.clone(),
        })
    }

    fn unsupported(&self) -> CannotConnect {
        CannotConnect::Authentication { address: self.address.to_string(), user: self.address.user.clone() }
    }
}

/// Asks the server to cancel what a session runs. It says nothing to that; the session's own answer shows what came of it.
pub(crate) async fn cancel(place: &ListenPlace, key: Key) -> io::Result<()> {
    let asked = async {
        let mut stream = Stream::open(place).await?;
        let mut out = Outgoing::default();
        out.cancel_request(key.backend, key.secret);
        stream.write_all(out.rest()).await?;
        stream.flush().await?;
        // The server closes when it has passed the request on.
        let mut end = Connection::new(stream);
        match end.turn().await {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(error),
            _ => Ok(()),
        }
    };
    timeout(limits::CANCEL, asked).await.map_err(|_| io::ErrorKind::TimedOut)?
}
