//! The domains that live above the kernel.

/// Brings them along: before the first region of a process starts, and before definitions are judged.
pub fn bring_domains() {
    webdomain::bring();
}

#[cfg(test)]
mod tests {
    #[test]
    fn records_say_which_commands_are_built_and_where_a_task_may_wait() {
        super::bring_domains();
        assert_eq!(kernel::catalog::disagreements(), Vec::<String>::new());
    }
}
