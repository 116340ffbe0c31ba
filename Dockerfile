# One process of the service, for deployments with a PostgreSQL of their own (see compose.yaml).

# Installs the pinned packages, and builds the service, the pages and the command-line client.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --omit=dev
# What runs: the builds, the files that the service reads, and the packages that are not in its bundle. Add --embedded for
# the embedded PostgreSQL.
RUN node scripts/image.ts /app

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=build /app ./
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 LOG_FORMAT=json
# The C library gives back what large bodies needed (docs/operations.md).
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
# An embedded database, emails without SMTP and the files of workers are in data; audio only is in audio, which several
# containers share (AUDIO_DIR=/app/audio). A volume takes the owner of the directory. V8's compiled code is in compile-cache.
RUN mkdir -p data audio dist/server/compile-cache && chown node:node data audio dist/server/compile-cache
USER node
VOLUME /app/data
EXPOSE 8080
# A migration of a large database may take long: until it is ready once, a process is not unhealthy.
HEALTHCHECK --interval=10s --timeout=3s --start-period=1h \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Started without npm, which would look for changed sources. Behind a load balancer set LAME_DUCK_SECONDS.
CMD ["node", "--max-semi-space-size=16", "--min-semi-space-size=16", "dist/server/start.mjs"]
