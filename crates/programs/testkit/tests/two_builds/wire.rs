//! The wire between two regions: it gives the asker, or its partner, another Hello, and is cut behind a number of messages.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};

/// Bytes of a frame's head, which begins with the length of its body; the place of its kind, and the kinds of a Hello, a request and a
/// reply.
pub const HEAD: usize = 12;
const KIND: usize = 8;
const HELLO: u8 = 1;
const MESSAGES: [u8; 2] = [3, 4];

/// A change of the body of a Hello.
pub type Change = fn(&mut Vec<u8>);

#[derive(Default)]
struct State {
    /// The change of each Hello of the asker.
    changes: Cell<Option<Change>>,
    /// The change of each Hello with which the partner answers.
    answers: Cell<Option<Change>>,
    /// Messages of the asker's connections that still pass; `None`: all.
    left: Cell<Option<usize>>,
    /// A message has not passed.
    is_cut: Cell<bool>,
}

/// The wire.
pub struct Wire {
    /// The folder in which the asker looks for its partner, and the partner's own.
    folders: [PathBuf; 2],
    state: Rc<State>,
}

impl Wire {
    /// One between these folders.
    pub fn new(asks: PathBuf, real: PathBuf) -> Self {
        Self { folders: [asks, real], state: Rc::default() }
    }

    /// From now on each Hello of the asker is changed so; `None`: it passes as it is.
    pub fn changes(&self, change: Option<Change>) {
        self.state.changes.set(change);
    }

    /// The same of the Hello with which the partner answers.
    pub fn changes_answers(&self, change: Option<Change>) {
        self.state.answers.set(change);
    }

    /// Lets so many messages pass, and no more; `None`: all.
    pub fn lets_pass(&self, messages: Option<usize>) {
        self.state.left.set(messages);
        self.state.is_cut.set(false);
    }

    /// Returns true if a message has not passed.
    pub fn is_cut(&self) -> bool {
        self.state.is_cut.get()
    }

    /// It carries from now on.
    pub fn begins(&self) {
        let [asks, real] = &self.folders;
        tokio::task::spawn_local(carry(asks.join("PARTNER"), real.join("PARTNER"), Rc::clone(&self.state)));
        tokio::task::spawn_local(carry(real.join("TESTKIT"), asks.join("TESTKIT"), Rc::default()));
    }
}

/// Carries what comes to a socket to another one.
async fn carry(from: PathBuf, to: PathBuf, state: Rc<State>) {
    let listener = listen(&from);
    while let Ok((comes, _)) = listener.accept().await {
        let Ok(goes) = UnixStream::connect(&to).await else { continue };
        let ((asks, answers), (answered, asked)) = (comes.into_split(), goes.into_split());
        let state = Rc::clone(&state);
        tokio::task::spawn_local(async move {
            tokio::select! {
                () = pass(asks, asked, &state.changes, &state) => {}
                () = pass(answered, answers, &state.answers, &state) => {}
            }
        });
    }
}

fn listen(at: &Path) -> UnixListener {
    let _ = std::fs::remove_file(at);
    UnixListener::bind(at).expect("a socket")
}

/// Passes frames on. `change`: that of each Hello.
async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, change: &Cell<Option<Change>>, state: &State) {
    loop {
        let mut frame = vec![0; HEAD];
        if from.read_exact(&mut frame).await.is_err() {
            return;
        }
        let length = u32::from_le_bytes([frame[0], frame[1], frame[2], frame[3]]) as usize;
        let mut body = vec![0; length.min(1 << 20)];
        if from.read_exact(&mut body).await.is_err() {
            return;
        }
        let kind = frame[KIND];
        if MESSAGES.contains(&kind) {
            match state.left.get() {
                Some(0) => return state.is_cut.set(true),
                left => state.left.set(left.map(|left| left - 1)),
            }
        }
        if let Some(change) = change.get().filter(|_| kind == HELLO) {
            change(&mut body);
            let length = u32::try_from(body.len()).expect("a length");
            frame[..4].copy_from_slice(&length.to_le_bytes());
        }
        frame.extend(body);
        if to.write_all(&frame).await.is_err() {
            return;
        }
    }
}
