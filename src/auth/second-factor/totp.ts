// Codes that an app shows (RFC 6238): six digits of SHA-1 for each 30 seconds, which is all that every app knows.
// The package is loaded with the first account that has one.

const DIGITS = 6
const STEP_SECONDS = 30
/** How many steps a clock may be off, to either side. */
const WINDOW = 1
/** Of the secret, as RFC 4226 recommends. */
const SECRET_BYTES = 20

const library = () => import('otpauth')

/** A new secret: base32 of 160 random bits. */
export async function newSecret(): Promise<string> {
  const { Secret } = await library()
  return new Secret({ size: SECRET_BYTES }).base32
}

/** The address that an app reads from the QR code. */
export async function uriOf(secret: string, issuer: string, account: string): Promise<string> {
  const { TOTP } = await library()
  // A colon separates both in the label.
  const plain = (text: string) => text.replaceAll(':', ' ').trim()
  const names = { issuer: plain(issuer), label: plain(account) || 'account' }
  return new TOTP({
    ...names,
    secret,
    algorithm: 'SHA1',
    digits: DIGITS,
    period: STEP_SECONDS,
  }).toString()
}

/**
 * The step of a code, in 30 seconds since the epoch, or null for one that is wrong at this time. Blanks count for
 * nothing: apps show them.
 */
export async function stepOf(
  secret: string,
  code: string,
  timestamp: number = Date.now(),
): Promise<number | null> {
  const token = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return null
  const { TOTP } = await library()
  const totp = new TOTP({ secret, algorithm: 'SHA1', digits: DIGITS, period: STEP_SECONDS })
  const delta = totp.validate({ token, timestamp, window: WINDOW })
  return delta === null ? null : Math.floor(timestamp / 1000 / STEP_SECONDS) + delta
}
