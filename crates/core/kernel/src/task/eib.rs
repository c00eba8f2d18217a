//! The EXEC interface block: what a program sees of its task and of its last command.
//!
//! Shape and offsets are those of `spec/tables/eib_fields.tsv`; numbers are big-endian, as COMP is.

use spec::Condition;

use crate::clock::{Last as LastOf, Stamp};
use crate::name::{Name8, TerminalName, TransactionName};
use crate::storage::StorageAddress;

/// EIBDATE is behind it: both are written at once.
const EIBTIME: usize = 0;
const EIBTRNID: usize = 8;
const EIBTASKN: usize = 12;
const EIBTRMID: usize = 16;
const EIBCPOSN: usize = 22;
const EIBCALEN: usize = 24;
const EIBAID: usize = 26;
const EIBFN: usize = 27;
/// Behind EIBFN: both are written at once.
const EIBRCODE: usize = EIBFN + 2;
const EIBDS: usize = 35;
const EIBREQID: usize = 43;
const EIBRSRCE: usize = 51;
const EIBRESP: usize = 76;
const EIBRESP2: usize = 80;
/// Bytes of the block, rounded up.
const EIB_LENGTH: usize = 88;

thread_local! {
    /// EIBTIME and EIBDATE of a second.
    static SHOWN: LastOf<[[u8; 4]; 2]> = const { LastOf::nothing() };
}

/// One link level's EIB. A LINKed program has a block of its own, so that its caller's EIBCALEN is untouched.
///
/// Programs see a copy in their window; the address only says which block a part of the window stands for.
pub struct Eib {
    bytes: [u8; EIB_LENGTH],
    address: StorageAddress,
    /// Something else than the outcome of the last command has changed since a program was last shown all of it.
    is_changed: bool,
}

impl Default for Eib {
    /// A block for a task that has just been attached.
    fn default() -> Self {
        Self { bytes: [0; EIB_LENGTH], address: StorageAddress::of_nothing(), is_changed: true }
    }
}

impl Eib {
    /// Changes something else than what a command has come to.
    fn write(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.is_changed = true;
    }

    /// Bytes of a field.
    fn field<const N: usize>(&self, at: usize) -> [u8; N] {
        std::array::from_fn(|index| self.bytes[at + index])
    }

    /// Shows a program, whose own copy this is, what has changed since it was last shown.
    #[inline(always)]
    pub(crate) fn show(&mut self, into: &mut [u8; EIB_LENGTH]) {
        if std::mem::take(&mut self.is_changed) {
            self.copy_to(into);
        } else {
            *word_mut(into, EIBFN) = *word_mut(&mut self.bytes, EIBFN);
            *word_mut(into, EIBRESP) = *word_mut(&mut self.bytes, EIBRESP);
        }
    }

    /// A copy for the next link level.
    #[must_use]
    pub fn for_next_level(&self, commarea_length: usize) -> Self {
        let mut next = self.copy();
        next.set_commarea_length(commarea_length);
        next
    }

    /// It is used again, as that of the next link level.
    pub(crate) fn becomes_next(&mut self, above: &Self, commarea_length: usize) {
        self.bytes = above.bytes;
        self.set_commarea_length(commarea_length);
    }

    /// Another one with the same bytes.
    pub fn copy(&self) -> Self {
        Self { bytes: self.bytes, ..Self::default() }
    }

    /// It has the bytes of a copy that was made of it before.
    pub fn restore(&mut self, kept: &Self) {
        self.write(0, &kept.bytes);
    }

