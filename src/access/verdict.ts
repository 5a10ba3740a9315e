// What records of folders say to an account: pure, over places. Each of account, groups and everyone speaks by the
// nearest folder at or above a place where it says something; the account's word counts first, then a yes of
// any group, then a no of any, then everyone's, then permissions. Without `see` nothing (docs/rights.md).
import type { AccessReason } from '../access-types.ts'
import type { Permissions, Verb } from '../api-types.ts'
import { type PlaceText, splitPlace } from '../lib/places.ts'
import { BITS, bitsOfPermissions, saidBy } from '../lib/verbs.ts'
import { ROOT, type VPath } from '../lib/vpath.ts'
import type { Folder } from '../store/access/folder-record.ts'

/** Sets of verbs, see BITS. */
interface Said {
  yes: number
  no: number
}

interface Node {
  readonly children: ReadonlyMap<string, Node> | null
  /** Several where a disk without case takes their spellings for one name. */
  readonly folders: readonly Folder[]
}

/** All records, by place: made once for everybody. It never changes; see withChanges. */
export interface FolderTree {
  readonly roots: ReadonlyMap<string, Node>
  /** The records that say something of somebody. */
  readonly heard: ReadonlyMap<string, readonly Folder[]>
  /** The verbs of which somebody has a yes somewhere. */
  readonly given: (who: string) => number
  /** The spelling by which names are compared. */
  readonly spell: (vpath: VPath) => string
}

/** Who asks. */
export interface Asker {
  id: number
  /** Numbers of groups. */
  groups: readonly number[]
  /** Of the account and its groups. */
  perm: Permissions
  /** What a token allows at most, whatever records say. */
  atMost?: Permissions | undefined
}

/** What decided, as the API has it; groups by number. */
export type Reason = Omit<AccessReason, 'group' | 'place'> & { place?: PlaceText; groupID?: number }

/** What records say to one account. */
export interface Rights {
  /** The verbs that are allowed somewhere. */
  readonly anywhere: number
  /** Reads below a place, by paths relative to it. Fast where it is asked for neighbours one after the other. */
  below(base: PlaceText): (vpath: VPath) => number
  /** The nearest place at or above whose record speaks to the account; null without one. */
  recordOf(place: PlaceText): PlaceText | null
  /** The folders that stand at the top of the account's tree, by their names: a grant on each says `see` to it. */
  readonly tops: () => ReadonlyMap<string, PlaceText>
  /** False where the same holds for all that lies below. */
  differsBelow(place: PlaceText): boolean
  explain(place: PlaceText, verb: Verb): { allowed: boolean; by: Reason }
}

/** Compiles all records; `spell` gives the spelling of a path by which names are compared. */
export function compileFolders(folders: readonly Folder[], spell: FolderTree['spell']): FolderTree {
  interface Open {
    children: Map<string, Open> | null
    folders: Folder[]
  }
  const roots = new Map<string, Open>()
  const heard = new Map<string, Folder[]>()
  for (const folder of folders) {
    const { root, vpath } = splitPlace(folder.place)
    let node: Open = roots.get(root) ?? { children: null, folders: [] }
    roots.set(root, node)
    for (const name of segmentsOf(spell(vpath))) {
      node.children ??= new Map()
      let child = node.children.get(name)
      if (!child) {
        child = { children: null, folders: [] }
        node.children.set(name, child)
      }
      node = child
    }
    node.folders.push(folder)
    for (const { who } of folder.grants) {
      const records = heard.get(who)
      if (records) records.push(folder)
      else heard.set(who, [folder])
    }
  }
  return treeOf(roots, heard, spell)
}

/** More changes at once than these are compiled anew. */
const MAX_CHANGES = 16

/**
 * What compileFolders makes of `now`, from what it has made of `before`: of two lists that differ in a few records all
 * else is taken over.
 */
export function withChanges(
  tree: FolderTree,
  before: readonly Folder[],
  now: readonly Folder[],
): FolderTree {
  let from = 0
  while (from < before.length && from < now.length && before[from] === now[from]) from++
  let rest = 0
  const most = Math.min(before.length, now.length) - from
  while (rest < most && before.at(-1 - rest) === now.at(-1 - rest)) rest++
  const gone = before.slice(from, before.length - rest)
  const come = now.slice(from, now.length - rest)
  if (gone.length + come.length > MAX_CHANGES) return compileFolders(now, tree.spell)
  const roots = new Map(tree.roots)
  const heard = new Map(tree.heard)
  const change = (folder: Folder, make: (records: readonly Folder[]) => readonly Folder[]) => {
    const { root, vpath } = splitPlace(folder.place)
    setOrDelete(roots, root, changed(roots.get(root), segmentsOf(tree.spell(vpath)), make))
    for (const { who } of folder.grants) {
      const records = make(heard.get(who) ?? [])
      setOrDelete(heard, who, records.length > 0 ? records : null)
    }
  }
  for (const folder of gone) change(folder, (records) => records.filter((one) => one !== folder))
  for (const folder of come) change(folder, (records) => [...records, folder])
  return treeOf(roots, heard, tree.spell)
}

