//! The program at the end of a pipeline: called with its record, by COMMAREA or in a container.

use std::sync::Arc;

use binding::{Interface, Operation};
use kernel::channels::{Channel, DataType};
use kernel::name::{Name8, Name16};
use kernel::raise::Abend;
use mapping::{Filled, Mapping};
use soap::{Level, SoapFault};

use crate::apart::{content, data_type};
use crate::passage::CHANNEL;
use crate::programs::{Listening, Programs};
use crate::webservice::WebService;

/// Answer of a program.
pub(super) enum Answer {
    /// A record; `None` if the operation has no answer.
    Record(Option<Left>),
    /// A fault, by SOAPFAULT CREATE.
    Fault(Box<SoapFault>),
    /// It has not put its container.
    NoContainer(String),
}

/// A record that a program has left.
pub(super) struct Left {
    pub record: Vec<u8>,
    /// Channel of the containers that it names, if it names any.
    channel: Option<Arc<Channel>>,
}

impl Left {
    /// Content of a container that the record names.
    pub fn apart(&self, name: &str) -> Option<Vec<u8>> {
        content(self.channel.as_deref()?, name)
    }
}

/// Calls the program of a service.
pub(super) async fn call(
    programs: &mut impl Programs,
    service: &WebService,
    operation: &Operation,
    filled: Filled,
    channel: Option<&Arc<Channel>>,
    level: Option<Level>,
) -> Result<Answer, Abend> {
    programs.has_operation(&operation.name);
    let Filled { mut record, containers } = filled;
    let program = Name8::from(service.service.program.as_str());
    let wanted = operation.response.as_ref();
    match &service.service.interface {
        Interface::Commarea => {
            let length = wanted.map_or(0, |answer| answer.length()).max(record.len());
            // What the request does not have is what a record without values has: nothing of anybody else.
            if let Some(answer) = wanted.filter(|answer| answer.length() > record.len()) {
                record.extend_from_slice(&answer.initial()[record.len()..]);
            }
            record.resize(length, 0);
            programs.with_commarea(program, &mut record).await?;
            Ok(Answer::Record(wanted.map(|answer| {
                record.truncate(answer.length());
                Left { record, channel: None }
            })))
        }
        Interface::Channel(container) => {
            let own;
            let channel = match channel {
                Some(channel) => channel,
                None => {
                    own = Channel::new(Name16::from(CHANNEL));
                    &own
                }
            };
            let name = Name16::from(container.as_str());
            programs.put(channel, name, record, DataType::Bit).await?;
            for part in containers {
                let data_type = data_type(&part);
                programs.put(channel, Name16::from(part.name.as_str()), part.bytes, data_type).await?;
            }
            programs.listen_for_faults(Some(Listening { level, fault: None }));
            let outcome = programs.with_channel(program, channel).await;
            let fault = programs.listen_for_faults(None);
            outcome?;
            if let Some(fault) = fault {
                return Ok(Answer::Fault(Box::new(fault)));
            }
            if wanted.is_none() {
                return Ok(Answer::Record(None));
            }
            match channel.get(name) {
                Some(answer) => Ok(Answer::Record(Some(Left {
                    record: answer.data.to_vec(),
                    channel: wanted.is_some_and(Mapping::has_containers).then(|| Arc::clone(channel)),
                }))),
                None => Ok(Answer::NoContainer(container.clone())),
            }
        }
    }
}
