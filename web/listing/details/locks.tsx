// Who has locked an entry by a program that mounts the files, and until when; whose it is and administrators end it.

import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { LockRecord } from '../../../src/lock-types.ts'
import { endLock, listLocks } from '../../api/access.ts'
import { ApiError } from '../../api/client.ts'
import { boot } from '../../lib/boot.ts'
import { formatMoment } from '../../lib/format.ts'
import { useRead } from '../../lib/page/use-read.ts'
import { toastError } from '../../operations/toasts.ts'
import { permissions } from '../../state/session.ts'
import { Button } from '../../ui/button.tsx'
import { Fact } from '../../ui/fact.tsx'

/** A row for each lock that holds at the entry; nothing where there is none, or nobody can mount the files. */
export function Locks({ vpath }: { vpath: string }) {
  const { t } = useLingui()
  const [round, setRound] = useState(0)
  const read = useRead([vpath, round], async (signal) =>
    boot.Dav ? await listLocks(vpath, signal) : [],
  )
  // What cannot be asked is told by the change that meets it.
  if (read.state !== 'ready') return null
  return read.value.map((lock) => (
    <Fact key={lock.id} label={t`Locked`}>
      <Lock vpath={vpath} lock={lock} onEnd={() => setRound((before) => before + 1)} />
    </Fact>
  ))
}

function Lock({ vpath, lock, onEnd }: { vpath: string; lock: LockRecord; onEnd(): void }) {
  const [isBusy, setBusy] = useState(false)
  const { id, user, isOwn, expires } = lock
  const time = formatMoment(expires)

  async function unlock() {
    setBusy(true)
    try {
      await endLock(vpath, id).catch(unlessGone)
      onEnd()
    } catch (error) {
      toastError(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      {user === null ? (
        <Trans>Until {time}</Trans>
      ) : (
        <Trans>
          By <bdi>{user}</bdi> until {time}
        </Trans>
      )}
      {(isOwn || permissions().admin) && (
        <>
          <br />
          <Button size="sm" className="info__ask" busy={isBusy} onClick={() => void unlock()}>
            <Trans>Unlock</Trans>
          </Button>
        </>
      )}
    </>
  )
}

/** It has ended by itself meanwhile. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'not_found')) throw error
}
