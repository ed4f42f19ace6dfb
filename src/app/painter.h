// SPDX-License-Identifier: MIT
#pragma once

#include "render/picture_request.h"

namespace clothlab {

/// Pictures without a display, for `clothlab render`. Throws SystemError where there is no way to draw.
Painter make_painter(const PictureRequest& request);

}  // namespace clothlab
