/** Placeholder for the graph. */
export const Working = () => (
  <div role="status" aria-label="Loading" className="absolute inset-0 animate-pulse bg-sunken" />
);
