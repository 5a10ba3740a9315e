// Which files the server can unpack, by their names.

const UNPACKABLE =
  /\.(zip|jar|apk|cbz|7z|rar|cbr|tar|tgz|tbz2?|txz|tzst|tar\.(gz|bz2|xz|lz4|sz|br|zst))$/i

export function isUnpackable(name: string): boolean {
  return UNPACKABLE.test(name)
}
