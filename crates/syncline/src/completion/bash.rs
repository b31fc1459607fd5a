//! bash: it splits words at `=`, which the levels of `--fix NAME=VALUE` stand behind.

use clap::Command;
use clap_complete::engine;
use clap_complete::env::EnvCompleter;
use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

/// The index of the word that is completed.
const INDEX: &str = "SYNCLINE_COMPLETE_INDEX";

/// Words are put together again at `=` before they are completed, and what stands before the last `=` is cut off the
/// answers, because bash replaces only what follows it. This is what `_get_comp_words_by_ref -n =` and
/// `__ltrim_colon_completions` of bash-completion do, which not every machine has.
const SCRIPT: &str = r#"_syncline() {
    local IFS=$'\n' words=() index=0 i word glued before
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        if ((i == COMP_CWORD)) && [[ $word != "=" ]]; then
            word=$2
        fi
        if ((i > 0)) && [[ ${COMP_WORDS[i]} == "=" || ${glued-} == "=" ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        glued=${COMP_WORDS[i]}
        if ((i == COMP_CWORD)); then
            index=$((${#words[@]} - 1))
            break
        fi
    done
    COMPREPLY=($(VARIABLE=bash WORD_INDEX=$index "COMPLETER" -- "${words[@]}" 2>/dev/null))
    if [[ $COMP_WORDBREAKS == *=* && ${words[index]} == *=* ]]; then
        before=${words[index]%"${words[index]##*=}"}
        COMPREPLY=("${COMPREPLY[@]#"$before"}")
    fi
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=/] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o bashdefault -o nosort -F _syncline BIN 2>/dev/null || complete -o bashdefault -F _syncline BIN
"#;

/// bash, from 4 on.
pub(super) struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == "bash"
    }

    fn write_registration(
        &self,
        variable: &str,
        _name: &str,
        program: &str,
        completer: &str,
        script: &mut dyn Write,
    ) -> io::Result<()> {
        let text = SCRIPT.replace("VARIABLE", variable).replace("WORD_INDEX", INDEX);
        script.write_all(text.replace("COMPLETER", completer).replace("BIN", program).as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        directory: Option<&Path>,
        answers: &mut dyn Write,
    ) -> io::Result<()> {
        let index = env::var(INDEX).ok().and_then(|index| index.parse().ok()).unwrap_or_default();
        for candidate in engine::complete(command, words, index, directory)? {
            writeln!(answers, "{}", candidate.get_value().to_string_lossy())?;
        }
        Ok(())
    }
}
