// The shell panel: open or not. What runs in it is the panel's own affair.

import { proxy } from 'valtio'
import { canUseShell } from './session.ts'

export const shell = proxy({ open: false })

export function toggleShell(): void {
  shell.open = !shell.open && canUseShell()
}

export function closeShell(): void {
  shell.open = false
}
