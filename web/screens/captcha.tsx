// The human check. Its script comes from outside and may be slow or blocked; the form stays usable,
// and says so when the check cannot be shown.

import { Trans } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import { boot } from '../lib/boot.ts'
import { activeTheme } from '../state/prefs.ts'

const POLL_MS = 150
const PATIENCE_MS = 12_000

export interface CaptchaHandle {
  /** '' while the check is not answered. */
  answer: () => string
  reset: () => void
}

export function Captcha({ onReady }: { onReady: (handle: CaptchaHandle) => void }) {
  const ref = useRef<HTMLDivElement>(null)
  const [failed, setFailed] = useState(false)
  const ready = useRef(onReady)
  ready.current = onReady

  useEffect(() => {
    const startedMs = performance.now()
    const timer = setInterval(() => {
      const api = window.grecaptcha
      if (api?.render && ref.current) {
        clearInterval(timer)
        if (ref.current.childElementCount > 0) return
        const sitekey = boot.ReCaptchaKey ?? ''
        const widget = api.render(ref.current, { sitekey, theme: activeTheme() })
        ready.current({ answer: () => api.getResponse(widget), reset: () => api.reset(widget) })
      } else if (performance.now() - startedMs > PATIENCE_MS) {
        clearInterval(timer)
        setFailed(true)
      }
    }, POLL_MS)
    return () => clearInterval(timer)
  }, [])

  return (
    <>
      <div className="captcha" ref={ref} hidden={failed} />
      {failed && (
        <p className="note tone-warn" role="alert">
          <Trans>
            The CAPTCHA couldn’t be loaded. Allow scripts from its site, then reload the page.
          </Trans>
        </p>
      )}
    </>
  )
}
