#!/bin/sh
# The program; a server gets an API token for its administrator as soon as there is one.
prepare() {
  $PROGRAM users token add admin script --days 0 -d "$database"
}
. "${0%/*}/prepared.sh"
