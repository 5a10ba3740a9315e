# Builds the executable, then puts it alone on a small glibc base.
FROM node:22-trixie-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends binutils && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# The history stays outside: --build-arg COMMIT=$(git rev-parse --short HEAD) for the version line.
ARG COMMIT=""
RUN FILEBROWSER_COMMIT="$COMMIT" npm run package

FROM debian:trixie-slim
# For previews of videos build with --build-arg EXTRA_PACKAGES=ffmpeg.
ARG EXTRA_PACKAGES=""
# tini is process 1 and collects what hooks and shell commands leave behind.
RUN apt-get update && apt-get install -y --no-install-recommends tini $EXTRA_PACKAGES \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 1000 user && useradd --uid 1000 --gid 1000 --home-dir /home/user --create-home user \
 && mkdir -p /srv /config /database && chown 1000:1000 /srv /config /database
COPY --from=build /build/dist/filebrowser /bin/filebrowser
COPY docker/settings.json /defaults/settings.json
COPY --chmod=755 docker/init.sh docker/healthcheck.sh /
USER 1000:1000
VOLUME ["/srv", "/config", "/database"]
EXPOSE 80
HEALTHCHECK --start-period=2s --interval=5s --timeout=3s CMD ["/healthcheck.sh"]
ENTRYPOINT ["/usr/bin/tini", "--", "/init.sh"]
