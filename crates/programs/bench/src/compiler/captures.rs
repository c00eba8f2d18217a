//! Instructions of a transaction of the kind that DSW has, in a region that captures events at a command which it does not give.

use super::instructions::Work;
use super::policies::beside;
use crate::Options;
use crate::promise::Measured;
use crate::site::Workshop;

/// The folder of the bundle, its manifest and its event binding.
const FOLDER: &str = "capturing/META-INF";
const MANIFEST: &str = r#"<manifest xmlns="http://www.ibm.com/xmlns/prod/cics/bundle" id="capturing">
  <define name="Printed" type="http://www.ibm.com/xmlns/prod/cics/bundle/EVENTBINDING" path="Printed.evbind"/>
</manifest>
"#;
const BINDING: &str = include_str!("../../programs/printed.evbind");
/// The definition of the bundle.
const DEFINITION: &str = "  DEFINE BUNDLE(CAPTURES) GROUP(BENCH) BUNDLEDIR(capturing)\n";

/// Instructions of the transaction with the capture beside those without.
pub(crate) fn elsewhere(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    beside(options, workshop, [Work::Captured, Work::Transactions], "for a capture at another command")
}

/// Gives a region the bundle, before it starts.
pub(super) fn install(workshop: &Workshop) -> Result<(), String> {
    workshop.scratch(FOLDER)?;
    workshop.write(&format!("{FOLDER}/cics.xml"), MANIFEST)?;
    workshop.write("capturing/Printed.evbind", BINDING)?;
    workshop.write("bench.csd", &(workshop.read("bench.csd")? + DEFINITION))
}
