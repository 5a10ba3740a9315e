#!/bin/sh
# Entry point of the container, below tini: seeds /config/settings.json and hands over to the
# program, which receives the signals of `docker stop`.
set -e

if [ ! -f /config/settings.json ]; then
  cp /defaults/settings.json /config/settings.json 2>/dev/null ||
    echo "init: user $(id -u) cannot write to /config; the defaults are used unchanged" >&2
fi

config=/config/settings.json
[ -f "$config" ] || config=/defaults/settings.json

# Without a configuration file among the arguments it is ours.
given=no
for word in "$@"; do
  case $word in
    -c | --config | -c=* | --config=*) given=yes ;;
  esac
done
[ "$given" = yes ] || set -- "--config=$config" "$@"

# Started as root with PUID (and PGID): the program runs as that user. Nothing is chowned.
if [ "$(id -u)" = 0 ] && [ -n "$PUID" ]; then
  exec setpriv --reuid="$PUID" --regid="${PGID:-$PUID}" --clear-groups -- /bin/filebrowser "$@"
fi
if [ "$(id -u)" = 0 ] && [ -n "$PGID" ]; then
  echo "init: PGID is ignored without PUID; the program runs as root" >&2
elif [ "${PUID:-$(id -u)}:${PGID:-$(id -g)}" != "$(id -u):$(id -g)" ]; then
  echo "init: PUID and PGID are ignored, as the container runs as user $(id -u):$(id -g); choose it with \"user:\", or start as root (user: '0')" >&2
fi
exec /bin/filebrowser "$@"
