/** Why someone was sent to the sign-in page, by the code in its address. */
const REASONS: Readonly<Record<string, string>> = {
  link: 'This link has been used or has expired. Each link works once.',
  link_unused: 'Casebook did not answer. Open the link again; it is still valid.',
  not_a_member: 'You are not a member of any team here. Ask an admin to add you.',
  provider_unavailable: 'The identity provider is not responding. Try again, or sign in with an API key.',
  access_denied: 'The identity provider denied access, or you declined. Try again.',
  email_not_verified: 'The identity provider has not verified your email address. Verify it there, then try again.',
  sign_in_failed: 'Sign-in took too long, or the response did not match the request. Try again.',
};

/** @param code from the address, so it may be anything */
export const reasonOf = (code: string | undefined): string | undefined =>
  code === undefined ? undefined : Object.hasOwn(REASONS, code) ? REASONS[code] : 'Sign-in failed. Try again.';
