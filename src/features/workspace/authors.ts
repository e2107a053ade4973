/** Whose name a commit bears. */
import type { EntityManager } from '../../db/orm.ts';
import type { Principal } from '../../http/authenticate.ts';
import { Credential, Membership, User } from '../identity/index.ts';
import type { CommitInput } from './port.ts';

/** The member, by the name that the team uses, or the key that a program called with. */
export async function authorOf(
  em: EntityManager,
  { userId, credentialId }: Pick<Principal, 'userId' | 'credentialId'>,
): Promise<CommitInput['author']> {
  if (userId !== undefined) {
    const [member, user] = await Promise.all([
      em.fork().findOne(Membership, { userId }),
      em.fork().findOne(User, { id: userId }),
    ]);
    if (user) return { name: member?.name ?? user.email, email: user.email };
  }
  const key = await em.findOne(Credential, { id: credentialId });
  return { name: key?.kind === 'key' ? key.name : 'Casebook', email: `key-${credentialId}@casebook.invalid` };
}
