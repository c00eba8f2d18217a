-- wrk sends the order of its environment.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = os.getenv("ORDER")
