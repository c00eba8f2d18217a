//! A 3270 in a browser: the device is kept here, by the project's own emulator, which speaks TN3270E with the region's terminal door
//! through a pipe. The browser of a display gets rows that have changed, and sends keys; that of a printer gets paper.
//!
//! ```text
//! browser ──keys──► FromBrowser ──► Device  ──TN3270E──► pipe ──► terminal door
//!         ◄─rows──               ◄──        ◄──────────       ◄──
//! ```

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf, split};
use tokio::io::{DuplexStream, duplex};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, timeout};

use crate::device::Device;
use crate::display::Display;
use crate::ending::{End, over, policy, signed_off};
use crate::host::{Served, Terminals};
use crate::limits::{MESSAGES_BURST, MESSAGES_PER_SECOND, PATIENCE, PIPE_LEN, SILENCE_MAX};
use crate::paper::Paper;
use crate::sessions::{Session, Sitting};
use crate::websocket::{self, Frames, Message};

/// Seconds between two looks at silence.
const LOOK_EVERY: std::time::Duration = std::time::Duration::from_secs(5);

/// A terminal that a browser asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    kind: Kind,
    lu: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    /// A display, and its model.
    Display(u8),
    Printer,
}

impl Asked {
    /// The terminal of a query string, `model=5&lu=TELLER1` or `kind=printer&lu=SHOPPRT1`; `None` if it is another one.
    pub fn read(query: Option<&str>) -> Option<Self> {
        let mut asked = Self { kind: Kind::Display(2), lu: None };
        for pair in query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=')? {
                ("model", number) => {
                    asked.kind = Kind::Display(number.parse().ok().filter(|model| (2..=5).contains(model))?);
                }
                ("kind", "printer") => asked.kind = Kind::Printer,
                ("lu", name) => {
                    let is_name =
                        (1..=8).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric());
                    asked.lu = Some(name.to_ascii_uppercase()).filter(|_| is_name);
                    asked.lu.as_ref()?;
                }
                _ => return None,
            }
        }
        Some(asked)
    }

    fn device(self, code_page: ebcdic::CodePage) -> Box<dyn Device> {
        match self.kind {
            Kind::Display(model) => Box::new(Display::new(model, self.lu, code_page)),
            Kind::Printer => Box::new(Paper::new(self.lu, code_page)),
        }
    }
}

/// Serves a browser that has become a WebSocket, to its end.
pub(crate) async fn serve<S, U>(
    stream: &mut S,
    (sitting, peer): (Sitting<U>, SocketAddr),
    terminals: &dyn Terminals<U>,
    (asked, goes_on): (Asked, &dyn Fn() -> bool),
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (near, far) = duplex(PIPE_LEN);
    let session = sitting.session();
    let mut seat = Seat {
        browser: Browser { stream, frames: Frames::default(), heard: Instant::now(), budget: Budget::full() },
        device: asked.device(terminals.code_page()),
        pipe: split(near),
        door: terminals.serve(&session.user, peer, far),
        session,
        goes_on,
    };
    if let Err(Some((status, reason))) = seat.run().await {
        let _ = seat.browser.send(&websocket::close(status, &reason)).await;
    }
}

/// The browser's end.
struct Browser<'s, S> {
    stream: &'s mut S,
    frames: Frames,
    heard: Instant,
    budget: Budget,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Browser<'_, S> {
    /// Sends a frame. A browser that does not take it in time is gone.
    async fn send(&mut self, frame: &[u8]) -> Result<(), End> {
        let sent = async {
            self.stream.write_all(frame).await?;
            self.stream.flush().await
        };
        match timeout(PATIENCE, sent).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(None),
        }
    }
}

/// Messages that a browser may still send at once.
struct Budget {
    left: f64,
    since: Instant,
}

impl Budget {
    fn full() -> Self {
        Self { left: f64::from(MESSAGES_BURST), since: Instant::now() }
    }

    /// Takes one message. Returns false if there were too many.
    fn spend(&mut self) -> bool {
        let now = Instant::now();
        let more = now.duration_since(self.since).as_secs_f64() * f64::from(MESSAGES_PER_SECOND);
        (self.left, self.since) = ((self.left + more).min(f64::from(MESSAGES_BURST)) - 1.0, now);
        self.left >= 0.0
    }
}

