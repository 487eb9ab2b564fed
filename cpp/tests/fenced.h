#pragma once
/// @file  An array with forbidden memory right before it or right after it.
///
/// A read or write outside stops the program, whatever instruction does it: the address sanitizer
/// does not see the masked loads of AVX.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

enum class Fence { before, after };

template <class T>
class Fenced {
 public:
  Fenced(std::size_t size, Fence side) : size_(size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t room = (size * sizeof(T) + page - 1) / page * page;
    bytes_ = room + 2 * page;
    base_ =
        static_cast<char*>(mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED || mprotect(base_ + page, room, PROT_READ | PROT_WRITE) != 0)
      throw std::bad_alloc();
    data_ =
        reinterpret_cast<T*>(base_ + page + (side == Fence::after ? room - size * sizeof(T) : 0));
  }
  Fenced(const std::vector<T>& values, Fence side) : Fenced(values.size(), side) {
    for (std::size_t i = 0; i < size_; ++i) data_[i] = values[i];
  }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;
  ~Fenced() { munmap(base_, bytes_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  std::size_t size_, bytes_;
  char* base_;
  T* data_;
};
