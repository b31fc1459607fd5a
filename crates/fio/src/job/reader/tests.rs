//! Job files as people write them, and as nobody should.

use super::line::LINE_BYTES_MAX;
use super::*;

/// Every problem of a file, a line each.
fn problems(file: &JobFile) -> Vec<String> {
    let told = |problem: &Problem| {
        let (file, line) = file.place(problem.line);
        format!("{file}:{line}: {}", problem.what)
    };
    file.problems.iter().map(told).collect()
}

fn read(text: &str) -> JobFile {
    parse("JOB.fio", text.as_bytes(), &no_include)
}

fn settings(settings: &[JobOption]) -> Vec<String> {
    settings.iter().map(ToString::to_string).collect()
}

#[test]
fn sections_options_and_comments() {
    let text =
        "; a job\n[global]\nbs=4k # pages\n\n[a]\n rw = randread\ntime_based\n[global]\niodepth=2\n[b]\r\n";
    let file = read(text);
    assert_eq!(settings(&file.globals), ["bs=4k", "iodepth=2"]);
    let [a, b] = &file.sections[..] else { panic!("{file:?}") };
    assert_eq!((a.name.as_str(), a.line, a.globals), ("a", 5, 1));
    assert_eq!((b.name.as_str(), b.line, b.globals), ("b", 10, 2));
    assert_eq!(settings(&a.settings), ["rw=randread", "time_based"]);
    assert_eq!(a.settings[1].line, 7);
    assert!(problems(&file).is_empty());
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (text, message) in [
        ("rw=read\n[a]", "JOB.fio:1: option \"rw\" is before the first [section]"),
        ("\n[a\n", "JOB.fio:2: a section is a name in brackets, such as [randread]"),
        ("[a]\ninclude x.fio", "JOB.fio:2: cannot include x.fio: nothing can be included here"),
        ("[globals]\n", "JOB.fio:1: fio reads [globals] as [global]; rename the job"),
        ("[a]\n=4", "JOB.fio:2: \"=4\" is not an option: expected name=value"),
        ("", "JOB.fio:1: names no job: add a section such as [randread]"),
    ] {
        assert_eq!(problems(&read(text)), [message]);
    }
}

/// A job file with two mistakes had to be run three times.
#[test]
fn every_line_that_cannot_be_read_is_named() {
    let file = read("[a]\n=4\nbs=4k\nb c=3\n[b\n");
    assert_eq!(problems(&file).len(), 3, "{:?}", problems(&file));
    assert_eq!(settings(&file.sections[0].settings), ["bs=4k"]);
}

#[test]
fn an_included_file_stands_in_its_place() {
    let files = |name: &str, from: &str| match (name, from) {
        ("size.fio", "JOB.fio") => {
            Ok(("dir/size.fio".to_owned(), b"size=1g\ninclude depth.fio\nbs=8k".to_vec()))
        }
        ("depth.fio", "dir/size.fio") => Ok(("dir/depth.fio".to_owned(), b"iodepth=4\n[c]\n=".to_vec())),
        _ => Err(format!("{name} is not there")),
    };
    let file = parse("JOB.fio", b"[a]\nrw=read\ninclude size.fio\ndirect=1\n[b]\ninclude=other\n=", &files);
    assert_eq!(
        settings(&file.sections[0].settings),
        ["rw=read", "size=1g", "iodepth=4", "bs=8k", "direct=1"]
    );
    let places: Vec<_> = file.sections[0].settings.iter().map(|setting| file.place(setting.line)).collect();
    assert_eq!(
        places,
        [("JOB.fio", 2), ("dir/size.fio", 1), ("dir/depth.fio", 1), ("dir/size.fio", 3), ("JOB.fio", 4)]
    );
    assert_eq!(
        problems(&file),
        [
            "dir/depth.fio:2: [c] is a section, and an included file has options only",
            "dir/depth.fio:3: \"=\" is not an option: expected name=value",
            "JOB.fio:6: cannot include other: other is not there",
            "JOB.fio:7: \"=\" is not an option: expected name=value",
        ]
    );
}

