//! A client of PostgreSQL that does nothing but its statements: one blocking socket, no event loop, everything prepared
//! once. Its PostgreSQL is its own, so that each side's processes can be counted.

use std::io::{Error, Read, Result, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use ::sql::server::{Private, Server};
use ::sql::{Address, ListenPlace, Session, Settings};
use tokio::runtime::Runtime;

use super::table::{ROWS_OF_CURSOR, script};
use crate::processes;

/// PostgreSQL's number for `int4`.
const INT4: u32 = 23;
/// The protocol's version.
const VERSION: u32 = 196_608;
/// Bytes before a message's content: its kind and its length.
const HEAD: usize = 5;

/// The statements that it has prepared, by name.
const STATEMENTS: [(&str, &str, usize); 5] = [
    ("select", "SELECT name, branch, balance, changes FROM account WHERE id = $1", 1),
    ("update", "UPDATE account SET changes = changes + 1 WHERE id = $1", 1),
    (
        "cursor",
        "SELECT name, branch, balance, changes FROM account WHERE id >= $1 AND id < $2 ORDER BY id",
        2,
    ),
    ("begin", "BEGIN", 0),
    ("commit", "COMMIT", 0),
];

/// The client and its server, until it goes out of scope.
pub(super) struct Bare {
    runtime: Runtime,
    server: Option<Server>,
    stream: UnixStream,
    out: Vec<u8>,
    read: Vec<u8>,
}

impl Bare {
    /// Starts PostgreSQL in this empty folder, fills its table as the region's is, and connects.
    pub fn start(folder: &Path) -> std::result::Result<Self, String> {
        let through = folder.parent().map(Path::to_owned);
        let private = Private { through, is_tied: true, ..Private::new(folder) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let started = runtime.block_on(async {
            let server = Server::start(&private).await.map_err(|error| error.to_string())?;
            let session = Session::connect(&server.address(), &Settings::default()).await;
            let mut session = session.map_err(|error| error.to_string())?;
            session.script(script()).await.map_err(|failure| failure.to_string())?;
            session.close().await;
            Ok::<_, String>(server)
        });
        let server = started?;
        let address = server.address();
        let stream = connect(&address).map_err(|error| error.to_string())?;
        let mut this = Self { runtime, server: Some(server), stream, out: Vec::new(), read: Vec::new() };
        this.begin(&address).map_err(|error| error.to_string())?;
        Ok(this)
    }

    /// Its processes beside this one.
    pub fn servers(&self) -> Vec<u32> {
        let first = self.server.as_ref().map(Server::pid);
        first.into_iter().flat_map(|pid| [vec![pid], processes::descendants(pid)].concat()).collect()
    }

    /// One SELECT by key.
    pub fn select(&mut self, id: u32) -> Result<()> {
        self.run("select", &[id]);
        self.answer(1)
    }

    /// One changed row, committed.
    pub fn update(&mut self, id: u32) -> Result<()> {
        self.run("begin", &[]);
        self.run("update", &[id]);
        self.answer(0)?;
        self.run("commit", &[]);
        self.answer(0)
    }

    /// As many rows as a cursor reads, in one answer.
    pub fn rows(&mut self, id: u32) -> Result<()> {
        self.run("cursor", &[id, id + ROWS_OF_CURSOR]);
        self.answer(ROWS_OF_CURSOR as usize)
    }

    fn begin(&mut self, address: &Address) -> Result<()> {
        let words = ["user", &address.user, "database", &address.database, ""];
        let words: Vec<u8> = words.iter().flat_map(|word| word.bytes().chain([0])).collect();
        self.out.extend((8 + words.len() as u32).to_be_bytes());
        self.out.extend(VERSION.to_be_bytes());
        self.out.extend(words);
        self.turn(0)?;
        for (name, text, parameters) in STATEMENTS {
            let mut content = [name.as_bytes(), &[0], text.as_bytes(), &[0]].concat();
            content.extend((parameters as u16).to_be_bytes());
            content.extend([INT4.to_be_bytes()].repeat(parameters).concat());
            self.message(b'P', &content);
        }
        self.answer(0)
    }

    /// Binds a statement and has it run, in the flush that [`Self::answer`] sends.
    fn run(&mut self, name: &str, parameters: &[u32]) {
        // All in binary, there and back.
        let mut content = [b"\0", name.as_bytes(), &[0, 0, 1, 0, 1]].concat();
        content.extend((parameters.len() as u16).to_be_bytes());
        for parameter in parameters {
            content.extend([4u32.to_be_bytes(), parameter.to_be_bytes()].concat());
        }
        content.extend([0, 1, 0, 1]);
        self.message(b'B', &content);
        self.message(b'E', &[0; 5]);
    }

    fn message(&mut self, kind: u8, content: &[u8]) {
        self.out.push(kind);
        self.out.extend((4 + content.len() as u32).to_be_bytes());
        self.out.extend(content);
    }

    /// Sends what there is and reads the answer, which must have so many rows.
    fn answer(&mut self, rows: usize) -> Result<()> {
        self.message(b'S', &[]);
        self.turn(rows)
    }

    fn turn(&mut self, rows: usize) -> Result<()> {
        self.stream.write_all(&self.out)?;
        self.out.clear();
        self.read.clear();
        let (mut at, mut found) = (0, 0);
        let mut bytes = [0; 16 * 1024];
        loop {
            let count = self.stream.read(&mut bytes)?;
            if count == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            self.read.extend_from_slice(&bytes[..count]);
            while let Some(content) = content(&self.read[at..]) {
                match self.read[at] {
                    b'Z' if found == rows => return Ok(()),
                    b'Z' => return Err(Error::other(format!("{found} rows, not {rows}"))),
                    b'E' => return Err(Error::other(String::from_utf8_lossy(content).into_owned())),
                    b'D' => found += 1,
                    _ => {}
                }
                at += HEAD + content.len();
            }
        }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            // It is tied to this process in any case.
            let _ = self.runtime.block_on(server.stop());
        }
    }
}

fn connect(address: &Address) -> Result<UnixStream> {
    match &address.place {
        ListenPlace::Socket { folder, port } => UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))),
        ListenPlace::Host { .. } => Err(Error::other("a private server has a socket")),
    }
}

/// Returns the content of the message that begins here, once it is whole.
fn content(bytes: &[u8]) -> Option<&[u8]> {
    let length = u32::from_be_bytes(bytes.get(1..HEAD)?.try_into().ok()?) as usize;
    bytes.get(HEAD..1 + length)
}
