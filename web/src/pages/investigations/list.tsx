export function InvestigationsPage() {
  return <h1>InvestigationsPage</h1>;
}
