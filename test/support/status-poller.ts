/** A program that polls an investigation's status, as the interface tells it to, and notes every answer. */
export interface StatusPoller {
  /** Every status that was answered, repetitions left out. */
  statuses: string[];
  /** Answers other than 200 and 503, and bodies that contradict their status. */
  faults: string[];
  answers(): number;
  stop(): Promise<void>;
}

interface Polled {
  status?: unknown;
  alert_summary?: unknown;
  investigation_text?: unknown;
}

const PAUSE_MS = 50;

/** Polls until stopped. A refused or broken connection is no answer. */
export function pollStatus(options: { url: string; headers: Record<string, string> }): StatusPoller {
  const statuses: string[] = [];
  const faults: string[] = [];
  let answers = 0;
  const stopping = new AbortController();

  const poll = async (): Promise<void> => {
    const response = await fetch(options.url, { headers: options.headers });
    const text = await response.text();
    answers += 1;
    if (response.status === 503) return;
    if (response.status !== 200) return void faults.push(`${response.status}: ${text}`);
    const body: Polled = JSON.parse(text);
    const status = String(body.status);
    if (statuses.at(-1) !== status) statuses.push(status);
    const empty = body.alert_summary === null && body.investigation_text === null;
    if ((status === 'processing') !== empty) faults.push(`200: ${text.slice(0, 300)}`);
  };
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await poll().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();
  return {
    statuses,
    faults,
    answers: () => answers,
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
