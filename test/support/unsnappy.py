# Decodes the snappy framing format from stdin to stdout with python3-snappy; with the word `pack` makes it. The CRC-32C of some
# releases of that package fails on Python 3.10 and later, so it is computed here.
import sys

import snappy.snappy as library

TABLE = []
for n in range(256):
    c = n
    for _ in range(8):
        c = (c >> 1) ^ 0x82F63B78 if c & 1 else c >> 1
    TABLE.append(c)

last = {}


def crc32c(data):
    data = bytes(data)
    if data not in last:
        c = 0xFFFFFFFF
        for byte in data:
            c = TABLE[(c ^ byte) & 255] ^ (c >> 8)
        last.clear()
        last[data] = c ^ 0xFFFFFFFF
    return last[data]


library._crc32c = crc32c
if sys.argv[1:] == ["pack"]:
    work = library.StreamCompressor().add_chunk
else:
    work = library.StreamDecompressor().decompress
while True:
    piece = sys.stdin.buffer.read(1 << 16)
    if not piece:
        break
    sys.stdout.buffer.write(work(piece))
