#!/bin/sh
# The program; a server gets a group without members and records of folders that speak of it as soon as it has a database.
prepare() {
  $PROGRAM groups add others --perm.create -d "$database" &&
    $PROGRAM folders set / -d "$database" --grant 'group:others -see -download create' &&
    $PROGRAM folders set /docs -d "$database" --as given --grant 'group:others see -delete'
}
. "${0%/*}/prepared.sh"
