//! Messages of an OSGi JVM server about its bundles, over its control connection.

use crate::wire::{Reader, Writer};

/// Requests of the region: a bundle is to be installed and started, is to go.
const INSTALL: u8 = b'B';
const RETIRE: u8 = b'R';
/// The kind of a message about a bundle.
pub(crate) const REPORT: u8 = b'B';

/// States of a bundle in its framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BundleState {
    /// It is not there, or not any more.
    Gone,
    /// It waits for what it imports.
    Waits,
    /// Its programs can begin.
    Active,
    /// Its programs go on, none begins.
    Stopping,
}

/// The JVM's words about a bundle.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Report {
    /// The region's number.
    pub number: u32,
    pub state: BundleState,
    /// The reason why it is not active.
    pub why: String,
    /// The framework's number.
    pub id: i64,
    /// Its version.
    pub version: String,
    /// The names of its services.
    pub services: Vec<String>,
}

/// The body of a request to install the bundle of a symbolic name.
pub(crate) fn install(number: u32, path: &str, symbolic_name: &str) -> Vec<u8> {
    Writer::default().u8(INSTALL).u32(number).text(path).text(symbolic_name).0
}

/// The body of a request to have a bundle go.
pub(crate) fn retire(number: u32) -> Vec<u8> {
    Writer::default().u8(RETIRE).u32(number).0
}

impl Report {
    /// Reads what is behind the letter of a message; `None` if it is none.
    pub fn read(body: &mut Reader<'_>) -> Option<Self> {
        let number = body.u32()?;
        let state = match body.u8()? {
            0 => BundleState::Gone,
            1 => BundleState::Waits,
            2 => BundleState::Active,
            3 => BundleState::Stopping,
            _ => return None,
        };
        let (why, id, version) = (body.text()?.to_owned(), body.i64()?, body.text()?.to_owned());
        let count = body.u16()?;
        let services = (0..count).map(|_| body.text().map(str::to_owned)).collect::<Option<_>>()?;
        body.is_at_end().then_some(Self { number, state, why, id, version, services })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_as_a_whole_or_not_at_all() {
        let body = Writer::default().u32(7).u8(2).text("").i64(31).text("1.2.0").u16(1).text("a.B").0;
        let report = Report::read(&mut Reader(&body)).expect("a report");
        assert_eq!((report.number, report.state, report.id), (7, BundleState::Active, 31));
        assert_eq!((report.version.as_str(), report.services.as_slice()), ("1.2.0", &["a.B".to_owned()][..]));
        for length in 0..body.len() {
            assert_eq!(Report::read(&mut Reader(&body[..length])), None, "{length} bytes");
        }
        let mut longer = body.clone();
        longer.push(0);
        assert_eq!(Report::read(&mut Reader(&longer)), None, "something behind");
        let lies = Writer::default().u32(7).u8(2).text("").i64(31).text("1.2.0").u16(u16::MAX).0;
        assert_eq!(Report::read(&mut Reader(&lies)), None, "a number of services that are not there");
    }
}
