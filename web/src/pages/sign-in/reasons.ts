/** Why someone was sent to the sign-in page, by the code in its address. */
const REASONS: Readonly<Record<string, string>> = {
  link: 'This link has been used or has expired. Each link signs in one browser, once.',
  link_unused: 'Casebook did not answer. Open the link again; it is still valid.',
  not_a_member: 'The identity provider knows you, but you are not a member of any team here. Ask an admin to add you.',
  provider_unavailable: 'The identity provider is not responding. Try again, or sign in with an API key.',
  access_denied: 'The identity provider denied access, or you declined. Try again.',
  email_not_verified: 'The identity provider has not verified your e-mail address, so it cannot tell who you are here.',
  sign_in_failed: 'Signing in took too long, or the response did not match the request. Try again.',
};

/** @param code from the address, so it may be anything */
export const reasonOf = (code: string | undefined): string | undefined =>
  code === undefined ? undefined : Object.hasOwn(REASONS, code) ? REASONS[code] : 'Signing in failed. Try again.';
