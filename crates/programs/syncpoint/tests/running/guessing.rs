//! Strangers at many addresses guess passwords: they find no account, an operator still signs on, and memory does not grow.
//!
//! `SYNCPOINT_GUESSES` says how many they try (10,000 takes some minutes); by default a few.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::Stdio;
use std::rc::Rc;
use std::time::{Duration, Instant};

use ::terminal::{Pilot, PilotError};
use ebcdic::CodePage;
use tempfile::TempDir;
use tn3270::datastream::{Aid, Capabilities, Size};
use tn3270::telnet::{DeviceType, Functions, Wish};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::LocalSet;

use crate::house::{FREE_PORT, Region, application, asked_for, product};

/// The addresses of the strangers, and the number of terminals of each address.
const ADDRESSES: u8 = 50;
const TERMINALS: usize = 3;
/// The number of guesses, unless the run asks for more.
const GUESSES: u64 = 300;
/// Whose passwords they guess: some are users, some are not.
const VICTIMS: [&str; 6] = ["OPER", "ANNA", "BERT", "ADMIN", "ROOT", "SYSTEM"];
const USERS: [&str; 3] = ["OPER", "ANNA", "BERT"];
/// A password that no stranger guesses.
const PASSWORD: &str = "harbour9";
/// The longest wait before an attempt is checked, and all that a busy machine may add to it.
const PATIENCE: Duration = Duration::from_secs(180);
/// The answer to every guess.
const REFUSED: &str = "DFHCE3530";
/// The greatest growth of memory for half of the guesses.
const GROWTH_MAX_KB: u64 = 32 * 1024;

/// A region with users whose passwords cannot be guessed.
fn house() -> TempDir {
    let folder = application(&[("region.toml", FREE_PORT)]);
    for user in USERS {
        let mut child = product()
            .args(["user", "add", ".", user, "--rights", "run,inquire,operate"])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("syncpoint starts");
        child.stdin.take().expect("its input").write_all(PASSWORD.as_bytes()).expect("written");
        assert!(child.wait().expect("it ends").success());
    }
    folder
}

/// A terminal at an address of this machine.
struct Seat(Pilot<TcpStream>);

impl Seat {
    async fn take(region: SocketAddr, at: IpAddr) -> Result<Self, PilotError> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(at, 0))?;
        let stream = socket.connect(region).await?;
        let size = Size { rows: 24, columns: 80 };
        let device = DeviceType::new("IBM-3278-2-E");
        let wish = Wish { device, lu: None, functions: Some(Functions::DISPLAY) };
        let mut pilot = Pilot::new(stream, wish, Capabilities::unqueried(size), CodePage::Ibm037, PATIENCE);
        pilot.wait_text("").await?;
        Ok(Self(pilot))
    }

    /// Returns the answer to a user id and a password.
    async fn sign_on(&mut self, user: &str, password: &str) -> Result<String, PilotError> {
        let pilot = &mut self.0;
        pilot.press(Aid::Clear).await?;
        pilot.type_text(&format!("CESN USERID={user},PS={password}"))?;
        pilot.press(Aid::Enter).await?;
        pilot.wait_text("DFHCE35").await?;
        let screen = pilot.screen().text();
        if screen.contains(REFUSED) {
            // Off the panel.
            pilot.press(Aid::Pf(3)).await?;
            pilot.wait_text("DFHCE3543").await?;
        }
        Ok(screen.replace(user, "(user)").split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// The record of the strangers' attempts so far.
#[derive(Default)]
struct Siege {
    guessed: u64,
    answers: BTreeSet<String>,
}

/// Guesses from one terminal, until there are so many of all.
async fn guess(region: SocketAddr, at: IpAddr, siege: Rc<RefCell<Siege>>, until: u64) {
    let mut seat = Seat::take(region, at).await.unwrap_or_else(|error| panic!("{error}"));
    loop {
        let number = {
            let mut siege = siege.borrow_mut();
            if siege.guessed >= until {
                return;
            }
            siege.guessed += 1;
            siege.guessed
        };
        // Half of them try one password with many users.
        let sprayed = format!("U{number:06}");
        let user = if number % 2 == 0 { &sprayed } else { VICTIMS[number as usize / 2 % VICTIMS.len()] };
        let answer = seat.sign_on(user, &format!("GUESS{:03}", number % 1_000)).await;
        siege.borrow_mut().answers.insert(answer.unwrap_or_else(|error| panic!("{error}")));
    }
}

fn address(number: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(127, 0, 1, number))
}

/// Kilobytes of memory that a process has now.
fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    line.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number")
}

/// An operator signs on at a place where this was right before, while all others guess.
async fn operator(seat: &mut Seat) -> Duration {
    let begun = Instant::now();
    let answer = seat.sign_on("OPER", PASSWORD).await.unwrap_or_else(|error| panic!("{error}"));
    assert!(answer.contains("DFHCE3549"), "the operator is not signed on: {answer}");
    begun.elapsed()
}

#[test]
fn guesses_from_many_addresses_find_no_user_and_lock_no_user_out() {
    let guesses = asked_for("SYNCPOINT_GUESSES").unwrap_or(GUESSES);
    let folder = house();
    let region = Region::start(folder.path());
    let siege = Rc::new(RefCell::new(Siege::default()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a loop");
    let begun = Instant::now();
    LocalSet::new().block_on(&runtime, async {
        let mut seat = Seat::take(region.address, address(200)).await.expect("a terminal");
        operator(&mut seat).await;
        let mut memory = Vec::new();
        for until in [guesses / 2, guesses] {
            let mut strangers = Vec::new();
            for number in 1..=ADDRESSES {
                for _ in 0..TERMINALS {
                    let guessing = guess(region.address, address(number), Rc::clone(&siege), until);
                    strangers.push(tokio::task::spawn_local(guessing));
                }
            }
            let waited = operator(&mut seat).await;
            for stranger in strangers {
                stranger.await.expect("a stranger");
            }
            memory.push(resident(region.process()));
            println!("the operator waited {waited:?}; {until} guesses, {} KB", memory[memory.len() - 1]);
        }
        assert!(memory[1] < memory[0] + GROWTH_MAX_KB, "memory grows: {memory:?}");
    });
    let siege = siege.borrow();
    assert!(siege.guessed >= guesses);
    // Who is a user and who is none shows in no answer.
    assert_eq!(siege.answers.len(), 1, "{:#?}", siege.answers);
    assert!(siege.answers.iter().all(|answer| answer.contains(REFUSED)), "{:?}", siege.answers);
    println!("{} guesses in {:?}", siege.guessed, begun.elapsed());
}
