import { useLingui } from '@lingui/react/macro'
import { ChevronDown } from 'lucide-react'
import { encodingGroupNames } from '../../editor/code/encoding-groups.ts'
import { encodingGroups, encodingLabel } from '../../text/encodings.ts'

interface EncodingSelectProps {
  className: string
  value: string
  onChange(name: string): void
}

export function EncodingSelect({ className, value, onChange }: EncodingSelectProps) {
  const { t, i18n } = useLingui()
  return (
    <span className="select">
      <select
        className={className}
        aria-label={t`Encoding`}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
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
  )
}
