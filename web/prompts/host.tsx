// Renders the open dialogs, the oldest first: each is a modal of its own, so the last is on top and
// those below keep what was typed into them.

import { type ComponentType, Suspense } from 'react'
import { useSnapshot } from 'valtio'
import { prompts } from '../state/prompts.ts'
import { promptComponents } from './registry.ts'

export function PromptHost() {
  const { stack } = useSnapshot(prompts)
  return stack.map(({ id, kind, props, answer }) => {
    // The registry pairs each kind with its component; that pairing is lost on a union of kinds.
    const Prompt = promptComponents[kind] as ComponentType<object>
    return (
      <Suspense key={id} fallback={null}>
        <Prompt {...props} {...{ answer }} />
      </Suspense>
    )
  })
}
