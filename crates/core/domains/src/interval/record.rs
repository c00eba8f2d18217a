//! A START as a record, and back.

use std::sync::Arc;

use jiff::Timestamp;
use kernel::channels::Channel;
use kernel::exec::Followed;
use kernel::fields::{FieldReader, FieldWriter};
use kernel::name::Name8;
use kernel::raise::Outcome;
use kernel::recovery::UnitOfWork;
use kernel::region::Region;
use kernel::security::{User, Users};
use kernel::task::Origin;

use super::asked::{Start, StartData};
use super::kept::KeptStart;

impl KeptStart {
    /// The START as it was asked for; `None` if its record is gone, or nothing can be done with it any more.
    pub(super) async fn read(self, region: &Region) -> Option<(Name8, Start)> {
        let mut record = Vec::new();
        let mut unit = region.records.begin(region.records.locks().new_owner());
        if !unit.get(region.stores.starts, &self.key(), &mut record).await.ok()? {
            return None;
        }
        from_bytes(region, &record, Some(self)).map(|(request, start, _)| (request, start))
    }

    /// Puts the record into the unit of work that makes the START.
    pub(super) async fn put(
        self,
        work: &mut UnitOfWork,
        request: Name8,
        start: &Start,
        due: Timestamp,
    ) -> Outcome {
        let store = work.region().stores.starts;
        work.put(store, &self.key(), &to_bytes(request, start, due)).await
    }
}

/// A START as a record.
pub(super) fn to_bytes(request: Name8, start: &Start, due: Timestamp) -> Vec<u8> {
    let StartData { data, transaction, terminal, queue, .. } = &start.data;
    FieldWriter::default()
        .bytes(request.as_ref())
        .bytes(start.transaction.as_ref())
        .optional(start.terminal.as_ref().map(AsRef::as_ref))
        .bytes(start.user.id.as_ref())
        .number(due.as_millisecond())
        .optional(data.as_deref())
        .optional(transaction.as_ref().map(AsRef::as_ref))
        .optional(terminal.as_ref().map(AsRef::as_ref))
        .optional(queue.as_ref().map(AsRef::as_ref))
        .optional(start.channel.as_ref().map(|channel| channel.to_bytes()).as_deref())
        .optional(start.origin.to_bytes().as_deref())
        .optional(start.followed.as_ref().map(|followed| &*followed.0))
        .end()
}

/// A record as a START; `None` also where its user is not known any more.
pub(super) fn from_bytes(
    region: &Region,
    record: &[u8],
    kept: Option<KeptStart>,
) -> Option<(Name8, Start, Timestamp)> {
    let mut fields = FieldReader(record);
    let request = fields.name()?;
    let transaction = fields.name()?;
    let terminal = fields.optional_name()?;
    let user = user(region, fields.name()?)?;
    let due = Timestamp::from_millisecond(fields.number()?).ok()?;
    let data = StartData {
        data: fields.optional()?.map(<[u8]>::to_vec),
        transaction: fields.optional_name()?,
        terminal: fields.optional_name()?,
        queue: fields.optional_name()?,
        kept,
        counted: None,
    };
    let channel = match fields.optional()? {
        Some(channel) => Some(Channel::from_bytes(channel)?),
        None => None,
    };
    // Records of older releases end here, or behind the origin.
    let origin = match fields.optional().flatten() {
        Some(origin) => Origin::from_bytes(origin)?,
        None => Origin::default(),
    };
    let followed = fields.optional().flatten().map(|area| Followed(area.into()));
    Some((request, Start { transaction, terminal, data, channel, user, origin, followed }, due))
}

/// The user of a name, if there still is one.
pub fn user(region: &Region, id: Name8) -> Option<Arc<User>> {
    match id {
        id if id == Users::of(region).default.id => Some(Arc::clone(&Users::of(region).default)),
        id if id == User::region().id => Some(User::region()),
        id => Users::of(region).file.user(&id.to_string()).map(Arc::new),
    }
}
