// Requests to the region, and what it says when it refuses.

/** A refusal, with its status and the region's words. */
export class Refusal extends Error {
  constructor(status, body) {
    super(body.error ?? `The region does not answer (${status}).`);
    this.status = status;
    this.why = body.why;
    this.body = body;
  }
}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...options });
  } catch {
    throw new Refusal(0, { error: 'The region cannot be reached.' });
  }
  const body = await answer.json().catch(() => ({}));
  if (answer.ok) return body;
  if (answer.status === 401) document.dispatchEvent(new Event('signed-off'));
  throw new Refusal(answer.status, body);
}

/** Asks for something: `parameters` become the query. */
export function get(path, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  return ask(query ? `${path}?${query}` : path, {});
}

/** Has the region do something. */
export function post(path, body) {
  return ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}
