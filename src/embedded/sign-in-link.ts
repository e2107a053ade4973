import { z } from 'zod';

const made = z.object({ url: z.string() });

/**
 * A single-use link, valid for an hour, that signs a browser in to a running Casebook as the admin.
 * @param path where it leads
 * @returns undefined if the API key was revoked or the API does not answer; people then sign in with a key
 */
export async function signInLink(
  { apiUrl, apiKey }: { apiUrl: string; apiKey: string },
  path = '/',
): Promise<string | undefined> {
  try {
    const response = await fetch(`${apiUrl}/api/sign-in-links`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ path }),
      signal: AbortSignal.timeout(10_000),
    });
    return response.ok ? made.parse(await response.json()).url : undefined;
  } catch {
    return undefined;
  }
}
