package syncpoint.jvm;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;

/** An answer that is not closed before its task has committed: its last part goes out behind the syncpoint. */
final class HeldResponse extends HttpServletResponseWrapper {
    private PrintWriter writer;
    private ServletOutputStream stream;

    HeldResponse(HttpServletResponse response) {
        super(response);
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        if (writer == null) {
            writer = new PrintWriter(super.getWriter()) {
                @Override
                public void close() {
                    // The container closes it.
                }
            };
        }
        return writer;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        if (stream == null) {
            stream = new Held(super.getOutputStream());
        }
        return stream;
    }

    @Override
    public void reset() {
        super.reset();
        writer = null;
        stream = null;
    }

    private static final class Held extends ServletOutputStream {
        private final ServletOutputStream out;

        Held(ServletOutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int one) throws IOException {
            out.write(one);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            out.write(bytes, from, length);
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void close() {
            // The container closes it.
        }

        @Override
        public boolean isReady() {
            return out.isReady();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            out.setWriteListener(listener);
        }
    }
}
