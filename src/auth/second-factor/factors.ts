// The second factor of an account: who has one, who needs one, proving it, enrolling and losing it. It is a record of
// its own, so that nothing that is done to accounts touches it.
import { withEffective } from '../../access/effective.ts'
import type { Enrolment, SecondFactorPolicy } from '../../api-types.ts'
import { AppError } from '../../lib/errors.ts'
import type { Records, Store, Transaction } from '../../store/collection.ts'
import { PASSKEYS, SECOND_FACTORS } from '../../store/collections.ts'
import type { SecondFactor, User } from '../../store/document.ts'
import { type Kind, lookAt, putIn, takeOut } from '../../store/short-lived/short-lived.ts'
import { endSessions, removePasskeys } from '../../store/users.ts'
import { createThrottle } from '../throttle.ts'
import { findRecoveryCode, hashOfRecoveryCode, newRecoveryCodes } from './recovery.ts'
import { newSecret, stepOf, uriOf } from './totp.ts'

/** Wrong codes of one account, from wherever: who tries one has the password already. */
const WRONG_CODES = { attempts: 5, windowMs: 24 * 60 * 60_000, maxBlockMs: 15 * 60_000 }
/** How long somebody may take to scan the code and type the first six digits. */
const ENROL_MS = 15 * 60_000
/** Started and not finished: the secret, by account. */
const ENROLLING: Kind<string> = { name: 'enrolling', max: 10_000 }

/** What somebody types to prove a second factor. */
export interface Proof {
  /** Six digits of an app. */
  code?: string
  /** One of the recovery codes. */
  recovery?: string
}

export interface SecondFactors {
  /** The factor of an account that is loaded and has enrolled. */
  of(userID: number): SecondFactor | undefined
  /**
   * Takes a code or a recovery code, which counts for nothing from then on. Throws `wrong_credentials`, also for an account
   * without a factor, and `too_many_requests` after five that were wrong.
   */
  prove(userID: number, proof: Proof): Promise<void>
  /** Begins an enrolment; another one of the account ends. Throws `exists`. */
  begin(user: User): Promise<Enrolment>
  /**
   * Makes the factor that was begun the account's when the code is right; gives its recovery codes, which nobody can read
   * again. Throws `not_found` when none was begun, `exists`, and like `prove`.
   */
  finish(userID: number, code: string, demand: () => void): Promise<string[]>
}

/** True where the policy or an administrator wants this account to have a second factor. */
export function needsSecondFactor(
  records: Records,
  policy: SecondFactorPolicy,
  user: User,
): boolean {
  if (policy === 'off') return false
  if (policy === 'everyone') return true
  if (policy === 'administrators' && withEffective(records, user).perm.admin) return true
  return records.get(SECOND_FACTORS, user.id)?.required === true
}

/** What an account can take its second step with. */
export function hasSecondStep(records: Records, userID: number): boolean {
  return (
    enrolled(records, userID) !== undefined || records.find(PASSKEYS, 'userID', userID).length > 0
  )
}

/** Throws `forbidden` for an account that has to have a second factor and has none, neither app nor passkey. */
export function demandSecondStep(records: Records, policy: SecondFactorPolicy, user: User): void {
  if (needsSecondFactor(records, policy, user) && !hasSecondStep(records, user.id))
    throw new AppError('forbidden', 'this account has to have a second factor')
}

/** Puts ten new recovery codes in the place of those that were left. Throws `not_found`. */
export function renewRecoveryCodes(tx: Transaction, userID: number): string[] {
  const factor = enrolled(tx, userID)
  if (!factor) throw new AppError('not_found', 'no second factor')
  const codes = newRecoveryCodes()
  tx.replace(SECOND_FACTORS, { ...factor, recovery: codes.map(hashOfRecoveryCode) })
  return codes
}

/** Takes the factor away; whether one is required stays. Throws `not_found`. */
export function removeSecondFactor(tx: Transaction, userID: number): void {
  const factor = enrolled(tx, userID)
  if (!factor) throw new AppError('not_found', 'no second factor')
  if (!factor.required) tx.remove(SECOND_FACTORS, userID)
  else tx.replace(SECOND_FACTORS, { ...NOBODYS, userID, required: true })
}

/**
 * For somebody who has lost it: passkeys go as well, since they were on the same phone or are in somebody's hands, and
 * the sessions of the account end. Throws `not_found` when there was neither.
 */
