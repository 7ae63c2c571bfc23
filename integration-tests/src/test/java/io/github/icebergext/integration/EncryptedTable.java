package io.github.icebergext.integration;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.util.List;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.encryption.EncryptionUtil;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/**
 * Tables under Iceberg's own encryption, with a key service in memory. They are set up as Iceberg's
 * Hive catalog does it, and through reflection, since Iceberg can do so since 1.11 only.
 */
final class EncryptedTable {
  private static final String TABLE_KEY = "key-of-the-table";
  private static final Key MASTER_KEY = new SecretKeySpec(new byte[16], "AES");

  private EncryptedTable() {}

  /** Skips the calling test where Iceberg has no encryption of whole tables. */
  static void requireSupport() {
    require(11, "an Iceberg that encrypts whole tables");
  }

  /** Skips the calling test where Iceberg's writer of vectors leaves the key out of the entries. */
  static void requireKeysInIcebergsEntries() {
    // apache/iceberg#15911
    require(12, "an Iceberg that puts the key of a vector's file into its entry");
  }

  private static void require(int minor, String what) {
    String version = System.getProperty("iceberg.version");
    boolean supported = minor(version) >= minor;
    String reason = "Skipped: it takes " + what + ", since 1." + minor + ", and this is " + version;
    if (!supported) {
      // On the console too, where the reason of a skipped test is not shown.
      System.out.println(reason);
    }
    assumeTrue(supported, reason);
  }

  private static int minor(String version) {
    return Integer.parseInt(version.split("\\.", -1)[1]);
  }

  /** Creates an empty table with its files, apart from its metadata, in {@code files}. */
  @SuppressWarnings("resource") // Closing the catalog would forget its table.
  static Table create(Schema schema, FileIO files, String location) {
    InMemoryCatalog catalog = new InMemoryCatalog();
    catalog.initialize("encrypted", Map.of());
    catalog.createNamespace(Namespace.of("db"));
    Table table =
        catalog
            .buildTable(TableIdentifier.of("db", "table"), schema)
            .withPartitionSpec(PartitionSpec.unpartitioned())
            .withLocation(location)
            .withProperty(TableProperties.FORMAT_VERSION, "3")
            .withProperty(TableProperties.ENCRYPTION_TABLE_KEY, TABLE_KEY)
            .create();
    return open(((HasTableOperations) table).operations(), files);
  }

  /** Opens a table again, by nothing but its metadata and the key service. */
  static Table reopen(Table table) {
    Operations operations = (Operations) ((HasTableOperations) table).operations();
    return open(operations.plain, operations.files);
  }

  private static Table open(TableOperations plain, FileIO files) {
    return new BaseTable(new Operations(plain, files), "encrypted");
  }

  private static EncryptionManager manager(TableMetadata metadata) {
    Class<?> keyService = type("org.apache.iceberg.encryption.KeyManagementClient");
    Method create =
        method(EncryptionUtil.class, "createEncryptionManager", List.class, Map.class, keyService);
    Object keys = call(method(TableMetadata.class, "encryptionKeys"), metadata);
    return (EncryptionManager)
        call(create, null, keys, metadata.properties(), keyService(keyService));
  }

  /** Adds the keys that the manager made up to those of the metadata. */
  private static TableMetadata withKeys(TableMetadata metadata, EncryptionManager manager) {
    Method add =
        method(
            TableMetadata.Builder.class,
            "addEncryptionKey",
            type("org.apache.iceberg.encryption.EncryptedKey"));
    Object keys =
        call(
            method(EncryptionUtil.class, "encryptionKeys", EncryptionManager.class), null, manager);
    TableMetadata.Builder builder = TableMetadata.buildFrom(metadata);
    ((Map<?, ?>) keys).values().forEach(key -> call(add, builder, key));
    return builder.build();
  }

  private static Object keyService(Class<?> type) {
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "wrapKey" -> wrapKey((ByteBuffer) arguments[0], (String) arguments[1]);
              case "unwrapKey" -> unwrapKey((ByteBuffer) arguments[0], (String) arguments[1]);
              case "supportsKeyGeneration" -> false;
              default -> throw new UnsupportedOperationException(method.getName());
            });
  }

  private static ByteBuffer wrapKey(ByteBuffer key, String wrappingKeyId)
      throws GeneralSecurityException {
    Cipher cipher = cipher(Cipher.WRAP_MODE, wrappingKeyId);
    return ByteBuffer.wrap(cipher.wrap(new SecretKeySpec(bytes(key), "AES")));
  }

  private static ByteBuffer unwrapKey(ByteBuffer wrapped, String wrappingKeyId)
      throws GeneralSecurityException {
    Cipher cipher = cipher(Cipher.UNWRAP_MODE, wrappingKeyId);
    return ByteBuffer.wrap(cipher.unwrap(bytes(wrapped), "AES", Cipher.SECRET_KEY).getEncoded());
  }

  private static Cipher cipher(int mode, String wrappingKeyId) throws GeneralSecurityException {
    if (!wrappingKeyId.equals(TABLE_KEY)) {
      throw new GeneralSecurityException("No such key: " + wrappingKeyId);
    }
    Cipher cipher = Cipher.getInstance("AESWrap");
    cipher.init(mode, MASTER_KEY);
    return cipher;
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private static Class<?> type(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new LinkageError(name, e);
    }
  }

  private static Method method(Class<?> owner, String name, Class<?>... parameters) {
    try {
      return owner.getMethod(name, parameters);
    } catch (NoSuchMethodException e) {
      throw new LinkageError(owner + "." + name, e);
    }
  }

  private static Object call(Method method, Object target, Object... arguments) {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(e.getCause());
    } catch (IllegalAccessException e) {
      throw new LinkageError(method.toString(), e);
    }
  }

  /** Operations of a catalog that knows of encryption, on those of one that does not. */
  private static final class Operations implements TableOperations {
    private final TableOperations plain;
    private final FileIO files;
    private final EncryptionManager encryption;

    Operations(TableOperations plain, FileIO files) {
      this.plain = plain;
      this.files = files;
      this.encryption = manager(plain.current());
    }

    @Override
    public TableMetadata current() {
      return plain.current();
    }

    @Override
    public TableMetadata refresh() {
      return plain.refresh();
    }

    @Override
    public void commit(TableMetadata base, TableMetadata metadata) {
      plain.commit(base, withKeys(metadata, encryption));
    }

    @Override
    public FileIO io() {
      return EncryptingFileIO.combine(files, encryption);
    }

    @Override
    public EncryptionManager encryption() {
      return encryption;
    }

    @Override
    public String metadataFileLocation(String fileName) {
      return plain.metadataFileLocation(fileName);
    }

    @Override
    public LocationProvider locationProvider() {
      return plain.locationProvider();
    }

    @Override
    public long newSnapshotId() {
      return plain.newSnapshotId();
    }
  }
}
