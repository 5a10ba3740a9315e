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
  delete: lazy(async () => ({ default: (await import('./delete.tsx')).DeletePrompt })),
  download: lazy(async () => ({ default: (await import('./download.tsx')).DownloadPrompt })),
  help: lazy(async () => ({ default: (await import('./help.tsx')).HelpPrompt })),
  info: lazy(async () => ({ default: (await import('./info.tsx')).InfoPrompt })),
  newFile: lazy(async () => ({ default: (await import('./new-entry.tsx')).NewFilePrompt })),
  newFolder: lazy(async () => ({ default: (await import('./new-entry.tsx')).NewFolderPrompt })),
  palette: lazy(async () => ({ default: (await import('./palette.tsx')).PalettePrompt })),
  rename: lazy(async () => ({ default: (await import('./rename.tsx')).RenamePrompt })),
  renameMany: lazy(async () => ({ default: (await import('./rename-many.tsx')).RenameManyPrompt })),
  transfer: lazy(async () => ({ default: (await import('./transfer.tsx')).TransferPrompt })),
}
