// words.rs: counts and sorts words for a second, through iterators and closures that are inlined.
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::time::Instant;

fn words(count: u64) -> Vec<String> {
    (0..count)
        .map(|i| format!("w{:x}", i.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17) % 5000))
        .collect()
}

fn count(words: &[String]) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for word in words {
        *counts.entry(word.as_str()).or_insert(0) += 1;
    }
    counts
}

fn by_count<'a>(counts: &HashMap<&'a str, usize>) -> Vec<(&'a str, usize)> {
    let mut all: Vec<_> = counts.iter().map(|(word, n)| (*word, *n)).collect();
    all.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    all
}

fn places(words: &[String]) -> BTreeMap<String, Vec<usize>> {
    let mut places = BTreeMap::new();
    for (i, word) in words.iter().enumerate() {
        places.entry(word.chars().rev().collect::<String>()).or_insert_with(Vec::new).push(i);
    }
    places
}

fn main() {
    let start = Instant::now();
    let mut sum = 0usize;

    while start.elapsed().as_secs() < 1 {
        let words = words(60_000);
        let mut text = String::new();
        for (word, n) in by_count(&count(&words)).iter().take(100) {
            write!(text, "{word}={n};").unwrap();
        }
        sum += text.split(';').filter_map(|p| p.split('=').nth(1)?.parse::<usize>().ok()).sum::<usize>();
        sum = places(&words).values().flatten().fold(sum, |a, b| a.wrapping_add(*b));
    }
    println!("{sum}");
}
