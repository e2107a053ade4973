import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/free-port.ts';
import { stringify } from 'yaml';
import { startServerProcess } from './server-process.ts';

export interface TestPrometheus {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts Debian's Prometheus on a free port; it scrapes every second.
 * @param options.targets what to scrape: `host:port` by job, with labels for all its series
 * @param options.rules groups of alerting rules, as in a rule file; an alert that has fired goes on, although the target
 * is away when the process of the test stands still for a second
 */
export async function startPrometheus(options: {
  targets: { job: string; address: string; labels?: Record<string, string> }[];
  rules?: { name: string; rules: object[] }[];
}): Promise<TestPrometheus> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startServerProcess({
    command: 'prometheus',
    name: 'prometheus',
    install: 'apt-get install -y --no-install-recommends prometheus',
    readyUrl: `${url}/-/ready`,
    prepare: async (folder) => {
      const groups = (options.rules ?? []).map(({ name, rules }) => ({
        name,
        rules: rules.map((rule) => ({ ...rule, keep_firing_for: '1h' })),
      }));
      await writeFile(join(folder, 'rules.yml'), stringify({ groups }));
      const config = {
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [join(folder, 'rules.yml')],
        scrape_configs: options.targets.map(({ job, address, labels = {} }) => ({
          job_name: job,
          honor_labels: true,
          static_configs: [{ targets: [address], labels }],
        })),
      };
      await writeFile(join(folder, 'prometheus.yml'), stringify(config));
      return [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=warn',
      ];
    },
  });
  return { url, stop: () => server.stop() };
}
