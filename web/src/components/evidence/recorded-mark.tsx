/** Marks what comes from a recording: nothing in it is about the present. */
export const RecordedMark = () => (
  <span
    title="From a recorded incident, not live data."
    className="rounded-sm border border-warn bg-warn-soft px-1.5 py-0.5 text-xs text-warn"
  >
    Recorded
  </span>
);
