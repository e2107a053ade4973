/** What Git says about a host, as errors of the host. Pure. */
import { CodeHostError } from '@casebook/connectors';
import { GitError, GitStopped } from '../../../platform/git/index.ts';
import { OutboundError } from '../../../platform/outbound/index.ts';

const MAX_MESSAGE = 300;

/** By what Git or curl prints; the first match decides. */
const REASONS: readonly [RegExp, CodeHostError['reason']][] = [
  [/error: 401|Authentication failed|could not read (Username|Password)/u, 'unauthorized'],
  [/error: 403/u, 'forbidden'],
  [/error: (301|302|303|307|308)|redirect/u, 'not_found'],
  [/error: 404|repository '.*' not found/u, 'not_found'],
  [/error: 429/u, 'limited'],
  [/\[(remote )?rejected\]|failed to push some refs|stale info/u, 'conflict'],
];

/** What Git printed itself: a line with `remote:` is the host's, and may say anything. */
export const ownLines = ({ stderr }: GitError): string => stderr.replaceAll(/^remote:.*$/gmu, '');

/**
 * @param secrets what must not be in the message, whoever put it there
 * @returns the error as the host's; another error unchanged
 */
export function hostErrorOf(error: unknown, secrets: readonly string[] = []): unknown {
  if (error instanceof OutboundError)
    return new CodeHostError(error.failure === 'refused' ? 'invalid' : 'unavailable', error.message, { cause: error });
  if (error instanceof GitStopped) return new CodeHostError('unavailable', error.message);
  if (!(error instanceof GitError)) return error;
  const own = ownLines(error);
  const reason = REASONS.find(([pattern]) => pattern.test(own))?.[1] ?? 'unavailable';
  const line =
    /^ ! .*$/mu.exec(own)?.[0] ?? /^(?:fatal|error): (.*)$/mu.exec(own)?.[1] ?? 'Git did not say what is wrong';
  // Without a cause: it has what the host printed.
  return new CodeHostError(reason, `Git: ${scrubbed(line, secrets)}`);
}

/** One line, without control characters and secrets, in whatever form an HTTP library may print them. */
export function scrubbed(text: string, secrets: readonly string[]): string {
  const forms = secrets.filter(Boolean).flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const clean = forms.reduce((rest, form) => rest.replaceAll(form, '***'), text);
  return clean
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, MAX_MESSAGE);
}

/** The forms in which a credential travels. */
export const secretsOf = ({ username, password }: { username: string; password: string }): string[] => [
  password,
  Buffer.from(`${username}:${password}`).toString('base64'),
];
