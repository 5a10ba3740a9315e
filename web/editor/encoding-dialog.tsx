// Choosing an encoding: reading the saved bytes in another one, or writing the text in another one.

import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useSnapshot } from 'valtio'
import { canWrite } from '../text/encode.ts'
import { encodingGroups, encodingLabel, type TextEncoding } from '../text/encodings.ts'
import { Segmented } from '../ui/toggle.tsx'
import { encodingGroupNames } from './code/encoding-groups.ts'
import { editor } from './editor-state.ts'
import { reopenAs, saveAs } from './open-file.ts'
import { PickDialog, type PickOption } from './pick-dialog.tsx'

type Purpose = 'read' | 'write'

export function EncodingDialog({ onClose }: { onClose(): void }) {
  const { t, i18n } = useLingui()
  const { encoding, dirty, readOnly } = useSnapshot(editor)
  const [purpose, setPurpose] = useState<Purpose>(dirty ? 'write' : 'read')
  const writable = readOnly === null

  const options: PickOption[] = encodingGroups.flatMap(({ group, names }) =>
    names.flatMap((name) => {
      const plain = { name, bom: false }
      if (purpose === 'write' && !canWrite(plain)) return []
      const choices: TextEncoding[] =
        purpose === 'write' && group === 'unicode' ? unicodeChoices(name) : [plain]
      return choices.map((choice) => ({
        value: keyOf(choice),
        label: encodingLabel(choice),
        words: choice.name,
        group: i18n._(encodingGroupNames[group]),
      }))
    }),
  )

  function pick(value: string) {
    const [name = 'utf-8', mark] = value.split('+')
    const choice = { name, bom: mark === 'bom' }
    if (purpose === 'read') reopenAs(choice)
    else saveAs(choice)
    onClose()
  }

  const current = options.find((option) => option.value === keyOf(encoding))
  return (
    <PickDialog
      title={t`Encoding`}
      placeholder={t`Find an encoding`}
      options={options}
      value={current?.value ?? encoding.name}
      onPick={pick}
      onClose={onClose}
    >
      {writable && (
        <>
          <Segmented
            label={t`What to do`}
            value={purpose}
            onChange={setPurpose}
            disabled={dirty}
            options={[
              { value: 'read', label: t`Read the file as` },
              { value: 'write', label: t`Save the file in` },
            ]}
          />
          {dirty && (
            <p className="hint">{t`Save or discard your edits before reading the file anew.`}</p>
          )}
        </>
      )}
    </PickDialog>
  )
}

/** UTF-16 files are written with their mark: without one few programs recognise them. */
function unicodeChoices(name: string): TextEncoding[] {
  if (name === 'utf-8')
    return [
      { name, bom: false },
      { name, bom: true },
    ]
  return [{ name, bom: true }]
}

function keyOf({ name, bom }: Readonly<TextEncoding>): string {
  return bom ? `${name}+bom` : name
}
