// traits.rs: names as Rust makes them: generics, closures, trait objects, and what is inlined.
use std::collections::BTreeMap;

trait Shape {
    fn area(&self, rounds: u64) -> u64;
}

struct Square<T>(T);
struct Circle<'a>(&'a u64);

impl<T: Into<u64> + Copy> Shape for Square<T> {
    #[inline(never)]
    fn area(&self, rounds: u64) -> u64 {
        let side: u64 = self.0.into();
        (0..rounds).fold(side, |a, b| mixed(a, b))
    }
}

impl<'a> Shape for Circle<'a> {
    #[inline(never)]
    fn area(&self, rounds: u64) -> u64 {
        (0..rounds).map(|x| mixed(x, *self.0)).filter(|x| x % 3 != 0).fold(0, u64::wrapping_add)
    }
}

#[inline(always)]
fn mixed(a: u64, b: u64) -> u64 {
    std::hint::black_box(a.wrapping_mul(6364136223846793005).wrapping_add(b))
}

#[inline(never)]
fn sorted<T: Ord + Clone>(values: &[T]) -> Vec<T> {
    let mut copy = values.to_vec();
    copy.sort_by(|a, b| b.cmp(a));
    copy
}

fn main() {
    let seven = 7u64;
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(3u32)), Box::new(Circle(&seven)), Box::new(Square(9u64))];
    let mut total: u64 = shapes.iter().map(|s| s.area(20_000_000)).fold(0, u64::wrapping_add);
    let words: Vec<String> = (0..20_000u64).map(|i| format!("{:x}", mixed(i, 1))).collect();
    let tree: BTreeMap<&String, usize> = words.iter().enumerate().map(|(i, w)| (w, i)).collect();
    for _ in 0..4 {
        total = total.wrapping_add(sorted(&words).len() as u64 + tree.len() as u64);
    }
    println!("{}", total);
}
