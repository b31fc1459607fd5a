//! What `--help` says, of the program and of every command, as one text to read and to keep.

use std::process::Command;

fn said(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncline"));
    // Lines are as long as the terminal is wide, and here there is none.
    let output = command.args(arguments).env_remove("COLUMNS").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that the program's help lists.
fn commands() -> Vec<String> {
    let help = said(&["--help"]);
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let (list, _) = list.split_once("\n\n").unwrap();
    // Later lines of a description stand further to the right.
    let names = list.lines().filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_command_is_described() {
    let commands = commands();
    assert!(commands.len() >= 12, "{commands:?}");
    let mut text = said(&["--help"]);
    for command in &commands {
        let heading = format!("\n──── syncline {command} --help\n\n");
        text.extend([heading, said(&[command, "--help"])]);
    }
    for line in text.lines() {
        assert!(line.chars().count() <= 120, "{line}");
    }
    // Trailing blanks are clap's, and no editor's business.
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn every_command_has_a_manual_page() {
    for command in commands() {
        let page = said(&["man", &command]);
        let title = page.lines().find_map(|line| line.strip_prefix(".TH ")).unwrap();
        let name = title.split(' ').next().unwrap().replace("\\-", "-");
        assert_eq!(name, format!("syncline-{command}"), "{title}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_syncline")).args(["man", "comapre"]).output().unwrap();
    let refusal = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(refusal.trim_end(), @r#"syncline: unknown command "comapre"; did you mean "compare"?"#);
}
