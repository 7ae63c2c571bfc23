package io.github.icebergext.puffin;

/**
 * Limits on what is read from bytes that nobody vouches for, and on how storage is asked.
 *
 * <p>Immutable and thread-safe. {@link #defaults()} fits every Puffin file seen in the wild; a
 * limit that is exceeded causes a {@link PuffinFormatException} with {@link Reason#LIMIT} before
 * anything of that size is allocated.
 */
public final class PuffinLimits {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;
  private static final PuffinLimits DEFAULTS = new Builder().build();

  private final int maxFooterBytes;
  private final int maxBlobBytes;
  private final int maxDecompressedBytes;
  private final int maxDecompressionRatio;
  private final int maxJsonDepth;
  private final int maxJsonStringLength;
  private final int tailBytes;
  private final int mergeGapBytes;
  private final int mergeCapBytes;
  private final int maxBytesInFlight;

  private PuffinLimits(Builder builder) {
    this.maxFooterBytes = builder.maxFooterBytes;
    this.maxBlobBytes = builder.maxBlobBytes;
    this.maxDecompressedBytes = builder.maxDecompressedBytes;
    this.maxDecompressionRatio = builder.maxDecompressionRatio;
    this.maxJsonDepth = builder.maxJsonDepth;
    this.maxJsonStringLength = builder.maxJsonStringLength;
    this.tailBytes = builder.tailBytes;
    this.mergeGapBytes = builder.mergeGapBytes;
    this.mergeCapBytes = builder.mergeCapBytes;
    this.maxBytesInFlight = builder.maxBytesInFlight;
  }

  /** Returns the default limits. */
  public static PuffinLimits defaults() {
    return DEFAULTS;
  }

  /** Returns a builder that starts at the default limits. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder that starts at these limits. */
  public Builder toBuilder() {
    return new Builder()
        .maxFooterBytes(maxFooterBytes)
        .maxBlobBytes(maxBlobBytes)
        .maxDecompressedBytes(maxDecompressedBytes)
        .maxDecompressionRatio(maxDecompressionRatio)
        .maxJsonDepth(maxJsonDepth)
        .maxJsonStringLength(maxJsonStringLength)
        .tailBytes(tailBytes)
        .mergeGapBytes(mergeGapBytes)
        .mergeCapBytes(mergeCapBytes)
        .maxBytesInFlight(maxBytesInFlight);
  }

  /**
   * Returns the most bytes of a footer, stored or decompressed. Default 64 MiB: some 200,000
   * deletion vectors.
   */
  public int maxFooterBytes() {
    return maxFooterBytes;
  }

  /**
   * Returns the most stored bytes of one blob. Default 256 MiB: a vector of 2 billion random
   * positions.
   */
  public int maxBlobBytes() {
    return maxBlobBytes;
  }

  /** Returns the most bytes that one blob may decompress to. Default 256 MiB. */
  public int maxDecompressedBytes() {
    return maxDecompressedBytes;
  }

  /**
   * Returns how many times its stored size a blob or footer may decompress to, once that is more
   * than 1 MiB. Default 1,000: LZ4 cannot exceed 255, and sketches and footers stay below 20 under
   * zstd.
   */
  public int maxDecompressionRatio() {
    return maxDecompressionRatio;
  }

  /** Returns the deepest nesting of footer JSON. Default 64; the spec itself needs 4. */
  public int maxJsonDepth() {
    return maxJsonDepth;
  }

  /**
   * Returns the most characters of a string or key in footer JSON. Default 1 MiB; locations stay
   * below 2 KiB.
   */
  public int maxJsonStringLength() {
    return maxJsonStringLength;
  }

  /**
   * Returns the bytes read at the end of a file whose footer size is unknown. Default 64 KiB: of 93
   * footers of six writers the largest has 6,728 bytes. A footer of deletion vectors has at most
   * 190 bytes per blob and the location of its data file, so 200 blobs fit up to locations of 137
   * characters.
   */
  public int tailBytes() {
    return tailBytes;
  }

  /**
   * Returns the most unneeded bytes read to save a request. Default 256 KiB: at 20 ms to the first
   * byte and 100 MB/s a request costs as much as 2 MB, so this pays even where requests are eight
   * times cheaper.
   */
  public int mergeGapBytes() {
    return mergeGapBytes;
  }

