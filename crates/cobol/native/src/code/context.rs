//! Things that code and its helpers share: the context, its offsets, helpers, tables, how a program was left.

use std::cell::Cell;
use std::sync::atomic::{AtomicPtr, AtomicU64};

use cobol_ir::program::{BlockId, Leave};
use cobol_run::{ProgramFault, RESERVED, Record};

use super::{Panic, Runner};

/// Bytes of a place that code addresses by itself, at most: storage is never shorter, so an offset is compared with its end less the
/// length.
pub const PLACE_MAX: u32 = 64 << 10;
/// A storage of so many bytes is long enough for any code; each program's own is [`Loaded::storage_min`](crate::Loaded::storage_min).
pub const STORAGE_MIN: usize = RESERVED + PLACE_MAX as usize;

/// Bytes of the machine's stack that programs called within code may take.
pub(crate) const STACK_MAX: usize = 64 << 10;

/// Records of the linkage section in which the arguments of such a CALL lie, at most.
pub const LINKED_RECORDS_MAX: usize = 4;
/// Words of eight bytes that a name in an item has, at most.
pub(super) const NAME_WORDS: usize = 2;

/// The things that a program may need to call others within its code.
#[derive(Clone, Copy, Debug)]
pub struct Within {
    /// The number of the program that runs, among what is known ([`crate::Parts::calls`]).
    pub number: usize,
    /// The number of programs that may stand above it.
    pub depth: usize,
}

/// A helper: takes the context and a number, and answers zero or more; below zero it is a [`Status`].
pub type Helper = extern "C" fn(&Context, u64) -> i64;

/// A helper of a step whose places code has found: takes the context and the step as [`Helper`] does, and twice where a place begins
/// in its segment and its length. Answers as [`Helper`].
pub type FoundHelper = extern "C" fn(&Context, u64, i64, i64, i64, i64) -> i64;

/// The things that code finds at the address that it is given. Code and helpers have it at once, so what changes is in cells.
#[repr(C)]
pub struct Context {
    /// The storage of the task.
    pub memory: Cell<*mut u8>,
    /// Its length in bytes.
    pub length: Cell<u64>,
    /// The first byte of WORKING-STORAGE in it.
    pub working_at: Cell<*mut u8>,
    /// The whole numbers of the frame.
    pub slots: Cell<*mut i64>,
    /// The places of linkage records, and the number of bytes from there on; behind them the COMMAREA, to be looked
    /// at only.
    pub records: Cell<*const Record>,
    /// Literals.
    pub constants: *const u8,
    /// [`TABLES`].
    pub tables: *const u8,
    /// Something else than zero stops the program.
    pub flag: Cell<*const u32>,
    /// Carries a step out: block × 2³² + step.
    pub step: Cell<Helper>,
    /// Answers the test of a block: 1 where it holds.
    pub test: Cell<Helper>,
    /// The number of a block's `Select`.
    pub select: Cell<Helper>,
    /// A CALL: the block that ends with it × 2³² + its number among the calls of the host. 0 if it has been made; what else it
    /// answers is the [`Status`] with which code is left.
    pub call: Cell<Helper>,
    /// A command, in the same way: 0 if it has been answered, and the program goes on behind it.
    pub host: Cell<Helper>,
    /// A move of characters between places that are found: block × 2³² + step.
    pub moved: Cell<FoundHelper>,
    /// The test of a block whose places are found: 1 where it holds.
    pub tested: Cell<FoundHelper>,
    /// A piece of a STRING, by its number in the last argument; in front of that where it goes in the receiver's segment. With 2³² it
    /// is only looked for.
    pub appended: Cell<FoundHelper>,
    /// The place at which code goes on, among its entries.
    pub entry: Cell<u64>,
    /// The place of WORKING-STORAGE in the storage.
    pub working: Cell<u32>,
    /// The place of LOCAL-STORAGE there.
    pub local: Cell<u32>,
    /// The ways by which code enters the programs that it CALLs, by the numbers of its CALLs: see [`Link`].
    pub links: Cell<*const Link>,
    /// The addresses of linkage records in the storage of the task.
    pub linkage: Cell<*const u32>,
    /// Below this address of the machine's stack code CALLs no program itself.
    pub stack_limit: Cell<u64>,
    /// The first instruction of the program.
    pub code: *const u8,
    /// The address of the link through which code may enter the program as it stands. [`NOWHERE`] if there is none, [`BUSY`] while it runs.
    pub called_from: Cell<u64>,
    /// Two bytes: RETURN-CODE of the program, or zeros.
    pub return_code: Cell<*const u8>,
    /// Something else than zero: the host was called, or may have been, since the program was entered.
    pub touched: Cell<u64>,
    /// A program that was CALLed has come to its end, and has called the host before: as [`Self::call`], and 0 if code goes on.
    pub renew: Cell<Helper>,
    /// A program that was CALLed was left before its end, with the status that comes behind the first argument: the status with which
    /// code is left.
    pub left: Cell<FoundHelper>,
    /// The counters of the program's statements, by their places in its list, where its code counts them.
    pub counters: *const AtomicU64,
    /// The needs of its helpers.
    pub(crate) runner: Cell<Runner>,
    /// A mistake of ours in a helper: code has no frames that a panic could pass, so it goes on behind the code.
    pub(crate) panic: Cell<Option<Panic>>,
}

