// Which component shows which dialog. Each is a chunk of its own, loaded when first opened.

import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { PromptKinds, PromptProps } from './kinds.ts'

type Registry = { [K in keyof PromptKinds]: LazyExoticComponent<ComponentType<PromptProps<K>>> }

export const promptComponents: Registry = {
  confirm: lazy(async () => ({ default: (await import('./confirm.tsx')).ConfirmPrompt })),
  conflict: lazy(async () => ({ default: (await import('./conflict.tsx')).ConflictPrompt })),
  currentPassword: lazy(async () => ({
    default: (await import('./current-password.tsx')).CurrentPasswordPrompt,
  })),
  search: lazy(async () => ({ default: (await import('../search/overlay.tsx')).SearchOverlay })),
  share: lazy(async () => ({ default: (await import('./share.tsx')).SharePrompt })),
}
