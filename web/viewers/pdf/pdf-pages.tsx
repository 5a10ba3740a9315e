// The pages of a PDF as small pictures beside it. Those near the sight are drawn and forgotten again when they leave
// it, so that a book of a thousand pages costs no more than a letter.

import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import { formatNumber } from '../../lib/format.ts'
import type { PdfDocument } from './pdf-document.ts'

const WIDTH_PX = 136
/** Drawn ahead of being scrolled to. */
const AHEAD_PX = 400

interface PdfPagesProps {
  pdf: PdfDocument
  /** The page in sight, from 1. */
  current: number
  onGo(page: number): void
}

export function PdfPages({ pdf, current, onGo }: PdfPagesProps) {
  const { t } = useLingui()
  const side = useRef<HTMLElement>(null)

  useEffect(() => {
    side.current?.querySelector(`[data-page="${current}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [current])

  return (
    <nav
      className="vw-side vw-pages rigid sunken"
      aria-label={t`Pages`}
      data-gestures="own"
      ref={side}
    >
      {Array.from({ length: pdf.numPages }, (_, index) => index + 1).map((page) => (
        <button
          key={page}
          type="button"
          className="vw-pages__page num fs-sm mid"
          data-page={page}
          aria-current={page === current ? 'page' : undefined}
          onClick={() => onGo(page)}
        >
          <PagePicture pdf={pdf} page={page} />
          {formatNumber(page)}
        </button>
      ))}
    </nav>
  )
}

function PagePicture({ pdf, page }: { pdf: PdfDocument; page: number }) {
  const place = useRef<HTMLSpanElement>(null)
  const [near, setNear] = useState(false)

  useEffect(() => {
    const element = place.current
    if (element === null) return
    const observer = new IntersectionObserver(
      (entries) => setNear(entries.at(-1)?.isIntersecting === true),
      { root: element.closest('.vw-side'), rootMargin: `${AHEAD_PX}px 0px` },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  return (
    <span className="vw-pages__picture" ref={place} aria-hidden>
      {near && <Drawing pdf={pdf} page={page} />}
    </span>
  )
}

function Drawing({ pdf, page: number }: { pdf: PdfDocument; page: number }) {
  const canvas = useRef<HTMLCanvasElement>(null)

  useEffect(() => {
    let stop = () => {}
    let left = false
    // A page that cannot be drawn keeps its number; the document itself says why.
    void draw().catch(() => {})
    async function draw() {
      const page = await pdf.getPage(number)
      const element = canvas.current
      if (left || element === null) return
      const { width } = page.getViewport({ scale: 1 })
      const viewport = page.getViewport({ scale: (WIDTH_PX * devicePixelRatio) / width })
      element.width = Math.round(viewport.width)
      element.height = Math.round(viewport.height)
      const task = page.render({ canvas: element, viewport })
      stop = () => task.cancel()
      await task.promise
      element.dataset.drawn = 'true'
    }
    return () => {
      left = true
      stop()
    }
  }, [pdf, number])

  return <canvas ref={canvas} />
}
