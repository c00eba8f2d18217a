//! Nineteen rules of policies beside none: the instructions of a transaction of the kind that DSW has. No rule acts.

use super::counted::{Work, instructions};
use crate::Options;
use crate::promise::Measured;
use crate::site::Workshop;

/// The folder of the bundle, its manifest and its policy.
const FOLDER: &str = "nineteen/META-INF";
const MANIFEST: &str = r#"<manifest xmlns="http://www.ibm.com/xmlns/prod/cics/bundle" id="nineteen">
  <define name="nineteen" type="http://www.ibm.com/xmlns/prod/cics/bundle/POLICY" path="nineteen.policy"/>
</manifest>
"#;
const POLICY: &str = include_str!("../../programs/nineteen.policy");
/// The definition of the bundle.
const DEFINITION: &str = "  DEFINE BUNDLE(NINETEEN) GROUP(BENCH) BUNDLEDIR(nineteen)\n";

/// Instructions of the transaction with the rules beside those without.
pub(crate) fn nineteen(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let times = if options.quick { [1, 2] } else { [1, 6] };
    let of = |work| instructions(work, workshop.path(), times, options.quick);
    let (with, without) = (of(Work::Ruled)?, of(Work::Transactions)?);
    let note = format!("{:.0} instructions for 19 rules", with - without);
    Ok(Measured::new(with, without).note(note))
}

/// Gives a region the bundle, before it starts.
pub(super) fn install(workshop: &Workshop) -> Result<(), String> {
    workshop.scratch(FOLDER)?;
    workshop.write(&format!("{FOLDER}/cics.xml"), MANIFEST)?;
    workshop.write("nineteen/nineteen.policy", POLICY)?;
    workshop.write("bench.csd", &(workshop.read("bench.csd")? + DEFINITION))
}
