// Compares what is about to be uploaded with what the target folder holds, and turns the answers of
// the conflict dialog into uploads. Pure: the listing is fetched by the caller.

import { freeName, nameOf, parentOf } from '../lib/paths.ts'
import type { Clash, ClashChoice } from '../operations/transfer-types.ts'
import type { ScannedEntry } from './dropped-files.ts'

export interface ExistingEntry {
  isDir: boolean
  sizeBytes: number
  modifiedMs: number
}

/** What is there already, by path below the target, without a leading slash. */
export type ExistingTree = ReadonlyMap<string, ExistingEntry>

/** A scanned entry with the place it wants below the target, mostly its own path. */
export interface PlacedEntry extends ScannedEntry {
  /** Another one when an interrupted upload put its folder there under another name. */
  place: string
}

/** A scanned entry with the place it goes to. */
export interface PlannedEntry {
  sourcePath: string
  /** Below the target; differs from sourcePath when both are kept. */
  targetPath: string
  file: File | null
  overwrite: boolean
}

export interface Comparison {
  /** Free to go as they are. */
  clean: PlannedEntry[]
  /** By clash id; a folder in the way of a file, or the other way round, takes all below it. */
  clashing: Map<string, PlacedEntry[]>
}

/** Entries whose place is taken, apart from those that are free; equal folders merge silently. */
export function compare(entries: readonly PlacedEntry[], existing: ExistingTree): Comparison {
  const clean: PlannedEntry[] = []
  const clashing = new Map<string, PlacedEntry[]>()
  for (const entry of entries) {
    const blocked = blockedAt(entry, existing)
    if (blocked === null) {
      if (entry.file === null && existing.has(entry.place)) continue
      clean.push(toPlanned(entry, entry.place, false))
      continue
    }
    const list = clashing.get(blocked)
    if (list === undefined) clashing.set(blocked, [entry])
    else list.push(entry)
  }
  return { clean, clashing }
}

/** The question for one clash; `id` is the path below the target that both want. */
export function toClash(
  id: string,
  entries: readonly PlacedEntry[],
  existing: ExistingTree,
): Clash {
  const there = existing.get(id)
  const file = entries[0]?.place === id ? (entries[0]?.file ?? null) : null
  return {
    id,
    name: nameOf(`/${id}`),
    location: parentOf(`/${id}`).slice(1),
    incoming: {
      isDir: file === null,
      sizeBytes: file?.size ?? null,
      modifiedMs: file?.lastModified ?? null,
    },
    existing: {
      isDir: there?.isDir ?? false,
      sizeBytes: there === undefined || there.isDir ? null : there.sizeBytes,
      modifiedMs: there?.modifiedMs ?? null,
    },
  }
}

/**
 * The uploads that follow from the answers; what is skipped is not among them. Names kept beside
 * existing ones also stay apart from those of `clean`, the rest of the same upload.
 */
export function applyChoices(
  clashing: ReadonlyMap<string, readonly PlacedEntry[]>,
  choices: ReadonlyMap<string, ClashChoice>,
  existing: ExistingTree,
  clean: readonly PlannedEntry[],
): PlannedEntry[] {
  const planned: PlannedEntry[] = []
  const taken = namesByFolder(existing)
  for (const { targetPath } of clean) {
    namesIn(taken, parentOf(`/${targetPath}`)).add(nameOf(`/${targetPath}`))
  }
  for (const [id, entries] of clashing) {
    const choice = choices.get(id) ?? 'skip'
    if (choice === 'skip') continue
    const isDir = entries[0]?.place !== id || entries[0]?.file === null
    const to = choice === 'replace' ? id : freePath(id, isDir, taken)
    for (const entry of entries) {
      planned.push(toPlanned(entry, to + entry.place.slice(id.length), choice === 'replace'))
    }
  }
  return planned
}

/** The path at which `entry` meets something it cannot merge with; null when it is free. */
function blockedAt(entry: PlacedEntry, existing: ExistingTree): string | null {
  if (existing.size === 0) return null
  for (let at = entry.place.indexOf('/'); at !== -1; ) {
    const folder = entry.place.slice(0, at)
    const there = existing.get(folder)
    if (there === undefined) return null
    if (!there.isDir) return folder
    at = entry.place.indexOf('/', at + 1)
  }
  const there = existing.get(entry.place)
  if (there === undefined) return null
  return entry.file === null && there.isDir ? null : entry.place
}

function toPlanned(entry: PlacedEntry, targetPath: string, overwrite: boolean): PlannedEntry {
  return { sourcePath: entry.sourcePath, targetPath, file: entry.file, overwrite }
}

function namesByFolder(existing: ExistingTree): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>()
  for (const path of existing.keys()) namesIn(folders, parentOf(`/${path}`)).add(nameOf(`/${path}`))
  return folders
}

function namesIn(folders: Map<string, Set<string>>, folder: string): Set<string> {
  const names = folders.get(folder) ?? new Set<string>()
  folders.set(folder, names)
  return names
}

/** A free path beside `path`, remembered as taken so that two of a kind stay apart. */
function freePath(path: string, isDir: boolean, taken: Map<string, Set<string>>): string {
  const folder = parentOf(`/${path}`)
  const names = namesIn(taken, folder)
  const name = freeName(nameOf(`/${path}`), isDir, names)
  names.add(name)
  return folder === '/' ? name : `${folder.slice(1)}/${name}`
}
