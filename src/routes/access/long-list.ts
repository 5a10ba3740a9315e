// Lists of what all accounts have: whole where it is little, else a piece at a time as it is by then.
import { answer, JSON_TYPE, type Output } from '../../http/answer.ts'
import { type Ctx, recheck } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { toJson } from '../../http/respond.ts'
import { createTurns } from '../../lib/turns.ts'
import { USERS } from '../../store/collections.ts'

/** So many items are sent in one piece, and of more so many at a time; what each of them may take. */
const WHOLE = 1_000
const SLICE = 250
const ITEM_BYTES = 2_048

interface LongList<T> {
  /** For the log: `the list of accounts`. */
  what: string
  pieces: AsyncIterable<readonly T[]>
  /** Whose it is; that account is in memory, with what belongs to it, while `present` is called. */
  accountOf(record: T): number
  /** Undefined for what is left out. */
  present(record: T): unknown
}

export async function sendLongList<T>(c: Ctx, deps: Deps, list: LongList<T>): Promise<Response> {
  const pieces = list.pieces[Symbol.asyncIterator]()
  const first: T[] = []
  let piece = await pieces.next()
  for (; !piece.done && first.length <= WHOLE; piece = await pieces.next())
    for (const record of piece.value) first.push(record)
  if (piece.done && first.length <= WHOLE)
    return answer(toJson(await presented(deps, list, first)), JSON_TYPE)
  const write = async (output: Output) => {
    const turn = createTurns()
    let separator = '['
    const send = async (records: readonly T[]) => {
      for (let from = 0; from < records.length; from += SLICE) {
        // What the socket takes at once gives nobody else a turn.
        await turn()
        const items = await presented(deps, list, records.slice(from, from + SLICE))
        recheck(c)
        if (items.length === 0) continue
        await output.write(separator + toJson(items).slice(1, -1))
        separator = ','
      }
    }
    await send(first)
    for (; !piece.done; piece = await pieces.next()) await send(piece.value)
    await output.end(separator === '[' ? '[]' : ']')
  }
  return answer({ what: list.what, memoryBytes: WHOLE * ITEM_BYTES, write }, JSON_TYPE)
}

async function presented<T>(
  { store }: Deps,
  { accountOf, present }: LongList<T>,
  records: readonly T[],
): Promise<unknown[]> {
  const release = await store.large.hold(USERS, [...new Set(records.map(accountOf))])
  try {
    return records.map(present).filter((item) => item !== undefined)
  } finally {
    release()
  }
}
