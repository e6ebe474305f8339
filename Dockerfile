# Vitrine in a container: built in one stage, run in another as a user without rights.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production VITRINE_STORE=/store/records VITRINE_HOST=0.0.0.0 VITRINE_LOG_FORMAT=json
WORKDIR /vitrine
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/bin bin
COPY --from=build /build/dist dist
COPY --from=build /build/assets assets
COPY --from=build /build/data data
COPY --from=build /build/frames frames
COPY --from=build /build/shapes shapes
COPY --from=build /build/schemas schemas
COPY --from=build /build/docs docs
RUN ln -s /vitrine/bin/vitrine.js /usr/local/bin/vitrine && mkdir /store && chown node:node /store
USER node
VOLUME /store
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["vitrine"]
CMD ["serve"]
