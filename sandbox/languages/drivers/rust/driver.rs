//! What every Rust function solution is compiled with, as the crate `taskfoundry`: arguments are read from standard
//! input, results are written to descriptor 3, in the form that sandbox/languages/wire.py describes. The glue generated
//! from a signature stands behind the solution and calls `driver::read` and `driver::run`.

use std::fmt;

/// An integer of any size, as its decimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BigInt(pub String);

impl fmt::Display for BigInt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<i128> for BigInt {
    fn from(number: i128) -> Self {
        BigInt(number.to_string())
    }
}

impl From<i64> for BigInt {
    fn from(number: i64) -> Self {
        BigInt(number.to_string())
    }
}

impl From<String> for BigInt {
    fn from(digits: String) -> Self {
        BigInt(digits)
    }
}

impl From<&str> for BigInt {
    fn from(digits: &str) -> Self {
        BigInt(digits.to_string())
    }
}

#[doc(hidden)]
pub mod driver {
    use super::BigInt;
    use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
    use std::fs::File;
    use std::hash::{BuildHasher, Hash};
    use std::io::{Read, Write};
    use std::marker::PhantomData;
    use std::mem::ManuallyDrop;
    use std::os::unix::io::FromRawFd;
    use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};

    /// A value that doesn't have the type of the signature.
    pub struct Mismatch(String);

    fn mismatch<T>(message: impl Into<String>) -> Result<T, Mismatch> {
        Err(Mismatch(message.into()))
    }

    /// The calls, with the place up to which they have been read.
    pub struct Input {
        data: Vec<u8>,
        at: usize,
    }

    impl Input {
        fn peek(&self) -> u8 {
            self.data.get(self.at).copied().unwrap_or(0)
        }

        fn expect(&mut self, tag: u8, what: &str) -> Result<(), Mismatch> {
            if self.peek() != tag {
                return mismatch(format!("the solution takes {} here, the task gives {}", what, self.name()));
            }
            self.at += 1;
            Ok(())
        }

        fn name(&self) -> &'static str {
            match self.peek() {
                b'N' => "nothing",
                b'T' | b'F' => "a bool",
                b'I' => "an integer",
                b'D' => "a float",
                b'S' => "a text",
                b'B' => "bytes",
                b'L' => "a list",
                b'P' => "a tuple",
                b'E' => "a set",
                b'M' => "a map",
                _ => "something else",
            }
        }

        fn until(&mut self, mark: u8) -> &[u8] {
            let start = self.at;
            while self.peek() != mark {
                self.at += 1;
            }
            self.at += 1;
            &self.data[start..self.at - 1]
        }

        fn size(&mut self, mark: u8) -> usize {
            self.until(mark).iter().fold(0, |number, digit| number * 10 + (digit - b'0') as usize)
        }

        fn bytes(&mut self) -> &[u8] {
            let count = self.size(b':');
            self.at += count;
            &self.data[self.at - count..self.at]
        }

        fn digits(&mut self) -> Result<&str, Mismatch> {
            self.expect(b'I', "an integer")?;
            Ok(std::str::from_utf8(self.until(b';')).unwrap_or(""))
        }
    }

    /// What a solution's parameter can be.
    pub trait Argument: Sized {
        fn read(input: &mut Input) -> Result<Self, Mismatch>;

        /// Return a byte as an item of a list, if bytes can be items of it.
        fn from_byte(_byte: u8) -> Option<Self> {
            None
        }
    }

    /// Return the next argument as the type that the solution asks for.
    pub fn read<T: Argument>(input: &mut Input) -> Result<T, Mismatch> {
        T::read(input)
    }

    macro_rules! integers {
        ($($name:ident)*) => {$(
            impl Argument for $name {
                fn read(input: &mut Input) -> Result<Self, Mismatch> {
                    let digits = input.digits()?;
                    match digits.parse() {
                        Ok(number) => Ok(number),
                        Err(_) => mismatch(format!("{:.80} doesn't fit into {}", digits, stringify!($name))),
                    }
                }

                fn from_byte(byte: u8) -> Option<Self> {
                    if stringify!($name) == "u8" { Some(byte as $name) } else { None }
                }
            }

            impl Outcome<Int> for $name {
                fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
                    let text = self.to_string();
                    if text.parse::<i64>().is_err() {
                        return mismatch("an integer beyond 64 bits");
                    }
                    write_digits(out, &text)
                }
            }

            impl Outcome<Big> for $name {
                fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
                    write_digits(out, &self.to_string())
                }
            }
        )*};
    }

    integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

    macro_rules! floats {
        ($($name:ident)*) => {$(
            impl Argument for $name {
                fn read(input: &mut Input) -> Result<Self, Mismatch> {
                    input.expect(b'D', "a float")?;
                    let digits = std::str::from_utf8(&input.data[input.at..input.at + 16]).unwrap_or("");
                    let bits = u64::from_str_radix(digits, 16).unwrap_or(0);
                    input.at += 16;
                    Ok(f64::from_bits(bits) as $name)
                }
            }

            impl Outcome<Float> for $name {
                fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
                    out.extend_from_slice(format!("D{:016x}", (*self as f64).to_bits()).as_bytes());
                    Ok(())
                }
            }
        )*};
    }

    floats!(f32 f64);

    impl Argument for bool {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            let tag = if input.peek() == b'T' { b'T' } else { b'F' };
            input.expect(tag, "a bool")?;
            Ok(tag == b'T')
        }
    }

    impl Argument for () {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            input.expect(b'N', "nothing")
        }
    }

    impl Argument for String {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            if input.peek() == b'I' {
                return Ok(input.digits()?.to_string());
            }
            input.expect(b'S', "a text")?;
            match String::from_utf8(input.bytes().to_vec()) {
                Ok(text) => Ok(text),
                Err(_) => mismatch("the text holds a lone surrogate, which no Rust string can hold"),
            }
        }
    }

    impl Argument for char {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            let text = String::read(input)?;
            let mut characters = text.chars();
            match (characters.next(), characters.next()) {
                (Some(character), None) => Ok(character),
                _ => mismatch("the solution takes one char, the task gives a text of another length"),
            }
        }
    }

    impl Argument for BigInt {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            Ok(BigInt(input.digits()?.to_string()))
        }
    }

    impl<T: Argument> Argument for Option<T> {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            if input.peek() == b'N' {
                input.at += 1;
                return Ok(None);
            }
            T::read(input).map(Some)
        }
    }

    fn read_items<T: Argument, C: FromIterator<T>>(input: &mut Input, tag: u8, what: &str) -> Result<C, Mismatch> {
        input.expect(tag, what)?;
        (0..input.size(b':')).map(|_| T::read(input)).collect()
    }

    impl<T: Argument> Argument for Vec<T> {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            if input.peek() != b'B' {
                return read_items(input, b'L', "a list");
            }
            input.at += 1;
            match input.bytes().iter().map(|byte| T::from_byte(*byte)).collect() {
                Some(items) => Ok(items),
                None => mismatch("the solution takes a list here, the task gives bytes"),
            }
        }
    }

    impl<T: Argument> Argument for VecDeque<T> {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            read_items(input, b'L', "a list")
        }
    }

    impl<T: Argument, const N: usize> Argument for [T; N] {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            match Vec::read(input)?.try_into() {
                Ok(items) => Ok(items),
                Err(_) => mismatch("the solution takes a list of another length"),
            }
        }
    }

    impl<T: Argument + Eq + Hash, S: BuildHasher + Default> Argument for HashSet<T, S> {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            read_items(input, b'E', "a set")
        }
    }

    impl<T: Argument + Ord> Argument for BTreeSet<T> {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            read_items(input, b'E', "a set")
        }
    }

    /// One entry of a map.
    struct Entry<K, V>(K, V);

    impl<K: Argument, V: Argument> Argument for Entry<K, V> {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            Ok(Entry(K::read(input)?, V::read(input)?))
        }
    }

    fn read_entries<K: Argument, V: Argument, C: FromIterator<(K, V)>>(input: &mut Input) -> Result<C, Mismatch> {
        let entries: Vec<Entry<K, V>> = read_items(input, b'M', "a map")?;
        Ok(entries.into_iter().map(|entry| (entry.0, entry.1)).collect())
    }

    impl<K: Argument + Eq + Hash, V: Argument, S: BuildHasher + Default> Argument for HashMap<K, V, S> {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            read_entries(input)
        }
    }

    impl<K: Argument + Ord, V: Argument> Argument for BTreeMap<K, V> {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            read_entries(input)
        }
    }

    impl<T: Argument> Argument for Box<T> {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            T::read(input).map(Box::new)
        }
    }

    impl<T: Argument> Argument for &'static T {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            Ok(Box::leak(Box::new(T::read(input)?)))
        }
    }

    impl<T: Argument> Argument for &'static mut T {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            Ok(Box::leak(Box::new(T::read(input)?)))
        }
    }

    impl<T: Argument> Argument for &'static [T] {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            Ok(Box::leak(Vec::read(input)?.into_boxed_slice()))
        }
    }

    impl<T: Argument> Argument for &'static mut [T] {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            Ok(Box::leak(Vec::read(input)?.into_boxed_slice()))
        }
    }

    impl Argument for &'static str {
        fn read(input: &mut Input) -> Result<Self, Mismatch> {
            Ok(Box::leak(String::read(input)?.into_boxed_str()))
        }
    }

    /// Types of the signature's result.
    pub struct Int;
    pub struct Big;
    pub struct Float;
    pub struct Bool;
    pub struct Str;
    pub struct Bytes;
    pub struct Nothing;
    pub struct List<K>(PhantomData<K>);
    pub struct Set<K>(PhantomData<K>);
    pub struct Map<K, V>(PhantomData<(K, V)>);
    pub struct Tuple<K>(PhantomData<K>);
    pub struct Optional<K>(PhantomData<K>);

    /// What a solution's result can be where the signature says `K`.
    pub trait Outcome<K> {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch>;
    }

    fn write_digits(out: &mut Vec<u8>, digits: &str) -> Result<(), Mismatch> {
        let bare = digits.strip_prefix('-').unwrap_or(digits);
        if bare.is_empty() || !bare.bytes().all(|digit| digit.is_ascii_digit()) {
            return mismatch(format!("a big integer needs decimal digits, not {:.80}", digits));
        }
        out.push(b'I');
        out.extend_from_slice(digits.as_bytes());
        out.push(b';');
        Ok(())
    }

    fn write_size(out: &mut Vec<u8>, tag: char, size: usize) {
        out.extend_from_slice(format!("{}{}:", tag, size).as_bytes());
    }

    fn write_items<'a, K, T: Outcome<K> + 'a>(
        out: &mut Vec<u8>,
        tag: char,
        items: impl ExactSizeIterator<Item = &'a T>,
    ) -> Result<(), Mismatch> {
        write_size(out, tag, items.len());
        for item in items {
            item.write(out)?;
        }
        Ok(())
    }

    impl Outcome<Big> for BigInt {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            write_digits(out, &self.0)
        }
    }

    impl Outcome<Big> for String {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            write_digits(out, self)
        }
    }

    impl Outcome<Bool> for bool {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            out.push(if *self { b'T' } else { b'F' });
            Ok(())
        }
    }

    impl Outcome<Nothing> for () {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            out.push(b'N');
            Ok(())
        }
    }

    impl Outcome<Str> for str {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            write_size(out, 'S', self.len());
            out.extend_from_slice(self.as_bytes());
            Ok(())
        }
    }

    impl Outcome<Str> for String {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            self.as_str().write(out)
        }
    }

    impl Outcome<Str> for char {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            self.encode_utf8(&mut [0; 4]).write(out)
        }
    }

    impl Outcome<Bytes> for [u8] {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            write_size(out, 'B', self.len());
            out.extend_from_slice(self);
            Ok(())
        }
    }

    impl Outcome<Bytes> for Vec<u8> {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            Outcome::<Bytes>::write(self.as_slice(), out)
        }
    }

    impl<K, T: Outcome<K>> Outcome<List<K>> for [T] {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            write_items(out, 'L', self.iter())
        }
    }

    impl<K, T: Outcome<K>> Outcome<List<K>> for Vec<T> {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            write_items(out, 'L', self.iter())
        }
    }

    impl<K, T: Outcome<K>> Outcome<List<K>> for VecDeque<T> {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            write_items(out, 'L', self.iter())
        }
    }

    impl<K, T: Outcome<K>, const N: usize> Outcome<List<K>> for [T; N] {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            write_items(out, 'L', self.iter())
        }
    }

    impl<K, T: Outcome<K>, S> Outcome<Set<K>> for HashSet<T, S> {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            write_items(out, 'E', self.iter())
        }
    }

    impl<K, T: Outcome<K>> Outcome<Set<K>> for BTreeSet<T> {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            write_items(out, 'E', self.iter())
        }
    }

    macro_rules! maps {
        ($(($name:ty, $($extra:ident)?))*) => {$(
            impl<K, V, A: Outcome<K>, B: Outcome<V> $(, $extra)?> Outcome<Map<K, V>> for $name {
                fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
                    write_size(out, 'M', self.len());
                    for (key, value) in self {
                        key.write(out)?;
                        value.write(out)?;
                    }
                    Ok(())
                }
            }
        )*};
    }

    maps!((HashMap<A, B, S>, S) (BTreeMap<A, B>,));

    impl<K, T: Outcome<K>> Outcome<Optional<K>> for Option<T> {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            match self {
                Some(value) => value.write(out),
                None => {
                    out.push(b'N');
                    Ok(())
                }
            }
        }
    }

    impl<K, T: Outcome<K> + ?Sized> Outcome<K> for &T {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            (**self).write(out)
        }
    }

    impl<K, T: Outcome<K> + ?Sized> Outcome<K> for &mut T {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            (**self).write(out)
        }
    }

    impl<K, T: Outcome<K> + ?Sized> Outcome<K> for Box<T> {
        fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
            (**self).write(out)
        }
    }

    macro_rules! tuples {
        ($(($count:literal $($kind:ident $item:ident $place:tt)*))*) => {$(
            impl<$($item: Argument),*> Argument for ($($item,)*) {
                fn read(input: &mut Input) -> Result<Self, Mismatch> {
                    input.expect(b'P', "a tuple")?;
                    if input.size(b':') != $count {
                        return mismatch("the solution takes a tuple of another length");
                    }
                    Ok(($($item::read(input)?,)*))
                }
            }

            impl<$($kind, $item: Outcome<$kind>),*> Outcome<Tuple<($($kind,)*)>> for ($($item,)*) {
                fn write(&self, out: &mut Vec<u8>) -> Result<(), Mismatch> {
                    write_size(out, 'P', $count);
                    $(self.$place.write(out)?;)*
                    Ok(())
                }
            }
        )*};
    }

    tuples! {
        (1 K A 0)
        (2 K A 0 L B 1)
        (3 K A 0 L B 1 M C 2)
        (4 K A 0 L B 1 M C 2 N D 3)
        (5 K A 0 L B 1 M C 2 N D 3 O E 4)
        (6 K A 0 L B 1 M C 2 N D 3 O E 4 P F 5)
        (7 K A 0 L B 1 M C 2 N D 3 O E 4 P F 5 Q G 6)
        (8 K A 0 L B 1 M C 2 N D 3 O E 4 P F 5 Q G 6 R H 7)
    }

    fn write_record(tag: char, payload: &[u8]) {
        let mut file = ManuallyDrop::new(unsafe { File::from_raw_fd(3) });
        let mut record = format!("{}{};", tag, payload.len()).into_bytes();
        record.extend_from_slice(payload);
        if file.write_all(&record).is_err() {
            std::process::exit(70);
        }
    }

    /// Write what a call leads to: its result as a `K`, or the panic that ended it.
    pub fn run<K, T: Outcome<K>>(call: impl FnOnce() -> T) {
        match catch_unwind(AssertUnwindSafe(call)) {
            Ok(result) => {
                let mut out = Vec::new();
                match result.write(&mut out) {
                    Ok(()) => write_record('V', &out),
                    Err(Mismatch(message)) => write_record('E', message.as_bytes()),
                }
                std::mem::forget(result);
            }
            Err(payload) => {
                let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
                let message = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
                let kept: String = message.chars().take(1000).collect();
                write_record('X', format!("panic\n{}", kept).as_bytes());
            }
        }
    }

    /// Answer all calls on standard input.
    pub fn serve(answer: fn(&mut Input) -> Result<(), Mismatch>) {
        let mut input = Input { data: Vec::new(), at: 1 };
        if std::io::stdin().read_to_end(&mut input.data).is_err() {
            std::process::exit(70);
        }
        set_hook(Box::new(|_| {}));
        for _ in 0..input.size(b';') {
            if let Err(Mismatch(message)) = answer(&mut input) {
                return write_record('E', message.as_bytes()); // the place in the input is lost
            }
        }
    }
}
