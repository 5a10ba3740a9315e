// The encoding of names in an archive that do not say theirs, for those that come out wrong by a guess.

import { Trans, useLingui } from '@lingui/react/macro'
import { ChevronDown } from 'lucide-react'
import { encodingGroupNames } from '../../editor/code/encoding-groups.ts'
import { encodingGroups, encodingLabel } from '../../text/encodings.ts'
import { Field } from '../../ui/field.tsx'

export function NameEncoding({ onChange }: { onChange: (name: string) => void }) {
  const { t, i18n } = useLingui()
  return (
    <Field label={t`Encoding of names`}>
      {(ids) => (
        <span className="select">
          <select
            {...ids}
            className="input"
            onChange={(event) => onChange(event.currentTarget.value)}
          >
            <option value="">
              <Trans>Automatic</Trans>
            </option>
            {encodingGroups.map(({ group, names }) => (
              <optgroup key={group} label={i18n._(encodingGroupNames[group])}>
                {names.map((name) => (
                  <option key={name} value={name}>
                    {encodingLabel({ name, bom: false })}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
          <ChevronDown className="i i-sm" aria-hidden />
        </span>
      )}
    </Field>
  )
}
