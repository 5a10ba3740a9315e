// The tree that an account sees: its folder, under the rules of all and its own.
import { join } from 'node:path'
import type { Rule, Verb } from '../api-types.ts'
import type { Config } from '../config/config.ts'
import type { CaselessDisks } from '../files/caseless/caseless-disks.ts'
import { bareTop, joinScopes } from '../files/place/joined.ts'
import type { May, PlaceRights } from '../files/place/path-rules.ts'
import type { Roots } from '../files/place/roots.ts'
import { createScope, type Scope } from '../files/place/scope.ts'
import type { Volume } from '../files/volume/volume.ts'
import { AppError } from '../lib/errors.ts'
import { memo } from '../lib/memo.ts'
import { type PlaceText, splitPlace } from '../lib/places.ts'
import { BITS, bitsOfPermissions } from '../lib/verbs.ts'
import { joinVPath, ROOT, type VPath } from '../lib/vpath.ts'
import type { Settings } from '../store/document.ts'
import type { Store } from '../store/store.ts'
import { type Adapt, foldersOf, placeInTree, placeRights, type TreeUser } from './folder-rights.ts'
import { bothAllow, compileRules, notHidden, type PathTest } from './rules.ts'

export interface TreeServices {
  config: Config
  store: Store
  volume: Volume
  caselessDisks: CaselessDisks
  roots: Roots
  /** The served tree ignores case (macOS, Windows): rules are folded then. */
  foldCase: boolean
}

export type { TreeUser }

/** The user's tree with global rules, own rules and hidden names applied. */
export function scopeOf(services: TreeServices, user: TreeUser): Scope {
  return treeBy(services, user, 'shown', asTheyAre)
}

/** The same as those see it to whom the user has given a link: what may be shared and downloaded. */
export function sharedScopeOf(services: TreeServices, user: TreeUser): Scope {
  return treeBy(services, user, 'shown', asHandedOn)
}

/**
 * The user's tree under the rules alone: for copy, move, delete and modes, which take hidden names along
 * (docs/http-api.md 4.3). `within` is a move that stays within one record: it needs the right to rename alone, also
 * where it has to copy.
 */
export function treeScopeOf(
  services: TreeServices,
  user: TreeUser,
  what: 'copy' | 'move' | 'move within' | 'delete' | 'mode',
): Scope {
  const adapt = { copy: forCopies(services, user), 'move within': asRename }[what as string]
  return treeBy(services, user, 'rules', adapt ?? asTheyAre)
}

const asTheyAre: Adapt = (bits) => bits
const asHandedOn: Adapt = (bits) => ((bits & HANDED_ON) === HANDED_ON ? bits : 0)
const withDownload: Adapt = (bits) => bits | BITS.download
const HANDED_ON = BITS.share | BITS.download
const MOVED = BITS.download | BITS.create | BITS.delete
const asRename: Adapt = (bits) => (bits & BITS.rename ? bits | MOVED : bits & ~MOVED)

// As in the original, where no record says what may be downloaded.
function forCopies(services: TreeServices, user: TreeUser): Adapt {
  return isSpokenOf(services, user) ? asTheyAre : withDownload
}

/** True when a record of a folder speaks of the account, of its groups or of everyone. */
export function isSpokenOf({ store }: TreeServices, user: TreeUser): boolean {
  return foldersOf(store).rightsOf(user, 'exact') !== null
}

/** Whether the account may do this somewhere. */
export function mayAnywhere({ store }: TreeServices, user: TreeUser, verb: Verb): boolean {
  const rights = foldersOf(store).rightsOf(user, 'exact')
  return ((rights?.anywhere ?? bitsOfPermissions(user.perm)) & BITS[verb]) !== 0
}

/** Whether the account may have links at all. */
export function mayShareSomewhere(services: TreeServices, user: TreeUser): boolean {
  return mayAnywhere(services, user, 'share') && mayAnywhere(services, user, 'download')
}

/** What the tree of an account follows from, besides its record: other objects when one of them has changed. */
export function treeFactsOf({ store }: Pick<TreeServices, 'store'>): readonly object[] {
  return [store.settings(), foldersOf(store)]
}

/** True when any rule exists: walks over descendants can be saved otherwise. */
export function hasRules({ store }: TreeServices, user: TreeUser): boolean {
  return store.settings().rules.length + user.rules.length + limitOf(user).length > 0
}

/** The folder of a token, as rules. */
function limitOf({ folder = ROOT }: TreeUser): Rule[] {
  if (folder === ROOT) return []
  const rule = { regex: false, regexp: null }
  return [
    { ...rule, allow: false, path: ROOT },
    { ...rule, allow: true, path: folder },
  ]
}

type View = 'shown' | 'rules'

/** Made once for an account as it is, and anew when something has changed that it follows from. */
function treeBy(services: TreeServices, user: TreeUser, view: View, adapt: Adapt): Scope {
  const known = treesOf(services)(user)
  const facts = treeFactsOf(services)
  if (facts.some((fact, i) => fact !== known.facts[i])) Object.assign(known, noTrees(facts))
  let tree = known[view].get(adapt)
  if (!tree) {
    tree = buildScope(services, user, view, adapt)
    known[view].set(adapt, tree)
  }
  return tree
}

