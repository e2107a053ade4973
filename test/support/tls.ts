/** Certificates of this test run: one that this process trusts for a while, and an authority that nobody trusts unasked. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';

export interface TrustedCertificate {
  key: string;
  cert: string;
  /** Trusts what was trusted before. */
  distrust(): void;
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const openssl = (args: string[]) => promisify(execFile)('openssl', args);

/** @param names DNS names that the certificate is for */
export async function trustedCertificate(names: string[]): Promise<TrustedCertificate> {
  const alternatives = names.map((name) => `DNS:${name}`).join(',');
  const subject = ['-subj', '/CN=casebook test', '-addext', `subjectAltName=${alternatives}`];
  const { key, cert } = await inFolder({}, [['req', '-x509', ...CURVE, ...subject, ...KEY_AND_CERT]]);
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, cert]);
  return { key, cert, distrust: () => setDefaultCACertificates(before) };
}

export interface Authority {
  /** PEM of its own certificate. */
  cert: string;
  /**
   * @param name as in `DNS:localhost` or `IP:127.0.0.1`
   * @param days of validity; it has expired if negative
   */
  issue(name: string, days?: number): Promise<{ key: string; cert: string }>;
}

export async function createAuthority(): Promise<Authority> {
  const own = await inFolder({}, [['req', '-x509', ...CURVE, '-subj', '/CN=casebook test authority', ...KEY_AND_CERT]]);
  return {
    cert: own.cert,
    issue: (name, days = 1) =>
      inFolder({ 'ca.pem': own.cert, 'ca-key.pem': own.key, 'names.pem': `subjectAltName=${name}\n` }, [
        ['req', ...CURVE, '-subj', '/CN=casebook test', '-keyout', 'key.pem', '-out', 'request.pem'],
        `x509 -req -in request.pem -CA ca.pem -CAkey ca-key.pem -set_serial 1 -days ${days} -extfile names.pem -out cert.pem`.split(
          ' ',
        ),
      ]),
  };
}

const KEY_AND_CERT = ['-keyout', 'key.pem', '-out', 'cert.pem'];

/** Runs commands that make a key and a certificate; files are named in them as `NAME.pem`. */
async function inFolder(
  files: Readonly<Record<string, string>>,
  commands: readonly string[][],
): Promise<{ key: string; cert: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'casebook-tls-'));
  const path = (word: string): string => (word.endsWith('.pem') ? join(folder, word) : word);
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(path(name), text);
    for (const command of commands) await openssl(command.map(path));
    return { key: await readFile(path('key.pem'), 'utf8'), cert: await readFile(path('cert.pem'), 'utf8') };
  } finally {
    await rm(folder, { recursive: true });
  }
}
