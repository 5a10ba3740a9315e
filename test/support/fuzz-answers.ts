// What an answer to a strange request must never be: a failure nobody expected, or what its sender
// may not see.
import type { FuzzRequest } from './fuzz-requests.ts'
import { SECRET } from './tree.ts'

export interface FuzzAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** Stands in files of the server that neither bob nor a share of his folder may see. */
export const FORBIDDEN = 'a marker that only the administrator may read'

/**
 * Failures with status 500 that clients know (docs/http-api.md 1.4, 4.7, 5.4, 7.3, 7.4, 13,
 * 14); every other one is a defect.
 */
const KNOWN_500: readonly { on: RegExp; because: RegExp }[] = [
  {
    on: /^\S+ \/api\/(public\/)?(resources|raw|tus|usage|share|search|subtitle|preview|dl|command|selections)/,
    because: /(ENOTDIR|EISDIR|ENAMETOOLONG|ELOOP|EINVAL|ENOTEMPTY|EILSEQ) at \//s,
  },
  {
    on: /^\S+ \/api\/(public\/)?(resources|raw|tus|usage|share|search|dl)/,
    because: / is not a (file|folder)$/s,
  },
  {
    on: /^(POST|PUT|PATCH) \/api\/(resources|tus)/,
    because: / is a folder and cannot be replaced by a file/s,
  },
  { on: /^GET \/api\/(public\/)?preview\//, because: /preview of \/.*: /s },
  { on: /^GET \/api\/(public\/)?subtitle\//, because: /no cues found/ },
  {
    on: /^POST \/api\/(signup|users)/,
    because: /no folder name can be made of this user name/,
  },
  { on: /^PUT \/api\/users\//, because: /users have no field / },
]

/** Whether the wording is one of these; which request may have it is judged with its answer. */
export function isKnown500(line: string): boolean {
  return KNOWN_500.some(({ because }) => because.test(line))
}

/** Throws when the answer breaks a promise. */
export function judge(
  given: FuzzRequest,
  { status, headers, body }: FuzzAnswer,
  /** The line that the server logged for it. */
  reason: string | undefined,
): void {
  const complain = (what: string) => {
    throw new Error(`${what}: ${given.method} ${given.target} as ${given.who} -> ${status}`)
  }
  if (status < 200 || status > 599) complain('a strange status')
  if (status === 500 && headers['x-error-code'] === undefined) complain('a 500 without a reason')
  if (headers['x-error-code'] === 'internal') complain('a refusal without a code of its own')
  if (status === 500 && reason !== undefined) {
    const route = given.target.split('?')[0] ?? ''
    const known = KNOWN_500.some(
      ({ on, because }) => because.test(reason) && on.test(`${given.method} ${route}`),
    )
    if (!known) complain(`a 500 that clients do not know here (${reason})`)
  }
  const mayRead = given.who === 'admin' && !/^\/api\/public\//.test(given.target)
  if (!mayRead && body.includes(FORBIDDEN)) complain('a file beyond the scope got out')
  if (body.includes(SECRET)) complain('a secret got out')
  if (/root:.*:0:0:/.test(body.toString('latin1'))) complain('a file of the host got out')
  if (body.includes('node:internal') || body.includes('/src/')) complain('a stack trace')
}
