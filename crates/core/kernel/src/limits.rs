//! Everything that grows has a limit, and every limit has a name.

use std::time::Duration;

/// Greatest value of a signed halfword: the longest LENGTH.
pub const HALFWORD_LENGTH_MAX: usize = 32_767;
/// Bytes of a COMMAREA.
pub const COMMAREA_LENGTH_MAX: usize = 32_763;
/// Bytes of a COMMAREA from which on a level whose programs do not name it has no copy of it.
pub const COMMAREA_UNSEEN_MIN: usize = 4 << 10;
/// Requests of one task to others that are spans of their own.
pub const CLIENT_SPANS_MAX: u32 = 1_000;
/// Link levels of one task: a program that LINKs to itself without end stops here.
pub const LINK_LEVELS_MAX: usize = 200;
/// Bytes of a TCB's stack: the futures of a task's link levels poll each other on it, COBOL runs elsewhere.
pub const TCB_STACK: usize = LINK_LEVELS_MAX * 64 * 1024;
/// Pushed handle states of one link level.
pub const PUSHED_HANDLES_MAX: usize = 256;
/// Bytes that an area of GETMAIN or SET counts for beside its own, as one of ALLOCATE does: many small ones are not
/// for nothing.
pub const AREA_BYTES: usize = cobol_run::AREA_BYTES;
/// The same of an item of temporary storage, of a record of transient data in main storage, and of a container.
pub const ITEM_BYTES: usize = 64;
/// The same of a queue of temporary storage, whose name and place are kept.
pub const QUEUE_BYTES: usize = 256;
/// Bytes of storage that one task may hold by GETMAIN and SET.
pub const TASK_STORAGE_BYTES_MAX: usize = 64 << 20;
/// Bytes of the window in which a task's programs have their storage.
pub const WINDOW_BYTES_MAX: usize = 128 << 20;
/// The depth to which programs CALL each other at one link level.
pub const CALL_DEPTH_MAX: usize = 256;
/// Bytes of storage of the levels of tasks that have ended which a TCB keeps for the next tasks of the same programs.
pub const SPARE_LEVELS_BYTES_MAX: usize = 2 << 20;
/// Programs of such a level.
pub const SPARE_PROGRAMS_MAX: usize = 16;
/// Bytes of the window that is kept with one.
pub const SPARE_WINDOW_BYTES_MAX: usize = 64 << 10;
/// Time that a task keeps its thread with commands that might have to wait and need not, before others go first.
pub const TURN_MAX: Duration = Duration::from_millis(20);
/// Such commands from one look at the clock to the next.
pub const TURN_COMMANDS: u32 = 64;
/// Bytes that a link level counts for beside its COMMAREA and what its programs get for their run: its EIB, what is known of its
/// programs, and the pages of the task's window that every program touches.
pub const LEVEL_BYTES: usize = 12 << 10;
/// Time that a TCB may stay away from its event loop before the log names it and others do its work.
pub const STUCK_TCB_AFTER: Duration = Duration::from_secs(10);
/// Tasks of a TCB that does not come back which the log names.
pub const STUCK_TASKS_TOLD_MAX: usize = 10;
/// Interval of that look.
pub const WATCH_EVERY: Duration = Duration::from_secs(1);
/// Bytes of one GETMAIN.
pub const GETMAIN_BYTES_MAX: usize = 32 << 20;
/// Bytes of one container.
pub const CONTAINER_BYTES_MAX: usize = 64 << 20;
/// Bytes of all containers that one task has put.
pub const TASK_CONTAINER_BYTES_MAX: usize = 256 << 20;
/// Channels that one program makes.
pub const CHANNELS_MAX: usize = 10_000;
/// Bytes of a command with its arguments: a container, and all around it.
pub const PARCEL_BYTES_MAX: usize = CONTAINER_BYTES_MAX + (1 << 20);
/// Bytes of one temporary storage item.
pub const TS_ITEM_LENGTH_MAX: usize = 32_763;
/// Items of one temporary storage queue.
pub const TS_ITEMS_MAX: usize = 32_767;
/// Bytes of all items of auxiliary queues of temporary storage that are not recoverable.
pub const TS_AUXILIARY_BYTES_MAX: usize = 1 << 30;
/// Bytes of one transient data record.
pub const TD_RECORD_LENGTH_MAX: usize = 32_763;
/// Records that wait in one intrapartition queue.
pub const TD_RECORDS_MAX: usize = 1_000_000;
/// Bytes of all records in main storage of one intrapartition queue.
pub const TD_BYTES_MAX: usize = 256 << 20;
/// Pending interval control requests of a region.
pub const INTERVAL_REQUESTS_MAX: usize = 100_000;
/// Bytes of the data of all STARTs that no task has retrieved yet, pending or attached.
pub const START_BYTES_MAX: usize = 256 << 20;
/// Documents that a task may have at a time.
pub const DOCUMENTS_MAX: usize = 1_000;
/// Bytes of all documents of a task, their symbols among them.
pub const TASK_DOCUMENT_BYTES_MAX: usize = 128 << 20;
/// Bytes of one document.
pub const DOCUMENT_BYTES_MAX: usize = 64 << 20;
/// Templates that one template may include, all levels together.
pub const TEMPLATES_MAX: usize = 1_000;
/// Dumps that a region takes between its start and its end.
pub const DUMPS_MAX: u32 = 1_000;
/// Dumps that a region takes by itself of abends with one code in one program.
pub const DUMPS_OF_A_KIND_MAX: u32 = 10;
/// Transactions whose tracing differs from the standard, and terminals.
pub const TRACE_MARKS_MAX: usize = 1_000;
/// Bytes of data that an entry of level 3 of the trace shows.
pub const TRACE_DATA_MAX: usize = 256;
/// Characters of the text of an SQL statement in an entry of level 2.
pub const TRACE_TEXT_MAX: usize = 1_000;
/// Codes of dumps that statistics tell apart.
pub const DUMP_CODES_MAX: usize = 1_000;
/// Entries of the internal trace of one TCB: a power of two.
pub const TRACE_ENTRIES: usize = 4_096;
/// Entries of it that a dump shows.
pub const DUMP_TRACE_ENTRIES: usize = 200;
/// Bytes of the text of one dump; it ends there.
pub const DUMP_BYTES_MAX: usize = 4 << 20;
/// Bytes of all files in the folder of dumps: beyond them abends leave none.
pub const DUMP_FOLDER_BYTES_MAX: u64 = 256 << 20;
/// Bytes of one record of a program's storage that a dump shows field by field; a longer one is shown as bytes.
pub const DUMP_RECORD_BYTES_MAX: usize = 256 << 10;
/// Locks of a task that its dump names.
pub const DUMP_LOCKS_MAX: usize = 200;
/// Bytes of an area in a dump.
pub const DUMP_AREA_BYTES_MAX: usize = 16 << 20;
/// Lines of the log that a program may cause in a second: DISPLAY, and messages of its abends.
pub const LOG_LINES_PER_SECOND: u32 = 1_000;
/// Route codes of a message to the operator; they have the numbers from 1 to this.
pub const ROUTE_CODES_MAX: usize = 28;
/// Event control areas that one command may wait for.
pub const WAIT_EVENTS_MAX: usize = 10_000;

