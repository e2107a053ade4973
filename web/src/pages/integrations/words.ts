/** How people know an integration: its name, and what it points at. Pure. */
import type { Integration } from './queries.ts';
import { vendorOf } from './vendors.ts';

type Named = Pick<Integration, 'family' | 'name' | 'vendor' | 'source_id'>;

/** The team's own name for it or, where a team has one of its kind, the vendor's. */
export function titleOf(integration: Named): string {
  const form = vendorOf(integration);
  if (!form || form.canRepeat === true) return integration.name;
  return integration.family === 'cloud-b-official' ? `${form.title}, Google's tool server` : form.title;
}

/** `reader@db.example.com:5432/orders`, `account 4711, region eu`, `project shop-prod`. */
export function pointsAt({ settings, resources }: Pick<Integration, 'settings' | 'resources'>): string {
  const { host, port, url, database, username, account_id: account, region, project_id: project } = settings;
  const { subscription_id: subscription, client_email: email } = settings;
  const nameOf = (id: unknown): string => resources.find((one) => one.id === String(id))?.name ?? String(id);
  if (host !== undefined) {
    const user = username === undefined ? '' : `${username}@`;
    return `${user}${host}${port === undefined ? '' : `:${port}`}${database === undefined ? '' : `/${database}`}`;
  }
  return [
    url,
    url !== undefined && username !== undefined && `user ${username}`,
    url !== undefined && database !== undefined && `database ${database}`,
    account !== undefined && `account ${nameOf(account)}`,
    region !== undefined && `region ${region}`,
    project !== undefined && `project ${project}`,
    email,
    subscription !== undefined && `subscription ${nameOf(subscription)}`,
  ]
    .filter((part) => part !== undefined && part !== false)
    .join(', ');
}
