//! `DSNTIAR` and `DSNTIAC`: a program CALLs them to have its SQLCA as lines of text.

use crate::arguments::Called;
use areas::AccessError;
use sql::codes::{Sqlca, format_message};

/// `CALL 'DSNTIAR' USING SQLCA message-area lrecl`.
pub(crate) const DSNTIAR: &str = "DSNTIAR";
/// `CALL 'DSNTIAC' USING DFHEIBLK DFHCOMMAREA SQLCA message-area lrecl`.
pub(crate) const DSNTIAC: &str = "DSNTIAC";

/// Bytes of the message area's length, which stands in front of its lines.
const LENGTH: usize = 2;

/// Which argument is the SQLCA: EIB and COMMAREA are for routines of z/OS that ask the region for storage.
fn first_of(name: &str) -> usize {
    if name == DSNTIAC { 2 } else { 0 }
}

/// Which argument is the length of a line.
fn line_at(name: &str) -> usize {
    first_of(name) + 2
}

/// Writes the lines; the RETURN-CODE.
///
/// # Errors
/// An area that is not the program's.
pub(crate) fn answer(name: &str, call: &Called<'_>) -> Result<i32, AccessError> {
    let first = first_of(name);
    let line = call.number(line_at(name))?;
    let mut sqlca = [0; Sqlca::LENGTH];
    call.read(first, 0, &mut sqlca)?;
    let line = i32::try_from(line).unwrap_or(i32::MAX);
    // The area says itself how long it is, whatever the program's item for it is like.
    let mut length = [0; LENGTH];
    call.read(first + 1, 0, &mut length)?;
    let mut area = vec![0; LENGTH + usize::from(u16::from_be_bytes(length))];
    call.read(first + 1, 0, &mut area)?;
    let formatted = format_message(&Sqlca::read(&sqlca), &mut area, line);
    call.write(first + 1, 0, &area)?;
    Ok(formatted as i32)
}
