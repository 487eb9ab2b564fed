// The loops over the features of one example.
#include <cmath>

#include "inducer/stream/learner.h"

namespace inducer::INDUCER_ISA::stream {

double score(const Cell* cells, const std::uint32_t* index, const float* value, std::int64_t n) {
  double lane[4] = {0, 0, 0, 0};
  std::int64_t j = 0;
  for (; j + 4 <= n; j += 4)
    for (int k = 0; k < 4; ++k)
      lane[k] +=
          static_cast<double>(cells[index[j + k]].weight) * static_cast<double>(value[j + k]);
  for (int k = 0; j < n; ++j, ++k)
    lane[k] += static_cast<double>(cells[index[j]].weight) * static_cast<double>(value[j]);
  return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

void adapt(Cell* cells, const std::uint32_t* index, const float* value, std::int64_t n,
           float slope2, float* scales, float* rates, double& q, double& squares) {
  constexpr float least = 1.17549435e-38f;  // so that no rate is infinite
  for (std::int64_t j = 0; j < n; ++j) {
    Cell& cell = cells[index[j]];
    const float x = std::fabs(value[j]);
    if (x > cell.scale) {
      cell.weight *= cell.scale / x;
      cell.scale = x;
    }
    cell.squares += slope2 * x * x;
    scales[j] = cell.scale;
    rates[j] = cell.squares;
  }
  for (std::int64_t j = 0; j < n; ++j) rates[j] = 1.0f / (std::sqrt(rates[j] + least) * scales[j]);
  double q_lane[8] = {}, lane[8] = {};
  const auto add = [&](std::int64_t j, int k) {
    const float x = value[j], ratio = x / scales[j];
    q_lane[k] += static_cast<double>(x * rates[j] * x);
    lane[k] += static_cast<double>(ratio * ratio);
  };
  std::int64_t j = 0;
  for (; j + 8 <= n; j += 8)
    for (int k = 0; k < 8; ++k) add(j + k, k);
  for (int k = 0; j < n; ++j, ++k) add(j, k);
  for (int half = 4; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) {
      q_lane[k] += q_lane[k + half];
      lane[k] += lane[k + half];
    }
  q = q_lane[0];
  squares = lane[0];
}

void move(Cell* cells, const std::uint32_t* index, const float* value, std::int64_t n, float s,
          const float* rates) {
  for (std::int64_t j = 0; j < n; ++j) cells[index[j]].weight += s * rates[j] * value[j];
}

void move_all(Cell* cells, const std::uint32_t* index, const float* value, std::int64_t n,
              float s) {
  for (std::int64_t j = 0; j < n; ++j) cells[index[j]].weight += s * value[j];
}

double squared_length(const float* value, std::int64_t n) {
  double sum = 0;
  for (std::int64_t j = 0; j < n; ++j)
    sum += static_cast<double>(value[j]) * static_cast<double>(value[j]);
  return sum;
}

void follow(Cell* cells, const std::uint32_t* index, const float* value, std::int64_t n,
            double slope, double rate, double beta, double l1, double l2, std::uint64_t bias) {
  for (std::int64_t j = 0; j < n; ++j) {
    Cell& cell = cells[index[j]];
    const bool free = index[j] >= bias;
    const double g = slope * static_cast<double>(value[j]);
    const double squares = static_cast<double>(cell.squares), root = std::sqrt(squares + g * g);
    const double sigma = (root - std::sqrt(squares)) / rate;
    const double z = static_cast<double>(cell.dual) + g - sigma * static_cast<double>(cell.weight);
    const double over = std::fabs(z) - (free ? 0.0 : l1);
    const double w = over > 0 ? over / ((beta + root) / rate + (free ? 0.0 : l2)) : 0.0;
    cell.dual = static_cast<float>(z);
    cell.squares = static_cast<float>(squares + g * g);
    cell.weight = static_cast<float>(z > 0 ? -w : w);
  }
}

}  // namespace inducer::INDUCER_ISA::stream
