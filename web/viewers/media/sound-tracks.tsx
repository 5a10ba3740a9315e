// The tracks of sound of a film, where the browser tells of them: Safari does, others only by a switch.

import { useLingui } from '@lingui/react/macro'
import { AudioLines } from 'lucide-react'
import { type RefObject, useEffect, useState } from 'react'
import { ChoiceMenu } from '../../ui/choice-menu.tsx'

/** https://html.spec.whatwg.org/multipage/media.html#audiotrack */
interface AudioTrack {
  id: string
  label: string
  /** Such as `de` or, in files of old, `ger`; '' when unknown. */
  language: string
  enabled: boolean
}

type WithTracks = HTMLVideoElement & { audioTracks?: ArrayLike<AudioTrack> & EventTarget }

interface SoundTracksProps {
  film: RefObject<HTMLVideoElement | null>
  /** Of the film, NaN until its tracks are known. */
  durationS: number
}

/** Nothing where there is nothing to choose. */
export function SoundTracks({ film, durationS }: SoundTracksProps) {
  const { t, i18n } = useLingui()
  const [tracks, setTracks] = useState<readonly AudioTrack[]>([])

  // biome-ignore lint/correctness/useExhaustiveDependencies: with its length a film has its tracks
  useEffect(() => {
    const list = (film.current as WithTracks | null)?.audioTracks
    if (list === undefined) return
    const read = () => setTracks(Array.from(list))
    read()
    const events = ['addtrack', 'removetrack', 'change']
    for (const name of events) list.addEventListener(name, read)
    return () => {
      for (const name of events) list.removeEventListener(name, read)
    }
  }, [film, durationS])

  if (tracks.length < 2) return null
  return (
    <ChoiceMenu
      icon={AudioLines}
      label={t`Audio track`}
      choices={tracks.map((track, index) => ({
        id: track,
        label: nameOf(track, i18n.locale) || String(index + 1),
      }))}
      chosen={tracks.find(({ enabled }) => enabled)}
      onChoose={(chosen) => {
        // All that are on would sound at once.
        for (const track of tracks) track.enabled = track === chosen
      }}
    />
  )
}

function nameOf({ label, language }: AudioTrack, locale: string): string {
  if (label !== '' || language === '' || language === 'und') return label
  try {
    return new Intl.DisplayNames([locale], { type: 'language' }).of(language) ?? language
  } catch {
    return language // a RangeError: what the file says is no language tag
  }
}
