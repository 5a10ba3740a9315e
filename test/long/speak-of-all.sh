#!/bin/sh
# The program; as soon as a server has a database, records of folders speak of everybody in it, and take nothing away.
prepare() {
  $PROGRAM folders set / -d "$database" --grant 'everyone see' &&
    $PROGRAM folders set /docs -d "$database" --grant 'everyone see'
}
. "${0%/*}/prepared.sh"
