# One image for all processes and commands: `docker run rewardhook help` lists them (ops/image/rewardhook).
# docs/operations/install.md#images says how to check and renew the digest.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY . .
# --ignore-scripts: no dependency needs an install script.
RUN --mount=type=cache,target=/root/.npm npm ci --include=dev --ignore-scripts --no-progress
# Prisma would download a schema engine that `generate` does not use; any existing program prevents that.
RUN PRISMA_SCHEMA_ENGINE_BINARY="$(command -v node)" npx prisma generate \
  && npx tsc -b \
  && npm run build -w apps/console \
  && npm run build -w @rewardhook/browser-sdk
# false: without the packages that export traces. A process whose OTEL_EXPORTER_OTLP_ENDPOINT is set then refuses to start.
ARG OPENTELEMETRY=true
# Remove what only development needs. Prune the packages first: npm looks up removed workspaces in the registry.
RUN npm prune --omit=dev --ignore-scripts \
  && node scripts/prune-image.mjs \
  && rm -rf packages/testing packages/local-stack node_modules/@rewardhook/testing node_modules/@rewardhook/local-stack apps/console/web apps/console/web-tests apps/*/testing packages/*/testing \
  && find apps packages -type d -name src -not -path '*/node_modules/*' -prune -exec rm -rf {} + \
  && find apps packages -name '*.tsbuildinfo' -not -path '*/node_modules/*' -delete

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Rewardhook" \
  org.opencontainers.image.description="Referral rewards for shops: accepts orders and sends signed reward webhooks" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/packages ./packages
COPY --from=build /app/apps ./apps
COPY --from=build /app/prisma ./prisma
COPY --from=build /app/ops/image ./ops/image
# Root owns the files and the process runs as another user (`node`), so it cannot change its own code. The number lets
# Kubernetes check that it is not root.
USER 1000:1000
# The port of health and metrics of every process, for the health checks and for Prometheus.
ENV LISTEN_HOST=0.0.0.0 HEALTH_PORT=9100
EXPOSE 9100
ENTRYPOINT ["/app/ops/image/rewardhook"]
CMD ["help"]
