//! Parts of messages that stand in containers of their own, by names in the record.

use kernel::channels::{Channel, DataType, Encoding};
use kernel::name::Name16;
use kernel::raise::Outcome;
use kernel::task::Task;
use mapping::{Contained, Filled};

/// Content of a container of a channel: characters as UTF-8.
pub(crate) fn content(channel: &Channel, name: &str) -> Option<Vec<u8>> {
    let container = channel.get(Name16::from(name))?;
    Some(match container.data_type {
        DataType::Char(from) => from.convert(&container.data, Encoding::Utf8).0,
        DataType::Bit => container.data.to_vec(),
    })
}

/// Type with which a part is put: elements as characters, which programs get in their own, and occurrences as they
/// are.
pub(crate) fn data_type(part: &Contained) -> DataType {
    if part.is_text { DataType::Char(Encoding::Utf8) } else { DataType::Bit }
}

/// Puts a record, and the containers that it names.
pub(crate) async fn put_filled(
    task: &mut Task,
    channel: &Channel,
    container: Name16,
    filled: Filled,
) -> Outcome {
    task.put_container(channel, container, filled.record, DataType::Bit).await?;
    for part in filled.containers {
        let data_type = data_type(&part);
        task.put_container(channel, Name16::from(part.name.as_str()), part.bytes, data_type).await?;
    }
    Ok(())
}
