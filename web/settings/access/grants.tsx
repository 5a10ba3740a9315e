// Who may do what in a folder: for each person or group every verb is allowed, denied or left unsaid.

import { useLingui } from '@lingui/react/macro'
import { Ban, Check, ChevronRight, X } from 'lucide-react'
import { useState } from 'react'
import type { GrantRecord } from '../../../src/access-types.ts'
import type { Verb } from '../../../src/api-types.ts'
import type { ControlProps } from '../../lib/form-part.ts'
import { formatList } from '../../lib/format.ts'
import { verbWords } from '../../lib/verbs.ts'
import { IconButton } from '../../ui/button.tsx'
import { Segmented } from '../../ui/toggle.tsx'
import { Picker } from './picker.tsx'
import { everyWho, nameOfWho, type People, WhoIcon } from './who.tsx'

type Said = 'yes' | 'no' | 'unsaid'

/** A new grant lets people look and download, which is what most are for. */
const FIRST = { see: true, download: true } as const

export function GrantsEditor({
  people,
  value: grants,
  onChange,
}: ControlProps<GrantRecord[]> & { people: People }) {
  const { t } = useLingui()
  const [added, setAdded] = useState<string | null>(null)
  const free = everyWho(people).filter((who) => grants.every((grant) => grant.who !== who))
  return (
    <>
      {grants.map((grant) => (
        <Grant
          key={grant.who}
          grant={grant}
          name={nameOfWho(grant.who, people)}
          isOpen={grant.who === added}
          onChange={(next) => onChange(grants.map((each) => (each === grant ? next : each)))}
          onRemove={() => onChange(grants.filter((each) => each !== grant))}
        />
      ))}
      <Picker
        label={t`Add a person or group`}
        options={free.map((who) => {
          const label = nameOfWho(who, people)
          return { value: who, label, icon: <WhoIcon who={who} name={label} /> }
        })}
        onPick={(who) => {
          setAdded(who)
          onChange([...grants, { who, ...FIRST }])
        }}
      />
    </>
  )
}

interface GrantProps {
  grant: GrantRecord
  name: string
  isOpen: boolean
  onChange: (grant: GrantRecord) => void
  onRemove: () => void
}

function Grant({ grant, name, isOpen, onChange, onRemove }: GrantProps) {
  const { t, i18n } = useLingui()

  function say(verb: Verb, said: Said) {
    const { [verb]: _, ...rest } = grant
    onChange(said === 'unsaid' ? rest : { ...rest, [verb]: said === 'yes' })
  }

  return (
    <div className="grant relative">
      <details open={isOpen}>
        <summary className="grant__head row">
          <ChevronRight className="i i-sm flip grant__twist" aria-hidden />
          <WhoIcon who={grant.who} name={name} />
          <span className="grow shrinks">
            <bdi className="strong">{name}</bdi>
            <GrantWords grant={grant} />
          </span>
        </summary>
        <div className="grant__verbs stack">
          {verbWords.map(({ verb, label: words }) => {
            const label = i18n._(words)
            // Who does not see a place can do nothing there.
            const isIdle = verb !== 'see' && grant.see === false
            return (
              <div key={verb} className={isIdle ? 'opt row opt--off' : 'opt row'}>
                <span className="opt__words grow" aria-hidden>
                  {label}
                </span>
                <Segmented
                  label={label}
                  value={saidOf(grant[verb])}
                  disabled={isIdle}
                  onChange={(said) => say(verb, said)}
                  options={[
                    { value: 'unsaid', label: t`Not set` },
                    { value: 'yes', label: t`Allow`, icon: Check },
                    { value: 'no', label: t`Deny`, icon: Ban },
                  ]}
                />
              </div>
            )
          })}
        </div>
      </details>
      <IconButton
        className="grant__drop"
        size="sm"
        icon={X}
        label={t`Remove ${name}`}
        onClick={onRemove}
      />
    </div>
  )
}

const saidOf = (word: boolean | undefined): Said =>
  word === undefined ? 'unsaid' : word ? 'yes' : 'no'

/** What a grant says, in a line for each. */
function GrantWords({ grant }: { grant: GrantRecord }) {
  const { t, i18n } = useLingui()
  const wordsOf = (wanted: boolean) =>
    formatList(
      verbWords
        .filter(({ verb }) => grant[verb] === wanted)
        .map(({ label }) => i18n._(label).toLocaleLowerCase(i18n.locale)),
    )
  const lines = [
    { label: t`Allow`, icon: Check, words: wordsOf(true) },
    { label: t`Deny`, icon: Ban, words: wordsOf(false) },
  ].filter(({ words }) => words !== '')
  return (
    <small className="grant__words dim">
      {lines.map(({ label, icon: Icon, words }) => (
        <span key={label} className="row">
          <Icon className="i i-xs" aria-hidden />
          <span className="sr">{label}</span>
          <span>{words}</span>
        </span>
      ))}
      {lines.length === 0 && t`Not set`}
    </small>
  )
}
