//! The decisions of profiles: one table.

use security::{Level, Pattern, Profile, Profiles, Reason, Subject};

fn profile(
    class: &str,
    pattern: &str,
    uacc: Level,
    users: &[(&str, Level)],
    groups: &[(&str, Level)],
) -> Profile {
    let map =
        |list: &[(&str, Level)]| list.iter().map(|(name, level)| ((*name).to_owned(), *level)).collect();
    Profile {
        class: class.to_owned(),
        pattern: Pattern::new(pattern),
        everybody: uacc,
        users: map(users),
        groups: map(groups),
    }
}

fn profiles() -> Profiles {
    use Level::{Alter, Control, None, Read, Update};
    Profiles::new([
        profile("XFCT", "*", None, &[], &[("AUDIT", Read)]),
        profile("XFCT", "ACC*", Read, &[], &[("TELLERS", Update), ("BOSSES", Control)]),
        profile("XFCT", "ACCOUNT", None, &[("ANNA", Alter), ("BOB", None)], &[("TELLERS", Read)]),
        profile("XFCT", "ACC%UNT", Update, &[], &[]),
        profile("XTRAN", "BANK", None, &[], &[("TELLERS", Read)]),
        profile("BANKTRAN", "PAY*", Read, &[], &[]),
    ])
}

#[test]
fn the_most_specific_profile_decides_the_user_before_groups_before_everybody() {
    let user = |profile: &str| Reason::User(profile.to_owned());
    let group = |profile: &str, group: &str| Reason::Group(profile.to_owned(), group.to_owned());
    let everybody = |profile: &str| Reason::Everybody(profile.to_owned());
    let profiles = profiles();
    for (who, groups, class, resource, level, reason) in [
        ("ANNA", "", "XFCT", "ACCOUNT", Level::Alter, user("ACCOUNT")),
        ("BOB", "TELLERS", "XFCT", "ACCOUNT", Level::None, user("ACCOUNT")),
        ("CARL", "TELLERS", "XFCT", "ACCOUNT", Level::Read, group("ACCOUNT", "TELLERS")),
        ("CARL", "AUDIT", "XFCT", "ACCOUNT", Level::None, everybody("ACCOUNT")),
        ("CARL", "TELLERS", "XFCT", "ACCOXNT", Level::Update, group("ACC*", "TELLERS")),
        ("CARL", "", "XFCT", "ACCOXNT", Level::Read, everybody("ACC*")),
        ("CARL", "TELLERS", "XFCT", "ACCXUNT", Level::Update, everybody("ACC%UNT")),
        ("CARL", "TELLERS BOSSES", "XFCT", "ACCESS", Level::Control, group("ACC*", "BOSSES")),
        ("CARL", "BOSSES TELLERS", "XFCT", "ACCESS", Level::Control, group("ACC*", "BOSSES")),
        ("CARL", "AUDIT", "XFCT", "LEDGER", Level::Read, group("*", "AUDIT")),
        ("CARL", "", "XFCT", "LEDGER", Level::None, everybody("*")),
        ("CARL", "TELLERS", "XTRAN", "BANK", Level::Read, group("BANK", "TELLERS")),
        ("CARL", "TELLERS", "XTRAN", "BANKX", Level::None, Reason::NoProfile),
        ("CARL", "", "XPCT", "BANK", Level::None, Reason::NoProfile),
        ("CARL", "", "BANKTRAN", "PAYS", Level::Read, everybody("PAY*")),
    ] {
        let groups: Vec<String> = groups.split_whitespace().map(str::to_owned).collect();
        let decision = profiles.decide(Subject { user: who, groups: &groups }, class, resource);
        assert_eq!((decision.level, decision.reason), (level, reason), "{who} {groups:?} {class} {resource}");
    }
}

#[test]
fn of_two_profiles_for_the_same_the_later_counts() {
    let profiles = Profiles::new([
        profile("XTRAN", "B*", Level::Alter, &[], &[]),
        profile("XTRAN", "B*", Level::Read, &[], &[]),
        profile("XTRAN", "C", Level::Alter, &[], &[]),
        profile("XTRAN", "C", Level::None, &[], &[]),
    ]);
    let nobody = Subject { user: "X", groups: &[] };
    assert_eq!(profiles.decide(nobody, "XTRAN", "BANK").level, Level::Read);
    assert_eq!(profiles.decide(nobody, "XTRAN", "C").level, Level::None);
    assert_eq!(profiles.count(), 2);
}
