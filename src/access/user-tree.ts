// The tree that an account sees: its folder, under the rules of all and its own.
import { join } from 'node:path'
import type { Rule } from '../api-types.ts'
import type { Config } from '../config/config.ts'
import type { CaselessDisks } from '../files/caseless/caseless-disks.ts'
import { createScope, type Scope } from '../files/place/scope.ts'
import type { Volume } from '../files/volume/volume.ts'
import { memo } from '../lib/memo.ts'
import { ROOT, type VPath, vpathOf } from '../lib/vpath.ts'
import type { Settings, User } from '../store/document.ts'
import type { Store } from '../store/store.ts'
import { bothAllow, compileRules, notHidden, type PathTest } from './rules.ts'

export interface TreeServices {
  config: Config
  store: Store
  volume: Volume
  caselessDisks: CaselessDisks
  /** The served tree ignores case (macOS, Windows): rules are folded then. */
  foldCase: boolean
}

/** An account, or what a token may see of one. */
export interface TreeUser extends User {
  /** All that is seen; the whole tree without it. */
  folder?: VPath
}

/** The user's tree with global rules, own rules and hidden names applied. */
export function scopeOf(services: TreeServices, user: TreeUser): Scope {
  return buildScope(services, user, rulesOf(services, user).shown)
}

/**
 * The user's tree under the rules alone: for copy, move and delete, which take hidden names along
 * (docs/http-api.md 4.3).
 */
export function treeScopeOf(services: TreeServices, user: TreeUser): Scope {
  return buildScope(services, user, rulesOf(services, user).rules)
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

function buildScope(services: TreeServices, user: TreeUser, allow: PathTest): Scope {
  const { config, store, volume, caselessDisks } = services
  const { fileMode, dirMode } = store.settings()
  return createScope({
    volume,
    // `..` in a stored scope cannot climb out of the server root.
    root: join(config.root, vpathOf(user.scope)),
    within: config.root,
    allow,
    caseless: hasRules(services, user)
      ? { disks: caselessDisks, allow: rulesOf(services, user).folded }
      : undefined,
    followExternalSymlinks: config.followExternalSymlinks,
    fileMode,
    dirMode,
  })
}

interface CompiledRules {
  /** Rules and hidden names. */
  shown: PathTest
  /** Rules alone: what a tree operation must respect in every descendant (docs/http-api.md 7.7). */
  rules: PathTest
  /** The rules as they are meant on disks without case. */
  folded: PathTest
}

function rulesOf({ store, foldCase }: TreeServices, user: TreeUser): CompiledRules {
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
