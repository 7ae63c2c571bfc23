package io.github.icebergext.integration;

import static java.util.Objects.requireNonNull;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.aws.s3.S3FileIO;
import org.apache.iceberg.aws.s3.S3FileIOAwsClientFactory;
import org.apache.iceberg.aws.s3.S3FileIOProperties;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobApiMetadata;
import org.gaul.shaded.org.eclipse.jetty.server.Request;
import org.gaul.shaded.org.eclipse.jetty.server.Server;
import org.gaul.shaded.org.eclipse.jetty.server.handler.HandlerWrapper;
import org.jclouds.ContextBuilder;
import org.jclouds.blobstore.BlobStoreContext;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * An object store in this process that is spoken to by the S3 protocol, and keeps a record of every
 * request that reaches it. Thread-safe.
 */
final class S3Server {
  private static final String BUCKET = "bucket";

  /** Long enough for a request that is on its way, on any machine. */
  private static final int PATIENCE_SECONDS = 30;

  private final BlobStoreContext objects;
  private final S3Proxy proxy;
  private final List<Seen> requests = new ArrayList<>();
  private CountDownLatch gate = new CountDownLatch(0);

  /**
   * A request as the server saw it.
   *
   * @param location what it is for, as a location of Iceberg's
   * @param range value of the range header
   */
  record Seen(String method, String location, Optional<String> range) {
    static Seen get(String location, long offset, long length) {
      String range = "bytes=" + offset + "-" + (offset + length - 1);
      return new Seen("GET", location, Optional.of(range));
    }

    static Seen head(String location) {
      return new Seen("HEAD", location, Optional.empty());
    }
  }

  private S3Server(BlobStoreContext objects, S3Proxy proxy) {
    this.objects = objects;
    this.proxy = proxy;
  }

  /** Starts a server with an empty bucket. */
  static S3Server start() throws Exception {
    BlobStoreContext objects =
        ContextBuilder.newBuilder(new TransientNio2BlobApiMetadata())
            .credentials("any", "any")
            .build(BlobStoreContext.class);
    objects.getBlobStore().createContainerInLocation(null, BUCKET);
    S3Proxy proxy =
        S3Proxy.builder()
            .blobStore(objects.getBlobStore())
            .endpoint(URI.create("http://127.0.0.1:0"))
            .ignoreUnknownHeaders(true)
            .build();
    S3Server server = new S3Server(objects, proxy);
    server.record();
    proxy.start();
    return server;
  }

  /** Puts a record before the handler of the server, which has no door for it. */
  private void record() throws ReflectiveOperationException {
    Field field = S3Proxy.class.getDeclaredField("server");
    field.setAccessible(true);
    Server server = (Server) field.get(proxy);
    HandlerWrapper recorder = new Recorder();
    recorder.setHandler(server.getHandler());
    server.setHandler(recorder);
  }

  /** Returns where tables may be. */
  String warehouse() {
    return "s3://" + BUCKET + "/warehouse";
  }

  /** Returns what a catalog needs to use this server by {@link S3FileIO}. */
  Map<String, String> properties() {
    return Map.of(
        CatalogProperties.FILE_IO_IMPL,
        S3FileIO.class.getName(),
        S3FileIOProperties.CLIENT_FACTORY,
        Clients.class.getName(),
        S3FileIOProperties.ENDPOINT,
        "http://127.0.0.1:" + proxy.getPort(),
        S3FileIOProperties.MULTIPART_SIZE,
        Integer.toString(S3FileIOProperties.MULTIPART_SIZE_MIN));
  }

  /** Returns the requests since they were forgotten, in the order of their arrival. */
  synchronized List<Seen> requests() {
    return List.copyOf(requests);
  }

  /** Forgets the requests so far. */
  synchronized void forget() {
    requests.clear();
  }

  /**
   * Answers no GET from now on before so many have come: one who waits for the answer to the first
   * before it sends the second is left waiting, and told that the server failed.
   */
  synchronized void answerTogether(int gets) {
    gate = new CountDownLatch(gets);
  }

  private synchronized CountDownLatch seen(HttpServletRequest request) {
    String location = "s3:/" + request.getRequestURI();
    requests.add(
        new Seen(request.getMethod(), location, Optional.ofNullable(request.getHeader("Range"))));
    return request.getMethod().equals("GET") ? gate : new CountDownLatch(0);
  }

  /** Stops the server and forgets its objects. */
  void stop() throws Exception {
    proxy.stop();
    objects.close();
  }

  private final class Recorder extends HandlerWrapper {
    @Override
    public void handle(
        String target, Request base, HttpServletRequest request, HttpServletResponse response)
        throws IOException, ServletException {
      CountDownLatch together = seen(request);
      together.countDown();
      if (comesTrue(together)) {
        super.handle(target, base, request, response);
      } else {
        // Not to be tried again, as a status of the server's own fault would be.
        response.sendError(HttpServletResponse.SC_EXPECTATION_FAILED);
        base.setHandled(true);
      }
    }

    private static boolean comesTrue(CountDownLatch latch) {
      try {
        return latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }

  /** Makes clients by the one HTTP client that brings nothing with it. */
  public static final class Clients implements S3FileIOAwsClientFactory {
    private static final long serialVersionUID = 1L;

    private @Nullable String endpoint;

    @Override
    public void initialize(Map<String, String> properties) {
      this.endpoint = properties.get(S3FileIOProperties.ENDPOINT);
    }

    @Override
    public S3Client s3() {
      return S3Client.builder()
          .endpointOverride(URI.create(requireNonNull(endpoint)))
          .forcePathStyle(true)
          .region(Region.US_EAST_1)
          .credentialsProvider(AnonymousCredentialsProvider.create())
          .httpClientBuilder(UrlConnectionHttpClient.builder())
          .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
          .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
          .build();
    }

    /** Asked for since Iceberg 1.10, where a property says that reads are asynchronous. */
    @SuppressWarnings("MissingOverride")
    public @Nullable S3AsyncClient s3Async() {
      return null;
    }
  }
}
