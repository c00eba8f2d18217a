//! `DSNTIAR` and `DSNTIAC`: a program CALLs them to have its SQLCA as lines of text.

use cobol::{AccessError, ServiceCall};
use sql::codes::{Sqlca, format_message};

/// `CALL 'DSNTIAR' USING SQLCA message-area lrecl`.
pub(crate) const DSNTIAR: &str = "DSNTIAR";
/// `CALL 'DSNTIAC' USING DFHEIBLK DFHCOMMAREA SQLCA message-area lrecl`.
pub(crate) const DSNTIAC: &str = "DSNTIAC";

/// Bytes of the message area's length, which stands in front of its lines.
const LENGTH: usize = 2;

/// Writes the lines; the RETURN-CODE.
///
/// # Errors
/// An area that is not the program's.
pub(crate) fn answer(call: &ServiceCall<'_>) -> Result<i32, AccessError> {
    // EIB and COMMAREA are for routines of z/OS that ask the region for storage.
    let first = if call.name() == DSNTIAC { 2 } else { 0 };
    let mut sqlca = [0; Sqlca::LENGTH];
    call.read(call.arg(first)?.address(), &mut sqlca)?;
    let line = i32::try_from(call.arg(first + 2)?.number()?).unwrap_or(i32::MAX);
    // The area says itself how long it is, whatever the program's item for it is like.
    let place = call.arg(first + 1)?.address();
    let mut length = [0; LENGTH];
    call.read(place, &mut length)?;
    let mut area = vec![0; LENGTH + usize::from(u16::from_be_bytes(length))];
    call.read(place, &mut area)?;
    let formatted = format_message(&Sqlca::read(&sqlca), &mut area, line);
    call.write(place, &area)?;
    Ok(formatted as i32)
}
