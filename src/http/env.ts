// What every route is given: the dependencies made once, and the facts of one request.
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Clients } from '../auth/clients.ts'
import type { HomeOptions } from '../auth/home.ts'
import type { Sessions } from '../auth/sessions.ts'
import type { Throttle } from '../auth/throttle.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { Config } from '../config/config.ts'
import type { CaselessDisks } from '../files/caseless/caseless-disks.ts'
import type { Disks } from '../files/disks/disks.ts'
import type { Scope } from '../files/place/scope.ts'
import type { Previews } from '../files/preview/previews.ts'
import type { SubtitleConverter } from '../files/subtitle/converter.ts'
import type { Resumables } from '../files/transfer/resumable.ts'
import type { TempRegistry } from '../files/transfer/temp-registry.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Locks } from '../lib/locks.ts'
import type { Logger } from '../lib/log.ts'
import type { Programs } from '../programs/runner.ts'
import type { Session, User } from '../store/document.ts'
import type { Store } from '../store/store.ts'
import type { Assets } from './assets.ts'
import type { PendingBodies } from './pending-bodies.ts'
import type { Target } from './request-path.ts'
import type { Selections } from './selections.ts'
import type { Demand } from './standing.ts'
import type { Transfers } from './transfers.ts'

/** What the program brings along. */
export interface BaseDeps {
  config: Config
  store: Store
  log: Logger
  assets: Assets
  /** The served tree ignores case (macOS, Windows): rules are folded then. */
  foldCase: boolean
  /** How long a body may take that is read into memory, in milliseconds; see body.ts. */
  bodyTimeoutMs?: number
}

export interface Deps extends Required<BaseDeps> {
  disks: Disks
  tokens: Tokens
  sessions: Sessions
  clients: Clients
  logins: Throttle
  sharePasswords: Throttle
  /** Accounts that were made by sign-up, and failures to make one. */
  signups: Throttle
  /** Lets a few sign-in programs run at a time. */
  inSignInTurn: <T>(fn: () => Promise<T>) => Promise<T>
  resumables: Resumables
  temps: TempRegistry
  /** Held by host path while a finished body is moved into place. */
  saves: Locks
  programs: Programs
  hooks: Hooks
  previews: Previews
  caselessDisks: CaselessDisks
  subtitles: SubtitleConverter
  selections: Selections
  bodies: PendingBodies
  transfers: Transfers
  /** Second of the last change of each user since the start, for the renewal hint. */
  userChanges: Map<number, number>
  /** Creates the folder of a scope below the server root. */
  makeHome(scope: string, options?: HomeOptions): Promise<void>
}

export interface Bindings extends HttpBindings {
  target: Target
}

export interface Variables {
  user: User
  session: Session
  scope: Scope
  /** What the request needs to be true until it acts; see standing.ts. */
  demands: Demand[] | undefined
  /** Counts the memory of the answer, in bytes, until it is over; see transfers.ts. */
  admit(bytes: number): Promise<void>
  /** Text of the failure for the log line. */
  failure: string
}

export type Env = { Bindings: Bindings; Variables: Variables }
export type Ctx = Context<Env>
