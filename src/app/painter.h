// SPDX-License-Identifier: MIT
#pragma once

#include "render/picture_request.h"

namespace clothlab {

/// Pictures without a display, for `clothlab render`. Throws SystemError if drawing is impossible.
Painter make_painter(const PictureRequest& request);

}  // namespace clothlab
