#pragma once

namespace inducer {

/// As in pyproject.toml, where it is said once.
const char* version() noexcept;

}  // namespace inducer
