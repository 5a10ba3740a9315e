// What is wrong where the browser reads the file itself, for a picture, a film or a sound: its elements
// tell that they failed and not why, so the first byte is asked for once more.

import { use, useEffect, useEffectEvent, useState } from 'react'
import { ApiError, currentToken } from '../../api/client.ts'
import { Busy, Message, type MessageProps, TryAgain } from './tools.tsx'

interface ElementMessageProps extends Omit<MessageProps, 'error'> {
  /** The bytes stopped coming: the file can be reached again, and yet it is not to blame. */
  lost?: boolean
}

/** `children` say what is wrong with the file, for the case that it can be read. */
export function ElementMessage({ lost = false, ...props }: ElementMessageProps) {
  const { source, entry } = props
  const [found, setFound] = useState<{ error: unknown } | null>(null)
  const tryAgain = use(TryAgain)
  const readAnew = useEffectEvent(() => tryAgain?.())

  useEffect(() => {
    const abort = new AbortController()
    const token = currentToken()
    source.readRange(entry, 0, 1, abort.signal).then(
      () => {
        if (abort.signal.aborted) return
        // Somebody signed in again meanwhile: that was what was missing.
        if (currentToken() !== token) readAnew()
        else setFound({ error: lost ? new ApiError(0, null, '') : null })
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setFound({ error })
      },
    )
    return () => abort.abort()
  }, [source, entry, lost])

  if (found === null) return <Busy />
  return <Message {...props} error={found.error} />
}
