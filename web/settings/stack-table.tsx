// The tables of the settings: their rows become cards on a phone.
import { useLingui } from '@lingui/react/macro'
import type { ReactNode, Ref } from 'react'

interface StackTableProps {
  /** The cells of the first row. */
  heads: ReactNode
  /** The rows. */
  children: ReactNode
  ref?: Ref<HTMLDivElement>
}

export function StackTable({ heads, children, ref }: StackTableProps) {
  return (
    <div className="tbl-box" ref={ref}>
      <table className="tbl tbl--stack">
        <thead>
          <tr>{heads}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

/** Above a column of buttons, for screen readers alone. */
export function ActionsHead({ width }: { width?: string }) {
  const { t } = useLingui()
  return (
    <th style={{ inlineSize: width }}>
      <span className="sr">{t`Actions`}</span>
    </th>
  )
}
