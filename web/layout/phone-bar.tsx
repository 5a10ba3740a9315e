// What a screen puts into the header on phones, right of the menu button: its title and actions.

import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { useSnapshot } from 'valtio'
import { slots } from '../state/slots.ts'

export function PhoneBar({ title, children }: { title: ReactNode; children?: ReactNode }) {
  const { phoneBar } = useSnapshot(slots)
  if (!phoneBar) return null
  return createPortal(
    <>
      <strong className="head__title trunc">
        <bdi className="trunc">{title}</bdi>
      </strong>
      {children}
    </>,
    phoneBar.element as HTMLElement,
  )
}
