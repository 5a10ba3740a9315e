#!/bin/sh
# Kept for setups that name this file; TLS, sockets and FB_* variables are understood too.
config=/config/settings.json
[ -f "$config" ] || config=/defaults/settings.json
exec /bin/filebrowser healthcheck --config="$config" >/dev/null
