//! COBOL's own files: what READ, WRITE and their like ask of the file handler.
//!
//! Modules are compiled with `-fcallfh=EXTFH`: for each statement libcob describes the file in an FCD3 and calls EXTFH,
//! which is bound to this crate. Offsets are those of the published structure; `tests/layout.rs` compares them with the
//! installed header. All numbers in it are big-endian, addresses the machine's own.

use crate::argument::Arg;
use crate::call::Parameters;
use crate::error::StorageFault;
use crate::image::Level;
use crate::layout::Field;
use crate::memory;

/// Offsets in the file's control block (FCD3).
mod at {
    pub const STATUS: usize = 0;
    pub const ORGANIZATION: usize = 5;
    pub const ACCESS: usize = 6;
    pub const OPEN_MODE: usize = 7;
    pub const RECORD_MODE: usize = 8;
    pub const OTHER_FLAGS: usize = 21;
    pub const NAME_LENGTH: usize = 54;
    pub const KEY_OF_REFERENCE: usize = 60;
    pub const EFFECTIVE_KEY_LENGTH: usize = 66;
    pub const OPTION: usize = 84;
    pub const CURRENT_LENGTH: usize = 88;
    pub const LEAST_LENGTH: usize = 92;
    pub const MOST_LENGTH: usize = 96;
    pub const RELATIVE_KEY: usize = 144;
    pub const HANDLE: usize = 152;
    pub const RECORD: usize = 160;
    pub const NAME: usize = 168;
    pub const KEYS: usize = 184;
    pub const END: usize = 216;
}

/// Offsets in the block of key definitions, in a key, and in a key's part.
mod key_at {
    pub const COUNT: usize = 6;
    pub const FIRST: usize = 14;
    pub const SIZE: usize = 16;
    pub const PARTS: usize = 0;
    pub const FIRST_PART: usize = 2;
    pub const FLAGS: usize = 4;
    pub const PART_SIZE: usize = 10;
    pub const PART_OFFSET: usize = 2;
    pub const PART_LENGTH: usize = 6;
}

/// Offsets in libcob's own description of a file (`cob_file`, and `cob_file_key` in it) that lead to RELATIVE KEY.
mod file_at {
    pub const KEYS: usize = 40;
    pub const FIELD: usize = 0;
}

/// A key with this flag may have several records.
const DUPLICATES: u8 = 0x40;
/// The SELECT says OPTIONAL.
const OPTIONAL: u8 = 0x80;
/// The mode of a file that is not open.
const NOT_OPEN: u8 = 128;
/// Keys that a file has at most.
const KEYS_MAX: usize = 64;
/// Parts that a key has at most.
const PARTS_MAX: usize = 8;
/// The longest name of a file, and the longest record.
const NAME_MAX: usize = 1024;
const RECORD_MAX: usize = 16 << 20;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOperation {
    /// OPEN.
    Open(OpenMode),
    /// CLOSE, in any of its forms.
    Close,
    /// READ NEXT, or READ of a file in sequential access.
    ReadNext,
    /// READ PREVIOUS.
    ReadPrevious,
    /// READ by key or number.
    Read,
    /// START.
    Start(Relation),
    /// WRITE.
    Write,
    /// REWRITE.
    Rewrite,
    /// DELETE.
    Delete,
    /// DELETE FILE.
    DeleteFile,
    /// UNLOCK.
    Unlock,
    /// COMMIT: of no file.
    Commit,
    /// ROLLBACK: of no file.
    Rollback,
    /// Any other code.
    Other(u16),
}

/// How a file is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are COBOL's")]
pub enum OpenMode {
    Input,
    Output,
    InputOutput,
    Extend,
}

/// Where START goes, compared with the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each says its name")]
pub enum Relation {
    Equal,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    First,
    Last,
}

