/** Why signing in failed, as codes for the sign-in page. */
export type SignInFailure =
  /** The provider is not responding. */
  | 'provider_unavailable'
  /** The person declined, or the provider did. */
  | 'access_denied'
  /** The response does not match the request, or came too late. */
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

  /** For the log: causes without their payload, which may hold tokens and personal data. */
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
