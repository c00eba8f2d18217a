package syncpoint.jvm;

import com.ibm.cics.server.AbendException;
import com.ibm.cics.server.CicsConditionException;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;

/**
 * Gives each request of a web application a task of the region. The request's end is the task's: a syncpoint, or its abend if an
 * exception has left the servlet. What an asynchronous request does behind its first part is a task of its own.
 */
final class RequestFilter implements Filter {
    private static final int CAUSES_MAX = 16;

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (Link.isThere() || !(request instanceof HttpServletRequest asked) || !(response instanceof HttpServletResponse answer)) {
            chain.doFilter(request, response);
            return;
        }
        Seat seat;
        try {
            seat = Seat.take(described(asked));
        } catch (RejectedExecutionException rejected) {
            answer.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE, "the region has no task for this request");
            return;
        }
        Throwable failed = null;
        try {
            chain.doFilter(request, new HeldResponse(answer));
            commit(seat);
        } catch (Throwable thrown) {
            failed = cause(thrown);
            throw thrown;
        } finally {
            seat.leaves(failed);
        }
    }

    private static Seat.Request described(HttpServletRequest asked) {
        String rest = asked.getPathInfo();
        String path = asked.getContextPath() + asked.getServletPath() + (rest == null ? "" : rest);
        String query = asked.getQueryString();
        return new Seat.Request(asked.getScheme(), asked.getServerName(), path, query == null ? "" : query);
    }

    private static void commit(Seat seat) throws ServletException {
        try {
            seat.commits();
        } catch (RuntimeException abend) {
            throw abend;
        } catch (Exception condition) {
            throw new ServletException(condition);
        }
    }

    /** The condition or the abend in what has left a servlet, which may have wrapped it; else that itself. */
    private static Throwable cause(Throwable thrown) {
        Throwable at = thrown;
        for (int i = 0; at != null && i < CAUSES_MAX; i++) {
            if (at instanceof AbendException || at instanceof CicsConditionException) {
                return at;
            }
            at = at instanceof ServletException wrapped && wrapped.getRootCause() != null ? wrapped.getRootCause() : at.getCause();
        }
        return thrown;
    }
}
