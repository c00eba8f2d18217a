//! A user at a terminal: types, presses keys, looks at the screen.

use std::net::SocketAddr;
use std::time::Instant;

use ::terminal::{Pilot, PilotError};
use ebcdic::CodePage;
use tn3270::datastream::{Aid, Capabilities, Size};
use tn3270::telnet::{DeviceType, Functions, Wish};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

use crate::house::PATIENCE;

/// A terminal and its connection.
pub struct Terminal {
    runtime: Runtime,
    pilot: Pilot<TcpStream>,
}

impl Terminal {
    /// A new one, with the region's greeting on it.
    pub fn connect(address: SocketAddr) -> Self {
        Self::try_connect(address).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A new one, if the region takes it.
    pub fn try_connect(address: SocketAddr) -> Result<Self, PilotError> {
        Self::of_model(address, "IBM-3278-2-E", Size { rows: 24, columns: 80 })
    }

    /// A new one of a model with an alternate size, if the region takes it.
    pub fn of_model(address: SocketAddr, model: &str, alternate: Size) -> Result<Self, PilotError> {
        let capabilities =
            Capabilities { colour: true, highlight: true, ..Capabilities::unqueried(alternate) };
        Self::that_can(address, model, capabilities)
    }

    /// A new one of a model, which says what it can do, if the region takes it.
    pub fn that_can(
        address: SocketAddr,
        model: &str,
        capabilities: Capabilities,
    ) -> Result<Self, PilotError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let wish = Wish { device: DeviceType::new(model), lu: None, functions: Some(Functions::DISPLAY) };
        let pilot = runtime.block_on(async {
            let stream = TcpStream::connect(address).await?;
            let mut pilot = Pilot::new(stream, wish, capabilities, CodePage::Ibm037, PATIENCE);
            pilot.wait_text("").await?;
            Ok::<_, PilotError>(pilot)
        })?;
        Ok(Self { runtime, pilot })
    }

    /// Clears the screen, types a text and presses ENTER.
    pub fn start(&mut self, text: &str) {
        self.press(Aid::Clear);
        self.type_text(text);
        self.press(Aid::Enter);
    }

    /// Clears the screen, types a text, presses ENTER, and waits for nothing.
    pub fn start_and_go(&mut self, text: &str) {
        self.press(Aid::Clear);
        self.type_text(text);
        let gone = self.runtime.block_on(self.pilot.press_and_go(Aid::Enter));
        gone.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Clears the screen, types a text, presses ENTER, and waits for an answer; the region may go away meanwhile.
    pub fn try_until(&mut self, text: &str, answer: &str) -> Result<(), PilotError> {
        self.runtime.block_on(async {
            self.pilot.press(Aid::Clear).await?;
            self.pilot.type_text(text)?;
            self.pilot.press(Aid::Enter).await?;
            self.pilot.wait_text(answer).await
        })
    }

    /// Clears the screen, types a text, presses ENTER, and gives the screen once one of these stands on it; the region may go
    /// away meanwhile.
    pub fn try_either(&mut self, text: &str, answers: &[&str]) -> Result<String, PilotError> {
        self.runtime.block_on(async {
            self.pilot.press(Aid::Clear).await?;
            self.pilot.type_text(text)?;
            self.pilot.press(Aid::Enter).await?;
            let stands = |text: String| answers.iter().any(|answer| text.contains(answer));
            self.pilot.wait("an answer", |terminal| stands(terminal.screen().text())).await?;
            Ok(self.pilot.screen().text())
        })
    }

    /// Types a text where the cursor stands.
    pub fn type_text(&mut self, text: &str) {
        self.pilot.type_text(text).unwrap_or_else(|error| panic!("{error}"));
    }

    /// Moves the cursor to the next field.
    pub fn press_tab(&mut self) {
        self.pilot.screen_mut().tab();
    }

    /// Presses a key, and waits until the region has given the keyboard back.
    pub fn press(&mut self, aid: Aid) {
        let pressed = self.runtime.block_on(self.pilot.press(aid));
        pressed.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Presses a key, and waits for nothing.
    pub fn press_and_go(&mut self, aid: Aid) {
        let gone = self.runtime.block_on(self.pilot.press_and_go(aid));
        gone.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Sends a record that no key makes, and waits until the region writes something.
    pub fn send(&mut self, record: &[u8]) {
        let writes = self.pilot.screen().writes();
        let answered = self.runtime.block_on(async {
            self.pilot.send_record(record).await?;
            self.pilot.wait("answer", |terminal| terminal.screen().writes() > writes).await
        });
        answered.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Waits until a text stands on the screen.
    pub fn sees(&mut self, text: &str) {
        let seen = self.runtime.block_on(self.pilot.wait_text(text));
        seen.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Starts a transaction until its screen has a text: for what the region takes up by itself.
    pub fn until(&mut self, transaction: &str, text: &str) {
        let begun = Instant::now();
        while !self.shows().contains(text) {
            assert!(begun.elapsed() < PATIENCE, "no “{text}”:\n{}", self.shows());
            self.start(transaction);
        }
    }

    /// The screen as SVG.
    pub fn picture(&self) -> String {
        self.pilot.screen().picture()
    }

    /// Returns the text of the screen, without the empty lines.
    pub fn shows(&self) -> String {
        let text = self.pilot.screen().text();
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        lines.join("\n")
    }

    /// The values of outlining and validation that the field has in which a place is, both from 1.
    pub fn outlining_and_validation(&self, row: u16, column: u16) -> Option<(u8, u8)> {
        let field = self.pilot.screen().field_at(row, column)?;
        Some((field.extended.outlining, field.extended.validation))
    }

    /// Waits until the region closes the connection.
    pub fn sees_the_end(&mut self) {
        let closed = self.runtime.block_on(self.pilot.wait_closed());
        closed.unwrap_or_else(|error| panic!("{error}"));
    }
}
