package io.github.icebergext.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** Keeps the warnings and errors that this project logs, so that tests can count them. */
public final class WarningLog implements SLF4JServiceProvider {
  private static final String PROJECT = "io.github.icebergext.";
  private static final List<String> MESSAGES = new CopyOnWriteArrayList<>();

  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter mdc = new NOPMDCAdapter();

  /** Returns the messages logged since the last call. */
  public static List<String> drain() {
    List<String> messages = List.copyOf(MESSAGES);
    MESSAGES.clear();
    return messages;
  }

  @Override
  public ILoggerFactory getLoggerFactory() {
    return RecordingLogger::new;
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return mdc;
  }

  @Override
  public String getRequestedApiVersion() {
    return "2.0.99";
  }

  @Override
  public void initialize() {}

  private static final class RecordingLogger extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1L;

    RecordingLogger(String name) {
      this.name = name;
    }

    @Override
    protected String getFullyQualifiedCallerName() {
      return "";
    }

    @Override
    protected void handleNormalizedLoggingCall(
        Level level, Marker marker, String message, Object[] arguments, Throwable throwable) {
      MESSAGES.add(level + " " + MessageFormatter.basicArrayFormat(message, arguments));
    }

    @Override
    public boolean isTraceEnabled() {
      return false;
    }

    @Override
    public boolean isDebugEnabled() {
      return false;
    }

    @Override
    public boolean isInfoEnabled() {
      return false;
    }

    @Override
    public boolean isWarnEnabled() {
      return name.startsWith(PROJECT);
    }

    @Override
    public boolean isErrorEnabled() {
      return name.startsWith(PROJECT);
    }
  }
}