impl FileOperation {
    fn of(code: u16) -> Self {
        match code {
            0xFA00 | 0xFA04 | 0xFA08 => Self::Open(OpenMode::Input),
            0xFA01 | 0xFA05 => Self::Open(OpenMode::Output),
            0xFA02 => Self::Open(OpenMode::InputOutput),
            0xFA03 => Self::Open(OpenMode::Extend),
            0xFA80..=0xFA86 => Self::Close,
            0xFAF5 | 0xFA8D | 0xFAD8 | 0xFAD9 => Self::ReadNext,
            0xFAF9 | 0xFA8C | 0xFADE | 0xFADF => Self::ReadPrevious,
            0xFAF6 | 0xFA8E | 0xFADA | 0xFADB => Self::Read,
            0xFAE8 | 0xFAE9 => Self::Start(Relation::Equal),
            0xFAEA => Self::Start(Relation::Greater),
            0xFAEB => Self::Start(Relation::GreaterOrEqual),
            0xFAFE => Self::Start(Relation::Less),
            0xFAFF => Self::Start(Relation::LessOrEqual),
            0xFAEC => Self::Start(Relation::Last),
            0xFAED => Self::Start(Relation::First),
            0xFAF3 | 0xFAE1..=0xFAE6 => Self::Write,
            0xFAF4 => Self::Rewrite,
            0xFAF7 => Self::Delete,
            0xFAF8 => Self::DeleteFile,
            0xFA0E | 0x000F => Self::Unlock,
            COMMIT => Self::Commit,
            ROLLBACK => Self::Rollback,
            other => Self::Other(other),
        }
    }
}

/// The codes of COMMIT and ROLLBACK, which come without a file.
pub(crate) const COMMIT: u16 = 0xFADC;
pub(crate) const ROLLBACK: u16 = 0xFADD;

/// How a file's records are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are COBOL's")]
pub enum FileOrganization {
    LineSequential,
    Sequential,
    Indexed,
    Relative,
}

/// How a program goes through a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are COBOL's")]
pub enum AccessMode {
    Sequential,
    Random,
    Dynamic,
}

/// A key of an indexed file: its parts, each an offset and a length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileKey {
    /// Its parts.
    pub parts: Vec<(usize, usize)>,
    /// WITH DUPLICATES.
    pub duplicates: bool,
}

/// What a program says of a file, as it stands now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileControl {
    /// What it is assigned to.
    pub name: String,
    /// ORGANIZATION.
    pub organization: FileOrganization,
    /// ACCESS MODE.
    pub access: AccessMode,
    /// Whether it is open, and how.
    pub open: Option<OpenMode>,
    /// SELECT OPTIONAL.
    pub optional: bool,
    /// Records of varying length.
    pub variable: bool,
    /// The shortest and the longest record.
    pub lengths: (usize, usize),
    /// The length of the record in the record area.
    pub length: usize,
    /// RELATIVE KEY.
    pub relative_key: u64,
    /// The keys of an indexed file; the first is the prime key.
    pub keys: Vec<FileKey>,
    /// Which of them is meant.
    pub key_of_reference: usize,
    /// How much of it is.
    pub key_length: usize,
    /// ADVANCING: flags and a number of lines, as libcob has them.
    pub advancing: u32,
    /// What the handler keeps with the file.
    pub handle: u64,
}

/// A statement about a file, at which a run is suspended. Resume with 0 when it is answered.
#[derive(Clone, Copy)]
pub struct FileCall<'r> {
    level: &'r Level,
    code: u16,
    block: usize,
    file: usize,
}

impl std::fmt::Debug for FileCall<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FileCall({:?})", self.operation())
    }
}

impl<'r> FileCall<'r> {
    pub(crate) fn new(level: &'r Level, (code, block, file): (u16, usize, usize)) -> Self {
        Self { level, code, block, file }
    }

    /// What is asked.
    pub fn operation(&self) -> FileOperation {
        FileOperation::of(self.code)
    }

