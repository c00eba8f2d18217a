//! Code in memory, and the way into it and out of it: the one file of this crate with unsafe code.
//!
//! Code and its helpers have a [`Context`], which names by addresses what it works on. Only this file makes references of them:
//! [`Running::work`], while a helper runs. What stands above it (`helpers`, `found`, `calls`, `shown`) is safe code.

#[deny(unsafe_code)]
pub(crate) mod context;
#[deny(unsafe_code)]
pub(crate) mod links;

use std::any::Any;
use std::cell::Cell;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::ptr::{self, NonNull};
use std::rc::Rc;
use std::sync::atomic::AtomicU32;

use cobol_ir::Program;
use cobol_ir::program::BlockId;
use cobol_run::{Frame, ProgramFault};
use memmap2::{Mmap, MmapMut, MmapOptions};

use crate::{Loaded, Unit};
use context::{Context, Link, NOWHERE, STACK_MAX, Status, TABLES, Within};

/// A panic that has been caught.
pub(crate) type Panic = Box<dyn Any + Send>;

/// A program's entry.
type Entry = unsafe extern "C" fn(&Context) -> i64;

/// The things that helpers of one run need, by their addresses. A program that is called within code keeps its own from one CALL to
/// the next, so they are no references: [`Running::work`] makes such of them.
#[derive(Clone, Copy)]
pub(crate) struct Runner {
    program: NonNull<Program>,
    /// The unit that the program is of, and its place there, where the host answers calls.
    unit: Option<(NonNull<Unit>, usize)>,
    /// The host's cells of the program.
    cells: Option<NonNull<()>>,
    /// Bytes that a storage must have for the program.
    storage_min: usize,
    frame: NonNull<Frame>,
    host: NonNull<()>,
    /// The programs that may be called within code.
    within: Option<Within>,
    /// It was itself called within code.
    is_called: bool,
    flag: NonNull<AtomicU32>,
    /// The place of the machine's stack when code was entered from outside.
    stack: usize,
}

/// The things that code was entered with from outside: all programs that it calls have them, too.
pub(crate) struct Origin<H> {
    host: NonNull<H>,
    flag: NonNull<AtomicU32>,
    stack: usize,
}

/// A context that has not been entered yet, whose helpers are those of this host.
pub(crate) struct Start<H> {
    context: Context,
    host: PhantomData<fn(H)>,
}

impl<P: Deref<Target = Program>> Loaded<P> {
    /// Puts the code of a program into memory, with the blocks at which it may be entered and the bytes that a storage has at least.
    ///
    /// # Safety
    /// The program has been verified. The code was compiled from it for this machine, as a function that takes a [`Context`] and gives
    /// a [`Status`]; of each load and store in it a proof has shown that it stays within what the context names, for a storage of
    /// `storage_min` bytes and more. With `counts` the context names a counter for each place in the list of the program's statements,
    /// else none.
    ///
    /// # Errors
    /// There is no memory for its code.
    pub unsafe fn proved(
        program: P,
        code: &[u8],
        entries: Vec<BlockId>,
        storage_min: usize,
        counts: bool,
    ) -> io::Result<Self> {
        let mut memory = MmapMut::map_anon(code.len())?;
        memory.copy_from_slice(code);
        Ok(Self::mapped(program, memory.make_exec()?, entries, storage_min, counts))
    }

