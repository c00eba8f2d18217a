//! Limits of what requests bring about.

use std::time::Duration;

/// Time for which a deployment waits until no task uses the bundle that is to go.
pub(crate) const DISABLE_WAIT_MAX: Duration = Duration::from_secs(30);
/// Time between two looks at that.
pub(crate) const DISABLE_STEP: Duration = Duration::from_millis(50);