/// A terminal: the browser at one end, the door at the other.
struct Seat<'s, S, U> {
    browser: Browser<'s, S>,
    device: Box<dyn Device>,
    pipe: (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>),
    door: Served,
    session: Arc<Session<U>>,
    goes_on: &'s dyn Fn() -> bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin, U> Seat<'_, S, U> {
    async fn run(&mut self) -> Result<(), End> {
        let mut ticks = ticks();
        let (mut from_browser, mut from_door) = (vec![0; 4096], vec![0; 4096]);
        loop {
            self.tell().await?;
            let output = self.device.output();
            let (reader, writer) = (&mut self.pipe.0, &mut self.pipe.1);
            tokio::select! {
                why = &mut self.door => return self.ended(why).await,
                () = self.session.ending.closed() => return Err(signed_off()),
                read = reader.read(&mut from_door) => {
                    let length = read.map_err(|_| None)?;
                    self.device.receive(&from_door[..length]).map_err(|_| over("the terminal's stream is broken"))?;
                }
                written = writer.write(output), if !output.is_empty() => {
                    let written = written.map_err(|_| None)?;
                    output.drain(..written);
                }
                read = self.browser.stream.read(&mut from_browser) => match read {
                    Ok(0) | Err(_) => return Err(None),
                    Ok(length) => {
                        self.browser.frames.take(&from_browser[..length]);
                        self.take_messages().await?;
                    }
                },
                _ = ticks.tick() => self.look().await?,
            }
        }
    }

    /// Looks whether the session goes on and the browser lives.
    async fn look(&mut self) -> Result<(), End> {
        if !(self.goes_on)() {
            return Err(signed_off());
        }
        let silence = self.browser.heard.elapsed();
        if silence >= SILENCE_MAX + PATIENCE {
            return Err(None);
        }
        if silence >= SILENCE_MAX {
            self.browser.send(&websocket::ping()).await?;
        }
        Ok(())
    }

    /// Messages of the browser that have come whole.
    async fn take_messages(&mut self) -> Result<(), End> {
        loop {
            let next = self.browser.frames.next();
            let next = next.map_err(|violation| Some((violation.0, String::from("this is no message"))))?;
            let Some(message) = next else { return Ok(()) };
            self.browser.heard = Instant::now();
            if !self.browser.budget.spend() {
                return Err(policy("too many messages"));
            }
            match message {
                Message::Pong => {}
                Message::Ping(bytes) => self.browser.send(&websocket::pong(&bytes)).await?,
                Message::Close => return Err(over("")),
                Message::Text(text) => {
                    let read = serde_json::from_str(&text).map_err(|_| policy("this is no message"))?;
                    self.session.is_used();
                    self.device.take(read)?;
                }
            }
        }
    }

    /// Tells the browser of all that has changed.
    async fn tell(&mut self) -> Result<(), End> {
        while let Some(news) = self.device.news()? {
            self.send(&news).await?;
            self.device.has_told();
        }
        Ok(())
    }

    async fn send(&mut self, value: &Value) -> Result<(), End> {
        self.browser.send(&websocket::text(&value.to_string())).await
    }

    /// The door has ended the session: what it said last is shown, and the reason.
    async fn ended(&mut self, why: String) -> Result<(), End> {
        let mut bytes = vec![0; 4096];
        while let Ok(length @ 1..) = self.pipe.0.read(&mut bytes).await {
            if self.device.receive(&bytes[..length]).is_err() {
                break;
            }
            self.device.output().clear();
        }
        self.tell().await?;
        let said = self.device.text().trim();
        Err(over(if said.is_empty() { &why } else { said }))
    }
}

fn ticks() -> Interval {
    let mut ticks = interval(LOOK_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_asks_for_a_model_and_a_name() {
        let asked =
            |model, lu: Option<&str>| Some(Asked { kind: Kind::Display(model), lu: lu.map(str::to_owned) });
        for (query, expected) in [
            (None, asked(2, None)),
            (Some("model=5"), asked(5, None)),
            (Some("model=4&lu=teller1"), asked(4, Some("TELLER1"))),
            (
                Some("kind=printer&lu=shopprt1"),
                Some(Asked { kind: Kind::Printer, lu: Some("SHOPPRT1".into()) }),
            ),
            (Some("kind=plotter"), None),
            (Some("model=6"), None),
            (Some("lu="), None),
            (Some("lu=A%20B"), None),
            (Some("lu=ABCDEFGHI"), None),
            (Some("other=1"), None),
        ] {
            assert_eq!(Asked::read(query), expected, "{query:?}");
        }
    }
}
