//! Which members have changed on disk since they were built.

use std::collections::BTreeMap;

use crate::Member;
use crate::inputs::Input;

/// The files behind each member that was asked for.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    observed: BTreeMap<Member, Vec<Input>>,
}

impl Watch {
    /// Takes note of the files that went into a member.
    pub(crate) fn observe(&mut self, member: Member, inputs: Vec<Input>) {
        self.observed.insert(member, inputs);
    }

    /// The members of which a file has changed; each is named once for each change.
    pub(crate) fn changed(&mut self) -> Vec<Member> {
        let mut changed = Vec::new();
        for (member, inputs) in &mut self.observed {
            let mut any = false;
            for input in inputs {
                any |= input.renew();
            }
            if any {
                changed.push(member.clone());
            }
        }
        changed
    }
}
