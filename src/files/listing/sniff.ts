// Types by content: signatures of the WHATWG MIME sniffing standard on the first 512 bytes, and
// the test that tells text from binary (docs/http-api.md 6.3).

export const SNIFF_BYTES = 512

type Signature = { mime: string; at?: number; bytes: string; mask?: string }

const hex = (text: string) => Buffer.from(text, 'latin1').toString('hex')

const SIGNATURES: Signature[] = [
  { mime: 'application/pdf', bytes: hex('%PDF-') },
  { mime: 'application/postscript', bytes: hex('%!PS-Adobe-') },
  { mime: 'text/plain; charset=utf-16be', bytes: 'feff' },
  { mime: 'text/plain; charset=utf-16le', bytes: 'fffe' },
  { mime: 'text/plain; charset=utf-8', bytes: 'efbbbf' },
  { mime: 'image/x-icon', bytes: '00000100' },
  { mime: 'image/x-icon', bytes: '00000200' },
  { mime: 'image/bmp', bytes: hex('BM') },
  { mime: 'image/gif', bytes: hex('GIF87a') },
  { mime: 'image/gif', bytes: hex('GIF89a') },
  {
    mime: 'image/webp',
    bytes: `${hex('RIFF')}00000000${hex('WEBPVP')}`,
    mask: 'ffffffff00000000ffffffffffff',
  },
  { mime: 'image/png', bytes: '89504e470d0a1a0a' },
  { mime: 'image/jpeg', bytes: 'ffd8ff' },
  {
    mime: 'audio/aiff',
    bytes: `${hex('FORM')}00000000${hex('AIFF')}`,
    mask: 'ffffffff00000000ffffffff',
  },
  { mime: 'audio/mpeg', bytes: hex('ID3') },
  { mime: 'application/ogg', bytes: `${hex('OggS')}00` },
  { mime: 'audio/midi', bytes: `${hex('MThd')}00000006` },
  {
    mime: 'video/avi',
    bytes: `${hex('RIFF')}00000000${hex('AVI ')}`,
    mask: 'ffffffff00000000ffffffff',
  },
  {
    mime: 'audio/wave',
    bytes: `${hex('RIFF')}00000000${hex('WAVE')}`,
    mask: 'ffffffff00000000ffffffff',
  },
  { mime: 'video/webm', bytes: '1a45dfa3' },
  { mime: 'application/vnd.ms-fontobject', at: 34, bytes: hex('LP') },
  { mime: 'font/ttf', bytes: '00010000' },
  { mime: 'font/otf', bytes: hex('OTTO') },
  { mime: 'font/collection', bytes: hex('ttcf') },
  { mime: 'font/woff', bytes: hex('wOFF') },
  { mime: 'font/woff2', bytes: hex('wOF2') },
  { mime: 'application/x-gzip', bytes: '1f8b08' },
  { mime: 'application/zip', bytes: '504b0304' },
  { mime: 'application/x-rar-compressed', bytes: '526172211a0700' },
  { mime: 'application/x-rar-compressed', bytes: '526172211a070100' },
  { mime: 'application/wasm', bytes: '0061736d' },
]

const COMPILED = SIGNATURES.map(({ mime, at = 0, bytes, mask }) => ({
  mime,
  at,
  bytes: Buffer.from(bytes, 'hex'),
  mask: mask ? Buffer.from(mask, 'hex') : null,
}))

const HTML_TAGS =
  '!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--'.split('|')

/** The MIME type of the head of a file: at most the first 512 bytes are read. */
export function sniff(head: Buffer): string {
  const data = head.subarray(0, SNIFF_BYTES)
  const markup = sniffMarkup(data)
  if (markup) return markup
  for (const { mime, at, bytes, mask } of COMPILED) if (matches(data, at, bytes, mask)) return mime
  if (isMp4(data)) return 'video/mp4'
  return data.some(isControl) ? 'application/octet-stream' : 'text/plain; charset=utf-8'
}

/**
 * The original's test for binary content: a code point of 8 or below, or an invalid sequence
 * anywhere but at the very end, where a multi-byte character may have been cut.
 */
export function isBinary(head: Buffer): boolean {
  const points = [
    ...new TextDecoder('utf-8', { ignoreBOM: true }).decode(head.subarray(0, SNIFF_BYTES)),
  ]
  const tail = points.length > 4 ? points.length - 4 : points.length
  let broken = false
  for (const [i, point] of points.entries()) {
    if ((point.codePointAt(0) ?? 0) <= 8) return true
    const invalid = point === '\ufffd'
    if (i < tail) {
      if (invalid) return true
    } else if (invalid) broken = true
    else if (broken) return true
  }
  return false
}

function sniffMarkup(data: Buffer): string {
  let at = 0
  while (at < data.length && [9, 10, 12, 13, 32].includes(data[at] ?? 0)) at++
  if (data[at] !== 0x3c) return ''
  const text = data
    .subarray(at + 1, at + 20)
    .toString('latin1')
    .toLowerCase()
  if (text.startsWith('?xml')) return 'text/xml; charset=utf-8'
  for (const tag of HTML_TAGS) {
    if (!text.startsWith(tag)) continue
    const next = text[tag.length]
    if (tag === '!--' || next === ' ' || next === '>') return 'text/html; charset=utf-8'
  }
  return ''
}

function matches(data: Buffer, at: number, bytes: Buffer, mask: Buffer | null): boolean {
  if (data.length < at + bytes.length) return false
  for (let i = 0; i < bytes.length; i++) {
    const value = data[at + i] ?? 0
    if ((mask ? value & (mask[i] ?? 0) : value) !== bytes[i]) return false
  }
  return true
}

function isMp4(data: Buffer): boolean {
  if (data.length < 12) return false
  const boxBytes = data.readUInt32BE(0)
  if (boxBytes % 4 !== 0 || data.length < boxBytes) return false
  if (data.toString('latin1', 4, 8) !== 'ftyp') return false
  for (let at = 8; at + 3 <= boxBytes; at += 4) {
    if (at === 12) continue
    if (data.toString('latin1', at, at + 3) === 'mp4') return true
  }
  return false
}

function isControl(byte: number): boolean {
  return (
    byte <= 8 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f)
  )
}
