// Name, theme, colour and files of the instance, with a look at the result.

import { Trans, useLingui } from '@lingui/react/macro'
import type { Branding } from '../../src/api-types.ts'
import { Logo } from '../layout/brand.tsx'
import { isHexColour, readableOn } from '../lib/colour.ts'
import type { FormPart } from '../lib/form-part.ts'
import { CodeField } from '../ui/field.tsx'
import { Switch } from '../ui/toggle.tsx'
import { CodeLine, Line, SelectLine, TextLine } from './parts.tsx'

const DEFAULT_COLOUR = '#2466dc'

export function BrandingFields({ draft: branding, field, toggle }: FormPart<Branding>) {
  const { t } = useLingui()
  return (
    <>
      <TextLine
        label={t`Instance name`}
        hint={t`Shown in the title bar and on the sign-in page.`}
        placeholder="File Browser"
        {...field('name')}
      />
      <SelectLine
        label={t`Theme for everyone`}
        hint={t`Users can still choose their own.`}
        {...field('theme')}
        options={[
          { value: '', label: t`System` },
          { value: 'light', label: t`Light` },
          { value: 'dark', label: t`Dark` },
        ]}
      />
      <ColourLine {...field('color')} />
      <BrandView branding={branding} />
      <CodeLine
        label={t`Branding folder`}
        hint={
          <Trans>
            Folder on the server containing <span className="mono">custom.css</span> and{' '}
            <span className="mono">img/</span>.
          </Trans>
        }
        placeholder="/srv/branding"
        {...field('files')}
      />
      <Switch label={t`Hide external links`} {...toggle('disableExternal')} />
      <Switch label={t`Hide the storage bar`} {...toggle('disableUsedPercentage')} />
    </>
  )
}

function ColourLine({ value, onChange }: { value: string; onChange(value: string): void }) {
  const { t } = useLingui()
  const colour = value.trim()
  const wrong = colour !== '' && !isHexColour(colour)
  return (
    <Line label={t`Colour`} hint={t`Used for buttons and highlights, for example #2466dc.`}>
      <div className="colour">
        <CodeField
          label={t`Colour`}
          hideLabel
          placeholder={DEFAULT_COLOUR}
          value={value}
          error={wrong ? t`Enter # and six hex digits, such as #2466dc.` : null}
          onChange={onChange}
        />
        <input
          className="colour__pick rigid rounded"
          type="color"
          aria-label={t`Pick a colour`}
          value={isHexColour(colour) && colour.length === 7 ? colour : DEFAULT_COLOUR}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </div>
    </Line>
  )
}

/** What the interface will look like. */
function BrandView({ branding }: { branding: Branding }) {
  const colour = branding.color.trim()
  return (
    <div className="brandview row" aria-hidden>
      <Logo />
      <strong className="trunc">{branding.name || 'File Browser'}</strong>
      <span
        className="brandview__button strong fs-md"
        style={{
          background: isHexColour(colour) ? colour : 'var(--accent-fill)',
          color: isHexColour(colour) ? readableOn(colour) : 'var(--on-fill)',
        }}
      >
        <Trans>Upload</Trans>
      </span>
    </div>
  )
}
