//! Messages to a server.

use smallvec::SmallVec;

use crate::oid::Oid;

/// Bytes that wait to be sent, and how many of them are.
#[derive(Default)]
pub(crate) struct Outgoing {
    bytes: Vec<u8>,
    sent: usize,
}

/// The values of a statement's parameters, as they go into a Bind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parameters {
    formats: SmallVec<[u8; 16]>,
    /// Each with its length before it.
    values: Vec<u8>,
}

/// Formats in which a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text = 0,
    Binary = 1,
}

impl Parameters {
    /// One more value: `write` appends its bytes.
    pub(crate) fn push<E>(
        &mut self,
        format: Format,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        let at = self.values.len();
        self.values.extend([0; 4]);
        write(&mut self.values)?;
        let length = (self.values.len() - at - 4) as u32;
        self.values[at..at + 4].copy_from_slice(&length.to_be_bytes());
        self.formats.push(format as u8);
        Ok(())
    }

    /// One more value: NULL.
    pub(crate) fn push_null(&mut self) {
        self.values.extend((-1i32).to_be_bytes());
        self.formats.push(Format::Binary as u8);
    }
}

impl Outgoing {
    pub(crate) fn is_empty(&self) -> bool {
        self.sent == self.bytes.len()
    }

    pub(crate) fn rest(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    pub(crate) fn advance(&mut self, count: usize) {
        self.sent += count;
        if self.is_empty() {
            self.bytes.clear();
            self.sent = 0;
        }
    }

    fn message(&mut self, tag: u8, body: impl FnOnce(&mut Vec<u8>)) {
        self.bytes.push(tag);
        self.lengthed(body);
    }

    /// A body with its length before it, as messages of the start-up have it, without a tag.
    fn lengthed(&mut self, body: impl FnOnce(&mut Vec<u8>)) {
        let at = self.bytes.len();
        self.bytes.extend([0; 4]);
        body(&mut self.bytes);
        let length = (self.bytes.len() - at) as u32;
        self.bytes[at..at + 4].copy_from_slice(&length.to_be_bytes());
    }

    pub(crate) fn tls_request(&mut self) {
        self.lengthed(|out| out.extend(80_877_103u32.to_be_bytes()));
    }

    pub(crate) fn cancel_request(&mut self, backend: u32, secret: u32) {
        self.lengthed(|out| {
            for word in [80_877_102, backend, secret] {
                out.extend(word.to_be_bytes());
            }
        });
    }

    /// The first message: protocol 3.0 and the session's settings.
    pub(crate) fn start_up(&mut self, settings: &[(&str, &str)]) {
        self.lengthed(|out| {
            out.extend(0x0003_0000u32.to_be_bytes());
            for (name, value) in settings {
                text(out, name);
                text(out, value);
            }
            out.push(0);
        });
    }

    /// A password, or the first or a later word of SASL without its framing.
    pub(crate) fn password(&mut self, bytes: &[u8]) {
        self.message(b'p', |out| out.extend(bytes));
    }

    pub(crate) fn sasl_initial(&mut self, mechanism: &str, data: &[u8]) {
        self.message(b'p', |out| {
            text(out, mechanism);
            out.extend((data.len() as u32).to_be_bytes());
            out.extend(data);
        });
    }

    pub(crate) fn query(&mut self, sql: &[u8]) {
        self.message(b'Q', |out| {
            out.extend(sql);
            out.push(0);
        });
    }

    pub(crate) fn parse(&mut self, name: &str, sql: &[u8], types: &[Oid]) {
        self.message(b'P', |out| {
            text(out, name);
            out.extend(sql);
            out.push(0);
            out.extend((types.len() as u16).to_be_bytes());
            for oid in types {
                out.extend(oid.to_be_bytes());
            }
        });
    }

    pub(crate) fn describe_statement(&mut self, name: &str) {
        self.message(b'D', |out| {
            out.push(b'S');
            text(out, name);
        });
    }

    pub(crate) fn bind(&mut self, portal: &str, name: &str, parameters: &Parameters, results: &[Format]) {
        self.message(b'B', |out| {
            text(out, portal);
            text(out, name);
            let count = (parameters.formats.len() as u16).to_be_bytes();
            out.extend(count);
            for &format in &parameters.formats {
                out.extend([0, format]);
            }
            out.extend(count);
            out.extend(&parameters.values);
            out.extend((results.len() as u16).to_be_bytes());
            for &format in results {
                out.extend([0, format as u8]);
            }
        });
    }

    /// Runs a portal; `rows` 0 is all of them.
    pub(crate) fn execute(&mut self, portal: &str, rows: u32) {
        self.message(b'E', |out| {
            text(out, portal);
            out.extend(rows.to_be_bytes());
        });
    }

    pub(crate) fn close_statement(&mut self, name: &str) {
        self.message(b'C', |out| {
            out.push(b'S');
            text(out, name);
        });
    }

    pub(crate) fn close_portal(&mut self, name: &str) {
        self.message(b'C', |out| {
            out.push(b'P');
            text(out, name);
        });
    }

    pub(crate) fn sync(&mut self) {
        self.message(b'S', |_| ());
    }

    pub(crate) fn terminate(&mut self) {
        self.message(b'X', |_| ());
    }
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend(text.as_bytes());
    out.push(0);
}
