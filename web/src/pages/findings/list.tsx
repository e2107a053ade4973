export function FindingsPage() {
  return <h1>FindingsPage</h1>;
}
