#pragma once
/// @file  Blocks as bytes, for passes over what cannot be read twice: four bytes a feature when
/// all values are one, eight otherwise. A record begins with its length.
#include <string>
#include <string_view>

#include "inducer/stream/block.h"

namespace inducer::stream {

void write_record(const Block& block, std::string& out);

/// How long the record at the front is; 0 when more bytes are needed to tell.
std::size_t record_length(std::string_view bytes);

/// Fills the block from one whole record; false when the bytes make no sense.
/// @param cells  no index may reach this
/// @param outputs  no code may reach this
bool read_record(std::string_view record, std::uint64_t cells, std::int32_t outputs, Block& block);

}  // namespace inducer::stream
