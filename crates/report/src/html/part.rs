//! A part of a study that is folded until somebody unfolds it, follows a link into it, searches the page or prints it.

use maud::{Markup, html as markup};
use page::html::shown;

/// The part below its heading, with a few words on what is in it.
pub(super) fn folded(id: Option<&str>, heading: &str, hint: &str, content: &Markup) -> Markup {
    markup! {
        details.part id=[id] {
            summary {
                h3 { (shown(heading)) }
                @if !hint.is_empty() { span.hint { (shown(hint)) } }
            }
            (content)
        }
    }
}
