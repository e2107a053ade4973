/** Why nobody was signed in, as the page for signing in is told. */
export type SignInFailure =
  /** The provider does not answer. */
  | 'provider_unavailable'
  /** The person declined, or the provider did. */
  | 'access_denied'
  /** What came back is not what was asked for, or too late. */
  | 'sign_in_failed'
  /** The provider has not checked the person's address. */
  | 'email_not_verified'
  /** No team has a member with this address. */
  | 'not_a_member';

export class SignInFailed extends Error {
  override name = 'SignInFailed';
  readonly code: SignInFailure;

  constructor(code: SignInFailure, cause?: unknown) {
    super(`Sign-in through the identity provider: ${code}`, { cause });
    this.code = code;
  }

  /** For the log: causes without what they carry, which may be tokens and people's data. */
  reason(): string {
    const reasons: string[] = [];
    for (let { cause } = this as Error; cause instanceof Error; { cause } = cause)
      reasons.push('error' in cause ? `${cause.message} (${wordOf(cause.error)})` : cause.message);
    return reasons.join(': ') || this.message;
  }
}

/** A provider's error code (RFC 6749, section 5.2), if it is one. */
const wordOf = (error: unknown): string =>
  typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : 'an unknown error';
