/** "Add a room" in CONTRIBUTING: a folder and a line. The room here is on a list of the test's own; nothing else knows it. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { endpointsOf } from '../../src/app.ts';
import {
  activitiesOf,
  composeRooms,
  productRooms,
  sweepsOf,
  type FittingRoom,
  type WorkerHouse,
} from '../../src/compose.ts';
import { parseEnvironment, withDefault } from '../../src/config.ts';
import { identityRoom } from '../../src/features/identity/index.ts';
import { apiKey } from '../../src/http/authenticate.ts';
import type { ApiDeps } from '../../src/http/deps.ts';
import { endpointFor } from '../../src/http/endpoint.ts';
import { openApiDocument } from '../../src/http/docs/openapi.ts';
import type { Room, RoomCore } from '../../src/room.ts';
import { configurations, configurationsOf, rooms, scopesOf } from '../../src/rooms.ts';
import { knownKeys, send, startApi } from '../http/support/api.ts';
import { roomFixtures, type Owner } from '../http/support/team-isolation.ts';
import { filesBelow, readSource, runtimeImports } from './import-graph.ts';

interface Greeter {
  greet(name: string): string;
}

const configuration = z
  .object({ CASEBOOK_TRIAL_GREETING: withDefault(z.enum(['Hello', 'Good day']), 'Hello') })
  .transform((e) => ({ greeting: e.CASEBOOK_TRIAL_GREETING }));

const trialRoom = {
  name: 'trial',
  scopes: { 'trial:read': { allows: 'See the trial' } },
  configuration,
  build: ({ config: { greeting }, appUrl }: RoomCore & { config: z.output<typeof configuration> }) => ({
    greeter: { greet: (name: string) => `${greeting}, ${name} at ${appUrl}` },
  }),
  endpoints: [
    endpointFor<ApiDeps & { greeter: Greeter }>()({
      method: 'get',
      path: '/api/trial',
      operationId: 'getTrial',
      summary: 'A trial',
      tags: ['Trial'],
      auth: apiKey('trial:read'),
      response: z.object({ text: z.string() }).meta({ id: 'TrialResponse' }),
      handler: async ({ deps }) => ({ text: deps.greeter.greet('endpoint') }),
    }),
  ],
  sweeps: [async ({ greeter }: { greeter: Greeter }) => greeter.greet('sweep')],
  activities: [({ greeter }: { greeter: Greeter }) => ({ trial: async () => greeter.greet('activity') })],
} satisfies Room;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it fits a house that has built it, not the product's
const list = [trialRoom] as unknown as FittingRoom[];

describe('architecture: rooms', () => {
  it('serve, sweep and act by their line in the list alone', async () => {
    const config = parseEnvironment(configurationsOf([trialRoom]), { CASEBOOK_TRIAL_GREETING: 'Good day' });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the trial needs no more of what a process opens
    const core = { config, appUrl: 'https://casebook.example' } as unknown as RoomCore;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- likewise
    const house = composeRooms(core, list) as unknown as WorkerHouse & { greeter: Greeter };
    const endpoints = endpointsOf([trialRoom]);
    assert.ok('/api/trial' in (openApiDocument(endpoints).paths ?? {}));
    const authenticator = knownKeys({ 'key-of-the-trial': { scopes: ['trial:read'] } });
    const api = await startApi(endpoints, { greeter: house.greeter, authenticator });
    try {
      const { json } = await send(`${api.url}/api/trial`, { headers: { 'x-api-key': 'key-of-the-trial' } });
      assert.deepEqual(json, { text: 'Good day, endpoint at https://casebook.example' });
    } finally {
      await api.stop();
    }
    const swept = await Promise.all(sweepsOf(house, list).map((sweep) => sweep(new AbortController().signal)));
    assert.deepEqual(swept, ['Good day, sweep at https://casebook.example']);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as it is declared above
    const { trial } = activitiesOf(house, list) as { trial: () => Promise<string> };
    assert.equal(await trial(), 'Good day, activity at https://casebook.example');
  });

  it('have a bad value of theirs named beside the house’s, one line per problem', () => {
    const env = { PORT: 'x', CASEBOOK_TRIAL_GREETING: 'Hey' };
    assert.throws(
      () => parseEnvironment(configurationsOf([trialRoom]), env),
      /^ConfigError: Invalid configuration:\n {2}PORT: [^\n]*\n {2}CASEBOOK_TRIAL_GREETING: [^\n]*$/,
    );
  });

  it('share no variable and no part of the configuration', () => {
    const variables = configurations.flatMap((part) => Object.keys(part.in.shape));
    assert.equal(new Set(variables).size, variables.length);
    const parts = configurations.flatMap((part) => Object.keys(part.safeParse({}).data ?? {}));
    assert.ok(parts.includes('port') && parts.includes('budget'));
    assert.equal(new Set(parts).size, parts.length);
  });

  it('bring what the isolation test needs of a room with team-scoped endpoints, or fail it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'casebook-rooms-'));
    try {
      await assert.rejects(roomFixtures([trialRoom], folder), /trial needs an isolation.ts/);
      await mkdir(join(folder, 'trial'));
      const file = join(folder, 'trial/isolation.ts');
      await writeFile(file, `export const isolation = () => ({ examples: { getTrial: {} }, secrets: ['trial'] });`);
      const [create] = await roomFixtures([trialRoom], folder);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this one creates nothing
      assert.deepEqual(create?.({} as Owner), { examples: { getTrial: {} }, secrets: ['trial'] });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('declare the scopes that keys can be given', () => {
    const createApiKey = identityRoom(scopesOf([trialRoom])).endpoints.find(
      (one) => one.operationId === 'createApiKey',
    );
    const request = { name: 'A key', scopes: ['trial:read'] };
    assert.equal(createApiKey?.body?.safeParse(request).success, true);
    assert.equal(createApiKey?.body?.safeParse({ ...request, scopes: ['trial:write'] }).success, false);
  });

  it('ask for no scope that none of them declares', () => {
    const declared = scopesOf(rooms);
    const asked = endpointsOf<never>(rooms).flatMap(({ auth }) => (auth === 'none' ? [] : auth.scopes));
    const sources = filesBelow('src/features').map(readSource);
    const required = sources.flatMap((text) =>
      [...text.matchAll(/\brequires: '([^']+)'/g)].map(([, scope = '']) => scope),
    );
    assert.ok(asked.length > 50 && required.length > 0);
    assert.deepEqual(
      [...asked, ...required].filter((scope) => !Object.hasOwn(declared, scope)),
      [],
    );
  });

  it('are named by src/rooms.ts only: what goes over the list imports none of them', async () => {
    const shared = /^src\/(app|compose|config|room)\.ts$|^src\/(db|http|platform)\//;
    const imports = await runtimeImports(['src']);
    const named = imports.filter(({ from, to }) => shared.test(from) && to.startsWith('src/features/'));
    assert.deepEqual(named, []);
    const lines = imports.filter(({ from, to }) => from === 'src/rooms.ts' && to.startsWith('src/features/'));
    assert.equal(lines.length, rooms.length);
    assert.equal(productRooms.length, rooms.length);
  });

  it('have the name of their folder, and each is there once', () => {
    const folders = new Set(filesBelow('src/features').map((file) => file.split('/')[2]));
    const names = rooms.map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => !folders.has(name)),
      [],
    );
    assert.equal(new Set(names).size, names.length);
  });
});
