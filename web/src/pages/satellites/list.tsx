export function SatellitesPage() {
  return <h1>SatellitesPage</h1>;
}
