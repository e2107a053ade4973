import { createPublicKey, verify } from 'node:crypto';
import type { Row } from './description.ts';
import type { FakeApp } from './state.ts';

/** What is wrong with the JWT of a GitHub App, in GitHub's words. @param now unix ms */
export function jwtProblem(jwt: string, app: FakeApp, now: number): string | undefined {
  const [header = '', claims = '', signature = ''] = jwt.split('.');
  const read = (part: string): Row => JSON.parse(Buffer.from(part, 'base64url').toString()) as Row;
  try {
    const key = createPublicKey(app.publicKey);
    const content = Buffer.from(`${header}.${claims}`);
    if (read(header)['alg'] !== 'RS256' || !verify('sha256', content, key, Buffer.from(signature, 'base64url')))
      return 'A JSON web token could not be decoded';
  } catch {
    return 'A JSON web token could not be decoded';
  }
  const { iss, iat, exp } = read(claims) as { iss: unknown; iat: number; exp: number };
  const seconds = now / 1000;
  if (String(iss) !== app.id) return 'Integration not found';
  if (iat > seconds)
    return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
  if (exp < seconds)
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  return exp - seconds > 600 ? "'Expiration time' claim ('exp') is too far in the future" : undefined;
}
