//! Pieces of a file that hold code, with the place of every byte in the file.
//!
//! In XML, code is text with entities (`x &lt;= 5`) and sections of raw characters; what is read is the decoded text, and what is told about it points into the file.

use entail_source::{Diagnostic, Span};

/// A piece of code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fragment {
    /// The decoded text.
    pub text: String,
    /// The place of each byte of the text in the file, and of its end.
    places: Vec<u32>,
}

impl Fragment {
    /// A part of a file without any encoding.
    pub fn plain(text: &str, start: usize) -> Fragment {
        Fragment {
            text: text.to_owned(),
            places: (start..=start + text.len()).map(|place| place as u32).collect(),
        }
    }

    /// A piece of XML between two tags.
    pub fn xml(file: &str, span: Span) -> Result<Fragment, Diagnostic> {
        let mut fragment = Fragment::default();
        let mut at = span.start;
        let end = span.end.min(file.len());
        while at < end {
            let rest = &file[at..end];
            if let Some(inner) = rest.strip_prefix("<![CDATA[") {
                let length = inner.find("]]>").unwrap_or(inner.len());
                for (offset, letter) in inner[..length].char_indices() {
                    fragment.push(letter, at + 9 + offset, letter.len_utf8());
                }
                at += (9 + length + 3).min(rest.len());
            } else if let Some(inner) = rest.strip_prefix("<!--") {
                let length = inner.find("-->").map_or(inner.len(), |length| length + 3);
                at += 4 + length;
            } else if rest.starts_with('&') {
                let length = rest.find(';').unwrap_or(0);
                let letter = entity(&rest[1.min(rest.len())..length.max(1)]).ok_or_else(|| {
                    let span = Span::new(at, at + length.max(1));
                    Diagnostic::error("uppaal::xml", "this entity is not known", span, "here")
                        .with_help("the entities of XML are &lt; &gt; &amp; &apos; &quot; and numbers")
                })?;
                fragment.push(letter, at, length + 1);
                at += length + 1;
            } else {
                let letter = rest.chars().next().unwrap_or(' ');
                fragment.push(letter, at, letter.len_utf8());
                at += letter.len_utf8();
            }
        }
        fragment.places.push(end as u32);
        Ok(fragment)
    }

    fn push(&mut self, letter: char, place: usize, width: usize) {
        self.text.push(letter);
        // Bytes of one letter lie where its source lies; those of an entity at its beginning.
        let own = letter.len_utf8();
        self.places
            .extend((0..own).map(|byte| (place + if width == own { byte } else { 0 }) as u32));
    }

    /// The place of a part of the text in the file.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let place = |at: usize| {
            self.places
                .get(at)
                .or(self.places.last())
                .map_or(0, |&at| at as usize)
        };
        match end > start {
            // The end of an entity is the beginning of what follows it.
            true => Span::new(place(start), place(end).max(place(start) + 1)),
            false => Span::new(place(start), place(start)),
        }
    }
}

fn entity(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "apos" => '\'',
        "quot" => '"',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_point_into_the_file() {
        let file = "<l>x&lt;=5<![CDATA[ && y<3]]></l>";
        let fragment = Fragment::xml(file, Span::new(3, 29)).expect("well-formed");
        assert_eq!(fragment.text, "x<=5 && y<3");
        assert_eq!(fragment.span(1, 2), Span::new(4, 8));
        let five = fragment.text.find('5').expect("there");
        assert_eq!(&file[fragment.span(five, five + 1).start..][..1], "5");
        let y = fragment.text.find('y').expect("there");
        assert_eq!(&file[fragment.span(y, y + 1).start..][..1], "y");
    }
}
