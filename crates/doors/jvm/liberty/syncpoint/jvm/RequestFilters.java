package syncpoint.jvm;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import java.util.EnumSet;
import java.util.Set;

/** Puts the filter that gives requests their tasks in front of everything that a web application has. */
final class RequestFilters implements ServletContainerInitializer {
    private static final String NAME = "syncpoint.jvm.requests";

    @Override
    public void onStartup(Set<Class<?>> classes, ServletContext context) {
        FilterRegistration.Dynamic filter = context.addFilter(NAME, new RequestFilter());
        if (filter != null) {
            filter.setAsyncSupported(true);
            filter.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC), false, "/*");
        }
    }
}