    /// The context of its code, but for where storage and frame lie.
    #[inline]
    pub(crate) fn starts<H: Hosted>(
        &self,
        (unit, frame): (Option<(&Unit, usize)>, &mut Frame),
        origin: Origin<H>,
        (within, is_called): (Option<Within>, bool),
        (links, entry): (*const Link, u64),
    ) -> Start<H> {
        let runner = Runner {
            program: NonNull::from(self.program()),
            unit: unit.map(|(unit, place)| (NonNull::from(unit), place)),
            cells: self.cells_for::<H>().map(|cells| NonNull::from(cells).cast()),
            storage_min: self.storage_min(),
            frame: NonNull::from(frame),
            host: origin.host.cast(),
            within,
            is_called,
            flag: origin.flag,
            stack: origin.stack,
        };
        let context = Context {
            memory: Cell::new(ptr::null_mut()),
            length: Cell::new(0),
            working_at: Cell::new(ptr::null_mut()),
            slots: Cell::new(ptr::null_mut()),
            records: Cell::new(ptr::null()),
            constants: self.program().constants.as_ptr(),
            tables: TABLES.as_ptr(),
            flag: Cell::new(runner.flag.as_ptr().cast_const().cast()),
            step: Cell::new(helper::<H, H::Step>),
            test: Cell::new(helper::<H, H::Test>),
            select: Cell::new(helper::<H, H::Select>),
            call: Cell::new(helper::<H, H::Called>),
            host: Cell::new(helper::<H, H::Command>),
            moved: Cell::new(found_helper::<H, H::Moved>),
            tested: Cell::new(found_helper::<H, H::Tested>),
            appended: Cell::new(found_helper::<H, H::Appended>),
            entry: Cell::new(entry),
            working: Cell::new(0),
            local: Cell::new(0),
            links: Cell::new(links),
            linkage: Cell::new(ptr::null()),
            stack_limit: Cell::new(runner.stack.saturating_sub(STACK_MAX) as u64),
            code: self.code().as_ptr(),
            called_from: Cell::new(NOWHERE),
            return_code: Cell::new(links::NO_CODE.as_ptr()),
            touched: Cell::new(0),
            renew: Cell::new(helper::<H, H::Renewed>),
            left: Cell::new(found_helper::<H, H::Left>),
            counters: self.counters().as_ptr(),
            runner: Cell::new(runner),
            panic: Cell::new(None),
        };
        Start { context, host: PhantomData }
    }

    /// Runs it from an entry on, with what is borrowed until code has been left: how it was left, and a panic of a helper.
    pub(crate) fn run_from<H: Hosted>(
        &self,
        (unit, frame): (Option<(&Unit, usize)>, &mut Frame),
        (host, flag): (&mut H, &AtomicU32),
        within: Option<Within>,
        (links, entry): (*const Link, u64),
    ) -> (Status, Option<Panic>) {
        let stack = (&raw const entry).addr();
        let origin = Origin { host: NonNull::from(host), flag: NonNull::from(flag), stack };
        let Start { context, .. } = self.starts((unit, frame), origin, (within, false), (links, entry));
        (enter::<H>(&context), context.panic.take())
    }
}

/// A program that code stands in, as one of its helpers has it: of this host, as long as the helper runs.
pub(crate) struct Running<'c, H> {
    context: &'c Context,
    host: PhantomData<fn(H)>,
}

/// The things that a helper works with.
pub(crate) struct Work<'r, H: Hosted> {
    pub(crate) program: &'r Program,
    pub(crate) unit: Option<(&'r Unit, usize)>,
    pub(crate) cells: Option<&'r H::Cells>,
    pub(crate) storage_min: usize,
    pub(crate) frame: &'r mut Frame,
    pub(crate) host: &'r mut H,
    pub(crate) flag: &'r AtomicU32,
    pub(crate) is_called: bool,
}

