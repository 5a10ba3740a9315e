// Dialogs: one stack of questions. Opening one gives a promise of its answer. A new kind is a line
// in prompt-kinds.ts (its types) and one in prompts/registry.ts (its component).

import { proxy, ref } from 'valtio'
import { renaming } from '../state/renaming.ts'
import type { PromptKinds } from './prompt-kinds.ts'

type PromptKind = keyof PromptKinds

interface OpenPrompt {
  id: number
  kind: PromptKind
  /** Never made reactive: they may hold files, callbacks and elements. */
  props: object
  answer: (answer: unknown) => void
}

export const prompts = proxy({ stack: [] as OpenPrompt[] })

let lastId = 0

/**
 * Shows a dialog on top of those open. Resolves with the answer, or with null when it was dismissed
 * (Escape, Cancel, navigation, or `signal`: there is nothing to ask any more).
 */
export function openPrompt<K extends PromptKind>(
  kind: K,
  props: PromptKinds[K]['props'],
  signal?: AbortSignal,
): Promise<PromptKinds[K]['answer'] | null> {
  const id = ++lastId
  return new Promise((resolve) => {
    signal?.addEventListener('abort', () => answer(null))
    const answer = (value: unknown) => {
      const at = prompts.stack.findIndex((prompt) => prompt.id === id)
      if (at >= 0) prompts.stack.splice(at, 1)
      resolve(value as PromptKinds[K]['answer'] | null)
    }
    prompts.stack.push({ id, kind, props: ref(props), answer: ref(answer) })
  })
}

/** Dismisses every open dialog, the topmost first. */
export function dismissPrompts(): void {
  for (const prompt of [...prompts.stack].reverse()) prompt.answer(null)
}

export function hasPrompt(kind?: PromptKind): boolean {
  return kind === undefined
    ? prompts.stack.length > 0
    : prompts.stack.some((prompt) => prompt.kind === kind)
}

/** True while a dialog or the field for a name is asked for: keys are meant for that, also where it is still loading. */
export function isAsking(): boolean {
  return hasPrompt() || renaming.isComing
}
