// The human check of the login page, verified at the configured host.
import { AppError } from '../lib/errors.ts'
import type { ReCaptcha } from '../store/document.ts'

const TIMEOUT_MS = 10_000

/** True when the host says that the answer is right; `internal` when it cannot be asked. */
export async function verifyHuman({ host, secret }: ReCaptcha, response: string): Promise<boolean> {
  try {
    const answer = await fetch(`${host}/recaptcha/api/siteverify`, {
      method: 'POST',
      body: new URLSearchParams({ secret, response }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (answer.status !== 200) {
      await answer.body?.cancel()
      return false
    }
    return ((await answer.json()) as { success?: unknown }).success === true
  } catch (error) {
    throw new AppError('sign_in_unavailable', 'the human check cannot be reached', {
      cause: error,
    })
  }
}
