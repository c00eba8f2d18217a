//! SEND CONTROL: device controls and the cursor, without data.

use crate::display::{Display, Erase, SendError};
use crate::map::Control;
use crate::stream::{Stream, checked_cursor};

/// Options of SEND CONTROL.
#[derive(Clone, Copy, Debug, Default)]
pub struct ControlOptions {
    /// ERASE and its kin.
    pub erase: Erase,
    /// Device controls.
    pub control: Control,
    /// The cursor's position, from 0; without it the cursor stays, or after an erase is at the first position.
    pub cursor: Option<u16>,
}

/// The data stream of a SEND CONTROL.
pub fn send_control(options: &ControlOptions, display: &Display) -> Result<Vec<u8>, SendError> {
    let keyboard_only = Control { freekb: true, ..Control::default() };
    if options.erase == Erase::Unprotected && options.control == keyboard_only && options.cursor.is_none() {
        return Ok(Stream::erase_all_unprotected());
    }
    let mut stream = Stream::write(options.erase, options.control, display.screen)?;
    if let Some(position) = options.cursor {
        stream.cursor(checked_cursor(position, display.screen.after(options.erase).size())?);
    }
    Ok(stream.finish())
}
