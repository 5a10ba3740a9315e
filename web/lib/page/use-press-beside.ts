import { type MouseEvent, useRef } from 'react'

/**
 * Handlers of a dialog that is left by pressing and releasing beside it. A drag that starts inside, such as
 * selecting text, leaves nothing. Only the click counts: after a dialog that went as the finger was lifted,
 * the browser would click what lay behind it.
 */
export function usePressBeside(leave: () => void) {
  const isPressed = useRef(false)
  return {
    onPointerDown(event: MouseEvent) {
      isPressed.current = isBeside(event)
    },
    onClick(event: MouseEvent) {
      if (isPressed.current && isBeside(event)) leave()
    },
  }
}

/** True on the backdrop, which is a part of the dialog element outside of its box. */
function isBeside({ target, currentTarget, clientX, clientY }: MouseEvent): boolean {
  if (target !== currentTarget) return false
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect()
  return clientX < left || clientX > right || clientY < top || clientY > bottom
}
