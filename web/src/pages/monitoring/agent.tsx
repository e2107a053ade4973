export function MonitoringAgentPage() {
  return <h1>MonitoringAgentPage</h1>;
}
