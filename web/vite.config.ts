import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** What the dev server hands on to the API: everything that is not the app itself. */
const API_PATHS = ['/api', '/satellite/', '/openapi.json', '/docs', '/healthz', '/readyz'];

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: { manifest: true, target: 'es2022', assetsInlineLimit: 0 },
  server: {
    proxy: Object.fromEntries(
      API_PATHS.map((path) => [path, { target: process.env['CASEBOOK_API_URL'] ?? 'http://localhost:3000' }]),
    ),
  },
});
