/**
 * How many requests of one kind the Temporal frontend has received since it began, by its own metrics.
 * @param operation such as `QueryWorkflow`
 */
export async function temporalRequests(metricsUrl: string, operation: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  let sum = 0;
  for (const line of text.split('\n')) {
    if (!line.startsWith('service_requests{') || !line.includes('service_name="frontend"')) continue;
    if (line.includes(`operation="${operation}"`)) sum += Number(line.slice(line.lastIndexOf(' ') + 1));
  }
  return sum;
}

/**
 * What the Temporal server has asked its database to write since it began, by operation: each is a transaction.
 */
export async function temporalWrites(metricsUrl: string): Promise<Map<string, number>> {
  const text = await (await fetch(metricsUrl)).text();
  const writes = new Map<string, number>();
  for (const line of text.split('\n')) {
    const operation = /^persistence_requests\{.*operation="(\w+)"/.exec(line)?.[1];
    if (operation === undefined || !/^(Create|Update|Append|Complete|RangeComplete|Delete|Record)/.test(operation))
      continue;
    writes.set(operation, (writes.get(operation) ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1)));
  }
  return writes;
}