impl<'c, H: Hosted> Running<'c, H> {
    /// Lends the things that it names.
    #[inline(always)]
    pub(crate) fn work(&mut self) -> Work<'_, H> {
        let Runner { program, unit, cells, storage_min, frame, host, is_called, flag, .. } =
            self.context.runner.get();
        // SAFETY: this value is made where code of such a host is entered or calls a helper (`enter`, `helper`, `found_helper`), and is
        // borrowed as long as what is lent. What a runner names stays where it is while code runs: it is borrowed from outside
        // (`run_from`), or kept by `Calls`, of which nothing is forgotten meanwhile. No other code uses it: a program that is called has
        // a frame of its own, and the host is used by one helper at a time, for one that enters code waits for it.
        unsafe {
            Work {
                program: program.as_ref(),
                unit: match unit {
                    Some((unit, place)) => Some((unit.as_ref(), place)),
                    None => None,
                },
                cells: match cells {
                    Some(cells) => Some(cells.cast::<H::Cells>().as_ref()),
                    None => None,
                },
                storage_min,
                frame: &mut *frame.as_ptr(),
                host: &mut *host.as_ptr().cast::<H>(),
                flag: flag.as_ref(),
                is_called,
            }
        }
    }

    /// Its context.
    #[inline(always)]
    pub(crate) fn context(&self) -> &'c Context {
        self.context
    }

    /// The programs that it may call within code.
    #[inline]
    pub(crate) fn within(&self) -> Option<Within> {
        self.context.runner.get().within
    }

    /// The place of the machine's stack when code was entered from outside.
    #[inline]
    pub(crate) fn stack(&self) -> usize {
        self.context.runner.get().stack
    }

    /// The things that it was entered with from outside, for a program that it calls.
    #[inline]
    pub(crate) fn origin(&self) -> Origin<H> {
        let Runner { host, flag, stack, .. } = self.context.runner.get();
        Origin { host: host.cast(), flag, stack }
    }

    /// Returns true if a helper has panicked.
    pub(crate) fn has_panic(&self) -> bool {
        let panic = self.context.panic.take();
        let has_one = panic.is_some();
        self.context.panic.set(panic);
        has_one
    }
}

/// A host of code, as far as code and its helpers are made for it.
pub(crate) trait Hosted: Sized {
    /// Facts that are the same at each execution of a program's calls of the host.
    type Cells: Any + Send + Sync;
    /// Carries a step out.
    type Step: Helps<Self>;
    /// Answers the test of a block.
    type Test: Helps<Self>;
    /// Gives the number of a block's `Select`.
    type Select: Helps<Self>;
    /// Carries a CALL out.
    type Called: Helps<Self>;
    /// Carries a command out.
    type Command: Helps<Self>;
    /// Goes on behind a program that has called the host.
    type Renewed: Helps<Self>;
    /// Moves characters.
    type Moved: HelpsFound<Self>;
    /// Answers a test of characters.
    type Tested: HelpsFound<Self>;
    /// Moves a piece of a STRING.
    type Appended: HelpsFound<Self>;
    /// Keeps a program that was left before its end.
    type Left: HelpsFound<Self>;

    /// The cells of a program; `None` if the host answers nothing where code stands.
    fn cells(program: &Program) -> Option<Self::Cells>;

    /// Shows code where storage and frame lie; false if they are not of its program.
    fn shows(at: &mut Running<'_, Self>) -> bool;
}

/// The work of a helper.
pub(crate) trait Helps<H> {
    /// Does it: see [`crate::Helper`].
    fn helps(at: &mut Running<'_, H>, which: u64) -> i64;
}

/// The work of a helper that is given more.
pub(crate) trait HelpsFound<H> {
    /// Does it: see [`crate::FoundHelper`].
    fn helps(at: &mut Running<'_, H>, which: u64, given: [i64; 4]) -> i64;
}

extern "C" fn helper<H: Hosted, T: Helps<H>>(context: &Context, which: u64) -> i64 {
    T::helps(&mut Running { context, host: PhantomData }, which)
}

extern "C" fn found_helper<H: Hosted, T: HelpsFound<H>>(
    context: &Context,
    which: u64,
    first: i64,
    second: i64,
    third: i64,
    fourth: i64,
) -> i64 {
    T::helps(&mut Running { context, host: PhantomData }, which, [first, second, third, fourth])
}

/// The context of a program that was entered within code, which lies where it is as long as the program is known.
pub(crate) struct Entered(Rc<Context>);

// SAFETY: what the context points at is used while code runs, and named again before that runs anywhere else. Its other owners are the
// runs of its code (`Below`), which end before the owner of the `Calls` can give them to another thread.
unsafe impl Send for Entered {}

impl Entered {
    /// The context is another one from now on, to be entered.
    pub(crate) fn begins<H: Hosted>(entered: &mut Option<Self>, start: Start<H>) -> Below<H> {
        let context = match entered {
            Some(Self(context)) => {
                context.becomes(&start.context);
                context
            }
            None => &entered.insert(Self(Rc::new(start.context))).0,
        };
        Below { context: Rc::clone(context), host: PhantomData }
    }

