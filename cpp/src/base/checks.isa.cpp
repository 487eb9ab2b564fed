#include "inducer/base/checks.h"
#include "inducer/base/vector.h"

namespace inducer::INDUCER_ISA {
namespace {

/// x * 0 is 0 for every finite x and NaN otherwise: one sum tells.
template <class T>
bool all_finite_impl(const T* values, std::int64_t n) {
  using P = Pack<T>;
  typename P::Register sum[4]{};
  const typename P::Register zero{};
  std::int64_t i = 0;
  for (; i + 4 * P::width <= n; i += 4 * P::width)
    for (int r = 0; r < 4; ++r) sum[r] += P::load(values + i + r * P::width) * zero;
  T rest = fold<T, 4>(sum);
  for (; i < n; ++i) rest += values[i] * T(0);
  return rest == T(0);
}

}  // namespace

bool all_finite(const float* values, std::int64_t n) {
  return all_finite_impl(values, n);
}
bool all_finite(const double* values, std::int64_t n) {
  return all_finite_impl(values, n);
}

std::int64_t count_falls(const std::int32_t* columns, std::int64_t n, std::int64_t cols) {
  constexpr std::int64_t block = 1 << 16;  // so that the counts below fit
  // A negative column is a large unsigned one. cols <= 2^31, so it fits.
  const auto bound = static_cast<std::uint32_t>(cols);
  std::int64_t falls = 0;
  for (std::int64_t begin = 0; begin < n; begin += block) {
    const std::int64_t end = begin + block < n ? begin + block : n;
    std::uint32_t outside = static_cast<std::uint32_t>(columns[begin]) >= bound, here = 0;
    for (std::int64_t k = begin + 1; k < end; ++k) {
      outside |= static_cast<std::uint32_t>(static_cast<std::uint32_t>(columns[k]) >= bound);
      here += static_cast<std::uint32_t>(columns[k - 1] >= columns[k]);
    }
    if (outside) return -1;
    falls += here + (begin > 0 && columns[begin - 1] >= columns[begin]);
  }
  return falls;
}

}  // namespace inducer::INDUCER_ISA
