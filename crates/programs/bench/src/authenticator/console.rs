//! The Authenticator's region while a browser shows the console's page Now, beside the same region while none does.
//!
//! The browser is a client of this process that has signed on, and asks what the page asks by itself: the figures and tasks of
//! now, two seconds after the last answer. It connects at the beginning of each load, as a page that is opened does.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::stage::{Outcome, PATIENCE, Setting, Stage, Whom};
use super::{ATTEMPTS, HIGHEST, Kind, MIDDLE, ROUNDS, of, run};
use crate::Options;
use crate::clock::progress;
use crate::promise::Measured;

/// Seconds of a load: the page asks five times.
const SECONDS: f64 = 10.0;
/// The time from an answer to the next question, as in the page.
const EVERY: Duration = Duration::from_secs(2);
/// The user of the sample bank, whose file the region has, and the body with which it signs on.
const SIGN_ON: &str = "{\"user\":\"OPERATOR\",\"password\":\"HARBOUR9\"}";
/// The text that an answer with figures has.
const FIGURES: &str = "\"figures\":[[";
/// Bytes of an answer, at most.
const ANSWER_MAX: usize = 8 * 1024 * 1024;

/// An authentication while the page is open, beside one while it is not.
pub(crate) fn watched(options: &Options) -> Result<Measured, String> {
    let setting = Setting { console: true, ..Kind::PLAIN.setting(options) };
    run(async {
        let tell = |what: &str| progress(&format!("the Authenticator and its console: {what}"));
        let mut stage = Stage::start(&setting, tell).await?;
        let address = stage.console().await?;
        let mut browser = Browser::sign_on(address).await?;
        let turns = in_turns(&mut stage, &mut browser, options).await?;
        stage.end().await?;
        Ok(turns)
    })
}

/// Loads with the page and without at the highest rate that the machine holds: the promised one, or half of it.
async fn in_turns(stage: &mut Stage, browser: &mut Browser, options: &Options) -> Result<Measured, String> {
    for rate in [HIGHEST, MIDDLE] {
        if let Some((with, without)) = at_rate(stage, browser, options, rate).await? {
            let note = format!(
                "{rate} a second; {} questions of {} bytes in the mean",
                browser.answers,
                browser.mean()
            );
            let (with, without) = (of(&with, Outcome::server_us), of(&without, Outcome::server_us));
            return Ok(Measured::new(with, without).note(note));
        }
    }
    Err(format!("this machine does not hold {MIDDLE} messages a second"))
}

/// Loads with the page and without, in turns, so that both see the same machine. The first round warms up and does not count. `None`:
/// the machine does not hold the rate.
async fn at_rate(
    stage: &mut Stage,
    browser: &mut Browser,
    options: &Options,
    rate: f64,
) -> Result<Option<(Vec<Outcome>, Vec<Outcome>)>, String> {
    let rounds = options.size(ROUNDS, 1);
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        progress(&format!("console-open: {rate} a second, round {round} of {rounds}"));
        // Each goes first as often as the other.
        let order = if round % 2 == 0 { [true, false] } else { [false, true] };
        for shows in order {
            let load = load(stage, shows.then_some(&mut *browser), options, rate).await?;
            let Some(outcome) = load else { return Ok(None) };
            if round > 0 {
                let side = if shows { &mut with } else { &mut without };
                side.push(outcome);
            }
        }
    }
    Ok(Some((with, without)))
}

/// A load on the region, with the page open or without; `None` if the machine does not hold it.
async fn load(
    stage: &mut Stage,
    mut browser: Option<&mut Browser>,
    options: &Options,
    rate: f64,
) -> Result<Option<Outcome>, String> {
    let (rate, seconds) = if options.quick { (rate / 10.0, 1.0) } else { (rate, SECONDS) };
    for _ in 0..ATTEMPTS {
        let work = stage.load(Whom::Region, rate, seconds, |_| ());
        let outcome = match &mut browser {
            None => work.await?,
            Some(browser) => {
                let before = browser.answers;
                let outcome = tokio::select! {
                    outcome = work => outcome?,
                    failed = browser.shows_now() => return failed.map(|never| match never {}),
                };
                if browser.answers == before {
                    return Err(String::from("the console has answered no question of the page"));
                }
                outcome
            }
        };
        if options.quick || outcome.held() {
            return Ok(Some(outcome));
        }
    }
    Ok(None)
}

/// A browser that has signed on.
struct Browser {
    address: SocketAddr,
    cookie: String,
    /// Answers so far, and their bytes.
    answers: usize,
    bytes: usize,
}

/// An answer of the console.
struct Answer {
    cookie: Option<String>,
    body: String,
}

impl Browser {
    /// Signs on. A password is checked slowly by design, so this is outside of what is measured.
    async fn sign_on(address: SocketAddr) -> Result<Self, String> {
        let mut stream = connect(address).await?;
        let request = format!(
            "POST /api/sign-on HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{SIGN_ON}",
            SIGN_ON.len()
        );
        let answer = ask(&mut stream, &request).await?;
        let cookie = answer.cookie.ok_or("the console has begun no session")?;
        Ok(Self { address, cookie, answers: 0, bytes: 0 })
    }

    /// Shows the page until a question fails.
    ///
    /// # Errors
    /// A question without an answer.
    async fn shows_now(&mut self) -> Result<Infallible, String> {
        let mut stream = connect(self.address).await?;
        let request =
            format!("GET /api/now HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n", self.address, self.cookie);
        loop {
            let answer = ask(&mut stream, &request).await?;
            if !answer.body.contains(FIGURES) {
                return Err(format!("the console has told no figures: {}", answer.body));
            }
            self.answers += 1;
            self.bytes += answer.body.len();
            sleep(EVERY).await;
        }
    }

    /// The mean length of an answer.
    fn mean(&self) -> usize {
        self.bytes / self.answers.max(1)
    }
}

async fn connect(address: SocketAddr) -> Result<BufReader<TcpStream>, String> {
    let stream = TcpStream::connect(address).await.map_err(|error| format!("the console: {error}"))?;
    Ok(BufReader::new(stream))
}

/// A request and its answer, on a connection that is kept.
async fn ask(stream: &mut BufReader<TcpStream>, request: &str) -> Result<Answer, String> {
    let asked = timeout(PATIENCE, exchange(stream, request)).await;
    let answer = asked.map_err(|_| String::from("the console does not answer"))?;
    let (status, answer) = answer.map_err(|error| format!("the console: {error}"))?;
    if status.contains(" 200 ") { Ok(answer) } else { Err(format!("{}: {}", status.trim(), answer.body)) }
}

/// The status line of an answer, and the answer.
async fn exchange(stream: &mut BufReader<TcpStream>, request: &str) -> std::io::Result<(String, Answer)> {
    stream.write_all(request.as_bytes()).await?;
    let (mut status, mut cookie, mut length) = (String::new(), None, 0);
    stream.read_line(&mut status).await?;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name {
            "Content-Length" => length = value.parse().map_err(std::io::Error::other)?,
            "Set-Cookie" => cookie = value.split(';').next().map(str::to_owned),
            _ => {}
        }
    }
    if length > ANSWER_MAX {
        return Err(std::io::Error::other("an answer too long"));
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    let body = String::from_utf8_lossy(&body).into_owned();
    Ok((status, Answer { cookie, body }))
}
