//! A server that knows prepared statements, transactions and requests to cancel, and nothing else: what it does and when
//! follows a seed. `short 7` gives 7, `long` runs until it is cancelled.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;
use std::rc::Rc;

use fastrand::Rng;
use sql::Address;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;
use tokio::task::{spawn_local, yield_now};

/// The part of a session that a request to cancel reaches.
#[derive(Default)]
struct Backend {
    is_running: Cell<bool>,
    is_cancelled: Cell<bool>,
    comes: Notify,
}

struct Server {
    random: RefCell<Rng>,
    backends: RefCell<HashMap<u32, Rc<Backend>>>,
    numbers: Cell<u32>,
}

/// Starts one with its socket in a folder.
pub fn start(folder: &Path, seed: u64) -> Address {
    std::fs::create_dir_all(folder).expect("a folder");
    let address = Address::socket(folder, 1, "sim", "sim");
    let path = folder.join(".s.PGSQL.1");
    let _ = std::fs::remove_file(&path);
    let listener = UnixListener::bind(path).expect("a socket");
    let random = RefCell::new(Rng::with_seed(seed));
    let server = Rc::new(Server { random, backends: RefCell::default(), numbers: Cell::new(1) });
    drop(spawn_local(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let server = Rc::clone(&server);
            drop(spawn_local(async move {
                // A client that has gone ends it.
                let _ = server.serve(stream).await;
            }));
        }
    }));
    address
}

impl Server {
    /// Lets others run for a while.
    async fn dawdle(&self) {
        let times = self.random.borrow_mut().u32(0..6);
        for _ in 0..times {
            yield_now().await;
        }
    }

    async fn serve(&self, mut stream: UnixStream) -> io::Result<()> {
        let length = stream.read_u32().await?;
        let mut body = vec![0; length as usize - 4];
        stream.read_exact(&mut body).await?;
        let word = |at: usize| u32::from_be_bytes(body[at..at + 4].try_into().expect("four bytes"));
        self.dawdle().await;
        if word(0) == 80_877_102 {
            // One in ten gets lost.
            let is_lost = self.random.borrow_mut().u32(0..10) == 0;
            let backend = self.backends.borrow().get(&word(4)).cloned();
            if let Some(backend) = backend.filter(|backend| !is_lost && backend.is_running.get()) {
                backend.is_cancelled.set(true);
                backend.comes.notify_one();
            }
            return Ok(());
        }
        let number = self.numbers.replace(self.numbers.get() + 1);
        let backend = Rc::new(Backend::default());
        self.backends.borrow_mut().insert(number, Rc::clone(&backend));
        let mut out = message(b'R', &[0; 4]);
        out.extend(message(b'K', &[number.to_be_bytes(), [0; 4]].concat()));
        out.extend(message(b'Z', b"I"));
        stream.write_all(&out).await?;
        let mut session = Session { server: self, backend: &backend, prepared: HashMap::new(), status: b'I' };
        session.run(stream).await
    }
}

struct Session<'a> {
    server: &'a Server,
    backend: &'a Backend,
    prepared: HashMap<String, String>,
    status: u8,
}

type Refused = (&'static str, String);

impl Session<'_> {
    async fn run(&mut self, mut stream: UnixStream) -> io::Result<()> {
        let (mut skips, mut bound, mut seen) = (false, String::new(), HashSet::new());
        loop {
            let tag = stream.read_u8().await?;
            let length = stream.read_u32().await?;
            let mut body = vec![0; length as usize - 4];
            stream.read_exact(&mut body).await?;
            let mut words =
                body.split(|&byte| byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
            let mut word = || words.next().unwrap_or_default();
            if tag == b'S' {
                skips = false;
                stream.write_all(&message(b'Z', &[self.status])).await?;
                continue;
            }
            if skips {
                continue;
            }
            let done = match tag {
                b'P' => {
                    let (name, text) = (word(), word());
                    seen.insert(name.clone());
                    self.parse(name, text).await
                }
                b'D' => Ok(described()),
                b'B' => {
                    let (_portal, name) = (word(), word());
                    let found = self.prepared.get(&name).cloned();
                    match found {
                        Some(text) => {
                            bound = text;
                            Ok(message(b'2', b""))
                        }
                        None => Err(("26000", format!("prepared statement \"{name}\" does not exist"))),
                    }
                }
                b'E' => self.execute(&bound).await,
                b'C' => {
                    self.prepared.remove(&word()[1..]);
                    Ok(message(b'3', b""))
                }
                _ => return Ok(()),
            };
            match done {
                Ok(out) => stream.write_all(&out).await?,
                Err((state, text)) => {
                    skips = true;
                    if self.status == b'T' {
                        self.status = b'E';
                    }
                    let body = format!("SERROR\0C{state}\0M{text}\0\0");
                    stream.write_all(&message(b'E', body.as_bytes())).await?;
                }
            }
        }
    }

    async fn parse(&mut self, name: String, text: String) -> Result<Vec<u8>, Refused> {
        self.works(false).await?;
        if self.prepared.contains_key(&name) {
            return Err(("42P05", format!("prepared statement \"{name}\" already exists")));
        }
        self.prepared.insert(name, text);
        Ok(message(b'1', b""))
    }

    /// Does something that can be cancelled; without end, if `is_long`.
    async fn works(&self, is_long: bool) -> Result<(), Refused> {
        let Backend { is_running, is_cancelled, comes } = self.backend;
        is_running.set(true);
        if is_long {
            while !is_cancelled.get() {
                comes.notified().await;
            }
        } else {
            self.server.dawdle().await;
        }
        is_running.set(false);
        if is_cancelled.replace(false) {
            return Err(("57014", "canceling statement due to user request".to_owned()));
        }
        Ok(())
    }

    async fn execute(&mut self, text: &str) -> Result<Vec<u8>, Refused> {
        let first = text.split_whitespace().next().unwrap_or_default();
        if self.status == b'E' && first != "ROLLBACK" && first != "COMMIT" {
            return Err(("25P02", "current transaction is aborted".to_owned()));
        }
        self.works(text == "long").await?;
        match (first, text) {
            ("BEGIN", _) => self.status = b'T',
            ("ROLLBACK", "ROLLBACK TO syncpoint") => self.status = b'T',
            ("COMMIT" | "ROLLBACK", _) => self.status = b'I',
            _ => {}
        }
        if !matches!(first, "short" | "SELECT") {
            return Ok(message(b'C', format!("{first}\0").as_bytes()));
        }
        let number: i32 =
            text.split_whitespace().nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
        let mut out = message(b'D', &[&[0, 1, 0, 0, 0, 4][..], &number.to_be_bytes()].concat());
        out.extend(message(b'C', b"SELECT 1\0"));
        Ok(out)
    }
}

/// No parameters, one whole number.
fn described() -> Vec<u8> {
    let mut out = message(b't', &[0, 0]);
    let column = [&b"\0\x01n\0"[..], &[0; 6], &23u32.to_be_bytes(), &[0, 4], &[255; 4], &[0, 0]].concat();
    out.extend(message(b'T', &column));
    out
}

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 4).to_be_bytes();
    [&[tag][..], &length, body].concat()
}
