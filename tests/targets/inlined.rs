// inlined.rs: generic functions, closures and traits, as rustc describes them.
use std::collections::HashMap;
use std::fmt::Display;

trait Measure {
    fn measure(&self) -> usize;
    fn twice(&self) -> usize {
        self.measure() * 2
    }
}

impl Measure for str {
    fn measure(&self) -> usize {
        self.chars().filter(|c| c.is_alphanumeric()).count()
    }
}

struct Table<K> {
    rows: HashMap<K, usize>,
}

impl<K: std::hash::Hash + Eq + Display> Table<K> {
    #[inline(never)]
    fn add(&mut self, key: K, value: usize) {
        *self.rows.entry(key).or_insert(0) += value;
    }

    #[inline(never)]
    fn longest(&self) -> Option<String> {
        let mut all: Vec<_> = self.rows.iter().map(|(k, v)| (v, k.to_string())).collect();
        all.sort();
        all.pop().map(|(_, k)| k)
    }
}

mod inner {
    #[inline(always)]
    pub fn mix(x: u32) -> u32 {
        x.rotate_left(7) ^ x.wrapping_mul(0x9E37_79B9)
    }

    #[inline(never)]
    pub fn sum(values: &[u32]) -> u32 {
        values.iter().map(|v| mix(*v)).fold(0, u32::wrapping_add)
    }
}

fn main() {
    let mut table = Table { rows: HashMap::new() };
    let words: Vec<String> = std::env::args().collect();
    for word in &words {
        table.add(word.as_str(), word.twice());
    }
    let values: Vec<u32> = words.iter().map(|w| w.len() as u32).collect();
    println!("{:?} {}", table.longest(), inner::sum(&values));
}
