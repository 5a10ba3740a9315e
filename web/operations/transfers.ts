// Moving and copying: questions first, then the screen changes, then the server is told, and what the
// server refuses is taken back. Nothing here decides anything about overwriting by itself.

import { t } from '@lingui/core/macro'
import type { FileEntry } from '../../src/api-types.ts'
import { fetchInfo, previewUrl } from '../api/files.ts'
import { boot } from '../lib/boot.ts'
import { freeName, groupByParent, joinPath, nameOf, parentOf, ROOT } from '../lib/paths.ts'
import { entryAt, heirOf, markBusy, revealEntry, shownFolder } from '../state/listing.ts'
import { draftEntry, movedEntry, patchFolder, type ShownChange } from '../state/patch-folder.ts'
import { abilitiesIn, abilitiesOn } from '../state/rights.ts'
import { doAsJobs } from './as-job.ts'
import { openPrompt } from './prompts.ts'
import { transferProblem } from './transfer-problem.ts'
import type { ClashSide, TransferFailure, TransferItem, TransferKind } from './transfer-types.ts'

export interface PlannedTransfer {
  from: string
  to: string
  isDir: boolean
  override: boolean
}

export interface TransferResult {
  done: PlannedTransfer[]
  failures: TransferFailure[]
  /** It took long: the person may have turned to something else. */
  isLong: boolean
}

/**
 * Asks about names that are taken and says what will go where. Null when the person cancelled; empty
 * when nothing is left to do. A copy into its own folder is renamed without asking.
 *
 * @throws ApiError when the target cannot be listed.
 */
export async function planTransfer(
  kind: TransferKind,
  items: readonly TransferItem[],
  target: string,
  signal: AbortSignal,
): Promise<PlannedTransfer[] | null> {
  const able = items.filter((item) => transferProblem(kind, item, target) === null)
  if (able.length === 0) return []
  const info = await fetchInfo(target, signal)
  const existing = new Map((info.items ?? []).map((entry) => [entry.name, entry]))
  const taken = new Set(existing.keys())
  const planned: PlannedTransfer[] = []
  const clashing: TransferItem[] = []
  const place = (item: TransferItem, name: string, override = false) => {
    taken.add(name)
    planned.push({ from: item.path, to: joinPath(target, name), isDir: item.isDir, override })
  }
  for (const item of able) {
    const name = nameOf(item.path)
    if (kind === 'copy' && parentOf(item.path) === target) {
      place(item, freeName(name, item.isDir, taken))
    } else if (existing.has(name)) clashing.push(item)
    else place(item, name)
  }
  if (clashing.length === 0) return planned
  const sources = await factsOf(clashing, signal)
  const answer = await openPrompt('conflict', {
    clashes: clashing.map((item) => ({
      id: item.path,
      name: nameOf(item.path),
      location: '',
      incoming: sideOf(sources.get(item.path), item),
      existing: sideOf(existing.get(nameOf(item.path)), item),
    })),
    targetName: target === ROOT ? t`My files` : nameOf(target),
    kind,
    allowResume: false,
    allowReplace: abilitiesIn(target).modify,
    otherCount: planned.length,
  })
  if (answer === null) return null
  for (const item of clashing) {
    const choice = answer.get(item.path) ?? 'skip'
    const name = nameOf(item.path)
    if (choice === 'replace') place(item, name, true)
    else if (choice === 'rename') place(item, freeName(name, item.isDir, taken))
  }
  return planned
}

/** What is known of the sources; their folders are listed again where they are not on the screen. */
async function factsOf(
  items: readonly TransferItem[],
  signal: AbortSignal,
): Promise<Map<string, FileEntry>> {
  const facts = new Map<string, FileEntry>()
  const missing = new Set<string>()
  for (const { path } of items) {
    const entry = entryAt(path)
    if (entry === undefined) missing.add(parentOf(path))
    else facts.set(path, entry)
  }
  for (const folder of missing) {
    const info = await fetchInfo(folder, signal)
    for (const entry of info.items ?? []) facts.set(joinPath(folder, entry.name), entry)
  }
  return facts
}

function sideOf(entry: FileEntry | undefined, item: TransferItem): ClashSide {
  const side: ClashSide = {
    isDir: entry?.isDir ?? item.isDir,
    sizeBytes: entry === undefined || entry.isDir ? null : entry.size,
    modifiedMs: entry === undefined ? null : Date.parse(entry.modified) || null,
  }
  if (entry === undefined || entry.type !== 'image' || !boot.EnableThumbs) return side
  return abilitiesOn(entry.path).download
    ? { ...side, thumbnail: () => previewUrl(entry, 'thumb') }
    : side
}

/**
 * Carries a plan out, the screen first. Never rejects: what failed is in the result, and what nobody knows to be
 * done.
 */
export async function carryOut(
  kind: TransferKind,
  plan: readonly PlannedTransfer[],
  target: string,
  operation: string,
): Promise<TransferResult> {
  const changes = showTransfers(kind, plan)
  const arriving = plan.map((step) => step.to)
  markBusy(arriving, true)
  const steps = new Map(plan.map((step) => [step.from, step]))
  const parts = (['fail', 'replace', 'rename'] as const).map((conflict) => ({
    what: { kind, to: target, conflict },
    items: plan
      .filter((step) => conflictOf(step) === conflict)
      .map(({ from, isDir }) => ({ path: from, isDir })),
  }))
  const { failures, isLong } = await doAsJobs(parts, operation)
  const refused = failures.flatMap(({ item }) => {
    const step = steps.get(item.path)
    steps.delete(item.path)
    return step === undefined ? [] : [step.from, step.to]
  })
  for (const change of changes) change.takeBack(refused)
  markBusy(arriving, false)
  for (const change of changes) change.settle()
  return { done: [...steps.values()], failures, isLong }
}

/** The server finds the free name itself. */
function conflictOf({ from, to, override }: PlannedTransfer): 'fail' | 'replace' | 'rename' {
  if (override) return 'replace'
  return nameOf(from) === nameOf(to) ? 'fail' : 'rename'
}

/** Shows what arrives and, for a move, what leaves: one change for each folder. */
function showTransfers(kind: TransferKind, plan: readonly PlannedTransfer[]): ShownChange[] {
  const arriving = plan.map((step) => {
    const source = entryAt(step.from)
    return source === undefined ? draftEntry(step.to, step.isDir) : movedEntry(source, step.to)
  })
  const leaving = kind === 'move' ? plan.map((step) => step.from) : []
  // Where the keyboard was goes: it stays beside it, or the next arrow key would begin at the top.
  const heir = leaving.some((path) => path === shownFolder().focus) ? heirOf(leaving) : null
  const changes: ShownChange[] = []
  for (const [folder, add] of groupByParent(arriving, (entry) => entry.path)) {
    changes.push(patchFolder({ folder, add }))
  }
  for (const [folder, remove] of groupByParent(leaving, (path) => path)) {
    changes.push(patchFolder({ folder, remove }))
  }
  if (heir !== null) revealEntry(heir)
  return changes
}