  /**
   * Returns the most bytes that merged ranges ask for in one request; a single larger range is not
   * split. Default 8 MiB.
   */
  public int mergeCapBytes() {
    return mergeCapBytes;
  }

  /**
   * Returns the most bytes fetched and not yet handed to the caller, unless one range alone is
   * larger. Default 64 MiB.
   */
  public int maxBytesInFlight() {
    return maxBytesInFlight;
  }

  /**
   * Collects limits. Not thread-safe. Every setter refuses a value below its minimum with {@link
   * IllegalArgumentException}.
   */
  public static final class Builder {
    private int maxFooterBytes = 64 * MIB;
    private int maxBlobBytes = 256 * MIB;
    private int maxDecompressedBytes = 256 * MIB;
    private int maxDecompressionRatio = 1000;
    private int maxJsonDepth = 64;
    private int maxJsonStringLength = MIB;
    private int tailBytes = 64 * KIB;
    private int mergeGapBytes = 256 * KIB;
    private int mergeCapBytes = 8 * MIB;
    private int maxBytesInFlight = 64 * MIB;

    private Builder() {}

    /** Sets {@link PuffinLimits#maxFooterBytes()}, at least 28 (an empty footer). */
    public Builder maxFooterBytes(int bytes) {
      this.maxFooterBytes = atLeast(28, bytes, "maxFooterBytes");
      return this;
    }

    /** Sets {@link PuffinLimits#maxBlobBytes()}, at least 0. */
    public Builder maxBlobBytes(int bytes) {
      this.maxBlobBytes = atLeast(0, bytes, "maxBlobBytes");
      return this;
    }

    /** Sets {@link PuffinLimits#maxDecompressedBytes()}, at least 0. */
    public Builder maxDecompressedBytes(int bytes) {
      this.maxDecompressedBytes = atLeast(0, bytes, "maxDecompressedBytes");
      return this;
    }

    /** Sets {@link PuffinLimits#maxDecompressionRatio()}, at least 1. */
    public Builder maxDecompressionRatio(int ratio) {
      this.maxDecompressionRatio = atLeast(1, ratio, "maxDecompressionRatio");
      return this;
    }

    /** Sets {@link PuffinLimits#maxJsonDepth()}, at least 4. */
    public Builder maxJsonDepth(int depth) {
      this.maxJsonDepth = atLeast(4, depth, "maxJsonDepth");
      return this;
    }

    /** Sets {@link PuffinLimits#maxJsonStringLength()}, at least 64. */
    public Builder maxJsonStringLength(int characters) {
      this.maxJsonStringLength = atLeast(64, characters, "maxJsonStringLength");
      return this;
    }

    /** Sets {@link PuffinLimits#tailBytes()}, at least 16 (a footer without payload). */
    public Builder tailBytes(int bytes) {
      this.tailBytes = atLeast(16, bytes, "tailBytes");
      return this;
    }

    /** Sets {@link PuffinLimits#mergeGapBytes()}, at least 0 (merge only ranges that touch). */
    public Builder mergeGapBytes(int bytes) {
      this.mergeGapBytes = atLeast(0, bytes, "mergeGapBytes");
      return this;
    }

    /** Sets {@link PuffinLimits#mergeCapBytes()}, at least 0 (a request for each range). */
    public Builder mergeCapBytes(int bytes) {
      this.mergeCapBytes = atLeast(0, bytes, "mergeCapBytes");
      return this;
    }

    /** Sets {@link PuffinLimits#maxBytesInFlight()}, at least 0 (one range at a time). */
    public Builder maxBytesInFlight(int bytes) {
      this.maxBytesInFlight = atLeast(0, bytes, "maxBytesInFlight");
      return this;
    }

    /** Returns the limits. */
    public PuffinLimits build() {
      return new PuffinLimits(this);
    }

    private static int atLeast(int minimum, int value, String name) {
      if (value < minimum) {
        throw new IllegalArgumentException(
            "Invalid " + name + ": " + value + ", expected at least " + minimum);
      }
      return value;
    }
  }
}