/** A node with other records at a place below it; null without any. */
function changed(
  node: Node | undefined,
  [name, ...names]: readonly string[],
  make: (folders: readonly Folder[]) => readonly Folder[],
): Node | null {
  const { folders = [], children = null } = node ?? {}
  if (name === undefined) return nodeOf(make(folders), children)
  const others = new Map(children)
  setOrDelete(others, name, changed(children?.get(name), names, make))
  return nodeOf(folders, others)
}

function nodeOf(folders: readonly Folder[], children: Node['children']): Node | null {
  if (folders.length === 0 && !children?.size) return null
  return { folders, children: children?.size ? children : null }
}

function setOrDelete<V>(map: Map<string, V>, key: string, value: V | null): void {
  if (value === null) map.delete(key)
  else map.set(key, value)
}

function treeOf(
  roots: FolderTree['roots'],
  heard: FolderTree['heard'],
  spell: FolderTree['spell'],
): FolderTree {
  const given = new Map<string, number>()
  const giveTo = (who: string) => {
    let yes = 0
    for (const { grants } of heard.get(who) ?? [])
      for (const grant of grants) if (grant.who === who) yes |= saidBy(grant).yes
    given.set(who, yes)
    return yes
  }
  return { roots, heard, given: (who) => given.get(who) ?? giveTo(who), spell }
}

function segmentsOf(vpath: string): string[] {
  return vpath === ROOT ? [] : vpath.slice(1).split('/')
}

/** What holds at a node, and below it where no other is. */
interface State {
  /** By whom it is said. */
  readonly words: ReadonlyMap<string, Said>
  readonly bits: number
  /** The nearest node that speaks to the account. */
  readonly at: Node | null
}

const NOTHING_SAID: Said = { yes: 0, no: 0 }
const EVERYONE = 'everyone'

/** What the records say to an account; null when none speaks of it, of its groups or of everyone. */
export function rightsIn(tree: FolderTree, asker: Asker): Rights | null {
  const own = `user:${asker.id}`
  const groups = asker.groups.map((id) => `group:${id}`)
  const names = new Set([own, ...groups, EVERYONE].filter((who) => tree.heard.has(who)))
  if (names.size === 0) return null
  const base = bitsOfPermissions(asker.perm) & ~BITS.pass
  const most = asker.atMost ? bitsOfPermissions(asker.atMost) : ~0
  const start: State = { words: new Map(), bits: base & most, at: null }
  const states = new Map<Node, State>()

  const decide = (words: ReadonlyMap<string, Said>): number => {
    const said = (who: string) => words.get(who) ?? NOTHING_SAID
    const ofGroups = { yes: 0, no: 0 }
    for (const who of groups) {
      ofGroups.yes |= said(who).yes
      ofGroups.no |= said(who).no
    }
    let bits = base
    // The weakest word first.
    for (const { yes, no } of [said(EVERYONE), ofGroups, said(own)]) bits = (bits & ~no) | yes
    return bits & BITS.see ? bits & most : 0
  }
  const heardAt = (node: Node, above: State, said: ReadonlyMap<string, Said>): State => {
    const words = new Map(above.words)
    for (const [who, now] of said) {
      const { yes, no } = words.get(who) ?? NOTHING_SAID
      const spoken = now.yes | now.no
      words.set(who, { yes: (yes & ~spoken) | now.yes, no: (no & ~spoken) | now.no })
    }
    return { words, bits: decide(words), at: node }
  }
  const stateIn = (above: State, node: Node): State => {
    const known = states.get(node)
    if (known) return known
    const said = saidAt(node, names)
    const state = said.size === 0 ? above : heardAt(node, above, said)
    states.set(node, state)
    return state
  }
  /** Of the last of nodes that lie in each other, from the top. */
  const stateOf = (nodes: readonly Node[]) => nodes.reduce(stateIn, start)
  const isSeen = ({ place }: Folder) => (stateOf(nearest(tree, place).nodes).bits & BITS.see) !== 0
  const ways = once(() => {
    const found = new Set<Node>()
    for (const who of names)
      for (const folder of tree.heard.get(who) ?? [])
        if (isSeen(folder))
          for (const node of nearest(tree, folder.place).nodes.slice(0, -1)) found.add(node)
    return found
  })
  const tops = once(() => topsIn(tree, names, isSeen))
  const passing = (bits: number) => (bits & BITS.see ? bits | BITS.pass : bits)
  /** At the node itself, which may be a mere way. */
  const bitsAt = (node: Node, { bits }: State) => {
    return bits & BITS.see || !ways().has(node) ? passing(bits) : BITS.pass
  }

  return {
    get anywhere() {
      const top = tree.roots.get('')
      const base = (top ? stateIn(start, top) : start).bits
      return ([...names].reduce((all, who) => all | tree.given(who), base) & most) | BITS.pass
    },
    below: (place) => {
      const { nodes, isExact } = nearest(tree, place)
      const [node, top] = [nodes.at(-1), stateOf(nodes)]
      if (!node || !isExact || !node.children) {
        const bits = passing(top.bits)
        const atTop = node && isExact ? bitsAt(node, top) : bits
        return (vpath) => (vpath === ROOT ? atTop : bits)
      }
      const inner = { of: stateIn, at: bitsAt, below: ({ bits }: State) => passing(bits) }
      return reader(node, top, tree.spell, inner)
    },
    recordOf: (place) => stateOf(nearest(tree, place).nodes).at?.folders[0]?.place ?? null,
    tops,
    differsBelow: (place) => {
      const { nodes, isExact } = nearest(tree, place)
      return isExact && Boolean(nodes.at(-1)?.children)
    },
    explain: (place, verb) => explain(nearest(tree, place).nodes, verb, own, groups, base),
  }
}

