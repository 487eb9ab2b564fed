#pragma once
/// @file  A test is TEST(name) { ... CHECK(...); ... }. It enters itself in the list that main.cpp
/// runs. A check that fails says where, and the test goes on.
#include <sstream>
#include <string>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*body)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

struct Entry {
  Entry(const char* name, void (*body)()) { tests().push_back({name, body}); }
};

/// Counts a failure of the test that is running, and prints it. Any thread may call it.
void fail(const char* file, int line, const std::string& what);

template <class T>
std::string shown(const T& value) {
  std::ostringstream out;
  out.precision(20);
  if constexpr (requires { out << value; })
    out << value;
  else
    out << static_cast<long long>(value);  // an enum class
  return out.str();
}

}  // namespace check

#define TEST(name)                                                \
  static void test_##name();                                      \
  static const check::Entry entry_of_##name{#name, &test_##name}; \
  static void test_##name()

#define CHECK(...)                                                            \
  do {                                                                        \
    if (!(__VA_ARGS__)) check::fail(__FILE__, __LINE__, "not " #__VA_ARGS__); \
  } while (false)

/// Equal by ==; both sides are printed when they are not.
#define CHECK_EQUAL(left, right)                                                         \
  do {                                                                                   \
    const auto left_ = (left);                                                           \
    const auto right_ = (right);                                                         \
    if (!(left_ == right_))                                                              \
      check::fail(__FILE__, __LINE__,                                                    \
                  #left " is " + check::shown(left_) + ", not " + check::shown(right_)); \
  } while (false)

/// The expression throws an Exception whose message is `message`.
#define CHECK_THROWS(Exception, message, ...)                             \
  do {                                                                    \
    try {                                                                 \
      __VA_ARGS__;                                                        \
      check::fail(__FILE__, __LINE__, "nothing thrown by " #__VA_ARGS__); \
    } catch (const Exception& caught_) {                                  \
      CHECK_EQUAL(std::string(caught_.what()), std::string(message));     \
    }                                                                     \
  } while (false)
