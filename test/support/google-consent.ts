/** A person who connects Google Cloud in a browser. */
import assert from 'node:assert/strict';
import type { ApiOverRows } from './api-over-rows.ts';

type Requests = Pick<ApiOverRows, 'request'>;
/** What the browser brings back. */
export interface Back {
  code: string;
  state: string;
}

export const googlePath = (family: 'cloud-b' | 'cloud-b-official' = 'cloud-b'): string => `/api/onboarding/${family}`;

/** Begins, and gives consent. */
export async function consentAtGoogle(api: Requests, body: object, path = googlePath()): Promise<Back> {
  const begun = await api.request('POST', `${path}/connect`, body);
  assert.equal(begun.status, 200, JSON.stringify(begun.body));
  assert.equal(begun.body.status, 'authorize');
  const response = await fetch(begun.body.authorization_url, { redirect: 'manual' });
  const { searchParams } = new URL(response.headers.get('location') ?? 'http://none');
  return { code: searchParams.get('code') ?? '', state: searchParams.get('state') ?? '' };
}

/** @returns the answer to `callback` */
export const connectGoogle = async (
  api: Requests,
  body: object,
  path = googlePath(),
): ReturnType<ApiOverRows['request']> =>
  api.request('POST', `${path}/callback`, await consentAtGoogle(api, body, path));
