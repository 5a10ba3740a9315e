// What the page does for the account that asks (docs/http-api.md 5.6).
import { Hono } from 'hono'
import { addFacts, audited } from '../../http/audit.ts'
import { readJson } from '../../http/body.ts'
import { type Env, signedIn } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { requireSession, requireUser } from '../../http/guard.ts'
import { sendJson, sendStatus } from '../../http/respond.ts'
import { preferencesOf, setPreferences } from '../../store/access/preferences.ts'
import { parsePreferenceFields } from '../../store/access/records.ts'

const PREFERENCES = '/api/preferences'

export function preferenceRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const guard = requireUser(deps)
  app.get(PREFERENCES, guard, (c) => sendJson(preferencesOf(deps.store, signedIn(c).user.id)))
  app.put(PREFERENCES, guard, audited('user-change'), requireSession, async (c) => {
    const wanted = await readJson(c, deps, parsePreferenceFields)
    const { id, username } = signedIn(c).user
    addFacts(c, { target: username })
    await deps.store.transaction((tx) => setPreferences(tx, id, wanted))
    return sendStatus(204)
  })
  return app
}
