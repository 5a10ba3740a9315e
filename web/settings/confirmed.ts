// Changes that give or take rights are confirmed, where people sign in with a password.

import { boot } from '../lib/boot.ts'
import { openPrompt } from '../operations/prompts.ts'

interface Question {
  title: string
  text: string
  confirmLabel: string
  tone?: 'danger'
  /** Better words for a refusal than the general ones, or null. */
  explain?: (error: unknown) => string | null
}

/**
 * Does `attempt` once it is proved who asks; false when the person thought better of it. Where nobody signs in
 * with a password, only what is lost by it is asked about.
 *
 * @throws what `attempt` throws, where nothing is asked.
 */
export async function confirmed(
  question: Question,
  attempt: () => Promise<void>,
): Promise<boolean> {
  if (boot.AuthMethod === 'json') {
    return (await openPrompt('currentPassword', { ...question, attempt })) !== null
  }
  const { title, text, confirmLabel: label, tone } = question
  if (tone === 'danger') {
    const answers = [{ id: 'yes', label, tone }]
    if ((await openPrompt('confirm', { title, text, answers })) === null) return false
  }
  await attempt()
  return true
}
