// Whether the shown file was only to be looked at quickly: opened by Space, it closes by Space. Kept
// in the history entry, so that turning to a neighbour and coming back by the browser keep it.

export const quickLookState = { quickLook: true } as const

export function isQuickLook(): boolean {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null && 'quickLook' in state
}
