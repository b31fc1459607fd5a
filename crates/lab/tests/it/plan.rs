//! Plans and orders: what a study file and a command line come to.

use lab::order::{round_order, trial_seed};
use lab::plan::{Overrides, resolve};
use lab::space::{space_needed_bytes, too_many};
use model::description::{FileSet, Interleaving, Room};
use model::parameter::{Parameter, ParameterKind};
use model::plan::StudyPlan;
use model::study::{AskKind, Study};
use model::turns::Arm;
use model::{
    Absent, Configuration, Definitions, Description, FileSystem, FileSystemKind, Layout, LevelError, Levels,
    Schema, TrialParameters, Value, WithoutEffect,
};
use std::collections::BTreeSet;

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "mode",
        kind: ParameterKind::Choice(&["buffered", "direct"]),
        default: "buffered",
        help: "",
    },
    Parameter { name: "depth", kind: ParameterKind::Count { min: 0, max: 64 }, default: "1", help: "" },
    Parameter {
        name: "ioengine",
        kind: ParameterKind::Choice(&["uring", "psync"]),
        default: "uring",
        help: "",
    },
];

fn check(values: &Configuration) -> Result<(), String> {
    let deep = values.count("depth").is_ok_and(|depth| depth > 1);
    if values.is("ioengine", "psync") && deep { Err("psync needs depth = 1".to_owned()) } else { Ok(()) }
}

const DEFINITIONS: Definitions = Definitions {
    workload: "toy",
    parameters: &[PARAMETERS],
    placement: &["filesystem"],
    sizes: &["size"],
    without_effect: &[WithoutEffect {
        parameters: &["ioengine"],
        holds: |values| values.count("depth") == Ok(0),
        because: "depth is 0",
    }],
    absent: &[Absent {
        parameters: &["ioengine", "mode"],
        holds: |values| values.is("filesystem", "xfs"),
        because: "toys on XFS have no engine",
    }],
};

const SCHEMA: Schema = Schema { definitions: DEFINITIONS, summary: "", metrics: &[], check, describe };

fn describe(values: &Configuration) -> Result<Description, LevelError> {
    let trial = TrialParameters::of(&Levels::new(DEFINITIONS.workload, values))?;
    let file = FileSet {
        name: "data".to_owned(),
        role: "data".to_owned(),
        layout: Layout::Prefilled,
        size_bytes: 1 << 30,
        count: 1,
    };
    Ok(Description {
        filesystem: trial.filesystem,
        room: Room { files: vec![file], ..Room::default() },
        ..Description::default()
    })
}

/// The same study, each configuration described otherwise.
fn described(mut plan: StudyPlan, edit: impl Fn(&mut Description)) -> StudyPlan {
    plan.descriptions.iter_mut().for_each(edit);
    plan
}

const STUDY: &str = r#"
    question = "?"
    workload = "toy"
    baseline = { mode = "buffered" }
    [factors]
    mode = ["buffered", "direct"]
    depth = [1, 8]
    ioengine = ["uring", "psync"]
    [[ask]]
    compare = "mode"
    on = ["commits_per_s"]
    [[ask]]
    trend = "depth"
    on = ["commits_per_s"]
    [profile.quick]
    rounds = 6
    [profile.long]
    rounds = 30
    warmup_rounds = 2
    factors.depth = [1, 2, 4]
"#;

fn plan(overrides: &Overrides) -> Result<StudyPlan, String> {
    resolve(&Study::parse("toy", STUDY).unwrap(), &SCHEMA, overrides).map_err(|error| error.to_string())
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(name, level)| ((*name).to_owned(), (*level).to_owned())).collect()
}

#[test]
fn a_grid_is_every_sensible_combination() {
    let plan = plan(&Overrides::default()).unwrap();
    assert_eq!((plan.profile.as_str(), plan.rounds, plan.warmup_rounds), ("quick", 6, 1));
    // psync with depth 8 makes no sense, in either mode.
    assert_eq!(plan.configurations.len(), 6);
    assert_eq!(plan.excluded.len(), 2);
    assert!(plan.excluded[0].ends_with("psync needs depth = 1"), "{:?}", plan.excluded);
    assert_eq!(plan.label(0), "mode=buffered depth=1 ioengine=uring");
    assert_eq!(plan.configurations[plan.duplicate].get("mode"), Some(&Value::Name("buffered".to_owned())));
    assert_eq!(
        plan.configurations[0].get("filesystem"),
        Some(&Value::Name("host".to_owned())),
        "every parameter is there"
    );
}

