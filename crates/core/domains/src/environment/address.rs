//! ADDRESS: pointers to the areas that a task shares with the region.

use spec::{cmd, opt};

use kernel::exec::{Answers, Call, Handler};
use kernel::raise::Outcome;
use kernel::storage::StorageAddress;
use kernel::task::{Commarea, Task};

/// These commands.
pub(super) const HANDLERS: Answers =
    &[(cmd::ADDRESS, Handler::Now(address)), (cmd::ADDRESS_SET, Handler::Now(address_set))];

/// ADDRESS: an area that does not exist has the published address of nothing.
fn address(task: &mut Task, call: &Call<'_>) -> Outcome {
    let level = task.level();
    for (option, field) in call.fields() {
        let area = match option {
            opt::EIB => Some(level.eib.address()),
            opt::COMMAREA => level.commarea.as_ref().map(Commarea::address),
            opt::TWA => (task.transaction.twa_length > 0).then(|| StorageAddress::of(&task.twa)),
            opt::CWA => {
                (task.region.options.cwa_length > 0).then(|| StorageAddress::of(&task.region.cwa.lock()))
            }
            // There is no terminal user area, no ACEE and no CSA here.
            opt::TCTUA | opt::ACEE | opt::CSA => None,
            _ => continue,
        };
        field.put_pointer(area.unwrap_or(StorageAddress::NO_AREA))?;
    }
    Ok(())
}

/// ADDRESS SET(pointer) USING(pointer): one pointer into the other.
fn address_set(_: &mut Task, call: &Call<'_>) -> Outcome {
    let address = call.pointer(opt::USING)?.unwrap_or(StorageAddress::NULL);
    call.put_pointer(opt::SET, address)
}
