/**
 * Rules that several packages of this library share. Not API: it may change in any release, and no
 * public signature names it.
 */
@NullMarked
package io.github.icebergext.dv.internal;

import org.jspecify.annotations.NullMarked;
