export function InvestigationPage() {
  return <h1>InvestigationPage</h1>;
}
