import { z } from 'zod';

const made = z.object({ url: z.string() });

/**
 * A link that signs a browser in to a running Casebook as the admin, once, within an hour.
 * @param path where it leads to
 * @returns undefined when the API key was revoked, or the API does not answer: then a person signs in with a key
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