impl Context {
    /// Begins again as another context of the same program, but for where storage and frame lie, which is shown before it is entered.
    pub(crate) fn becomes(&self, other: &Self) {
        self.flag.set(other.flag.get());
        self.step.set(other.step.get());
        self.test.set(other.test.get());
        self.select.set(other.select.get());
        self.call.set(other.call.get());
        self.host.set(other.host.get());
        self.moved.set(other.moved.get());
        self.tested.set(other.tested.get());
        self.appended.set(other.appended.get());
        self.renew.set(other.renew.get());
        self.left.set(other.left.get());
        self.entry.set(other.entry.get());
        self.links.set(other.links.get());
        self.stack_limit.set(other.stack_limit.get());
        self.called_from.set(other.called_from.get());
        self.touched.set(other.touched.get());
        self.runner.set(other.runner.get());
        self.panic.set(None);
    }
}

/// [`Context::called_from`] of a program that code cannot enter as it stands.
pub const NOWHERE: u64 = 0;
/// [`Context::called_from`] of a program that runs.
pub const BUSY: u64 = 1;

/// The way by which code enters the program that a CALL means.
#[repr(C)]
#[derive(Debug)]
pub struct Link {
    /// Its context; that of no program as long as it is not known.
    pub context: AtomicPtr<Context>,
    /// The name in the item as it was then: the bytes of each word are its last ones.
    pub name: [u64; NAME_WORDS],
    /// The addresses as they were then of the records in which the arguments lie.
    pub records: [u32; LINKED_RECORDS_MAX],
}

impl Link {
    /// One that leads nowhere.
    pub(crate) const fn unknown() -> Self {
        let nobody = (&raw const NOBODY).cast_mut().cast();
        Self { context: AtomicPtr::new(nobody), name: [0; NAME_WORDS], records: [0; LINKED_RECORDS_MAX] }
    }
}

/// The context of no program: code looks at [`Context::called_from`], which is [`NOWHERE`], and at nothing else.
#[repr(C, align(16))]
struct Nobody([u64; size_of::<Context>().div_ceil(size_of::<u64>())]);

static NOBODY: Nobody = Nobody([NOWHERE; size_of::<Context>().div_ceil(size_of::<u64>())]);

/// The place that code has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// The end of the program.
    Left(Leave),
    /// A block that ends with a call of the host: code goes on where the host says.
    Host(BlockId),
}

/// The way in which code was left, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub i64);

const FAULTS: [ProgramFault; 9] = [
    ProgramFault::Data,
    ProgramFault::Protection,
    ProgramFault::Divide,
    ProgramFault::Range,
    ProgramFault::Stopped,
    ProgramFault::NoProgram,
    ProgramFault::Host,
    ProgramFault::Argument,
    ProgramFault::External,
];

impl Status {
    /// A fault at a statement.
    pub fn fault(fault: ProgramFault, line: u32) -> Self {
        let at = FAULTS.iter().position(|own| *own == fault).unwrap_or(0) as i64;
        Self(i64::MIN | i64::from(line) << 8 | at)
    }

    /// The end of a program.
    pub fn left(how: Leave) -> Self {
        Self(match how {
            Leave::Return => 0,
            Leave::StopRun => 1,
        })
    }

    /// A call of the host at the end of a block.
    pub fn host(block: BlockId) -> Self {
        Self(i64::from(block.0) + 2)
    }

    /// Returns how far code has come, or a fault with its statement.
    ///
    /// # Errors
    /// The fault.
    pub fn read(self) -> Result<Reached, (ProgramFault, u32)> {
        match self.0 {
            0 => Ok(Reached::Left(Leave::Return)),
            1 => Ok(Reached::Left(Leave::StopRun)),
            block @ 2.. => Ok(Reached::Host(BlockId((block - 2) as u32))),
            fault => Err((FAULTS[(fault & 0xFF) as usize % FAULTS.len()], (fault >> 8) as u32)),
        }
    }
}

/// Bit of a byte in [`TABLES`] that is worth a negative digit.
pub const IS_NEGATIVE: u8 = 0x80;
/// Bit of a byte in [`TABLES`] that is no digit.
pub const IS_NONE: u8 = 0x40;
/// Place in [`TABLES`] of the bytes with digit and sign: positive ones, 16 further negative ones.
pub const SIGNED: i32 = 256;

/// Bytes with digit and sign, and what they are worth. LOW-VALUES have digits, too.
pub static TABLES: [u8; 288] = tables();

const fn tables() -> [u8; 288] {
    let mut tables = [IS_NONE; 288];
    let (positive, negative) = (b"{ABCDEFGHI", b"}JKLMNOPQR");
    let mut digit = 0;
    while digit < 10 {
        tables[b'0' as usize + digit] = digit as u8;
        tables[digit] = digit as u8;
        tables[positive[digit] as usize] = digit as u8;
        tables[negative[digit] as usize] = digit as u8 | IS_NEGATIVE;
        tables[SIGNED as usize + digit] = positive[digit];
        tables[SIGNED as usize + 16 + digit] = negative[digit];
        digit += 1;
    }
    tables
}
