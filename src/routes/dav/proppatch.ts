// PROPPATCH: all that is asked for, or nothing.
import { isLive } from '../../dav/live.ts'
import { MULTISTATUS_BEGIN, MULTISTATUS_END, writeResponse } from '../../dav/multistatus.ts'
import { type Instruction, readProppatch } from '../../dav/proppatch.ts'
import { isDav, keyOf, nameOf, writeElement } from '../../dav/xml.ts'
import { answer } from '../../http/answer.ts'
import { addFacts, setAct } from '../../http/audit.ts'
import { actorOf, type Ctx } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { AppError } from '../../lib/errors.ts'
import { requireMay } from '../../operations/actor.ts'
import { changeProperties, type PropertyChanges } from '../../operations/properties.ts'
import { hrefTo } from './address.ts'
import { readXml, XML_TYPE } from './bodies.ts'

const MICROSOFT = 'urn:schemas-microsoft-com:'
const EXECUTABLE = keyOf({ ns: 'http://apache.org/dav/props/', local: 'executable' })
const TIMES = new Set([
  keyOf({ ns: 'DAV:', local: 'lastmodified' }),
  keyOf({ ns: MICROSOFT, local: 'Win32LastModifiedTime' }),
])

export async function proppatch(c: Ctx, deps: Deps): Promise<Response> {
  const { vpath } = c.env.target
  const actor = actorOf(c, deps)
  requireMay(actor, 'modify', vpath)
  const instructions = readProppatch(await readXml(c, deps))
  const { kind } = await actor.scope.stat(vpath)
  const changes = { notes: new Map<string, string | null>() }
  const refused = new Set(instructions.filter((each) => !take(changes, each)).map(({ key }) => key))
  const keys = [...new Set(instructions.map(({ key }) => key))]
  const byStatus = new Map<number, string>()
  const tell = (status: number, which: string[]) =>
    byStatus.set(status, which.map((key) => writeElement(nameOf(key))).join(''))
  let condition = ''
  if (refused.size > 0) {
    tell(
      403,
      keys.filter((key) => refused.has(key)),
    )
    tell(
      424,
      keys.filter((key) => !refused.has(key)),
    )
    condition = '<D:error><D:cannot-modify-protected-property/></D:error>'
  } else {
    const status = await attempt(() => changeProperties(actor, vpath, changes))
    if (status === 200 && keys.includes(EXECUTABLE)) setAct(c, 'mode')
    tell(status, keys)
  }
  if (!byStatus.has(200)) addFacts(c, { result: 'failed' })
  const text = writeResponse(hrefTo(c, vpath, kind === 'dir'), byStatus, condition)
  return answer(`${MULTISTATUS_BEGIN}${text}${MULTISTATUS_END}\n`, XML_TYPE, 207)
}

async function attempt(change: () => Promise<void>): Promise<number> {
  try {
    await change()
    return 200
  } catch (error) {
    if (error instanceof AppError && error.code === 'no_space') return 507
    throw error
  }
}

/** Adds an instruction to the changes; false for what only the server says. */
function take(
  changes: PropertyChanges & { notes: Map<string, string | null> },
  each: Instruction,
): boolean {
  const { key, xml, text, ns, local } = each
  if (TIMES.has(key)) {
    const ms = /^\d{1,11}(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text)
    if (xml === null || !Number.isFinite(ms) || ms < 0) return false
    changes.mtimeMs = ms
    return true
  }
  if (key === EXECUTABLE) {
    if (xml === null || (text !== 'T' && text !== 'F')) return false
    changes.isExecutable = text === 'T'
    return true
  }
  // Explorer sets more of a file than there is a place for, and fails where it may not.
  if (ns === MICROSOFT && local.startsWith('Win32')) return true
  if (isLive(each) || PROTECTED.some((name) => isDav(each, name))) return false
  changes.notes.set(key, xml)
  return true
}

const PROTECTED = ['creationdate']
