//! Instructions of tasks with something that is always there beside those without: nineteen rules of policies, of which none
//! acts, in a transaction of the kind that DSW has; the internal trace and the sums in a null task.

use super::instructions::{Work, instructions};
use crate::Options;
use crate::promise::Measured;
use crate::site::Workshop;

/// The folder of the bundle, its manifest and its policy.
const FOLDER: &str = "nineteen/META-INF";
pub(crate) const MANIFEST: &str = r#"<manifest xmlns="http://www.ibm.com/xmlns/prod/cics/bundle" id="nineteen">
  <define name="nineteen" type="http://www.ibm.com/xmlns/prod/cics/bundle/POLICY" path="nineteen.policy"/>
</manifest>
"#;
pub(crate) const POLICY: &str = include_str!("../../programs/nineteen.policy");
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

/// Instructions of a null task with the internal trace beside one without.
pub(crate) fn traced(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    beside(options, workshop, [Work::Nulls, Work::Untraced], "for its entries")
}

/// Instructions of a null task whose work is summed up beside one whose work is not.
pub(crate) fn summed(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    beside(options, workshop, [Work::Untraced, Work::Unsummed], "for the sums")
}

/// Instructions of a null task that has a span beside one that has none.
pub(crate) fn spanned(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    beside(options, workshop, [Work::Spanned, Work::Nulls], "for its span")
}

/// Instructions of one kind of work beside those of another.
pub(super) fn beside(
    options: &Options,
    workshop: &Workshop,
    [with, without]: [Work; 2],
    what: &str,
) -> Result<Measured, String> {
    let times = if options.quick { [1, 2] } else { [1, 6] };
    let of = |work| instructions(work, workshop.path(), times, options.quick);
    let (with, without) = (of(with)?, of(without)?);
    Ok(Measured::new(with, without).note(format!("{:.0} instructions {what}", with - without)))
}

/// Gives a region the bundle, before it starts.
pub(super) fn install(workshop: &Workshop) -> Result<(), String> {
    workshop.scratch(FOLDER)?;
    workshop.write(&format!("{FOLDER}/cics.xml"), MANIFEST)?;
    workshop.write("nineteen/nineteen.policy", POLICY)?;
    workshop.write("bench.csd", &(workshop.read("bench.csd")? + DEFINITION))
}
