export function FindingPage() {
  return <h1>FindingPage</h1>;
}
