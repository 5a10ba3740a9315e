// A row of a JSON tree.

import { useLingui } from '@lingui/react/macro'
import { ChevronRight, Copy, Route } from 'lucide-react'
import { formatNumber } from '../../lib/format.ts'
import { IconButton } from '../../ui/button.tsx'
import type { JsonRow } from './json-rows.ts'

interface RowProps {
  id: string
  row: JsonRow
  top: number
  active: boolean
  onActivate(): void
  onToggle(): void
  onCopy(what: 'path' | 'value'): void
}

export function TreeRow({ id, row, top, active, onActivate, onToggle, onCopy }: RowProps) {
  const { t } = useLingui()
  const { node, label, level, group } = row
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of all its rows
    // biome-ignore lint/a11y/useFocusableInteractive: it is the tree's active descendant
    <div
      id={id}
      className="jt-row row nowrap"
      role="treeitem"
      aria-level={level + 1}
      aria-selected={active}
      aria-expanded={row.expandable ? row.expanded : undefined}
      style={{ transform: `translateY(${top}px)`, '--jt-level': level } as React.CSSProperties}
      onClick={() => {
        onActivate()
        if (row.expandable && getSelection()?.isCollapsed !== false) onToggle()
      }}
    >
      <span className="jt-twist rigid dim">
        {row.expandable && <ChevronRight className="i i-xs flip" aria-hidden />}
      </span>
      {label !== null && (
        <span className={label.isIndex ? 'jt-index' : 'jt-key'}>
          {label.text}
          <span className="jt-colon">:</span>
        </span>
      )}
      {node.kind === 'object' || node.kind === 'array' ? (
        <span className="jt-size">
          {group === null && <Size kind={node.kind} count={node.count} />}
        </span>
      ) : (
        <span className={`jt-value jt-${node.kind}`}>{node.text}</span>
      )}
      <span className="jt-copy">
        <IconButton
          size="sm"
          icon={Route}
          label={t`Copy path`}
          tabIndex={-1}
          onClick={(event) => {
            event.stopPropagation()
            onCopy('path')
          }}
        />
        <IconButton
          size="sm"
          icon={Copy}
          label={t`Copy value`}
          tabIndex={-1}
          onClick={(event) => {
            event.stopPropagation()
            onCopy('value')
          }}
        />
      </span>
    </div>
  )
}

function Size({ kind, count }: { kind: 'object' | 'array'; count: number }) {
  const size = formatNumber(count)
  return kind === 'object' ? `{ ${size} }` : `[ ${size} ]`
}