#[test]
fn the_command_line_wins() {
    let vary = vec![("depth".to_owned(), vec!["2".to_owned(), "4".to_owned()])];
    let fix = pairs(&[("ioengine", "uring")]);
    let overrides = Overrides {
        profile: Some("long".to_owned()),
        vary,
        fix,
        rounds: Some(3),
        cpu: Some(1),
        ..Overrides::default()
    };
    let plan = plan(&overrides).unwrap();
    assert_eq!((plan.rounds, plan.warmup_rounds), (3, 2));
    assert_eq!(plan.configurations.len(), 4);
    assert_eq!(plan.configurations[0].get("cpu"), Some(&Value::Count(1)));
    assert_eq!(plan.asks.len(), 2, "both asks still have a factor with two levels");
}

#[test]
fn an_ask_without_levels_to_compare_is_dropped() {
    let plan = plan(&Overrides { fix: pairs(&[("mode", "direct")]), ..Overrides::default() }).unwrap();
    assert_eq!(plan.asks.len(), 1);
    assert_eq!(plan.baseline.get("mode"), Some(&Value::Name("direct".to_owned())), "the baseline follows");
}

#[test]
fn mistakes_are_named() {
    let with = |fix: &[(&str, &str)]| Overrides { fix: pairs(fix), ..Overrides::default() };
    for (overrides, message) in [
        (with(&[("dept", "1")]), "study toy: unknown parameter \"dept\"; did you mean \"depth\"?"),
        (with(&[("mode", "drect")]), "study toy: unknown level of mode \"drect\"; did you mean \"direct\"?"),
        (with(&[("depth", "65")]), "study toy: depth = \"65\": expected a whole number from 0 to 64"),
        (
            Overrides { profile: Some("quik".to_owned()), ..Overrides::default() },
            "study toy: unknown profile \"quik\"; did you mean \"quick\"?",
        ),
        (with(&[("ioengine", "psync"), ("depth", "8")]), "study toy: psync needs depth = 1"),
        (
            Overrides {
                vary: vec![("depth".to_owned(), vec!["1".to_owned(), "1".to_owned()])],
                ..Overrides::default()
            },
            "study toy: factor depth has the level 1 twice",
        ),
    ] {
        assert_eq!(plan(&overrides).unwrap_err(), message);
    }
}

#[test]
fn a_round_is_complete_random_and_keeps_compared_arms_together() {
    let plan = plan(&Overrides::default()).unwrap();
    let arms = |round| round_order(&plan, 7, round).into_iter().map(|slot| slot.arm).collect();
    let orders: Vec<Vec<Arm>> = (0..50).map(arms).collect();
    for order in &orders {
        let seen: BTreeSet<(usize, bool)> =
            order.iter().map(|slot| (slot.configuration, slot.duplicate)).collect();
        assert_eq!(order.len(), plan.trials_per_round());
        assert_eq!(seen.len(), order.len(), "a trial twice");
        assert!(seen.contains(&(plan.duplicate, true)), "no A/A arm");
        // Leaving out the compared factor, equal labels are neighbours.
        let blocks: Vec<String> = order
            .iter()
            .map(|slot| plan.configurations[slot.configuration].label(["depth", "ioengine"]))
            .collect();
        let mut runs = blocks.clone();
        runs.dedup();
        assert_eq!(runs.len(), blocks.iter().collect::<BTreeSet<_>>().len(), "{blocks:?}");
    }
    assert!(
        orders.iter().collect::<Vec<_>>().windows(2).any(|pair| pair[0] != pair[1]),
        "rounds have one order"
    );
    assert_eq!(arms(3), orders[3], "the order depends on more than plan, seed and round");
    let first: BTreeSet<usize> = orders.iter().map(|order| order[0].configuration).collect();
    assert_eq!(first.len(), plan.configurations.len(), "some configuration never goes first");
    assert_ne!(trial_seed(7, "toy", 0), trial_seed(7, "toy", 1));
}

