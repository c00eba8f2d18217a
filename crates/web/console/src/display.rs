//! A display: the emulator's screen as rows for a browser, the browser's keys as those of the emulator.

use ebcdic::{Characters, CodePage};
use serde_json::{Value, json};
use tn3270::datastream::{Address, Capabilities, Size};
use tn3270::emulator::Emulator;
use tn3270::telnet::{DeviceType, Functions, Violation, Wish};

use crate::device::Device;
use crate::ending::{End, policy};
use crate::keys::{self, FromBrowser, Modes};
use crate::limits::{BAD_STREAMS_MAX, MESSAGE_MAX, SERVICE_TEXT_MAX};
use crate::picture::Picture;

/// A display and its keyboard.
pub(crate) struct Display {
    emulator: Emulator,
    code_page: CodePage,
    modes: Modes,
    /// Bytes of the service's text that the browser has.
    told_service: usize,
    picture: Picture,
}

impl Display {
    /// A display of a model, which wants a network name or takes any.
    pub fn new(model: u8, lu: Option<String>, code_page: CodePage) -> Self {
        let device = DeviceType::new(&format!("IBM-3278-{model}-E"));
        let sizes = Capabilities::unqueried(device.alternate_size());
        let capabilities = Capabilities {
            default_size: Size::MODEL_2,
            colour: true,
            highlight: true,
            reply_modes: true,
            queried: true,
            ..sizes
        };
        let wish = Wish { device, lu, functions: Some(Functions::DISPLAY) };
        Self {
            emulator: Emulator::new(wish, capabilities, code_page),
            code_page,
            modes: Modes::default(),
            told_service: 0,
            picture: Picture::default(),
        }
    }
}

impl Device for Display {
    fn receive(&mut self, bytes: &[u8]) -> Result<(), Violation> {
        self.emulator.receive(bytes)
    }

    fn output(&mut self) -> &mut Vec<u8> {
        self.emulator.output()
    }

    fn take(&mut self, message: FromBrowser) -> Result<(), End> {
        match message {
            FromBrowser::Key(name) => {
                if !keys::press(&mut self.emulator, &mut self.modes, &name) {
                    return Err(policy("there is no such key"));
                }
            }
            FromBrowser::Type(text) => keys::type_text(&mut self.emulator, &text),
            FromBrowser::Paste(text) => keys::paste(&mut self.emulator, self.modes, &text),
            FromBrowser::Cursor(at) => self.emulator.screen_mut().move_cursor(Address(at)),
            FromBrowser::Service(line) if self.modes.service && line.len() <= MESSAGE_MAX => {
                let line: String = line.chars().take(usize::from(Size::MODEL_2.columns)).collect();
                self.emulator.send_service_text(&self.code_page.encode(&line));
            }
            FromBrowser::Service(_) => {}
        }
        Ok(())
    }

    fn news(&mut self) -> Result<Option<Value>, End> {
        if self.emulator.errors().len() > BAD_STREAMS_MAX {
            return Err(policy("a program sends what no 3270 understands"));
        }
        let text = self.emulator.service_text();
        if text.len() > SERVICE_TEXT_MAX {
            return Err(policy("the network's service has said enough"));
        }
        if text.len() > self.told_service {
            let new = Characters::default().text(&self.code_page.to_program(&text[self.told_service..]));
            self.told_service = text.len();
            return Ok(Some(json!({ "service": new })));
        }
        Ok(self.picture.update(&self.emulator, self.modes))
    }

    fn text(&self) -> &str {
        self.emulator.text()
    }
}
