//! Everything that grows has a limit, and every limit has a name.

/// Bytes of a COMMAREA: what a signed halfword holds.
pub const COMMAREA_LENGTH_MAX: usize = 32_767;
/// Link levels of one task: a program that LINKs to itself without end stops here.
pub const LINK_LEVELS_MAX: usize = 200;
/// Bytes of its TCB's own stack that a link level takes, and room to spare: builds without optimisation take the most.
pub const LINK_LEVEL_STACK_BYTES: usize = 64 << 10;
/// Pushed handle states of one link level.
pub const PUSHED_HANDLES_MAX: usize = 256;
/// Bytes of storage that one task may hold by GETMAIN and SET.
pub const TASK_STORAGE_BYTES_MAX: usize = 64 << 20;
/// Bytes of one GETMAIN.
pub const GETMAIN_BYTES_MAX: usize = 32 << 20;
/// Bytes of one container.
pub const CONTAINER_BYTES_MAX: usize = 64 << 20;
/// Bytes of all containers of one task.
pub const TASK_CONTAINER_BYTES_MAX: usize = 256 << 20;
/// Bytes of one temporary storage item.
pub const TS_ITEM_LENGTH_MAX: usize = 32_763;
/// Items of one temporary storage queue.
pub const TS_ITEMS_MAX: usize = 32_767;
/// Bytes of all temporary storage in main storage, if TSMAINLIMIT says nothing else.
pub const TS_MAIN_BYTES_MAX: usize = 64 << 20;
/// Bytes of one transient data record.
pub const TD_RECORD_LENGTH_MAX: usize = 32_763;
/// Records that wait in one intrapartition queue.
pub const TD_RECORDS_MAX: usize = 1_000_000;
/// Pending interval control requests of a region.
pub const INTERVAL_REQUESTS_MAX: usize = 100_000;
/// Tasks that wait for MXT or their class before attach is refused.
pub const ATTACH_QUEUE_MAX: usize = 100_000;
/// Inbound records that a terminal may send before its task takes them.
pub const TERMINAL_INPUT_MAX: usize = 8;
/// Outbound records that a terminal may leave unread before its task waits.
pub const TERMINAL_OUTPUT_MAX: usize = 64;
/// Installed terminals of a region.
pub const TERMINALS_MAX: usize = 32_000;
/// Bytes of a message to the operator.
pub const OPERATOR_TEXT_MAX: usize = 690;
/// Hops of AICA's default: the runaway interval in milliseconds if neither ICVR nor the transaction says.
pub const RUNAWAY_MS_DEFAULT: u64 = 5_000;

const _: () = assert!(TS_ITEM_LENGTH_MAX < COMMAREA_LENGTH_MAX);
const _: () = assert!(GETMAIN_BYTES_MAX <= TASK_STORAGE_BYTES_MAX);
