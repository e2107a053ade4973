import { sign } from 'node:crypto';

/**
 * A JSON web token, signed with RS256 (RFC 7515).
 * @param options.key PEM of an RSA key
 * @param options.keyId names the key to whoever checks the signature
 */
export function signedJwt(claims: object, { key, keyId }: { key: string; keyId?: string | undefined }): string {
  const header = { alg: 'RS256', typ: 'JWT', kid: keyId };
  const content = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
}
