// Which component shows which dialog. Each is a chunk of its own, loaded when first opened.

import type { ComponentType } from 'react'
import { onDemand } from '../lib/on-demand.tsx'
import type { PromptKinds, PromptProps } from './kinds.ts'

type Registry = { [K in keyof PromptKinds]: ComponentType<PromptProps<K>> }

export const promptComponents: Registry = {
  confirm: onDemand(async () => ({ default: (await import('./confirm.tsx')).ConfirmPrompt })),
  conflict: onDemand(async () => ({ default: (await import('./conflict.tsx')).ConflictPrompt })),
  currentPassword: onDemand(async () => ({
    default: (await import('./current-password.tsx')).CurrentPasswordPrompt,
  })),
  search: onDemand(async () => ({
    default: (await import('../search/overlay.tsx')).SearchOverlay,
  })),
  share: onDemand(async () => ({ default: (await import('./share.tsx')).SharePrompt })),
  delete: onDemand(async () => ({ default: (await import('./delete.tsx')).DeletePrompt })),
  download: onDemand(async () => ({ default: (await import('./download.tsx')).DownloadPrompt })),
  help: onDemand(async () => ({ default: (await import('./help.tsx')).HelpPrompt })),
  info: onDemand(async () => ({ default: (await import('./info.tsx')).InfoPrompt })),
  newFile: onDemand(async () => ({ default: (await import('./new-entry.tsx')).NewFilePrompt })),
  newFolder: onDemand(async () => ({ default: (await import('./new-entry.tsx')).NewFolderPrompt })),
  palette: onDemand(async () => ({ default: (await import('./palette.tsx')).PalettePrompt })),
  rename: onDemand(async () => ({ default: (await import('./rename.tsx')).RenamePrompt })),
  renameMany: onDemand(async () => ({
    default: (await import('./rename-many.tsx')).RenameManyPrompt,
  })),
  transfer: onDemand(async () => ({ default: (await import('./transfer.tsx')).TransferPrompt })),
}
