// An earlier version of a file, put where the person chooses: beside what the first screen needs.

import { newOperation } from '../api/client.ts'
import { fetchInfo } from '../api/files.ts'
import { copyVersion } from '../api/versions.ts'
import { freeName, joinPath, nameOf, parentOf } from '../lib/paths.ts'
import { refreshUsage } from '../state/usage.ts'
import { tellTransfer } from './copy-and-move.ts'
import { reloadFolder } from './open-folder.ts'
import { openPrompt } from './prompts.ts'
import { toastError } from './toasts.ts'

/** Asks for a folder and puts an earlier version of a file there, under a free name. Never rejects. */
export async function copyVersionTo(path: string, id: string): Promise<void> {
  const items = [{ path, isDir: false }]
  const target = await openPrompt('transfer', { kind: 'choose', items, folder: parentOf(path) })
  if (target === null) return
  const operation = newOperation()
  try {
    const { items: there = [] } = await fetchInfo(target, new AbortController().signal)
    const name = freeName(nameOf(path), false, new Set(there.map((entry) => entry.name)))
    const to = joinPath(target, name)
    await copyVersion(path, id, to, operation)
    tellTransfer('copy', [{ from: path, to, isDir: false, override: false }], target, operation)
    refreshUsage()
    await reloadFolder(target)
  } catch (error) {
    toastError(error)
  }
}
