package io.github.icebergext.dv;

import static io.github.icebergext.testing.TestEntries.PUFFIN;
import static io.github.icebergext.testing.TestEntries.vector;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DeletionVectorIdentityTest {
  // apache/iceberg#17334, apache/iceberg-python#3478, StarRocks#76228, apache/fluss#2155
  @Test
  void vectorsOfOnePuffinStayApartInASet() {
    Set<DeletionVectorIdentity> identities =
        Stream.of(vector(PUFFIN, 4, 44, 2), vector(PUFFIN, 48, 44, 2), vector(PUFFIN, 48, 46, 3))
            .map(DeletionVectorIdentity::of)
            .collect(Collectors.toSet());

    assertThat(identities).hasSize(3);
  }

  @Test
  void twoEntriesOfOneVectorAreEqual() {
    assertThat(DeletionVectorIdentity.of(vector()))
        .isEqualTo(DeletionVectorIdentity.of(vector().copy()))
        .isEqualTo(new DeletionVectorIdentity(PUFFIN, 4, 44));
  }
}
