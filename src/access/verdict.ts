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
  readonly parent: Node | null
  children: Map<string, Node> | null
  /** Several where a disk without case takes their spellings for one name. */
  readonly folders: Folder[]
}

/** All records, by place: made once for everybody, and again when one changes. */
export interface FolderTree {
  readonly roots: ReadonlyMap<string, Node>
  /** Where something is said of somebody. */
  readonly heard: ReadonlyMap<string, readonly Node[]>
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

export function compileFolders(
  folders: readonly Folder[],
  spell: (vpath: string) => string,
): FolderTree {
  const roots = new Map<string, Node>()
  const heard = new Map<string, Node[]>()
  const given = new Map<string, number>()
  for (const folder of folders) {
    const { root, vpath } = splitPlace(folder.place)
    let node = roots.get(root) ?? newNode(null)
    roots.set(root, node)
    for (const name of segmentsOf(spell(vpath))) {
      node.children ??= new Map()
      let child = node.children.get(name)
      if (!child) {
        child = newNode(node)
        node.children.set(name, child)
      }
      node = child
    }
    node.folders.push(folder)
    for (const { who } of folder.grants) {
      const nodes = heard.get(who)
      if (nodes) nodes.push(node)
      else heard.set(who, [node])
    }
  }
  const giveTo = (who: string) => {
    let yes = 0
    for (const node of heard.get(who) ?? []) yes |= saidAt(node, new Set([who])).get(who)?.yes ?? 0
    given.set(who, yes)
    return yes
  }
  return { roots, heard, given: (who) => given.get(who) ?? giveTo(who), spell }
}

function newNode(parent: Node | null): Node {
  return { parent, children: null, folders: [] }
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
  const stateOf = (node: Node): State => {
    const known = states.get(node)
    if (known) return known
    const above = node.parent ? stateOf(node.parent) : start
    const said = saidAt(node, names)
    const state = said.size === 0 ? above : heardAt(node, above, said)
    states.set(node, state)
    return state
  }
  const ways = once(() => {
    const found = new Set<Node>()
    for (const who of names)
      for (const node of tree.heard.get(who) ?? [])
        if (stateOf(node).bits & BITS.see)
          for (let up = node.parent; up && !found.has(up); up = up.parent) found.add(up)
    return found
  })
  const tops = once(() => topsIn(tree, names, (node) => (stateOf(node).bits & BITS.see) !== 0))
  const passing = (bits: number) => (bits & BITS.see ? bits | BITS.pass : bits)
  /** At the node itself, which may be a mere way. */
  const bitsAt = (node: Node) => {
    const { bits } = stateOf(node)
    return bits & BITS.see || !ways().has(node) ? passing(bits) : BITS.pass
  }

  return {
    get anywhere() {
      const top = tree.roots.get('')
      const base = (top ? stateOf(top) : start).bits
      return ([...names].reduce((all, who) => all | tree.given(who), base) & most) | BITS.pass
    },
    below: (place) => {
      const { node, isExact } = nearest(tree, place)
      const top = node ? stateOf(node) : start
      if (!node || !isExact || !node.children) {
        const bits = passing(top.bits)
        const atTop = node && isExact ? bitsAt(node) : bits
        return (vpath) => (vpath === ROOT ? atTop : bits)
      }
      return reader(node, tree.spell, bitsAt, (inner) => passing(stateOf(inner).bits))
    },
    recordOf: (place) => {
      const { node } = nearest(tree, place)
      return (node && stateOf(node).at?.folders[0]?.place) ?? null
    },
    tops,
    differsBelow: (place) => {
      const { node, isExact } = nearest(tree, place)
      return node !== null && isExact && node.children !== null
    },
    explain: (place, verb) => explain(nearest(tree, place).node, verb, own, groups, base),
  }
}

/** The folders at the top, by name: those that a grant says `see` of, and that are seen. */
function topsIn(
  tree: FolderTree,
  names: Iterable<string>,
  isSeen: (node: Node) => boolean,
): Map<string, PlaceText> {
  const found = new Map<string, PlaceText>()
  for (const who of names)
    for (const node of tree.heard.get(who) ?? [])
      for (const { as, place, grants } of node.folders) {
        const isGiven = as !== '' && grants.some((grant) => grant.who === who && grant.see)
        if (isGiven && isSeen(node)) found.set(as, place)
      }
  return found
}

/** `at` gives what holds at a node, `below` what holds below it where there is no other. */
function reader(
  top: Node,
  spell: FolderTree['spell'],
  at: (node: Node) => number,
  below: (node: Node) => number,
): (vpath: VPath) => number {
  // The last folder that has records below it: its neighbours are asked for next.
  let folder = top
  let prefix = '/'
  return (asked) => {
    const vpath = spell(asked)
    if (vpath === ROOT) return at(top)
    if (!vpath.startsWith(prefix)) {
      folder = top
      prefix = '/'
    }
    for (;;) {
      if (!folder.children) return below(folder)
      const end = vpath.indexOf('/', prefix.length)
      const child = folder.children.get(vpath.slice(prefix.length, end < 0 ? undefined : end))
      if (!child) return below(folder)
      if (end < 0) return at(child)
      folder = child
      prefix = vpath.slice(0, end + 1)
    }
  }
}

/** The deepest node at or above a place; `isExact` where it is at the place itself. */
function nearest(tree: FolderTree, place: PlaceText): { node: Node | null; isExact: boolean } {
  const { root, vpath } = splitPlace(place)
  const top = tree.roots.get(root)
  if (!top) return { node: null, isExact: false }
  let node: Node = top
  for (const name of segmentsOf(tree.spell(vpath))) {
    const child = node.children?.get(name)
    if (!child) return { node, isExact: false }
    node = child
  }
  return { node, isExact: true }
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
  node: Node | null,
  verb: Verb,
  own: string,
  groups: readonly string[],
  base: number,
): { allowed: boolean; by: Reason } {
  if (verb !== 'see' && !explain(node, 'see', own, groups, base).allowed)
    return { allowed: false, by: { kind: 'see' } }
  const bit = BITS[verb]
  const word = (who: string) => {
    for (let at = node; at; at = at.parent) {
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
