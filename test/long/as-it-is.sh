#!/bin/sh
exec $PROGRAM "$@"
