/** The public API of a running Casebook, as a viewer of the demo could call it. */

export interface CasebookAddress {
  /** Base URL, without a trailing slash. */
  apiUrl: string;
  apiKey: string;
}

/** What every request carries. */
export const headersOf = ({ apiKey }: CasebookAddress): Record<string, string> => ({
  'x-api-key': apiKey,
  'content-type': 'application/json',
});

/**
 * One request; the answer is JSON that the caller reads with a schema of its own.
 * @throws with the API's own words when it refuses
 */
export async function callApi(
  casebook: CasebookAddress,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  options: { body?: unknown; signal?: AbortSignal } = {},
): Promise<unknown> {
  const { body, signal } = options;
  const sent = { method, headers: headersOf(casebook), signal };
  const response = await fetch(
    casebook.apiUrl + path,
    body === undefined ? sent : { ...sent, body: JSON.stringify(body) },
  );
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  const answer: unknown = await response.json();
  return answer;
}
