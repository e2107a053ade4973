/** What there is in the subscription. */
import { z } from 'zod';
import { defineOperation, QueryError, type ConnectorOperation } from '../connector.ts';
import { quote, type AzureCloud } from './cloud.ts';

const API_VERSION = '2021-04-01';

export const resourceGroup = z.string().regex(/^[\p{L}\p{N}_().-]{0,89}[\p{L}\p{N}_()-]$/u, 'is not a resource group');
const text = z.string().min(1).max(500);

export function resourceOperations(cloud: AzureCloud): ConnectorOperation[] {
  return [
    defineOperation({
      name: 'resources',
      description:
        'Resources of the subscription, or of one resource group: id, name, type, location, tags. nextLink in the ' +
        'answer means that there are more than limit: narrow the search.',
      tool: true,
      parameters: z.strictObject({
        resource_group: resourceGroup.optional(),
        type: z
          .string()
          .max(200)
          .regex(/^[A-Za-z0-9]+(?:\.[A-Za-z0-9]+)+(?:\/[A-Za-z0-9]+)+$/u, 'must be a type such as Microsoft.Web/sites')
          .optional(),
        name_contains: text.optional(),
        tag: z.strictObject({ name: text, value: text }).optional().describe('without type and name_contains'),
        limit: z.number().int().min(1).max(1_000).default(100),
      }),
      run({ resource_group: group, type, name_contains: part, tag, limit }, context) {
        if (tag && (type !== undefined || part !== undefined))
          throw new QueryError('bad_request', 'Azure finds resources either by tag, or by type and name');
        const conditions = [
          type && `resourceType eq ${quote(type)}`,
          part && `substringof(${quote(part)}, name)`,
          tag && `tagName eq ${quote(tag.name)} and tagValue eq ${quote(tag.value)}`,
        ].filter((condition) => condition !== undefined);
        const path = group === undefined ? ['resources'] : ['resourceGroups', group, 'resources'];
        const $filter = conditions.length > 0 ? conditions.join(' and ') : undefined;
        return cloud.manage(path, { 'api-version': API_VERSION, $filter, $top: limit }, context);
      },
    }),
  ];
}
