export function NewChatPage() {
  return <h1>New chat</h1>;
}
export function ChatPage() {
  return <h1>Chat</h1>;
}