function noTrees(facts: readonly object[]) {
  return { facts, shown: new Map<Adapt, Scope>(), rules: new Map<Adapt, Scope>() }
}

const treesOf = memo((_services: TreeServices) => memo((_user: TreeUser) => noTrees([])))

// The home, and beside it what stands at the top.
function buildScope(services: TreeServices, user: TreeUser, view: View, adapt: Adapt): Scope {
  const folders = foldersOf(services.store)
  const tops = folders.topsOf(user)
  const treeAt = (base: PlaceText, top: VPath) =>
    buildTree(services, user, view, { base, top, adapt })
  const base = placeInTree(user, ROOT)
  // What stands beside a home that is not seen is still come to by its top.
  const isHidden =
    tops.size > 0 &&
    ((folders.rightsOf(user, 'exact')?.below(base)(ROOT) ?? BITS.pass) & BITS.pass) === 0 &&
    isShown(services, user, ROOT)
  const home =
    folders.hasHome(user) && !isHidden
      ? treeAt(base, ROOT)
      : bareTop(services.volume, services.config.root)
  if (tops.size === 0) return home
  const mounts = [...tops].map(([name, place]): [string, Scope] => [
    name,
    treeAt(place, joinVPath(ROOT, name)),
  ])
  return joinScopes(home, new Map(mounts))
}

/** The tree that begins at the place `base` and stands at `top` in that of the account. */
function buildTree(
  services: TreeServices,
  user: TreeUser,
  view: View,
  at: { base: PlaceText; top: VPath; adapt: Adapt },
): Scope {
  const { store, volume } = services
  const { root, path, foldCase, caselessDisks, requirePresent } = rootOf(services, at.base)
  const { fileMode, dirMode } = store.settings()
  const folders = foldersOf(store)
  const rightsBy = (spelling: 'exact' | 'folded') => {
    const rights = folders.rightsOf(user, spelling)
    return rights && placeRights(services, rights, at)
  }
  const rights = rightsBy(foldCase ? 'folded' : 'exact')
  const rules = rulesOf(store, user, foldCase)
  const bits = at.adapt(bitsOfPermissions(user.perm))
  return createScope({
    volume,
    root: path,
    within: root,
    base: at.top,
    requirePresent,
    may: mayBy(rules[view], rights, bits),
    rights: rights ?? undefined,
    caseless:
      rights || hasRules(services, user)
        ? {
            disks: caselessDisks,
            may: late(() => mayBy(rules.folded, rights && rightsBy('folded'), bits)),
          }
        : undefined,
    followExternalSymlinks: services.config.followExternalSymlinks,
    owner: user.id,
    fileMode,
    dirMode,
  })
}

/** Where the tree of a place begins, and what holds on its disk. */
function rootOf({ config, caselessDisks, foldCase, roots }: TreeServices, base: PlaceText) {
  const { root: name, vpath } = splitPlace(base)
  const further = roots.get(name)
  const root = further?.path ?? config.root
  const served = { caselessDisks, foldCase, requirePresent: undefined }
  const unknown = async () => {
    throw new AppError('not_mounted', `the server was started without the root ${name}`)
  }
  return {
    ...(further ?? (name === '' ? served : { ...served, requirePresent: unknown })),
    root,
    path: join(root, vpath),
  }
}

/** Rules must allow, and then records of folders, or without any of the account its permissions. */
function mayBy(allow: PathTest, rights: PlaceRights | null, bits: number): May {
  if (!rights) return (vpath, verb) => (bits & BITS[verb]) !== 0 && allow(vpath)
  return (vpath, verb) => rights.may(vpath, verb) && allow(vpath)
}

/** Made when it is first asked: almost no disk is without case. */
function late(make: () => May): May {
  let made: May | undefined
  return (vpath, verb) => {
    made ??= make()
    return made(vpath, verb)
  }
}

interface CompiledRules {
  /** Rules and hidden names. */
  shown: PathTest
  /** Rules alone: what a tree operation must respect in every descendant (docs/http-api.md 7.7). */
  rules: PathTest
  /** The rules as they are meant on disks without case. */
  folded: PathTest
}

/** Whether rules and hidden names leave a path of its tree to an account. */
export function isShown(
  services: Pick<TreeServices, 'store' | 'foldCase'>,
  user: TreeUser,
  vpath: VPath,
): boolean {
  return rulesOf(services.store, user, services.foldCase).shown(vpath)
}

function rulesOf(store: Store, user: TreeUser, foldCase: boolean): CompiledRules {
  return compiled(store.settings())(user)[foldCase ? 'folded' : 'exact']
}

/** By the records of settings and account, which are replaced when they change. */
const compiled = memo((settings: Settings) =>
  memo((user: TreeUser) => {
    const all = [...settings.rules, ...user.rules]
    const compile = (fold: boolean) =>
      bothAllow(compileRules(all, fold), compileRules(limitOf(user), fold))
    const folded = compile(true)
    const withHidden = (rules: PathTest) => ({
      shown: user.hideDotfiles ? bothAllow(rules, notHidden) : rules,
      rules,
      folded,
    })
    return { exact: withHidden(compile(false)), folded: withHidden(folded) }
  }),
)
