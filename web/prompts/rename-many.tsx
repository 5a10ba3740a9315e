// Renames several entries by one rule, with every new name shown before anything happens.

import { Plural, useLingui } from '@lingui/react/macro'
import { ArrowRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { FileEntry } from '../../src/api-types.ts'
import { type FormPart, partOf } from '../lib/form-part.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { joinPath, parentOf, shownName } from '../lib/paths.ts'
import { renameEntries } from '../operations/file-operations.ts'
import { namesIn } from '../operations/names/name-check.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { NumberField, TextField } from '../ui/field.tsx'
import { FileTile } from '../ui/file-icon.tsx'
import { Checkbox, Segmented } from '../ui/toggle.tsx'
import { type BatchResult, type BatchRule, batchNames, orderSteps } from './batch-names.ts'
import styles from './files.css?url'

await loadStylesheet(styles)

/** More rows than this are counted instead of shown. */
const PREVIEWED = 100

interface Rules {
  kind: BatchRule['kind']
  replace: Extract<BatchRule, { kind: 'replace' }>
  add: Extract<BatchRule, { kind: 'add' }>
  number: { base: string; start: number | null }
}

const NO_RULES: Rules = {
  kind: 'replace',
  replace: { kind: 'replace', find: '', replacement: '', matchCase: false },
  add: { kind: 'add', before: '', after: '' },
  number: { base: '', start: 1 },
}

/** The rule that is shown; what was typed for the others stays. */
function ruleOf({ kind, ...rules }: Rules): BatchRule {
  if (kind !== 'number') return rules[kind]
  const { base, start } = rules.number
  return { kind, base, start: start ?? 1 }
}

export function RenameManyPrompt({ entries, answer }: PromptProps<'renameMany'>) {
  const [rules, setRules] = useState(NO_RULES)
  const folder = parentOf(entries[0]?.path ?? '/')
  const [taken] = useState(() => namesIn(folder))
  const results = useMemo(() => batchNames(entries, ruleOf(rules), taken), [entries, rules, taken])
  const changed = results.filter((result) => result.changed).length
  const bad = results.filter((result) => result.problem !== null).length
  const { replace, add, number } = rules

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

  return (
    <Dialog
      size="wide"
      fullOnPhone
      title={<Plural value={entries.length} one="Rename # item" other="Rename # items" />}
      guarded={replace.find + replace.replacement + add.before + add.after + number.base !== ''}
      onClose={() => answer(null)}
      onSubmit={submit}
      lead={
        <span className="grow mid" role="status">
          {bad > 0 && <Plural value={bad} one="# problem" other="# problems" />}
        </span>
      }
      answers={
        <Button tone="fill" type="submit" disabled={changed === 0 || bad > 0}>
          <Plural value={changed} one="Rename # item" other="Rename # items" />
        </Button>
      }
    >
      <div className="dlg__stack">
        <RuleFields {...partOf(rules, (change) => setRules({ ...rules, ...change }))} />
        <Names entries={entries} results={results} />
        {entries.length > PREVIEWED && (
          <p className="hint">
            <Plural value={entries.length - PREVIEWED} one="and # more" other="and # more" />
          </p>
        )}
      </div>
    </Dialog>
  )
}

function RuleFields({ draft: { kind }, field, part }: FormPart<Rules>) {
  const { t } = useLingui()
  const [replace, add, number] = [part('replace'), part('add'), part('number')]
  return (
    <>
      <Segmented
        label={t`Rename by`}
        {...field('kind')}
        options={[
          { value: 'replace', label: t`Replace text` },
          { value: 'add', label: t`Add text` },
          { value: 'number', label: t`Add numbers` },
        ]}
      />
      {kind === 'replace' && (
        <div className="batch__fields stack">
          <TextField label={t`Find`} {...replace.field('find')} data-autofocus spellCheck={false} />
          <TextField label={t`Replace with`} {...replace.field('replacement')} spellCheck={false} />
          <Checkbox label={t`Match case`} {...replace.toggle('matchCase')} />
        </div>
      )}
      {kind === 'add' && (
        <div className="batch__fields stack">
          <TextField label={t`Before the name`} {...add.field('before')} spellCheck={false} />
          <TextField label={t`After the name`} {...add.field('after')} spellCheck={false} />
        </div>
      )}
      {kind === 'number' && (
        <div className="batch__fields stack">
          <TextField label={t`Name`} {...number.field('base')} spellCheck={false} />
          <NumberField label={t`Start at`} {...number.field('start')} min={0} />
        </div>
      )}
    </>
  )
}

interface NamesProps {
  entries: readonly FileEntry[]
  results: readonly BatchResult[]
}

function Names({ entries, results }: NamesProps) {
  const { t } = useLingui()
  const problems = {
    empty: t`Name would be empty`,
    invalid: t`Not allowed`,
    clash: t`Name is taken`,
  }
  return (
    <ul className="batch scrolls rounded" aria-label={t`New names`}>
      {entries.slice(0, PREVIEWED).map((entry, i) => {
        const result = results[i]
        if (result === undefined) return null
        const { name, problem, changed: isNew } = result
        return (
          <li
            key={entry.path}
            className={problem === null ? 'batch__row stack' : 'batch__row is-bad stack'}
          >
            <FileTile entry={entry} />
            <bdi className="trunc dim">{shownName(entry.name)}</bdi>
            <ArrowRight className="i i-xs flip" aria-hidden />
            <bdi className={isNew ? 'trunc batch__new strong' : 'trunc dim'}>{shownName(name)}</bdi>
            {problem !== null && <span className="err">{problems[problem]}</span>}
          </li>
        )
      })}
    </ul>
  )
}
