import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { headerSecret } from '../shared/header-values.ts';
import { httpApiConfig } from '../shared/http-api/config.ts';

export const GITHUB_URL = 'https://api.github.com';

const id = z
  .union([z.string().trim(), z.number().transform(String)])
  .pipe(z.string().regex(/^\d{1,15}$/u, 'must be a number'));

/** Environments and forms often write its lines as one. */
const privateKey = z
  .string()
  .transform((pem) => pem.replaceAll(String.raw`\n`, '\n').trim())
  .refine(isRsaKey, 'is not an RSA private key in PEM');

/** A token, or the installation of a GitHub App. */
export const gitHubConfig = z
  .strictObject({
    /** The API's base URL; with Enterprise Server `https://HOST/api/v3`. */
    url: httpApiConfig.shape.url.default(GITHUB_URL),
    /** A personal access token, classic or fine-grained. */
    token: headerSecret.optional(),
    app_id: id.optional(),
    private_key: privateKey.optional(),
    installation_id: id.optional(),
    tls: httpApiConfig.shape.tls,
  })
  .superRefine(({ token, app_id, private_key, installation_id }, context) => {
    const app = { app_id, private_key, installation_id };
    const problem = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    const given = Object.values(app).filter((value) => value !== undefined).length;
    if (token !== undefined && given > 0) problem('token', 'must not be given together with a GitHub App');
    if (token === undefined && given === 0) problem('token', 'is needed, or app_id, private_key and installation_id');
    if (given === 0) return;
    for (const [name, value] of Object.entries(app))
      if (value === undefined) problem(name, 'is needed for a GitHub App');
  });

export type GitHubConfig = z.output<typeof gitHubConfig>;

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
