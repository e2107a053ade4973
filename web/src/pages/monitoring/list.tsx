export function MonitoringPage() {
  return <h1>MonitoringPage</h1>;
}
