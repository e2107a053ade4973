/** A Koa server that does nothing but answer what the API answers for a running investigation: `bare-koa.ts PORT`. */
import Koa from 'koa';

const [port] = process.argv.slice(2);
const app = new Koa();
app.use((ctx) => {
  const id = ctx.path.slice(ctx.path.lastIndexOf('/') + 1);
  ctx.body = { id, status: 'processing', alert_summary: null, investigation_text: null };
});
const server = app.listen(Number(port), '127.0.0.1');
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