/** The folders at the top, by name: those that a grant says `see` of, and that are seen. */
function topsIn(
  tree: FolderTree,
  names: Iterable<string>,
  isSeen: (folder: Folder) => boolean,
): Map<string, PlaceText> {
  const found = new Map<string, PlaceText>()
  for (const who of names)
    for (const folder of tree.heard.get(who) ?? []) {
      const { as, place, grants } = folder
      const isGiven = as !== '' && grants.some((grant) => grant.who === who && grant.see)
      if (isGiven && isSeen(folder)) found.set(as, place)
    }
  return found
}

/** Reads below a node: `of` gives the state of one in another, `at` what holds at it, `below` what holds below it where there is no other. */
function reader(
  top: Node,
  topState: State,
  spell: FolderTree['spell'],
  inner: {
    of: (above: State, node: Node) => State
    at: (node: Node, state: State) => number
    below: (state: State) => number
  },
): (vpath: VPath) => number {
  // The last folder that has records below it: its neighbours are asked for next.
  let folder = top
  let state = topState
  let prefix = '/'
  return (asked) => {
    const vpath = spell(asked)
    if (vpath === ROOT) return inner.at(top, topState)
    if (!vpath.startsWith(prefix)) {
      folder = top
      state = topState
      prefix = '/'
    }
    for (;;) {
      if (!folder.children) return inner.below(state)
      const end = vpath.indexOf('/', prefix.length)
      const child = folder.children.get(vpath.slice(prefix.length, end < 0 ? undefined : end))
      if (!child) return inner.below(state)
      const there = inner.of(state, child)
      if (end < 0) return inner.at(child, there)
      folder = child
      state = there
      prefix = vpath.slice(0, end + 1)
    }
  }
}

/** The nodes from the top to the deepest at or above a place; `isExact` where that is at the place itself. */
function nearest(tree: FolderTree, place: PlaceText): { nodes: Node[]; isExact: boolean } {
  const { root, vpath } = splitPlace(place)
  const nodes: Node[] = []
  let node = tree.roots.get(root)
  if (!node) return { nodes, isExact: false }
  nodes.push(node)
  for (const name of segmentsOf(tree.spell(vpath))) {
    node = node.children?.get(name)
    if (!node) return { nodes, isExact: false }
    nodes.push(node)
  }
  return { nodes, isExact: true }
}

/** What is said at a node, by whom; where two spellings of a name differ, the no. */
function saidAt({ folders }: Node, names: ReadonlySet<string>): ReadonlyMap<string, Said> {
  const found = new Map<string, Said>()
  for (const { grants } of folders)
    for (const grant of grants) {
      if (!names.has(grant.who)) continue
      const { yes, no } = saidBy(grant)
      const other = found.get(grant.who) ?? NOTHING_SAID
      const allNo = no | other.no
      found.set(grant.who, { yes: (yes | other.yes) & ~allNo, no: allNo })
    }
  return found
}

function explain(
  nodes: readonly Node[],
  verb: Verb,
  own: string,
  groups: readonly string[],
  base: number,
): { allowed: boolean; by: Reason } {
  if (verb !== 'see' && !explain(nodes, 'see', own, groups, base).allowed)
    return { allowed: false, by: { kind: 'see' } }
  const bit = BITS[verb]
  const word = (who: string) => {
    for (const at of nodes.toReversed()) {
      const said = saidAt(at, new Set([who])).get(who)
      if (said && (said.yes | said.no) & bit)
        return { allowed: (said.yes & bit) !== 0, place: at.folders[0]?.place as PlaceText, who }
    }
    return null
  }
  const account = word(own)
  if (account) return { allowed: account.allowed, by: { kind: 'account', place: account.place } }
  const heard = groups.flatMap((who) => word(who) ?? [])
  const group = heard.find(({ allowed }) => allowed) ?? heard[0]
  if (group) {
    const groupID = Number(group.who.slice('group:'.length))
    return { allowed: group.allowed, by: { kind: 'group', place: group.place, groupID } }
  }
  const all = word(EVERYONE)
  if (all) return { allowed: all.allowed, by: { kind: 'everyone', place: all.place } }
  return { allowed: (base & bit) !== 0, by: { kind: verb === 'see' ? 'default' : 'permission' } }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
