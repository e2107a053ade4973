/** Why someone was sent to the sign-in page, by the code in its address. */
const REASONS: Readonly<Record<string, string>> = {
  link: 'This link was used already or is too old. Each link signs in one browser, once.',
  link_unused: 'Casebook did not answer just now. Open the link once more: it is still good.',
  not_a_member: 'You are known to the identity provider, but you are no member of a team here. An admin can add you.',
  provider_unavailable: 'The identity provider does not answer. Try again, or sign in with an API key.',
  access_denied: 'The identity provider did not let you in, or you declined. Begin once more.',
  email_not_verified: 'The identity provider has not verified your e-mail address, so it cannot tell who you are here.',
  sign_in_failed: 'That took too long, or what came back was not what was asked for. Begin once more.',
};

/** @param code from the address, so it may be anything */
export const reasonOf = (code: string | undefined): string | undefined =>
  code === undefined
    ? undefined
    : Object.hasOwn(REASONS, code)
      ? REASONS[code]
      : 'Signing in did not work. Begin once more.';
