// Renames several entries by one rule, with every new name shown before anything happens.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ArrowRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { joinPath, parentOf } from '../lib/paths.ts'
import { shownName } from '../lib/shown-name.ts'
import { renameEntries } from '../operations/file-operations.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { NumberField, TextField } from '../ui/field.tsx'
import { FileTile } from '../ui/file-icon.tsx'
import { Checkbox, Segmented } from '../ui/toggle.tsx'
import { type BatchRule, batchNames, orderSteps } from './batch-names.ts'
import styles from './files.css?url'
import { namesIn } from './name-check.ts'

await loadStylesheet(styles)

/** More rows than this are counted instead of shown. */
const PREVIEWED = 100

export function RenameManyPrompt({ entries, answer }: PromptProps<'renameMany'>) {
  const { t } = useLingui()
  const [kind, setKind] = useState<BatchRule['kind']>('replace')
  const [find, setFind] = useState('')
  const [replacement, setReplacement] = useState('')
  const [matchCase, setMatchCase] = useState(false)
  const [before, setBefore] = useState('')
  const [after, setAfter] = useState('')
  const [base, setBase] = useState('')
  const [start, setStart] = useState<number | null>(1)
  const folder = parentOf(entries[0]?.path ?? '/')
  const [taken] = useState(() => namesIn(folder))

  const rule: BatchRule = useMemo(() => {
    if (kind === 'replace') return { kind, find, replacement, matchCase }
    if (kind === 'add') return { kind, before, after }
    return { kind, base, start: start ?? 1 }
  }, [kind, find, replacement, matchCase, before, after, base, start])
  const results = useMemo(() => batchNames(entries, rule, taken), [entries, rule, taken])
  const changed = results.filter((result) => result.changed).length
  const bad = results.filter((result) => result.problem !== null).length

  function submit() {
    if (changed === 0 || bad > 0) return
    const pairs = entries.map((entry, i) => ({
      from: entry.name,
      to: results[i]?.name ?? entry.name,
    }))
    answer(true)
    const steps = orderSteps(pairs)
    void renameEntries(steps.map(({ from, to }) => ({ path: joinPath(folder, from), name: to })))
  }

  const problems = {
    empty: t`No name left`,
    invalid: t`Not allowed`,
    clash: t`Name is taken`,
  }

  return (
    <Dialog
      size="wide"
      fullOnPhone
      title={<Plural value={entries.length} one="Rename # item" other="Rename # items" />}
      guarded={find + replacement + before + after + base !== ''}
      onClose={() => answer(null)}
      onSubmit={submit}
      footer={
        <>
          <span className="grow mid" role="status">
            {bad > 0 && <Plural value={bad} one="# problem" other="# problems" />}
          </span>
          <Button tone="line" onClick={() => answer(null)}>
            <Trans>Cancel</Trans>
          </Button>
          <Button tone="fill" type="submit" disabled={changed === 0 || bad > 0}>
            <Plural value={changed} one="Rename # item" other="Rename # items" />
          </Button>
        </>
      }
    >
      <div className="dlg__stack">
        <Segmented
          label={t`How to rename`}
          value={kind}
          onChange={setKind}
          options={[
            { value: 'replace', label: t`Replace text` },
            { value: 'add', label: t`Add text` },
            { value: 'number', label: t`Number` },
          ]}
        />
        {kind === 'replace' && (
          <div className="batch__fields">
            <TextField
              label={t`Find`}
              value={find}
              onChange={setFind}
              data-autofocus
              spellCheck={false}
            />
            <TextField
              label={t`Replace with`}
              value={replacement}
              onChange={setReplacement}
              spellCheck={false}
            />
            <Checkbox label={t`Match case`} checked={matchCase} onChange={setMatchCase} />
          </div>
        )}
        {kind === 'add' && (
          <div className="batch__fields">
            <TextField
              label={t`Before the name`}
              value={before}
              onChange={setBefore}
              spellCheck={false}
            />
            <TextField
              label={t`After the name`}
              value={after}
              onChange={setAfter}
              spellCheck={false}
            />
          </div>
        )}
        {kind === 'number' && (
          <div className="batch__fields">
            <TextField label={t`Name`} value={base} onChange={setBase} spellCheck={false} />
            <NumberField label={t`Start at`} value={start} onChange={setStart} min={0} />
          </div>
        )}
        <ul className="batch" aria-label={t`New names`}>
          {entries.slice(0, PREVIEWED).map((entry, i) => {
            const result = results[i]
            if (result === undefined) return null
            const { name, problem, changed: isNew } = result
            return (
              <li
                key={entry.path}
                className={problem === null ? 'batch__row' : 'batch__row is-bad'}
              >
                <FileTile entry={entry} />
                <bdi className="trunc dim">{shownName(entry.name)}</bdi>
                <ArrowRight className="i i-xs flip" aria-hidden />
                <bdi className={isNew ? 'trunc batch__new' : 'trunc dim'}>{shownName(name)}</bdi>
                {problem !== null && <span className="err">{problems[problem]}</span>}
              </li>
            )
          })}
        </ul>
        {entries.length > PREVIEWED && (
          <p className="hint">
            <Plural value={entries.length - PREVIEWED} one="and # more" other="and # more" />
          </p>
        )}
      </div>
    </Dialog>
  )
}
