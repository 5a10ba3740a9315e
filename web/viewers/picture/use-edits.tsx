// What can be saved of a picture that is looked at: that it is turned, and a part of it.

import { Trans, useLingui } from '@lingui/react/macro'
import { Crop as CropIcon } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import type { OneVersion } from '../../api/content.ts'
import { onDemand } from '../../lib/page/on-demand.tsx'
import type { Size } from '../../lib/page/use-size.ts'
import { abilitiesOn } from '../../state/rights.ts'
import type { ViewerProps } from '../frame/source.ts'
import { Busy, TextTool, Tool, ToolGap } from '../frame/tools.tsx'
import { editsOf, saveCopy, savePicture } from './save-picture.ts'
import type { usePicture } from './use-picture.ts'
import { turnedSize } from './zoom.ts'

const Crop = onDemand(async () => (await import('./crop.tsx')).Crop)

interface Edits {
  /** Of the bar with the tools; nothing without the right to them. */
  tools: ReactNode
  /** Instead of the bar while a part is chosen. */
  crop: ReactNode
}

interface Edited extends Pick<ViewerProps, 'source' | 'entry' | 'siblings'> {
  version: OneVersion
  sliding: boolean
}

/** `size` of the picture as its file shows it; null while it is not known. */
export function useEdits(
  { source, entry, siblings, version, sliding }: Edited,
  picture: ReturnType<typeof usePicture>,
  size: Size | null,
): Edits {
  const { t } = useLingui()
  const [cropping, setCropping] = useState(false)
  const [saving, setSaving] = useState(false)
  if (source.kind !== 'files' || size === null || sliding) return { tools: null, crop: null }
  const { modify, create } = abilitiesOn(entry.path)
  const can = editsOf(entry.name)
  const rotate = (picture.turns % 4) * 90
  const { headers } = version

  async function saveTurn() {
    setSaving(true)
    await savePicture(entry, { rotate }, headers)
    setSaving(false)
  }

  const tools = (
    <>
      {can.turn && modify && rotate !== 0 && (
        <TextTool onClick={() => void (saving || saveTurn())}>
          <Trans>Save</Trans>
        </TextTool>
      )}
      {can.crop && (modify || create) && (
        <>
          <ToolGap />
          <Tool
            icon={CropIcon}
            label={t`Crop`}
            onClick={() => {
              picture.fit()
              setCropping(true)
            }}
          />
        </>
      )}
    </>
  )
  const crop = cropping && (
    <Suspense fallback={<Busy />}>
      <Crop
        size={turnedSize(size, picture.turns)}
        scale={picture.view.scale}
        isLossy={can.isLossy}
        cancel={() => setCropping(false)}
        save={modify ? (area) => savePicture(entry, { rotate, crop: area }, headers) : null}
        saveCopy={
          create ? (area) => saveCopy(entry, { rotate, crop: area }, { headers, siblings }) : null
        }
      />
    </Suspense>
  )
  return { tools, crop: crop || null }
}
