// Renders the open dialogs, the oldest first: each is a modal of its own, so the last is on top and
// those below keep what was typed into them.

import { useLingui } from '@lingui/react/macro'
import { type ComponentType, Suspense } from 'react'
import { useSnapshot } from 'valtio'
import { ErrorBoundary } from '../layout/boundary.tsx'
import { prompts } from '../operations/prompts.ts'
import { toastError } from '../operations/toasts.ts'
import { promptComponents } from './registry.ts'

export function PromptHost() {
  const { t } = useLingui()
  const { stack } = useSnapshot(prompts)
  return (
    <>
      {/* Under the dialogs and clear: a custom.css colours what lies behind them by these names. */}
      {stack.length > 0 && <div id="modal-background" className="overlay behind-dialogs" />}
      {stack.map(({ id, kind, props, answer }) => {
        // The registry pairs each kind with its component; that pairing is lost on a union of kinds.
        const Prompt = promptComponents[kind] as ComponentType<object>
        return (
          <ErrorBoundary
            key={id}
            fallback={null}
            onError={() => {
              answer(null)
              toastError(t`This dialog couldn’t be opened. Check your connection and try again.`)
            }}
          >
            <Suspense fallback={null}>
              <Prompt {...props} {...{ answer }} />
            </Suspense>
          </ErrorBoundary>
        )
      })}
    </>
  )
}