#[test]
fn a_file_that_includes_itself_ends() {
    let again = |_: &str, _: &str| Ok(("JOB.fio".to_owned(), b"include JOB.fio\ninclude JOB.fio".to_vec()));
    let file = parse("JOB.fio", b"[a]\ninclude JOB.fio\n", &again);
    insta::assert_snapshot!(problems(&file)[0], @"JOB.fio:1: cannot include JOB.fio: too many files include one another");
    assert!(file.problems.len() <= PROBLEMS_MAX);
}

#[test]
fn options_as_on_fios_command_line() {
    let arguments =
        "--direct=1 -bs 8k --thread --name=a --rw randread --name=b -time_based --runtime=3 stray";
    let arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
    let mut reader = Reader::new(&no_include);
    reader.read_arguments(&arguments);
    reader.read_file("JOB.fio", b"[global]\nbs=4k\n[c]\n");
    let file = reader.finish("JOB.fio");
    assert_eq!(settings(&file.globals), ["direct=1", "bs=8k", "thread", "bs=4k"]);
    let sections: Vec<_> = file
        .sections
        .iter()
        .map(|section| {
            format!("{} {} {}", section.name, section.globals, settings(&section.settings).join(" "))
        })
        .collect();
    assert_eq!(sections, ["a 3 rw=randread", "b 3 time_based runtime=3", "c 4 "]);
    assert_eq!(problems(&file), ["command line:11: \"stray\" is not an option: expected --name=value"]);
    assert_eq!(file.place(file.globals[3].line), ("JOB.fio", 2));
}

#[test]
fn an_overruled_option_counts_more_than_the_files() {
    let mut file = read("[global]\nfilesize=1g\nbs=4k\n[a]\nsize=2g\n[b]\nfilesize=3g\n");
    file.overrule("size", "8m", &["filesize"]);
    assert_eq!(settings(&file.globals), ["bs=4k"]);
    assert_eq!(file.sections.iter().map(|section| section.globals).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(settings(&file.sections[0].settings), ["size=8m"]);
    assert_eq!(settings(&file.sections[1].settings), ["size=8m"]);
}

/// A bell inside the brackets once reached the terminal through the message about the name.
#[test]
fn messages_hold_nothing_that_a_terminal_obeys() {
    for text in
        ["[a\u{7}]", "[a]\n\u{1b}[2J", "[a]\nbs=\u{1b}", "\u{7}=1", "[a]\nbs\u{7}=4k", "[a]\ninclude \u{7}"]
    {
        let problems = problems(&read(text));
        assert!(!problems.is_empty(), "{text:?}");
        assert!(!problems.concat().chars().any(char::is_control), "{text:?}");
    }
}

#[test]
fn limits_hold() {
    let refusal = |text: &str| problems(&read(text)).concat();
    assert!(!parse("x", &vec![b'\n'; FILE_BYTES_MAX + 1], &no_include).problems.is_empty());
    insta::assert_snapshot!(refusal(&"a".repeat(LINE_BYTES_MAX + 1)), @"JOB.fio:1: a line of 65537 bytes; the limit is 64 KiB");
    insta::assert_snapshot!(refusal(&format!("[a]\n{}", "a\n".repeat(SETTINGS_MAX + 1))), @"JOB.fio:10002: more than 10000 options");
    insta::assert_snapshot!(refusal(&"[a]\n".repeat(SECTIONS_MAX + 1)), @"JOB.fio:1001: more than 1000 job sections");
    insta::assert_snapshot!(refusal(&format!("[{}]", "a".repeat(256))), @"JOB.fio:1: [aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…] is too long a name for a job");
    insta::assert_snapshot!(refusal(&format!("[a]\ndirectory={}", "a".repeat(4097))), @r#"JOB.fio:2: option "directory" has a value of more than 4 KiB"#);
    assert!(problems(&parse("x", b"[a]\n\xff\n", &no_include))[0].starts_with("x:2: not UTF-8"));
}
