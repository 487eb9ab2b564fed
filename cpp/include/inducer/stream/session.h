#pragma once
/// @file  A stream being learned from: the caller's thread reads, a second one learns.
///
/// The caller feeds bytes as they come. They are cut into lines and parsed here, and blocks of
/// examples go through a ring to the learner: memory does not grow with the input. What is learned
/// depends on the lines alone, not on how the bytes were cut, nor on timing.
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "inducer/stream/learner.h"
#include "inducer/stream/parser.h"
#include "inducer/stream/ring.h"

namespace inducer::stream {

struct SessionOptions {
  bool skip_bad = false;
  bool predictions = false;
  bool caching = false;  ///< blocks are also written down, for `feed_cached`
};

/// What a reader has read of this pass.
struct Position {
  std::uint64_t bytes = 0;  ///< whole lines (records of a cache) only
  std::int64_t lines = 0;
  std::int64_t bad = 0;  ///< lines left out, of all passes
};

class Session {
 public:
  static constexpr std::size_t most_line = std::size_t{1} << 26;

  Session(ParserOptions parser, LabelOptions labels, FeatureOptions features,
          LearnerOptions learner, SessionOptions options, std::span<Cell> cells);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Reads lines. Throws BadLine with the number of the line; what came before it is learned.
  void feed(std::string_view bytes);

  /// Reads the records that `take_cache` gave in an earlier pass.
  void feed_cached(std::string_view bytes);

  /// The input is over: reads a last line that has no end, and waits for the learner.
  void end_input();

  /// Waits until all that was read is learned. The tally and the table may be looked at then.
  void drain();

  /// Begins a pass from the start of the input.
  void begin_pass();

  /// Goes on where another session was.
  void resume(const Position& position, bool header_read);

  std::string take_cache() { return std::exchange(cache_, {}); }
  std::vector<Report> take_reports();
  /// The predictions since the last call, with their tags one after the other.
  std::vector<Prediction> take_predictions(std::string& tags);

  Learner& learner() { return learner_; }
  Parser& parser() { return parser_; }
  const Position& position() const { return position_; }
  const std::string& first_bad() const { return first_bad_; }

 private:
  void line(std::string_view line);
  void refuse(const std::string& why);
  void flush();
  void run();

  Parser parser_;
  Learner learner_;
  SessionOptions options_;
  std::uint64_t cells_;
  std::int32_t outputs_;
  Position position_;
  std::string carry_;  ///< the begin of a line whose end has not come
  bool discarding_ = false;
  std::uint64_t discarded_ = 0;
  std::string first_bad_, cache_;

  Ring<Block> ring_;
  Block* block_ = nullptr;  ///< being filled
  std::mutex mutex_;        ///< of what follows
  std::vector<Report> reports_;
  std::vector<Prediction> predictions_;
  std::string tags_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace inducer::stream
