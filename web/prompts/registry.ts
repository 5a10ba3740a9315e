// Which component shows which dialog. Each is a chunk of its own, loaded when first opened.

import type { ComponentType } from 'react'
import { onDemandAtOnce } from '../lib/page/on-demand.tsx'
import type { PromptKinds, PromptProps } from '../operations/prompt-kinds.ts'

type Registry = { [K in keyof PromptKinds]: ComponentType<PromptProps<K>> }

export const promptComponents: Registry = {
  confirm: onDemandAtOnce(async () => ({ default: (await import('./confirm.tsx')).ConfirmPrompt })),
  conflict: onDemandAtOnce(async () => ({
    default: (await import('./transfer/conflict.tsx')).ConflictPrompt,
  })),
  currentPassword: onDemandAtOnce(async () => ({
    default: (await import('./current-password.tsx')).CurrentPasswordPrompt,
  })),
  search: onDemandAtOnce(async () => ({
    default: (await import('../search/overlay.tsx')).SearchOverlay,
  })),
  share: onDemandAtOnce(async () => ({ default: (await import('./share.tsx')).SharePrompt })),
  delete: onDemandAtOnce(async () => ({ default: (await import('./delete.tsx')).DeletePrompt })),
  download: onDemandAtOnce(async () => ({
    default: (await import('./download.tsx')).DownloadPrompt,
  })),
  help: onDemandAtOnce(async () => ({ default: (await import('./help.tsx')).HelpPrompt })),
  info: onDemandAtOnce(async () => ({ default: (await import('./info.tsx')).InfoPrompt })),
  newFile: onDemandAtOnce(async () => ({
    default: (await import('./new-entry.tsx')).NewFilePrompt,
  })),
  newFolder: onDemandAtOnce(async () => ({
    default: (await import('./new-entry.tsx')).NewFolderPrompt,
  })),
  palette: onDemandAtOnce(async () => ({ default: (await import('./palette.tsx')).PalettePrompt })),
  rename: onDemandAtOnce(async () => ({ default: (await import('./rename.tsx')).RenamePrompt })),
  renameMany: onDemandAtOnce(async () => ({
    default: (await import('./rename-many.tsx')).RenameManyPrompt,
  })),
  transfer: onDemandAtOnce(async () => ({
    default: (await import('./transfer/transfer.tsx')).TransferPrompt,
  })),
}
