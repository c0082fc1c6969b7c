// A template that needs itself.
template <typename T> struct deep {
    typename deep<T*>::type value;
};
static void attack_once() { deep<int> x; }
