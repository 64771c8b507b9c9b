# One image for all processes; docker-compose.yml chooses the process of each service.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY . .
# --ignore-scripts: no dependency needs an install script.
RUN --mount=type=cache,target=/root/.npm npm ci --include=dev --ignore-scripts --no-progress
# Prisma would download a schema engine that `generate` does not use; any existing program prevents that.
RUN PRISMA_SCHEMA_ENGINE_BINARY="$(command -v node)" npx prisma generate \
  && npx tsc -b \
  && npm run build -w apps/console
# Remove what only development needs. Prune the packages first: npm looks up removed workspaces in the registry.
RUN npm prune --omit=dev --ignore-scripts \
  && node scripts/list-dependencies.mjs --remove-others \
  && rm -rf packages/testing packages/local-stack node_modules/@rewardhook/testing node_modules/@rewardhook/local-stack scripts bench chaos tests docs apps/console/web apps/*/testing \
  && find apps packages -type d -name src -not -path '*/node_modules/*' -prune -exec rm -rf {} +

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/packages ./packages
COPY --from=build /app/apps ./apps
COPY --from=build /app/prisma ./prisma
# Root owns the files and the process runs as another user, so it cannot change its own code.
USER node
# Health and metrics of every process, for the health checks and for Prometheus.
ENV HEALTH_HOST=0.0.0.0 HEALTH_PORT=9100
EXPOSE 9100
CMD ["node", "apps/api/dist/main.js"]
