export const ToolSeries = (): null => null;
