#include "inducer/stream/session.h"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "inducer/stream/cache.h"

namespace inducer::stream {

namespace {

constexpr std::size_t ring_size = 8;

}  // namespace

Session::Session(ParserOptions parser, LabelOptions labels, FeatureOptions features,
                 LearnerOptions learner, SessionOptions options, std::span<Cell> cells)
    : parser_(std::move(parser), std::move(labels), std::move(features)),
      learner_(learner, cells),
      options_(options),
      cells_(cells.size()),
      outputs_(learner.outputs),
      ring_(ring_size),
      thread_([this] { run(); }) {}

Session::~Session() {
  ring_.close();
  thread_.join();
}

void Session::run() {
  std::vector<Prediction> fresh;
  while (Block* block = ring_.front()) {
    try {
      fresh.clear();
      learner_.meet(*block, options_.predictions ? &fresh : nullptr);
      const std::lock_guard lock(mutex_);
      reports_.insert(reports_.end(), learner_.reports.begin(), learner_.reports.end());
      learner_.reports.clear();
      if (options_.predictions) {
        predictions_.insert(predictions_.end(), fresh.begin(), fresh.end());
        tags_ += block->tags;
      }
    } catch (...) {  // no memory: told at the next drain
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    block->clear();
    ring_.pop();
  }
}

void Session::flush() {
  if (block_ == nullptr || block_->examples.empty()) return;
  if (options_.caching) write_record(*block_, cache_);
  block_ = nullptr;
  ring_.push();
}

void Session::drain() {
  flush();
  ring_.drain();
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Session::refuse(const std::string& why) {
  const std::string what = "line " + std::to_string(position_.lines + 1) + ": " + why;
  if (!options_.skip_bad) {
    flush();
    throw BadLine(what);
  }
  if (position_.bad++ == 0) first_bad_ = what;
}

void Session::line(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (position_.bytes == 0 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  if (line.find_first_not_of(" \t") == std::string_view::npos) return;
  if (block_ == nullptr) block_ = &ring_.back();
  const bool header = parser_.header_due();
  try {
    parser_.parse(line, *block_);
  } catch (const BadLine& bad) {
    if (header) {  // nothing can be read without it
      flush();
      throw BadLine("line " + std::to_string(position_.lines + 1) + ": " + bad.what());
    }
    refuse(bad.what());
  }
  if (block_->full()) flush();
}

void Session::feed(std::string_view bytes) {
  const auto take = [this](std::string_view text) {  // a line with its end
    if (discarding_) {
      discarding_ = false;
    } else {
      line(text.substr(0, text.size() - 1));
    }
    position_.bytes += text.size() + std::exchange(discarded_, 0);
    ++position_.lines;
  };
  while (!bytes.empty()) {
    const void* found = std::memchr(bytes.data(), '\n', bytes.size());
    const std::size_t size =
        found ? static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data()) + 1
              : bytes.size();
    const std::string_view piece = bytes.substr(0, size);
    bytes.remove_prefix(size);
    if (found && carry_.empty()) {
      take(piece);
      continue;
    }
    if (carry_.size() + size > most_line && !discarding_) {
      refuse("it is longer than 64 MiB");
      discarding_ = true;
    }
    if (discarding_) {
      discarded_ += std::exchange(carry_, {}).size();
      if (found)
        take(piece);
      else
        discarded_ += size;
      continue;
    }
    carry_ += piece;
    if (found) {
      take(carry_);
      carry_.clear();
    }
  }
}

void Session::feed_cached(std::string_view bytes) {
  carry_ += bytes;
  std::string_view rest = carry_;
  for (;;) {
    const std::size_t length = record_length(rest);
    if (length > (std::size_t{1} << 30)) throw BadLine("the cache is damaged");
    if (length == 0 || length > rest.size()) break;
    if (block_ == nullptr) block_ = &ring_.back();
    if (!read_record(rest.substr(0, length), cells_, outputs_, *block_)) {
      block_->clear();
      throw BadLine("the cache is damaged");
    }
    flush();
    position_.bytes += length;
    rest.remove_prefix(length);
  }
  carry_.erase(0, carry_.size() - rest.size());
}

void Session::end_input() {
  if (!carry_.empty() || discarding_) {
    std::string last = std::exchange(carry_, {});
    feed(last += '\n');
  }
  drain();
}

void Session::begin_pass() {
  drain();
  carry_.clear();
  position_.bytes = 0;
  position_.lines = 0;
  learner_.tally.in_pass = 0;
  learner_.tally.held_weight = learner_.tally.held_loss = learner_.tally.held_mistakes = 0;
  parser_.begin_pass();
}

void Session::resume(const Position& position, bool header_read) {
  drain();
  position_ = position;
  if (header_read) parser_.skip_header();
}

std::vector<Report> Session::take_reports() {
  const std::lock_guard lock(mutex_);
  return std::exchange(reports_, {});
}

std::vector<Prediction> Session::take_predictions(std::string& tags) {
  const std::lock_guard lock(mutex_);
  tags = std::exchange(tags_, {});
  return std::exchange(predictions_, {});
}

}  // namespace inducer::stream