export function resetSecondFactor(tx: Transaction, userID: number): void {
  if (removePasskeys(tx, userID) === 0 || enrolled(tx, userID)) removeSecondFactor(tx, userID)
  endSessions(tx, userID)
}

/** Notes whether this account has to have a second factor. */
export function requireSecondFactor(tx: Transaction, userID: number, required: boolean): void {
  const before = tx.get(SECOND_FACTORS, userID)
  if (before?.secret) tx.replace(SECOND_FACTORS, { ...before, required })
  else if (!required) tx.remove(SECOND_FACTORS, userID)
  else if (!before) tx.insert(SECOND_FACTORS, { ...NOBODYS, userID, required })
}

export function createSecondFactors(store: Store): SecondFactors {
  const all = store.shortLived
  const wrong = createThrottle(all, 'codes', WRONG_CODES)

  const take = async (userID: number, proof: Proof): Promise<void> => {
    const known = enrolled(store, userID)
    if (!known) throw refused('no second factor')
    const step = proof.code ? await stepOf(known.secret, proof.code) : null
    const isRecovery = !proof.code && !!proof.recovery
    if (step === null && !isRecovery) throw refused(wrongCode())
    // Ahead of a disk that is full: people must get in to make room. One of two equal codes is the first all the same.
    await store.ahead((tx) => {
      const factor = enrolled(tx, userID)
      if (factor?.secret !== known.secret) throw refused('another second factor')
      if (step !== null) return takeStep(tx, factor, step)
      const at = findRecoveryCode(factor.recovery, proof.recovery ?? '')
      if (at < 0) throw refused('wrong recovery code')
      tx.replace(SECOND_FACTORS, { ...factor, recovery: factor.recovery.toSpliced(at, 1) })
    })
  }
  const counted = async (userID: number, attempt: () => Promise<void>): Promise<void> => {
    const key = String(userID)
    const counting = wrong.attempt()
    await counting.begin(key)
    try {
      await attempt()
      counting.succeed(key)
    } catch (error) {
      if (error instanceof AppError && error.code === 'wrong_credentials') counting.fail(key)
      throw error
    } finally {
      await counting.over()
    }
  }
  return {
    of: (userID) => enrolled(store, userID),
    prove: (userID, proof) => counted(userID, () => take(userID, proof)),
    begin: async (user) => {
      if (enrolled(store, user.id)) throw alreadyOn()
      const secret = await newSecret()
      await putIn(all, ENROLLING, String(user.id), { value: secret, lifeMs: ENROL_MS })
      const issuer = store.settings().branding.name || 'File Browser'
      return { secret, uri: await uriOf(secret, issuer, user.username) }
    },
    finish: async (userID, code, demand) => {
      const secret = await lookAt(all, ENROLLING, String(userID))
      if (secret === undefined) throw new AppError('not_found', 'nothing was begun')
      const codes = newRecoveryCodes()
      await counted(userID, async () => {
        const lastStep = await stepOf(secret, code)
        if (lastStep === null) throw refused(wrongCode())
        await store.transaction((tx) => {
          demand()
          if (enrolled(tx, userID)) throw alreadyOn()
          const required = tx.get(SECOND_FACTORS, userID)?.required ?? false
          tx.remove(SECOND_FACTORS, userID)
          tx.insert(SECOND_FACTORS, {
            userID,
            secret,
            lastStep,
            recovery: codes.map(hashOfRecoveryCode),
            createdMs: Date.now(),
            required,
          })
        })
      })
      await takeOut(all, ENROLLING, String(userID))
      return codes
    },
  }
}

const NOBODYS = { secret: '', lastStep: 0, recovery: [], createdMs: 0 }

function enrolled(records: Records, userID: number): SecondFactor | undefined {
  const factor = records.get(SECOND_FACTORS, userID)
  return factor?.secret ? factor : undefined
}

function takeStep(tx: Transaction, factor: SecondFactor, lastStep: number): void {
  if (lastStep <= factor.lastStep) throw refused('the code has been used')
  tx.replace(SECOND_FACTORS, { ...factor, lastStep })
}

// Boards without a battery begin with a wrong clock, and then no code is right.
function wrongCode(): string {
  return `wrong code; the clock of the server says ${new Date().toISOString()}`
}

function refused(message: string): AppError {
  return new AppError('wrong_credentials', message)
}

function alreadyOn(): AppError {
  return new AppError('exists', 'there is a second factor already')
}
