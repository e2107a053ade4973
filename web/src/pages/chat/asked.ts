/** A person's message, and the request that sends it. */

export interface Asked {
  text: string;
  /** Repeated with the same text, it is the same turn. */
  key: string;
  /** Asks for a chart of this tool result or, with null, of what the chat knows. */
  chartOf?: string | null;
  maySideEffect?: boolean;
  /** For a new chat: its subject. */
  investigationId?: string;
  /** Addressed to a monitoring agent, whose plan it may change. */
  isMonitoring?: boolean;
}

/** The request that sends it. @param chatId undefined for a new chat */
export function requestFor(asked: Asked, chatId: string | undefined): { api: string; body: object } {
  const stream = '?stream=true&include=tools';
  const chat = chatId === undefined ? {} : { chat_id: chatId };
  if (asked.chartOf !== undefined) {
    const subject = asked.chartOf === null ? {} : { tool_id: asked.chartOf };
    return { api: `/api/chat-viz${stream}`, body: { ...chat, ...subject, prompt: asked.text } };
  }
  if (asked.isMonitoring === true)
    return { api: `/api/monitoring-chat${stream}`, body: { ...chat, message: asked.text } };
  return {
    api: `/api/v1/chat${stream}`,
    body: {
      ...chat,
      messages: [{ role: 'user', content: asked.text }],
      ...(asked.maySideEffect !== undefined && { allow_side_effects: asked.maySideEffect }),
      ...(chatId === undefined && asked.investigationId !== undefined && { investigation_id: asked.investigationId }),
    },
  };
}
