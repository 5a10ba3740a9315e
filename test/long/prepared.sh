# Sourced with `prepare` defined: the program, and a server is prepared as soon as it has a database.
case $1 in
  -a)
    for word in "$@"; do
      [ "$before" = -d ] && database=$word
      before=$word
    done
    (
      for _ in 1 2 3 4 5 6 7 8 9 10; do
        sleep 0.5
        prepare && break
      done
    ) > /dev/null 2>&1 &
    ;;
esac
exec $PROGRAM "$@"