    /// Its bytes as they stand.
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.to_vec()
    }

    /// Bytes of the block.
    pub(crate) const LENGTH: usize = EIB_LENGTH;

    /// Copies its bytes as they stand.
    #[inline]
    pub(crate) fn copy_to(&self, into: &mut [u8; EIB_LENGTH]) {
        *into = self.bytes;
    }

    /// The address that stands for it.
    pub fn address(&self) -> StorageAddress {
        self.address
    }

    /// Task number, transaction and terminal.
    pub fn set_task(&mut self, number: u32, transaction: TransactionName, terminal: Option<TerminalName>) {
        self.write(EIBTASKN, &packed7(u64::from(number)));
        self.write(EIBTRNID, transaction.as_bytes());
        self.write(EIBTRMID, terminal.map_or([0; 4], |t| *t.as_bytes()).as_slice());
    }

    /// EIBTIME and EIBDATE.
    pub fn set_stamp(&mut self, stamp: &Stamp) {
        let work_out = || [packed7(stamp.hhmmss()), packed7(stamp.cyyddd())];
        let shown = SHOWN.with(|last| last.of(stamp.second(), work_out));
        self.write(EIBTIME, shown.as_flattened());
    }

    /// EIBCALEN.
    pub fn set_commarea_length(&mut self, length: usize) {
        self.write(EIBCALEN, &(length as u16).to_be_bytes());
    }

    /// EIBAID (as a program character) and EIBCPOSN.
    pub fn set_input(&mut self, aid: u8, cursor: u16) {
        self.write(EIBAID, &[aid]);
        self.write(EIBCPOSN, &cursor.to_be_bytes());
    }

    /// EIBAID.
    pub fn aid(&self) -> u8 {
        self.bytes[EIBAID]
    }

    /// EIBCPOSN.
    pub fn cursor(&self) -> u16 {
        u16::from_be_bytes([self.bytes[EIBCPOSN], self.bytes[EIBCPOSN + 1]])
    }

    /// EIBFN, EIBRESP and EIBRESP2, after every command; EIBRCODE as of one that has raised nothing.
    #[inline(always)]
    pub fn set_outcome(&mut self, function: [u8; 2], resp: u32, resp2: i32) {
        let responses = (u64::from(resp) << 32 | u64::from(resp2.cast_unsigned())).to_be_bytes();
        *word_mut(&mut self.bytes, EIBRESP) = responses;
        *word_mut(&mut self.bytes, EIBFN) = [function[0], function[1], 0, 0, 0, 0, 0, 0];
    }

    /// EIBRCODE of a condition that the command whose EIBFN stands here has raised.
    pub(crate) fn set_condition(&mut self, condition: Condition) {
        self.write(EIBRCODE, &spec::response_code(self.bytes[EIBFN], condition));
    }

    /// The second and third byte of EIBRCODE, behind SYSIDERR.
    pub(crate) fn set_system_reason(&mut self, reason: [u8; 2]) {
        self.write(EIBRCODE + 1, &reason);
    }

    /// EIBREQID.
    pub fn request(&self) -> Name8 {
        Name8::new(self.field::<8>(EIBREQID))
    }

    /// EIBDS: the file last used.
    pub fn set_dataset(&mut self, file: Name8) {
        self.write(EIBDS, file.as_bytes());
        self.set_resource(file);
    }

    /// EIBRSRCE: the resource of the last command.
    pub fn set_resource(&mut self, name: Name8) {
        self.write(EIBRSRCE, name.as_bytes());
    }

    /// EIBREQID: the request identifier that interval control gave.
    pub fn set_request(&mut self, request: Name8) {
        self.write(EIBREQID, request.as_bytes());
    }

    /// EIBRESP and EIBRESP2 as they stand.
    pub fn outcome(&self) -> (u32, i32) {
        (u32::from_be_bytes(self.field(EIBRESP)), i32::from_be_bytes(self.field(EIBRESP2)))
    }
}

/// The eight bytes of a block that begin at a place.
///
/// # Panics
/// If they are not there.
#[inline(always)]
fn word_mut(block: &mut [u8; EIB_LENGTH], at: usize) -> &mut [u8; 8] {
    block[at..].first_chunk_mut().expect("the block is longer")
}

/// A positive number of seven digits as S9(7) COMP-3.
fn packed7(number: u64) -> [u8; 4] {
    let mut bytes = [0; 4];
    let mut rest = number % 10_000_000;
    bytes[3] = 0x0c | ((rest % 10) as u8) << 4;
    rest /= 10;
    for byte in bytes[..3].iter_mut().rev() {
        *byte = (rest % 10) as u8 | ((rest / 10 % 10) as u8) << 4;
        rest /= 100;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_shown_what_has_changed() {
        let (mut eib, mut shown) = (Eib::default(), [0xEE; EIB_LENGTH]);
        eib.show(&mut shown);
        eib.set_outcome([0x06, 0x02], 13, 80);
        eib.show(&mut shown);
        assert_eq!(shown.as_slice(), eib.bytes());
        shown[EIBAID] = b'x';
        eib.set_outcome([0x06, 0x04], 0, 0);
        eib.show(&mut shown);
        assert_eq!(shown[EIBAID], b'x', "what no command has changed");
        shown[EIBAID] = 0;
        assert_eq!(shown.as_slice(), eib.bytes());
        eib.set_dataset(Name8::from("RECORDS"));
        eib.set_condition(spec::cond::NOTFND);
        eib.show(&mut shown);
        assert_eq!(shown.as_slice(), eib.bytes());
    }

    #[test]
    fn numbers_are_packed_as_programs_read_them() {
        assert_eq!(packed7(0), [0, 0, 0, 0x0c]);
        assert_eq!(packed7(126_325), [0x01, 0x26, 0x32, 0x5c]);
        assert_eq!(packed7(9_999_999), [0x99, 0x99, 0x99, 0x9c]);
    }
}
