import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/free-port.ts';
import { stringify } from 'yaml';
import { startServerProcess } from './server-process.ts';

export interface TestAlertmanager {
  url: string;
  /** Sends something that changes it: a path of its API below `/api/v2`. */
  post(path: string, body: unknown): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts Debian's Alertmanager on a free port, on its own. It groups by `alertname`.
 * @param webhook whom it notifies, within a second and again every second; absent: nobody
 */
export async function startAlertmanager(webhook?: { url: string; credentials: string }): Promise<TestAlertmanager> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startServerProcess({
    command: 'prometheus-alertmanager',
    name: 'alertmanager',
    install: 'apt-get install -y --no-install-recommends prometheus-alertmanager',
    readyUrl: `${url}/-/ready`,
    prepare: async (folder) => {
      const soon = webhook ? { group_interval: '1s', repeat_interval: '1s' } : {};
      const receiver = webhook ? 'webhook' : 'nobody';
      const config = {
        route: { receiver, group_by: ['alertname'], group_wait: '1s', ...soon },
        receivers: [{ name: receiver, ...(webhook && { webhook_configs: [webhookConfig(webhook)] }) }],
      };
      await writeFile(join(folder, 'alertmanager.yml'), stringify(config));
      return [
        `--config.file=${join(folder, 'alertmanager.yml')}`,
        `--storage.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--cluster.listen-address=',
        '--log.level=warn',
      ];
    },
  });
  return {
    url,
    async post(path, body) {
      const response = await fetch(`${url}/api/v2/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`Alertmanager refused ${path}: ${response.status} ${await response.text()}`);
    },
    stop: () => server.stop(),
  };
}

const webhookConfig = ({ url, credentials }: { url: string; credentials: string }) => ({
  url,
  send_resolved: true,
  http_config: { authorization: { type: 'Bearer', credentials } },
});