    /// What the program says of the file.
    ///
    /// # Errors
    /// If the block is not storage: then libcob is not the one that is known.
    pub fn control(&self) -> Result<FileControl, StorageFault> {
        let mut block = [0; at::END];
        self.read(self.block, &mut block)?;
        let half = |at: usize| usize::from(u16::from_be_bytes([block[at], block[at + 1]]));
        let word = |at: usize| u32::from_be_bytes(array(&block[at..]));
        let address = |at: usize| u64::from_ne_bytes(array(&block[at..])) as usize;
        let mut name = vec![0; half(at::NAME_LENGTH).min(NAME_MAX)];
        if address(at::NAME) != 0 {
            self.read(address(at::NAME), &mut name)?;
        }
        Ok(FileControl {
            name: String::from_utf8_lossy(&name).trim_end_matches(['\0', ' ']).to_owned(),
            organization: match block[at::ORGANIZATION] {
                0 => FileOrganization::LineSequential,
                2 => FileOrganization::Indexed,
                3 => FileOrganization::Relative,
                _ => FileOrganization::Sequential,
            },
            access: match block[at::ACCESS] & 0x7F {
                4 => AccessMode::Random,
                8 => AccessMode::Dynamic,
                _ => AccessMode::Sequential,
            },
            open: match block[at::OPEN_MODE] {
                0 => Some(OpenMode::Input),
                1 => Some(OpenMode::Output),
                2 => Some(OpenMode::InputOutput),
                3 => Some(OpenMode::Extend),
                _ => None,
            },
            optional: block[at::OTHER_FLAGS] & OPTIONAL != 0,
            variable: block[at::RECORD_MODE] != 0,
            lengths: (word(at::LEAST_LENGTH) as usize, word(at::MOST_LENGTH) as usize),
            length: (word(at::CURRENT_LENGTH) as usize).min(RECORD_MAX),
            relative_key: u64::from_be_bytes(array(&block[at::RELATIVE_KEY..])),
            keys: self.keys(address(at::KEYS))?,
            key_of_reference: half(at::KEY_OF_REFERENCE),
            key_length: half(at::EFFECTIVE_KEY_LENGTH),
            advancing: u32::from_be_bytes(array(&block[at::OPTION..])),
            handle: u64::from_ne_bytes(array(&block[at::HANDLE..])),
        })
    }

    fn keys(&self, block: usize) -> Result<Vec<FileKey>, StorageFault> {
        if block == 0 {
            return Ok(Vec::new());
        }
        let mut count = [0; 2];
        self.read(block + key_at::COUNT, &mut count)?;
        let count = usize::from(u16::from_be_bytes(count)).min(KEYS_MAX);
        (0..count)
            .map(|number| {
                let mut key = [0; key_at::SIZE];
                self.read(block + key_at::FIRST + number * key_at::SIZE, &mut key)?;
                let half = |at: usize| usize::from(u16::from_be_bytes([key[at], key[at + 1]]));
                let parts = (0..half(key_at::PARTS).min(PARTS_MAX)).map(|part| {
                    let mut bytes = [0; key_at::PART_SIZE];
                    self.read(block + half(key_at::FIRST_PART) + part * key_at::PART_SIZE, &mut bytes)?;
                    let word = |at: usize| u32::from_be_bytes(array(&bytes[at..])) as usize;
                    Ok((word(key_at::PART_OFFSET), word(key_at::PART_LENGTH)))
                });
                let parts = parts.collect::<Result<_, StorageFault>>()?;
                Ok(FileKey { parts, duplicates: key[key_at::FLAGS] & DUPLICATES != 0 })
            })
            .collect()
    }

    /// The record area, as long as the longest record.
    ///
    /// # Errors
    /// If it is not storage.
    pub fn record(&self, control: &FileControl) -> Result<Vec<u8>, StorageFault> {
        let mut record = vec![0; control.lengths.1.min(RECORD_MAX)];
        self.read(self.record_area()?, &mut record)?;
        Ok(record)
    }

    /// Where the record area lies.
    fn record_area(&self) -> Result<usize, StorageFault> {
        let mut address = [0; size_of::<usize>()];
        self.read(self.block + at::RECORD, &mut address)?;
        Ok(usize::from_ne_bytes(address))
    }

    /// Puts a record into the record area: cut to the longest record; behind a shorter one everything stays.
    ///
    /// # Errors
    /// If it is not storage.
    pub fn set_record(&self, control: &FileControl, record: &[u8]) -> Result<(), StorageFault> {
        let length = record.len().min(control.lengths.1);
        self.write(self.record_area()?, &record[..length])?;
        self.write(self.block + at::CURRENT_LENGTH, &(length as u32).to_be_bytes())
    }

    /// Sets FILE STATUS.
    ///
    /// # Errors
    /// If the block is not storage.
    pub fn set_status(&self, status: [u8; 2]) -> Result<(), StorageFault> {
        self.write(self.block + at::STATUS, &status)
    }

    /// Sets how the file is open, and what the handler keeps with it.
    ///
    /// # Errors
    /// If the block is not storage.
    pub fn set_open(&self, mode: Option<OpenMode>, handle: u64) -> Result<(), StorageFault> {
        let mode = match mode {
            Some(OpenMode::Input) => 0,
            Some(OpenMode::Output) => 1,
            Some(OpenMode::InputOutput) => 2,
            Some(OpenMode::Extend) => 3,
            None => NOT_OPEN,
        };
        self.write(self.block + at::OPEN_MODE, &[mode])?;
        self.write(self.block + at::HANDLE, &handle.to_ne_bytes())
    }

