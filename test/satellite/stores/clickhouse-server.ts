import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../src/embedded/free-port.ts';
import { startServerProcess } from '../../support/server-process.ts';

/** Users by what their profile allows; the password of all is `pa'ss`. */
const PROFILES = { everything: 0, nothing: 1, settings: 2 };

/** Starts Debian's ClickHouse (18.16) on free ports, with the users `everything`, `nothing` and `settings`. */
export async function startClickhouse(): Promise<{ url: string; stop(): Promise<void> }> {
  const [http, tcp] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${http}`;
  const entries = (each: (name: string, readonly: number) => string): string =>
    Object.entries(PROFILES)
      .map(([name, readonly]) => each(name, readonly))
      .join('');
  const server = await startServerProcess({
    command: 'clickhouse-server',
    name: 'clickhouse-server',
    install: 'apt-get install -y --no-install-recommends clickhouse-server',
    readyUrl: `${url}/ping`,
    prepare: async (folder) => {
      for (const name of ['data', 'tmp', 'formats']) await mkdir(join(folder, name));
      await writeFile(
        join(folder, 'users.xml'),
        `<yandex><quotas><default/></quotas>
         <profiles><default/>${entries((name, readonly) => `<${name}><readonly>${readonly}</readonly><log_queries>1</log_queries></${name}>`)}</profiles>
         <users>${entries((name) => `<${name}><password>pa'ss</password><networks><ip>127.0.0.1</ip></networks><profile>${name}</profile><quota>default</quota></${name}>`)}</users></yandex>`,
      );
      await writeFile(
        join(folder, 'config.xml'),
        `<yandex><logger><level>error</level><console>1</console></logger>
         <http_port>${http}</http_port><tcp_port>${tcp}</tcp_port><listen_host>127.0.0.1</listen_host>
         <path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path><format_schema_path>${folder}/formats/</format_schema_path>
         <users_config>${folder}/users.xml</users_config><default_profile>default</default_profile>
         <default_database>default</default_database><mark_cache_size>5368709</mark_cache_size>
         <query_log><database>system</database><table>query_log</table><flush_interval_milliseconds>100</flush_interval_milliseconds></query_log></yandex>`,
      );
      return [`--config-file=${join(folder, 'config.xml')}`];
    },
  });
  return { url, stop: () => server.stop() };
}
