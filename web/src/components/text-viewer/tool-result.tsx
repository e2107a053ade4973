export const ToolResult = (): null => null;
