//! A scripted terminal at the other end: for tests, and for driving a region from outside.

use std::io;
use std::time::Duration;

use ebcdic::CodePage;
use tn3270::datastream::{Aid, Capabilities};
use tn3270::emulator::Emulator;
use tn3270::screen::{Keyboard, Refused, Screen};
use tn3270::telnet::Wish;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// The reason why a pilot could not go on. Each shows the screen as it was.
#[derive(Debug, thiserror::Error)]
pub enum PilotError {
    /// The awaited text or state did not come.
    #[error("no {wanted} within {patience:?}; the screen shows:\n{screen}")]
    TimedOut {
        /// The awaited text or state.
        wanted: String,
        /// The time waited.
        patience: Duration,
        /// The screen's text.
        screen: String,
    },
    /// The region closed the connection.
    #[error("the region closed the connection; it had said '{text}', and the screen shows:\n{screen}")]
    Closed {
        /// Plain text that came before any session.
        text: String,
        /// The screen's text.
        screen: String,
    },
    /// A key was refused.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The connection failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A terminal with a user who types and waits. It waits for events, never for time to pass.
pub struct Pilot<S> {
    stream: S,
    emulator: Emulator,
    patience: Duration,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Pilot<S> {
    /// A terminal on a connection that was just made. It gives up waiting after its patience.
    pub fn new(
        stream: S,
        wish: Wish,
        capabilities: Capabilities,
        code_page: CodePage,
        patience: Duration,
    ) -> Self {
        Self { stream, emulator: Emulator::new(wish, capabilities, code_page), patience }
    }

    /// The terminal.
    pub fn emulator(&self) -> &Emulator {
        &self.emulator
    }

    /// Its screen.
    pub fn screen(&self) -> &Screen {
        self.emulator.screen()
    }

    /// Its screen, to type and to move the cursor.
    pub fn screen_mut(&mut self) -> &mut Screen {
        self.emulator.screen_mut()
    }

    /// Waits until the terminal is as wanted.
    pub async fn wait(&mut self, wanted: &str, is_so: impl Fn(&Emulator) -> bool) -> Result<(), PilotError> {
        let patience = self.patience;
        match timeout(patience, self.read_until(is_so)).await {
            Ok(done) => done,
            Err(_elapsed) => {
                let screen = self.screen().text();
                Err(PilotError::TimedOut { wanted: wanted.to_string(), patience, screen })
            }
        }
    }

    /// Waits until a text is on the screen and the keyboard is free.
    pub async fn wait_text(&mut self, text: &str) -> Result<(), PilotError> {
        self.wait(&format!("'{text}' with a free keyboard"), |emulator| {
            emulator.screen().keyboard() == Keyboard::Unlocked && emulator.screen().contains(text)
        })
        .await
    }

    /// Types a text at the cursor.
    pub fn type_text(&mut self, text: &str) -> Result<(), PilotError> {
        Ok(self.emulator.screen_mut().type_text(text)?)
    }

    /// Presses a key that calls the region, and waits until it has given the keyboard back.
    pub async fn press(&mut self, aid: Aid) -> Result<(), PilotError> {
        self.press_and_go(aid).await?;
        let free = |emulator: &Emulator| emulator.screen().keyboard() == Keyboard::Unlocked;
        self.wait("free keyboard", free).await
    }

    /// Presses a key that calls the region, and waits for nothing.
    pub async fn press_and_go(&mut self, aid: Aid) -> Result<(), PilotError> {
        self.emulator.press(aid)?;
        Ok(self.send().await?)
    }

    /// Sends a record that no key makes, and waits for nothing.
    pub async fn send_record(&mut self, record: &[u8]) -> Result<(), PilotError> {
        self.emulator.send(record);
        Ok(self.send().await?)
    }

    /// Presses ATTN, and waits for nothing: it leaves the keyboard as it is.
    pub async fn attention(&mut self) -> Result<(), PilotError> {
        self.emulator.attention();
        Ok(self.send().await?)
    }

    /// Presses SYSREQ, and waits for nothing.
    pub async fn system_request(&mut self) -> Result<(), PilotError> {
        self.emulator.system_request();
        Ok(self.send().await?)
    }

    /// Types a line for the network's own service, in EBCDIC, and waits for nothing.
    pub async fn service_line(&mut self, text: &[u8]) -> Result<(), PilotError> {
        self.emulator.send_service_text(text);
        Ok(self.send().await?)
    }

    /// Waits until the region closes the connection.
    pub async fn wait_closed(&mut self) -> Result<(), PilotError> {
        match self.wait("end of the connection", |_| false).await {
            Err(PilotError::Closed { .. }) => Ok(()),
            other => other,
        }
    }

    /// Leaves, and gives the connection back.
    pub fn into_stream(self) -> S {
        self.stream
    }

    async fn read_until(&mut self, is_so: impl Fn(&Emulator) -> bool) -> Result<(), PilotError> {
        let mut buffer = [0; 4_096];
        while !is_so(&self.emulator) {
            let len = self.stream.read(&mut buffer).await?;
            if len == 0 {
                let (text, screen) = (self.emulator.text().to_string(), self.screen().text());
                return Err(PilotError::Closed { text, screen });
            }
            self.emulator.receive(&buffer[..len]).map_err(io::Error::other)?;
            self.send().await?;
        }
        Ok(())
    }

    async fn send(&mut self) -> io::Result<()> {
        let output = std::mem::take(self.emulator.output());
        self.stream.write_all(&output).await
    }
}