/// Interval at which a wait looks at event control areas that programs post by hand.
pub const HAND_POST_LOOK: Duration = Duration::from_millis(50);
/// Bytes of FROM and PREFIX of a journal record together.
pub const JOURNAL_RECORD_MAX: usize = 1 << 20;
/// Bytes of a log stream's file.
pub const JOURNAL_BYTES_MAX: u64 = 1 << 30;
/// Named counters of a region.
pub const COUNTERS_MAX: usize = 100_000;
/// Children that a task may have at a time, fetched ones counted until they are freed.
pub const CHILDREN_MAX: usize = 1_000;
/// Time that a protected START that is refused for a passing cause, or whose task has failed for one, waits before it
/// is tried again.
pub const START_RETRY_AFTER: Duration = Duration::from_secs(60);
/// Number of attempts before it waits for the region's next start; and number of restarts of a task whose transaction
/// has RESTART(YES).
pub const START_RETRIES_MAX: u8 = 20;
/// Time that a START whose time has come waits for its terminal.
pub const START_TERMINAL_WAIT: Duration = Duration::from_secs(24 * 3_600);
/// Tasks that wait for MXT or their class before attach is refused: fewer than there are task numbers, with those that run.
pub const ATTACH_QUEUE_MAX: usize = 90_000;
/// Tasks of operators that may run beyond MXT.
pub const OPERATOR_TASKS_MAX: usize = 20;
/// Tasks that sign users on or off, and may run beyond MXT.
pub const SIGN_ON_TASKS_MAX: usize = 20;
/// Tasks that the region itself waits for, and may run beyond MXT.
pub const REGION_TASKS_MAX: usize = 20;
/// Started tasks that wait until one terminal is free.
pub const STARTS_AT_TERMINAL_MAX: usize = 1_000;
/// Time that the programs of the shutdown list may take together.
pub const SHUTDOWN_LIST_MAX: Duration = Duration::from_secs(120);
/// Time that one of them that is purged is waited for.
pub const PURGED_PROGRAM_MAX: Duration = Duration::from_secs(5);
/// For what tasks have begun beside their TCB, a compilation or a dump, when the TCB ends: what is left of it ends with the process.
pub const BESIDE_MAX: Duration = Duration::from_secs(5);
/// Time that a task may wait for something in the region before the log names it.
pub const LONG_WAIT: Duration = Duration::from_secs(30);
/// Long waits that the log tells one by one at a time.
pub const LONG_WAITS_TOLD_MAX: usize = 20;
/// Inbound records that a terminal may send before its task takes them.
pub const TERMINAL_INPUT_MAX: usize = 8;
/// Copies of screens that wait for a printer which is not there.
pub const COPIES_WAITING_MAX: usize = 100;
/// Answers that a display may owe to those who have read its buffer.
pub const BUFFER_READS_MAX: usize = 4;
/// Outbound records that are held for a terminal until its task has shown all it wants to show.
pub const TERMINAL_HELD_MAX: usize = 16;
/// Bytes that are kept of what was written to a screen since it was erased. Beyond them its fields are unknown.
pub const SCREEN_HISTORY_BYTES_MAX: usize = 32 * 1024;
/// Terminals whose tasks CEDF follows at a time.
pub const EDF_SESSIONS_MAX: usize = 100;
/// Screens of a CEDF session that PF10 shows again.
pub const EDF_REMEMBERED_MAX: usize = 10;
/// Bytes of an argument that are shown to a watcher of a command.
pub const SHOWN_ARGUMENT_BYTES_MAX: usize = 4096;
/// Installed terminals of a region.
pub const TERMINALS_MAX: usize = 32_000;
/// Passwords that are checked at once: each takes a processor and 19 MiB for a while.
pub const PASSWORD_CHECKS_MAX: usize = 2;
/// Bytes of a message to the operator.
pub const OPERATOR_TEXT_MAX: usize = 690;
/// Bytes of a supplied queue's file of messages; it begins again then.
pub const MESSAGE_FILE_BYTES_MAX: u64 = 16 << 20;
/// Bytes of records that a TCB gathers before they are handed over to be written.
pub const RECORDER_BLOCK_BYTES: usize = 64 << 10;
/// Blocks of records that wait to be written; those beyond are given up.
pub const RECORDER_BLOCKS_MAX: usize = 64;
/// Interval at which a block that is not full is written all the same.
pub const RECORDER_FLUSH_EVERY: Duration = Duration::from_millis(500);
/// Bytes of a file of records; the next begins then.
pub const RECORD_FILE_BYTES_MAX: u64 = 64 << 20;
/// Files of records of a kind that are kept.
pub const RECORD_FILES_MAX: usize = 16;
/// Bytes of a line that a task DISPLAYs in pieces (WITH NO ADVANCING): it ends then.
pub const SYSOUT_LINE_BYTES_MAX: usize = 32 << 10;
/// Kinds of waits: those of the kernel, and those that domains above it bring.
pub const WAIT_KINDS_MAX: usize = 40;
/// Names of waits, and monitoring points, that the record of one task tells apart.
pub const NAMED_MEASURES_MAX: usize = 16;

const _: () = assert!(TS_ITEM_LENGTH_MAX < HALFWORD_LENGTH_MAX);
const _: () = assert!(GETMAIN_BYTES_MAX + AREA_BYTES <= TASK_STORAGE_BYTES_MAX);
/// Units of work with several participants that are about to be decided, or of whose end not all of them have heard.
pub const DECISIONS_MAX: usize = 10_000;
/// For another region to make, or to load a piece of, a table that both share.
pub const SHARED_TABLE_DESCRIBED: Duration = Duration::from_secs(30);
/// Interval at which the end of a unit of work is sent again to participants that have not confirmed it.
pub const RESYNCHRONISE_EVERY: Duration = Duration::from_secs(1);
