// Archives unpacked on the server, wholly or some of what is in them. Loaded when one is asked for.

import { t } from '@lingui/core/macro'
import type { Job } from '../../src/job-types.ts'
import { newOperation } from '../api/client.ts'
import { startJob } from '../api/files.ts'
import { actOnJob, forgetJob, getJob } from '../api/jobs.ts'
import { hasTrash } from '../lib/boot.ts'
import { nameOf, parentOf, shownName } from '../lib/paths.ts'
import { hasEnded, needsPassword } from '../state/jobs.ts'
import { openFolderPath, shownFolder } from '../state/listing.ts'
import { selectResult } from '../state/selection.ts'
import { refreshUsage } from '../state/usage.ts'
import { dismissJobs, followJob, showJob } from './follow-jobs.ts'
import { reloadFolder } from './open-folder.ts'
import { openPrompt } from './prompts.ts'
import { toastError, toastSuccess } from './toasts.ts'
import { offerTakeBack } from './undo.ts'

/** What is quick is over with the answer. */
const WAIT_SECONDS = 1
/** So long whoever has asked for it is taken to wait. */
const PATIENCE_MS = 60_000

interface Extracting {
  archive: string
  /** Null for a new folder beside the archive. */
  to: string | null
  /** Of what is in it, these paths alone. */
  entries?: readonly string[]
  /** Of names that do not say theirs; the server guesses where it is ''. */
  encoding?: string
}

/** Asks for a folder first. Never rejects. */
export async function extractElsewhere(
  archive: string,
  entries: readonly string[] = [],
): Promise<void> {
  let encoding = ''
  const to = await openPrompt('transfer', {
    kind: 'extract',
    items: [{ path: archive, isDir: false }],
    folder: parentOf(archive),
    onEncoding: (name) => {
      encoding = name
    },
  })
  if (to !== null) await extract({ archive, to, entries, encoding })
}

/** Unpacks it and tells how that ended; asks for a password where one is needed. Never rejects. */
export async function extract({
  archive,
  to,
  entries = [],
  encoding = '',
}: Extracting): Promise<void> {
  const operation = newOperation()
  const folder = to ?? parentOf(archive)
  const before = shownPaths(folder)
  const askedMs = performance.now()
  const request = {
    kind: 'extract',
    items: [archive],
    conflict: 'rename',
    ...(to !== null && { to }),
    ...(entries.length > 0 && { entries }),
    ...(encoding !== '' && { encoding }),
  } as const
  try {
    const end = await untilEnd(archive, await startJob(request, operation))
    refreshUsage()
    await reloadFolder(folder)
    if (end?.state === 'failed') showJob(end)
    if (end?.state !== 'done') return
    const arrived = shownPaths(folder).filter((path) => !before.includes(path))
    if (arrived.length > 0 && performance.now() - askedMs < PATIENCE_MS) selectResult(arrived)
    const name = shownName(nameOf(archive))
    if (hasTrash) offerTakeBack(t`Extracted “${name}”`, operation, [folder])
    else toastSuccess(t`Extracted “${name}”`)
  } catch (error) {
    toastError(error)
  }
}

/** Asks until the password is right, as long as that shows soon; null when nobody gives one. */
async function untilEnd(archive: string, begun: Job): Promise<Job | null> {
  let job = begun
  let askedMs = performance.now()
  for (let tries = 0; ; tries++) {
    const isSeen = !hasEnded(job)
    if (isSeen) job = await followJob(job)
    const isLate = performance.now() - askedMs > PATIENCE_MS
    if (!needsPassword(job) || isLate) return job
    const password = await openPrompt('archivePassword', { archive, isWrong: tries > 0 })
    if (password === null) {
      // What was not protected is there.
      if (job.filesDone > 0) return job
      dismissJobs(job.id)
      if (!isSeen) await forgetJob(job.id)
      return null
    }
    askedMs = performance.now()
    await actOnJob(job.id, 'retry', password)
    job = await getJob(job.id, WAIT_SECONDS)
    if (isSeen) showJob(job)
  }
}

/** What the page shows of a folder; nothing of one that is not open. */
function shownPaths(folder: string): string[] {
  if (openFolderPath() !== folder) return []
  return shownFolder().folder?.entries.map(({ path }) => path) ?? []
}
