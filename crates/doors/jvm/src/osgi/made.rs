//! OSGIBUNDLE, WARBUNDLE and EARBUNDLE parts as their bundles see them.

use std::sync::Arc;

use kernel::exec::Waiting;
use kernel::name::Name8;
use kernel::raise::RaiseCondition;
use kernel::region::Region;
use kernel::registry::{MadePart, Manager, PartFault, PartFile, PartKind, PartStatus};
use kernel::waits::WaitKind;
use spec::cond;

use super::OsgiBundles;
use super::wanted::{Wanted, What};

/// RESP2 of INVREQ of SET BUNDLE: an OSGi bundle is not there as it is wanted; the log says why. A number of our own.
const NOT_THERE: i32 = 20;

/// The types of parts.
pub(crate) static PART: PartKind = PartKind {
    name: "OSGIBUNDLE",
    check: |file| check(What::Osgi, file),
    make: |region, bundle, file, is_enabled| make(What::Osgi, region, bundle, file, is_enabled),
};
pub(crate) static WAR: PartKind = PartKind {
    name: "WARBUNDLE",
    check: |file| check(What::War, file),
    make: |region, bundle, file, is_enabled| make(What::War, region, bundle, file, is_enabled),
};
pub(crate) static EAR: PartKind = PartKind {
    name: "EARBUNDLE",
    check: |file| check(What::Ear, file),
    make: |region, bundle, file, is_enabled| make(What::Ear, region, bundle, file, is_enabled),
};

fn check(what: What, file: &PartFile<'_>) -> Result<Vec<(&'static str, String)>, PartFault> {
    let wanted = Wanted::read(what, file)?;
    wanted.jar().map_err(|why| PartFault { line: None, why })?;
    Ok(vec![("JVMSERVER", wanted.server.to_string().trim_end().to_owned())])
}

fn make(
    what: What,
    region: &Arc<Region>,
    bundle: Name8,
    file: &PartFile<'_>,
    is_enabled: bool,
) -> Result<Box<dyn MadePart>, PartFault> {
    let wanted = Wanted::read(what, file)?;
    let number = OsgiBundles::of(region).add(region, bundle, file.name, wanted, is_enabled);
    Ok(Box::new(Made(number)))
}

/// A part, by its number.
struct Made(u32);

impl MadePart for Made {
    fn status(&self, region: &Region) -> PartStatus {
        OsgiBundles::of(region).status(region, self.0)
    }

    fn set_enabled(&self, region: &Arc<Region>, enabled: bool) {
        OsgiBundles::of(region).set(region, self.0, enabled);
    }

    fn phase_in(&self, region: &Arc<Region>) {
        OsgiBundles::of(region).phase_in(region, self.0);
    }

    fn settled<'a>(&'a self, by: &'a Manager) -> Waiting<'a> {
        Box::pin(async {
            let bundles = OsgiBundles::of(&by.region);
            by.wait(WaitKind::TCB, bundles.settled(&by.region, self.0)).await?;
            match bundles.trouble(self.0) {
                None => Ok(()),
                Some(_) => Err(cond::INVREQ.raise(NOT_THERE)),
            }
        })
    }

    fn trouble(&self, region: &Region) -> Option<String> {
        OsgiBundles::of(region).trouble(self.0)
    }

    fn remove(&self, region: &Arc<Region>) {
        OsgiBundles::of(region).remove(region, self.0);
    }
}
