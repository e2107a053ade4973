export function ChatsPage() {
  return <h1>ChatsPage</h1>;
}
