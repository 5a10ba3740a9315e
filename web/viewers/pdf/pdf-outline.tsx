// The contents of a PDF, as its author wrote them.

import { Trans, useLingui } from '@lingui/react/macro'
import { useRead } from '../../lib/page/use-read.ts'
import type { PdfDocument } from './pdf-document.ts'
import { type OutlineItem, withinLimits } from './pdf-outline-items.ts'

export function PdfOutline({ pdf, onGo }: { pdf: PdfDocument; onGo(destination: unknown): void }) {
  const { t } = useLingui()
  const read = useRead([pdf], async () => withinLimits((await pdf.getOutline()) ?? []))
  // A damaged outline is as good as none; the pages are still there.
  const items = read.state === 'ready' ? read.value : read.state === 'failed' ? [] : null

  return (
    <nav className="vw-side rigid sunken" aria-label={t`Contents`} data-gestures="own">
      {items?.length === 0 && (
        <p className="vw-side-empty dim">
          <Trans>This document has no table of contents.</Trans>
        </p>
      )}
      {items && <Level items={items} depth={0} onGo={onGo} />}
    </nav>
  )
}

interface LevelProps {
  items: OutlineItem[]
  depth: number
  onGo(destination: unknown): void
}

function Level({ items, depth, onGo }: LevelProps) {
  if (items.length === 0) return null
  return (
    <ul>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outline entries have no identity
        <li key={index}>
          <button
            type="button"
            className="vw-item mid"
            disabled={!item.dest}
            style={{ paddingInlineStart: `${0.75 + depth * 0.9}rem` }}
            onClick={() => onGo(item.dest)}
          >
            {item.title}
          </button>
          <Level items={item.items} depth={depth + 1} onGo={onGo} />
        </li>
      ))}
    </ul>
  )
}
