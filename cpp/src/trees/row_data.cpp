#include "inducer/trees/row_data.h"

#include <algorithm>
#include <cmath>

namespace inducer::trees {
namespace {

double score_here(const Terms& terms, const double* sums) {
  INDUCER_DISPATCH(score_whole(terms, sums))
}
void add_here(const Terms& terms, const Entry* entries, std::int64_t count, double* sums) {
  INDUCER_DISPATCH(add_rows(terms, entries, count, sums))
}

std::size_t place(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

RowData::RowData(Criterion chosen, const Labels& labels, std::int64_t rows)
    : criterion(chosen), outputs(static_cast<std::int32_t>(labels.outputs)) {
  const auto weight_of = [&](std::int64_t i) { return labels.weights ? labels.weights[i] : 1.0; };
  const bool weighted = labels.weights != nullptr;
  if (classifies(criterion)) {
    width = outputs <= 2 ? 1 : outputs;
    layout = outputs > 2 ? Layout::classes : weighted ? Layout::pairs : Layout::bits;
    if (layout != Layout::pairs) codes.assign(labels.codes, labels.codes + rows);
    if (layout == Layout::bits) return;
    for (std::int64_t i = 0; i < rows; ++i) {
      weights.push_back(weight_of(i));
      if (layout == Layout::pairs) values.push_back(labels.codes[i] * weight_of(i));
    }
    return;
  }
  const bool squared = criterion == Criterion::variance;
  width = outputs + squared;
  layout = width == 1 ? Layout::pairs : Layout::several;
  centre.assign(place(outputs), 0.0);
  if (criterion != Criterion::poisson) {
    double whole = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      whole += weight_of(i);
      for (std::int64_t k = 0; k < outputs; ++k)
        centre[place(k)] += weight_of(i) * labels.targets[i * outputs + k];
    }
    for (double& mean : centre) mean = whole > 0 ? mean / whole : 0;
  }
  weights.resize(place(rows));
  squares.resize(place(rows));
  values.reserve(place(rows * width));
  for (std::int64_t i = 0; i < rows; ++i) {
    const double weight = weights[place(i)] = weight_of(i);
    double square = 0;
    for (std::int64_t k = 0; k < outputs; ++k) {
      const double y = labels.targets[i * outputs + k] - centre[place(k)];
      values.push_back(weight * y);
      if (criterion != Criterion::poisson)
        square += weight * y * y;
      else if (y > 0)
        square += weight * y * std::log(y);
    }
    squares[place(i)] = square;
    if (squared) values.push_back(square);
  }
}

RowData RowData::of(const std::vector<std::uint32_t>& rows) const {
  RowData some;
  some.layout = layout, some.criterion = criterion;
  some.width = width, some.outputs = outputs, some.centre = centre;
  const auto pick = [&](const auto& from, auto& to, std::int64_t each) {
    if (from.empty()) return;
    to.reserve(rows.size() * place(each));
    for (const std::uint32_t row : rows)
      for (std::int64_t k = 0; k < each; ++k)
        to.push_back(from[place((row & row_bits) * each + k)]);
  };
  pick(weights, some.weights, 1);
  pick(values, some.values, width);
  pick(squares, some.squares, 1);
  if (layout == Layout::classes) pick(codes, some.codes, 1);
  return some;
}

Terms RowData::terms() const {
  return {layout, criterion, width, outputs, weights.data(), values.data(), codes.data()};
}

void RowData::add(const Entry* entries, std::int64_t count, double* sums) const {
  add_here(terms(), entries, count, sums);
  if (squares.empty()) return;
  double square = 0;
  for (std::int64_t j = 0; j < count; ++j) square += squares[entries[j].row];
  sums[1 + width] += square;
}

double RowData::score(const double* sums) const {
  return criterion == Criterion::friedman_mse ? 0.0 : score_here(terms(), sums);
}

double RowData::slack(const double* sums) const {
  constexpr double tie = 1e-12;
  const double weight = sums[0], square = sums[1 + width];
  switch (criterion) {
    case Criterion::gain_ratio:
      return tie;
    case Criterion::friedman_mse:
      return tie * weight * square;
    case Criterion::poisson:
      return tie * (weight + std::abs(score(sums)));
    default:
      return tie * (classifies(criterion) ? weight : square);
  }
}

double RowData::impurity(const double* sums) const {
  const double weight = sums[0], square = sums[1 + width];
  if (!(weight > 0)) return 0;
  Terms t = terms();
  double found = 0;
  switch (criterion) {
    case Criterion::gini:
    case Criterion::error:
      found = 1 - score_here(t, sums) / weight;
      break;
    case Criterion::entropy:
    case Criterion::gain_ratio:
      found = -score_here(t, sums) / weight;
      break;
    case Criterion::variance:
      found = -score_here(t, sums) / weight / outputs;
      break;
    default:  // of the mean; score() of friedman_mse says nothing of a node
      if (criterion == Criterion::friedman_mse) t.criterion = Criterion::squared_error;
      found = (square - score_here(t, sums)) / weight / outputs;
  }
  return std::max(0.0, found);
}

bool RowData::pure(const double* sums) const {
  const double least = impurity(sums);
  if (classifies(criterion)) return least <= 2.3e-16;
  // Rounding leaves some 1e-16 of the squares.
  const double scale = criterion == Criterion::poisson ? std::abs(sums[1]) + std::abs(sums[2]) : sums[1 + width];
  return least * sums[0] <= 1e-14 * scale;
}

void RowData::value(const double* sums, double* value) const {
  if (!classifies(criterion)) {
    for (std::int64_t k = 0; k < outputs; ++k)
      value[k] = (sums[0] > 0 ? sums[1 + k] / sums[0] : 0) + centre[place(k)];
  } else if (width > 1) {
    std::copy_n(sums + 1, outputs, value);
  } else {
    value[0] = sums[0] - (outputs > 1 ? sums[1] : 0);
    if (outputs > 1) value[1] = sums[1];
  }
}

}  // namespace inducer::trees
