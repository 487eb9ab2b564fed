#include "inducer/stream/cache.h"

#include <algorithm>
#include <cstring>

namespace inducer::stream {

namespace {

struct Head {
  std::uint64_t length = 0;
  std::uint32_t examples = 0, features = 0, costs = 0, tags = 0;
  std::uint32_t valued = 0;  ///< 0: all values are one
  std::uint32_t unused = 0;
};

template <class T>
void put(std::string& out, const T* values, std::size_t n) {
  out.append(reinterpret_cast<const char*>(values), n * sizeof(T));
}

template <class T>
void take(std::string_view& bytes, std::vector<T>& values, std::size_t n) {
  values.resize(n);
  if (n > 0) std::memcpy(values.data(), bytes.data(), n * sizeof(T));
  bytes.remove_prefix(n * sizeof(T));
}

std::uint64_t length_of(const Head& head) {
  return sizeof(Head) + std::uint64_t{head.examples} * sizeof(Example) +
         std::uint64_t{head.features} * (head.valued ? 8 : 4) +
         std::uint64_t{head.costs} * sizeof(Cost) + head.tags;
}

}  // namespace

void write_record(const Block& block, std::string& out) {
  Head head;
  head.examples = static_cast<std::uint32_t>(block.examples.size());
  head.features = static_cast<std::uint32_t>(block.index.size());
  head.costs = static_cast<std::uint32_t>(block.costs.size());
  head.tags = static_cast<std::uint32_t>(block.tags.size());
  head.valued =
      !std::all_of(block.value.begin(), block.value.end(), [](float v) { return v == 1; });
  head.length = length_of(head);
  put(out, &head, 1);
  put(out, block.examples.data(), block.examples.size());
  put(out, block.index.data(), block.index.size());
  if (head.valued) put(out, block.value.data(), block.value.size());
  put(out, block.costs.data(), block.costs.size());
  out += block.tags;
}

std::size_t record_length(std::string_view bytes) {
  if (bytes.size() < sizeof(Head)) return 0;
  Head head;
  std::memcpy(&head, bytes.data(), sizeof head);
  return std::max<std::size_t>(head.length, sizeof(Head));
}

bool read_record(std::string_view record, std::uint64_t cells, std::int32_t outputs, Block& block) {
  Head head;
  if (record.size() < sizeof head) return false;
  std::memcpy(&head, record.data(), sizeof head);
  if (head.length != record.size() || length_of(head) != head.length) return false;
  record.remove_prefix(sizeof head);
  take(record, block.examples, head.examples);
  take(record, block.index, head.features);
  if (head.valued)
    take(record, block.value, head.features);
  else
    block.value.assign(head.features, 1);
  take(record, block.costs, head.costs);
  block.tags = record;
  std::uint64_t features = 0, costs = 0, tags = 0;
  for (const Example& example : block.examples) {
    features += example.features;
    costs += example.costs;
    tags += example.tag;
  }
  if (features != head.features || costs != head.costs || tags != head.tags) return false;
  for (const std::uint32_t index : block.index)
    if (std::uint64_t{index} + outputs > cells) return false;
  for (const Cost& cost : block.costs)
    if (cost.code < 0 || cost.code >= outputs) return false;
  for (const Example& example : block.examples)  // a class's code, where there are several
    if (outputs > 1 && example.label == example.label &&
        !(example.label >= 0 && example.label < outputs))
      return false;
  return true;
}

}  // namespace inducer::stream
