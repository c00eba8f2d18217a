//! The domains that live above the kernel: a row for each.

use kernel::catalog::{self, Domain};

/// All of them.
static DOMAINS: &[&Domain] = &[&capture::DOMAIN, &webdomain::DOMAIN];

/// Brings them, once however often it is called: before definitions are read or a region starts.
pub fn bring_domains() {
    DOMAINS.iter().for_each(|domain| catalog::add(domain));
}

#[cfg(test)]
mod tests {
    use kernel::exec::Handler;
    use spec::Status;

    use super::*;

    #[test]
    fn records_say_which_commands_are_built_and_where_a_task_may_wait() {
        bring_domains();
        let commands = kernel::start::commands();
        for command in spec::commands() {
            let handler = commands.handler(command.id);
            let name = command.name;
            assert_eq!(handler.is_some(), command.status != Status::NotYet, "the status of {name}");
            match handler {
                Some(Handler::Now(_)) => assert!(!command.suspends, "{name} never waits"),
                Some(Handler::Waits(_) | Handler::NowOr(..) | Handler::NowNearlyAlways(..)) => {
                    assert!(command.suspends, "{name} may wait")
                }
                // A program may have to be loaded, a unit of work to be committed.
                Some(Handler::Control(_)) | None => {}
            }
        }
    }
}
