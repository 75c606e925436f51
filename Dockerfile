# One image for both apps: the api by default, the worker with the command that docker-compose.yml gives.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json nest-cli.json ./
COPY apps apps
COPY libs libs
RUN npm run build && npm prune --omit=dev

FROM node:22-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# Where files go that have no other place: mails without SMTP_URL, the database without DATABASE_URL. A volume that is mounted there
# takes over its owner.
RUN install --directory --owner=node --group=node .data .data/storage
USER node
# No shell and no npm in between: SIGTERM reaches the app itself.
CMD ["node", "--enable-source-maps", "dist/apps/api/src/main.js"]
