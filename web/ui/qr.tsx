// A QR code as one path of an SVG. The encoder is loaded with the first code that is shown.

import { useEffect, useState } from 'react'
import './qr.css'

interface QrProps {
  text: string
  /** Edge in px, the white margin included. */
  sizePx: number
  label: string
}

/** Error correction level M: readable with 15 % of it covered. */
export function Qr({ text, sizePx, label }: QrProps) {
  const [code, setCode] = useState<{ text: string; path: string; edge: number } | null>(null)

  useEffect(() => {
    let gone = false
    void import('qrcode').then(({ default: qrcode }) => {
      if (gone) return
      const { modules } = qrcode.create(text, { errorCorrectionLevel: 'M' })
      setCode({ text, path: toPath(modules.data, modules.size), edge: modules.size })
    })
    return () => {
      gone = true
    }
  }, [text])

  const edge = code?.edge ?? 25
  return (
    <svg
      className="qr"
      style={{ inlineSize: sizePx, blockSize: sizePx }}
      viewBox={`-2 -2 ${edge + 4} ${edge + 4}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
      data-text={text}
    >
      {code?.text === text && <path d={code.path} />}
    </svg>
  )
}

/** Runs of dark modules of a row become one rectangle each. */
function toPath(dark: Uint8Array, edge: number): string {
  let path = ''
  for (let y = 0; y < edge; y++) {
    for (let x = 0; x < edge; x++) {
      if (!dark[y * edge + x]) continue
      const start = x
      while (x + 1 < edge && dark[y * edge + x + 1]) x++
      path += `M${start} ${y}h${x + 1 - start}v1h-${x + 1 - start}z`
    }
  }
  return path
}
