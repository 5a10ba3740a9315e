// The place of the shell panel at the lower edge of the sheet; the panel itself loads on demand.

import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { onDemandBeside } from '../lib/page/on-demand.tsx'
import { closeShell, shell } from '../state/shell.ts'

const ShellPanel = onDemandBeside(async () => (await import('./panel.tsx')).ShellPanel)

export function ShellDock() {
  const { open } = useSnapshot(shell)
  useEffect(() => closeShell, [])
  if (!open) return null
  return <ShellPanel />
}
