/** Signs people in who have an account at the organisation's identity provider (OpenID Connect). */
export interface IdentityProvider {
  /** What people call it. */
  name: string;
}
