// Facts about an account that others must be found by.
import { vpathOf } from '../lib/vpath.ts'

/** A home as it is compared: without case (GHSA-7rc3-g7h6-22m7), and in one normal form of Unicode. */
export function foldedHome(scope: string): string {
  return vpathOf(scope).normalize('NFKC').toLowerCase()
}

/** What decides the time a hash takes: `$2a$10$`, `$argon2id$v=19$m=19456,t=2,p=1$`; empty for no hash. */
export function passwordKind(hash: string): string {
  return /^(?:\$2[abxy]?\$\d\d\$|\$argon2id?\$v=\d+\$m=\d+,t=\d+,p=\d+\$)/.exec(hash)?.[0] ?? ''
}
