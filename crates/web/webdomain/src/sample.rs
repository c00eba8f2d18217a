//! DFHWBADX: the analyzer that takes a request's address for what is to become of it, `/converter/alias/program`, what stands
//! behind that, and a token as the query string. Requests with a URI map it leaves as they are.
//!
//! With it a client starts any program that CWBA's users may use: it is for trials.

use kernel::dispatcher::{Context, SuppliedFunction, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::name::Name8;
use kernel::programs::{Program, Programs};
use kernel::raise::Outcome;
use kernel::region::Region;

use crate::record::{ANALYZER, Record};

const DFHWBADX: &str = "DFHWBADX";
/// The response to an address that does not say it.
const EXCEPTION: i64 = 4;
/// Bytes of an address that are looked at.
const ADDRESS_MAX: usize = 8 * 1024;
/// Characters of the names, in their order.
const NAMES: [(&str, usize); 3] =
    [("WBRA-CONVERTER-PROGRAM", 8), ("WBRA-ALIAS-TRANID", 4), ("WBRA-SERVER-PROGRAM", 8)];

/// Installs it, unless the application has its own.
pub(crate) fn install(region: &Region) {
    let name = Name8::from(DFHWBADX);
    if Programs::of(region).get(name).is_none() {
        Programs::of(region).install(Program::supplied(name, analyzes as SuppliedFunction));
    }
}

fn analyzes<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let given = context.commarea()?.unwrap_or_default();
        let Some(mut record) = Record::of(&ANALYZER, given) else { return Ok(Flow::Return) };
        if record.text("WBRA-URIMAP").is_empty() {
            read_address(context, &mut record)?;
            context.set_commarea(record.as_bytes())?;
        }
        Ok(Flow::Return)
    })
}

fn read_address(context: &Context<'_>, record: &mut Record) -> Outcome {
    let path = record.data(context, ("WBRA-RESOURCE-PTR", "WBRA-RESOURCE-LENGTH"), ADDRESS_MAX)?;
    let token = record.data(context, ("WBRA-QUERYSTRING-PTR", "WBRA-QUERYSTRING-LENGTH"), ADDRESS_MAX)?;
    let path = path.to_ascii_uppercase();
    let mut names = path.split(|byte| *byte == b'/').skip(1);
    for (field, length) in NAMES {
        match names.next().filter(|name| (1..=length).contains(&name.len())) {
            Some(name) => record.put_text(field, name),
            None => record.put_number("WBRA-RESPONSE", EXCEPTION),
        }
    }
    record.put_text("WBRA-USER-TOKEN", token);
    Ok(())
}
