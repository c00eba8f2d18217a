//! What a task may not do to the process that it shares with others: touch its files, its terminal, its time.
//!
//! A batch program has its process for itself, and may.

use std::ffi::{CStr, c_int};

use super::{give_up_with, leave};
use crate::tcb::{self, Event, Tcb};

/// Routines of the runtime as modules call them where their name is a literal, by that name.
const ROUTINES: [(&CStr, &str); COUNT] = [
    (c"cob_sys_change_dir", "CBL_CHANGE_DIR"),
    (c"cob_sys_chdir", "C$CHDIR"),
    (c"cob_sys_check_file_exist", "CBL_CHECK_FILE_EXIST"),
    (c"cob_sys_clear_screen", "X'E4'"),
    (c"cob_sys_close_file", "CBL_CLOSE_FILE"),
    (c"cob_sys_copy_file", "CBL_COPY_FILE"),
    (c"cob_sys_copyfile", "C$COPY"),
    (c"cob_sys_create_dir", "CBL_CREATE_DIR"),
    (c"cob_sys_create_file", "CBL_CREATE_FILE"),
    (c"cob_sys_delete_dir", "CBL_DELETE_DIR"),
    (c"cob_sys_delete_file", "CBL_DELETE_FILE"),
    (c"cob_sys_error_proc", "CBL_ERROR_PROC"),
    (c"cob_sys_exit_proc", "CBL_EXIT_PROC"),
    (c"cob_sys_extfh", "EXTFH"),
    (c"cob_sys_file_delete", "C$DELETE"),
    (c"cob_sys_file_info", "C$FILEINFO"),
    (c"cob_sys_flush_file", "CBL_FLUSH_FILE"),
    (c"cob_sys_fork", "CBL_GC_FORK"),
    (c"cob_sys_get_char", "CBL_READ_KBD_CHAR"),
    (c"cob_sys_get_csr_pos", "CBL_GET_CSR_POS"),
    (c"cob_sys_get_current_dir", "CBL_GET_CURRENT_DIR"),
    (c"cob_sys_get_scr_size", "CBL_GET_SCR_SIZE"),
    (c"cob_sys_getopt_long_long", "CBL_GC_GETOPT"),
    (c"cob_sys_getpid", "C$GETPID"),
    (c"cob_sys_hosted", "CBL_GC_HOSTED"),
    (c"cob_sys_mkdir", "C$MAKEDIR"),
    (c"cob_sys_oc_nanosleep", "CBL_GC_NANOSLEEP"),
    (c"cob_sys_open_file", "CBL_OPEN_FILE"),
    (c"cob_sys_read_file", "CBL_READ_FILE"),
    (c"cob_sys_rename_file", "CBL_RENAME_FILE"),
    (c"cob_sys_set_csr_pos", "CBL_SET_CSR_POS"),
    (c"cob_sys_sleep", "C$SLEEP"),
    (c"cob_sys_sound_bell", "X'E5'"),
    (c"cob_sys_system", "SYSTEM"),
    (c"cob_sys_waitpid", "CBL_GC_WAITPID"),
    (c"cob_sys_write_file", "CBL_WRITE_FILE"),
    (c"cob_sys_x91", "X'91'"),
];

/// How many there are.
const COUNT: usize = 37;

/// What stands in for them: the host's own service of that name, or that there is no such program.
pub(super) fn routines(tcb: &Tcb) -> impl Iterator<Item = (&'static CStr, usize)> {
    ROUTINES.into_iter().zip(ABSENT).map(|((symbol, name), absent)| {
        (symbol, tcb.own_addresses.get(name).copied().unwrap_or(absent as *const () as usize))
    })
}

/// A CALL of the routine with this index, which no task has.
unsafe extern "C" fn absent<const INDEX: usize>() -> c_int {
    leave(Event::Missing(ROUTINES[INDEX].1.to_owned()))
}

macro_rules! absent {
    ($($index:literal)*) => {
        static ABSENT: [unsafe extern "C" fn() -> c_int; COUNT] = [$(absent::<$index>),*];
    };
}
absent! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36
}

/// Ends the program with what it should do instead.
fn refuse(what: &str) -> ! {
    match tcb::current() {
        Some(tcb) => give_up_with(tcb, what.to_owned()),
        None => std::process::abort(),
    }
}

/// Screens: ACCEPT and DISPLAY with positions, and SCREEN SECTION. The library behind them would end the process where there
/// is no terminal.
pub(super) unsafe extern "C" fn screen() -> c_int {
    refuse(
        "ACCEPT and DISPLAY with LINE, COLUMN or a screen need a terminal of the process: use EXEC CICS SEND and RECEIVE",
    )
}

/// ACCEPT without FROM, or from the console, and STOP with a literal, which waits for a line of it.
pub(super) unsafe extern "C" fn console() -> c_int {
    refuse("a task has no console to ACCEPT from: use EXEC CICS RECEIVE")
}

/// CONTINUE AFTER.
pub(super) unsafe extern "C" fn sleep() -> c_int {
    refuse("CONTINUE AFTER would hold up all tasks of its TCB: use EXEC CICS DELAY")
}

/// DELETE FILE.
pub(super) unsafe extern "C" fn delete_file() -> c_int {
    refuse("DELETE FILE is not for tasks: their files are the region's")
}

/// SORT and MERGE of files: the runtime keeps one description of the file for all tasks.
pub(super) unsafe extern "C" fn sort_file() -> c_int {
    refuse(
        "SORT and MERGE of files are not for tasks: sort a table, or browse a path in the order that is wanted",
    )
}

/// USING and GIVING of SORT and MERGE: the runtime opens these files by itself, by their names in the process's folder.
pub(super) unsafe extern "C" fn sort_by_names() -> c_int {
    refuse(
        "USING and GIVING of SORT and MERGE do not reach the files that DD statements name where a program is hosted: compile it \
         natively (`native` of [cobol]), or RELEASE and RETURN its records in an INPUT and an OUTPUT PROCEDURE",
    )
}

/// FUNCTION of a FUNCTION-ID: the runtime would look for it in the process's folders, and enter it behind our back.
pub(super) unsafe extern "C" fn function() -> c_int {
    refuse("functions of a FUNCTION-ID are not for tasks: CALL a program instead")
}

/// ACCEPT and DISPLAY of the environment and of arguments: the runtime keeps one name and one number for all tasks.
pub(super) unsafe extern "C" fn environment() -> c_int {
    refuse(
        "a task has no environment and no arguments of its own: pass what the program needs in its COMMAREA",
    )
}
