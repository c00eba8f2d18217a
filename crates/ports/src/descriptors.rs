//! How many descriptors the process may have.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Lets the process have as many descriptors as the system lets it ask for: a service manager's default is made for
/// programs that wait for few clients.
pub fn raise_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    limit.current = limit.maximum;
    match setrlimit(Resource::Nofile, limit) {
        Ok(()) => tracing::debug!(target: "SO", "up to {:?} descriptors", limit.current),
        Err(error) => tracing::warn!(target: "SO", "the limit of descriptors stays as it is: {error}"),
    }
}
