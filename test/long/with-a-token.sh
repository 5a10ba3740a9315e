#!/bin/sh
# The program; a server gets an API token for its administrator as soon as there is one.
case $1 in
  -a)
    for word in "$@"; do
      [ "$before" = -d ] && database=$word
      before=$word
    done
    (
      for _ in 1 2 3 4 5 6 7 8 9 10; do
        sleep 0.5
        $PROGRAM users token add admin script --days 0 -d "$database" && break
      done
    ) > /dev/null 2>&1 &
    ;;
esac
exec $PROGRAM "$@"
