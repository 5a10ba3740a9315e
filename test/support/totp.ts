// Codes of an authenticator app, by a program that is none of ours.
import { execFileSync } from 'node:child_process'

const STEP_MS = 30_000

/** The six digits of a base32 secret; `steps` of 30 seconds from now. Needs oathtool. */
export function codeOf(secret: string, steps = 0): string {
  const at = new Date(Date.now() + steps * STEP_MS).toISOString().replace('T', ' ').slice(0, 19)
  const args = ['--totp', '-b', secret, '-N', `${at} UTC`]
  return execFileSync('oathtool', args, { encoding: 'utf8' }).trim()
}