    /// The context.
    pub(crate) fn context(&self) -> *const Context {
        Rc::as_ptr(&self.0)
    }

    /// Notes that its caller knows of its calls of the host.
    pub(crate) fn is_touched_no_more(&self) {
        self.0.touched.set(0);
    }

    /// The link through which code may enter it.
    pub(crate) fn called_from(&self) -> u64 {
        self.0.called_from.get()
    }

    /// Code enters it through this link from now on, or not.
    pub(crate) fn set_called_from(&self, link: u64) {
        self.0.called_from.set(link);
    }

    /// A panic of one of its helpers.
    pub(crate) fn take_panic(&self) -> Option<Panic> {
        self.0.panic.take()
    }
}

/// A program that is about to be entered within the code of another one.
pub(crate) struct Below<H> {
    context: Rc<Context>,
    host: PhantomData<fn(H)>,
}

impl<H: Hosted> Below<H> {
    /// Runs it; the helper of its caller waits.
    pub(crate) fn run(self, _: &mut Running<'_, H>) -> Status {
        enter::<H>(&self.context)
    }
}

/// Enters code at the entry that its context names, which is of this host.
fn enter<H: Hosted>(context: &Context) -> Status {
    if !H::shows(&mut Running { context, host: PhantomData }) {
        return Status::fault(ProgramFault::Protection, 0);
    }
    // SAFETY: the code was compiled from this program, which was verified, as a function of this type; it lies in memory
    // that can be executed and is kept by its `Loaded`. It reads and writes what the context names and nothing else: storage
    // between its beginning and its length, the segments of the program, which lie there (`shows`), as many slots and places
    // of records as the program has, and the bytes that these places say are there: of the same storage, or of shared storage,
    // which stays mapped as long as a task has it. No reference to any of it is alive while code runs but within its own
    // helpers, and none to shared storage at any time. Code that counts also adds to the counters of its `Loaded`, one word for
    // each place in the list of statements, which was proved: they are atomic, and are read as such. A host that answers a call, or a program that is called, may move the
    // storage, and give records other places: what the context says of both is renewed before code goes on (`shows_again`), and
    // code uses nothing behind such a call that it has loaded in front of it of the context, or of the places of records, which
    // was proved. Slots and the list of places do not move: of a frame a host sees no more than `Standing` shows, and programs
    // that are called have frames of their own. SET ADDRESS OF within a helper changes a place where it is: a place that code
    // has loaded before is still one that the program had. Through a link code enters another program's code with the context which
    // that has: only as it stands there (`Context::called_from`), which was proved, and which is not set in a context that
    // does not name what there is now. Of a context code changes `called_from` alone, which is a cell.
    Status(unsafe {
        let entry = std::mem::transmute::<*const u8, Entry>(context.code);
        entry(context)
    })
}

/// Maps a file of code, to be read.
pub(crate) fn mapped(file: &File) -> io::Result<Mmap> {
    // SAFETY: the file belongs to this user, and no other user may write to it (`Mapped::open`). Files of code are never changed in place:
    // another one is renamed over them, and what is mapped stays. It is read as bytes only.
    unsafe { Mmap::map(file) }
}

/// Maps a part of it, to be executed.
pub(crate) fn code_of(file: &File, range: Range<usize>) -> io::Result<Mmap> {
    let mut options = MmapOptions::new();
    options.offset(range.start as u64).len(range.len());
    // SAFETY: as of `mapped`; the check sum says that it is the code that a compiler has written there.
    unsafe { options.map_exec(file) }
}
