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
