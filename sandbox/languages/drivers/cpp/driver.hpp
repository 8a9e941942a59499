// What every C++ function solution is compiled with: arguments are read from standard input, results are written to
// descriptor 3, in the form that sandbox/languages/wire.py describes. The glue generated from a signature comes after
// the solution and calls `taskfoundry_driver::serve`.
#ifndef TASKFOUNDRY_DRIVER
#define TASKFOUNDRY_DRIVER

#include_next <bits/stdc++.h>  // this file stands in for it under the same name

#include <cxxabi.h>

namespace taskfoundry {

// An integer of any size, as its decimal digits.
struct BigInt {
    std::string digits = "0";

    BigInt() = default;
    BigInt(std::string text) : digits(std::move(text)) {}
    BigInt(const char* text) : digits(text) {}
    BigInt(long long number) : digits(std::to_string(number)) {}
    BigInt(int number) : digits(std::to_string(number)) {}

    friend bool operator==(const BigInt&, const BigInt&) = default;
};

}  // namespace taskfoundry

namespace taskfoundry_driver {

using Big = taskfoundry::BigInt;

// Types of the signature.
struct Int {};
struct BigKind {};
struct Float {};
struct Bool {};
struct Str {};
struct Bytes {};
struct None {};
template <class K> struct List {};
template <class K> struct Set {};
template <class K, class V> struct Map {};
template <class... K> struct Tuple {};
template <class K> struct Optional {};

// A value that doesn't have the type of the signature.
struct Mismatch {
    std::string message;
};

template <class T>
concept Integer = std::is_integral_v<T> || std::is_same_v<T, __int128> || std::is_same_v<T, unsigned __int128>;
template <class T>
concept Text = std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view> || std::is_same_v<T, const char*> ||
               std::is_same_v<T, char*>;
template <class T>
concept ByteVector = std::is_same_v<T, std::vector<unsigned char>> || std::is_same_v<T, std::vector<char>> ||
                     std::is_same_v<T, std::vector<signed char>> || std::is_same_v<T, std::vector<std::byte>>;
template <class T>
concept MapLike = requires { typename T::key_type; typename T::mapped_type; };
template <class T>
concept SetLike = requires { typename T::key_type; } && !MapLike<T>;
template <class T>
concept Sequence = !Text<T> && !requires { typename T::key_type; } && requires(T t) {
    typename T::value_type;
    t.begin();
    t.end();
};
template <class T> struct IsArray : std::false_type {};
template <class T, std::size_t N> struct IsArray<std::array<T, N>> : std::true_type {};
template <class T>
concept TupleLike = !IsArray<T>::value && requires { std::tuple_size<T>::value; };
template <class T> struct IsOptional : std::false_type {};
template <class T> struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
concept Nothing = std::is_same_v<T, std::monostate> || std::is_same_v<T, std::nullptr_t>;
template <class T> inline constexpr bool never = false;

// Reads the calls.
class Input {
  public:
    explicit Input(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

    char peek() const { return at_ == end_ ? '\0' : *at_; }

    void expect(char tag, const char* what) {
        if (peek() != tag) throw Mismatch{std::string("the solution takes ") + what + " here, the task gives " + name()};
        ++at_;
    }

    std::string_view until(char mark) {
        const char* start = at_;
        while (at_ != end_ && *at_ != mark) ++at_;
        if (at_ == end_) throw Mismatch{"the input ends too early"};
        return {start, static_cast<std::size_t>(at_++ - start)};
    }

    std::size_t size(char mark = ':') {
        std::size_t number = 0;
        for (char digit : until(mark)) number = number * 10 + static_cast<std::size_t>(digit - '0');
        return number;
    }

    std::string_view bytes() {
        std::size_t count = size();
        at_ += count;
        return {at_ - count, count};
    }

    double real() {
        std::uint64_t bits = 0;
        for (int i = 0; i < 16; ++i, ++at_) {
            bits = bits * 16 + static_cast<std::uint64_t>(*at_ <= '9' ? *at_ - '0' : *at_ - 'a' + 10);
        }
        return std::bit_cast<double>(bits);
    }

  private:
    const char* name() const {
        switch (peek()) {
            case 'N': return "nothing";
            case 'T': case 'F': return "a bool";
            case 'I': return "an integer";
            case 'D': return "a float";
            case 'S': return "a text";
            case 'B': return "bytes";
            case 'L': return "a list";
            case 'P': return "a tuple";
            case 'E': return "a set";
            case 'M': return "a map";
            default: return "something else";
        }
    }

    const char* at_;
    const char* end_;
};

template <Integer T> T parse_integer(std::string_view digits) {
    using Wide = std::conditional_t<(sizeof(T) > 8), T, __int128>;
    constexpr bool is_signed = T(-1) < T(0);
    constexpr std::size_t bits = sizeof(T) * 8 - is_signed;
    constexpr T most = static_cast<T>((((T(1) << (bits - 1)) - 1) << 1) + 1);
    constexpr T least = is_signed ? static_cast<T>(-most - 1) : T(0);
    bool negative = digits.starts_with('-');
    Wide number = 0;
    bool fits = digits.size() < 42;
    for (char digit : digits.substr(negative)) {
        if (!fits) break;
        Wide unit = negative ? Wide('0') - digit : Wide(digit) - '0';
        fits = !__builtin_mul_overflow(number, Wide(10), &number) && !__builtin_add_overflow(number, unit, &number);
    }
    if (!fits || number > Wide(most) || number < Wide(least)) {
        throw Mismatch{std::string(digits.substr(0, 80)) + " doesn't fit into the solution's integer type"};
    }
    return static_cast<T>(number);
}

template <class T> T read(Input& in);

template <class T> T read_text(Input& in) {
    std::string_view text = (in.expect('S', "a text"), in.bytes());
    if constexpr (std::is_same_v<T, std::string_view>) return text;
    else if constexpr (std::is_same_v<T, std::string>) return T(text);
    else return (new std::string(text))->data();  // stays: the solution may keep it
}

template <class T> T read_bytes(Input& in) {
    std::string_view data = (in.expect('B', "bytes"), in.bytes());
    T made(data.size());
    if (!data.empty()) std::memcpy(made.data(), data.data(), data.size());
    return made;
}

template <Integer T> T read_integer(Input& in) {
    if constexpr (std::is_same_v<T, bool>) {
        if (in.peek() == 'T') return in.expect('T', "a bool"), true;
        return in.expect('F', "a bool"), false;
    } else {
        if constexpr (std::is_same_v<T, char>) {
            if (in.peek() == 'S') {
                std::string_view text = read_text<std::string_view>(in);
                if (text.size() != 1) throw Mismatch{"the solution takes one char, the task gives a text of another size"};
                return text[0];
            }
        }
        in.expect('I', "an integer");
        return parse_integer<T>(in.until(';'));
    }
}

template <class T> T read_map(Input& in) {
    in.expect('M', "a map");
    T made;
    for (std::size_t left = in.size(); left; --left) {
        auto key = read<typename T::key_type>(in);
        made.emplace(std::move(key), read<typename T::mapped_type>(in));
    }
    return made;
}

template <class T> T read_set(Input& in) {
    in.expect('E', "a set");
    T made;
    for (std::size_t left = in.size(); left; --left) made.insert(read<typename T::value_type>(in));
    return made;
}

template <class T> T read_list(Input& in) {
    in.expect('L', "a list");
    std::size_t count = in.size();
    T made;
    if constexpr (IsArray<T>::value) {
        if (count != made.size()) throw Mismatch{"the solution takes a list of another length"};
        for (auto& item : made) item = read<typename T::value_type>(in);
    } else {
        if constexpr (requires { made.reserve(count); }) made.reserve(count);
        for (; count; --count) made.push_back(read<typename T::value_type>(in));
    }
    return made;
}

template <class T, std::size_t... I> T read_tuple(Input& in, std::index_sequence<I...>) {
    in.expect('P', "a tuple");
    if (in.size() != sizeof...(I)) throw Mismatch{"the solution takes a tuple of another length"};
    return T{read<std::tuple_element_t<I, T>>(in)...};
}

// Returns the next argument as the type that the solution asks for.
template <class T> T read(Input& in) {
    if constexpr (Integer<T>) {
        return read_integer<T>(in);
    } else if constexpr (std::is_floating_point_v<T>) {
        if (in.peek() == 'I') return in.expect('I', "a float"), static_cast<T>(parse_integer<long long>(in.until(';')));
        return in.expect('D', "a float"), static_cast<T>(in.real());
    } else if constexpr (std::is_same_v<T, Big>) {
        return in.expect('I', "an integer"), Big(std::string(in.until(';')));
    } else if constexpr (Text<T>) {
        if constexpr (std::is_same_v<T, std::string>) {
            if (in.peek() == 'B') return in.expect('B', "bytes"), T(in.bytes());
            if (in.peek() == 'I') return in.expect('I', "an integer"), T(in.until(';'));
        }
        return read_text<T>(in);
    } else if constexpr (IsOptional<T>::value) {
        if (in.peek() == 'N') return in.expect('N', "nothing"), T();
        return T(read<typename T::value_type>(in));
    } else if constexpr (Nothing<T>) {
        return in.expect('N', "nothing"), T{};
    } else if constexpr (MapLike<T>) {
        return read_map<T>(in);
    } else if constexpr (SetLike<T>) {
        return read_set<T>(in);
    } else if constexpr (TupleLike<T>) {
        return read_tuple<T>(in, std::make_index_sequence<std::tuple_size_v<T>>());
    } else if constexpr (Sequence<T>) {
        if constexpr (ByteVector<T>) {
            if (in.peek() == 'B') return read_bytes<T>(in);
        }
        return read_list<T>(in);
    } else {
        static_assert(never<T>, "a parameter's type has no counterpart in the signature of the task");
    }
}

inline void write_sized(std::string& out, char tag, const char* data, std::size_t size) {
    out += tag;
    out += std::to_string(size);
    out += ':';
    out.append(data, size);
}

template <Integer V> void write_integer(std::string& out, V value) {
    unsigned __int128 rest = value < V(0) ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
    char digits[48];
    char* at = digits + sizeof digits;
    *--at = ';';
    do {
        *--at = static_cast<char>('0' + static_cast<int>(rest % 10));
    } while (rest /= 10);
    if (value < V(0)) *--at = '-';
    *--at = 'I';
    out.append(at, static_cast<std::size_t>(digits + sizeof digits - at));
}

inline void write_digits(std::string& out, const std::string& digits) {
    std::size_t start = digits.starts_with('-');
    if (digits.size() == start || digits.find_first_not_of("0123456789", start) != std::string::npos) {
        throw Mismatch{"a big integer needs decimal digits, not " + digits.substr(0, 80)};
    }
    out += 'I';
    out += digits;
    out += ';';
}

template <class K> struct Writer;

template <class K, class V> void write(std::string& out, const V& value) {
    Writer<K>::write(out, value);
}

template <> struct Writer<Int> {
    template <class V> static void write(std::string& out, const V& value) {
        static_assert(Integer<V>, "the result must be an integer");
        if (value > V(0) && static_cast<unsigned __int128>(value) > INT64_MAX) throw Mismatch{"an integer beyond 64 bits"};
        if (value < V(0) && static_cast<__int128>(value) < INT64_MIN) throw Mismatch{"an integer beyond 64 bits"};
        write_integer(out, value);
    }
};

template <> struct Writer<BigKind> {
    template <class V> static void write(std::string& out, const V& value) {
        static_assert(Integer<V> || std::is_same_v<V, Big> || std::is_same_v<V, std::string>,
                      "the result must be a taskfoundry::BigInt, an integer, or a std::string of decimal digits");
        if constexpr (Integer<V>) write_integer(out, value);
        else if constexpr (std::is_same_v<V, Big>) write_digits(out, value.digits);
        else write_digits(out, value);
    }
};

template <> struct Writer<Float> {
    template <class V> static void write(std::string& out, const V& value) {
        static_assert(std::is_arithmetic_v<V>, "the result must be a number");
        auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(value));
        out += 'D';
        for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[bits >> shift & 15];
    }
};

template <> struct Writer<Bool> {
    template <class V> static void write(std::string& out, const V& value) {
        static_assert(Integer<V>, "the result must be a bool");
        if (value != V(0) && value != V(1)) throw Mismatch{"an integer other than 0 and 1 where a bool is declared"};
        out += value ? 'T' : 'F';
    }
};

template <> struct Writer<Str> {
    template <class V> static void write(std::string& out, const V& value) {
        static_assert(Text<V> || std::is_same_v<V, char>, "the result must be a std::string");
        if constexpr (std::is_same_v<V, char>) {
            write_sized(out, 'S', &value, 1);
        } else {
            std::string_view text = value;
            write_sized(out, 'S', text.data(), text.size());
        }
    }
};

template <> struct Writer<Bytes> {
    template <class V> static void write(std::string& out, const V& value) {
        static_assert(Text<V> || ByteVector<V>, "the result must be a std::vector<unsigned char> or a std::string");
        if constexpr (ByteVector<V>) {
            write_sized(out, 'B', reinterpret_cast<const char*>(value.data()), value.size());
        } else {
            std::string_view data = value;
            write_sized(out, 'B', data.data(), data.size());
        }
    }
};

template <> struct Writer<None> {
    template <class V> static void write(std::string& out, const V&) {
        static_assert(Nothing<V>, "the result must be void");
        out += 'N';
    }
};

template <class K, class V> void write_items(std::string& out, char tag, const V& items) {
    out += tag;
    out += std::to_string(std::distance(items.begin(), items.end()));
    out += ':';
    for (auto&& item : items) write<K>(out, static_cast<const typename V::value_type&>(item));
}

template <class K> struct Writer<List<K>> {
    template <class V> static void write(std::string& out, const V& value) {
        static_assert(Sequence<V>, "the result must be a std::vector");
        if constexpr (Sequence<V>) write_items<K>(out, 'L', value);
    }
};

template <class K> struct Writer<Set<K>> {
    template <class V> static void write(std::string& out, const V& value) {
        static_assert(SetLike<V>, "the result must be a std::set or std::unordered_set");
        if constexpr (SetLike<V>) write_items<K>(out, 'E', value);
    }
};

template <class K, class I> struct Writer<Map<K, I>> {
    template <class V> static void write(std::string& out, const V& value) {
        static_assert(MapLike<V>, "the result must be a std::map or std::unordered_map");
        if constexpr (MapLike<V>) {
            out += 'M';
            out += std::to_string(value.size());
            out += ':';
            for (const auto& [key, item] : value) {
                taskfoundry_driver::write<K>(out, key);
                taskfoundry_driver::write<I>(out, item);
            }
        }
    }
};

template <class... K> struct Writer<Tuple<K...>> {
    template <class V> static void write(std::string& out, const V& value) {
        static_assert(TupleLike<V>, "the result must be a std::tuple or std::pair");
        if constexpr (TupleLike<V>) {
            static_assert(std::tuple_size_v<V> == sizeof...(K), "the result must be a tuple of the declared length");
            out += 'P';
            out += std::to_string(sizeof...(K));
            out += ':';
            std::apply([&](const auto&... items) { (taskfoundry_driver::write<K>(out, items), ...); }, value);
        }
    }
};

template <class K> struct Writer<Optional<K>> {
    template <class V> static void write(std::string& out, const V& value) {
        if constexpr (IsOptional<V>::value) {
            if (!value) out += 'N';
            else taskfoundry_driver::write<K>(out, *value);
        } else if constexpr (Nothing<V>) {
            out += 'N';
        } else {
            taskfoundry_driver::write<K>(out, value);
        }
    }
};

// What a solution gets whose own parameter types can't be told: it is overloaded, a template or has defaults.
template <class K> struct Natural;
template <> struct Natural<Int> { using type = long long; };
template <> struct Natural<BigKind> { using type = Big; };
template <> struct Natural<Float> { using type = double; };
template <> struct Natural<Bool> { using type = bool; };
template <> struct Natural<Str> { using type = std::string; };
template <> struct Natural<Bytes> { using type = std::vector<unsigned char>; };
template <> struct Natural<None> { using type = std::monostate; };
template <class K> struct Natural<List<K>> { using type = std::vector<typename Natural<K>::type>; };
template <class K> struct Natural<Set<K>> { using type = std::set<typename Natural<K>::type>; };
template <class K, class V> struct Natural<Map<K, V>> {
    using type = std::map<typename Natural<K>::type, typename Natural<V>::type>;
};
template <class... K> struct Natural<Tuple<K...>> { using type = std::tuple<typename Natural<K>::type...>; };
template <class K> struct Natural<Optional<K>> { using type = std::optional<typename Natural<K>::type>; };

template <class... A> struct Types {};
struct Tag {};

template <class R, class... A> Types<A...> parameters(Tag, R (*)(A...));
template <class C, class R, class... A> Types<A...> parameters(Tag, R (C::*)(A...));
template <class C, class R, class... A> Types<A...> parameters(Tag, R (C::*)(A...) const);
template <class C, class R, class... A> Types<A...> parameters(Tag, R (C::*)(A...) &);
template <class F> auto parameters(Tag tag, F*) -> decltype(parameters(tag, &F::operator()));

template <class T> using Held = std::remove_cvref_t<T>;

template <class Entry, class K, class... P> auto choose_types() {
    if constexpr (requires { Entry::types(Tag{}); }) {
        using Found = decltype(Entry::types(Tag{}));
        if constexpr ([]<class... A>(Types<A...>*) { return sizeof...(A) == sizeof...(P); }(static_cast<Found*>(nullptr))) {
            return Found{};
        } else {
            return Types<typename Natural<P>::type&...>{};
        }
    } else {
        return Types<typename Natural<P>::type&...>{};
    }
}

extern "C" long write(int, const void*, unsigned long);
extern "C" long read(int, void*, unsigned long);
extern "C" [[noreturn]] void _exit(int);

inline void write_all(const std::string& data) {
    for (std::size_t done = 0; done < data.size();) {
        long count = taskfoundry_driver::write(3, data.data() + done, data.size() - done);
        if (count < 0 && errno != EINTR) _exit(70);
        if (count > 0) done += static_cast<std::size_t>(count);
    }
}

inline void write_record(char tag, const std::string& payload) {
    write_all(tag + std::to_string(payload.size()) + ';');
    write_all(payload);
}

inline std::string read_all() {
    std::string data;
    for (;;) {
        constexpr std::size_t piece = 1 << 16;
        std::size_t size = data.size();
        data.resize(size + piece);
        long count = taskfoundry_driver::read(0, data.data() + size, piece);
        data.resize(size + static_cast<std::size_t>(count > 0 ? count : 0));
        if (count == 0 || (count < 0 && errno != EINTR)) return data;
    }
}

inline std::string name_of(const std::type_info& type) {
    int status = 0;
    char* name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::string text = name ? name : type.name();
    std::free(name);
    return text;
}

// Ends the process as an uncaught std::bad_alloc does, whose words on standard error are the memory limit's.
[[noreturn]] inline void end_for_memory() {
    constexpr char said[] = "  what():  std::bad_alloc\n";
    taskfoundry_driver::write(2, said, sizeof said - 1);
    std::abort();
}

inline void write_exception() {
    std::string name = "unknown", message;
    if (const std::type_info* type = abi::__cxa_current_exception_type()) name = name_of(*type);
    try {
        throw;
    } catch (const std::bad_array_new_length& error) {
        message = error.what();
    } catch (const std::bad_alloc&) {
        end_for_memory();
    } catch (const std::exception& error) {
        message = error.what();
    } catch (const std::string& text) {
        message = text;
    } catch (const char* text) {
        message = text;
    } catch (...) {
    }
    write_record('X', name + '\n' + message.substr(0, 1000));
}

template <class Entry, class K, class... A> void call(std::tuple<Held<A>...>& held) {
    std::string out;
    auto invoke = [](auto&... values) -> decltype(auto) { return Entry::call(static_cast<A&&>(values)...); };
    using Result = decltype(std::apply(invoke, held));
    if constexpr (std::is_void_v<Result>) {
        static_assert(std::is_same_v<K, None>, "the solution returns nothing, but the signature has a result");
        try {
            std::apply(invoke, held);
        } catch (...) {
            return write_exception();
        }
        out = "N";
    } else {
        std::optional<Held<Result>> result;
        try {
            result.emplace(std::apply(invoke, held));
        } catch (...) {
            return write_exception();
        }
        try {
            write<K>(out, *result);
        } catch (const Mismatch& mismatch) {
            return write_record('E', mismatch.message);
        }
    }
    write_record('V', out);
}

template <class Entry, class K, class... A> void serve_calls(Input& in, Types<A...>) {
    in.expect('C', "calls");
    std::optional<std::tuple<Held<A>...>> held;
    for (std::size_t left = in.size(';'); left; --left) {
        try {
            held.emplace(std::tuple<Held<A>...>{read<Held<A>>(in)...});
        } catch (const Mismatch& mismatch) {
            return write_record('E', mismatch.message);  // the place in the input is lost
        }
        call<Entry, K, A...>(*held);
    }
}

// Answers all calls on standard input: K is the type of the result, P those of the parameters.
template <class Entry, class K, class... P> [[noreturn]] void serve() {
    static const std::string text = read_all();
    Input in(text);
    serve_calls<Entry, K>(in, choose_types<Entry, K, P...>());
    std::fflush(nullptr);
    std::cout.flush();
    _exit(0);
}

}  // namespace taskfoundry_driver

#endif
