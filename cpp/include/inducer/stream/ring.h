#pragma once
/// @file  A bounded ring between one thread that fills slots and one that empties them. The memory
/// of a slot is used again and again, and a fast reader waits for a slow learner.
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace inducer::stream {

template <class Slot>
class Ring {
 public:
  explicit Ring(std::size_t size) : slots_(size) {}

  /// The slot to fill next: the writer's until `push`. Waits for one to be free.
  Slot& back() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return pushed_ - popped_ < slots_.size(); });
    return slots_[pushed_ % slots_.size()];
  }

  void push() {
    {
      const std::lock_guard lock(mutex_);
      ++pushed_;
    }
    changed_.notify_all();
  }

  /// The oldest full slot: the reader's until `pop`. Waits for one; null once closed and empty.
  Slot* front() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return pushed_ > popped_ || closed_; });
    return pushed_ > popped_ ? &slots_[popped_ % slots_.size()] : nullptr;
  }

  void pop() {
    {
      const std::lock_guard lock(mutex_);
      ++popped_;
    }
    changed_.notify_all();
  }

  /// Waits until all that was pushed is popped; what the other thread wrote is then visible.
  void drain() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return pushed_ == popped_; });
  }

  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

 private:
  std::vector<Slot> slots_;
  std::size_t pushed_ = 0, popped_ = 0;
  bool closed_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace inducer::stream