#[test]
fn space_is_counted_per_file_system() {
    let host = plan(&Overrides::default()).unwrap();
    let needed = space_needed_bytes(&[host]);
    assert_eq!(
        needed.into_iter().collect::<Vec<_>>(),
        [(FileSystem::Host, 1 << 30)],
        "shared by all configurations"
    );
    let vary = vec![("filesystem".to_owned(), vec!["host".to_owned(), "xfs".to_owned()])];
    let both = plan(&Overrides { vary, ..Overrides::default() }).unwrap();
    assert!(both.fresh_placement, "the file system is a whole-plot factor");
    assert!(space_needed_bytes(&[both])[&FileSystemKind::Xfs.into()] > 1 << 30);
}

/// Two servers on two file systems had images that held both servers each.
#[test]
fn an_image_holds_the_stores_of_its_own_file_system_only() {
    let on = |levels: &[&str]| {
        let levels = levels.iter().map(|level| (*level).to_owned()).collect();
        let overrides = Overrides { vary: vec![("filesystem".to_owned(), levels)], ..Overrides::default() };
        let plan = described(plan(&overrides).unwrap(), |it| {
            it.room.store_bytes = 1 << 30;
            it.turns = Interleaving::of(true);
        });
        space_needed_bytes(&[plan])[&FileSystemKind::Ext4.into()]
    };
    assert_eq!(on(&["ext4", "btrfs"]), on(&["ext4"]));
    assert_eq!(on(&["ext4", "ext4+noatime"]), on(&["ext4"]), "options make another file system");
}

#[test]
fn a_store_needs_more_room_than_what_goes_into_it_and_there_is_one_at_a_time() {
    let plan = described(plan(&Overrides::default()).unwrap(), |it| it.room.store_bytes = 1 << 30);
    let needed = space_needed_bytes(&[plan.clone(), plan])[&FileSystem::Host];
    assert!(
        (5 << 30..6 << 30).contains(&needed),
        "{needed}: the file, and four times what goes into one store"
    );
}

#[test]
fn those_that_take_most_go_until_the_others_find_room() {
    let small = plan(&Overrides::default()).unwrap();
    let large = described(small.clone(), |it| it.room.store_bytes = 1 << 30);
    let studies = [small, large];
    for (available, without) in
        [(6 << 30, vec![]), (2 << 30, vec![1]), (1 << 30, vec![1]), ((1 << 30) - 1, vec![1, 0])]
    {
        assert_eq!(too_many(&studies, available), without, "{available} bytes");
    }
}

#[test]
fn a_process_that_is_killed_needs_room_once() {
    let killed = described(plan(&Overrides::default()).unwrap(), |it| it.room.killed_bytes = 3 << 30);
    let both = described(killed.clone(), |it| it.room.store_bytes = 1 << 30);
    let needed = |plan: StudyPlan| space_needed_bytes(&[plan])[&FileSystem::Host];
    assert_eq!(needed(killed), (1 << 30) + (3 << 30), "the file, and what is written until the kill");
    let needed = needed(both);
    assert!((13 << 30..14 << 30).contains(&needed), "{needed}");
}

