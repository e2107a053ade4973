export const TimeSeriesChart = (): null => null;
