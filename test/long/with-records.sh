#!/bin/sh
# The program; a server gets a group without members and records of folders that speak of it as soon as it has a database.
case $1 in
  -a)
    for word in "$@"; do
      [ "$before" = -d ] && database=$word
      before=$word
    done
    (
      for _ in 1 2 3 4 5 6 7 8 9 10; do
        sleep 0.3
        $PROGRAM groups add others --perm.create -d "$database" &&
          $PROGRAM folders set / -d "$database" --grant 'group:others -see -download create' &&
          $PROGRAM folders set /docs -d "$database" --as given --grant 'group:others see -delete' &&
          break
      done
    ) > /dev/null 2>&1 &
    ;;
esac
exec $PROGRAM "$@"
