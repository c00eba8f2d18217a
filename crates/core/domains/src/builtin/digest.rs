//! BIF DIGEST: the SHA-1 digest of a record, as hexadecimal digits, bytes, or in base 64.

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest as digest_of};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use spec::{cond, opt};

use kernel::exec::Call;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;

/// RESP2 of LENGERR: RECORDLEN is no length; of INVREQ: DIGESTTYPE is no type.
const LENGTH: i32 = 1;
const TYPE: i32 = 1;

/// The form in which the program gets a digest.
type Form = fn(&[u8]) -> Vec<u8>;

/// BIF DIGEST. Order of checks: length, type. Program characters are digested as they are: see docs/compat/commands.md.
pub(super) fn digest(_: &mut Task, call: &Call<'_>) -> Outcome {
    let length = call.number(opt::RECORDLEN)?.unwrap_or(call.size(opt::RECORD) as i64);
    let length =
        usize::try_from(length).ok().filter(|n| *n > 0).ok_or_else(|| cond::LENGERR.raise(LENGTH))?;
    let form = form(call)?;
    let record = call.bytes_of(opt::RECORD, length)?.unwrap_or_default();
    call.put(opt::RESULT, &form(digest_of(&SHA1_FOR_LEGACY_USE_ONLY, &record).as_ref()))
}

/// The form that the command asks for: HEX where it says nothing.
fn form(call: &Call<'_>) -> Outcome<Form> {
    let hexadecimal = |digest: &[u8]| digest.iter().flat_map(|b| format!("{b:02X}").into_bytes()).collect();
    let base_64 = |digest: &[u8]| STANDARD.encode(digest).into_bytes();
    let named = call.number(opt::DIGESTTYPE)?.map(|number| spec::cvda_name(number as i32));
    match named {
        Some(Some("HEX")) => Ok(hexadecimal),
        Some(Some("BINARY")) => Ok(<[u8]>::to_vec),
        Some(Some("BASE64")) => Ok(base_64),
        Some(_) => Err(cond::INVREQ.raise(TYPE)),
        None if call.keyword(opt::BINARY) => Ok(<[u8]>::to_vec),
        None if call.keyword(opt::BASE64) => Ok(base_64),
        None => Ok(hexadecimal),
    }
}
