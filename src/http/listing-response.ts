// Files and folders as JSON objects, for accounts and for shares (docs/http-api.md 6); the entries of a
// folder are formatted while they are being sent.
import type { FileInfo } from '../api-types.ts'
import {
  childPath,
  type ListingOptions,
  presentEntry,
  presentListed,
  readListing,
  typeOf,
} from '../files/listing/info.ts'
import type { LargeFolders } from '../files/listing/large-folders.ts'
import type { Place, Scope } from '../files/place/scope.ts'
import type { EntryStat } from '../files/volume/entry-stat.ts'
import { createTurns } from '../lib/turns.ts'
import { baseName } from '../lib/vpath.ts'
import { answer, JSON_TYPE, type Output } from './answer.ts'
import { toJson } from './respond.ts'

/** Entries formatted at a time, in a few milliseconds. */
const SLICE = 2_000
/** What an entry holds in memory while its listing is being sent. */
const ENTRY_BYTES = 300

/** What is asked for: its place, what is there, and its path and name as the client knows them. */
export interface Asked {
  scope: Scope
  place: Place
  stat: EntryStat
  path: string
  name?: string
}

/** The object of a file that is asked for by itself. */
export async function describeFile(
  { scope, place, stat, path, name = baseName(place.vpath) }: Asked,
  mayModify: boolean,
): Promise<FileInfo> {
  const type = await typeOf(scope, place, stat)
  // Text tells who may not change it.
  const isFixed = type === 'text' && !mayModify
  return presentEntry(path, name, stat, isFixed ? 'textImmutable' : type)
}

/** Sends a folder object with `also`, its items first, in slices: 100,000 entries block nobody. */
export async function sendFolder(
  { scope, place, stat, path, name = baseName(place.vpath) }: Asked,
  options: ListingOptions & { largeFolders: LargeFolders },
  also: Partial<FileInfo> = {},
): Promise<Response> {
  const { sorting, signal, largeFolders } = options
  const read = () => readListing(scope, place, options)
  const { entries, order, numDirs, numFiles } = await largeFolders(stat.sizeBytes, read, signal)
  const own = presentEntry(path, name, stat, '')
  const tail = `],${toJson({ numDirs, numFiles, sorting, ...own, ...also }).slice(1)}`
  const slice = (from: number) =>
    toJson(
      order.slice(from, from + SLICE).map((at) => {
        const entry = entries.at(at)
        return presentListed(childPath(path, entry.name), entry)
      }),
    ).slice(1, -1)
  const write = async (output: Output) => {
    if (order.length <= SLICE) return output.end(Buffer.from(`{"items":[${slice(0)}${tail}`))
    const turn = createTurns()
    for (let from = 0; from < order.length; from += SLICE) {
      await output.write((from === 0 ? '{"items":[' : ',') + slice(from))
      // What the socket takes at once gives nobody else a turn.
      await turn()
    }
    await output.end(tail)
  }
  return answer({ what: 'a listing', memoryBytes: order.length * ENTRY_BYTES, write }, JSON_TYPE)
}
