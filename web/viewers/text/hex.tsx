import { Trans, useLingui } from '@lingui/react/macro'
import { Copy } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { formatSize } from '../../lib/format.ts'
import { useRows } from '../../lib/page/use-rows.ts'
import { useSize } from '../../lib/page/use-size.ts'
import { copyWithToast } from '../../operations/copy-text.ts'
import { Button } from '../../ui/button.tsx'
import type { ViewerProps } from '../frame/source.ts'
import { AsText, Unready } from '../frame/tools.tsx'
import { useFile } from '../frame/use-file.ts'
import { focusQuietly, scrollByKey, useViewerKeys } from '../frame/viewer-keys.ts'

const SHOWN_BYTES = 64 * 1024
const ROW_PX = 24
/** Narrower than this, eight bytes fit in a row instead of sixteen. */
const WIDE_PX = 640

export function HexViewer({ source, entry, openAs }: ViewerProps) {
  const { t } = useLingui()
  const { size } = entry
  const read = useFile(source, entry, async (signal) =>
    new Uint8Array(await source.readRange(entry, 0, SHOWN_BYTES, signal)).subarray(0, SHOWN_BYTES),
  )
  if (read.state !== 'ready') {
    return <Unready title={t`Couldn’t read this file`} {...{ source, entry, read }} />
  }
  const bytes = read.value
  const [shownSize, allSize] = [formatSize(bytes.length), formatSize(size)]

  const copy = () => copyWithToast([...bytes].map(hexByte).join(' '), t`Bytes copied`)

  return (
    <div className="vx-page col covers" data-gestures="own">
      <div className="vx-bar" role="toolbar" aria-label={t`Bytes`}>
        <span className="vx-note num">
          {bytes.length < size ? (
            <Trans>
              First {shownSize} of {allSize}
            </Trans>
          ) : (
            <Trans>All {allSize}</Trans>
          )}
        </span>
        <span className="grow" />
        <Button size="sm" icon={Copy} onClick={() => void copy()}>
          <Trans>Copy as hex</Trans>
        </Button>
        <AsText openAs={openAs} />
      </div>
      <Rows bytes={bytes} label={t`Bytes of ${entry.name}`} />
    </div>
  )
}

function Rows({ bytes, label }: { bytes: Uint8Array; label: string }) {
  const box = useRef<HTMLDivElement>(null)
  const { width } = useSize(box)
  const perRow = width === 0 || width >= WIDE_PX ? 16 : 8
  const virtual = useRows(() => box.current, Math.ceil(bytes.length / perRow), ROW_PX, {
    overscan: 30,
  })
  useEffect(() => focusQuietly(box.current), [])
  useViewerKeys((event) => scrollByKey(event, box.current))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section className="hex vw-scroll" ref={box} tabIndex={0} aria-label={label} dir="ltr">
      <div style={{ blockSize: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map((item) => {
          const start = item.index * perRow
          const row = [...bytes.subarray(start, start + perRow)]
          return (
            <div
              key={item.index}
              className="hex-row row"
              style={{ transform: `translateY(${item.start}px)`, blockSize: ROW_PX }}
            >
              <span className="dim">{start.toString(16).padStart(6, '0')}</span>
              <span className="hex-bytes">
                {row.map((byte, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: bytes have no name but their place
                  <span key={index} className={byte === 0 ? 'hex-zero dim' : undefined}>
                    {hexByte(byte)}
                  </span>
                ))}
                {Array.from({ length: perRow - row.length }, (_, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: fills the last row
                  <span key={`fill-${index}`} />
                ))}
              </span>
              <span className="hex-text">{row.map(printable).join('')}</span>
            </div>
          )
        })}
      </div>
    </section>
  )
}

function hexByte(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}

function printable(byte: number): string {
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·'
}
