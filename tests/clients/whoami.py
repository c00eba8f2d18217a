"""Shows the first row of a transaction's screen over TLS, through tnz; with a certificate of the client's own, if one is named.

    whoami.py HOST:PORT [CERTIFICATE KEY]
"""

import ssl
import sys

import tnz_driver


def main():
    """Clears the screen, types WHOI and prints what comes."""
    address, *shown = sys.argv[1:]
    host, port = address.rsplit(":", 1)
    if shown:
        # tnz shows no certificate by itself: it makes its connections by this context.
        plain = ssl.create_default_context

        def with_certificate(*arguments, **options):
            context = plain(*arguments, **options)
            context.load_cert_chain(*shown)
            return context

        ssl.create_default_context = with_certificate
    with tnz_driver.connect(host, int(port), secure=True) as terminal:
        terminal.wait_text("WELCOME")
        terminal.clear()
        terminal.type("WHOI")
        terminal.enter()
        terminal.wait_text("USER IS")
        print(terminal.screen()[0].rstrip())


main()