#[test]
fn an_ask_at_a_level_is_there_while_the_level_is() {
    let resolved = |at: &str, overrides: &Overrides| {
        let ask = format!(
            "trend = \"depth\"\n    at = {at}\n    on = [\"commits_per_s\"]\n    [[ask]]\n    trend = \"depth\""
        );
        let study = Study::parse("toy", &STUDY.replacen("trend = \"depth\"", &ask, 1)).unwrap();
        resolve(&study, &SCHEMA, overrides).map_err(|error| error.to_string())
    };
    let direct = "{ mode = \"direct\" }";
    let plan = resolved(direct, &Overrides::default()).unwrap();
    assert_eq!(plan.asks[1].at["mode"], "direct");
    assert_eq!(plan.asks.len(), 3);
    let only = |mode: &str| Overrides { fix: pairs(&[("mode", mode)]), ..Overrides::default() };
    // The baseline equals the ask's own levels: one question, not two.
    assert_eq!(resolved(direct, &only("direct")).unwrap().asks.len(), 1);
    assert_eq!(resolved(direct, &only("buffered")).unwrap().asks.len(), 1);
    insta::assert_snapshot!(resolved("{ mode = \"direkt\" }", &Overrides::default()).unwrap_err(), @r#"study toy: unknown level of mode "direkt"; did you mean "direct"?"#);
    assert!(resolved("{ bs = 4 }", &Overrides::default()).is_err());
}

#[test]
fn references_are_levels_of_the_study() {
    let resolved = |references: &str| {
        let ask = format!("compare = \"mode\"\n    references = {references}");
        let text = STUDY.replacen("compare = \"mode\"", &ask, 1);
        let study = Study::parse("toy", &text).unwrap();
        resolve(&study, &SCHEMA, &Overrides::default()).map_err(|error| error.to_string())
    };
    let plan = resolved("[\"buffered\", \"direct\"]").unwrap();
    assert_eq!(plan.asks[0].references, ["buffered", "direct"]);
    insta::assert_snapshot!(resolved("[\"direkt\"]").unwrap_err(), @r#"study toy: unknown reference in [[ask]] "direkt"; did you mean "direct"?"#);
    insta::assert_snapshot!(resolved("[\"direct\", \"direct\"]").unwrap_err(), @"study toy: the [[ask]] about mode has the reference direct twice");
}

/// A misspelt factor used to be no threshold for each of its levels, and a level that is not there another baseline.
#[test]
fn what_a_study_names_is_in_it() {
    let resolved = |from: &str, to: &str| {
        let study = Study::parse("toy", &STUDY.replacen(from, to, 1)).unwrap();
        resolve(&study, &SCHEMA, &Overrides::default()).map_err(|error| error.to_string())
    };
    let threshold = |each: &str| {
        let ask = format!("threshold = \"depth\"\n    limit = 1\n    each = \"{each}\"");
        resolved("trend = \"depth\"", &ask)
    };
    assert_eq!(threshold("mode").unwrap().asks[1].each.as_deref(), Some("mode"));
    insta::assert_snapshot!(threshold("mod").unwrap_err(), @r#"study toy: unknown parameter "mod"; did you mean "mode"?"#);
    let baseline = |levels: &str| resolved("{ mode = \"buffered\" }", levels);
    assert!(baseline("{ depth = 4 }").is_ok(), "a profile has it");
    let said = baseline("{ depth = 16 }").unwrap_err();
    insta::assert_snapshot!(said, @r#"study toy: unknown level of depth in the baseline "16"; did you mean "1"?"#);
}

#[test]
fn arms_stand_for_a_factor() {
    let text = r#"
        question = "?"
        workload = "toy"
        baseline = { arm = "plain" }
        [[arm]]
        name = "plain"
        [[arm]]
        name = "deep"
        depth = 8
        [[ask]]
        compare = "arm"
        on = ["commits_per_s"]
    "#;
    let plan = resolve(&Study::parse("arms", text).unwrap(), &SCHEMA, &Overrides::default()).unwrap();
    assert_eq!(plan.label(1), "arm=deep");
    let misspelt = Study::parse("arms", &text.replace("{ arm = \"plain\" }", "{ arm = \"plan\" }")).unwrap();
    let said = resolve(&misspelt, &SCHEMA, &Overrides::default()).unwrap_err().to_string();
    insta::assert_snapshot!(said, @r#"study arms: unknown level of arm in the baseline "plan"; did you mean "plain"?"#);
    assert_eq!(plan.configurations[1].get("depth"), Some(&Value::Count(8)));
    assert_eq!(plan.duplicate, 0);
}

/// `syncline run kv --fix engine=store` measured all engines, because each arm names its own.
#[test]
fn what_every_arm_has_of_its_own_cannot_be_fixed() {
    let text = r#"
        question = "?"
        workload = "toy"
        baseline = { arm = "plain" }
        [[arm]]
        name = "plain"
        depth = 1
        [[arm]]
        name = "deep"
        depth = 8
        [[arm]]
        name = "other"
    "#;
    let resolved = |arms: &[&str]| {
        let vary = vec![("arm".to_owned(), arms.iter().map(|arm| (*arm).to_owned()).collect())];
        let overrides = Overrides { vary, fix: pairs(&[("depth", "2")]), ..Overrides::default() };
        resolve(&Study::parse("arms", text).unwrap(), &SCHEMA, &overrides).map_err(|error| error.to_string())
    };
    let said = resolved(&["plain", "deep"]).unwrap_err();
    insta::assert_snapshot!(said, @"study arms: depth = 2 would change nothing, because each arm has its own depth: choose among the levels of arm");
    assert_eq!(resolved(&["plain", "other"]).unwrap().configurations[1].get("depth"), Some(&Value::Count(2)));
}

/// It was left out, and the run compared the other arms as if the study had no more.
#[test]
fn an_arm_that_is_refused_is_an_error() {
    let text = r#"
        question = "?"
        workload = "toy"
        baseline = { arm = "plain" }
        [[arm]]
        name = "plain"
        [[arm]]
        name = "deep"
        depth = 8
        ioengine = "psync"
        [[ask]]
        compare = "arm"
        on = ["commits_per_s"]
    "#;
    let resolved = |vary: &[&str]| {
        let vary = vary.iter().map(|arm| ("arm".to_owned(), vec![(*arm).to_owned()])).collect();
        let overrides = Overrides { vary, ..Overrides::default() };
        resolve(&Study::parse("arms", text).unwrap(), &SCHEMA, &overrides).map_err(|error| error.to_string())
    };
    let said = resolved(&[]).unwrap_err();
    insta::assert_snapshot!(said, @"study arms: arm deep: psync needs depth = 1; change it, or name the other arms as the levels of arm");
    assert_eq!(resolved(&["plain"]).unwrap().configurations.len(), 1);
}

/// `--vary size=1GiB,2GiB` of a study that asks nothing about sizes ran twice as many trials and told nothing about
/// them.
#[test]
fn a_varied_factor_without_an_ask_is_asked_about() {
    let asked = |name: &str, levels: &[&str]| {
        let levels = levels.iter().map(|level| (*level).to_owned()).collect();
        let plan =
            plan(&Overrides { vary: vec![(name.to_owned(), levels)], ..Overrides::default() }).unwrap();
        let ask = plan.asks.into_iter().find(|ask| ask.factor == name);
        ask.map(|ask| (ask.kind, ask.on))
    };
    let on = vec!["commits_per_s".to_owned()];
    assert_eq!(asked("ioengine", &["uring", "psync"]), Some((AskKind::Compare, on.clone())));
    assert_eq!(asked("cooldown", &["1s", "2s"]), Some((AskKind::Compare, on.clone())));
    assert_eq!(asked("cooldown", &["1s", "2s", "4s"]), Some((AskKind::Trend, on.clone())));
    assert_eq!(asked("filesystem", &["host", "xfs", "ext4"]), Some((AskKind::Rank, on.clone())));
    // One level has nothing to be compared with, and a factor that the study asks about keeps its ask.
    assert_eq!(asked("ioengine", &["uring"]), None);
    assert_eq!(asked("depth", &["1", "2"]), Some((AskKind::Trend, on)));
}

/// `commit --fix read_depth=0` measured eight numbers of reads for each commit, of none.
#[test]
fn a_factor_without_effect_multiplies_no_trials() {
    let levels = |plan: &StudyPlan, name: &str| plan.factor(name).unwrap().levels.len();
    let varied = plan(&Overrides {
        vary: vec![("depth".to_owned(), vec!["0".to_owned(), "1".to_owned()])],
        ..Overrides::default()
    });
    let varied = varied.unwrap();
    assert_eq!(varied.configurations.len(), 2 + 4, "with depth 0 both engines are the same trial");
    assert_eq!(levels(&varied, "ioengine"), 2);
    assert_eq!(
        varied
            .excluded
            .iter()
            .filter(|why| why.contains("ioengine changes nothing, because depth is 0"))
            .count(),
        2
    );

    let fixed = plan(&Overrides { fix: pairs(&[("depth", "0")]), ..Overrides::default() }).unwrap();
    assert_eq!((fixed.configurations.len(), levels(&fixed, "ioengine")), (2, 1));

    let vary = vec![("ioengine".to_owned(), vec!["uring".to_owned(), "psync".to_owned()])];
    let refused =
        plan(&Overrides { vary, fix: pairs(&[("depth", "0")]), ..Overrides::default() }).unwrap_err();
    insta::assert_snapshot!(refused, @"study toy: ioengine = uring,psync would change nothing: depth is 0");
}

/// `scan --fix target=s3://…` was refused, because the study varies hints to the page cache.
#[test]
fn what_a_subject_does_not_have_is_left_out_of_its_study() {
    let on_xfs = |vary: &[(&str, &[&str])]| {
        let vary = vary.iter().map(|(name, levels)| {
            ((*name).to_owned(), levels.iter().map(|level| (*level).to_owned()).collect())
        });
        plan(&Overrides {
            vary: vary.collect(),
            fix: pairs(&[("filesystem", "xfs")]),
            ..Overrides::default()
        })
    };
    let found = on_xfs(&[]).unwrap();
    assert_eq!(found.factors.iter().map(|factor| &factor.name[..]).collect::<Vec<_>>(), ["depth"]);
    assert_eq!(found.asks.iter().map(|ask| &ask.factor[..]).collect::<Vec<_>>(), ["depth"]);
    let is_default = |values: &Configuration| values.is("mode", "buffered") && values.is("ioengine", "uring");
    assert!(found.configurations.iter().all(is_default));
    assert_eq!(found.excluded, ["mode, ioengine: toys on XFS have no engine"]);
    // What the user varies stands.
    let varied = on_xfs(&[("mode", &["buffered", "direct"])]).unwrap();
    assert_eq!(varied.configurations.len(), 4);
    let refused = on_xfs(&[("depth", &["1"])]).unwrap_err();
    insta::assert_snapshot!(refused, @"study toy: toys on XFS have no engine, so the study has nothing to compare: vary another parameter");
}

#[test]
fn a_profile_may_leave_out_other_combinations_and_state_its_time() {
    let text = format!(
        "{STUDY}\n[[exclude]]\nmode = \"direct\"\ndepth = 8\n[profile.seed]\nrounds = 5\nminutes = 3\nexclude = []"
    );
    let study = Study::parse("toy", &text).unwrap();
    let of = |profile: &str, fix: &[(&str, &str)]| {
        let overrides =
            Overrides { profile: Some(profile.to_owned()), fix: pairs(fix), ..Overrides::default() };
        resolve(&study, &SCHEMA, &overrides).unwrap()
    };
    let seed = of("seed", &[]);
    assert_eq!(seed.configurations.len(), of("quick", &[]).configurations.len() + 1);
    assert_eq!(seed.round_s_stated, Some(30.0), "one warm-up round and five");
    assert_eq!(of("seed", &[("depth", "1")]).round_s_stated, None, "nothing is stated about another study");
    let narrowed = Overrides {
        profile: Some("seed".to_owned()),
        vary: vec![("depth".to_owned(), vec!["8".to_owned()])],
        ..Overrides::default()
    };
    assert_eq!(
        resolve(&study, &SCHEMA, &narrowed).unwrap().round_s_stated,
        Some(30.0),
        "fewer levels take less"
    );
}

/// "No effect of reads per commit" was a figure over all of them; at 64 and 128 the modes had changed places.
#[test]
fn a_comparison_can_be_made_at_each_level_of_another_factor() {
    let text = format!("{STUDY}\n[[ask]]\ncompare = \"mode\"\neach = \"depth\"\non = [\"commits_per_s\"]");
    let study = Study::parse("toy", &text).unwrap();
    let at = |overrides: &Overrides| -> Vec<String> {
        let plan = resolve(&study, &SCHEMA, overrides).unwrap();
        plan.asks.iter().filter_map(|ask| ask.at.get("depth").cloned()).collect()
    };
    assert_eq!(at(&Overrides::default()), ["1", "8"]);
    assert!(at(&Overrides { fix: pairs(&[("depth", "1")]), ..Overrides::default() }).is_empty());
}
