// Global settings, for administrators (docs/http-api.md 17).
import { Hono } from 'hono'
import { checkPermissions, checkRules } from '../access/rules.ts'
import type { SettingsRecord } from '../api-types.ts'
import type { Config } from '../config/config.ts'
import { fixedIn, KEEP_KEYS, keepTexts, problemIn } from '../config/keep-policy.ts'
import { webhookSecretOf } from '../hooks/webhooks.ts'
import { audited } from '../http/audit.ts'
import { readJson } from '../http/body.ts'
import { type Env, recheck } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { requireAdmin, requireUser } from '../http/guard.ts'
import { sendJson, sendStatus } from '../http/respond.ts'
import { badRequest } from '../lib/errors.ts'
import { asString, type Reader } from '../lib/parse.ts'
import { SETTINGS } from '../store/collections.ts'
import {
  DEFAULT_MINIMUM_PASSWORD_LENGTH,
  DEFAULT_TUS,
  DEFAULT_USER_HOME_BASE,
  type Settings,
} from '../store/document.ts'
import {
  parseBranding,
  parseCommands,
  parsePolicy,
  parseRule,
  parseUserDefaults,
  parseWebhook,
} from '../store/parse-records.ts'

export function settingsRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/settings', requireUser(deps), requireAdmin, () =>
    sendJson(presentSettings(deps.store.settings(), deps.config)),
  )
  app.put('/api/settings', requireUser(deps), audited('settings'), requireAdmin, async (c) => {
    const given = await readJson(c, deps, (r) => parseSettings(r, deps.store.settings()))
    checkRules(given.rules)
    checkPermissions(given.defaults.perm)
    await deps.store.transaction((tx) => {
      recheck(c)
      // The method of signing in is changed on the command line alone.
      const { authMethod: _, secondFactor, keepAge: _a, keepSize: _s, ...fields } = given
      tx.replace(SETTINGS, {
        ...tx.settings(),
        ...fields,
        // Neither clients of the original nor what is configured besides changes what is stored.
        ...(secondFactor !== undefined && deps.config.secondFactor === '' && { secondFactor }),
        ...keepFrom(deps.config, given),
      })
    })
    return sendStatus(200)
  })
  return app
}

/**
 * What leaves the server: neither signing key nor sign-in secrets nor server options. The key of
 * webhooks does unless it was configured, because receivers need it and only here it can be read.
 */
function presentSettings(settings: Settings, config: Config): SettingsRecord {
  const { webhookSecret, secondFactor } = config
  return {
    signup: settings.signup,
    hideLoginButton: settings.hideLoginButton,
    createUserDir: settings.createUserDir,
    minimumPasswordLength: settings.minimumPasswordLength,
    userHomeBasePath: settings.userHomeBasePath,
    defaults: settings.defaults,
    authMethod: settings.authMethod,
    rules: settings.rules,
    branding: settings.branding,
    tus: settings.tus,
    shell: settings.shell,
    commands: settings.commands,
    webhooks: settings.webhooks,
    secondFactor: secondFactor || settings.secondFactor,
    secondFactorFixed: secondFactor !== '',
    ...keepTexts(config, settings),
    keepFixed: fixedIn(config),
    webhookSecret: webhookSecret === '' ? webhookSecretOf('', settings.key) : '',
  }
}

// Absent keys are zero values, and those with a default take it (docs/http-api.md 17). Webhooks are ours:
// a client of the original that does not send them must not remove them.
function parseSettings(r: Reader, before: Settings): SettingsRecord {
  const defaults = r.obj('defaults', parseUserDefaults)
  const tus = r.obj('tus', (t) => ({
    chunkSize: t.int('chunkSize', 0, { min: 0 }),
    retryCount: t.int('retryCount', 0, { min: 0, max: 65_535 }),
  }))
  return {
    signup: r.bool('signup'),
    hideLoginButton: r.bool('hideLoginButton'),
    createUserDir: r.bool('createUserDir'),
    minimumPasswordLength:
      r.int('minimumPasswordLength', 0, { min: 0, max: 72 }) || DEFAULT_MINIMUM_PASSWORD_LENGTH,
    userHomeBasePath: r.str('userHomeBasePath') || DEFAULT_USER_HOME_BASE,
    defaults: {
      ...defaults,
      locale: defaults.locale || 'en',
      viewMode: defaults.viewMode || 'mosaic',
    },
    authMethod: r.str('authMethod'),
    rules: r.list('rules', parseRule, 10_000),
    branding: r.obj('branding', parseBranding),
    tus: tus.chunkSize === 0 && tus.retryCount === 0 ? { ...DEFAULT_TUS } : tus,
    shell: r.list('shell', asString, 100),
    commands: r.obj('commands', parseCommands),
    ...(r.has('secondFactor') && { secondFactor: parsePolicy(r) }),
    ...parseKeep(r),
    webhooks: r.has('webhooks')
      ? r.list('webhooks', parseWebhook, 100).map(checkWebhook)
      : before.webhooks,
  }
}

function parseKeep(r: Reader) {
  const keep = Object.fromEntries(
    KEEP_KEYS.filter((key) => r.has(key)).map((key) => [key, r.str(key)]),
  )
  const problem = problemIn(keep)
  if (problem !== '') throw badRequest(problem)
  return keep
}

// What is configured stays as it was stored.
function keepFrom(config: Config, given: SettingsRecord) {
  const free = KEEP_KEYS.filter((key) => config[key] === null && given[key] !== undefined)
  return Object.fromEntries(free.map((key) => [key, given[key]]))
}

function checkWebhook<T extends { url: string }>(webhook: T): T {
  const { protocol } = URL.parse(webhook.url) ?? {}
  if (protocol !== 'http:' && protocol !== 'https:')
    throw badRequest(`webhook: ${webhook.url} is not an http address`)
  return webhook
}
