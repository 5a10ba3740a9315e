// Whether the shown file is a quick look: opened by Space, it closes by Space. Kept
// in the history entry, so that turning to a neighbour and coming back by the browser keep it.

export const quickLookState = { quickLook: true } as const

export function isQuickLook(): boolean {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null && 'quickLook' in state
}
