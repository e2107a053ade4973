/**
 * The default redaction rules. Every rule takes time linear in its text: a match either begins where no earlier match
 * of the same rule could have begun, or is bounded in length.
 */

/** One kind of secret. */
export interface RedactionRule {
  name: string;
  /** @returns the text without secrets of this kind */
  apply(text: string): string;
}

export const REDACTED = '[redacted]';

function rule(name: string, pattern: RegExp, replacement = REDACTED): RedactionRule {
  return { name, apply: (text) => text.replace(pattern, replacement) };
}

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** Scans with two cursors that only move forward. A block without an end is redacted to the end of the text. */
function redactPrivateKeys(text: string): string {
  if (!text.includes('PRIVATE KEY')) return text;
  let out = '';
  let at = 0;
  for (;;) {
    KEY_BEGIN.lastIndex = at;
    const begin = KEY_BEGIN.exec(text);
    if (!begin) return out + text.slice(at);
    out += text.slice(at, begin.index) + REDACTED;
    KEY_END.lastIndex = begin.index;
    if (!KEY_END.exec(text)) return out;
    at = KEY_END.lastIndex;
  }
}

const CARD = /(?<![\w.+-])[2-6](?:[ -]?\d){12,18}(?![\w]|[.-]\d)/g;
/**
 * Visa, Mastercard, American Express, Discover, JCB and Diners: other prefixes are some other number, such as a time in
 * ns.
 */
const ISSUER =
  /^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12,15}|35\d{14}|3(?:0[0-5]|[68]\d)\d{11})$/;

/** Whether the digits end in the check digit of ISO/IEC 7812-1 (Luhn). */
function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function redactCards(text: string): string {
  return text.replace(CARD, (found) => {
    const digits = found.replace(/[ -]/g, '');
    return ISSUER.test(digits) && hasLuhnDigit(digits) ? REDACTED : found;
  });
}

const SECRET_WORDS =
  'pass(?:word|wd|phrase)|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|(?:api|access|private|signing|encryption)[_-]?key|(?:access|auth|refresh|session|bearer|id|api)[_-]?token|authorization';
const PAIR = new RegExp(
  `(${SECRET_WORDS})(\\\\{0,3}["']?\\s{0,3}(?:=>|[=:])\\s{0,3})(?!(?:null|true|false)(?:[\\s,;&}\\])]|$))("(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\\\\{1,3}["'][^"'\\\\]*|(?:(?:basic|bearer|token) {1,4})?(?:\\[redacted\\]|[^\\s,;&"'\\\\}\\])<>]+))`,
  'gis',
);
const LEADING_QUOTE = /^\\{0,3}["']/;

/** Keeps the quotes, so that JSON within text stays JSON. */
function redactPairs(text: string): string {
  return text.replace(PAIR, (_found, word: string, separator: string, value: string) => {
    const opening = LEADING_QUOTE.exec(value)?.[0] ?? '';
    const closing = opening.length === 1 ? opening : '';
    return `${word}${separator}${opening}${REDACTED}${closing}`;
  });
}

/** The default rules, in order. */
export const DEFAULT_RULES: readonly RedactionRule[] = [
  { name: 'private-key', apply: redactPrivateKeys },
  rule('jwt', /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/g),
  rule('aws-key', /(?<!\w)(?:AKIA|ASIA)[A-Z0-9]{16}(?!\w)/g),
  rule(
    'vendor-token',
    /(?<![\w-])(?:gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|xox[abeoprs]-[\w-]{10,}|sk-[\w-]{20,}|[sr]k_(?:live|test)_\w{16,}|AIza[\w-]{35}|npm_\w{36}|hvs\.[\w-]{20,}|cbs?_[\w-]{32,})/g,
  ),
  rule(
    'url-password',
    /((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,200}:)[^\s/]{1,200}@/gi,
    `$1${REDACTED}@`,
  ),
  rule('authorization', /(?<!\w)(bearer|basic)( {1,4})(?=\S{0,200}?\d|\S{20})[\w.~+/-]{8,}={0,2}/gi, `$1$2${REDACTED}`),
  // HTTP header lines, and JSON members of that name.
  rule(
    'cookie',
    /((?<![a-z0-9])(?:set-)?cookie\\{0,3}["']?:\s{0,3}\\{0,3}["']?)[^\s=;,"'\\]{1,100}=[^\r\n"'\\]{1,8000}/gi,
    `$1${REDACTED}`,
  ),
  // A bare `token` is redacted only if its value looks like one; pagination tokens must pass.
  rule(
    'token-pair',
    /((?<![a-z0-9]|(?:next|page|continuation)[_-])token\\{0,3}["']?\s{0,3}[=:]\s{0,3}\\{0,3}["']?)(?=[\w.~+/=-]{0,200}?\d)[\w.~+/=-]{8,}/gi,
    `$1${REDACTED}`,
  ),
  { name: 'secret-pair', apply: redactPairs },
  { name: 'card', apply: redactCards },
];

/** Off by default: people's addresses are often the subject of a problem. */
export const EMAIL_RULE = rule('email', /(?<![\w.+-])[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/gi);

const SECRET_NAMES = [
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'secret',
  'secretkey',
  'secretaccesskey',
  'apikey',
  'accesskey',
  'privatekey',
  'signingkey',
  'encryptionkey',
  'accesstoken',
  'authtoken',
  'refreshtoken',
  'sessiontoken',
  'bearertoken',
  'idtoken',
  'apitoken',
  'authorization',
];
/** Too common a suffix: pagination tokens must pass. */
const WHOLE_SECRET_NAMES = new Set(['token', 'cookie', 'setcookie', 'xauthtoken', 'xvaulttoken', 'privatetoken']);

/** Whether a name marks a secret: `password`, `DB_PASSWORD`, `clientSecret`, `x-api-key`. */
export function isSecretName(name: string): boolean {
  if (name.length > 200) return false;
  const letters = name.toLowerCase().replace(/[^a-z]/g, '');
  return WHOLE_SECRET_NAMES.has(letters) || SECRET_NAMES.some((secret) => letters.endsWith(secret));
}
