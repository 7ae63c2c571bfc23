package io.github.icebergext.benchmarks.vector;

import io.github.icebergext.dv.DeletionVectorCodec;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.openjdk.jmh.annotations.Benchmark;

/** Decodes up to and with the directory of containers, without their contents. */
public class DecodeDirectoryBenchmark extends VectorBenchmark {
  /** Of length, magic and checksum, before and after the vector itself. */
  private static final int VECTOR_OFFSET = 8;

  private static final int CRC_BYTES = 4;

  /** Stages of the decoder, which are no part of the API. */
  private static final MethodHandle CHECK_FRAME;

  private static final MethodHandle DIRECTORY;

  static {
    try {
      MethodHandles.Lookup lookup =
          MethodHandles.privateLookupIn(DeletionVectorCodec.class, MethodHandles.lookup());
      Class<?> parser = lookup.findClass("io.github.icebergext.dv.VectorParser");
      CHECK_FRAME =
          lookup.findStatic(
              DeletionVectorCodec.class,
              "checkFrame",
              MethodType.methodType(void.class, byte[].class));
      DIRECTORY =
          lookup
              .findStatic(
                  parser,
                  "directory",
                  MethodType.methodType(parser, byte[].class, int.class, int.class))
              .asType(MethodType.methodType(Object.class, byte[].class, int.class, int.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Stops where only the contents of containers are left to check. */
  @Benchmark
  public Object ours() throws Throwable {
    CHECK_FRAME.invokeExact(blob);
    return (Object) DIRECTORY.invokeExact(blob, VECTOR_OFFSET, blob.length - CRC_BYTES);
  }

  /** Decodes, which checks less than the directory. */
  @Benchmark
  public PositionDeleteIndex iceberg() {
    return PositionDeleteIndex.deserialize(blob, entry);
  }
}
