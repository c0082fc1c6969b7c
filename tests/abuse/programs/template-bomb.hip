// Templates that expand without end.
template <int N, int M> struct bomb {
    static constexpr long value = bomb<N - 1, M * 2>::value + bomb<N - 1, M * 2 + 1>::value;
};
template <int M> struct bomb<0, M> {
    static constexpr long value = M;
};
static void attack_once() { std::printf("%ld\n", bomb<28, 1>::value); }
