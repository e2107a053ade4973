/** A certificate of this test run, trusted by this process for as long as it is needed. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
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

/** @param names DNS names that the certificate is for */
export async function trustedCertificate(names: string[]): Promise<TrustedCertificate> {
  const folder = await mkdtemp(join(tmpdir(), 'casebook-tls-'));
  const [keyPath, certPath] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const alternatives = names.map((name) => `DNS:${name}`).join(',');
  const subject = ['-subj', '/CN=casebook test', '-addext', `subjectAltName=${alternatives}`];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', keyPath, '-out', certPath]);
  const [key, cert] = [await readFile(keyPath, 'utf8'), await readFile(certPath, 'utf8')];
  await rm(folder, { recursive: true });
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, cert]);
  return { key, cert, distrust: () => setDefaultCACertificates(before) };
}
