// Name, theme, colour and files of the instance, with a look at the result.

import { Trans, useLingui } from '@lingui/react/macro'
import type { Branding } from '../../src/api-types.ts'
import { Logo } from '../layout/brand.tsx'
import { isHexColour, readableOn } from '../lib/colour.ts'
import { Select, TextField } from '../ui/field.tsx'
import { Switch } from '../ui/toggle.tsx'
import { Line } from './parts.tsx'

const DEFAULT_COLOUR = '#2466dc'

export function BrandingFields({
  branding,
  onChange,
}: {
  branding: Branding
  onChange: (branding: Branding) => void
}) {
  const { t } = useLingui()
  const set = (change: Partial<Branding>) => onChange({ ...branding, ...change })
  const colour = branding.color.trim()
  const wrong = colour !== '' && !isHexColour(colour)
  return (
    <>
      <Line label={t`Instance name`} hint={t`Shown in the title bar and on the login page.`}>
        <TextField
          label={t`Instance name`}
          hideLabel
          placeholder="File Browser"
          value={branding.name}
          onChange={(name) => set({ name })}
        />
      </Line>
      <Line label={t`Theme for everyone`} hint={t`People can still choose their own.`}>
        <Select
          label={t`Theme for everyone`}
          hideLabel
          value={branding.theme}
          onChange={(theme) => set({ theme })}
          options={[
            { value: '', label: t`System` },
            { value: 'light', label: t`Light` },
            { value: 'dark', label: t`Dark` },
          ]}
        />
      </Line>
      <Line label={t`Colour`} hint={t`Of buttons and marks, such as #2466dc.`}>
        <div className="colour">
          <TextField
            className="mono-field"
            label={t`Colour`}
            hideLabel
            dir="ltr"
            placeholder={DEFAULT_COLOUR}
            value={branding.color}
            error={wrong ? t`Write it as # and six digits or letters a to f.` : null}
            onChange={(color) => set({ color })}
          />
          <input
            className="colour__pick"
            type="color"
            aria-label={t`Pick a colour`}
            value={isHexColour(colour) && colour.length === 7 ? colour : DEFAULT_COLOUR}
            onChange={(event) => set({ color: event.currentTarget.value })}
          />
        </div>
      </Line>
      <div className="brandview" aria-hidden>
        <Logo />
        <strong className="trunc">{branding.name || 'File Browser'}</strong>
        <span
          className="brandview__button"
          style={{
            background: isHexColour(colour) ? colour : 'var(--accent-fill)',
            color: isHexColour(colour) ? readableOn(colour) : 'var(--on-fill)',
          }}
        >
          <Trans>Upload</Trans>
        </span>
      </div>
      <Line
        label={t`Branding folder`}
        hint={
          <Trans>
            Server path with <span className="mono">custom.css</span> and{' '}
            <span className="mono">img/</span>.
          </Trans>
        }
      >
        <TextField
          className="mono-field"
          label={t`Branding folder`}
          hideLabel
          dir="ltr"
          spellCheck={false}
          placeholder="/srv/branding"
          value={branding.files}
          onChange={(files) => set({ files })}
        />
      </Line>
      <Switch
        label={t`Hide external links`}
        checked={branding.disableExternal}
        onChange={(disableExternal) => set({ disableExternal })}
      />
      <Switch
        label={t`Hide the storage bar`}
        checked={branding.disableUsedPercentage}
        onChange={(disableUsedPercentage) => set({ disableUsedPercentage })}
      />
    </>
  )
}
