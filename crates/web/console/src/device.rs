//! The part of a terminal that a display and a printer have each in its own way.

use serde_json::Value;
use tn3270::telnet::Violation;

use crate::ending::End;
use crate::keys::FromBrowser;

/// A device: TN3270E at one end, messages of a browser at the other.
pub(crate) trait Device {
    /// Takes bytes of the region.
    ///
    /// # Errors
    /// They are no TN3270.
    fn receive(&mut self, bytes: &[u8]) -> Result<(), Violation>;

    /// The bytes for the region: those that were sent are removed from the front.
    fn output(&mut self) -> &mut Vec<u8>;

    /// Takes a message of the browser.
    ///
    /// # Errors
    /// The end of the terminal.
    fn take(&mut self, message: FromBrowser) -> Result<(), End>;

    /// The next message for the browser; `None`: it has everything.
    ///
    /// # Errors
    /// The end of the terminal.
    fn news(&mut self) -> Result<Option<Value>, End>;

    /// The browser has the last message.
    fn has_told(&mut self) {}

    /// The text of a region that has begun no session.
    fn text(&self) -> &str;
}
