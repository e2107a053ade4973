/** Names of findings and their sources. */
import { createHash } from 'node:crypto';
import { storableText } from '../../../platform/storable.ts';

/** Longer keys end in their hash, because they are part of an index. */
const MAX_KEY_CHARACTERS = 500;

/**
 * The key of the finding that an observation belongs to. @param template from the plan; `{check}` and `{subject}` are
 * filled in
 */
export function dedupKey(template: string, check: string, subject: string): string {
  return bounded(template.replaceAll(/\{(check|subject)\}/g, (_, name) => (name === 'check' ? check : subject)));
}

/** A check's subject as a source of a finding; check ids contain no slash. */
export const sourceKey = (checkId: string, subject: string): string => bounded(`${checkId}/${subject}`);

/** The key prefix of all sources of a check. */
export const sourcePrefix = (checkId: string): string => `${checkId}/`;

/** @param fingerprint identifies the alert for ever */
export const alertKey = (fingerprint: string): string => bounded(`alert/${fingerprint}`);

/** The agent's own health. */
export const HEALTH_KEY = 'agent/health';

function bounded(key: string): string {
  const text = storableText(key);
  if (text.length <= MAX_KEY_CHARACTERS) return text;
  const hash = createHash('sha256').update(text).digest('hex');
  return `${text.slice(0, MAX_KEY_CHARACTERS - hash.length - 1).toWellFormed()}#${hash}`;
}
