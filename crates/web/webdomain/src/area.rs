//! Areas with a length beside them, in both directions.

use kernel::exec::Call;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use spec::{OptionId, cond};

use crate::resp2;

/// An area and the field of its length.
#[derive(Clone, Copy)]
pub(crate) struct Area {
    /// The area.
    pub area: OptionId,
    /// Its length: in what there is room for, out how long it is.
    pub length: OptionId,
    /// RESP2 of LENGERR where it was cut.
    pub cut: i32,
    /// RESP2 of LENGERR where its length is not positive.
    pub short: i32,
}

impl Area {
    /// An area and the field of its length; RESP2 where it is cut.
    pub const fn new(area: OptionId, length: OptionId, cut: i32) -> Self {
        Self { area, length, cut, short: resp2::LENGTH }
    }

    /// The same with other numbers of RESP2.
    pub const fn saying(self, cut: i32, short: i32) -> Self {
        Self { cut, short, ..self }
    }

    fn too_short(self) -> Raise {
        cond::LENGERR.raise(self.short)
    }

    /// Gives bytes: what there is room for, and how many there are.
    ///
    /// # Errors
    /// LENGERR: they were cut, or the length is not positive.
    pub fn give(self, call: &Call<'_>, bytes: &[u8]) -> Outcome {
        if !call.has(self.area) {
            return call.put_number(self.length, bytes.len() as i64);
        }
        let room = match call.number(self.length)? {
            None => call.size(self.area),
            Some(room) => {
                usize::try_from(room).ok().filter(|room| *room > 0).ok_or_else(|| self.too_short())?
            }
        };
        let fits = &bytes[..bytes.len().min(room)];
        call.put_area(self.area, fits)?;
        if !call.has(self.length) {
            let blanks = vec![b' '; room - fits.len()];
            call.put_area(self.area, &[fits, &blanks].concat())?;
        }
        call.put_number(self.length, bytes.len() as i64)?;
        if fits.len() < bytes.len() { Err(cond::LENGERR.raise(self.cut)) } else { Ok(()) }
    }

    /// Takes bytes: as many as the length says, else the whole area without the blanks at its end.
    ///
    /// # Errors
    /// LENGERR: the length is not positive, or longer than `longest`.
    pub fn take(self, call: &Call<'_>, longest: usize) -> Outcome<Option<Vec<u8>>> {
        let Some(length) = call.number(self.length)? else {
            let whole = call.bytes(self.area)?;
            return Ok(whole.map(|bytes| bytes.trim_ascii_end().to_vec()));
        };
        let length = usize::try_from(length).ok().filter(|length| (1..=longest).contains(length));
        let bytes = call.bytes_of(self.area, length.ok_or_else(|| self.too_short())?)?;
        Ok(bytes.map(|bytes| bytes.to_vec()))
    }
}

/// The first that went wrong of several that were all done.
pub(crate) fn all<const N: usize>(outcomes: [Outcome; N]) -> Outcome {
    outcomes.into_iter().find(Outcome::is_err).unwrap_or(Ok(()))
}

/// A name of fixed length, read in full: blanks or binary zeros behind it, and nothing else.
///
/// # Errors
/// INVREQ with `resp2`: something stands behind the blank or zero that ends it, or it has characters that no name has.
pub(crate) fn fixed(call: &Call<'_>, option: OptionId, length: usize, resp2: i32) -> Outcome<Option<String>> {
    let Some(bytes) = call.bytes_of(option, length.min(call.size(option).max(1)))? else { return Ok(None) };
    let end = bytes.iter().rposition(|byte| !matches!(byte, b' ' | 0)).map_or(0, |last| last + 1);
    let text = &bytes[..end];
    if text.iter().all(u8::is_ascii_graphic) {
        Ok(Some(String::from_utf8_lossy(text).into_owned()).filter(|text| !text.is_empty()))
    } else {
        Err(cond::INVREQ.raise(resp2))
    }
}
