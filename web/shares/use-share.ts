// What a share page shows: asks the server, asks for the password when it must, and keeps both for
// as long as the page is open.

import { useEffect, useState } from 'react'
import type { FileInfo } from '../../src/api-types.ts'
import { ApiError, isAbort } from '../api/client.ts'
import { fetchShared, type ShareAccess } from '../api/shares.ts'
import { whenOnline } from '../lib/page/network.ts'

export interface ShareReady {
  access: ShareAccess
  inner: string
  info: FileInfo
  expiresAtMs: number | null
}

type ShareView =
  | { kind: 'loading' }
  | { kind: 'password'; error: unknown; busy: boolean }
  | { kind: 'failed'; error: unknown }
  | ({ kind: 'ready'; loading: boolean } & ShareReady)

interface ShareState {
  view: ShareView
  submitPassword: (password: string) => void
  retry: () => void
}

interface Attempt {
  password: string
  count: number
}

export function useShare(hash: string, inner: string): ShareState {
  const [attempt, setAttempt] = useState<Attempt>({ password: '', count: 0 })
  const [ready, setReady] = useState<ShareReady | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [busy, setBusy] = useState(true)
  const { password, count } = attempt
  const askAgain = () => setAttempt((before) => ({ ...before, count: before.count + 1 }))

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt asks again
  useEffect(() => {
    const controller = new AbortController()
    setBusy(true)
    const access = { hash, password, ticket: '' }
    fetchShared(access, inner, controller.signal).then(
      ({ info, expiresAtMs }) => {
        setReady({ access: { ...access, ticket: info.token ?? '' }, inner, info, expiresAtMs })
        setFailure(null)
        setBusy(false)
      },
      (error: unknown) => {
        if (isAbort(error)) return
        setReady(null)
        setFailure(error)
        setBusy(false)
        if (!(error instanceof ApiError) || !error.isNetwork) return
        void whenOnline().then(() => {
          if (!controller.signal.aborted) askAgain()
        })
      },
    )
    return () => controller.abort()
  }, [hash, inner, password, count])

  return {
    view: toView(ready?.access.hash === hash ? ready : null, failure, busy, password),
    submitPassword: (next) => setAttempt((before) => ({ password: next, count: before.count + 1 })),
    retry: askAgain,
  }
}

function toView(
  ready: ShareReady | null,
  failure: unknown,
  busy: boolean,
  password: string,
): ShareView {
  // A folder stays while the next one is fetched.
  if (ready !== null) return { kind: 'ready', loading: busy, ...ready }
  if (failure === null) return { kind: 'loading' }
  const needsPassword =
    failure instanceof ApiError && (failure.status === 401 || failure.status === 429)
  if (!needsPassword) return busy ? { kind: 'loading' } : { kind: 'failed', error: failure }
  return { kind: 'password', busy, error: password === '' && !busy ? null : failure }
}
