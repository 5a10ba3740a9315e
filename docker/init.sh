#!/bin/sh
# Entry point of the container: seeds /config/settings.json and hands over to the program, which
# becomes process 1 and receives the signals of `docker stop`.
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
exec /bin/filebrowser "$@"
