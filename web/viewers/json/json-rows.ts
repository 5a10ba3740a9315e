// Which rows of a JSON tree are in sight of the reader: what is open, in order. Containers with very
// many items show them in groups, as no list of a million rows can be scrolled.

import type { JsonNode } from '../../text/json-scan.ts'
import type { JsonClient } from './json-client.ts'

/** Items per group, and groups per group of groups. */
const GROUP = 1000

export interface JsonRow {
  /** Names the row from the root on; stays the same when the text is scanned again. */
  id: string
  level: number
  /** Shown before the value; null for the root. */
  label: { text: string; isIndex: boolean } | null
  /** The way in JavaScript notation, for copying. */
  path: string
  node: JsonNode
  /** For a group: which items of `node` it holds. */
  group: { from: number; to: number } | null
  expandable: boolean
  expanded: boolean
}

export class JsonRows {
  readonly #client: Pick<JsonClient, 'children'>
  readonly #open = new Set<string>([''])
  #children = new Map<string, JsonNode[]>()
  #root: JsonNode | null = null
  #asked = 0

  constructor(client: Pick<JsonClient, 'children'>) {
    this.#client = client
  }

  /** Takes a new text; what was open stays open where it still exists. */
  setRoot(root: JsonNode): void {
    this.#root = root
    // Anew rather than emptied: answers about the old text still go into the old one.
    this.#children = new Map()
  }

  get root(): JsonNode | null {
    return this.#root
  }

  toggle(id: string, open: boolean): void {
    if (open) this.#open.add(id)
    else this.#open.delete(id)
  }

  closeAll(): void {
    this.#open.clear()
    this.#open.add('')
  }

  /**
   * The rows to show; fetches what open containers hold. Null when it was asked for again meanwhile:
   * that answer may come before this one, which is out of date.
   */
  async list(): Promise<JsonRow[] | null> {
    const mine = ++this.#asked
    const rows: JsonRow[] = []
    if (this.#root !== null) await this.#add(rows, this.#row('', 0, null, '$', this.#root))
    return mine === this.#asked ? rows : null
  }

  /** Opens the way to a place and gives the id of its row. */
  async reveal(path: readonly { index: number }[]): Promise<string> {
    let id = ''
    let node = this.#root
    for (const { index } of path) {
      if (node === null) break
      this.#open.add(id)
      const groups = groupsOf(0, node.count).filter(({ from, to }) => index >= from && index < to)
      let [group] = groups
      while (group !== undefined && node.count > GROUP) {
        id = `${id}/${group.from}-${group.to}`
        this.#open.add(id)
        if (group.to - group.from <= GROUP) break
        group = groupsOf(group.from, group.to).find(({ from, to }) => index >= from && index < to)
      }
      const [child]: JsonNode[] = await this.#client.children(node.start, index, index + 1)
      id = `${id}/${index}`
      node = child ?? null
    }
    return id
  }

  async #add(rows: JsonRow[], row: JsonRow): Promise<void> {
    rows.push(row)
    if (!row.expanded) return
    const { from, to } = row.group ?? { from: 0, to: row.node.count }
    if (to - from > GROUP) {
      for (const group of groupsOf(from, to)) {
        await this.#add(rows, {
          ...this.#row(
            `${row.id}/${group.from}-${group.to}`,
            row.level + 1,
            null,
            row.path,
            row.node,
          ),
          label: { text: `${group.from} … ${group.to - 1}`, isIndex: true },
          group,
        })
      }
      return
    }
    const children = await this.#fetch(row, from, to)
    for (const [offset, child] of children.entries()) {
      const index = from + offset
      const label =
        child.key === null
          ? { text: String(index), isIndex: true }
          : { text: child.key, isIndex: false }
      const path = child.key === null ? `${row.path}[${index}]` : `${row.path}${member(child.key)}`
      await this.#add(rows, this.#row(`${row.id}/${index}`, row.level + 1, label, path, child))
    }
  }

  async #fetch(row: JsonRow, from: number, to: number): Promise<JsonNode[]> {
    const known = this.#children
    let children = known.get(row.id)
    if (children === undefined) {
      children = await this.#client.children(row.node.start, from, to)
      known.set(row.id, children)
    }
    return children
  }

  #row(id: string, level: number, label: JsonRow['label'], path: string, node: JsonNode): JsonRow {
    const expandable = node.count > 0
    return {
      id,
      level,
      label,
      path,
      node,
      group: null,
      expandable,
      expanded: expandable && this.#open.has(id),
    }
  }
}

/** A range in at most 1000 parts of a thousand, a million … items each. */
function groupsOf(from: number, to: number): { from: number; to: number }[] {
  let size = GROUP
  while ((to - from) / size > GROUP) size *= GROUP
  const groups: { from: number; to: number }[] = []
  for (let start = from; start < to; start += size) {
    groups.push({ from: start, to: Math.min(to, start + size) })
  }
  return groups
}

function member(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}
