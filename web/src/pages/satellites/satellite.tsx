export function SatellitePage() {
  return <h1>SatellitePage</h1>;
}
