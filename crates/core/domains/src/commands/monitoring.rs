//! MONITOR.

use instruments::points::Operand;
use spec::{cmd, cond, opt};

use kernel::exec::{Answers, Call, Handler};
use kernel::monitoring::{Monitoring, PointData, RecordType};
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[(cmd::MONITOR, Handler::Now(monitor))];

/// RESP2 of INVREQ.
mod resp2 {
    /// The number is none of a point.
    pub const NUMBER: i32 = 1;
    /// DATA1 or DATA2 is missing, and the definition of the point wants it.
    pub const DATA1: i32 = 2;
    pub const DATA2: i32 = 3;
}

/// The entry of points that name none.
const ENTRY: &str = "USER";
/// Bytes of a fullword.
const FULLWORD: usize = 4;

/// MONITOR: the point is counted in the task's record by entry name and number, what is defined for it is done, and it is
/// shown to those who debug. As published, a point that is not defined does no more.
fn monitor(task: &mut Task, call: &Call<'_>) -> Outcome {
    let point = call.number(opt::POINT)?.unwrap_or(0);
    let number = u8::try_from(point).map_err(|_| cond::INVREQ.raise(resp2::NUMBER))?;
    let entry = call.name::<8>(opt::ENTRYNAME)?.unwrap_or(Name8::from(ENTRY));
    if Monitoring::of(&task.region).pass(&task.control, (entry, number), &Data(call))? {
        task.record_so_far(RecordType::Delivered);
    }
    tracing::debug!(target: "MN", "task {}: monitoring point {point} {entry}", task.number);
    Ok(())
}

/// The data of a command.
struct Data<'a, 'c>(&'a Call<'c>);

impl Data<'_, '_> {
    /// The address in DATA1.
    fn address(&self) -> Outcome<kernel::storage::StorageAddress> {
        let address = if self.0.has(opt::DATA1) { self.0.pointer(opt::DATA1)? } else { None };
        address.ok_or_else(|| cond::INVREQ.raise(resp2::DATA1))
    }
}

impl PointData for Data<'_, '_> {
    fn fullword(&self, which: Operand) -> Outcome<u32> {
        let (option, none) = match which {
            Operand::Data2 => (opt::DATA2, resp2::DATA2),
            Operand::Data1 | Operand::Number(_) => (opt::DATA1, resp2::DATA1),
        };
        let bytes = self.0.bytes_of(option, FULLWORD)?;
        let word = bytes.as_deref().and_then(|bytes| bytes.first_chunk().copied());
        word.map(u32::from_be_bytes).ok_or_else(|| cond::INVREQ.raise(none))
    }

    fn fullwords(&self, count: u16) -> Outcome<Vec<u32>> {
        let mut bytes = vec![0; usize::from(count) * FULLWORD];
        self.0.read_at(self.address()?, &mut bytes)?;
        Ok(bytes.as_chunks().0.iter().map(|word| u32::from_be_bytes(*word)).collect())
    }

    fn characters(&self, most: u16) -> Outcome<Vec<u8>> {
        let length = match self.fullword(Operand::Data2)? {
            // As published: as many as the definition says.
            0 => usize::from(most),
            length => usize::try_from(length).unwrap_or(usize::MAX).min(most.into()),
        };
        let mut bytes = vec![0; length];
        self.0.read_at(self.address()?, &mut bytes)?;
        Ok(bytes)
    }
}
