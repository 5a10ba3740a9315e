// The few facts of a photograph that people ask for, read from the EXIF block of a JPEG or TIFF file.
// Written here because the maintained libraries are ten times as large as what is needed.

export interface PhotoFacts {
  camera?: string
  lens?: string
  /** As written by the camera, its local time: `2026-08-02T19:04:11`. */
  taken?: string
  /** Seconds. */
  exposureS?: number
  aperture?: number
  iso?: number
  focalLengthMm?: number
  latitude?: number
  longitude?: number
}

interface Tiff {
  view: DataView
  /** Where the TIFF header is: offsets count from there. */
  base: number
  little: boolean
}

type Value = number | string | number[]

const SIZES: Record<number, number> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8 }
/** No real block has more; a damaged one may claim to. */
const MAX_ENTRIES = 512
const MAX_COUNT = 4096

/** Null when the bytes hold no EXIF block; the first 128 KiB of a file are enough. */
export function readPhotoFacts(head: ArrayBuffer): PhotoFacts | null {
  try {
    const tiff = findTiff(new DataView(head))
    return tiff === null ? null : collect(tiff)
  } catch (error) {
    // Cut off or damaged: a photograph without facts.
    if (error instanceof RangeError) return null
    throw error
  }
}

function findTiff(view: DataView): Tiff | null {
  if (view.byteLength < 12) return null
  if (view.getUint16(0) !== 0xffd8) return openTiff(view, 0)
  let at = 2
  while (at + 4 < view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    if (marker === 0xda || marker === 0xd9) return null
    // "Exif" and two zero bytes come before the TIFF header.
    if (marker === 0xe1 && view.getUint32(at + 4) === 0x45786966) return openTiff(view, at + 10)
    at += 2 + view.getUint16(at + 2)
  }
  return null
}

function openTiff(view: DataView, base: number): Tiff | null {
  const order = view.getUint16(base)
  if (order !== 0x4949 && order !== 0x4d4d) return null
  const little = order === 0x4949
  return view.getUint16(base + 2, little) === 42 ? { view, base, little } : null
}

function readDirectory({ view, base, little }: Tiff, offset: number): Map<number, Value> {
  const out = new Map<number, Value>()
  const at = base + offset
  const count = Math.min(view.getUint16(at, little), MAX_ENTRIES)
  for (let i = 0; i < count; i++) {
    const entry = at + 2 + i * 12
    const value = readValue({ view, base, little }, entry)
    if (value !== null) out.set(view.getUint16(entry, little), value)
  }
  return out
}

function readValue({ view, base, little }: Tiff, entry: number): Value | null {
  const type = view.getUint16(entry + 2, little)
  const count = view.getUint32(entry + 4, little)
  const size = SIZES[type]
  if (size === undefined || count > MAX_COUNT) return null
  const at = size * count <= 4 ? entry + 8 : base + view.getUint32(entry + 8, little)
  if (type === 2 || type === 7) {
    let text = ''
    for (let i = 0; i < count; i++) {
      const code = view.getUint8(at + i)
      if (code === 0) break
      text += String.fromCharCode(code)
    }
    return text.trim()
  }
  const numbers: number[] = []
  for (let i = 0; i < count; i++) {
    const place = at + i * size
    if (type === 1) numbers.push(view.getUint8(place))
    else if (type === 3) numbers.push(view.getUint16(place, little))
    else if (type === 4) numbers.push(view.getUint32(place, little))
    else if (type === 9) numbers.push(view.getInt32(place, little))
    else {
      const signed = type === 10
      const top = signed ? view.getInt32(place, little) : view.getUint32(place, little)
      const bottom = signed ? view.getInt32(place + 4, little) : view.getUint32(place + 4, little)
      numbers.push(bottom === 0 ? 0 : top / bottom)
    }
  }
  return numbers.length === 1 ? (numbers[0] ?? null) : numbers
}

const text = (value: Value | undefined) =>
  typeof value === 'string' && value !== '' ? value : undefined
const number = (value: Value | undefined) =>
  typeof value === 'number' && value > 0 ? value : undefined

function collect(tiff: Tiff): PhotoFacts {
  const { view, base, little } = tiff
  const main = readDirectory(tiff, view.getUint32(base + 4, little))
  const exifAt = main.get(0x8769)
  const gpsAt = main.get(0x8825)
  const exif = typeof exifAt === 'number' ? readDirectory(tiff, exifAt) : new Map<number, Value>()
  const gps = typeof gpsAt === 'number' ? readDirectory(tiff, gpsAt) : new Map<number, Value>()
  const facts: { [K in keyof PhotoFacts]: PhotoFacts[K] | undefined } = {
    camera: cameraName(text(main.get(0x010f)), text(main.get(0x0110))),
    lens: text(exif.get(0xa434)),
    taken: takenAt(text(exif.get(0x9003)) ?? text(main.get(0x0132))),
    exposureS: number(exif.get(0x829a)),
    aperture: number(exif.get(0x829d)),
    iso: number(exif.get(0x8827)),
    focalLengthMm: number(exif.get(0x920a)),
    latitude: degrees(gps.get(2), gps.get(1), 'S'),
    longitude: degrees(gps.get(4), gps.get(3), 'W'),
  }
  const known = Object.entries(facts).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known) as PhotoFacts
}

/** Many models repeat the maker's name. */
function cameraName(make: string | undefined, model: string | undefined): string | undefined {
  if (make === undefined || model === undefined) return model ?? make
  const brand = make.split(' ')[0] ?? make
  return model.toLowerCase().startsWith(brand.toLowerCase()) ? model : `${make} ${model}`
}

function takenAt(written: string | undefined): string | undefined {
  const found = /^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)/.exec(written ?? '')
  return found === null ? undefined : `${found[1]}-${found[2]}-${found[3]}T${found[4]}`
}

function degrees(value: Value | undefined, side: Value | undefined, negative: string) {
  if (!Array.isArray(value) || value.length < 3) return undefined
  const [whole = 0, minutes = 0, seconds = 0] = value
  const size = whole + minutes / 60 + seconds / 3600
  return side === negative ? -size : size
}