    /// Sets RELATIVE KEY, where the program has one.
    ///
    /// # Errors
    /// If the block is not storage.
    pub fn set_relative_key(&self, number: u64) -> Result<(), StorageFault> {
        self.write(self.block + at::RELATIVE_KEY, &number.to_be_bytes())?;
        // libcob leaves the program's own field alone.
        let pointer = |address: usize| {
            let mut bytes = [0; size_of::<usize>()];
            self.read(address, &mut bytes).map(|()| usize::from_ne_bytes(bytes))
        };
        if self.file == 0 {
            return Ok(());
        }
        let keys = pointer(self.file + file_at::KEYS)?;
        let field = if keys == 0 { 0 } else { pointer(keys + file_at::FIELD)? };
        if field != 0 {
            let parameters = Parameters::new(self.level);
            // SAFETY: libcob's description of the file points to a field of the program that has the file, or to none.
            let field = unsafe { Arg::new(&parameters, field as *const Field) };
            // A number that is too large for the field is not for it.
            let _ = field.write_number(i64::try_from(number).unwrap_or(i64::MAX));
        }
        Ok(())
    }

    fn read(&self, address: usize, into: &mut [u8]) -> Result<(), StorageFault> {
        self.level.place();
        memory::read_element(address, into, || None)
    }

    fn write(&self, address: usize, from: &[u8]) -> Result<(), StorageFault> {
        self.level.place();
        // SAFETY: places in the block that libcob passed, and the record area that it names: a handler's to change.
        unsafe { memory::write_element(address, from) }
    }
}

/// The first bytes of a slice that has at least so many.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[..N]);
    array
}

/// What this module says of the structures, for the test that compares it with the header.
/// Makes a control block one of a file that is not open.
///
/// # Safety
/// A control block of the runtime.
pub(crate) unsafe fn forget_open(block: usize) {
    // SAFETY: as the caller says; where there is none, nothing is written.
    unsafe {
        let _ = memory::write(block + at::OPEN_MODE, &[NOT_OPEN]);
        let _ = memory::write(block + at::HANDLE, &[0; size_of::<u64>()]);
    }
}

#[doc(hidden)]
pub fn summary() -> String {
    let fields = [
        ("fileStatus", at::STATUS),
        ("fileOrg", at::ORGANIZATION),
        ("accessFlags", at::ACCESS),
        ("openMode", at::OPEN_MODE),
        ("recordMode", at::RECORD_MODE),
        ("otherFlags", at::OTHER_FLAGS),
        ("fnameLen", at::NAME_LENGTH),
        ("refKey", at::KEY_OF_REFERENCE),
        ("effKeyLen", at::EFFECTIVE_KEY_LENGTH),
        ("opt", at::OPTION),
        ("curRecLen", at::CURRENT_LENGTH),
        ("minRecLen", at::LEAST_LENGTH),
        ("maxRecLen", at::MOST_LENGTH),
        ("relKey", at::RELATIVE_KEY),
        ("fileHandle", at::HANDLE),
        ("recPtr", at::RECORD),
        ("fnamePtr", at::NAME),
        ("kdbPtr", at::KEYS),
    ];
    let mut text: String = fields.map(|(name, offset)| format!("FCD3.{name} {offset}\n")).concat();
    text += &format!("FCD3 {}\n", at::END);
    text += &format!("KDB.nkeys {}\nKDB.key {}\nKDB_KEY {}\n", key_at::COUNT, key_at::FIRST, key_at::SIZE);
    text += &format!("KDB_KEY.count {}\nKDB_KEY.offset {}\n", key_at::PARTS, key_at::FIRST_PART);
    text += &format!("KDB_KEY.keyFlags {}\nEXTKEY {}\n", key_at::FLAGS, key_at::PART_SIZE);
    text += &format!("cob_file.keys {}\ncob_file_key.field {}\n", file_at::KEYS, file_at::FIELD);
    text + &format!("EXTKEY.pos {}\nEXTKEY.len {}\n", key_at::PART_OFFSET, key_at::PART_LENGTH)
}
